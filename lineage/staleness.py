"""What is stale and what changed beneath it; what a change did to all that rests on a claim."""

from muniment.claims import Claim, Lifecycle, Standing, Value

from .state import ClaimState, passes
from .store import Store
from .views import claim_view, claim_words, standing_of


class Cause(Value):
    """Something a stale claim rests on that does not carry it any more; `replaced_by` is what stands in its place."""

    id: str
    words: str = ""
    standing: Standing
    replaced_by: str = ""


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
    """

    lost: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    rescued: tuple[Survivor, ...] = ()


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
                causes[node] = _cause(store, node, now, readable)
    return Stale(
        claim=claim_view(store, claim, now=now, readable=readable),
        causes=tuple(causes[node] for node in sorted(causes)),
    )


def _cause(store: Store, node: int, now: int, readable: frozenset[int]) -> Cause:
    state = store.state
    claim = state.claims.get(node)
    if claim is None:
        return Cause(id=state.names[node], standing=Standing.RESTRICTED)
    return Cause(
        id=claim.id,
        words=claim_words(store, claim) if claim.scope in readable else "",
        standing=standing_of(store, claim, now),
        replaced_by=state.names[claim.replaced_by],
    )


def consequences_view(store: Store, claim: ClaimState, readable: frozenset[int]) -> Consequences:
    """Return what a claim that does not stand any more did to those resting on it, as far as they may be read."""
    state, fallen, standing = store.state, set[int](), set[int]()
    waiting = [] if passes(state, claim.seq, "fresh") else [claim.seq]
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
    )


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
