"""What 10,000, 100,000 and a million claims cost: writing, indexing, recall, opening, memory, disk; beside SQLite.

    python -m benchmarks.scale [CLAIMS …] [--million] [--tenants N]

Each size is built in one process and asked in a fresh one, whose memory is therefore that of a process which opened a
store and recalls. SQLite stands for the plainest durable store: one table with FTS5, `synchronous=FULL`, one commit a
claim. A million claims, and the many tenants, are embedded by `HashedWords`, which takes seconds instead of a quarter
of an hour; its rows say so. What is found is compared with scoring every row, for `COMPARED` questions.
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
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from muniment import Memory
from muniment.retrieval import Embedder, UniversalSentenceEncoder

Row = dict[str, str | float]
SINGLE = 400
QUESTIONS = 300
COMPARED = 50
BEST = 50
TURNS = 2_000
REAL_UP_TO = 100_000  # claims embedded by the default embedder
TENANT_CLAIMS = 100
OPEN_TENANTS = 50

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


def watched(made: Iterator[str], claims: int) -> Iterator[str]:
    """Yield the lines, and say every 100,000 how far they have come."""
    for number, line in enumerate(made):
        if number and number % 100_000 == 0:
            print(f"benchmarks.scale: {number:,} of {claims:,} written …", file=sys.stderr)
        yield line


class HashedWords:
    """A text's vector is the sum of made-up ones of its words; they spread over 512 directions wider than real ones do.

    Wide is the harder case for a search that skips rows: 48 directions hold 64 per cent here, 87 of the default's.
    """

    name, dimension, floor = "hashed words", 512, 0.2

    def __init__(self) -> None:
        dice = np.random.default_rng(5)
        scale = np.arange(1, self.dimension + 1) ** -0.4
        turn = np.linalg.qr(dice.standard_normal((self.dimension, self.dimension)))[0]
        drawn = (dice.standard_normal((8192, self.dimension)) * scale) @ turn.T
        self._words = drawn.astype(np.float32)

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector of length one for each text, shape (texts, 512)."""
        found = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(found, texts, strict=True):
            row[:] = self._words[[zlib.crc32(w.encode()) & 8191 for w in text.split()]].sum(axis=0)
        length = np.linalg.norm(found, axis=1, keepdims=True)
        return found / np.maximum(length, np.float32(1e-12))


def embedder_for(claims: int) -> Embedder:
    """Return the default embedder up to `REAL_UP_TO` claims, beyond them the quick one."""
    return UniversalSentenceEncoder() if claims <= REAL_UP_TO else HashedWords()


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


