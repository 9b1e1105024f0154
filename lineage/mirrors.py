"""A mirror of the keys: a latest-only copy elsewhere, with what a restore needs to know of what came after a backup.

    <mirror>/<tenant>/mirror.json            the newest head as a signed checkpoint, the store key under a passphrase
                      keys-<store key>/      the tenant's keys and its payload keys, as the store has them
                      history-<root>.leaves  the hash of every header, 32 bytes each
                      history-<root>.headers the headers of erasures, of accesses and of scopes, a line each

`mirror.json` is what counts: it is replaced at once, after everything it names is there; keys that were erased are
overwritten after it, so that a mirror never lacks a key whose erasure it does not know.
"""

import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import ValidationError

from muniment.claims import (
    FormatError,
    Header,
    IntegrityError,
    InvalidError,
    RestoreRecord,
    Value,
    header_from,
)

from .backups import bears_seal, sealed
from .checkpoint import Signer
from .copies import BackupKept, read_copies, write_copies
from .files import Opened, storing, sync_folder, unreached, write_all, write_file
from .keys import LOST, SLOT, SLOTS_PER_FILE, KeyRing, key_file, lost_keys, shred
from .merkle import leaf_hash
from .passphrases import Wrapped, unwrap, wrap
from .proofs import Tree
from .store import Store, slot_runs

MIRROR = "muniment-mirror/1"
_MANIFEST = "mirror.json"
_PURPOSE = b"muniment mirror"
_LEAF = 32
_REMEMBERED = tuple(
    f'"op":"{op}"'.encode("ascii")
    for op in (
        "erase",
        "access",
        "hold",
        "scope",
        "pause",
        "mute",
        "forget",
        "account",
        "sensitive",
        "corpus",
    )
)


class MirrorManifest(Value):
    """What a mirror says of itself: the head it was made at, what it consists of, and the backups known then.

    Only the first `slots` keys count: those made ahead of any use are made anew when the store is opened again.
    """

    format: str = MIRROR
    tenant: str
    records: int
    slots: int
    root: str
    made_at: datetime
    key: str
    checkpoint: str
    store: str
    history: str
    headers: str
    wrapped: Wrapped
    backups: tuple[BackupKept, ...] = ()
    seal: str = ""


class Mirror(Value):
    """A mirror that was read: its manifest, the hashes of all headers, the headers that a restore needs."""

    path: Path
    manifest: MirrorManifest
    leaves: tuple[bytes, ...]
    headers: tuple[Header, ...]


class Mirrored(Value):
    """What mirroring the keys did: `keys` that are alive in the mirror, over how many records."""

    place: str
    records: int
    keys: int


# --- making ---------------------------------------------------------------------------------------------------


def mirror_keys(
    store: Store, store_key: bytes, place: Path, *, passphrase: str, now: datetime
) -> Mirrored:
    """Bring a mirror up to the store, made where it is new, and return what it holds.

    Without a passphrase only a mirror that is there already, of this very store key. IntegrityError where it knows a
    head that this journal does not go on from: then the store was set back.
    """
    with store.lock:
        store.journal.check_writable()
        store.check_open()
        folder = place / store.tenant
        old = _read(folder) if (folder / _MANIFEST).exists() else None
        mark = _mark(store_key, store.tenant)
        if old is not None and old.store != mark and lost_keys(store.folder / "keys"):
            raise InvalidError(
                f"the mirror at {place} may hold keys that this store was restored without, and would lose them; "
                "name an empty folder for a new mirror"
            )
        wrapped = _wrapped(old, mark, store_key, passphrase)
        leaves, headers = _history(store, folder, old)
        with storing(f"the mirror at {place}"):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            store.reach("mirror.begun")
            alive = _copy_keys(store, folder / f"keys-{mark[:16]}")
            store.reach("mirror.keys_copied")
            manifest = _written(store, folder, leaves, headers, mark, wrapped, now)
            store.reach("mirror.manifest_written")
            _forget(store, folder, manifest)
            store.reach("mirror.forgotten")
        copies = read_copies(store.folder)
        if str(place) not in copies.mirrors:
            write_copies(store.folder, copies.with_mirror(place))
        return Mirrored(place=str(place), records=store.state.seq, keys=alive)


def _wrapped(old: MirrorManifest | None, mark: str, store_key: bytes, passphrase: str) -> Wrapped:
    if passphrase:
        return wrap(passphrase, store_key, _PURPOSE)
    if old is None or old.store != mark:
        raise InvalidError(
            "a mirror holds the store's key under a passphrase; give one to make it with"
        )
    return old.wrapped


def _mark(store_key: bytes, tenant: str) -> str:
    """Return what tells two store keys apart without saying anything of them."""
    salt = tenant.encode("utf-8")
    return (
        HKDF(algorithm=SHA256(), length=16, salt=salt, info=b"mirror mark").derive(store_key).hex()
    )


