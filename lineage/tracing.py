"""A claim's lineage both ways: what it rests on and what rests on it."""

from collections.abc import Iterator

from muniment.claims import (
    Assertion,
    AssertRecord,
    ClaimRecord,
    EchoSort,
    Integrity,
    Lifecycle,
    SourceRecord,
    Value,
)

from .state import ClaimState, SourceState
from .store import Store
from .views import claim_words, quoted, standing_of


class Node(Value):
    """One thing in a lineage; `depth` counts steps: below zero what it rests on, above what rests on it."""

    id: str
    sort: str
    words: str
    author: str = ""
    made: str
    integrity: Integrity
    standing: str
    depth: int


class Edge(Value):
    """`from_id` rests on, quotes, supersedes, corrects, challenges or is an echo of `to_id`.

    Spans are code points of a source: of what is quoted, or of what says again what was given out.
    """

    from_id: str
    to_id: str
    relation: str
    start: int = 0
    end: int = 0


class Trace(Value):
    """The lineage of a claim or a source, `claim`, both ways, as far as the reader may see it."""

    claim: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    hidden: int = 0


def trace_view(
    store: Store, start: SourceState | ClaimState, *, now: int, readable: frozenset[int]
) -> Trace:
    """Return everything a claim or source rests on and everything that rests on it, nearest first."""
    depths = {start.seq: 0}
    edges: dict[tuple[str, str, str, int], Edge] = {}
    hidden: set[int] = set()
    for direction in (-1, 1):
        queue = [start.seq]
        for seq in queue:
            for other, edge in _steps(store, seq, direction, readable):
                if _scope_of(store, other) not in readable:
                    hidden.add(other)
                    continue
                edges[(edge.from_id, edge.to_id, edge.relation, edge.start)] = edge
                if other not in depths:
                    depths[other] = depths[seq] + direction
                    queue.append(other)
    nodes = tuple(
        _node(store, seq, depth, now)
        for seq, depth in sorted(depths.items(), key=lambda item: (item[1], item[0]))
    )
    return Trace(claim=start.id, nodes=nodes, edges=tuple(edges.values()), hidden=len(hidden))


def _scope_of(store: Store, seq: int) -> int:
    node = store.state.claims.get(seq) or store.state.sources[seq]
    return node.scope


def _steps(
    store: Store, seq: int, direction: int, readable: frozenset[int]
) -> Iterator[tuple[int, Edge]]:
    names, claims = store.state.names, store.state.claims
    if direction < 0:
        if seq in claims:
            yield from _grounds(store, claims[seq])
            for assertion in claims[seq].assertions:
                yield from _echoes(store, seq, assertion, readable)
        else:
            yield from _echoes(store, seq, seq, readable)
        return
    for other in dict.fromkeys(
        store.state.dependants.get(seq, ())
    ):  # the erased rest on nothing any more
        for ground, edge in _grounds(store, claims[other]):
            if ground == seq:
                yield other, edge
    yield from _repeating(store, seq, readable)
    if seq in claims:
        replaced = claims[seq].replaced_by
        for other in (replaced, *claims[seq].challengers):
            known = other and claims[other].lifecycle is not Lifecycle.ERASED
            for relation, target in claims[other].relations if known else ():
                if target == seq:
                    yield (
                        other,
                        Edge(from_id=names[other], to_id=names[seq], relation=relation.value),
                    )


def _repeating(store: Store, seq: int, readable: frozenset[int]) -> Iterator[tuple[int, Edge]]:
    """Yield what says a claim or a source again, as far as it may be read here."""
    state = store.state
    for record in state.echoed.get(seq, ()):
        header = store.header(record)
        saying = state.ids[header.claim] if isinstance(header, AssertRecord) else record
        node = state.claims.get(saying) or state.sources.get(saying)
        if node is not None and node.scope in readable:
            for other, edge in _echoes(store, saying, record, readable):
                if other == seq:
                    yield saying, edge


def _echoes(
    store: Store, node: int, record: int, readable: frozenset[int]
) -> Iterator[tuple[int, Edge]]:
    """Yield what a source, or an assertion of a claim, says again; that of what may not be read here nobody learns."""
    state, header = store.state, store.header(record)
    for echo in header.echo_of if isinstance(header, SourceRecord | Assertion) else ():
        other = state.ids[echo.of]
        known = state.claims.get(other) or state.sources.get(other)
        erased = isinstance(known, ClaimState) and known.lifecycle is Lifecycle.ERASED
        if known is not None and known.scope in readable and other != node and not erased:
            relation = "echo_of" if echo.sort is EchoSort.ECHO else "possible_echo_of"
            edge = Edge(
                from_id=state.names[node],
                to_id=echo.of,
                relation=relation,
                start=echo.start,
                end=echo.end,
            )
            yield other, edge


def _grounds(store: Store, claim: ClaimState) -> Iterator[tuple[int, Edge]]:
    for assertion in claim.assertions:
        header = store.header(assertion)
        if not isinstance(header, ClaimRecord | AssertRecord):
            continue
        spans = {span.source: span for span in header.spans}
        for antecedent in header.antecedents:
            span = spans.get(antecedent)
            edge = Edge(
                from_id=claim.id,
                to_id=antecedent,
                relation="quotes" if span else "derived_from",
                start=span.start if span else 0,
                end=span.end if span else 0,
            )
            yield store.state.ids[antecedent], edge


def _node(store: Store, seq: int, depth: int, now: int) -> Node:
    if seq in store.state.claims:
        claim = store.state.claims[seq]
        return Node(
            id=claim.id,
            sort="claim",
            words=claim_words(store, claim),
            made=claim.kind.value,
            integrity=claim.integrity,
            standing=standing_of(store, claim, now).value,
            depth=depth,
        )
    source = store.state.sources[seq]
    return Node(
        id=source.id,
        sort="source",
        words=quoted(store, seq, 0, 4_000),
        author=store.names.name(source.author) or store.names.name(source.origin),
        made=source.medium.value,
        integrity=source.integrity,
        standing=_stands(store, seq),
        depth=depth,
    )


def _stands(store: Store, source: int) -> str:
    if source in store.state.revoked:
        return "restricted"
    return "superseded" if source in store.state.replaced else "active"
