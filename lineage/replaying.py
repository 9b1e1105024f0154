"""The headers folded once more into a graph of their own, outside the store, to compare the store's own with."""

from pathlib import Path

from muniment.claims import Header, IntegrityError

from .graph import Graph
from .state import State

_BATCH = 20_000


class Replay:
    """A graph made anew from the headers up to `until`; `digest` is set once it is whole."""

    def __init__(self, folder: str, until: int) -> None:
        self.digest = ""
        self._graph = Graph(Path(folder) / "replayed.duckdb")
        self._state, self._until = State(), until
        self._batch: list[tuple[Header, int]] = []
        self._sound = True

    def take(self, header: Header, raw: bytes, position: int) -> str:
        """Fold one header in, as far as the other graph goes, and return what does not follow, if anything."""
        if not self._sound or header.seq > self._until:
            return ""
        try:
            self._state.apply(header)
        except (IntegrityError, KeyError) as error:
            self._sound = False
            return f"it does not follow from what came before: {error}"
        self._state.frontier.append(raw)
        self._batch.append((header, position))
        if len(self._batch) >= _BATCH or header.seq == self._until:
            self._graph.post(self._batch, self._state, self._state.frontier, position)
            self._batch.clear()
        if header.seq == self._until:
            self.digest = self._graph.digest()
        return ""

    def stop(self) -> None:
        """Fold nothing more in: there is no whole graph to compare with."""
        self._sound = False

    def close(self) -> None:
        """Let go of the graph."""
        self._graph.close()
