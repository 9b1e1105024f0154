"""Which value is right where sources copy each other: counted by mention, by origin class, and by accuracy.

    python -m benchmarks.copying_sources [SHARED]

Every site's values are a document of that site with one external claim a value, taken in through `Memory.ingest`; the
answers are those of `Session.weighings`. Inferred copies are what `Memory.copied_origins` proposes, recorded as they
are with `Memory.same_origin`; nothing of that sees a truth. Sites whose documents are the same to the letter are one
in any case, so even with none recorded an origin is not always a site. A tie counts as its chance of being right.
Then: what it costs to count the independent origins of a claim with few and with many ancestors.
"""

import csv
import html
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.search_quality import Row, table
from benchmarks.shared import shared_folder
from muniment import CallableEmbedder, Memory, Weighing

Item = tuple[str, str]
Given = Mapping[Item, Mapping[str, str]]
"""By item (subject, attribute) the value that each site gives."""

_TIMES = {
    "sched_dep_time": "scheduled departure",
    "act_dep_time": "actual departure",
    "sched_arr_time": "scheduled arrival",
    "act_arr_time": "actual arrival",
}
_NO_NAMES = frozenset(
    "by author authors editor edt ed eds editors joint jr sr with and ph phd dr not available et al various none "
    "unknown illustrator contributor foreword".split()
)


