"""Keeping a store safe: backups, mirrors of the keys, restoring, and what copies still hold after an erasure."""

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from muniment.claims import (
    Clock,
    Decision,
    IdFactory,
    IntegrityError,
    MunimentError,
    RefusedError,
    StorageError,
    Value,
    Verdict,
    Witness,
)
from muniment.lineage import (
    Backup,
    Copies,
    Erasure,
    Manifest,
    Mirrored,
    Opened,
    Reach,
    Soundness,
    Staging,
    Store,
    backups_of,
    compare,
    do_again,
    gone_slots,
    is_behind,
    is_mirror,
    kept_backup,
    key_source,
    later,
    make_backup,
    mirror_keys,
    open_backup,
    outside,
    read_copies,
    read_store_key,
    slots_of,
    still_there,
    verify_store,
    witnesses,
    write_copies,
)
from muniment.policy import decide, judge_restore

_log = logging.getLogger(__name__)
_MOST_SHOWN = 10
NO_MIRROR = (
    "no mirror of the keys is known: losing this disk loses the words, whatever is backed up; "
    "make one elsewhere with: muniment keys mirror DIR"
)


class BackupMade(Value):
    """A backup that was made: where it is, what its manifest says, and what is still missing to be safe."""

    place: str
    manifest: Manifest
    warnings: tuple[str, ...] = ()


class Restoration(Value):
    """What restoring a backup did: from how many records, known to go on to how many, and what was done again.

    `erasures` are the tombstones of what was erased after the backup and is so again; `lost` the number of later
    records that no backup holds; `keys` of the words are here, `keys_missing` are not.
    """

    place: str
    tenant: str
    records: int
    newest: int = 0
    witness: Witness = Witness.NOTHING
    lost: int = 0
    erasures: tuple[str, ...] = ()
    accesses: int = 0
    keys: int = 0
    keys_missing: int = 0
    decision: Decision


def back_up(
    store: Store, path: Path, place: Path, *, passphrase: str, keep_days: int, now: datetime
) -> BackupMade:
    """Write a backup of a store and bring the mirrors of its keys that can be reached up to it."""
    place = outside(place, path, "a backup")
    manifest = make_backup(store, path, place, passphrase=passphrase, keep_days=keep_days, now=now)
    copies = read_copies(store.folder)
    stale = () if store.access is Opened.READ else mirror_again(store, path, copies, now)
    warnings = [
        f"the mirror at {one} could not be brought up to this backup: mirror the keys there again"
        for one in stale
    ]
    if not copies.mirrors:
        warnings.append(NO_MIRROR)
    return BackupMade(place=str(place), manifest=manifest, warnings=tuple(warnings))


def mirror(store: Store, path: Path, place: Path, *, passphrase: str, now: datetime) -> Mirrored:
    """Bring a mirror of a store's keys up to it, made where there is none."""
    place = outside(place, path, "a mirror of the keys")
    return mirror_keys(store, read_store_key(path), place, passphrase=passphrase, now=now)


def mirror_again(store: Store, path: Path, copies: Copies, now: datetime) -> tuple[str, ...]:
    """Bring the mirrors that are known up to the store; return those where that was not possible."""
    stale: list[str] = []
    for place in copies.mirrors:
        try:
            if not is_mirror(Path(place), store.tenant):
                raise StorageError(f"there is no mirror at {place}")
            mirror_keys(store, read_store_key(path), Path(place), passphrase="", now=now)
        except (MunimentError, OSError) as error:
            _log.warning("the mirror of the keys at %s was not brought up: %s", place, error)
            stale.append(place)
    return tuple(stale)


def mirror_erased(store: Store, path: Path, now: datetime) -> None:
    """Bring up the mirrors in reach that have not let go of what was erased, which a crash may have left so."""
    copies = read_copies(store.folder)
    if not copies.mirrors or not store.state.erasures:
        return
    key = read_store_key(path)
    behind = [place for place in copies.mirrors if is_behind(store, key, Path(place))]
    mirror_again(store, path, copies.model_copy(update={"mirrors": tuple(behind)}), now)


