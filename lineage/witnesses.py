"""Witnesses of the newest head: a mirror, a store, an anchor, and how a backup stands to what they know."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from muniment.claims import (
    AccessRecord,
    AccountRecord,
    CorpusRecord,
    EraseRecord,
    ForgetRecord,
    Header,
    HoldRecord,
    IntegrityError,
    InvalidError,
    MuteRecord,
    PauseRecord,
    ScopeRecord,
    SensitiveRecord,
    Value,
    Witness,
    header_from,
)

from .backups import Backup, records_at
from .checkpoint import is_signed, read_anchor
from .journal import Head, head_slots
from .merkle import leaf_hash
from .mirrors import is_mirror, open_mirror
from .proofs import Tree, is_consistent

Restraining = PauseRecord | MuteRecord | ForgetRecord | AccountRecord | SensitiveRecord
RESTRAINTS = (PauseRecord, MuteRecord, ForgetRecord, AccountRecord, SensitiveRecord)
REPLAYED = (EraseRecord, AccessRecord, HoldRecord, ScopeRecord, CorpusRecord, *RESTRAINTS)


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
        if isinstance(header, REPLAYED):
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
    if not one.size:
        return True
    if one.size <= own.size:
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
