"""Signed checkpoints in the form of C2SP: what the journal was at one moment, to be kept where others have it.

The text of a checkpoint is three lines: origin, number of records, root in base64. A signed note adds an empty line
and `— <name> <base64 of key hash and Ed25519 signature>`; https://c2sp.org/tlog-checkpoint and signed-note.
"""

import binascii
import os
from base64 import b64decode, b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from muniment.claims import InvalidError, Value

from .files import storing

_ED25519 = b"\x01"
_DASH = "— "


class Checkpoint(Value):
    """What a signed note says of a journal: whose it is, how many records it holds, the root over them."""

    origin: str
    size: int
    root: bytes
    note: str


class Signer:
    """The key that signs one tenant's checkpoints, made from its 32-byte seed; its name is the journal's origin."""

    def __init__(self, tenant: str, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self._public = self._key.public_key().public_bytes_raw()
        self.name = f"muniment/{tenant}/{sha256(self._public).hexdigest()[:16]}"

    @property
    def key(self) -> str:
        """The public key as C2SP writes a verifier's key: name, hash and key."""
        return f"{self.name}+{_key_hash(self.name, self._public).hex()}+{_base64(_ED25519 + self._public)}"

    def note(self, text: str) -> str:
        """Return a text, which ends with a line break, as a signed note."""
        signature = _key_hash(self.name, self._public) + self._key.sign(text.encode("utf-8"))
        return f"{text}\n{_DASH}{self.name} {_base64(signature)}\n"

    def checkpoint(self, size: int, root: bytes) -> str:
        """Return the signed checkpoint of a journal."""
        return self.note(f"{self.name}\n{size}\n{_base64(root)}\n")


def is_signed(note: str, key: str) -> bool:
    """Return whether a signed note bears a signature by the public key, written as `Signer.key` writes it."""
    text, _, signatures = note.rpartition("\n\n")
    try:
        name, hashed, public = key.split("+", 2)
        raw = b64decode(public, validate=True)
        for line in signatures.splitlines():
            sign, whose, signature = line.split(" ")
            given = b64decode(signature, validate=True)
            if (sign, whose, given[:4].hex()) == ("—", name, hashed):
                Ed25519PublicKey.from_public_bytes(raw[1:]).verify(given[4:], f"{text}\n".encode())
                return raw[:1] == _ED25519 and given[:4] == _key_hash(name, raw[1:])
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return False


def tenant_of(origin: str) -> str:
    """Return the tenant that an origin of ours names, empty for another's."""
    words = origin.split("/")
    return words[1] if len(words) == 3 and words[0] == "muniment" else ""


def read_anchor(path: Path) -> tuple[Checkpoint, ...]:
    """Return the checkpoints of an anchor file, oldest first; InvalidError where it holds anything else."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidError(f"the anchor {path} cannot be read: {error}") from None
    return tuple(_checkpoints(path, lines))


def _checkpoints(path: Path, lines: list[str]) -> Iterator[Checkpoint]:
    place = 0
    while place < len(lines):
        if not lines[place]:
            place += 1
            continue
        end = place + 4
        while end < len(lines) and lines[end].startswith(_DASH):
            end += 1
        block = lines[place:end]
        try:
            origin, size, root, empty, *signatures = block
            found = b64decode(root, validate=True)
            if empty or not signatures or not size.isdecimal() or len(found) != 32:
                raise ValueError
        except (ValueError, binascii.Error):
            raise InvalidError(
                f"the anchor {path} holds no checkpoint at line {place + 1}; it is to hold signed checkpoints only"
            ) from None
        note = "".join(f"{line}\n" for line in block)
        yield Checkpoint(origin=origin, size=int(size), root=found, note=note)
        place = end


def append_anchor(path: Path, note: str, store: Path) -> None:
    """Append a checkpoint to an anchor file, durably; InvalidError where the file would lie in the store itself."""
    if path.resolve().is_relative_to(store.resolve()):
        raise InvalidError(
            "an anchor in the store's own folder proves nothing; keep it where others have it"
        )
    with storing("the anchor"):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            os.write(file, f"{note}\n".encode())
            os.fsync(file)
        finally:
            os.close(file)


def _key_hash(name: str, public: bytes) -> bytes:
    return sha256(name.encode("utf-8") + b"\n" + _ED25519 + public).digest()[:4]


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode("ascii")
