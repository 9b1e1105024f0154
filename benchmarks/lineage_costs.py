"""What changing the lineage costs: withdrawing, correcting, verifying, erasing; beside SQLite and a fold from scratch.

    python -m benchmarks.lineage_costs [CLAIMS …] [--million]

Each size runs in a process of its own. The store is filled by `Memory.ingest`: 20 claims that 200 others rest on, a
person's 10,000 claims from 100,000 claims on, the rest single claims; above 100,000 the index is left out. Edges are
counted at the map that every gate walks. The baselines hold the same claims and edges: SQLite with a recursive query,
`synchronous=FULL` and `secure_delete`, right only as long as nothing has two reasons; and the least fixpoint over all
justifications, made from scratch in memory, which writes nothing down.
"""

import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.scale import Row, in_own_process, quantile, table, timed, words
from muniment import CallableEmbedder, Memory, Session

HUBS, RESTING = 20, 200
PERSON = 10_000
HUGE = 100_000
_ONCE = 5  # times a thing is done that takes seconds

Note = Callable[..., None]


def hub(number: int) -> str:
    """Return the words of a claim that others rest on."""
    return f"The budget of team {number} is {number + 40}."


def lines(claims: int) -> Iterator[str]:
    """Yield a store of so many claims as JSON lines; of 100,000 and more 10,000 are another person's."""
    kim, lee = {"person": "kim"}, {"person": "lee"}
    single = claims - HUBS * (RESTING + 1)
    yield json.dumps({"type": "message", "key": "m", "text": "What we settled that week.", **kim})
    for number in range(HUBS):
        yield from _hub(number, RESTING)
    if claims >= HUGE:
        single -= PERSON
        yield json.dumps({"type": "message", "key": "l", "text": "What lee settled.", **lee})
        for number in range(PERSON):
            yield _claim(f"l{number}", words(number, 11), "l", "lee")
    for number in range(single):
        yield _claim(f"c{number}", words(number), "m", "kim")


def _hub(number: int, resting: int) -> Iterator[str]:
    said = hub(number)
    yield json.dumps({"type": "message", "key": f"h{number}", "text": said, "person": "kim"})
    yield _claim(f"hub{number}", said, f"h{number}", "kim", kind="stated")
    for one in range(resting):
        yield _claim(f"d{number}.{one}", words(one, 100 + number), f"hub{number}", "kim")


def _claim(key: str, text: str, source: str, person: str, kind: str = "inferred") -> str:
    return json.dumps(
        {"type": "claim", "key": key, "text": text, "kind": kind, "sources": [source]}
        | {"person": person}
    )


class Counted(dict[int, list[int]]):
    """The map of what rests on what, counting the edges that are read from it."""

    edges = 0

    def get(self, key: int, default: Sequence[int] = ()) -> Sequence[int]:  # type: ignore[override]
        """Return what rests on a node, and count it."""
        found = super().get(key, default)
        self.edges += len(found)
        return found


class Plain:
    """The same claims and edges in SQLite."""

    def __init__(self, path: Path, made: Sequence[str]) -> None:
        self._base = sqlite3.connect(path)
        self._base.executescript(
            "PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;"
            "CREATE TABLE node (key TEXT PRIMARY KEY, person TEXT, text TEXT, supported INT);"
            "CREATE TABLE edge (node TEXT, rests_on TEXT);"
        )
        parsed = [json.loads(line) for line in made]
        self.edges = [(one["key"], ground) for one in parsed for ground in one.get("sources", ())]
        self._base.executemany(
            "INSERT INTO node VALUES (?, ?, ?, 1)",
            ((one["key"], one["person"], one["text"]) for one in parsed),
        )
        self._base.executemany("INSERT INTO edge VALUES (?, ?)", self.edges)
        self._base.execute("CREATE INDEX below ON edge (rests_on)")
        self._base.commit()

    def withdraw(self, key: str) -> None:
        """Take the support from a claim and from all that rests on it, durably."""
        self._base.execute(
            "WITH RECURSIVE lost(key) AS (VALUES (?) UNION SELECT node FROM edge JOIN lost ON rests_on = lost.key) "
            "UPDATE node SET supported = 0 WHERE key IN (SELECT key FROM lost)",
            (key,),
        )
        self._base.commit()

    def delete(self, column: str, value: str) -> None:
        """Delete rows, their bytes too, durably."""
        self._base.execute(f"DELETE FROM node WHERE {column} = ?", (value,))
        self._base.commit()

    def check(self) -> None:
        """Let SQLite check its own file."""
        if self._base.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise SystemExit("SQLite finds its file damaged")


