"""Whole tenants: which there are, and destroying one with everything that is its own.

The folder is renamed first, so that nobody opens it; then it is written down outside that it was destroyed, while its
signing key is still there to sign that; then its keys go, then the rest. A crash at any point is made good later.
"""

import os
import shutil
from base64 import b64encode
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from muniment.claims import (
    BusyError,
    ClaimRecord,
    HoldRecord,
    IntegrityError,
    NotFoundError,
    RefusedError,
    SourceRecord,
    Value,
    Verdict,
    header_from,
)
from muniment.policy import judge_erasure

from .checkpoint import Signer
from .copies import BackupKept, read_copies
from .files import (
    Opened,
    Reach,
    checked_tenant,
    lock,
    read_store_key,
    storing,
    sync_folder,
    unreached,
    write_file,
)
from .journal import Raw
from .keys import SLOT, KeyRing, shred
from .merkle import Frontier
from .mirrors import is_mirror_of, shred_folder
from .reading import read_journal

STATEMENT = "muniment-erased/1"
_GOING, _TOLD = ".erasing", ".erased"


class TenantErasure(Value):
    """What destroying a tenant took, or with `dry_run` would take.

    `statement` is the file outside that says so, `mirrors` those whose keys went too, `mirrors_left` those that could
    not be reached, `backups` what was told to be kept: sealed bytes that no key of this store opens. What is `held`,
    by a legal hold, keeps all from going.
    """

    tenant: str
    dry_run: bool = False
    records: int = 0
    sources: int = 0
    claims: int = 0
    keys: int = 0
    size: int = 0
    root: str = ""
    statement: str = ""
    mirrors: tuple[str, ...] = ()
    mirrors_left: tuple[str, ...] = ()
    backups: tuple[BackupKept, ...] = ()
    held: tuple[str, ...] = ()


def tenants(path: Path) -> tuple[str, ...]:
    """Return the tenants of a store by name."""
    found = (item.name for item in path.iterdir() if (item / "journal").is_dir())
    return tuple(sorted(name for name in found if "." not in name))


def must_have_tenant(path: Path, tenant: str) -> None:
    """Raise NotFoundError, naming the tenants there are, where a store has none of this name."""
    if not (path / checked_tenant(tenant)).is_dir():
        there = ", ".join(tenants(path)) or "none yet"
        raise NotFoundError(
            f"there is no tenant {tenant!r} at {path}; there are: {there}. "
            f"Make one with: muniment init --tenant {tenant}"
        )


def erase_tenant(
    path: Path, tenant: str, *, now: datetime, dry_run: bool = False, reach: Reach = unreached
) -> TenantErasure:
    """Destroy everything of a tenant, its keys first, or with `dry_run` only say what that is.

    A second call after a crash finishes the first. BusyError where the tenant is open, RefusedError where anything of
    it is on legal hold.
    """
    folder, going = path / checked_tenant(tenant), path / f"{tenant}{_GOING}"
    if going.is_dir() and not dry_run:
        done = _destroyed(path, tenant, now, reach)
        if not folder.is_dir():
            return done
    must_have_tenant(path, tenant)
    if dry_run:
        return _counted(path, tenant, folder).model_copy(update={"dry_run": True})
    held = lock(folder)
    try:
        decision = judge_erasure(
            alone=True, own_scope=True, held=_counted(path, tenant, folder).held
        )
        if decision.verdict is Verdict.REFUSE:
            raise RefusedError(decision)
        with storing("the tenant's folder"):
            reach("tenant.before_rename")
            os.rename(folder, going)
            sync_folder(path)
            reach("tenant.renamed")
    finally:
        os.close(held)
    return _destroyed(path, tenant, now, reach)


def finish_erasures(path: Path, now: datetime) -> None:
    """Finish what a crash left of destroying tenants; one that another process is busy with is left to it."""
    for going in sorted(path.glob(f"*{_GOING}")) if path.is_dir() else ():
        with suppress(BusyError):
            _destroyed(path, going.name.removesuffix(_GOING), now, unreached)


