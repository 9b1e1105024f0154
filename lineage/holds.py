"""Legal holds: what may not be destroyed, because it, its person or its speaker is held."""

from collections.abc import Iterable

from .state import ClaimState, SourceState, State

_PERSON = 1  # the place of the person among the fields of a scope


def is_held(state: State, node: int) -> bool:
    """Return whether a claim, a source or a person is on legal hold, itself or by the person it belongs to.

    A person's are her scopes, what she said in shared ones, and the claims drawn from that.
    """
    held = set(state.holds.values())
    if not held or node in held:
        return bool(held)
    found = state.sources.get(node) or state.claims.get(node)
    if found is None:
        return False
    if state.scopes[found.scope][_PERSON] in held:
        return True
    match found:
        case SourceState():
            return found.author in held
        case ClaimState():
            grounds = {ground for grounds in found.justifications for ground in grounds}
            return any(state.sources[one].author in held for one in grounds if one in state.sources)


def held_among(state: State, nodes: Iterable[int]) -> tuple[int, ...]:
    """Return those of some claims, sources and persons that are on legal hold, each once."""
    if not state.holds:
        return ()
    return tuple(seq for seq in dict.fromkeys(nodes) if seq and is_held(state, seq))


def held_scopes(state: State) -> dict[int, int]:
    """Return the scopes of persons that are on legal hold, each with its person."""
    held = set(state.holds.values())
    return {seq: key[_PERSON] for seq, key in state.scopes.items() if key[_PERSON] in held}


def records_about(state: State, nodes: Iterable[int]) -> list[int]:
    """Return the records that held or released one of these."""
    about = set(nodes)
    return [seq for seq, target in state.holdings if target in about]
