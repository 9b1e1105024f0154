"""What 10,000 and 100,000 claims cost: writing, indexing, recall, opening, memory, disk; beside SQLite.

    python -m benchmarks.scale [CLAIMS …]

Each size runs in a process of its own, so that its memory is its own. SQLite stands for the plainest durable store:
one table with FTS5, `synchronous=FULL`, one commit a claim.
"""

import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from muniment import Memory
from muniment.retrieval import Embedder, UniversalSentenceEncoder

Row = dict[str, str | float]
SINGLE = 400
QUESTIONS = 300
TURNS = 2_000

_SUBJECTS = (
    "배포 서버 로그 팀 예산 회의 고객 일정 release database invoice backup gateway cache search billing "
    "정원 산책"
).split()
_VERBS = "옮겼다 정했다 미뤘다 확인했다 moved decided postponed checked renamed approved 줄였다 늘렸다".split()
_PLACES = (
    "스테이징 운영 서울 부산 Berlin staging production eu-west-1 본사 연구실 창고 kitchen".split()
)
_NAMES = "민아 지훈 Ada Linus 서연 도윤 Grace Alan 하윤 Barbara".split()


def words(number: int, seed: int = 7) -> str:
    """Return the words of a made-up claim; the same number gives the same words, Korean, English or both."""
    dice = random.Random(number * 1_000_003 + seed)
    pick: Callable[[Sequence[str]], str] = dice.choice
    detail = " ".join(f"{pick(_SUBJECTS)}-{dice.randrange(4000)}" for _ in range(4))
    return f"{pick(_NAMES)} {pick(_SUBJECTS)} {pick(_VERBS)} {pick(_PLACES)} {detail} #{number}"


def lines(claims: int) -> Iterator[str]:
    """Yield a message and so many claims that rest on it, as JSON lines."""
    place = {"person": "kim", "project": "apollo"}
    yield json.dumps({"type": "message", "key": "m", "text": "What we settled that week.", **place})
    for number in range(claims):
        yield json.dumps(
            {"type": "claim", "key": f"c{number}", "text": words(number), "sources": ["m"], **place}
        )


class TimedEmbedder:
    """An embedder that adds up the time it takes."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.dimension, self.floor = embedder.name, embedder.dimension, embedder.floor
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]):  # noqa: ANN201 - the array type of the embedder it wraps
        """Return the vectors of the wrapped embedder."""
        start = time.perf_counter()
        try:
            return self._embedder.embed(texts)
        finally:
            self.seconds += time.perf_counter() - start


def timed(action: Callable[[], object]) -> float:
    """Return the seconds an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which that share lies."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def fsync_pair(folder: Path) -> list[float]:
    """Return what two fsyncs of small appends take here, in seconds: the floor of a durable write."""
    found: list[float] = []
    with open(folder / "probe", "wb") as first, open(folder / "probe2", "wb") as second:
        for _ in range(200):
            start = time.perf_counter()
            for file in (first, second):
                file.write(b"x" * 1000)
                file.flush()
                os.fsync(file.fileno())
            found.append(time.perf_counter() - start)
    return found


def measure(claims: int) -> list[Row]:
    """Return everything measured at one size, in this process."""
    rows: list[Row] = []

    def note(
        measure: str, value: float, unit: str, baseline: str = "", against: float = 0.0
    ) -> None:
        rows.append(
            {
                "claims": claims,
                "measure": measure,
                "value": value,
                "unit": unit,
                "baseline": baseline,
                "against": against,
            }
        )

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        embedder = TimedEmbedder(UniversalSentenceEncoder())
        memory = Memory.open(root / "store", embedder=embedder)
        plain = sqlite3.connect(root / "plain.db")
        plain.execute("PRAGMA synchronous=FULL")
        plain.execute("CREATE VIRTUAL TABLE claim USING fts5(text)")
        _writing(memory, plain, claims, note)
        _indexing(memory, embedder, claims, note)
        _single(memory, plain, claims, root, note)
        _recall(memory, plain, embedder, claims, note)
        note("peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB")
        memory.close()
        size = sum(file.stat().st_size for file in (root / "store").rglob("*") if file.is_file())
        plain.commit()
        note(
            "disk",
            size / claims,
            "bytes/claim",
            "SQLite FTS5",
            (root / "plain.db").stat().st_size / claims,
        )
        _opening(root / "store", embedder, note)
    return rows


Note = Callable[..., None]


def _writing(memory: Memory, plain: sqlite3.Connection, claims: int, note: Note) -> None:
    made = list(lines(claims))
    seconds = timed(lambda: (memory.ingest(made), memory.store.post()))
    rest = timed(
        lambda: (
            plain.executemany(
                "INSERT INTO claim VALUES (?)", ((words(number),) for number in range(claims))
            ),
            plain.commit(),
        )
    )
    note(
        "ingest, durable and in the graph",
        claims / seconds,
        "claims/s",
        "SQLite FTS5, one commit",
        claims / rest,
    )


