"""Disclosures: what was given out of the store, so that it is known again when it comes in."""

from collections.abc import Iterable, Sequence

from muniment.claims import Decision, DiscloseRecord

from .store import Store
from .writing import Writer, stamp

_THINGS = 2_000  # in one record


def undisclosed(store: Store, nodes: Iterable[int]) -> list[int]:
    """Return the claims and sources, each once, that were never given out before."""
    return [node for node in dict.fromkeys(nodes) if not store.state.given_out(node)]


def write_disclosure(
    store: Store,
    decision: Decision,
    writer: Writer,
    verb: str,
    scope: int,
    nodes: Sequence[int],
) -> None:
    """Add to the open group that these claims and sources were given out to a reader of a scope, by which verb."""
    names = store.state.names
    for first in range(0, len(nodes), _THINGS):
        store.add(
            DiscloseRecord,
            verb=verb,
            scope=names[scope],
            things=tuple(names[node] for node in nodes[first : first + _THINGS]),
            decision=stamp(store, decision),
            by=names[writer.by],
            behalf=names[writer.behalf],
        )
