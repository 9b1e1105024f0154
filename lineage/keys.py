"""Keys: one for each thing that can be erased alone, in fixed slots, wrapped by the store key.

store key ── wraps ── tenant keys: K_fp (fingerprints), K_idx (index digests), K_sign (checkpoints)
         │                             K_fp ── derives ── the key of the headers' macs
         └── wraps ── payload keys, 64 bytes a slot; destroying a slot destroys the words
"""

import hmac
import json
import mmap
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Container, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from muniment.claims import (
    UNREADABLE,
    ErasedError,
    IntegrityError,
    KeysError,
    StorageError,
)

from .files import Opened, Reach, storing, write_all, write_file

SLOT = 64
SLOTS_PER_FILE = 65_536
_AHEAD = 512  # payload keys made durable at once, so that a write waits for no key file
_MARK = b"key1"
_MOST_TRIES = 250_000  # of a second or two
LOST = bytes(SLOT - 4) + b"lost"  # what a restore writes where no mirror had the key
_TENANT_KEYS = ("K_fp", "K_idx", "K_sign")
NOT_HERE = (
    "INCOMPLETE: the key of these words is not in this store, which was restored without it; "
    "restore the backup once more with the keys mirror that has it"
)
PIECE = 64 * 1024
_OVERHEAD = 28


