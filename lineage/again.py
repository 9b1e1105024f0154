"""What says again what was erased: sources that repeat it, and other versions of a source."""

from collections.abc import Collection, Iterator, Mapping

from .state import State


def said_again(state: State, nodes: Collection[int]) -> Iterator[int]:
    """Yield the sources that repeat one of these sources and claims or are other versions of one, and stand.

    Only those of the same person or of nobody's: of another's nobody learns.
    """
    gone = frozenset(nodes)
    older = {new: old for old, news in state.replaced.items() for new in news}
    for node in nodes:
        known = state.claims.get(node) or state.sources.get(node) or state.erased_sources[node]
        whose = (0, state.scopes[known.scope][1])
        versions = _versions(state, older, node) if older else ()
        for seq in dict.fromkeys((*state.echoed.get(node, ()), *versions)):
            source = state.sources.get(seq)
            if source and seq not in gone and state.scopes[source.scope][1] in whose:
                yield seq


def _versions(state: State, older: Mapping[int, int], source: int) -> list[int]:
    """Return every version of a source, oldest first."""
    while source in older:
        source = older[source]
    found = [source]
    for seq in found:
        found += state.replaced.get(seq, ())
    return found