def from_scratch(edges: Sequence[tuple[str, str]], withdrawn: set[str]) -> int:
    """Return how many claims are supported: the least fixpoint, every edge looked at once."""
    above: dict[str, list[str]] = {}
    missing: dict[str, int] = {}
    for node, ground in edges:
        above.setdefault(ground, []).append(node)
        missing[node] = missing.get(node, 0) + 1
    waiting = [node for node in above if node not in missing]
    supported = 0
    while waiting:
        node = waiting.pop()
        supported += node in missing
        if node in withdrawn:
            continue
        for one in above.get(node, ()):
            missing[one] -= 1
            if not missing[one]:
                waiting.append(one)
    return supported


def measure(claims: int) -> list[Row]:
    """Return what a store of so many claims costs; a negative number asks for one claim that so many rest on."""
    rows: list[Row] = []

    def note(
        measure: str, value: float, unit: str, baseline: str = "", against: float = 0.0
    ) -> None:
        rows.append(
            {"claims": abs(claims), "measure": measure, "value": value, "unit": unit}
            | {"baseline": baseline, "against": against}
        )

    made = list(_hub(0, -claims)) if claims < 0 else list(lines(claims))
    with tempfile.TemporaryDirectory() as folder:
        plain = Plain(Path(folder) / "plain.db", made)
        with Memory.open(Path(folder) / "store", embedder=_dice()) as memory:
            report = memory.ingest(made)
            if report.errors:
                raise SystemExit(f"ingest failed: {report.errors[:3]}")
            memory.store.post()
            if claims < 0:
                _correcting(memory, plain, note)
            else:
                _withdrawing(memory, plain, note)
                _verifying(memory, plain, note)
                _erasing(memory, plain, claims, note)
    return rows


def _dice() -> CallableEmbedder:
    """Return an embedder that costs nothing and fills the index with as many numbers as the default one."""
    drawn = np.random.default_rng(5)
    return CallableEmbedder(
        "dice", 512, lambda texts: drawn.standard_normal((len(texts), 512)).astype(np.float32)
    )


def _in_order(memory: Memory) -> list[str]:
    """Return the identifiers of all claims in the order of their lines: looking at the words takes minutes."""
    return [claim.id for claim in memory.store.state.claims.values()]


def _withdrawing(memory: Memory, plain: Plain, note: Note) -> None:
    kim = memory.session(person="kim")
    every = _in_order(memory)
    hubs = [kim.claim(every[number * (RESTING + 1)]) for number in range(HUBS)]
    if [claim.words for claim in hubs] != [hub(number) for number in range(HUBS)]:
        raise SystemExit("the claims are not in the order of their lines")
    counted = memory.store.state.dependants = Counted(memory.store.state.dependants)
    ours: list[float] = []
    theirs: list[float] = []
    edges: list[float] = []
    for number in range(HUBS):
        before = counted.edges
        ours.append(timed(lambda n=number: kim.retract(hubs[n])))
        edges.append(counted.edges - before)
        theirs.append(timed(lambda n=number: plain.withdraw(f"hub{n}")))
        if kim.history(hubs[number].id)[-1].lost != RESTING:
            raise SystemExit("the wrong claims lost their support")
    scratch = [timed(lambda: from_scratch(plain.edges, {"hub0"})) for _ in range(_ONCE)]
    for share, name in ((0.5, "p50"), (0.95, "p95")):
        note(f"retract, {RESTING} resting on it, {name}", quantile(ours, share) * 1e3, "ms",
             "SQLite, recursive query", quantile(theirs, share) * 1e3)  # fmt: skip
    note(f"retract, {RESTING} resting on it, p50", quantile(ours, 0.5) * 1e3, "ms", "from scratch, in memory only",
         quantile(scratch, 0.5) * 1e3)  # fmt: skip
    note("edges read below it, for two labels, p50", quantile(edges, 0.5), "edges",
         "from scratch, for one", len(plain.edges))  # fmt: skip


