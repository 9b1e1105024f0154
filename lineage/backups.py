"""Backups: everything of a tenant but the keys of its words, written whole or not at all, with a sealed manifest.

A backup lies in a folder as a store does: `<tenant>/journal`, `head` and `lineage.duckdb`, `policy.toml`, `store.toml`;
`manifest.json` beside them says what it holds, until when it is to be kept, and carries the tenant's fingerprint and
signing keys under a passphrase.
"""

import json
import os
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from muniment.claims import FormatError, IntegrityError, InvalidError, Value

from .bundling import bundle_digest
from .checkpoint import Signer, is_signed
from .copies import BackupKept, read_copies, write_copies
from .files import Opened, storing, sync_folder, unreached, write_file
from .journal import Head, Journal, Raw, copy_journal, head_file, head_slots
from .keys import decoded, encoded
from .merkle import leaf_hash
from .passphrases import Wrapped, unwrap, wrap
from .proofs import Tree
from .reading import End, read_journal
from .store import Store, graph_of, graphing

BACKUP = "muniment-backup/1"
MANIFEST = "manifest.json"
_PURPOSE = b"muniment backup"


class FileStamp(Value):
    """A file by its size in bytes and its SHA-256."""

    size: int
    sha256: str


class Manifest(Value):
    """What a backup holds: without words, sealed by the journal's own signing key.

    `root` is the hex root over its `records`; `size` the bytes of all its files but this one.
    """

    format: str = BACKUP
    id: str
    tenant: str
    records: int
    root: str
    journal: int
    size: int
    made_at: datetime
    keep_days: int
    keep_until: datetime
    files: dict[str, FileStamp]
    key: str
    checkpoint: str
    wrapped: Wrapped
    seal: str = ""


class BackupSeen(Value):
    """A backup as `muniment backup list` meets it; `fault` says why it cannot be read, `past` that its time is over."""

    place: str
    id: str = ""
    tenant: str = ""
    records: int = 0
    size: int = 0
    made_at: datetime | None = None
    keep_until: datetime | None = None
    past: bool = False
    fault: str = ""


class Backup(Value):
    """A backup that was read whole: its manifest, its tenant's keys, the hashes of its headers, oldest first."""

    path: Path
    manifest: Manifest
    keys: dict[str, bytes] = Field(repr=False)
    leaves: tuple[bytes, ...]

    @property
    def signer(self) -> Signer:
        """What signed the journal's checkpoints."""
        return Signer(self.manifest.tenant, self.keys["K_sign"])


def sealed(signer: Signer, kind: str, value: Value) -> str:
    """Return the signed note over a document of ours, its `seal` left out."""
    return signer.note(f"{kind}\n{bundle_digest(_plain(value))}\n")


def bears_seal(signer: Signer, kind: str, value: Value) -> bool:
    """Return whether a document bears the seal that is right for it."""
    seal = str(_plain(value)["seal"])
    text = f"{kind}\n{bundle_digest(_plain(value))}\n"
    return is_signed(seal, signer.key) and seal.startswith(f"{text}\n")


def _plain(value: Value) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(value.model_dump_json())
    return plain


def outside(place: Path, store: Path, what: str) -> Path:
    """Return where a copy is to lie, whole; InvalidError where that is in the store itself."""
    found = place.expanduser().resolve()
    if found.is_relative_to(store.resolve()):
        raise InvalidError(
            f"{what} in the store's own folder is lost with it; name a folder elsewhere"
        )
    return found


def make_backup(
    store: Store,
    path: Path,
    place: Path,
    *,
    passphrase: str,
    keep_days: int,
    now: datetime,
) -> Manifest:
    """Write a backup of a tenant of the store at `path` into a new folder and return its manifest.

    The store may go on being written to meanwhile: only where its journal ended is taken under the lock. Nothing stands
    in the folder before everything does.
    """
    place = outside(place, path, "a backup")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InvalidError(f"there is something at {place}; name a folder that is not there yet")
    keys = {"K_fp": encoded(store.keys.fingerprint), "K_sign": encoded(store.keys.signing)}
    wrapped = wrap(passphrase, json.dumps(keys).encode("ascii"), _PURPOSE)
    with store.lock:
        store.check_open()
        head = store.journal.head
        identifier = store.new_id()
    fresh = place.with_name(f"{place.name}.making")
    with storing("the backup"):
        shutil.rmtree(fresh, ignore_errors=True)  # what a crash left: it holds no key
        _copied(store, path, fresh, head)
        signer = Signer(store.tenant, store.keys.signing)
        files = {name: stamp for name, stamp in _stamps(fresh)}
        manifest = Manifest(
            id=identifier,
            tenant=store.tenant,
            records=head.seq,
            root=head.root.hex(),
            journal=head.size,
            size=sum(stamp.size for stamp in files.values()),
            made_at=now,
            keep_days=keep_days,
            keep_until=now + timedelta(days=keep_days),
            files=files,
            key=signer.key,
            checkpoint=signer.checkpoint(head.seq, head.root),
            wrapped=wrapped,
        )
        manifest = manifest.model_copy(update={"seal": sealed(signer, BACKUP, manifest)})
        write_file(fresh / MANIFEST, manifest.model_dump_json(indent=1).encode("utf-8"), mode=0o600)
        store.reach("backup.written")
        if store.access is Opened.WRITE:
            # Noted before it is there: an erasure should rather name one backup too many.
            with store.lock:
                copies = read_copies(store.folder).with_backup(kept_backup(place, manifest), now)
                write_copies(store.folder, copies)
        store.reach("backup.noted")
        os.replace(fresh, place)
        sync_folder(place.parent)
    store.reach("backup.there")
    return manifest