def encoded(raw: bytes) -> str:
    """Return bytes as base64url without padding."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def decoded(text: str) -> bytes:
    """Return the bytes of base64url without padding."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def seal(key: bytes, plain: bytes, context: bytes) -> bytes:
    """Return `plain` encrypted by AES-256-GCM in pieces of 64 KiB, bound to its context, place and end."""
    cipher = AESGCM(key)
    out: list[bytes] = []
    last = max(0, (len(plain) - 1) // PIECE)
    for number in range(last + 1):
        nonce = secrets.token_bytes(12)
        piece = plain[number * PIECE : (number + 1) * PIECE]
        out.append(nonce + cipher.encrypt(nonce, piece, _place(context, number, number == last)))
    return b"".join(out)


def unseal(key: bytes, sealed: bytes, context: bytes) -> bytes:
    """Return what was sealed; IntegrityError when a byte, the key or the context differs."""
    cipher = AESGCM(key)
    step = PIECE + _OVERHEAD
    last = max(0, (len(sealed) - 1) // step)
    try:
        if not last:
            return cipher.decrypt(sealed[:12], sealed[12:], _place(context, 0, True))
        return b"".join(
            cipher.decrypt(
                sealed[number * step : number * step + 12],
                sealed[number * step + 12 : (number + 1) * step],
                _place(context, number, number == last),
            )
            for number in range(last + 1)
        )
    except (InvalidTag, ValueError):
        raise IntegrityError(
            "a sealed payload does not open with its key: its bytes or the key were changed"
        ) from None


def _place(context: bytes, number: int, last: bool) -> bytes:
    return context + number.to_bytes(4, "big") + (b"\x01" if last else b"\x00")


def commitment(salt: bytes, body: bytes) -> str:
    """Return the salted commitment to a payload: HMAC-SHA256 under its 16-byte salt, base64url."""
    return encoded(hmac.digest(salt, body, sha256))


class KeyRing:
    """The keys of one tenant; payload keys are read from their slots when asked for."""

    def __init__(
        self,
        folder: Path,
        store_key: bytes,
        tenant: str,
        reach: Reach,
        access: Opened = Opened.WRITE,
    ) -> None:
        self._folder = folder
        self._access = access
        self._reach = reach
        self._tenant = tenant.encode("utf-8")
        self._wrap = AESGCM(_derive(store_key, b"payload keys", self._tenant))
        self._tenant_wrap = AESGCM(_derive(store_key, b"tenant keys", self._tenant))
        self._files: dict[int, int] = {}
        self._fresh: dict[int, bytes] = {}
        self._next = 0
        self._broken = False
        named = self._tenant_keys()
        self.fingerprint = named["K_fp"]
        self.index = named["K_idx"]
        self.signing = named["K_sign"]
        # From the key that goes with a backup: a restored store still knows its own records.
        self._headers = _derive(self.fingerprint, b"headers", self._tenant)

    def _tenant_keys(self) -> dict[str, bytes]:
        path = self._folder / "tenant.keys"
        if not path.exists():
            if self._access is Opened.READ or any(self._folder.glob("payload-*.keys")):
                raise IntegrityError(
                    f"{path} is missing while payload keys are there; put it back from a backup"
                )
            made = {name: secrets.token_bytes(32) for name in _TENANT_KEYS}
            _write_tenant_keys(path, self._tenant_wrap, made)
            return made
        kept = json.loads(path.read_bytes())
        try:
            return {
                name: _unwrapped(self._tenant_wrap, decoded(kept[name]), name.encode())
                for name in _TENANT_KEYS
            }
        except (InvalidTag, KeyError, ValueError):
            raise IntegrityError(
                f"{path} does not open with this store key; put back the store.key that belongs to this store"
            ) from None

    def renew_index(self) -> None:
        """Make the key of the index's digests anew, durably: what the old one made says nothing beside the new."""
        named = {"K_fp": self.fingerprint, "K_sign": self.signing, "K_idx": secrets.token_bytes(32)}
        _write_tenant_keys(self._folder / "tenant.keys", self._tenant_wrap, named)
        self.index = named["K_idx"]

    def start_at(self, slot: int) -> None:
        """Give out slots from `slot` on; keys made durable earlier and never used are used now."""
        self._next = slot
        self._fresh.clear()

    def take(self) -> tuple[int, bytes]:
        """Return a slot that nothing uses yet and its 32-byte key, durable already."""
        if self._next not in self._fresh:
            self._make(self._next, _AHEAD)
        slot = self._next
        self._next += 1
        return slot, self._fresh.pop(slot)

    def _make(self, first: int, count: int) -> None:
        count = min(count, SLOTS_PER_FILE - first % SLOTS_PER_FILE)
        keys = [secrets.token_bytes(32) for _ in range(count)]
        raw = b"".join(
            _wrapped(self._wrap, key, slot.to_bytes(8, "big")) + _MARK
            for slot, key in enumerate(keys, first)
        )
        file = self._file(first // SLOTS_PER_FILE)
        if self._broken:
            raise StorageError(
                "an earlier write of keys failed, so this store is read-only; close it and open it again"
            )
        self._reach("keys.before_write")
        with storing("the payload keys"):
            write_all(file, raw, _place_in_file(first))
            try:
                os.fsync(file)
            except OSError:
                # What the disk holds now is unknown, and a second fsync would not tell.
                self._broken = True
                raise
        self._reach("keys.durable")
        self._fresh = dict(enumerate(keys, first))

    def key(self, slot: int) -> bytes:
        """Return the payload key of a slot; ErasedError when it was destroyed, KeysError when it was not restored."""
        raw = os.pread(self._file(slot // SLOTS_PER_FILE), SLOT, _place_in_file(slot))
        if raw == LOST:
            raise KeysError(NOT_HERE)
        if len(raw) < SLOT or not any(raw):
            raise ErasedError("the key of these words was destroyed; they cannot be read any more")
        try:
            if raw[-4:] != _MARK:
                raise InvalidTag
            return _unwrapped(self._wrap, raw[:60], slot.to_bytes(8, "big"))
        except InvalidTag:
            raise IntegrityError(
                f"the payload key in slot {slot} was changed or belongs to another store"
            ) from None

    def lacking(self, slots: int) -> str:
        """Return what the key files lack of the first `slots` keys, empty where they reach as far."""
        for first in range(0, slots, SLOTS_PER_FILE):
            last = min(slots, first + SLOTS_PER_FILE) - 1
            path = key_file(self._folder, first // SLOTS_PER_FILE)
            if len(self._slot(last)) < SLOT:
                return (
                    f"{path.name} is missing or an older copy: it ends before slot {last}, which the journal uses; "
                    "put back the newest copy of the folder keys/"
                )
        return ""

    def holds(self, slot: int) -> bool:
        """Return whether the key files know of a slot: its key is in it, or was destroyed."""
        raw = self._slot(slot)
        return len(raw) == SLOT and raw != LOST

    def _slot(self, slot: int) -> bytes:
        """Return the bytes of a slot as far as the key files have it; what was marked as not restored counts as had."""
        if not key_file(self._folder, slot // SLOTS_PER_FILE).exists():
            return b""
        return os.pread(self._file(slot // SLOTS_PER_FILE), SLOT, _place_in_file(slot))

    def fingerprint_of(self, text: str, purpose: bytes) -> str:
        """Return a 16-byte keyed fingerprint of a text as base64url."""
        return encoded(
            hmac.digest(self.fingerprint, purpose + b"\0" + text.encode("utf-8"), sha256)[:16]
        )

    def header_mac(self, raw: bytes) -> str:
        """Return the 16-byte keyed digest of a header's bytes as base64url."""
        return encoded(hmac.digest(self._headers, raw, sha256)[:16])

    def is_alive(self, slot: int) -> bool:
        """Return whether a slot still holds a key."""
        return self._slot(slot)[-4:] == _MARK

    def is_blank(self, slot: int) -> bool:
        """Return whether nothing at all stands in a slot."""
        return not any(os.pread(self._file(slot // SLOTS_PER_FILE), SLOT, _place_in_file(slot)))

    def kept_in(self, path: Path, slots: frozenset[int]) -> tuple[frozenset[int], bool]:
        """Return which of these slots' keys a file holds, wrapped as keys are kept, wherever in it they stand.

        With it, whether all was told: after a quarter of a million vain tries the rest of the file is not looked at.
        """
        found, tries = set[int](), 0
        if not path.stat().st_size:
            return frozenset(), True
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
            end = held.find(_MARK)
            while end >= 0:
                wrapped = held[max(0, end - SLOT + len(_MARK)) : end]
                # A key opens as that of one slot only; as a rule of the one where it stands.
                likely = self._slots_at(path, end)
                if not any(self._opens(wrapped, slot) for slot in likely):
                    tries += len(slots)
                    if tries > _MOST_TRIES:
                        return frozenset(found), False
                    found |= {slot for slot in slots if self._opens(wrapped, slot)}
                else:
                    found |= {
                        slot for slot in likely if slot in slots and self._opens(wrapped, slot)
                    }
                end = held.find(_MARK, end + 1)
        return frozenset(found), True

    def _slots_at(self, path: Path, end: int) -> list[int]:
        """Return the slots whose key could end at a place of a file or of a copy of it."""
        within, odd = divmod(end - SLOT + len(_MARK), SLOT)
        named = path.stem.removeprefix("payload-")
        if odd or within < 0:
            return []
        if named.isdecimal():
            return [int(named) * SLOTS_PER_FILE + within]
        count = len(list(self._folder.glob("payload-*.keys")))
        return [number * SLOTS_PER_FILE + within for number in range(count)]

    def _opens(self, wrapped: bytes, slot: int) -> bool:
        try:
            _unwrapped(self._wrap, wrapped, slot.to_bytes(8, "big"))
        except (InvalidTag, ValueError):
            return False
        return True

    def destroy(self, runs: Iterable[tuple[int, int]]) -> None:
        """Overwrite the keys in these runs of slots, (first, count), and make it durable.

        Slots that are overwritten already stay as they are, so that it can be done again after a crash.
        """
        touched: set[int] = set()
        with storing("the payload keys"):
            for file, place, size in self._stretches(runs):
                if any(os.pread(file, size, place)):
                    write_all(file, bytes(size), place)
                    touched.add(file)
                    self._reach("erase.half_destroyed")
            for file in touched:
                try:
                    os.fsync(file)
                except OSError:
                    self._broken = True
                    raise
        if touched:
            self._reach("erase.destroyed")

    def _stretches(self, runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
        """Yield (file, place, size) of the bytes that runs of slots take."""
        for first, count in runs:
            while count > 0:
                number, within = divmod(first, SLOTS_PER_FILE)
                here = min(count, SLOTS_PER_FILE - within)
                yield self._file(number), within * SLOT, here * SLOT
                first, count = first + here, count - here

    def _file(self, number: int) -> int:
        if number not in self._files:
            path = key_file(self._folder, number)
            try:
                self._files[number] = os.open(path, self._access, 0o600)
            except FileNotFoundError:
                raise IntegrityError(
                    f"{path.name} is missing, so the words under its keys cannot be read; put it back"
                ) from None
        return self._files[number]

    def close(self) -> None:
        """Close the key files."""
        for file in self._files.values():
            os.close(file)
        self._files.clear()


def _place_in_file(slot: int) -> int:
    return slot % SLOTS_PER_FILE * SLOT


def key_file(folder: Path, number: int) -> Path:
    """Return where the payload keys of the slots from `number` times SLOTS_PER_FILE on lie."""
    return folder / f"payload-{number:06d}.keys"


def move_in(folder: Path, store_key: bytes, tenant: str, named: Mapping[str, bytes]) -> None:
    """Write the tenant keys of a restored store under its own store key; the index's is made anew."""
    wrap = AESGCM(_derive(store_key, b"tenant keys", tenant.encode("utf-8")))
    path = folder / "tenant.keys"
    _write_tenant_keys(path, wrap, {**named, "K_idx": secrets.token_bytes(32)})


def carry_over(
    folder: Path,
    store_key: bytes,
    tenant: str,
    slots: int,
    gone: Container[int],
    source: KeyRing | None,
    known: int,
) -> int:
    """Write the first `slots` payload keys of a restored store under its own store key; return how many are not here.

    Of `gone` no key is written at all; what is not among the first `known` of `source` is marked as not here, which is
    not erased.
    """
    wrap = AESGCM(_derive(store_key, b"payload keys", tenant.encode("utf-8")))
    missing = 0
    for number in range(-(-slots // SLOTS_PER_FILE)):
        first, raw = number * SLOTS_PER_FILE, bytearray()
        for slot in range(first, min(slots, first + SLOTS_PER_FILE)):
            there = source is not None and slot < known and slot not in gone
            key = _key_or_none(source, slot) if there and source else b""
            if slot in gone:
                raw += bytes(SLOT)
            elif key:
                raw += _wrapped(wrap, key, slot.to_bytes(8, "big")) + _MARK
            else:
                raw += LOST
                missing += 1
        write_file(key_file(folder, number), bytes(raw), mode=0o600)
    return missing


def lost_keys(folder: Path) -> int:
    """Return how many payload keys a store was restored without."""
    return sum(
        raw[at : at + SLOT] == LOST
        for path in folder.glob("payload-*.keys")
        for raw in (path.read_bytes(),)
        if b"lost" in raw
        for at in range(0, len(raw), SLOT)
    )


def _key_or_none(source: KeyRing, slot: int) -> bytes:
    try:
        return source.key(slot) if source.holds(slot) else b""
    except UNREADABLE:
        return b""


def shred(path: Path) -> None:
    """Overwrite a file of keys, durably, and remove it."""
    with storing(path.name):
        file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            write_all(file, bytes(os.fstat(file).st_size), 0)
            os.fsync(file)
        finally:
            os.close(file)
        path.unlink()


def _write_tenant_keys(path: Path, wrap: AESGCM, named: Mapping[str, bytes]) -> None:
    kept = {name: encoded(_wrapped(wrap, key, name.encode())) for name, key in named.items()}
    write_file(path, json.dumps({"format": 1, **kept}, sort_keys=True).encode(), mode=0o600)


def _derive(store_key: bytes, purpose: bytes, tenant: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=tenant, info=purpose).derive(store_key)


def _wrapped(cipher: AESGCM, key: bytes, context: bytes) -> bytes:
    nonce = secrets.token_bytes(12)
    return nonce + cipher.encrypt(nonce, key, context)


def _unwrapped(cipher: AESGCM, wrapped: bytes, context: bytes) -> bytes:
    return cipher.decrypt(wrapped[:12], wrapped[12:], context)