def _history(store: Store, folder: Path, old: MirrorManifest | None) -> tuple[bytes, bytes]:
    """Return the hashes of all headers, and the lines of those to be remembered; the mirror's own are not read anew."""
    root, seq = store.state.frontier.root(), store.state.seq
    if old is not None and old.records <= seq:
        leaves = _file(folder, old, "leaves")
        lines = _file(folder, old, "headers")
        leaves, lines = _added(store, leaves, lines, old.records)
        if _root(leaves) == root:
            return leaves, lines
    leaves, lines = _added(store, b"", b"", 0)
    if _root(leaves) != root:
        raise IntegrityError("the journal is not what was acknowledged; run `muniment verify`")
    if old is not None and not _went_on(store, leaves, old):
        raise IntegrityError(
            f"DIVERGED: the mirror at {folder.parent} knows a head over {old.records} records that this journal does "
            "not go on from: the store was set back, or it is another one. Restore from a backup with that mirror, or "
            "name an empty folder for a new mirror"
        )
    return leaves, lines


def _added(store: Store, leaves: bytes, lines: bytes, since: int) -> tuple[bytes, bytes]:
    found, kept = [leaves], [lines]
    for raw in _headers(store, since):
        found.append(leaf_hash(raw))
        if any(mark in raw for mark in _REMEMBERED):
            kept.append(raw + b"\n")
    return b"".join(found), b"".join(kept)


def _headers(store: Store, since: int) -> Iterator[bytes]:
    """Yield the bytes of the headers after a record."""
    if not since:
        yield from (raw.header for raw in store.journal.scan())
    for seq in range(since + 1, store.state.seq + 1) if since else ():
        yield store.journal.read(store.state.positions[seq]).header


def _went_on(store: Store, leaves: bytes, old: MirrorManifest) -> bool:
    """Return whether this journal goes on from a mirror's head, or was restored knowing that very head."""
    if old.records <= store.state.seq and _root(leaves[: old.records * _LEAF]).hex() == old.root:
        return True
    restores = [store.header(seq) for seq in store.state.restores]
    heads = [(one.newest, one.newest_root) for one in restores if isinstance(one, RestoreRecord)]
    return (old.records, old.root) in heads


def _root(leaves: bytes) -> bytes:
    count = len(leaves) // _LEAF
    return Tree(_split(leaves), hashed=True).root(count)


def _split(leaves: bytes) -> list[bytes]:
    return [leaves[at : at + _LEAF] for at in range(0, len(leaves), _LEAF)]


def _copy_keys(store: Store, to: Path) -> int:
    """Copy the keys that are alive into the mirror's folder, those that were erased left as they are there."""
    to.mkdir(exist_ok=True, mode=0o700)
    source, alive = store.folder / "keys", 0
    for path in sorted(source.glob("payload-*.keys")):
        own, place = path.read_bytes(), to / path.name
        theirs = place.read_bytes() if place.exists() else b""
        merged = bytearray(own)
        for at in range(0, len(own), SLOT):
            here = own[at : at + SLOT]
            if here != LOST and any(here):
                alive += 1
            elif at < len(theirs):
                merged[at : at + SLOT] = theirs[at : at + SLOT]
        if bytes(merged) != theirs:
            write_in_place(place, bytes(merged))
    write_file(to / "tenant.keys", (source / "tenant.keys").read_bytes(), mode=0o600)
    return alive


