"""A lineage as an indented list: each thing once, under the first thing that leads to it."""

from collections.abc import Callable, Iterator

from muniment import Trace
from muniment.lineage import Edge

GROUNDS = ("quotes", "derived_from")
ECHOES = ("echo_of", "possible_echo_of")
Line = tuple[int, str, str]
"""Depth, identifier, and the relation where it is another than resting on."""


class Drawing:
    """The nodes of a trace by identifier, walked along their edges."""

    def __init__(self, found: Trace) -> None:
        self.nodes = {node.id: node for node in found.nodes}
        self._edges = [
            edge for edge in found.edges if {edge.from_id, edge.to_id} <= set(self.nodes)
        ]

    def below(self, start: str) -> Iterator[Line]:
        """Yield what a claim rests on, nearest first, each with what it rests on in turn."""
        return self._walk(start, lambda edge, here: edge.to_id if edge.from_id == here else "")

    def above(self, start: str) -> Iterator[Line]:
        """Yield what rests on a claim, each with what rests on that in turn."""
        return self._walk(start, lambda edge, here: edge.from_id if edge.to_id == here else "")

    def _walk(self, start: str, step: Callable[[Edge, str], str]) -> Iterator[Line]:
        seen, waiting = {start}, [(1, start, "")]
        while waiting:
            depth, here, relation = waiting.pop()
            if here != start:
                yield depth - 1, here, relation
            following: dict[str, str] = {}
            for edge in self._edges:
                other = step(edge, here) if edge.relation in (*GROUNDS, *ECHOES) else ""
                if other and other not in seen:
                    following.setdefault(other, edge.relation if edge.relation in ECHOES else "")
            for other in reversed(following):
                seen.add(other)
                waiting.append((depth + 1, other, following[other]))

    def beside(self, start: str) -> Iterator[Line]:
        """Yield what corrects, supersedes or challenges a claim, or is corrected, superseded or challenged by it."""
        for edge in self._edges:
            if edge.relation not in (*GROUNDS, *ECHOES) and start in (edge.from_id, edge.to_id):
                yield 1, edge.to_id if edge.from_id == start else edge.from_id, edge.relation
