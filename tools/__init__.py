"""What works without the store: the verifier of bundles and certificates, one file by itself."""

from .verify_bundle import verify_raw

__all__ = ["verify_raw"]
