"""Restoring a backup: the store made anew with its keys, and what was erased and revoked since done again.

The store is made beside its place and moves there at once, so that half of one never stands there.
"""

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from muniment.claims import (
    SCOPE_FIELDS,
    Access,
    AccessRecord,
    BusyError,
    CorpusRecord,
    Decision,
    EraseRecord,
    Header,
    HoldRecord,
    IntegrityError,
    InvalidError,
    Lifecycle,
    MuteRecord,
    Muting,
    RestoreRecord,
    ScopeRecord,
    SlotRun,
    Tombstone,
    Vouching,
    Witness,
    header_from,
)

from .backups import Backup, records_at
from .files import (
    Opened,
    Reach,
    read_store_key,
    storing,
    sync_folder,
    tenant_folder,
    unreached,
    write_file,
)
from .keys import KeyRing, carry_over, move_in
from .mirrors import is_mirror, mirror_ring, open_mirror, shred_folder
from .state import ScopeKey, take_away
from .store import Store, slot_runs
from .witnesses import RESTRAINTS, Compared, Known, Restraining
from .writing import HOST, set_stamp, stamp, write_access

_MADE_ANEW = {"v", "op", "seq", "at", "nudged", "by", "behalf", "key", "seals", "mac"}


def slots_of(backup: Backup) -> tuple[int, frozenset[int]]:
    """Return how many key slots a backup's records use, and which of them were destroyed before it was made."""
    slots, gone = 0, set[int]()
    for raw in records_at(backup.path / backup.manifest.tenant / "journal"):
        header = header_from(raw.header)
        slots = max(slots, *(seal.slot + 1 for seal in header.seals), 0)
        if isinstance(header, EraseRecord):
            for run in header.slots:
                gone.update(range(run.first, run.first + run.count))
    return slots, frozenset(gone)


# --- the keys -------------------------------------------------------------------------------------------------


def key_source(
    backup: Backup, place: Path, passphrase: str, known: Sequence[Known]
) -> tuple[KeyRing, int]:
    """Return the payload keys at a place, a mirror or a store, opened for reading, and how many of them count."""
    tenant = backup.manifest.tenant
    place = place.expanduser().resolve()
    if is_mirror(place, tenant):
        ring = mirror_ring(open_mirror(place, tenant, backup.signer), passphrase)
    elif (place / "store.toml").is_file():
        ring = KeyRing(
            place / tenant / "keys", read_store_key(place), tenant, unreached, Opened.READ
        )
    else:
        raise InvalidError(f"{place} is neither a mirror of this tenant's keys nor a store")
    if ring.fingerprint != backup.keys["K_fp"]:
        ring.close()
        raise IntegrityError(f"DIVERGED: the keys at {place} are those of another store")
    return ring, max(one.slots for one in known if one.place == str(place))


# --- the place ------------------------------------------------------------------------------------------------


class Staging:
    """The store being restored, beside the place where it will stand; it moves there at once, when it is whole."""

    def __init__(self, backup: Backup, dest: Path, reach: Reach) -> None:
        self._backup, self._reach = backup, reach
        self.tenant = backup.manifest.tenant
        self.dest = dest
        self.into = (dest / "store.toml").is_file()
        if self.into and (dest / self.tenant).exists():
            raise InvalidError(
                f"there is a tenant {self.tenant} at {dest}; a backup never overwrites one: name another folder, "
                "or move it aside and name it with --newest"
            )
        if not self.into and dest.exists() and (not dest.is_dir() or any(dest.iterdir())):
            raise InvalidError(f"there is something at {dest}; name a folder that is not there yet")
        self.path = dest.with_name(f"{dest.name}.restoring")
        self.folder = self.path / self.tenant
        self.store_key = read_store_key(dest) if self.into else secrets.token_bytes(32)
        self._hold = -1

    def fill(self, slots: int, gone: frozenset[int], source: KeyRing | None, known: int) -> int:
        """Write the journal, the graph and the keys and return how many keys are missing.

        Of `gone` no key is written at all; of the source the first `known` count.
        """
        with storing("the restored store"):
            if self.path.exists():  # what a crash left
                self._take()
                shred_folder(self.path)
                self.close()
            self.path.mkdir(mode=0o700)
            self._take()
            tenant_folder(self.path, self.tenant)
            self._reach("restore.begun")
            for name in self._backup.manifest.files:
                if name.startswith(f"{self.tenant}/"):
                    to = self.path / name
                    to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                    shutil.copyfile(self._backup.path / name, to)
                    to.chmod(0o600)
                    _sync(to)
            self._reach("restore.copied")
            key = self.store_key.hex().encode("ascii")
            write_file(self.path / "store.key", key, mode=0o600)
            keys = self.folder / "keys"
            move_in(keys, self.store_key, self.tenant, self._backup.keys)
            missing = carry_over(keys, self.store_key, self.tenant, slots, gone, source, known)
            self._reach("restore.keys_written")
        return missing

    def _take(self) -> None:
        self._hold = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BusyError(f"{self.dest} is being restored by another process") from None

    def close(self) -> None:
        """Let go of the place."""
        if self._hold >= 0:
            os.close(self._hold)
            self._hold = -1

    def settle(self) -> None:
        """Move the restored store to its place, at once."""
        with storing("the restored store"):
            if not self.into:
                for name in ("policy.toml", "store.toml"):
                    write_file(self.path / name, (self._backup.path / name).read_bytes())
            for folder in (self.folder / "journal", self.folder / "keys", self.folder, self.path):
                sync_folder(folder)
            self._reach("restore.before_rename")
            if self.into:
                os.rename(self.folder, self.dest / self.tenant)
                sync_folder(self.dest)
                self._reach("restore.renamed")
                shred_folder(self.path)
            else:
                os.replace(self.path, self.dest)
                self._reach("restore.renamed")
            sync_folder(self.dest.parent)


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


