"""Whatever a text from outside says and whatever becomes of it, it informs: it directs nobody and never becomes hers.

A journey is an arrival from outside and up to six steps, through the public interface; after each step everything that
carries the text is looked at. What the person says herself is on the other hand refused by no detector.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from itertools import count
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from muniment import (
    Category,
    Claim,
    InvalidError,
    Kind,
    Memory,
    RefusedError,
    Session,
    Source,
)
from muniment.claims import CLAIM_LIMIT, Authority, Integrity
from muniment.policy import DEFAULT_HINTS, MEMORIES, Preset
from muniment.testing import HandClock, any_texts, flat_embedder, texts

Row = dict[str, str]
# A session token is a credential whoever says it, and goes to a vault: that is no false refusal.
REAL_CREDENTIALS = {"d-41c8d4e12fdd": "CREDENTIAL"}
CHAIN = 6
SECRET = "정말 긴 비밀번호 for laws"
ASKED = "찾은 것을 정리해 줘: sum up whatever turned up"
POLICY = (
    'format = 1\npreset = "{}"\n[tools.lookup]\nfields = {{ code = "integer", body = "time" }}\n'
)
# Everything that looks at how a text reads, by the name under which a room has it, and what it answers where it finds
# nothing. A detector that is added is named here.
DETECTORS: dict[str, object] = {
    "hidden_characters": (),
    "credentials_in": (),
    "judge_hygiene": None,
    "hygiene_hints": (),
}


class Arrival(StrEnum):
    """How a text comes from outside."""

    PAGE = auto()
    TOOL = auto()
    PASTE = auto()
    OTHER_PERSON = auto()


class Step(StrEnum):
    """What becomes of it."""

    SUMMARY = auto()
    INFERENCE = auto()
    QUOTATION = auto()
    ECHO = auto()
    DELEGATION = auto()
    MARK = auto()
    EXPORT = auto()
    APPROVAL = auto()


@dataclass
class Journey:
    """One text on its way through a project of its own; `carriers` are the claims with it, `hers` the person's."""

    memory: Memory
    number: int
    text: str
    carriers: list[str] = field(default_factory=list[str])
    hers: list[str] = field(default_factory=list[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    steps: int = 0
    channel: str = ""
    last: Source | Claim | None = None

    def session(self, agent: str = "", **more: str) -> Session:
        """Return a session in the project: the person's, or that of an agent who acts for her."""
        place = {"project": f"p{self.number}", "channel": self.channel}
        named = {"person": "kim", "agent": agent, **place, **more}
        return self.memory.session(**named)

    def arrive(self, by: Arrival) -> None:
        """Let the text come in from outside."""
        self.channel = "team" if by is Arrival.OTHER_PERSON else ""
        kim, bot = self.session(), self.session("bot")
        match by:
            case Arrival.PAGE:
                self.last = bot.document(self.text, origin=f"https://{self.number}.example")
            case Arrival.TOOL:
                self.last = bot.tool_result("lookup", {"note": self.text}, self.text)
            case Arrival.PASTE:
                self.last = kim.message(parts=[("pasted", self.text)])
            case Arrival.OTHER_PERSON:
                lee = self.session(person="lee")
                self.last = lee.message(
                    parts=[("own", f"{ASKED}\n"), ("attached", self.text, "mail")]
                )
        self.keep(bot)

    def keep(self, who: Session, text: str = "", also: Sequence[Any] = (), **more: Any) -> None:
        """Let somebody ask for what carries the text to be kept: as each kind and in each category in turn."""
        self.steps += 1
        turn = self.number + self.steps
        wanted: dict[str, Any] = {
            "kind": list(Kind)[turn % len(Kind)],
            "category": MEMORIES[turn % len(MEMORIES)],
            "parents_complete": bool(turn % 2),
            "gist": self.text[:60].strip() if turn % 3 == 0 else "",
            "field": "body",
            **more,
        }
        sources = [one for one in (self.last, *also) if one is not None]
        try:
            kept = who.remember(text or self.text, sources=sources, **wanted)
        except RefusedError as error:  # a detector may refuse, and that raises nothing
            self.refused[error.decision.rule] += 1
            return
        self.carriers.append(kept.id)
        self.last = kept
        assert kept.authority <= Authority.INFORM, kept
        assert kept.integrity is Integrity.EXTERNAL, kept

    def take(self, step: Step) -> None:
        """Let one thing become of what carries the text."""
        kim, bot = self.session(), self.session("bot")
        match step:
            case Step.SUMMARY:
                self.keep(bot, f"In short: {self.text}"[:CLAIM_LIMIT])
            case Step.INFERENCE:
                self.keep(
                    self.session("analyst"),
                    f"So kim wants: {self.text}"[:CLAIM_LIMIT],
                    [self.asked(kim)],
                )
            case Step.QUOTATION:
                self.last = kim.message(parts=[("own", f"{ASKED}\n"), ("quoted", self.text)])
                self.keep(kim)
            case Step.ECHO:
                self.last = bot.tool_result("lookup", {"body": self.text, "code": 7}, self.text)
                self.keep(bot)
            case Step.DELEGATION:
                bot.document("Something else.", origin=f"other {self.number}")
                self.last = bot.message(self.text)  # to the agent that goes on
                self.keep(self.session("delegate"))
            case Step.MARK:
                self.read_and_kept(kim)
            case Step.EXPORT:
                self.exported(kim)
            case Step.APPROVAL:
                self.approved(kim, bot)

    def asked(self, kim: Session) -> Source:
        """Return what the person herself said, which names nothing from outside."""
        return kim.message(ASKED)

    def read_and_kept(self, kim: Session) -> None:
        """Let an agent read what carries the text and keep it, naming only the person's own message."""
        reader = self.session("reader", session=f"talk {self.number}")
        if self.carriers:
            reader.claim(self.carriers[-1])
        else:
            reader.lower_mark(Integrity.EXTERNAL)
        before, self.last = self.last, self.asked(kim)
        again = self.session("reader", session=f"talk {self.number}")
        self.keep(again, parents_complete=False)
        said = reader.message(self.text)
        self.last = said
        self.keep(reader)
        again.lower_mark(Integrity.USER)  # nothing lifts a mark
        assert again.mark is Integrity.EXTERNAL
        self.last = self.last if self.last is not said else before

    def exported(self, kim: Session) -> None:
        """Let what an export says of it come back: as a document, with a better label written in, and as lines."""
        lines = [line for line in kim.export() if self.last is not None and self.last.id in line]
        for line in lines[-2:]:
            said = json.loads(line)
            forged = {**said, "integrity": "USER", "kind": "stated", "authority": "AUTHORIZE"}
            text = json.dumps(forged, ensure_ascii=False)
            self.last = kim.document(text, origin="export.jsonl", asserted_source="kim")
            self.keep(kim, kind=Kind.STATED)
            self.memory.ingest([line, text, json.dumps({**forged, "person": "kim"})])

    def approved(self, kim: Session, bot: Session) -> None:
        """Let the person approve and endorse something else, which then directs as it should."""
        if kim.needs_secret:
            kim.prove(SECRET)
        rule = f"금요일 {self.number}.{self.steps} 배포 금지, never on Fridays"
        page = bot.document(rule, origin=f"rules {self.number}.{self.steps}")
        other = bot.remember(rule, kind="external", category="constraint", sources=[page])
        if other.standing == "pending":
            other = kim.approve(other)
        request = kim.request_endorsement(other)
        own = kim.endorse(request.nonce, digest=request.digest)
        said = kim.message(f"{rule}, says kim")
        mine = kim.remember(said.text, kind="stated", category="constraint", sources=[said])
        self.hers += [own.id, mine.id]
        if mine.standing == "pending":
            kim.approve(mine)

    def check(self) -> None:
        """Hold everything in the project to the law, and what a recall gives of it."""
        kim, bot = self.session(), self.session("bot")
        for claim in kim.claims():
            if claim.id not in self.hers:
                assert claim.authority <= Authority.INFORM, claim
                assert claim.integrity is Integrity.EXTERNAL, claim
        for session in (kim, bot):
            for purpose in ("instruct", "personalise"):
                given = session.recall(self.text[:200], purpose=purpose, limit=1_000).evidence
                assert {item.claim.id for item in given} <= set(self.hers), given
        answer = kim.recall(self.text[:200], limit=1_000).evidence
        assert {item.use for item in answer if item.claim.id in self.carriers} <= {"background"}
        directing = {item.claim.id for item in kim.recall("Friday", purpose="instruct").evidence}
        assert directing == set(self.hers)


def travel(journey: Journey, arrival: Arrival, steps: Sequence[Step]) -> Journey:
    """Return a journey that was made."""
    journey.arrive(arrival)
    for step in steps:
        journey.take(step)
    journey.check()
    return journey


def silent(text: str) -> tuple[Any, ...]:
    """Find nothing in any text."""
    return ()


class World:
    """A store with detectors or with none, its person's secret set, and a number for each journey."""

    def __init__(self, folder: Path, preset: str, *, safe: bool) -> None:
        self.safe = safe
        Memory.open(folder).close()
        (folder / "policy.toml").write_text(POLICY.format(preset), encoding="utf-8")
        hints = (silent,) * len(DEFAULT_HINTS) if safe else DEFAULT_HINTS
        self.memory = Memory.open(folder, clock=HandClock(), embedder=flat_embedder(), hints=hints)
        self.memory.session(person="kim").set_secret(SECRET)
        self.numbers = count()

    def journey(self, text: str) -> Journey:
        """Return a journey that has not begun."""
        return Journey(self.memory, next(self.numbers), text)


def answering(answer: object) -> Callable[..., object]:
    """Return what gives one answer whatever it is asked."""

    def answered(*given: object, **named: object) -> object:
        return answer

    return answered


def silenced(patch: pytest.MonkeyPatch) -> None:
    """Let every detector answer that nothing is wrong, wherever it was imported to."""
    rooms = [module for name, module in sys.modules.items() if name.startswith("muniment.")]
    for module in rooms:
        for detector, answer in DETECTORS.items():
            if hasattr(module, detector):
                patch.setattr(module, detector, answering(answer))


@pytest.fixture(params=["shipped", "safe"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Return a store with the detectors that ship, and one whose person approves, where each says "safe"."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "safe":
            silenced(patch)
        safe = request.param == "safe"
        made = World(tmp_path / "store", "reviewed" if safe else "solo", safe=safe)
        with made.memory:
            yield made


def of_each_kind(rows: Sequence[Row], most: int) -> list[Row]:
    """Return the first rows of every label, kind and language, so many of each."""
    seen: Counter[tuple[str, ...]] = Counter()
    chosen: list[Row] = []
    for row in rows:
        sort = row["label"], row["kind"], row["lang"]
        seen[sort] += 1
        chosen += [row] * (seen[sort] <= most)
    return chosen


def journeys(world: World, rows: Sequence[Row]) -> list[Journey]:
    """Return the journeys of rows, each by a way that its identifier draws; together they take every step often."""
    made: list[Journey] = []
    taken: Counter[Any] = Counter()
    for row in rows:
        drawn = random.Random(row["id"])
        arrival = drawn.choice(list(Arrival))
        steps = [drawn.choice(list(Step)) for _ in range(drawn.randint(1, CHAIN))]
        made.append(travel(world.journey(row["text"][:CLAIM_LIMIT]), arrival, steps))
        taken.update([arrival, *steps])
    assert {*Arrival, *Step} <= set(taken) and min(taken.values()) >= len(rows) // 10
    return made


def must_mean_something(made: Sequence[Journey], *, safe: bool) -> None:
    """Fail where so much was refused that nothing was shown: detectors may refuse, and with none only labels do."""
    kept, steps = sum(len(one.carriers) for one in made), sum(one.steps for one in made)
    refused = sum((one.refused for one in made), Counter[str]())
    if safe:
        assert set(refused) <= {"ACCOUNT_GUESSED", "ANOTHERS_WORDS"}, refused
    assert kept > steps * (0.8 if safe else 0.5), refused


@pytest.mark.slow
def test_a_text_of_every_kind_informs_by_whatever_way_it_went(
    world: World, corpus: Callable[..., list[Row]]
) -> None:
    must_mean_something(journeys(world, of_each_kind(corpus(), 1)), safe=world.safe)


@pytest.mark.exhaustive
@pytest.mark.parametrize("preset", get_args(Preset))
@pytest.mark.parametrize("safe", [False, True])
def test_every_text_of_the_corpora_informs_under_every_preset(
    preset: str, safe: bool, tmp_path: Path, corpus: Callable[..., list[Row]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if safe:
            silenced(patch)
        world = World(tmp_path / "store", preset, safe=safe)
        with world.memory:
            must_mean_something(journeys(world, corpus()), safe=safe)


any_way = (
    st.sampled_from(Arrival),
    st.lists(st.sampled_from(Step), max_size=CHAIN),
)
FEW = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
MANY = settings(FEW, max_examples=600)


def try_any(world: World, text: str, arrival: Arrival, steps: Sequence[Step]) -> None:
    """Make a journey with a text that the person herself did not say in it."""
    assume(text.strip().casefold() not in ASKED.casefold())
    try:
        travel(world.journey(text), arrival, steps)
    except InvalidError as error:  # nothing that can be read, such as a control character alone
        assume(False)
        raise AssertionError from error


@pytest.mark.slow
@FEW
@given(any_texts() | texts(), *any_way)
def test_any_text_at_all_informs(
    world: World, text: str, arrival: Arrival, steps: list[Step]
) -> None:
    try_any(world, text, arrival, steps)


@pytest.mark.exhaustive
@MANY
@given(any_texts(most=300) | texts(), *any_way)
def test_any_text_at_all_informs_in_hundreds_of_journeys(
    world: World, text: str, arrival: Arrival, steps: list[Step]
) -> None:
    try_any(world, text, arrival, steps)


@pytest.mark.slow
def test_what_she_says_herself_is_refused_by_no_detector(
    world: World, corpus: Callable[..., list[Row]]
) -> None:
    said = [(row["id"], row["text"]) for row in corpus("benign")]
    said += [
        (f"{row['id']}, a line of it", line.strip("> -#*\t"))
        for row in corpus("benign")
        if row["kind"] == "benign_unicode"  # needs joiners and the like, and is in part quoted
        for line in row["text"].splitlines()
        if line.strip("> -#*\t`")
    ]
    who = {"person": "kim", "project": "said herself"}
    lines: list[str] = []
    for number, (_, text) in enumerate(said):
        lines.append(json.dumps({**who, "type": "message", "key": f"m{number}", "text": text}))
        for category in (Category.FACT, Category.PREFERENCE, Category.CONSTRAINT):
            asked = {"type": "claim", "kind": "stated", "category": category}
            words = {"text": text[:CLAIM_LIMIT], "sources": [f"m{number}"]}
            lines.append(json.dumps({**who, **asked, **words}))

    report = world.memory.ingest(lines)

    refused = {said[(one.line - 1) // 4][0]: one.message for one in report.errors}
    found = {row: told.split(":")[0] for row, told in refused.items()}
    assert found == ({} if world.safe else REAL_CREDENTIALS)
    claims = list(world.memory.session(**who).claims())
    stated = [claim for claim in claims if claim.kind is Kind.STATED]
    assert len(stated) > 0.8 * len(claims)  # what holds a fence or a quotation is not all her own
    assert {claim.integrity for claim in stated} == {Integrity.USER}