def memory_used() -> tuple[float, float]:
    """Return the resident memory of this process now and at its peak, in MB."""
    now = float(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return now / 2**20, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def noting(rows: list[Row], claims: int) -> "Note":
    """Return a function that adds one measurement to the rows."""

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

    return note


def measure(claims: int) -> list[Row]:
    """Return everything measured at one size: built in this process, asked in a fresh one."""
    rows: list[Row] = []
    note = noting(rows, claims)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        embedder = TimedEmbedder(embedder_for(claims))
        memory = Memory.open(root / "store", embedder=embedder)
        plain = sqlite3.connect(root / "plain.db")
        plain.execute("PRAGMA synchronous=FULL")
        plain.execute("CREATE VIRTUAL TABLE claim USING fts5(text)")
        _writing(memory, plain, claims, note)
        _indexing(memory, embedder, claims, note)
        _single(memory, plain, claims, root, note)
        memory.close()
        size = sum(file.stat().st_size for file in (root / "store").rglob("*") if file.is_file())
        plain.commit()
        plain.close()
        note(
            "disk",
            size / claims,
            "bytes/claim",
            "SQLite FTS5",
            (root / "plain.db").stat().st_size / claims,
        )
        return rows + fresh("--ask", str(claims), folder)


def asked(claims: int, root: Path) -> list[Row]:
    """Return what a process that did not build the store measures: opening, recall, memory, and what was missed."""
    rows: list[Row] = []
    note = noting(rows, claims)
    embedder = TimedEmbedder(embedder_for(claims))
    plain = sqlite3.connect(root / "plain.db")
    start = time.perf_counter()
    memory = Memory.open(root / "store", embedder=embedder)
    note("open", (time.perf_counter() - start) * 1e3, "ms")
    kim = memory.session(person="kim", project="apollo")
    note("first recall after open", timed(lambda: kim.recall("서버 로그")) * 1e3, "ms")
    _recall(memory, plain, embedder, claims, note)
    now, peak = memory_used()
    note(f"memory of a process that opened it and recalls, with {embedder.name}", now, "MB")
    note("its peak memory", peak, "MB")
    said = kim.message("And one more.")
    told = timed(lambda: kim.remember("It went well.", sources=[said]))
    note("first remember after open", told * 1e3, "ms")
    note("first recall after that", timed(lambda: kim.recall("서버 로그")) * 1e3, "ms")
    note("memory of a process that has also written", memory_used()[0], "MB")
    _compare(memory, claims, note)
    memory.close()
    return rows


Note = Callable[..., None]


def _writing(memory: Memory, plain: sqlite3.Connection, claims: int, note: Note) -> None:
    made = watched(lines(claims), claims)
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


def questions(claims: int, count: int) -> list[str]:
    """Return questions in the first words of claims."""
    dice = random.Random(5)
    return [" ".join(words(dice.randrange(claims)).split()[:5]) for _ in range(count)]


def _recall(
    memory: Memory, plain: sqlite3.Connection, embedder: TimedEmbedder, claims: int, note: Note
) -> None:
    kim = memory.session(person="kim", project="apollo")
    whole: list[float] = []
    without: list[float] = []
    theirs: list[float] = []
    for question in questions(claims, QUESTIONS):
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
    for share, name in ((0.5, "p50"), (0.95, "p95")):
        note(
            f"recall {name}",
            quantile(whole, share) * 1e3,
            "ms",
            "SQLite FTS5, keyword only",
            quantile(theirs, share) * 1e3,
        )
        note(f"recall without the embedder {name}", quantile(without, share) * 1e3, "ms")


def _compare(memory: Memory, claims: int, note: Note) -> None:
    """Count how many of the best that scoring every row finds the search finds too."""
    index, scopes = memory.index_now, frozenset(memory.store.state.scopes)
    if index is None:
        raise SystemExit("the index cannot be opened")
    missed = 0
    for question in questions(claims, COMPARED):
        found = index.claims(question, scopes=scopes, limit=BEST)
        every = index.claims_each_scored(question, scopes=scopes, limit=BEST)
        kept = {one.node for one in found.candidates}
        missed += sum(one.node not in kept for one in every.candidates)
    name = f"of the best {BEST} that scoring every row finds, missed in {COMPARED} questions"
    note(name, missed, "claims")


def measure_tenants(count: int) -> list[Row]:
    """Return what many small tenants of one store cost: built in this process, asked in a fresh one."""
    made = list(lines(TENANT_CLAIMS))
    embedder = HashedWords()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            if number % 50 == 0:
                print(f"benchmarks.scale: tenant {number:,} of {count:,} …", file=sys.stderr)
            with Memory.open(Path(folder), tenant=f"t{number}", embedder=embedder) as memory:
                memory.ingest(made)
                memory.index()
        return fresh("--ask-tenants", str(count), folder)


def asked_tenants(count: int, root: Path) -> list[Row]:
    """Return what opening, recalling and keeping open cost at random tenants of one store."""
    rows: list[Row] = []
    note = noting(rows, count * TENANT_CLAIMS)
    dice, embedder = random.Random(6), TimedEmbedder(HashedWords())
    opening, first, later = list[float](), list[float](), list[float]()
    chosen = [dice.randrange(count) for _ in range(min(200, count))]
    for number in chosen:
        start = time.perf_counter()
        with Memory.open(root, tenant=f"t{number}", embedder=embedder) as memory:
            opening.append(time.perf_counter() - start)
            kim = memory.session(person="kim", project="apollo")
            for found in (first, later):
                embedder.seconds = 0.0
                taken = timed(lambda by=kim: by.recall(words(dice.randrange(TENANT_CLAIMS))))
                found.append(taken - embedder.seconds)
    name = f"{count:,} tenants of {TENANT_CLAIMS} claims"
    for what, times in (("open", opening), ("first recall", first), ("recall", later)):
        for share, label in ((0.5, "p50"), (0.95, "p95")):
            note(f"{name}: {what} {label}", quantile(times, share) * 1e3, "ms")
    before, _ = memory_used()
    kept: list[Memory] = []
    for number in dice.sample(range(count), min(OPEN_TENANTS, count)):
        kept.append(Memory.open(root, tenant=f"t{number}", embedder=embedder))
        kept[-1].session(person="kim", project="apollo").recall("서버 로그")
    held, _ = memory_used()
    note(f"{name}: memory, {len(kept)} open", held, "MB")
    note(f"{name}: of it each one open", (held - before) / len(kept), "MB")
    threads = len(list(Path("/proc/self/task").iterdir()))
    files = len(list(Path("/proc/self/fd").iterdir()))
    note(f"{name}: threads, {len(kept)} open", threads, "threads")
    note(f"{name}: files, {len(kept)} open", files, "files")
    for memory in kept:
        memory.close()
    return rows


def run(sizes: Sequence[int], tenants: int = 0) -> list[Row]:
    """Return what was measured at each size, how recall grew from one to the next, and at many tenants."""
    rows = in_own_process("benchmarks.scale", sizes)
    rows += growth(rows)
    if tenants:
        print(f"benchmarks.scale: {tenants:,} tenants …", file=sys.stderr, flush=True)
        rows += fresh("--tenants-here", str(tenants))
    return rows


def growth(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield by how much recall takes longer at each size than at the one before."""
    for name in ("recall without the embedder p50", "recall without the embedder p95"):
        found = [row for row in rows if row["measure"] == name]
        for before, after in zip(found, found[1:], strict=False):
            measure = f"{name}, beside {int(before['claims']):,} claims"
            value = float(after["value"]) / float(before["value"])
            yield {**after, "measure": measure, "value": value, "unit": "times"}


def fresh(*arguments: str, module: str = "benchmarks.scale") -> list[Row]:
    """Return the rows that a fresh process prints last; what it says of its progress passes through."""
    found = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if found.returncode:
        raise SystemExit(f"{module} {' '.join(arguments)} failed, see above")
    rows: list[Row] = json.loads(found.stdout.splitlines()[-1])
    return rows


def in_own_process(module: str, sizes: Sequence[int]) -> list[Row]:
    """Return what a module measures at each size, each in a process of its own."""
    rows: list[Row] = []
    for claims in sizes:
        print(f"{module}: {claims:,} claims …", file=sys.stderr, flush=True)
        rows.extend(fresh("--here", str(claims), module=module))
    return rows


def table(rows: Sequence[Row], digits: int = 1) -> Iterator[str]:
    """Yield the rows as a Markdown table, with so many digits after the point."""
    yield "| claims | measure | ours | baseline | |"
    yield "|---|---|---|---|---|"
    for row in rows:
        against = f"{float(row['against']):,.{digits}f} {row['unit']}" if row["baseline"] else ""
        yield (
            f"| {int(row['claims']):,} | {row['measure']} | {float(row['value']):,.{digits}f} {row['unit']} "
            f"| {against} | {row['baseline']} |"
        )


def main(arguments: Sequence[str]) -> None:
    """Measure what is asked for and print it."""
    match arguments:
        case ["--here", claims]:
            print(json.dumps(measure(int(claims))))
        case ["--ask", claims, folder]:
            print(json.dumps(asked(int(claims), Path(folder))))
        case ["--tenants-here", count]:
            print(json.dumps(measure_tenants(int(count))))
        case ["--ask-tenants", count, folder]:
            print(json.dumps(asked_tenants(int(count), Path(folder))))
        case _:
            for line in table(run(*_wanted(list(arguments)))):
                print(line)


def _wanted(arguments: list[str]) -> tuple[list[int], int]:
    """Return the sizes and the number of tenants that a command line asks for."""
    tenants, millions = 0, "--million" in arguments
    if "--tenants" in arguments:
        at = arguments.index("--tenants")
        tenants = int(arguments[at + 1])
        del arguments[at : at + 2]
    sizes = [int(one) for one in arguments if one != "--million"]
    if not sizes and not (tenants and not millions):
        sizes = [10_000, 100_000]
    return [*sizes, *([1_000_000] * millions)], tenants


if __name__ == "__main__":
    main(sys.argv[1:])
