"""The always-on block in the journal: each line sealed under a key of its own, each write a list of lines.

A line that stays is named again and not sealed again, so destroying its one key takes it out of every write.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from muniment.claims import (
    Block,
    BlockChange,
    BlockLine,
    BlockLineRef,
    BlockRecord,
    BlockVerb,
    Decision,
    EraseRecord,
    ErasureSort,
    Header,
    Integrity,
    Standing,
    Value,
    from_micros,
)

from .access import is_restricted
from .store import Sealable, Store
from .tombstones import Passage
from .views import decision_of, standing_of
from .writing import Writer, must_be_open, stamp

_CUT = 80  # code points of a changed line in the history
_STANDS = (Standing.ACTIVE, Standing.CONTESTED)


class NewLine(Value):
    """A line to be written; `source` and `claim` name what it was taken from, or `grounds` what its writer named.

    `author` is the number of who wrote it, 0 for whoever writes the block.
    """

    text: str
    integrity: Integrity
    author: int = 0
    source: str = ""
    claim: str = ""
    grounds: tuple[str, ...] = ()


class KeptLine(NamedTuple):
    """A line as some write of the block has it, with its words."""

    ref: BlockLineRef
    text: str


def write_block(
    store: Store,
    decision: Decision,
    writer: Writer,
    *,
    scope: int,
    verb: BlockVerb,
    lines: Sequence[BlockLineRef | NewLine],
    held: bool = False,
    settles: str = "",
    passage: Passage,
    identifier: str = "",
) -> Header:
    """Add a write of a person's block to the open group and return its header; new lines are sealed."""
    must_be_open(passage)
    sealables: list[Sealable] = []
    references: list[BlockLineRef] = []
    for line in lines:
        if isinstance(line, BlockLineRef):
            references.append(line)
            continue
        seal = -1
        if line.text:
            seal = len(sealables)
            sealables.append(Sealable({"text": line.text}))
        references.append(
            BlockLineRef(
                seal=seal,
                integrity=line.integrity,
                author=store.state.names[line.author or writer.by],
                source=line.source,
                claim=line.claim,
                grounds=line.grounds,
            )
        )
    return store.add(
        BlockRecord,
        sealables,
        id=identifier,
        scope=store.state.names[scope],
        verb=verb,
        lines=tuple(references),
        held=held,
        settles=settles,
        anew=passage.anew,
        decision=stamp(store, decision),
        by=store.state.names[writer.by],
        behalf=store.state.names[writer.behalf],
    )


def lines_of(store: Store, block: int) -> tuple[KeptLine, ...]:
    """Return the lines of one write of a block, each named by its own record; those destroyed since are left out."""
    header = store.header(block)
    found: list[KeptLine] = []
    for ref in header.lines if isinstance(header, BlockRecord) else ():
        whole = ref if ref.record or ref.seal < 0 else ref.model_copy(update={"record": header.id})
        if whole.seal < 0:
            found.append(KeptLine(whole, ""))
        elif _slot(store, whole) not in store.state.destroyed:
            words = store.words(store.state.ids[whole.record], whole.seal)
            found.append(KeptLine(whole, words["text"]))
    return tuple(found)


def _slot(store: Store, ref: BlockLineRef) -> int:
    return store.header(store.state.ids[ref.record]).seals[ref.seal].slot


def current_block(store: Store, scope: int) -> int:
    """Return the write that stands of the block in a scope, 0 for none: also where every line of it was destroyed."""
    standing = [one.seq for one in store.state.blocks.get(scope, ()) if not one.held]
    return standing[-1] if standing and _has_words(store, standing[-1]) else 0


def waiting_block(store: Store, scope: int) -> int:
    """Return the write that waits for the person, 0 for none: the last that was held, unless it was settled."""
    writes = store.state.blocks.get(scope, ())
    held = [one.seq for one in writes if one.held]
    settled = {one.settles for one in writes}
    return held[-1] if held and held[-1] not in settled and _has_new(store, held[-1]) else 0


def _has_words(store: Store, block: int) -> bool:
    return any(line.text for line in lines_of(store, block))


def _has_new(store: Store, block: int) -> bool:
    """Return whether what a held write would add is still there: a decline destroys it."""
    own = store.state.names[block]
    return any(line.ref.record == own for line in lines_of(store, block))


def block_view(store: Store, block: int, *, now: int) -> Block:
    """Return a write of a block as it may be shown at the moment `now`; nothing for 0."""
    if not block:
        return Block()
    shown: list[BlockLine] = []
    review: list[BlockLine] = []
    for ref, text in lines_of(store, block):
        standing = _standing(store, ref, now)
        line = BlockLine(
            text=text,
            author=store.names.name(store.state.number(ref.author)),
            integrity=ref.integrity,
            source=ref.source,
            claim=ref.claim,
            grounds=ref.grounds,
            standing=None if standing in _STANDS else standing,
        )
        (shown if standing in _STANDS else review).append(line)
    header = store.header(block)
    return Block(
        id=header.id,
        lines=tuple(shown),
        review=tuple(review),
        written_at=from_micros(header.at),
        written_by=store.names.name(store.state.number(header.by)),
    )