def kept_backup(place: Path, manifest: Manifest) -> BackupKept:
    """Return how a backup is noted among a tenant's copies."""
    return BackupKept(
        id=manifest.id,
        place=str(place),
        records=manifest.records,
        made_at=manifest.made_at,
        keep_until=manifest.keep_until,
    )


def _copied(store: Store, path: Path, fresh: Path, head: Head) -> None:
    folder = fresh / store.tenant
    (folder / "journal").mkdir(parents=True, mode=0o700)
    fresh.chmod(0o700)
    store.reach("backup.begun")
    copy_journal(store.folder / "journal", folder / "journal", head.size)
    write_file(folder / "head", head_file(head), mode=0o600)
    store.reach("backup.journal_copied")
    for name in ("policy.toml", "store.toml"):
        write_file(fresh / name, (path / name).read_bytes(), mode=0o600)
    # A graph made anew has no rows of the past in it, as the file of one that was written to for long has.
    journal = Journal(folder / "journal", folder / "head", unreached, Opened.READ)
    try:
        with graphing():
            graph, state = graph_of(journal, folder / "lineage.duckdb")
            graph.checkpoint()
            graph.close()
    finally:
        journal.close()
    shutil.rmtree(folder / "spill", ignore_errors=True)
    if (state.seq, state.frontier.root()) != (head.seq, head.root):
        raise IntegrityError(
            "the journal that was copied is not the one that was acknowledged; run `muniment verify`"
        )
    for made in (folder, fresh):
        sync_folder(made)


def _stamps(folder: Path) -> Iterator[tuple[str, FileStamp]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != folder / MANIFEST:
            yield str(path.relative_to(folder)), _stamp(path)


def _stamp(path: Path) -> FileStamp:
    total, size = sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(1024 * 1024):
            total.update(piece)
            size += len(piece)
    return FileStamp(size=size, sha256=total.hexdigest())


# --- reading --------------------------------------------------------------------------------------------------


def read_manifest(path: Path) -> Manifest:
    """Return what a backup says of itself; FormatError where there is none."""
    try:
        manifest = Manifest.model_validate_json((path / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise FormatError(f"there is no backup at {path}; make one with: muniment backup") from None
    except (OSError, ValidationError) as error:
        raise FormatError(
            f"the manifest of the backup at {path} cannot be read: {type(error).__name__}"
        ) from None
    if manifest.format != BACKUP:
        raise FormatError(
            f"the backup at {path} has the format {manifest.format!r}; this version reads {BACKUP!r}"
        )
    return manifest


def list_backups(folder: Path, now: datetime) -> tuple[BackupSeen, ...]:
    """Return the backups at a folder and directly in it, oldest first."""
    if not folder.is_dir():
        raise InvalidError(f"there is no folder {folder} to look for backups in")
    inside = [path for path in sorted(folder.iterdir()) if (path / MANIFEST).is_file()]
    found: list[BackupSeen] = []
    for path in [folder] if (folder / MANIFEST).is_file() else inside:
        try:
            manifest = read_manifest(path)
        except FormatError as error:
            found.append(BackupSeen(place=str(path), fault=str(error)))
            continue
        shown = manifest.model_dump(
            include={"id", "tenant", "records", "size", "made_at", "keep_until"}
        )
        found.append(BackupSeen(place=str(path), past=manifest.keep_until <= now, **shown))
    return tuple(sorted(found, key=lambda one: (one.made_at is None, one.made_at or now)))


def open_backup(path: Path, passphrase: str) -> Backup:
    """Return a backup whose every byte was checked: against its manifest, its seal and its signed checkpoint."""
    manifest = read_manifest(path)
    raw: dict[str, str] = json.loads(unwrap(passphrase, manifest.wrapped, _PURPOSE))
    keys = {name: decoded(key) for name, key in raw.items()}
    signer = Signer(manifest.tenant, keys["K_sign"])
    faults = [
        f"{name} is not the file that was backed up"
        for name, stamp in manifest.files.items()
        if not (path / name).is_file() or _stamp(path / name) != stamp
    ]
    if not bears_seal(signer, BACKUP, manifest) or manifest.key != signer.key:
        faults.append("its manifest bears no seal of this journal")
    if faults:
        raise IntegrityError(f"the backup at {path} was changed", findings=faults)
    folder = path / manifest.tenant
    leaves = tuple(leaf_hash(raw.header) for raw in records_at(folder / "journal"))
    head = next((one for one in head_slots((folder / "head").read_bytes()) if one), None)
    root = Tree(leaves, hashed=True).root(len(leaves))
    note = signer.checkpoint(manifest.records, bytes.fromhex(manifest.root))
    if (
        (len(leaves), root.hex()) != (manifest.records, manifest.root)
        or head != Head(manifest.records, manifest.journal, root)
        or note != manifest.checkpoint
    ):
        raise IntegrityError(
            f"the backup at {path} was changed: its journal is not the one its checkpoint was signed over"
        )
    return Backup(path=path, manifest=manifest, keys=keys, leaves=leaves)


def records_at(folder: Path) -> Iterator[Raw]:
    """Yield the records of a journal that is to be whole; IntegrityError where something else stands."""
    for item in read_journal(folder):
        if isinstance(item, Raw):
            yield item
        elif not isinstance(item, End):
            raise IntegrityError(f"the journal at {folder} is damaged", findings=(item.message,))
