"""Keys that leave the store: wrapped by a passphrase that only people know, through scrypt and AES-256-GCM."""

import secrets
from unicodedata import normalize

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from muniment.claims import InvalidError, Value

from .keys import decoded, encoded

_COST = 2**16  # 64 MiB and about a quarter of a second for each guess
_BLOCK, _MOST_COST = 8, 2**20
SHORTEST = 8


class Wrapped(Value):
    """A secret under a passphrase: `cost` and `block` are scrypt's, the rest is base64url."""

    cost: int
    block: int
    salt: str
    sealed: str


def wrap(passphrase: str, secret: bytes, purpose: bytes) -> Wrapped:
    """Return a secret wrapped by a passphrase; InvalidError where that is too short to keep one."""
    if len(passphrase) < SHORTEST:
        raise InvalidError(
            f"the passphrase is too short to keep keys: use {SHORTEST} characters or more"
        )
    salt, nonce = secrets.token_bytes(16), secrets.token_bytes(12)
    cipher = AESGCM(_key(passphrase, salt, _COST, _BLOCK))
    sealed = nonce + cipher.encrypt(nonce, secret, purpose)
    return Wrapped(cost=_COST, block=_BLOCK, salt=encoded(salt), sealed=encoded(sealed))


def unwrap(passphrase: str, wrapped: Wrapped, purpose: bytes) -> bytes:
    """Return the secret; InvalidError where the passphrase is another one, or a byte was changed."""
    if not passphrase:
        raise InvalidError("the keys are wrapped by a passphrase; give the one they were made with")
    if wrapped.cost > _MOST_COST or wrapped.block > _BLOCK:
        raise InvalidError("the wrapped keys ask for more work than any of ours does")
    try:
        raw = decoded(wrapped.sealed)
        cipher = AESGCM(_key(passphrase, decoded(wrapped.salt), wrapped.cost, wrapped.block))
        return cipher.decrypt(raw[:12], raw[12:], purpose)
    except (InvalidTag, ValueError):
        raise InvalidError(
            "the passphrase does not open these keys: it is another one, or the file was changed"
        ) from None


def _key(passphrase: str, salt: bytes, cost: int, block: int) -> bytes:
    scrypt = Scrypt(salt=salt, length=32, n=cost, r=block, p=1)
    return scrypt.derive(normalize("NFC", passphrase).encode("utf-8"))
