"""Giving out and hearing again: what leaves the store is written down, what comes in is held against it."""

from collections.abc import Iterable, Iterator, Sequence

from muniment.claims import (
    EchoRef,
    EchoSort,
    Integrity,
    Kind,
    Medium,
    NotFoundError,
    PartLabel,
    ReceiptRecord,
    Right,
    SourceRecord,
)
from muniment.lineage import (
    MOST,
    Match,
    NewClaim,
    NewPart,
    Opened,
    Store,
    ancestors,
    echo_refs,
    matches,
    origins_behind,
    part_text,
    recalled_grounds,
    undisclosed,
    write_disclosure,
)
from muniment.policy import decide

from .acting import Acting

_LOOKED_AT = 100_000  # code points of a source kept by another that are held against what was given out once more


def given_out(acting: Acting, verb: str, nodes: Iterable[int]) -> None:
    """Write down which claims and sources are given out here for the first time; a recall's receipt says it itself.

    Also while memory is paused, or what left would not be known again; a session off the record leaves nothing.
    """
    store = acting.store
    if store.access is Opened.READ or not acting.identified or acting.off_the_record:
        return
    with store.lock:
        new = undisclosed(store, nodes)
        if new:
            acting.must_write(Right.MANAGE)
            scope = store.state.scope_numbers.get(store.names.key_of(acting.claims_scope()), 0)
            with store.group():  # looking registers nobody who is not known yet
                writer = acting.known_writer()
                write_disclosure(store, decide("DISCLOSED"), writer, verb, scope, new)


def read_out(acting: Acting, ids: Iterable[str]) -> None:
    """Write down what an agent looked at: into its context it went, a person just saw it."""
    if acting.scope.agent:
        given_out(acting, "read", (acting.store.state.ids[one] for one in ids))


def echoes_of_source(
    acting: Acting, parts: Sequence[NewPart], origin: int, speaker: int
) -> tuple[EchoRef, ...]:
    """Return what the parts of a source say again of what was given out where this session may read.

    `origin` is the number of the whole source's origin, `speaker` that of the person who speaks, 0 for none.
    """
    found: list[EchoRef] = []
    place = 0
    for part in parts:
        own = part.label is PartLabel.OWN and part.integrity >= Integrity.USER
        if not (part.label is PartLabel.FIELD and part.integrity is Integrity.TOOL):
            labels = {("origin", part.origin or origin), ("person", speaker if own else 0)}
            found += _of_part(acting, part, place, own=own, labels=labels)
        place += len(part.text)
    return tuple(found)


def _of_part(
    acting: Acting, part: NewPart, place: int, *, own: bool, labels: set[tuple[str, int]]
) -> Iterator[EchoRef]:
    store, readable, whole = acting.store, acting.readable(), ((0, len(part.text)),)
    matched = matches(store, readable, part.text)
    if own:  # a person who says something else than she was told says it herself
        matched = [match for match in matched if match.share >= 1]
    matched = [
        match
        for match in matched
        if match.sort is EchoSort.ECHO
        or labels.isdisjoint(origins_behind(store, match.node, readable))
    ]
    if len(matched) > MOST:
        matched = [Match(matched[0].node, 0, whole)]  # too much to tell what is new
    if part.receipt:
        given = receipt_claims(acting, part.receipt)
        matched = matched or [Match(node, 1, whole) for node in given]
    yield from echo_refs(store, matched, place)


def receipt_claims(acting: Acting, receipt: str) -> list[int]:
    """Return the claims that a recall gave, as far as they may be read here; NotFoundError for no receipt."""
    store, readable = acting.store, acting.readable()
    seq = store.state.ids.get(receipt, 0)
    header = store.header(seq) if seq else None
    if not isinstance(header, ReceiptRecord) or store.state.number(header.scope) not in readable:
        raise NotFoundError(f"there is no receipt {receipt!r} here; give that of the recall")
    claims = [store.state.claims[store.state.ids[claim]] for claim in header.claims]
    return [claim.seq for claim in claims if claim.scope in readable]


def echoes_of_claim(acting: Acting, claim: NewClaim) -> tuple[EchoRef, ...]:
    """Return what a claim says again beyond what it names as its grounds.

    Its words are its source's where they stand there; that source was held against what was given out when it came in,
    by what its writer may read, and is once more by what the claim's writer may, unless a person said it herself.
    """
    if claim.kind in (Kind.STATED, Kind.OBSERVED):
        return ()
    store, readable = acting.store, acting.readable()
    grounds = [store.state.ids[ground] for ground in (*claim.antecedents, *claim.leans_on)]
    below = ancestors(store.state, grounds)
    found: dict[int, Match] = {}
    if claim.spans:
        for span in claim.spans:
            for match in _of_span(
                store, readable, store.state.ids[span.source], span.start, span.end
            ):
                found.setdefault(match.node, match)
    else:
        behind: set[tuple[str, int]] = set()
        for ground in grounds:
            behind |= origins_behind(store, ground, readable)
        for match in matches(store, readable, claim.gist or claim.quote):
            echo = match.sort is EchoSort.ECHO
            if echo or behind.isdisjoint(origins_behind(store, match.node, readable)):
                found[match.node] = match
        for source in grounds:
            if source in store.state.sources and _came_by_another(acting, source):
                for match in _of_span(store, readable, source, 0, _LOOKED_AT):
                    found.setdefault(match.node, match)
    kept = [match for match in found.values() if match.node not in below]
    return tuple(
        EchoRef(of=store.state.names[match.node], sort=match.sort) for match in kept[:MOST]
    )


def leaning(acting: Acting, claim: NewClaim) -> NewClaim:
    """Return a claim that rests, besides its grounds, on what was recalled into the parts of them that it uses."""
    store, readable = acting.store, acting.readable()
    numbers = (store.state.ids[name] for name in claim.antecedents)
    recalled = [
        name
        for source in numbers
        if source in store.state.sources
        for name in recalled_grounds(store, source, claim.spans, readable)
    ]
    return claim.model_copy(update={"leans_on": tuple(dict.fromkeys(recalled))})


def _came_by_another(acting: Acting, source: int) -> bool:
    """Return whether somebody kept a source who may have read less than this session may."""
    names, header = acting.store.names, acting.store.header(source)
    persons = {acting.store.state.number(name) for name in (header.by, header.behalf)}
    scope = acting.store.state.scope_numbers.get(names.key_of(acting.sources_scope()), 0)
    same = acting.asker().person in persons or not acting.scope.person
    return not same or acting.store.state.sources[source].scope != scope


def _of_span(
    store: Store, readable: frozenset[int], source: int, start: int, end: int
) -> list[Match]:
    known = store.state.sources[source]
    if known.medium is Medium.MESSAGE and store.state.entity_types.get(known.author) == "person":
        return []
    header, words = store.header(source), part_text(store, source)[start:end]
    echoes = header.echo_of if isinstance(header, SourceRecord) else ()
    marked = {echo.of for echo in echoes}
    found = matches(store, readable, words, before=source)
    return [
        match
        for match in found
        if match.sort is EchoSort.ECHO and store.state.names[match.node] not in marked
    ]
