"""Restoring a backup: what is known of the time after it, the store made anew, later erasures done again.

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
    Decision,
    EraseRecord,
    Header,
    IntegrityError,
    InvalidError,
    Lifecycle,
    RestoreRecord,
    ScopeRecord,
    SlotRun,
    Tombstone,
    Value,
    Witness,
    header_from,
)

from .backups import Backup, records_at
from .checkpoint import is_signed, read_anchor
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
from .journal import Head, head_slots
from .keys import KeyRing, carry_over, move_in
from .merkle import leaf_hash
from .mirrors import is_mirror, mirror_ring, open_mirror, shred_folder
from .proofs import Tree, is_consistent
from .state import ScopeKey, take_away
from .store import Store, slot_runs
from .writing import Writer, set_stamp, stamp, write_access

_REPLAYED = (EraseRecord, AccessRecord, ScopeRecord)
_HOST = Writer(by=0)
_MADE_ANEW = {"v", "op", "seq", "at", "nudged", "by", "behalf", "key", "seals", "mac"}


class Known(Value):
    """What one witness knows of the journal: its head, and with `leaves` every header's hash up to it.

    `headers` are those of the erasures, accesses and scopes up to that head, in order; the first `slots` payload keys
    there are those of its records.
    """

    witness: Witness
    place: str
    size: int
    root: bytes
    slots: int = 0
    leaves: tuple[bytes, ...] = ()
    headers: tuple[Header, ...] = ()


class Compared(NamedTuple):
    """How a backup stands to everything that is known: `newest` is the newest head, `through` who knows the way to it.

    `diverged` names a witness of another history; `unknown` says what of the time after the backup is not known.
    """

    newest: Known | None
    through: Known | None
    diverged: str
    unknown: str


# --- witnesses ------------------------------------------------------------------------------------------------


def witnesses(backup: Backup, places: Iterable[Path]) -> list[Known]:
    """Return what is known at each place: a mirror, a store, or a file of checkpoints."""
    found: list[Known] = []
    for place in dict.fromkeys(path.expanduser().resolve() for path in places):
        if is_mirror(place, backup.manifest.tenant):
            found.append(_by_mirror(backup, place))
        elif (place / "store.toml").is_file():
            found.append(_by_store(backup, place))
        elif place.is_file():
            found.extend(_by_anchor(backup, place))
        else:
            raise InvalidError(
                f"{place} knows no head of tenant {backup.manifest.tenant}: it is no mirror, no store and no anchor"
            )
    return found


def _by_mirror(backup: Backup, place: Path) -> Known:
    mirror = open_mirror(place, backup.manifest.tenant, backup.signer)
    return Known(
        witness=Witness.MIRROR,
        place=str(place),
        size=mirror.manifest.records,
        root=bytes.fromhex(mirror.manifest.root),
        slots=mirror.manifest.slots,
        leaves=mirror.leaves,
        headers=mirror.headers,
    )


def _by_store(backup: Backup, place: Path) -> Known:
    folder = place / backup.manifest.tenant
    head_path = folder / "head"
    heads = head_slots(head_path.read_bytes()) if head_path.is_file() else ()
    head = max((one for one in heads if one), key=lambda one: one.seq, default=Head(0, 0, b""))
    leaves: list[bytes] = []
    headers: list[Header] = []
    slots = 0
    for raw in records_at(folder / "journal") if head.seq else ():
        if len(leaves) == head.seq:
            break  # never acknowledged
        leaves.append(leaf_hash(raw.header))
        header = header_from(raw.header)
        slots = max(slots, *(seal.slot + 1 for seal in header.seals), 0)
        if isinstance(header, _REPLAYED):
            headers.append(header)
    if not head.seq or Tree(leaves, hashed=True).root(len(leaves)) != head.root:
        raise IntegrityError(
            f"the store at {place} is no witness: its journal is not what its head acknowledges; see `muniment verify`"
        )
    return Known(
        witness=Witness.STORE,
        place=str(place),
        size=head.seq,
        root=head.root,
        slots=slots,
        leaves=tuple(leaves),
        headers=tuple(headers),
    )


def _by_anchor(backup: Backup, place: Path) -> list[Known]:
    own = [one for one in read_anchor(place) if one.origin == backup.signer.name]
    forged = [one for one in own if not is_signed(one.note, backup.signer.key)]
    if not own or forged:
        raise InvalidError(
            f"the anchor {place} holds no checkpoint of this journal"
            if not own
            else f"the anchor {place} holds a checkpoint over {forged[0].size} records without this journal's signature"
        )
    return [
        Known(witness=Witness.ANCHOR, place=str(place), size=one.size, root=one.root) for one in own
    ]


def compare(backup: Backup, known: Sequence[Known]) -> Compared:
    """Return how a backup stands to what is known, each step proved over the tree of headers."""
    own, count = Tree(backup.leaves, hashed=True), len(backup.leaves)
    whole = [one for one in known if one.leaves]
    trees = [(one, Tree(one.leaves, hashed=True)) for one in whole]
    diverged = next((one for one in known if not _agrees(one, own, trees)), None)
    newest = max(known, key=lambda one: one.size, default=None)
    through = max(
        (one for one in whole if one.size >= count), key=lambda one: one.size, default=None
    )
    unknown = ""
    if newest is None:
        unknown = "no head is known beside the backup's own"
    elif newest.size < count:
        unknown = (
            f"the newest head known, over {newest.size} records by {newest.place}, is older than the backup's over "
            f"{count}"
        )
    elif newest.size > max(count, through.size if through else 0):
        unknown = (
            f"{newest.place} knows {newest.size} records, the backup holds {count}, "
            "and not all between them is known"
        )
    said = f"{diverged.place}, over {diverged.size} records" if diverged else ""
    return Compared(newest, through, said, unknown)


def _agrees(one: Known, own: Tree, trees: list[tuple[Known, Tree]]) -> bool:
    """Return whether a head that is known is one of the backup's history, or goes on from it as far as can be told."""
    if 0 < one.size <= own.size:
        return _extends(own, one.size, one.root)
    for other, tree in trees:
        if other.size >= one.size:
            return _extends(tree, one.size, one.root) and _extends(
                tree, own.size, own.root(own.size)
            )
    return True


def _extends(tree: Tree, size: int, root: bytes) -> bool:
    """Return whether a consistency proof leads from the head of that size and root to the whole tree."""
    path = tree.consistency(size, tree.size)
    return is_consistent(size, tree.size, root, tree.root(tree.size), path)


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
                write_access(store, replayed, _HOST, seq, access)
                done += 1
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