def _correcting(memory: Memory, plain: Plain, note: Note) -> None:
    kim = memory.session(person="kim")
    claim = kim.claim(_in_order(memory)[0])
    resting = len(plain.edges) - 1
    counted = memory.store.state.dependants = Counted(memory.store.state.dependants)
    said = kim.message("The budget of team 0 is 90.")
    kim.remember("Something else.", sources=[said])  # the first write in a scope reads what it has
    seconds = timed(lambda: kim.correct(claim, "The budget of team 0 is 90.", sources=[said]))
    theirs = timed(lambda: plain.withdraw("hub0"))
    scratch = timed(lambda: from_scratch(plain.edges, {"hub0"}))
    if kim.history(claim.id)[-1].lost != resting:
        raise SystemExit("the wrong claims became stale")
    note(f"correct, {resting:,} resting on it, once", seconds * 1e3, "ms",
         "SQLite, recursive query", theirs * 1e3)  # fmt: skip
    note(f"correct, {resting:,} resting on it, once", seconds * 1e3, "ms",
         "from scratch, in memory only", scratch * 1e3)  # fmt: skip
    note("edges read below it, for two labels", counted.edges, "edges",
         "from scratch, for one", len(plain.edges))  # fmt: skip


def _verifying(memory: Memory, plain: Plain, note: Note) -> None:
    records = memory.store.state.seq
    for mode in ("fast", "full"):
        times = 3 if records <= 3 * HUGE else 1
        seconds = [timed(lambda m=mode: memory.verify(mode=m)) for _ in range(times)]
        theirs = quantile([timed(plain.check) for _ in range(3)], 0.5)
        note(f"verify {mode}, each 100,000 records, p50", quantile(seconds, 0.5) / records * 1e5, "s",
             "SQLite integrity_check", theirs / records * 1e5)  # fmt: skip


def _erasing(memory: Memory, plain: Plain, claims: int, note: Note) -> None:
    kim = memory.session(person="kim")
    single = _in_order(memory)[-(HUBS + _ONCE) :]
    _erase_each(kim, plain, single, range(HUBS), "erase one claim, no index", note)
    if claims > HUGE:
        return
    memory.index()
    rest = range(HUBS, HUBS + _ONCE)
    _erase_each(kim, plain, single, rest, "erase one claim, its index rewritten", note)
    if claims == HUGE:
        theirs = timed(lambda: plain.delete("person", "lee"))
        seconds = timed(lambda: memory.erase_person("lee"))
        note(f"erase a person with {PERSON:,} claims, once", seconds * 1e3, "ms",
             "SQLite DELETE", theirs * 1e3)  # fmt: skip


def _erase_each(
    kim: Session, plain: Plain, some: Sequence[str], numbers: range, measure: str, note: Note
) -> None:
    ours = [timed(lambda n=number: kim.erase(some[n])) for number in numbers]
    theirs = [timed(lambda n=number: plain.delete("key", f"c{n}")) for number in numbers]
    for share, name in ((0.5, "p50"), (0.95, "p95")):
        note(f"{measure}, {name}", quantile(ours, share) * 1e3, "ms",
             "SQLite DELETE", quantile(theirs, share) * 1e3)  # fmt: skip


def run(sizes: Sequence[int]) -> list[Row]:
    """Return what was measured at each size, and where one is that large with 100,000 claims that rest on one."""
    below_one = [-HUGE] if max(sizes) >= HUGE else []
    return in_own_process("benchmarks.lineage_costs", [*sizes, *below_one])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        sizes = [int(size) for size in sys.argv[1:] if size != "--million"] or [10_000, 100_000]
        for line in table(run(sizes + [1_000_000] * ("--million" in sys.argv))):
            print(line)
