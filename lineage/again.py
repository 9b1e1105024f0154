"""What says again what was erased: sources that repeat it, other versions of a source, and what a recall put in."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from muniment.claims import EchoRef, EchoSort, PartLabel, SourceRecord, SpanRef

from .state import State
from .store import Store


class RecalledPart(NamedTuple):
    """A part of a source that holds what a recall gave: `seal` is the place of its payload."""

    source: int
    seal: int
    slot: int
    start: int
    end: int


Stretches = Sequence[tuple[int, int]]


def recalled_parts(store: Store, node: int) -> Iterator[tuple[RecalledPart, Stretches]]:
    """Yield the parts of standing sources that a recall put there and that repeat a claim or a source, and where."""
    name = store.state.names[node]
    for seq in store.state.echoed.get(node, ()):
        if seq in store.state.sources:
            for part, echoes in _parts(store, seq):
                where = [(echo.start, echo.end) for echo in echoes if echo.of == name]
                if where and part.slot not in store.state.destroyed:
                    yield part, where


def recalled_grounds(
    store: Store, source: int, spans: Sequence[SpanRef], readable: Collection[int]
) -> Iterator[str]:
    """Yield what was recalled into the words of a source that are used, and stands in scopes that may be read."""
    state = store.state
    for part, echoes in _parts(store, source):
        for echo in echoes if part.slot not in state.destroyed else ():
            node = state.ids[echo.of]
            known = state.claims.get(node) or state.sources.get(node)
            if known is not None and known.scope in readable:
                if uses(((echo.start, echo.end),), spans, state.names[source]):
                    yield echo.of


def uses(stretches: Stretches, spans: Iterable[SpanRef], source: str) -> bool:
    """Return whether whoever quoted these spans had words of a source: any of it where none is quoted from there."""
    quoted = [span for span in spans if span.source == source]
    return not quoted or any(
        span.start < end and start < span.end for span in quoted for start, end in stretches
    )


def _parts(store: Store, source: int) -> Iterator[tuple[RecalledPart, list[EchoRef]]]:
    """Yield the recalled parts of a source and what each of them repeats."""
    header = store.header(source)
    assert isinstance(header, SourceRecord)
    for part in header.parts:
        if part.label is PartLabel.RECALLED:
            repeated = [
                echo
                for echo in header.echo_of
                if echo.sort is EchoSort.ECHO and echo.start < part.end and part.start < echo.end
            ]
            slot = header.seals[part.seal].slot
            yield RecalledPart(source, part.seal, slot, part.start, part.end), repeated


def said_again(store: Store, nodes: Collection[int], going: Collection[int] = ()) -> Iterator[int]:
    """Yield the sources that repeat one of these sources and claims or are other versions of one, and stand.

    Only those of the same person or of nobody's: of another's nobody learns. What is in a recalled part alone, whose
    key is destroyed or among those `going`, is not said again.
    """
    state, gone = store.state, frozenset(nodes)
    older = {new: old for old, news in state.replaced.items() for new in news}
    for node in nodes:
        known = state.claims.get(node) or state.sources.get(node) or state.erased_sources[node]
        whose = (0, state.scopes[known.scope][1])
        versions = _versions(state, older, node) if older else ()
        for seq in dict.fromkeys((*state.echoed.get(node, ()), *versions)):
            source = state.sources.get(seq)
            if source and seq not in gone and state.scopes[source.scope][1] in whose:
                if seq in versions or not _only_recalled(store, seq, node, going):
                    yield seq


def _only_recalled(store: Store, source: int, node: int, going: Collection[int]) -> bool:
    """Return whether a source repeats something only in recalled parts that are destroyed or will be."""
    header, name = store.header(source), store.state.names[node]
    assert isinstance(header, SourceRecord)
    blank = [
        part
        for part, _ in _parts(store, source)
        if part.slot in going or part.slot in store.state.destroyed
    ]
    return all(
        any(part.start <= echo.start and echo.end <= part.end for part in blank)
        for echo in header.echo_of
        if echo.of == name
    )


def _versions(state: State, older: Mapping[int, int], source: int) -> list[int]:
    """Return every version of a source, oldest first."""
    while source in older:
        source = older[source]
    found = [source]
    for seq in found:
        found += state.replaced.get(seq, ())
    return found
