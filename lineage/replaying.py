"""The headers folded once more, to hold a graph against the rows they become."""

from collections import Counter

from muniment.claims import Header, IntegrityError

from .graph import SCHEMA, Graph, Values, meta_of, rows_of, state_row
from .merkle import Frontier
from .state import State

_BATCH = 20_000
_LAST = (
    "claim_state",
    "meta",
)  # what the headers come to in the end; every other row is of one record


class Replay:
    """The fold of the headers up to `until`, the last that a graph has taken in.

    `fault` says, once they are all there, how the graph differs from them, and `record` where, 0 for nowhere.
    """

    def __init__(self, graph: Graph, until: int) -> None:
        self.fault, self.record = "", 0
        self._graph, self._until = graph, until
        self._state, self._sound, self._compared = State(), True, 0
        self._rows: dict[str, list[Values]] = {}
        self._seen: Counter[str] = Counter()

    def take(self, header: Header, position: int, frontier: Frontier) -> str:
        """Fold one header in, as far as the graph goes, and return what does not follow, if anything.

        `frontier` is the tree's edge with the header in it.
        """
        import duckdb

        if not self._sound or header.seq > self._until:
            return ""
        try:
            self._state.apply(header)
        except (IntegrityError, KeyError) as error:
            self._sound = False
            return f"it does not follow from what came before: {error}"
        for table, row in rows_of(header, position, self._state):
            self._rows.setdefault(table, []).append(row)
        try:
            if header.seq - self._compared >= _BATCH or header.seq == self._until:
                self._compare(header.seq)
            if header.seq == self._until:
                self._conclude(frontier)
        except duckdb.Error as error:
            self._sound = False
            self._differs(str(error).partition("\n")[0])
        return ""

    def stop(self) -> None:
        """Fold nothing more in: there is no whole graph to compare with."""
        self._sound = False

    def _compare(self, last: int) -> None:
        """Compare the rows of the records since the last time."""
        for table in SCHEMA:
            if table not in _LAST:
                rows = self._rows.get(table, [])
                self._seen[table] += len(rows)
                self._same(table, rows, self._graph.rows_between(table, self._compared, last))
        self._rows.clear()
        self._state.touched.clear()
        self._compared = last

    def _conclude(self, frontier: Frontier) -> None:
        """Compare what became of the claims, and look for rows that no record made."""
        state, claims = self._state, list(self._state.claims.values())
        for at in range(0, len(claims), _BATCH):
            some = claims[at : at + _BATCH]
            first = claims[at - 1].seq if at else 0
            self._same(
                "claim_state",
                [state_row(claim) for claim in some],
                self._graph.rows_between("claim_state", first, some[-1].seq),
            )
        self._seen["claim_state"] = len(claims)
        for table, rows in self._seen.items():
            held = self._graph.count(table)
            if held != rows:
                self._differs(f"it has {held} rows in {table}, the journal makes {rows}")
        if self._graph.meta() != meta_of(state, frontier):
            self._differs("in what it says of itself")

    def _same(self, table: str, made: list[Values], held: list[Values]) -> None:
        if made == held:
            return
        wrong = (Counter(made) - Counter(held)) + (Counter(held) - Counter(made))
        if wrong:
            self._differs(f"in {table}", min(int(str(row[0])) for row in wrong))

    def _differs(self, how: str, record: int = 0) -> None:
        if not self.fault:
            self.fault, self.record = how, record