def _indexing(memory: Memory, embedder: TimedEmbedder, claims: int, note: Note) -> None:
    embedder.seconds = 0.0
    seconds = timed(memory.index)
    note(
        "indexed and embedded, claims",
        claims / seconds,
        "claims/s",
        "the embedder alone",
        claims / embedder.seconds,
    )
    session = {"person": "kim", "channel": "bench", "type": "message"}
    turns = [
        json.dumps(
            {
                **session,
                "key": f"t{n}",
                "session": f"s{n // 40}",
                "text": f"{words(n, 3)}. {words(n, 4)}",
            }
        )
        for n in range(TURNS)
    ]
    memory.ingest(turns)
    embedder.seconds = 0.0
    seconds = timed(memory.index)
    note(
        "indexed and embedded, turns",
        TURNS / seconds,
        "turns/s",
        "the embedder alone",
        TURNS / embedder.seconds,
    )


def _single(memory: Memory, plain: sqlite3.Connection, claims: int, root: Path, note: Note) -> None:
    kim = memory.session(person="kim", project="apollo")
    said = kim.message("One more thing.")
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(claims, claims + SINGLE):
        ours.append(timed(lambda n=number: kim.remember(words(n), sources=[said])))
        theirs.append(
            timed(
                lambda n=number: (
                    plain.execute("INSERT INTO claim VALUES (?)", (words(n),)),
                    plain.commit(),
                )
            )
        )
    floor = fsync_pair(root)
    for share, name in ((0.5, "p50"), (0.95, "p95")):
        note(
            f"remember {name}",
            quantile(ours, share) * 1e3,
            "ms",
            "SQLite FTS5 commit",
            quantile(theirs, share) * 1e3,
        )
        note(f"two fsyncs {name}", quantile(floor, share) * 1e3, "ms")


def _recall(
    memory: Memory, plain: sqlite3.Connection, embedder: TimedEmbedder, claims: int, note: Note
) -> None:
    kim = memory.session(person="kim", project="apollo")
    dice = random.Random(5)
    asked = [" ".join(words(dice.randrange(claims)).split()[:5]) for _ in range(QUESTIONS)]
    first = timed(lambda: kim.recall(asked[0]))
    whole: list[float] = []
    without: list[float] = []
    theirs: list[float] = []
    for question in asked:
        embedder.seconds = 0.0
        whole.append(timed(lambda q=question: kim.recall(q)))
        without.append(whole[-1] - embedder.seconds)
        query = " OR ".join(f'"{word}"' for word in question.split())
        theirs.append(
            timed(
                lambda q=query: plain.execute(
                    "SELECT text FROM claim WHERE claim MATCH ? ORDER BY bm25(claim) LIMIT 10", (q,)
                ).fetchall()
            )
        )
    note("first recall", first * 1e3, "ms")
    for share, name in ((0.5, "p50"), (0.95, "p95")):
        note(
            f"recall {name}",
            quantile(whole, share) * 1e3,
            "ms",
            "SQLite FTS5, keyword only",
            quantile(theirs, share) * 1e3,
        )
        note(f"recall without the embedder {name}", quantile(without, share) * 1e3, "ms")


def _opening(path: Path, embedder: TimedEmbedder, note: Note) -> None:
    start = time.perf_counter()
    memory = Memory.open(path, embedder=embedder)
    note("open", (time.perf_counter() - start) * 1e3, "ms")
    kim = memory.session(person="kim", project="apollo")
    said = kim.message("And one more.")
    note(
        "first remember after open",
        timed(lambda: kim.remember("It went well.", sources=[said])) * 1e3,
        "ms",
    )
    note("first recall after open", timed(lambda: kim.recall("서버 로그")) * 1e3, "ms")
    memory.close()


def run(sizes: Sequence[int]) -> list[Row]:
    """Return what was measured at each size."""
    return in_own_process("benchmarks.scale", sizes)


def in_own_process(module: str, sizes: Sequence[int]) -> list[Row]:
    """Return what a module measures at each size, each in a process of its own."""
    rows: list[Row] = []
    for claims in sizes:
        print(f"{module}: {claims:,} claims …", file=sys.stderr, flush=True)
        found = subprocess.run(
            [sys.executable, "-m", module, "--here", str(claims)],
            capture_output=True,
            text=True,
            check=False,
        )
        if found.returncode:
            raise SystemExit(found.stderr)
        rows.extend(json.loads(found.stdout.splitlines()[-1]))
    return rows


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the rows as a Markdown table."""
    yield "| claims | measure | ours | baseline | |"
    yield "|---|---|---|---|---|"
    for row in rows:
        against = f"{float(row['against']):,.1f} {row['unit']}" if row["baseline"] else ""
        yield (
            f"| {int(row['claims']):,} | {row['measure']} | {float(row['value']):,.1f} {row['unit']} "
            f"| {against} | {row['baseline']} |"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        for line in table(run([int(size) for size in sys.argv[1:]] or [10_000, 100_000])):
            print(line)