def write_in_place(path: Path, content: bytes) -> None:
    """Write a file of keys over the one that is there, so that no older copy of its blocks is left behind."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        write_all(file, content, 0)
        os.fsync(file)
    finally:
        os.close(file)
    sync_folder(path.parent)


def _written(
    store: Store,
    folder: Path,
    leaves: bytes,
    headers: bytes,
    mark: str,
    wrapped: Wrapped,
    now: datetime,
) -> MirrorManifest:
    root = store.state.frontier.root()
    name = f"history-{root.hex()[:16]}"
    write_file(folder / f"{name}.leaves", leaves, mode=0o600)
    write_file(folder / f"{name}.headers", headers, mode=0o600)
    signer = Signer(store.tenant, store.keys.signing)
    manifest = MirrorManifest(
        tenant=store.tenant,
        records=store.state.seq,
        slots=store.state.next_slot,
        root=root.hex(),
        made_at=now,
        key=signer.key,
        checkpoint=signer.checkpoint(store.state.seq, root),
        store=mark,
        history=name,
        headers=sha256(headers).hexdigest(),
        wrapped=wrapped,
        backups=read_copies(store.folder).backups,
    )
    manifest = manifest.model_copy(update={"seal": sealed(signer, MIRROR, manifest)})
    content = manifest.model_dump_json(indent=1).encode("utf-8")
    write_file(folder / _MANIFEST, content, mode=0o600)
    return manifest


def _forget(store: Store, folder: Path, manifest: MirrorManifest) -> None:
    """Overwrite the keys of what was erased, and let go of what the manifest does not name any more."""
    here = folder / f"keys-{manifest.store[:16]}"
    for first, count in slot_runs(store.state.destroyed):
        _overwrite(here, first, count)
    store.reach("mirror.half_forgotten")
    for path in folder.iterdir():
        if path.is_dir() and path.name.startswith("keys-") and path != here:
            shred_folder(path)
        elif path.name.startswith("history-") and path.stem != manifest.history:
            path.unlink()


def _overwrite(folder: Path, first: int, count: int) -> None:
    while count > 0:
        number, within = divmod(first, SLOTS_PER_FILE)
        here, path = min(count, SLOTS_PER_FILE - within), key_file(folder, number)
        if path.exists():
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                if any(os.pread(file, here * SLOT, within * SLOT)):
                    write_all(file, bytes(here * SLOT), within * SLOT)
                    os.fsync(file)
            finally:
                os.close(file)
        first, count = first + here, count - here


def shred_folder(folder: Path) -> None:
    """Overwrite every file of keys in a folder and remove the folder."""
    for path in sorted(folder.rglob("*.key*")):
        shred(path)
    shutil.rmtree(folder, ignore_errors=True)


# --- reading --------------------------------------------------------------------------------------------------


def is_mirror(place: Path, tenant: str) -> bool:
    """Return whether a folder holds a mirror of a tenant."""
    return (place / tenant / _MANIFEST).is_file()


def is_mirror_of(place: Path, tenant: str, store_key: bytes) -> bool:
    """Return whether a folder holds a mirror of the keys of this very store."""
    try:
        return is_mirror(place, tenant) and _read(place / tenant).store == _mark(store_key, tenant)
    except FormatError:
        return False


def is_behind(store: Store, store_key: bytes, place: Path) -> bool:
    """Return whether a mirror of this store is there that does not know the last erasure, or still has a key of it."""
    if not is_mirror_of(place, store.tenant, store_key):
        return False
    manifest = _read(place / store.tenant)
    here = place / store.tenant / f"keys-{manifest.store[:16]}"
    return manifest.records < max(store.state.erasures, default=0) or any(
        _holds(here, first, count) for first, count in slot_runs(store.state.destroyed)
    )


def _holds(folder: Path, first: int, count: int) -> bool:
    """Return whether a key is left in a run of slots."""
    for number in range(first // SLOTS_PER_FILE, (first + count - 1) // SLOTS_PER_FILE + 1):
        path = key_file(folder, number)
        start = max(first - number * SLOTS_PER_FILE, 0)
        end = min(first + count - number * SLOTS_PER_FILE, SLOTS_PER_FILE)
        if path.exists():
            with path.open("rb") as file:
                if any(os.pread(file.fileno(), (end - start) * SLOT, start * SLOT)):
                    return True
    return False


def backups_of(place: Path, tenant: str) -> tuple[BackupKept, ...]:
    """Return the backups that a mirror knows of."""
    return _read(place / tenant).backups if is_mirror(place, tenant) else ()


def _read(folder: Path) -> MirrorManifest:
    try:
        manifest = MirrorManifest.model_validate_json((folder / _MANIFEST).read_bytes())
    except (OSError, ValidationError) as error:
        raise FormatError(
            f"the mirror at {folder.parent} cannot be read: {type(error).__name__}; name an empty folder"
        ) from None
    if manifest.format != MIRROR:
        raise FormatError(f"the mirror at {folder.parent} has the format {manifest.format!r}")
    return manifest


def _file(folder: Path, manifest: MirrorManifest, sort: str) -> bytes:
    try:
        return (folder / f"{manifest.history}.{sort}").read_bytes()
    except OSError as error:
        raise IntegrityError(
            f"the mirror at {folder.parent} lacks its {sort}: {error.strerror}"
        ) from None


def open_mirror(place: Path, tenant: str, signer: Signer) -> Mirror:
    """Return a mirror whose seal and history were checked against the journal's signing key."""
    folder = place / tenant
    if not is_mirror(place, tenant):
        raise FormatError(f"there is no mirror of the keys of tenant {tenant} at {place}")
    manifest = _read(folder)
    if manifest.key != signer.key:
        raise IntegrityError(
            f"DIVERGED: the mirror at {place} is of {manifest.key.partition('+')[0]}, the backup of {signer.name}"
        )
    leaves, headers = _file(folder, manifest, "leaves"), _file(folder, manifest, "headers")
    if (
        not bears_seal(signer, MIRROR, manifest)
        or _root(leaves).hex() != manifest.root
        or sha256(headers).hexdigest() != manifest.headers
    ):
        raise IntegrityError(f"the mirror at {place} was changed: it is not what was sealed")
    found = tuple(header_from(line) for line in headers.splitlines())
    if any(one.seq > two.seq for one, two in pairwise(found)):
        raise IntegrityError(f"the mirror at {place} was changed: its headers are out of order")
    return Mirror(path=folder, manifest=manifest, leaves=tuple(_split(leaves)), headers=found)


def mirror_ring(mirror: Mirror, passphrase: str) -> KeyRing:
    """Return the keys in a mirror, opened for reading."""
    store_key = unwrap(passphrase, mirror.manifest.wrapped, _PURPOSE)
    folder = mirror.path / f"keys-{mirror.manifest.store[:16]}"
    return KeyRing(folder, store_key, mirror.manifest.tenant, unreached, Opened.READ)