# --- doing it again -------------------------------------------------------------------------------------------


class Replayed(NamedTuple):
    """What was done again: erasures by their tombstones, and how often access was revoked or given back."""

    erasures: tuple[str, ...]
    accesses: int


def later(known: Known | None, count: int) -> list[Header]:
    """Return the headers after the backup's records that a restore does again."""
    headers = known.headers if known else ()
    return [one for one in headers if one.seq > count]


def gone_slots(headers: Iterable[Header], slots: int) -> frozenset[int]:
    """Return the key slots of the backup that were destroyed after it was made."""
    return frozenset(
        slot
        for header in headers
        if isinstance(header, EraseRecord)
        for run in header.slots
        for slot in range(run.first, min(run.first + run.count, slots))
    )


def do_again(
    store: Store,
    headers: Sequence[Header],
    replayed: Decision,
    restored: Decision,
    compared: Compared,
) -> Replayed:
    """Write into the restored store, as one group, what was done after the backup, and that it was restored."""
    slots, count = store.state.next_slot, store.state.seq
    root = store.state.frontier.root()
    scopes = {one.id: one for one in headers if isinstance(one, ScopeRecord)}
    erasures: list[str] = []
    accesses: dict[str, Access] = {}
    done = 0
    with store.group():
        for header in headers:
            if isinstance(header, EraseRecord):
                _erase_again(store, header, replayed, scopes, slots)
                erasures.append(header.id)
            elif isinstance(header, AccessRecord):
                accesses[header.source] = header.access
        for name, access in accesses.items():
            seq = store.state.ids.get(name, 0)
            if seq in store.state.sources and (access is Access.REVOKED) != (
                seq in store.state.revoked
            ):
                write_access(store, replayed, HOST, seq, access)
                done += 1
        _hold_again(store, [one for one in headers if isinstance(one, HoldRecord)], replayed)
        for header in headers:
            if isinstance(header, RESTRAINTS):
                _restrain_again(store, header, replayed, scopes)
        _vouch_no_more(store, [one for one in headers if isinstance(one, CorpusRecord)], replayed)
        newest = compared.newest
        store.add(
            RestoreRecord,
            records=count,
            root=root.hex(),
            newest=newest.size if newest else 0,
            newest_root=newest.root.hex() if newest else "",
            witness=newest.witness if newest else Witness.NOTHING,
            erasures=len(erasures),
            accesses=done,
            decision=stamp(store, restored),
        )
    return Replayed(tuple(erasures), done)


def _vouch_no_more(store: Store, headers: Sequence[CorpusRecord], decision: Decision) -> None:
    """Revoke what was revoked or renewed since: what an operator vouched for last is lost, and no older files count."""
    for corpus in dict.fromkeys(header.corpus for header in headers):
        if store.state.ids.get(corpus, 0) in store.state.corpora:
            store.add(
                CorpusRecord,
                corpus=corpus,
                vouching=Vouching.REVOKED,
                decision=stamp(store, decision),
            )


def _hold_again(store: Store, headers: Sequence[HoldRecord], decision: Decision) -> None:
    """Put on legal hold again, under its identifier, what was held at the end, and let go of what was released."""
    released = {one.releases for one in headers if one.releases}
    for header in headers:
        known = header.target in store.state.ids
        standing = store.state.ids.get(header.releases, 0) in store.state.holds
        if known and (standing if header.releases else header.id not in released):
            store.add(
                HoldRecord,
                id=header.id,
                target=header.target,
                releases=header.releases,
                decision=stamp(store, decision),
            )


_NAMED = ("scope", "claim", "theme", "person")
_SAID = ("pausing", "muting", "asking", "account", "sensitivity", "agents")


