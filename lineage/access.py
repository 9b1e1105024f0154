"""Access to sources: what is blocked while one is revoked, and which wordings were made without it."""

from .state import ClaimState, State


def shown_place(state: State, claim: ClaimState) -> int:
    """Return the place of a claim's oldest rendering that no revoked source went into, -1 where there is none."""
    if not state.revoked:
        return 0
    return next(
        (place for place in range(len(claim.assertions)) if not _tainted(state, claim, place)), -1
    )


def is_restricted(state: State, node: int) -> bool:
    """Return whether access to a source was revoked, or every wording of a claim was made from such a source."""
    claim = state.claims.get(node)
    return node in state.revoked if claim is None else shown_place(state, claim) < 0


def shown_assertions(state: State, claim: ClaimState) -> tuple[int, ...]:
    """Return the records of those renderings of a claim that may be shown, oldest first."""
    if not state.revoked:
        return tuple(claim.assertions)
    return tuple(
        seq for place, seq in enumerate(claim.assertions) if not _tainted(state, claim, place)
    )


def _tainted(state: State, claim: ClaimState, place: int) -> bool:
    """Return whether a revoked source went into a rendering, itself or by way of earlier renderings of claims.

    Which wording of a claim was read is not known, so any tainted one that stood then taints.
    """
    known = state.tainted
    waiting = [(claim, place)]
    while waiting:
        one, at = waiting[-1]
        seq = one.assertions[at]
        if seq in known:
            waiting.pop()
            continue
        below = [
            (other, number)
            for other in (state.claims.get(node) for node in one.justifications[at])
            if other is not None
            for number, earlier in enumerate(other.assertions)
            if earlier < seq
        ]
        unknown = [
            (other, number) for other, number in below if other.assertions[number] not in known
        ]
        if not state.revoked.isdisjoint(one.justifications[at]):
            known[seq] = True
        elif unknown:
            waiting.extend(unknown)
        else:
            known[seq] = any(known[other.assertions[number]] for other, number in below)
    return known[claim.assertions[place]]
