"""Whether what is newer comes first, told from plain text when it is read: no slot declared, no model asked.

    python -m benchmarks.succession [SHARED]

FactConsolidation: every statement is a message and a claim of one person, in serial order. Counted is whether the
first evidence of `Session.recall` holds the current answer, and how often it is one that was overwritten.
BEAM: every chat is a channel, its user a person, its assistant an agent. Of the knowledge updates whose two statements
are two turns and of which one is among the first ten turns of `Session.search_conversations`, counted is how often the
first turn of the new one stands before the first of the old (the old one missing counts as before, the new one missing
not). Of the contradictions, how often both sides are among the first ten turns.
Beside it plain BM25 in the same process, and of its first two the newer one first.
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.search_quality import PlainBm25, Row, table
from benchmarks.shared import shared_folder
from muniment import Memory, Session

DEPTH = 10
_FACTS = Path("benchmarks/factconsolidation-6k")
_BEAM = Path("benchmarks/beam-100k/beam100k_dev.jsonl")


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise SystemExit(f"no data for measuring at {path}; see benchmarks/shared.py")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def newer_of_two(found: Sequence[int]) -> list[int]:
    """Return positions found with the later of the first two first: the plainest use of time there is."""
    return [*sorted(found[:2], reverse=True), *found[2:]]


@dataclass(slots=True)
class Facts:
    """How often the first one found holds the answer, and how often it is overwritten, one entry a question."""

    right: list[bool] = field(default_factory=list[bool])
    old: list[bool] = field(default_factory=list[bool])

    def take(self, asked: Mapping[str, Any], first: int | None, facts: Sequence[Any]) -> None:
        """Count the position of the statement that came first."""
        text = "" if first is None else facts[first]["text"].casefold()
        self.right.append(any(answer.casefold() in text for answer in asked["answers"]))
        self.old.append(first is not None and _is_overwritten(facts, first))


def _is_overwritten(facts: Sequence[Any], at: int) -> bool:
    slot = ("predicate", "subject")
    own = [facts[at][name] for name in slot]
    return any([later[name] for name in slot] == own for later in facts[at + 1 :])


def consolidation(shared: Path) -> Iterator[Row]:
    """Yield how often the current value comes first, for questions of one hop; and of several, where it counts less."""
    facts = _lines(shared / _FACTS / "facts.jsonl")
    questions = _lines(shared / _FACTS / "questions_dev.jsonl")
    tallies = {hops: [Facts() for _ in range(3)] for hops in ("single", "multi")}
    plain = PlainBm25(fact["text"] for fact in facts)
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "store") as memory:
        person = memory.session(person="reader")
        claims: dict[str, int] = {}
        for at, fact in enumerate(facts):
            said = person.message(fact["text"])
            claims[person.remember(fact["text"], kind="stated", sources=[said]).id] = at
        memory.index()
        for asked in questions:
            found = person.recall(asked["question"], limit=DEPTH).evidence
            best = plain.best(asked["question"], DEPTH)
            ours = [claims[item.claim.id] for item in found]
            for tally, order in zip(
                tallies[asked["hops"]], (ours, best, newer_of_two(best)), strict=True
            ):
                tally.take(asked, order[0] if order else None, facts)
    for hops, (ours, plainly, newer) in tallies.items():
        for name, against in (("BM25", plainly), ("BM25, newer of two", newer)):
            yield _row(
                "Facts",
                f"{hops} hop, answer first",
                _share(ours.right),
                name,
                _share(against.right),
            )
            if hops == "single":
                yield _row(
                    "Facts", "overwritten first", _share(ours.old), name, _share(against.old)
                )


def _messages(name: str, chat: Mapping[str, Any]) -> Iterator[str]:
    for said in chat["messages"]:
        yield json.dumps(
            {
                "type": "message",
                "key": f"{name}/{said['id']}",
                "person" if said["role"] == "user" else "agent": said["role"],
                "channel": name,
                "session": f"{name}/{said['time']}",
                "text": _text(said),
            }
        )


def _text(said: Mapping[str, Any]) -> str:
    return re.sub(r"\s*->->.*$", "", said["content"]).strip()


@dataclass(slots=True)
class Turns:
    """What became of updates and contradictions, one entry a question."""

    newer_first: list[bool] = field(default_factory=list[bool])
    of_both: list[bool] = field(default_factory=list[bool])
    both_sides: list[bool] = field(default_factory=list[bool])

    def take(self, asked: Mapping[str, Any], found: Sequence[int]) -> None:
        """Count where the evidence of a question stands among the first ten."""
        sides = {name: frozenset(ids) for name, ids in asked["source_chat_ids"].items()}
        if asked["ability"] == "contradiction_resolution":
            self.both_sides.append(all(side & set(found) for side in sides.values()))
            return
        old, new = sides["original_info"], sides["updated_info"]
        if old == new:
            return
        was = next((at for at, turn in enumerate(found) if turn in old), None)
        now = next((at for at, turn in enumerate(found) if turn in new), None)
        if was is not None or now is not None:
            self.newer_first.append(now is not None and (was is None or now < was))
        if was is not None and now is not None:
            self.of_both.append(now < was)


def chats(shared: Path) -> Iterator[Row]:
    """Yield how often an updated statement stands before the original, and a contradiction comes whole."""
    items = _lines(shared / _BEAM)
    tallies = [Turns() for _ in range(3)]
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "store") as memory:
        for number, chat in enumerate(items):
            report = memory.ingest(_messages(f"chat {number}", chat))
            if report.errors:
                raise SystemExit(f"ingest failed: {report.errors[:3]}")
        memory.index()
        for number, chat in enumerate(items):
            session = memory.session(person="user", channel=f"chat {number}")
            _ask(session, chat, tallies)
    ours, *others = tallies
    for name, against in zip(("BM25 turn", "BM25, newer of two"), others, strict=True):
        for measure, values, beside in (
            ("newer first, one found", ours.newer_first, against.newer_first),
            ("newer first, both found", ours.of_both, against.of_both),
            ("both sides in ten", ours.both_sides, against.both_sides),
        ):
            measure = f"{measure} ({len(values)})"
            yield _row("BEAM", measure, _share(values), name, _share(beside))


def _ask(session: Session, chat: Mapping[str, Any], tallies: Sequence[Turns]) -> None:
    ids = [said["id"] for said in chat["messages"]]
    kept = (json.loads(line) for line in session.export())
    sources = [item["id"] for item in kept if item["type"] == "source"]
    turn_of = dict(zip(sources, ids, strict=True))
    plain = PlainBm25(_text(said) for said in chat["messages"])
    for asked in chat["questions"]:
        if asked["ability"] in ("knowledge_update", "contradiction_resolution"):
            hits = session.search_conversations(asked["question"], limit=DEPTH).hits
            best = plain.best(asked["question"], DEPTH)
            orders = ([turn_of[hit.source] for hit in hits], *_turns(ids, best))
            for tally, order in zip(tallies, orders, strict=True):
                tally.take(asked, order)


def _turns(ids: Sequence[int], best: Sequence[int]) -> Iterator[list[int]]:
    for order in (best, newer_of_two(best)):
        yield [ids[at] for at in order]


def run(shared: Path) -> list[Row]:
    """Return one row a measure, with the baseline it stands beside."""
    return [*consolidation(shared), *chats(shared)]


def _row(data: str, measure: str, value: float, baseline: str, against: float) -> Row:
    return {
        "data": data,
        "measure": measure,
        "value": round(value, 3),
        "baseline": baseline,
        "baseline_value": round(against, 3),
    }


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held) if held else 0.0


if __name__ == "__main__":
    print(table(run(Path(sys.argv[1]) if sys.argv[1:] else shared_folder())))