def _destroyed(path: Path, tenant: str, now: datetime, reach: Reach) -> TenantErasure:
    folder = path / f"{tenant}{_GOING}"
    held = lock(folder)
    try:
        found = _counted(path, tenant, folder)
        with storing("the erasure of the tenant"):
            if (folder / "keys" / "tenant.keys").exists():
                told = _told(path, tenant, folder, found, now)
            else:  # it was told before the keys went
                told = max(path.glob(f"{tenant}.*{_TOLD}"), key=_made, default=path)
            found = found.model_copy(update={"statement": str(told)})
            reach("tenant.told")
            copies, key = read_copies(folder), read_store_key(path)
            gone = [one for one in copies.mirrors if is_mirror_of(Path(one), tenant, key)]
            for file in sorted((folder / "keys").glob("payload-*.keys")):
                shred(file)
                reach("tenant.half_destroyed")
            for place in gone:
                shred_folder(Path(place) / tenant)
            # The signing key last: as long as it is there, the statement is written again.
            for file in (folder / "keys").glob("*.keys"):
                shred(file)
            reach("tenant.destroyed")
            shutil.rmtree(folder)
            sync_folder(path)
    finally:
        os.close(held)
    left = tuple(place for place in copies.mirrors if place not in gone)
    return found.model_copy(update={"mirrors": tuple(gone), "mirrors_left": left})


def _counted(path: Path, tenant: str, folder: Path) -> TenantErasure:
    """Return what a tenant consists of, as far as its files can be read."""
    edge, sources, claims, holds = Frontier(), 0, 0, dict[str, str]()
    for item in read_journal(folder / "journal"):
        if isinstance(item, Raw):
            edge.append(item.header)
            with suppress(ValueError):
                header = header_from(item.header)
                sources += isinstance(header, SourceRecord)
                claims += isinstance(header, ClaimRecord)
                if isinstance(header, HoldRecord):
                    holds.pop(header.releases, "")
                    holds |= {} if header.releases else {header.id: header.target}
    copies, key = read_copies(folder), read_store_key(path)
    there = [one for one in copies.mirrors if is_mirror_of(Path(one), tenant, key)]
    files = [item for item in folder.rglob("*") if item.is_file()]
    return TenantErasure(
        tenant=tenant,
        records=edge.size,
        sources=sources,
        claims=claims,
        keys=sum(_alive(key) for key in folder.glob("keys/payload-*.keys")),
        size=sum(item.stat().st_size for item in files),
        root=edge.root().hex(),
        mirrors=tuple(there),
        mirrors_left=tuple(one for one in copies.mirrors if one not in there),
        backups=copies.backups,
        held=tuple(dict.fromkeys(holds.values())),
    )


def _made(path: Path) -> int:
    return path.stat().st_mtime_ns


def _alive(path: Path) -> int:
    raw = path.read_bytes()
    return sum(any(raw[at : at + SLOT]) for at in range(0, len(raw), SLOT))


def _told(path: Path, tenant: str, folder: Path, found: TenantErasure, now: datetime) -> Path:
    """Write down outside, signed where the key for that can be read, that the tenant was destroyed."""
    place = path / f"{tenant}.{found.root[:16]}{_TOLD}"
    root = b64encode(bytes.fromhex(found.root)).decode("ascii")
    lines = (STATEMENT, tenant, str(found.records), root, now.isoformat())
    text = "".join(f"{line}\n" for line in lines)
    try:
        ring = KeyRing(folder / "keys", read_store_key(path), tenant, unreached, Opened.READ)
        ring.close()
        signer = Signer(tenant, ring.signing)
        text = signer.note(f"{text}{signer.key}\n")
    except (IntegrityError, ValueError):
        text += "unsigned: the signing key could not be read\n"
    if not place.exists():
        write_file(place, text.encode("utf-8"))
    return place