def told_of_copies(store: Store, path: Path, erasure: Erasure, now: datetime) -> Erasure:
    """Return an erasure with the copies that still hold something of it; mirrors in reach forget it before."""
    copies = read_copies(store.folder)
    stale = copies.mirrors if erasure.dry_run else mirror_again(store, path, copies, now)
    nodes = (*erasure.sources, *erasure.claims, *(one.claim for one in erasure.survivors))
    first = min(
        (store.state.ids[name] for name in nodes), default=0
    )  # of a block's lines it is not known
    backups = tuple(one for one in copies.backups if erasure.keys and one.records >= first)
    return erasure.model_copy(update={"mirrors": stale, "backups": backups})


def restore(
    backup: Path,
    dest: Path,
    *,
    passphrase: str,
    keys: Path | None,
    keys_passphrase: str,
    newest: Sequence[Path],
    accept_rollback: bool,
    clock: Clock,
    ids: IdFactory,
    reach: Reach,
) -> Restoration:
    """Make a store anew from a backup: proved against the newest head known, with every later erasure done again."""
    opened, dest = open_backup(backup, passphrase), dest.expanduser().resolve()
    with ExitStack() as held:
        known = witnesses(opened, (*([keys] if keys else ()), *newest))
        compared = compare(opened, known)
        detail = f"by {compared.diverged}" if compared.diverged else compared.unknown
        decision = judge_restore(
            diverged=bool(compared.diverged),
            newest=not compared.unknown,
            accepted=accept_rollback,
            detail=detail,
        )
        if decision.verdict is Verdict.REFUSE:
            raise RefusedError(decision)
        secret = keys_passphrase or passphrase
        ring, slots_known = key_source(opened, keys, secret, known) if keys else (None, 0)
        if ring:
            held.callback(ring.close)
        staging = Staging(opened, dest, reach)
        held.callback(staging.close)
        after = later(compared.through, opened.manifest.records)
        slots, destroyed = slots_of(opened)
        gone = destroyed | gone_slots(after, slots)
        missing = staging.fill(slots, gone, ring, slots_known)
        store = Store(
            staging.path,
            staging.store_key,
            staging.tenant,
            clock=clock,
            ids=ids,
            reach=reach,
            gone=gone,
        )
        try:
            reach("restore.opened")
            replayed = do_again(store, after, decide("REPLAYED"), decision, compared)
            store.post()
            left = still_there(store, after)
        finally:
            store.close()
        _check(staging, left)
        write_copies(staging.folder, _copies(opened, keys))
        staging.settle()
    top = compared.newest
    return Restoration(
        place=str(dest),
        tenant=staging.tenant,
        records=opened.manifest.records,
        newest=top.size if top else 0,
        witness=top.witness if top else Witness.NOTHING,
        lost=max((top.size if top else 0) - opened.manifest.records, 0),
        erasures=replayed.erasures,
        accesses=replayed.accesses,
        keys=slots - len(gone) - missing,
        keys_missing=missing,
        decision=decision,
    )


def _check(staging: Staging, left: Sequence[str]) -> None:
    """Raise IntegrityError where the restored store holds what it must not, or its files do not agree."""
    found = verify_store(staging.path, staging.tenant, mode="full")
    wrong = [str(one) for one in found.findings if one.soundness is not Soundness.INCOMPLETE]
    if left or wrong:
        raise IntegrityError(
            "the restored store is not what it should be and was not put in its place",
            findings=[*left, *wrong][:_MOST_SHOWN],
        )


def _copies(backup: Backup, keys: Path | None) -> Copies:
    """Return the copies a restored store knows of: the mirror it has its keys from, the backups that one knows."""
    tenant = backup.manifest.tenant
    own = kept_backup(backup.path.resolve(), backup.manifest)
    if keys is None or not is_mirror(keys, tenant):
        return Copies(backups=(own,))
    others = tuple(one for one in backups_of(keys, tenant) if one.id != own.id)
    backups = tuple(sorted((*others, own), key=lambda one: one.made_at))
    return Copies(mirrors=(str(keys.resolve()),), backups=backups)
