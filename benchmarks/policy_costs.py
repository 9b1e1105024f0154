"""What deciding costs: the gate alone, and its share of a recall.

    python -m benchmarks.policy_costs [CLAIMS …]

The gate is the pure functions of `muniment.policy`, called with requests made beforehand. Beside each stands a
dictionary that holds the same verdicts ready under the same request as a tuple: it knows no rule, no reason and nothing
of times. Reading by purpose is also put to Casbin and Cedar with the same table as their policy, where they are
installed (`pip install 'muniment[peers]'`); before anything is timed each has to give the same verdict in every case.
The share of a recall is measured in a process of its own for each size: every decision a recall asks for is timed, and
timing takes time too, which is counted against the gate.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.scale import Row, TimedEmbedder, in_own_process, quantile, timed, words
from muniment import Memory
from muniment.claims import Category, Integrity, Kind, Lifecycle, Medium, Purpose, Verdict
from muniment.policy import (
    Ground,
    Readable,
    WriteRequest,
    judge_change,
    judge_claim,
    judge_read,
)
from muniment.retrieval import UniversalSentenceEncoder
from muniment.retrieval import recall as recall_room

ROUNDS = 5
LEAST = 0.5  # seconds a round takes at least
QUESTIONS = 50
RULES_IN_A_RECALL = ("judge_read", "judge_standing", "judge_use")
READS = list(product(Integrity, Category, Purpose))
Decide = Callable[[], object]


def decisions(every: Sequence[Decide]) -> float:
    """Return how many of these decisions are made in a second: the median of a few rounds."""
    found: list[float] = []
    for _ in range(ROUNDS):
        made, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < LEAST:
            for one in every:
                one()
            made += len(every)
        found.append(made / spent)
    return quantile(found, 0.5)


def looked_up(every: Sequence[Decide], keys: Sequence[tuple[object, ...]]) -> list[Decide]:
    """Return look-ups of the same verdicts in a dictionary."""
    ready = {key: one() for key, one in zip(keys, every, strict=True)}
    return [lambda key=key: ready[key] for key in keys]


def reads() -> list[Decide]:
    """Return one read for each integrity, category and purpose."""
    made = [
        (
            Readable(
                lifecycle=Lifecycle.ASSERTED, fresh=True, integrity=integrity, category=category
            ),
            purpose,
        )
        for integrity, category, purpose in READS
    ]
    return [lambda one=one, why=why: judge_read(one, why, now=0) for one, why in made]


def writes() -> tuple[list[Decide], list[tuple[object, ...]]]:
    """Return one write for each kind asked, category, integrity of its ground and mark, with what tells them apart."""
    keys = [
        (kind, category, integrity, mark)
        for kind, category, integrity, mark in product(Kind, Category, Integrity, Integrity)
    ]
    made = [
        WriteRequest(
            identified=True,
            by_agent=True,
            asked=kind,
            category=category,
            words="We deploy on Fridays. 배포는 금요일.",
            grounds=(
                Ground(
                    integrity=integrity,
                    medium=Medium.MESSAGE,
                    quoted=integrity,
                    by_person=integrity >= Integrity.USER,
                    whole=True,
                ),
            ),
            mark=mark,
        )
        for kind, category, integrity, mark in keys
    ]
    return [lambda one=one: judge_claim(one) for one in made], keys


def changes() -> tuple[list[Decide], list[tuple[object, ...]]]:
    """Return one change for each integrity of who asks and of what is changed, and for each standing of that."""
    keys = list(product(Integrity, Integrity, Lifecycle, (False, True)))
    return [
        lambda key=key: judge_change(actor=key[0], target=key[1], lifecycle=key[2], replaces=key[3])
        for key in keys
    ], [tuple(key) for key in keys]


def allowed() -> list[bool]:
    """Return what our gate says of every read."""
    return [one().verdict is Verdict.ALLOW for one in reads()]  # type: ignore[attr-defined]


def casbin_reads() -> list[Decide] | None:
    """Return the same reads put to Casbin, None where it is not installed."""
    try:
        import casbin  # a peer to stand beside, no part of the product
    except ImportError:
        return None
    model = casbin.Model()
    model.load_model_from_text(
        "[request_definition]\nr = sub, obj, act\n[policy_definition]\np = sub, obj, act\n"
        "[policy_effect]\ne = some(where (p.eft == allow))\n"
        "[matchers]\nm = r.sub == p.sub && r.obj == p.obj && r.act == p.act\n"
    )
    enforcer = casbin.Enforcer(model)
    named = [(one.name, category.value, why.value) for one, category, why in READS]
    enforcer.add_policies([list(one) for one, good in zip(named, allowed(), strict=True) if good])
    return [lambda one=one: enforcer.enforce(*one) for one in named]


_CEDAR = """
permit(principal, action == Action::"answer", resource);
permit(principal, action == Action::"act", resource) when { !resource.critical };
permit(principal, action == Action::"act", resource) when { resource.integrity >= 2 && !resource.account };
permit(principal, action == Action::"personalise", resource) when { resource.integrity >= 1 && !resource.critical };
permit(principal, action == Action::"instruct", resource) when { resource.integrity >= 3 && resource.directs };
"""


def cedar_reads() -> list[Decide] | None:
    """Return the same reads put to Cedar, one call each, None where it is not installed."""
    try:
        import cedarpy  # a peer to stand beside, no part of the product
    except ImportError:
        return None
    made: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    for integrity, category, purpose in READS:
        request = {
            "principal": 'Principal::"kim"',
            "action": f'Action::"{purpose.value}"',
            "resource": 'Claim::"one"',
            "context": {},
        }
        claim = {
            "uid": {"__entity": {"type": "Claim", "id": "one"}},
            "attrs": {
                "integrity": int(integrity),
                "critical": category in (Category.ACCOUNT, Category.CONTACT),
                "account": category
                is Category.ACCOUNT,  # none of these was confirmed by its service
                "directs": category is Category.CONSTRAINT,
            },
            "parents": [],
        }
        made.append((request, [claim]))
    return [lambda one=one: cedarpy.is_authorized(one[0], _CEDAR, one[1]).allowed for one in made]


def gate() -> Iterator[Row]:
    """Yield the decisions a second of each gate, beside what they are compared with."""
    read = reads()
    yield _rate("reading by purpose", read, "dictionary", looked_up(read, READS))
    for name, peer in (("Casbin", casbin_reads()), ("Cedar", cedar_reads())):
        if peer is None:
            print(
                f"{name} is not installed and left out: pip install 'muniment[peers]'",
                file=sys.stderr,
            )
            continue
        if [bool(one()) for one in peer] != allowed():
            raise SystemExit(f"{name} was given another policy: it decides otherwise")
        yield _rate("reading by purpose", read, name, peer)
    for measure, (ours, keys) in {
        "writing a claim": writes(),
        "changing a claim": changes(),
    }.items():
        yield _rate(measure, ours, "dictionary", looked_up(ours, keys))


def _rate(measure: str, ours: Sequence[Decide], baseline: str, theirs: Sequence[Decide]) -> Row:
    row: Row = {"measure": f"{measure}, {len(ours):,} cases", "unit": "decisions/s"}
    return row | {
        "value": decisions(ours), "baseline": baseline, "against": decisions(theirs)
    }  # fmt: skip


def lines(claims: int) -> Iterator[str]:
    """Yield a store of so many claims: one in ten a page's, one in a hundred a preference of the person's."""
    place = {"person": "kim", "project": "apollo"}
    yield json.dumps({"type": "message", "key": "m", "text": "What we settled that week.", **place})
    for number in range(claims):
        said = words(number)
        claim = {"type": "claim", "key": f"c{number}", "text": said, "sources": ["m"], **place}
        if number % 10 == 0:
            page = {
                "type": "document",
                "key": f"p{number}",
                "text": said,
                "origin": f"o{number % 97}",
            }
            yield json.dumps({**page, **place})
            claim |= {"kind": "external", "sources": [f"p{number}"]}
        elif number % 100 == 1:
            yield json.dumps({"type": "message", "key": f"s{number}", "text": said, **place})
            claim |= {"kind": "stated", "category": "preference", "sources": [f"s{number}"]}
        yield json.dumps(claim)


class Timed:
    """A rule that counts its calls and adds up the time they take."""

    def __init__(self, rule: Callable[..., object]) -> None:
        self._rule = rule
        self.seconds, self.calls = 0.0, 0

    def __call__(self, *given: object, **named: object) -> object:
        """Return what the rule decides."""
        start = time.perf_counter()
        try:
            return self._rule(*given, **named)
        finally:
            self.seconds += time.perf_counter() - start
            self.calls += 1


def measure(claims: int) -> list[Row]:
    """Return what the decisions of a recall cost in a store of so many claims."""
    room: Any = sys.modules[recall_room.__module__]
    dice = random.Random(5)
    asked = [" ".join(words(dice.randrange(claims)).split()[:5]) for _ in range(QUESTIONS)]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        embedder = TimedEmbedder(UniversalSentenceEncoder())
        with Memory.open(Path(folder) / "store", embedder=embedder) as memory:
            report = memory.ingest(list(lines(claims)))
            if report.errors:
                raise SystemExit(f"ingest failed: {report.errors[:3]}")
            memory.index()
            kim = memory.session(person="kim", project="apollo")
            kim.recall(asked[0])
            for purpose in (Purpose.ANSWER, Purpose.INSTRUCT):
                plain = [timed(partial(kim.recall, one, purpose=purpose)) for one in asked]
                rules = {name: Timed(getattr(room, name)) for name in RULES_IN_A_RECALL}
                kept = {name: getattr(room, name) for name in RULES_IN_A_RECALL}
                vars(room).update(rules)
                embedder.seconds = 0.0
                whole = sum(timed(partial(kim.recall, one, purpose=purpose)) for one in asked)
                vars(room).update(kept)
                rows += _shares(claims, purpose, plain, whole, embedder.seconds, rules)
    return rows


def _shares(
    claims: int,
    purpose: Purpose,
    plain: Sequence[float],
    whole: float,
    embedding: float,
    rules: dict[str, Timed],
) -> list[Row]:
    decided = sum(rule.seconds for rule in rules.values())
    calls = sum(rule.calls for rule in rules.values())
    if not calls:
        raise SystemExit("the recall asked for no decision: its rules have other names now")
    what = f"recall to {purpose.value}, {claims:,} claims"
    return [
        {"measure": f"{what}: deciding", "value": decided / QUESTIONS * 1e3, "unit": "ms",
         "baseline": "the whole recall, p50", "against": quantile(plain, 0.5) * 1e3},
        {"measure": f"{what}: share of policy", "value": decided / whole * 100, "unit": "%",
         "baseline": "share of the embedder", "against": embedding / whole * 100},
        {"measure": f"{what}: share of policy but for the embedder", "value": decided / (whole - embedding) * 100,
         "unit": "%", "baseline": "", "against": 0.0},
        {"measure": f"{what}: decisions", "value": calls / QUESTIONS, "unit": "a recall",
         "baseline": "", "against": 0.0},
    ]  # fmt: skip


def run(sizes: Sequence[int]) -> list[Row]:
    """Return the rates of the gate and its share of a recall at each size."""
    return [*gate(), *in_own_process("benchmarks.policy_costs", sizes)]


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the rows as a Markdown table."""
    yield "| measure | ours | baseline | |"
    yield "|---|---|---|---|"
    for row in rows:
        value = f"{float(row['value']):,.2f} {row['unit']}"
        against = f"{float(row['against']):,.2f} {row['unit']}" if row["baseline"] else ""
        yield f"| {row['measure']} | {value} | {against} | {row['baseline']} |"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        for line in table(run([int(size) for size in sys.argv[1:]] or [100_000])):
            print(line)
