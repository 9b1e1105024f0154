"""What works without the store: the verifier of bundles and certificates, one file by itself."""