def flights(folder: Path) -> tuple[Given, dict[Item, str], list[list[str]]]:
    """Return the times that the sites give, the true ones of the dev half, and the groups that come with the data."""
    given: dict[Item, dict[str, str]] = defaultdict(dict)
    with (folder / "claims.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for column, attribute in _TIMES.items():
                if row[column].strip():
                    given[row["flight"], attribute][row["src"]] = row[column].strip()
    with (folder / "truth_dev.csv").open(encoding="utf-8", newline="") as file:
        truth = {
            (row["flight"], attribute): row[column].strip()
            for row in csv.DictReader(file)
            for column, attribute in _TIMES.items()
            if row[column].strip()
        }
    groups = json.loads((folder / "copy_groups.json").read_text(encoding="utf-8"))["groups"]
    return given, truth, groups


def books(folder: Path) -> tuple[Given, dict[Item, str], list[list[str]]]:
    """Return the authors that the sellers give for each book, and the true ones of the dev half.

    Authors are compared as the set of their names without initials, in whatever order they are printed.
    """
    given: dict[Item, dict[str, str]] = defaultdict(dict)
    for line in (folder / "book_claims.tsv").read_text(encoding="utf-8").splitlines():
        seller, isbn, _, authors = (*line.split("\t"), "", "", "")[:4]
        if names := _names(authors):
            given[isbn, "authors"][seller] = names
    lines = (folder / "golden_dev.tsv").read_text(encoding="utf-8").splitlines()
    truth = {(isbn, "authors"): _names(names) for isbn, names in (one.split("\t") for one in lines)}
    return given, truth, []


def _names(authors: str) -> str:
    words = re.findall("[a-z]+", html.unescape(authors).lower().replace("'", ""))
    return " ".join(sorted({word for word in words if len(word) > 1} - _NO_NAMES))


def lines_of(given: Given) -> Iterator[str]:
    """Yield a site's values as JSON lines: one document, and a claim for each line of it."""
    by_site: dict[str, list[tuple[Item, str]]] = defaultdict(list)
    for item, values in given.items():
        for site, value in values.items():
            by_site[site].append((item, value))
    for site, values in by_site.items():
        said = [(f"{item[0]}, {item[1]}: {value}", item, value) for item, value in values]
        text = "\n".join(line for line, _, _ in said)
        line = {"type": "document", "key": site, "person": "reader", "text": text}
        yield json.dumps({**line, "origin": origin(site)})
        for text, (subject, attribute), value in said:
            slot = {"subject": subject, "attribute": attribute, "value": value}
            claim = {"type": "claim", "kind": "external", "person": "reader", "text": text}
            yield json.dumps({**claim, **slot, "sources": [site]})


def origin(site: str) -> str:
    """Return the origin a site's document is taken in with."""
    return f"site:{site}"


def credit(found: Iterable[str], wanted: str) -> float:
    """Return 1 for the right value, its share of a tie, 0 otherwise."""
    values = list(found)
    return (wanted in values) / len(values) if values else 0.0


def plain_vote(given: Given, truth: Mapping[Item, str]) -> float:
    """Return how often most of the sites are right."""
    total = 0.0
    for item, wanted in truth.items():
        votes = Counter(given.get(item, {}).values())
        most = max(votes.values(), default=0)
        total += credit((value for value, count in votes.items() if count == most), wanted)
    return total / len(truth)


def answered(memory: Memory, truth: Mapping[Item, str], by: str) -> float:
    """Return how often the values that lead in the store are right."""
    session = memory.session(person="reader")
    found: dict[Item, Weighing] = {
        (one.subject, one.attribute): one for one in session.weighings(by=by)
    }
    return sum(
        credit(found[item].leading if item in found else (), wanted)
        for item, wanted in truth.items()
    ) / len(truth)


def record(memory: Memory, groups: Iterable[Sequence[str]]) -> int:
    """Record groups of origins as one each and return how many origins that were."""
    count = 0
    for first, *others in groups:
        for other in others:
            memory.same_origin(first, other, reason="proposed from what they say alike")
        count += 1 + len(others)
    return count


def measure(
    name: str, given: Given, truth: Mapping[Item, str], groups: list[list[str]]
) -> Iterator[Row]:
    """Yield how often the answers are right: no class known, the groups that come with the data, those inferred."""
    plain = plain_vote(given, truth)

    def row(measure: str, value: float) -> Row:
        return {
            "data": name,
            "measure": measure,
            "value": round(value, 3),
            "baseline": "plain vote",
            "baseline_value": round(plain, 3),
        }

    with tempfile.TemporaryDirectory() as folder:
        for setting in ("none recorded", "groups given", "groups inferred"):
            if setting == "groups given" and not groups:
                continue
            print(f"{name}, {setting} …", file=sys.stderr, flush=True)
            with opened(Path(folder) / setting) as memory:
                report = memory.ingest(lines_of(given))
                if report.errors:
                    raise SystemExit(f"ingest failed: {report.errors[:3]}")
                if setting == "groups given":
                    record(memory, [[origin(site) for site in group] for group in groups])
                elif setting == "groups inferred":
                    started = perf_counter()
                    found = memory.copied_origins()
                    took = perf_counter() - started
                    origins = record(memory, [one.origins for one in found])
                    print(
                        f"  {origins} origins in {len(found)} groups, {took:.1f} s", file=sys.stderr
                    )
                yield row(f"one vote an origin, {setting}", answered(memory, truth, "count"))
                yield row(f"weighed by accuracy, {setting}", answered(memory, truth, "accuracy"))


def opened(path: Path) -> Memory:
    """Return a store without an embedder to speak of: nothing here is searched."""
    import numpy as np

    return Memory.open(
        path,
        embedder=CallableEmbedder("none", 1, lambda texts: np.ones((len(texts), 1), np.float32)),
    )


# --- what counting costs -------------------------------------------------------------------------------------------


def costs(sizes: Sequence[int] = (1, 10, 60), times: int = 20) -> Iterator[Row]:
    """Yield how long counting the independent origins of a claim takes, by the number of claims it rests on."""
    shapes: dict[str, Callable[[int], str]] = {
        "each of its own origin": lambda n: f"site:{n}",
        "of five origins": lambda n: f"site:{n % 5}",
    }
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "store") as memory:
        for place, (shape, origin_of) in enumerate(shapes.items()):
            for size in sizes:
                kim = memory.session(person=f"kim {place} {size}")
                bot = memory.session(person=f"kim {place} {size}", agent="bot")
                claim = None
                for n in range(size):
                    page = kim.document(f"page {n} of {size}: it is so", origin=origin_of(n))
                    note = bot.remember(f"page {n} says so", sources=[page], parents_complete=True)
                    claim = bot.remember("it is so", sources=[note], parents_complete=True)
                assert claim is not None
                took: list[float] = []
                for _ in range(times):
                    started = perf_counter()
                    found = kim.evidence_of(claim)
                    took.append(1000 * (perf_counter() - started))
                yield {
                    "data": "independence",
                    "measure": f"{size} ancestors {shape}: {found.independent} independent, ms p50",
                    "value": round(median(took), 2),
                    "baseline": "",
                    "baseline_value": 0.0,
                }


def run(shared: Path) -> list[Row]:
    """Return the rows of all data there is; what is not there is named and left out."""
    rows: list[Row] = []
    for name, read in (("fusion-flights", flights), ("fusion-books", books)):
        folder = shared / "benchmarks" / name
        if not folder.is_dir():
            print(f"{name} is not at {folder}: left out", file=sys.stderr)
            continue
        rows += measure(name, *read(folder))
    return [*rows, *costs()]


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    print(table(run(Path(arguments[0]) if arguments else shared_folder())))


if __name__ == "__main__":
    main(sys.argv[1:])
