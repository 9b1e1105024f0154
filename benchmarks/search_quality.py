"""How well the index finds what is asked for, beside plain BM25 in the same process.

    python -m benchmarks.search_quality [SHARED]

`SHARED` is the folder that holds `benchmarks/locomo`, `benchmarks/beam-100k` and `benchmarks/parakqc` (dev halves).
Recall@k is the share of a question's evidence among the first k found, averaged over the questions with evidence.
Every conversation is a scope of its own, and one default serves all the data. Beside it stand BM25, and BM25 with
vectors added by standard scores or by reciprocal ranks (RRF). LoCoMo's adversarial questions name the wrong speaker:
the AUROC is how often `doubt` is higher for one of them than for one of the answerable; .5 is chance.
"""

import json
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.baselines import Fusions, PlainBm25, RememberingEncoder, auroc
from muniment.retrieval import Entry, Found, Index, WordsAndPairs

Row = dict[str, str | float]
DEPTHS = (1, 5, 10, 20)
ADVERSARIAL, MULTI_HOP = "5", "1"  # categories of LoCoMo
# The one who asks speaks of themselves so; the host knows which speaker that is.
ASKER = ("I", "my", "me", "mine", "I'm", "I've", "I'd", "myself")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: its place in the data, its thread within the conversation, its speaker and its words."""

    name: str
    thread: int
    speaker: int
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the names of the turns that answer it, and what sort of question it is."""

    text: str
    evidence: frozenset[str]
    sort: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in order, questions about them, and ready-made claims with the turns they came from."""

    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    speakers: Mapping[str, int]
    claims: tuple[tuple[str, frozenset[str]], ...] = ()


def locomo(shared: Path) -> list[Conversation]:
    """Return the LoCoMo dev conversations; a picture's caption counts as words of its turn."""
    found: list[Conversation] = []
    for item in json.loads((shared / "benchmarks/locomo/locomo5_dev.json").read_text("utf-8")):
        talk = item["conversation"]
        speakers = {talk["speaker_a"]: 1, talk["speaker_b"]: 2}
        turns = tuple(
            Turn(
                said["dia_id"],
                number,
                speakers[said["speaker"]],
                f"{said['text']} {said.get('blip_caption', '')}",
            )
            for number in range(1, 100)
            for said in talk.get(f"session_{number}", ())
        )
        claims = tuple(
            (text, _turn_names(str(origin)))
            for session in item["observation"].values()
            for told in session.values()
            for text, origin in told
        )
        questions = (
            Question(
                asked["question"], _turn_names(" ".join(asked["evidence"])), str(asked["category"])
            )
            for asked in item["qa"]
        )
        found.append(
            Conversation(turns, tuple(q for q in questions if q.evidence), speakers, claims)
        )
    return found


def beam(shared: Path) -> list[Conversation]:
    """Return the BEAM dev chats; messages under one time anchor make a thread."""
    found: list[Conversation] = []
    for line in (
        (shared / "benchmarks/beam-100k/beam100k_dev.jsonl").read_text("utf-8").splitlines()
    ):
        item = json.loads(line)
        anchors: dict[str, int] = {}
        turns = tuple(
            Turn(
                str(said["id"]),
                anchors.setdefault(said["time"], len(anchors) + 1),
                1 if said["role"] == "user" else 2,
                re.sub(r"\s*->->.*$", "", said["content"]),
            )
            for said in item["messages"]
        )
        questions = (
            Question(q["question"], frozenset(_numbers(q.get("source_chat_ids", []))), q["ability"])
            for q in item["questions"]
        )
        found.append(
            Conversation(turns, tuple(q for q in questions if q.evidence), dict.fromkeys(ASKER, 1))
        )
    return found