def _standing(store: Store, ref: BlockLineRef, now: int) -> Standing:
    """Return how that stands which a line was taken from: where nothing is named, it does."""
    state = store.state
    if any(is_restricted(state, state.ids[name]) for name in ref.grounds):
        return Standing.RESTRICTED
    if ref.source:
        source = state.ids[ref.source]
        if source not in state.sources:
            return Standing.ERASED
        return Standing.RESTRICTED if source in state.revoked else Standing.ACTIVE
    return (
        standing_of(store, state.claims[state.ids[ref.claim]], now)
        if ref.claim
        else Standing.ACTIVE
    )


def needed_lines(store: Store, scope: int, now: int) -> tuple[KeptLine, ...]:
    """Return the lines of the block in a scope that stand at the moment `now`, and those that wait for the person."""
    writes = (current_block(store, scope), waiting_block(store, scope))
    return tuple(
        line
        for block in writes
        if block
        for line in lines_of(store, block)
        if line.text and _standing(store, line.ref, now) in _STANDS
    )


def block_history(store: Store, scope: int) -> tuple[BlockChange, ...]:
    """Return every change of the block in a scope, oldest first; lines destroyed since are not in it."""
    waits, before = waiting_block(store, scope), tuple[KeptLine, ...]()
    found: list[BlockChange] = []
    for one in store.state.blocks.get(scope, ()):
        header, lines = store.header(one.seq), lines_of(store, one.seq)
        if isinstance(header, BlockRecord):
            dropped, added = differing(before, lines)
            change = _change(store, header, header.verb.value)
            found.append(
                change.model_copy(
                    update={
                        "dropped": tuple(map(_cut, dropped)),
                        "added": tuple(map(_cut, added)),
                        "waits": one.seq == waits,
                    }
                )
            )
        before = before if one.held else lines
    for seq in store.state.erasures:
        header = store.header(seq)
        if isinstance(header, EraseRecord) and header.sort is ErasureSort.BLOCK:
            if store.state.number(header.scope) == scope:
                change = _change(store, header, _clearing(store, header))
                found.append(change.model_copy(update={"cleared": header.lines}))
    return tuple(sorted(found, key=lambda change: store.state.ids[change.id]))


def _clearing(store: Store, header: EraseRecord) -> str:
    """Return whether an erasure cleared the block or declined what waited: of that, one write was destroyed."""
    first = store.header(store.state.ids[header.targets[0]])
    return (
        "decline"
        if isinstance(first, BlockRecord) and first.held and len(header.targets) == 1
        else "clear"
    )


def _change(store: Store, header: BlockRecord | EraseRecord, verb: str) -> BlockChange:
    return BlockChange(
        id=header.id,
        verb=verb,
        by=store.names.name(store.state.number(header.by)),
        decision=decision_of(header.decision),
        recorded_at=from_micros(header.at),
    )


def _cut(line: str) -> str:
    return line if len(line) <= _CUT else f"{line[:_CUT]}…"


def differing(
    before: Sequence[KeptLine], after: Sequence[KeptLine]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lines that only the first, and those that only the second has, in their order."""
    old, new = (
        [line.text for line in before if line.text],
        [line.text for line in after if line.text],
    )
    return _without(old, new), _without(new, old)


def _without(lines: Iterable[str], others: Sequence[str]) -> tuple[str, ...]:
    left = list(others)
    found: list[str] = []
    for line in lines:
        if line in left:
            left.remove(line)
        else:
            found.append(line)
    return tuple(found)


def block_slots(
    store: Store, scope: int, wanted: Callable[[KeptLine], bool] = lambda line: True
) -> Iterator[int]:
    """Yield the key slots of the lines, in every write of the block in a scope, that are wanted."""
    for one in store.state.blocks.get(scope, ()):
        yield from slots_of(store, one.seq, wanted)


def all_lines(store: Store) -> Iterator[tuple[int, KeptLine]]:
    """Yield the scope and every line of every block that has words left, each once, in any write of it."""
    for scope, writes in store.state.blocks.items():
        seen: set[tuple[str, int]] = set()
        for line in (line for one in writes for line in lines_of(store, one.seq)):
            if line.ref.seal >= 0 and (line.ref.record, line.ref.seal) not in seen:
                seen.add((line.ref.record, line.ref.seal))
                yield scope, line


def slots_of(
    store: Store, block: int, wanted: Callable[[KeptLine], bool] = lambda line: True
) -> Iterator[int]:
    """Yield the key slots of the lines of one write that are wanted."""
    for line in lines_of(store, block):
        if line.ref.seal >= 0 and wanted(line):
            yield _slot(store, line.ref)
