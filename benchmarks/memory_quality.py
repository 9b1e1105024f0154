"""How well a store finds what was said and what was claimed, asked through its sessions; beside plain BM25.

    python -m benchmarks.memory_quality [SHARED]

Every LoCoMo dev conversation is a channel; each turn is a message of its speaker, each ready-made observation a claim
that the first of the two notes, resting on the turns it came from: her own words, or what she heard. Recall@k is the
share of a question's evidence turns among the first k found (for claims: among the turns they cite), averaged over the
questions with evidence. The AUROC is that of `Turns.doubt` for LoCoMo's adversarial questions, which name the wrong
speaker, against the answerable ones.
"""

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.baselines import PlainBm25
from benchmarks.search_quality import (
    MULTI_HOP,
    Conversation,
    Doubts,
    Row,
    Tally,
    abstaining,
    locomo,
    others_share,
    table,
)
from benchmarks.shared import shared_folder
from muniment import Memory, Session

DEPTH = 20


def asker(talk: Conversation) -> str:
    """Return the name of the one who keeps and asks: the first of the two."""
    return next(iter(talk.speakers))


def lines(name: str, talk: Conversation) -> Iterator[str]:
    """Yield a conversation as JSON lines."""
    speakers = {number: speaker for speaker, number in talk.speakers.items()}
    for turn in talk.turns:
        yield json.dumps(
            {
                "type": "message",
                "key": f"{name}/{turn.name}",
                "person": speakers[turn.speaker],
                "channel": name,
                "session": f"{name}/{turn.thread}",
                "text": turn.text.strip(),
            }
        )
    for number, (text, origin) in enumerate(talk.claims):
        yield json.dumps(
            {
                "type": "claim",
                "key": f"{name}/claim {number}",
                "person": asker(talk),
                "channel": name,
                "text": text,
                "sources": sorted(f"{name}/{turn}" for turn in origin),
            }
        )


def turns_by_source(memory: Memory, talk: Conversation, name: str) -> dict[str, str]:
    """Return the turn's name behind each source, looked up by the idempotency keys' order of writing."""
    session = memory.session(person=asker(talk), channel=name)
    found = [json.loads(line) for line in session.export()]
    sources = [item["id"] for item in found if item["type"] == "source"]
    return dict(zip(sources, (turn.name for turn in talk.turns), strict=True))


def ask(
    memory: Memory,
    talk: Conversation,
    name: str,
    tallies: dict[str, Tally],
    doubts: dict[str, Doubts],
) -> None:
    """Count how well the store and plain BM25 answer one conversation's questions."""
    person: Session = memory.session(person=asker(talk), channel=name)
    turn_of = turns_by_source(memory, talk, name)
    thread_of = {turn.name: f"{name}/{turn.thread}" for turn in talk.turns}
    plain = PlainBm25(turn.text for turn in talk.turns)
    texts = [turn.text for turn in talk.turns]
    homes = [turn.thread for turn in talk.turns]
    paired = PlainBm25(
        f"{texts[at - 1]} {text}" if at and homes[at - 1] == homes[at] else text
        for at, text in enumerate(texts)
    )
    names = [turn.name for turn in talk.turns]
    for question in talk.questions:
        wanted = question.evidence & set(names)
        if not wanted:
            continue
        turns = person.search_conversations(question.text, limit=DEPTH)
        tallies["turns"].take(
            question, [frozenset({turn_of[hit.source]}) for hit in turns.hits], wanted
        )
        doubts["doubt"].take(question, turns.doubt or 0.0)
        speakers = [talk.turns[at].speaker for at in plain.best(question.text, 5)]
        doubts["share"].take(question, others_share(question.text, talk.speakers, speakers))
        best = max(plain.scores(question.text).values(), default=0.0)
        doubts["raw"].take(question, -best)
        homes_wanted = frozenset(thread_of[turn] for turn in wanted)
        found = [frozenset({hit.conversation}) for hit in turns.conversations]
        tallies["sessions"].take(question, found, homes_wanted)
        claims = person.recall(question.text, limit=DEPTH).evidence
        cited = [frozenset(turn_of.get(c.id, "") for c in item.claim.citations) for item in claims]
        tallies["claims"].take(question, cited, wanted)
        for ranker, tally in ((plain, "plain"), (paired, "paired")):
            ranked = [frozenset({names[at]}) for at in ranker.best(question.text, DEPTH)]
            tallies[tally].take(question, ranked, wanted)


def run(shared: Path) -> list[Row]:
    """Return one row a measure, with the baseline it stands beside and the share of the turns returned."""
    talks = locomo(shared)
    tallies = {name: Tally() for name in ("turns", "sessions", "claims", "plain", "paired")}
    doubts = {name: Doubts() for name in ("doubt", "share", "raw")}
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "store") as memory:
        for number, talk in enumerate(talks):
            report = memory.ingest(lines(f"talk {number}", talk))
            if report.errors:
                raise SystemExit(f"ingest failed: {report.errors[:3]}")
        memory.index()
        for number, talk in enumerate(talks):
            print(f"conversation {number + 1} of {len(talks)} …", file=sys.stderr, flush=True)
            ask(memory, talk, f"talk {number}", tallies, doubts)
    turns = sum(len(talk.turns) for talk in talks) / len(talks)
    return [*_rows(tallies, turns), *abstaining(*doubts.values())]


def _rows(tallies: dict[str, Tally], turns: float) -> Iterator[Row]:
    def row(measure: str, value: float, baseline: str, against: float) -> Row:
        return {
            "data": "LoCoMo",
            "measure": measure,
            "value": round(value, 3),
            "baseline": baseline,
            "baseline_value": round(against, 3),
        }

    ours = tallies["turns"]
    for depth in (1, 5, 10, 20):
        share = f"turn R@{depth} ({depth / turns:.1%} returned)"
        yield row(share, ours.at(depth), "BM25 turn", tallies["plain"].at(depth))
    yield row("turn R@10", ours.at(10), "BM25 previous + turn", tallies["paired"].at(10))
    hops, paired = (tallies[name].by_sort[MULTI_HOP] for name in ("turns", "paired"))
    mean, against = sum(hops) / len(hops), sum(paired) / len(paired)
    yield row("turn R@10, multi-hop", mean, "BM25 previous + turn", against)
    for depth in (5, 10):
        yield row(f"session R@{depth}", tallies["sessions"].at(depth), "", 0.0)
    for depth in (1, 10):
        yield row(
            f"recall over claims R@{depth}",
            tallies["claims"].at(depth),
            "BM25 turn",
            tallies["plain"].at(depth),
        )


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    print(table(run(Path(arguments[0]) if arguments else shared_folder())))


if __name__ == "__main__":
    main(sys.argv[1:])
