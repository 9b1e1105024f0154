"""What is stale, and what changed beneath it."""

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