def _restrain_again(
    store: Store, header: Restraining, decision: Decision, scopes: Mapping[str, ScopeRecord]
) -> None:
    """Pause, mute and ask again, without the reasons; a theme muted since is lost, for its words were sealed."""
    state = store.state
    if isinstance(header, MuteRecord) and not header.claim and header.muting is Muting.MUTED:
        return
    fields: dict[str, Any] = {
        name: getattr(header, name) for name in (*_NAMED, *_SAID) if hasattr(header, name)
    }
    if scope := scopes.get(fields.get("scope", "")):
        if any(there not in state.ids for there in _fields_of(scope).values()):
            return  # of somebody or something that came later, and is lost with it
        fields["scope"] = _scope(store, scope.id, scopes)
    claim = state.claims.get(state.ids.get(fields.get("claim", ""), 0))
    if claim is not None and not claim.assertions:
        return  # erased since
    named = (fields.get(name, "") for name in _NAMED)
    if all(name in state.ids for name in named if name):
        store.add(
            type(header), [], **{**fields, "id": header.id, "decision": stamp(store, decision)}
        )


def _fields_of(scope: ScopeRecord) -> dict[str, str]:
    return {name: there for name in SCOPE_FIELDS if (there := str(getattr(scope, name)))}


def _erase_again(
    store: Store,
    header: EraseRecord,
    decision: Decision,
    scopes: Mapping[str, ScopeRecord],
    slots: int,
) -> None:
    state = store.state
    sources = [seq for seq in _known(store, header.sources) if seq in state.sources]
    pairs = [
        (state.ids[one.claim], state.ids[one.rendering])
        for one in header.renderings
        if one.claim in state.ids and one.rendering in state.ids
    ]
    gone = {at for _, at in pairs}
    left = {seq for seq, _ in pairs if set(state.claims[seq].assertions) <= gone}
    claims = {seq for seq in _known(store, header.claims) if state.claims[seq].assertions} | left
    pairs = [
        (seq, at) for seq, at in pairs if seq not in claims and at in state.claims[seq].assertions
    ]
    destroyed = {slot for slot in gone_slots([header], slots) if slot not in state.destroyed}
    effect = take_away(state, sources, claims, pairs)
    names = state.names
    fields = EraseRecord.model_fields.keys() - _MADE_ANEW
    kept: dict[str, Any] = {name: getattr(header, name) for name in fields}
    known: dict[str, Any] = {
        "targets": tuple(name for name in header.targets if name in state.ids),
        "scope": header.scope if header.scope in state.ids else "",
        "sources": tuple(names[seq] for seq in sources),
        "claims": tuple(names[seq] for seq in sorted(claims)),
        "renderings": tuple(
            one
            for one in header.renderings
            if (state.ids.get(one.claim, 0), state.ids.get(one.rendering, 0)) in pairs
        ),
        "names": tuple(name for name in header.names if name in state.ids),
        "slots": tuple(SlotRun(first=first, count=count) for first, count in slot_runs(destroyed)),
        "tombstones": tuple(
            Tombstone(sort=one.sort, digest=one.digest, scope=_scope(store, one.scope, scopes))
            for one in header.tombstones
        ),
        "lost": set_stamp(store, effect.lost),
        "rescued": set_stamp(store, effect.rescued),
        "decision": stamp(store, decision),
    }
    store.add(EraseRecord, **{**kept, **known})


def _known(store: Store, names: Iterable[str]) -> list[int]:
    return [store.state.ids[name] for name in names if name in store.state.ids]


def _scope(store: Store, name: str, scopes: Mapping[str, ScopeRecord]) -> str:
    """Return the scope that a tombstone holds in; of one that came later, with every field that is not known as any.

    That keeps out more, never less: whose it was is in the digest.
    """
    state = store.state
    if name in state.ids:
        return name
    later = scopes[name]
    fields: dict[str, Any] = {
        field: there
        for field in SCOPE_FIELDS
        if (there := str(getattr(later, field))) and there in state.ids
    }
    numbers = [state.ids.get(fields.get(field, ""), 0) for field in SCOPE_FIELDS]
    key: ScopeKey = (
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
    )  # fmt: skip
    found = state.scope_numbers.get(key, 0)
    return state.names[found] if found else store.add(ScopeRecord, **fields).id


def still_there(store: Store, headers: Iterable[Header]) -> list[str]:
    """Return what was erased after the backup and is in the restored store all the same; nothing when all is well."""
    state = store.state
    found = [
        f"the key in slot {slot} is alive"
        for slot in sorted(gone_slots(headers, state.next_slot))
        if store.keys.is_alive(slot)
    ]
    for header in headers:
        if isinstance(header, EraseRecord):
            found += [
                f"source {name} stands"
                for name in header.sources
                if state.ids.get(name) in state.sources
            ]
            found += [
                f"claim {name} stands"
                for name in header.claims
                if name in state.ids
                and state.claims[state.ids[name]].lifecycle is not Lifecycle.ERASED
            ]
    return found