def chunks(text: str, longest: int = 4000, most: int = 10) -> Iterator[str]:
    """Yield pieces of at most `longest` characters cut at white space, at most `most` of them."""
    for _ in range(most):
        if len(text) <= longest:
            yield text
            return
        cut = max(text.rfind(" ", longest // 2, longest), text.rfind("\n", longest // 2, longest))
        cut = cut if cut > 0 else longest
        yield text[:cut]
        text = text[cut:].lstrip()


@dataclass(slots=True)
class Tally:
    """Recall of one way of looking, by depth, and at ten by sort of question."""

    by_depth: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    by_sort: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def take(
        self, question: Question, found: Sequence[frozenset[str]], wanted: frozenset[str]
    ) -> None:
        """Count how much of what is wanted the first 1, 5, 10 and 20 found hold."""
        for depth in DEPTHS:
            held = frozenset[str]().union(*found[:depth])
            self.by_depth[depth].append(len(wanted & held) / len(wanted))
        self.by_sort[question.sort].append(self.by_depth[10][-1])

    def at(self, depth: int) -> float:
        """Return mean recall at a depth."""
        return _mean(self.by_depth[depth])


@dataclass(slots=True)
class Doubts:
    """What speaks for answering nothing, by question: of those that name the wrong speaker, and of the others."""

    wrong: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)

    def take(self, question: Question, doubt: float) -> None:
        """Count the doubt about one question."""
        (self.wrong if question.sort == ADVERSARIAL else self.right).append(doubt)

    @property
    def auroc(self) -> float:
        """How often the doubt is higher where the wrong speaker is named."""
        return auroc(self.wrong, self.right)


@dataclass(slots=True)
class Tallies:
    """The ways of looking that are compared."""

    turns: Tally = field(default_factory=Tally)
    unnamed: Tally = field(default_factory=Tally)
    threads: Tally = field(default_factory=Tally)
    claims: Tally = field(default_factory=Tally)
    plain_turn: Tally = field(default_factory=Tally)
    plain_pair: Tally = field(default_factory=Tally)
    plain_thread: Tally = field(default_factory=Tally)
    plain_claim: Tally = field(default_factory=Tally)
    summed: Tally = field(default_factory=Tally)
    ranked: Tally = field(default_factory=Tally)
    doubt: Doubts = field(default_factory=Doubts)
    other_share: Doubts = field(default_factory=Doubts)
    raw_score: Doubts = field(default_factory=Doubts)


def ask(index: Index, talks: Sequence[Conversation], embedder: RememberingEncoder) -> Tallies:
    """Return how well the index and plain BM25 answer every question of the conversations."""
    tallies, node = Tallies(), 1
    for scope, talk in enumerate(talks, start=1):
        entries, names = _entries(talk, scope, node)
        index.add(entries, applied=node)
        node += len(talk.turns) + len(talk.claims)
        _ask_index(index, talk, frozenset({scope}), names, tallies)
        _ask_plain(talk, tallies, embedder)
    return tallies


def _entries(
    talk: Conversation, scope: int, node: int
) -> tuple[list[Entry], dict[int, frozenset[str]]]:
    """Return the entries of a conversation, nodes from `node` on, and the turns each node stands for."""
    entries: list[Entry] = []
    names: dict[int, frozenset[str]] = {}
    for number, turn in enumerate(talk.turns, start=node):
        names[number] = frozenset({turn.name})
        for chunk, text in enumerate(chunks(turn.text)):
            entries.append(Entry(number, chunk, "turn", scope, text, turn.thread, turn.speaker))
    for number, (text, origin) in enumerate(talk.claims, start=node + len(talk.turns)):
        names[number] = origin
        entries.append(Entry(number, 0, "claim", scope, text))
    return entries, names


def _ask_index(
    index: Index,
    talk: Conversation,
    scopes: frozenset[int],
    names: Mapping[int, frozenset[str]],
    to: Tallies,
) -> None:
    threads = {turn.name: str(turn.thread) for turn in talk.turns}
    for question in talk.questions:
        text, wanted = question.text, question.evidence

        def turns(found: Found) -> list[frozenset[str]]:
            return [names[candidate.node] for candidate in found.candidates]

        named = index.turns(text, scopes=scopes, limit=20, speakers=talk.speakers)
        to.turns.take(question, turns(named), wanted)
        to.doubt.take(question, named.doubt or 0.0)
        to.unnamed.take(question, turns(index.turns(text, scopes=scopes, limit=20)), wanted)
        held = index.threads(text, scopes=scopes, limit=20, speakers=talk.speakers).candidates
        homes = frozenset(threads[name] for name in wanted if name in threads)
        if homes:
            to.threads.take(
                question, [frozenset({str(candidate.node)}) for candidate in held], homes
            )
        if talk.claims:
            to.claims.take(question, turns(index.claims(text, scopes=scopes, limit=20)), wanted)


def others_share(question: str, speakers: Mapping[str, int], found: Sequence[int]) -> float:
    """Return the share of the first five, given by their speakers, that is not by the one speaker a question names."""
    named = {number for name, number in speakers.items() if re.search(rf"\b{name}\b", question)}
    if len(named) != 1 or not found:
        return 0.0
    return _mean([float(speaker not in named) for speaker in found[:5]])


def _ask_plain(talk: Conversation, to: Tallies, embedder: RememberingEncoder) -> None:
    texts, homes = [turn.text for turn in talk.turns], [turn.thread for turn in talk.turns]
    pairs = [
        f"{texts[at - 1]} {text}" if at and homes[at - 1] == homes[at] else text
        for at, text in enumerate(texts)
    ]
    numbers = sorted(set(homes))
    whole = [
        " ".join(t for t, home in zip(texts, homes, strict=True) if home == number)
        for number in numbers
    ]
    threads = {turn.name: str(turn.thread) for turn in talk.turns}
    single, paired, threaded = PlainBm25(texts), PlainBm25(pairs), PlainBm25(whole)
    claimed = PlainBm25(text for text, _ in talk.claims)
    fusions = Fusions(texts, single, embedder)
    for question in talk.questions:
        text, wanted = question.text, question.evidence
        summed, ranked = fusions.best(text, 20)
        first = single.best(text, 20)
        for found, tally in (
            (first, to.plain_turn),
            (paired.best(text, 20), to.plain_pair),
            (summed, to.summed),
            (ranked, to.ranked),
        ):
            tally.take(question, [frozenset({talk.turns[at].name}) for at in found], wanted)
        speakers = [talk.turns[at].speaker for at in first]
        to.other_share.take(question, others_share(text, talk.speakers, speakers))
        to.raw_score.take(question, -max(single.scores(text).values(), default=0.0))
        held = frozenset(threads[name] for name in wanted if name in threads)
        if held:
            homes_found = [frozenset({str(numbers[at])}) for at in threaded.best(text, 20)]
            to.plain_thread.take(question, homes_found, held)
        if talk.claims:
            to.plain_claim.take(
                question, [talk.claims[at][1] for at in claimed.best(text, 20)], wanted
            )


def parakqc(index: Index, shared: Path) -> list[Row]:
    """Return recall@10 of the nine other wordings of a Korean question, by its first wording, among 5,000."""
    lines = (shared / "benchmarks/parakqc/parakqc_dev.jsonl").read_text("utf-8").splitlines()
    texts = [text for line in lines for text in json.loads(line)["sentences"]]
    scope, first = 1_000_000, 1_000_000
    index.add(
        [Entry(first + at, 0, "claim", scope, text) for at, text in enumerate(texts)], applied=first
    )
    plain = PlainBm25(texts)
    fused: list[float] = []
    baseline: list[float] = []
    for at in range(0, len(texts), 10):
        found = index.claims(texts[at], scopes=frozenset({scope}), limit=11).candidates
        for ranked, scores in (
            ([candidate.node - first for candidate in found], fused),
            (plain.best(texts[at], 11), baseline),
        ):
            others = [one for one in ranked if one != at][:10]
            scores.append(sum(one // 10 == at // 10 for one in others) / 9)
    return [measured("ParaKQC", "claim R@10", _mean(fused), "BM25", _mean(baseline))]


def run(shared: Path) -> list[Row]:
    """Return one row a measure: data, measure, value, and the baseline it stands beside."""
    embedder = RememberingEncoder()
    with tempfile.TemporaryDirectory() as place:
        index = Index.open(
            Path(place),
            key=bytes(32),
            embedder=embedder,
            tokeniser=WordsAndPairs(),
        )
        rows: list[Row] = []
        for data, talks in (("LoCoMo", locomo(shared)), ("BEAM", beam(shared))):
            index.clear()
            found = ask(index, talks, embedder)
            rows.extend(_compared(data, found))
        index.clear()
        return rows + parakqc(index, shared)


def _compared(data: str, found: Tallies) -> Iterator[Row]:
    """Yield the rows of one data set."""
    for depth in DEPTHS:
        yield measured(
            data, f"turn R@{depth}", found.turns.at(depth), "BM25 turn", found.plain_turn.at(depth)
        )
    for name, tally in (("z-score sum", found.summed), ("RRF, equal weights", found.ranked)):
        for depth in (1, 5, 10):
            yield measured(data, f"turn R@{depth}", found.turns.at(depth), name, tally.at(depth))
    pair = found.plain_pair.at(10)
    yield measured(data, "turn R@10", found.turns.at(10), "BM25 previous + turn", pair)
    yield measured(
        data, "turn R@10, no speakers given", found.unnamed.at(10), "BM25 previous + turn", pair
    )
    for depth in (1, 5, 10):
        yield measured(
            data,
            f"thread R@{depth}",
            found.threads.at(depth),
            "BM25 thread",
            found.plain_thread.at(depth),
        )
    if data == "LoCoMo":
        hops = _mean(found.turns.by_sort[MULTI_HOP])
        for name, tally in (
            ("BM25 previous + turn", found.plain_pair),
            ("z-score sum", found.summed),
            ("RRF, equal weights", found.ranked),
        ):
            yield measured(
                data, "turn R@10, multi-hop", hops, name, _mean(tally.by_sort[MULTI_HOP])
            )
        yield from abstaining(found.doubt, found.other_share, found.raw_score)
        for depth in (1, 10):
            yield measured(
                data,
                f"claim R@{depth}",
                found.claims.at(depth),
                "BM25 claim",
                found.plain_claim.at(depth),
            )


def abstaining(doubt: Doubts, other_share: Doubts, raw_score: Doubts) -> Iterator[Row]:
    """Yield how well doubt tells LoCoMo's adversarial questions from the answerable ones."""
    for name, baseline in (
        ("others' share of top 5", other_share),
        ("best raw score", raw_score),
    ):
        yield measured("LoCoMo", "abstention AUROC", doubt.auroc, name, baseline.auroc)


def _turn_names(text: str) -> frozenset[str]:
    """Return the turn names in a text, repaired: "D:11:26" and "D30:05" name D11:26 and D30:5."""
    return frozenset(f"D{int(a)}:{int(b)}" for a, b in re.findall(r"D:?(\d+):(\d+)", text))


def _numbers(held: Any) -> Iterator[str]:
    """Yield every number in nested lists and dicts, as text."""
    if isinstance(held, int):
        yield str(held)
    elif isinstance(held, dict):
        yield from _numbers(list(held.values()))  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(held, list):
        for one in held:  # pyright: ignore[reportUnknownVariableType]
            yield from _numbers(one)


def measured(data: str, measure: str, value: float, baseline: str, baseline_value: float) -> Row:
    """Return one row: what was measured on which data, and the baseline it stands beside."""
    return {
        "data": data,
        "measure": measure,
        "value": round(value, 3),
        "baseline": baseline,
        "baseline_value": round(baseline_value, 3),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table for a terminal."""
    return "\n".join(
        f"{row['data']:<8} {row['measure']:<30} {row['value']:>6.3f}   "
        f"{row['baseline']:<21} {row['baseline_value']:>6.3f}"
        for row in rows
    )


if __name__ == "__main__":
    from benchmarks.shared import shared_folder

    print(table(run(Path(sys.argv[1]) if sys.argv[1:] else shared_folder())))
