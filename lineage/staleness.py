"""What is stale and what changed beneath it; what a change did to all that rests on a claim."""

from collections.abc import Iterator

from muniment.claims import SOURCE_LIMIT, Assertion, AssertRecord, Claim, Lifecycle, Standing, Value

from .state import ClaimState, newest_version, passes
from .store import Store
from .views import claim_view, claim_words, quoted, standing_of


class StillThere(Value):
    """Words quoted from an old version of a source that stand in the new one too, in one place only."""

    source: str
    start: int
    end: int
    words: str


class Cause(Value):
    """Something a stale claim rests on that does not carry it any more; `replaced_by` is what stands in its place.

    `still_there` are words of the claim's that an edited source has kept.
    """

    id: str
    words: str = ""
    standing: Standing
    replaced_by: str = ""
    still_there: tuple[StillThere, ...] = ()


class Stale(Value):
    """A claim that waits to be made anew, and what changed beneath it."""

    claim: Claim
    causes: tuple[Cause, ...]


class Survivor(Value):
    """A claim that lost something it rested on and stands by the rest: `by` are sources and claims."""

    claim: str
    by: tuple[str, ...]


class Consequences(Value):
    """What became of the claims that rest on one that changed: identifiers, oldest first.

    `lost`: nothing holds them up any more; `stale`: something does, yet they wait to be made anew; `rescued`: unhurt.
    `repeated` are sources and claims that say again what it said, by themselves as far as is known, and stand.
    """

    lost: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    rescued: tuple[Survivor, ...] = ()
    repeated: tuple[str, ...] = ()


def is_stale(claim: ClaimState) -> bool:
    """Return whether a claim still stands though what it rests on changed."""
    return claim.lifecycle is Lifecycle.ASSERTED and not claim.fresh


def stale_view(store: Store, claim: ClaimState, *, now: int, readable: frozenset[int]) -> Stale:
    """Return a stale claim with the nearest things beneath it that do not carry it any more."""
    state = store.state
    causes: dict[int, Cause] = {}
    seen, waiting = {claim.seq}, [claim]
    for one in waiting:
        for node in dict.fromkeys(node for grounds in one.justifications for node in grounds):
            if node in seen or passes(state, node, "fresh"):
                continue
            seen.add(node)
            below = state.claims.get(node)
            if below is not None and below.lifecycle is Lifecycle.ASSERTED:
                waiting.append(below)
            else:
                causes[node] = _cause(store, one, node, now, readable)
    return Stale(
        claim=claim_view(store, claim, now=now, readable=readable),
        causes=tuple(causes[node] for node in sorted(causes)),
    )


def _cause(
    store: Store, resting: ClaimState, node: int, now: int, readable: frozenset[int]
) -> Cause:
    state = store.state
    claim = state.claims.get(node)
    if claim is None:
        newest = newest_version(state, node)
        if node in state.revoked or newest == node:
            return Cause(id=state.names[node], standing=Standing.RESTRICTED)
        return Cause(
            id=state.names[node],
            standing=Standing.SUPERSEDED,
            replaced_by=state.names[newest],
            still_there=tuple(_still_there(store, resting, node, newest, readable)),
        )
    return Cause(
        id=claim.id,
        words=claim_words(store, claim) if claim.scope in readable else "",
        standing=standing_of(store, claim, now),
        replaced_by=state.names[claim.replaced_by],
    )


def consequences_view(store: Store, claim: ClaimState, readable: frozenset[int]) -> Consequences:
    """Return what a claim that does not stand any more did to those resting on it, as far as they may be read."""
    state, fallen, standing = store.state, set[int](), set[int]()
    changed = not passes(state, claim.seq, "fresh")
    waiting = [claim.seq] if changed else []
    while waiting:
        for seq in state.dependants.get(waiting.pop(), ()):
            above = state.claims[seq]
            if above.lifecycle is not Lifecycle.ASSERTED or seq in fallen or seq == claim.seq:
                continue
            if above.fresh:
                standing.add(seq)
            else:
                fallen.add(seq)
                waiting.append(seq)
    shown = [state.claims[seq] for seq in sorted(fallen) if state.claims[seq].scope in readable]
    return Consequences(
        lost=tuple(one.id for one in shown if not one.supported),
        stale=tuple(one.id for one in shown if one.supported),
        rescued=tuple(
            Survivor(claim=one.id, by=_carried_by(store, one, readable))
            for one in (state.claims[seq] for seq in sorted(standing))
            if one.scope in readable
        ),
        repeated=tuple(_repeating(store, claim, readable)) if changed else (),
    )


def _repeating(store: Store, claim: ClaimState, readable: frozenset[int]) -> Iterator[str]:
    """Yield the sources, and the claims by themselves, that say a claim again and still carry what rests on them."""
    state, found = store.state, dict[int, None]()
    for seq in state.echoed.get(claim.seq, ()):
        header = None if seq in state.sources else store.header(seq)
        node = state.ids[header.claim] if isinstance(header, AssertRecord) else seq
        if node != claim.seq and passes(state, node, "fresh"):
            found[node] = None
    for node in sorted(found):
        known = state.claims.get(node) or state.sources.get(node)
        if known is not None and known.scope in readable:
            yield known.id


def _carried_by(store: Store, claim: ClaimState, readable: frozenset[int]) -> tuple[str, ...]:
    """Return the sources and claims of the justifications that still carry a claim."""
    state = store.state
    carrying = [
        node
        for grounds in claim.justifications
        if all(passes(state, node, "fresh") for node in grounds)
        for node in grounds
    ]
    known = {node: state.claims.get(node) or state.sources.get(node) for node in carrying}
    return tuple(node.id for node in known.values() if node and node.scope in readable)


def _still_there(
    store: Store, resting: ClaimState, old: int, new: int, readable: frozenset[int]
) -> Iterator[StillThere]:
    """Yield the words a claim quotes from a source that stand in its new version in one place and no other."""
    source = store.state.sources.get(new)
    text = quoted(store, new, 0, SOURCE_LIMIT) if source and source.scope in readable else ""
    seen: set[str] = set()
    for assertion in resting.assertions:
        header = store.header(assertion)
        for span in header.spans if isinstance(header, Assertion) else ():
            words = (
                quoted(store, old, span.start, span.end)
                if span.source == store.state.names[old]
                else ""
            )
            if words and words not in seen and text.count(words) == 1:
                seen.add(words)
                start = text.index(words)
                end = start + len(words)
                yield StillThere(source=store.state.names[new], start=start, end=end, words=words)
