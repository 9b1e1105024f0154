"""What writing a receipt adds to a recall: the same questions with and without it, in turns.

    python -m benchmarks.receipt_cost [CLAIMS …]

Without: the answer is drawn and worded as ever, and nothing is written down of it. Each size runs in a process of its
own.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import muniment.session as room
from muniment import Memory
from muniment.retrieval import UniversalSentenceEncoder

from .scale import QUESTIONS, Row, fsync_pair, in_own_process, lines, quantile, table, timed, words


class Receipts:
    """The writing of receipts, timed; `kept` false leaves it out."""

    def __init__(self, write: Callable[..., str]) -> None:
        self._write = write
        self.kept, self.seconds = True, 0.0

    def __call__(self, *given: Any, **named: Any) -> str:
        """Return the receipt's identifier, empty where none is written."""
        if not self.kept:
            return ""
        start = time.perf_counter()
        try:
            return self._write(*given, **named)
        finally:
            self.seconds = time.perf_counter() - start


def measure(claims: int) -> list[Row]:
    """Return what a receipt costs in a store of so many claims, in this process."""
    dice = random.Random(5)
    asked = [" ".join(words(dice.randrange(claims)).split()[:5]) for _ in range(QUESTIONS)]
    receipts = Receipts(room.keep_receipt)
    vars(room)["keep_receipt"] = receipts
    taken: dict[bool, list[float]] = {True: [], False: []}
    inside: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(Path(folder) / "store", embedder=UniversalSentenceEncoder()) as memory:
            report = memory.ingest(list(lines(claims)))
            if report.errors:
                raise SystemExit(f"ingest failed: {report.errors[:3]}")
            memory.index()
            kim = memory.session(person="kim", project="apollo")
            for question in asked[:20]:
                kim.recall(question)
            for number, question in enumerate(asked):
                for kept in (number % 2 == 0, number % 2 == 1):  # neither is always the second
                    receipts.kept = kept
                    taken[kept].append(timed(lambda q=question: kim.recall(q)))
                    if kept:
                        inside.append(receipts.seconds)
            floor = fsync_pair(Path(folder))
    return _rows(claims, taken, inside, floor)


def _rows(
    claims: int,
    taken: dict[bool, list[float]],
    inside: Sequence[float],
    floor: Sequence[float],
) -> list[Row]:
    rows: list[Row] = []
    for share, name in ((0.5, "p50"), (0.95, "p95")):
        plain, whole = quantile(taken[False], share), quantile(taken[True], share)
        rows += [
            {"claims": claims, "measure": f"recall with its receipt {name}", "value": whole * 1e3, "unit": "ms",
             "baseline": "without", "against": plain * 1e3},
            {"claims": claims, "measure": f"what the receipt adds {name}", "value": (whole / plain - 1) * 100,
             "unit": "%", "baseline": "", "against": 0.0},
            {"claims": claims, "measure": f"writing the receipt {name}", "value": quantile(inside, share) * 1e3,
             "unit": "ms", "baseline": "two fsyncs", "against": quantile(floor, share) * 1e3},
        ]  # fmt: skip
    return rows


def run(sizes: Sequence[int]) -> list[Row]:
    """Return what was measured at each size."""
    return in_own_process("benchmarks.receipt_cost", sizes)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        measured = run([int(size) for size in sys.argv[1:]] or [10_000, 100_000])
        print(*table(measured, digits=2), sep="\n")
