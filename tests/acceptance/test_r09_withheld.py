"""R09: what was withheld is counted with the rule that held it; an auditor sees which, a model and strangers do not."""

import hashlib
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from muniment import (
    Answer,
    Auditor,
    Claim,
    InvalidError,
    Memory,
    NotFoundError,
    Role,
    Session,
)
from muniment.claims import Verdict
from muniment.policy import MAY, RULES
from muniment.testing import HandClock
from muniment.tools import verify_raw

CANARIES = ("zanzibar", "quokka", "glockenspiel", "사번이공이삼", "견적마감표")


class World:
    """A project in which kim's claims are held back, each by another rule; lee's are of no concern to anybody else."""

    def __init__(self, memory: Memory, clock: HandClock) -> None:
        self.memory = memory
        self.kim = memory.session(person="김대리", project="apollo")
        self.bot = memory.session(person="김대리", project="apollo", agent="bot")
        self.lee = memory.session(person="lee", project="apollo")
        said = self.kim.message(
            "zanzibar 배포 하나. zanzibar 배포 둘. zanzibar 배포 셋. zanzibar 배포 넷. zanzibar 배포 다섯."
        )
        words = [f"zanzibar 배포 {one}." for one in ("하나", "둘", "셋", "넷", "다섯")]
        claims = [self.kim.remember(one, kind="stated", sources=[said]) for one in words]
        self.stands, retracted, muted, expiring, corrected = claims
        self.kim.retract(retracted)
        self.kim.mute(muted)
        self.kim.confirm(expiring, expires_at=clock() + timedelta(minutes=1))
        page = self.kim.document(
            "quokka zanzibar 배포 링크", origin="https://wiki.example/사번이공이삼"
        )
        outside = self.kim.remember(page.text, kind="external", sources=[page])
        self.kim.revoke(page)
        self.kim.correct(corrected, "zanzibar 배포 하나.", sources=[said])
        clock.now += timedelta(minutes=2)
        self.held = {
            "RETRACTED": {retracted.id},
            "MUTED": {muted.id},
            "EXPIRED": {expiring.id},
            "CORRECTED": {corrected.id},
            "RESTRICTED": {outside.id},
        }
        # What stands in the place of the corrected one names it, as its lineage, whoever may read that.
        self.unnamed = set[str]().union(*self.held.values()) - {corrected.id}
        theirs = self.lee.message("zanzibar 배포 견적마감표 glockenspiel")
        self.lees = self.lee.remember(theirs.text, kind="stated", sources=[theirs])
        self.lee.retract(self.lees)

    def ask(self, session: Session, limit: int = 10) -> Answer:
        """Return an answer to the question that everything here matches."""
        return session.recall("zanzibar 배포", limit=limit)


@pytest.fixture
def clock() -> HandClock:
    """Return a clock moved by hand."""
    return HandClock()


@pytest.fixture
def world(quick: Callable[..., Memory], clock: HandClock) -> World:
    """Return the world of one test."""
    return World(quick(clock=clock), clock)


def counted(answer: Answer) -> dict[str, int]:
    """Return how many claims each rule held back, as the asker is told."""
    return {one.rule: one.count for one in answer.withheld}


def looked(auditor: Auditor, *things: Answer | Claim | str) -> Iterator[str]:
    """Yield everything an auditor gets, as text."""
    yield from (one.model_dump_json() for one in auditor.journal())
    yield from (one.model_dump_json() for one in auditor.decisions())
    yield from (one.model_dump_json() for one in auditor.receipts())
    yield from (one.model_dump_json() for one in auditor.statuses())
    yield from (one.model_dump_json() for one in auditor.policy_versions())
    yield auditor.verify().model_dump_json()
    for thing in things:
        yield auditor.investigate(thing).model_dump_json()


def digest(folder: Path) -> str:
    """Return the digest of every byte below a folder."""
    whole = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            whole.update(str(file.relative_to(folder)).encode() + file.read_bytes())
    return whole.hexdigest()


def test_the_asker_learns_how_many_by_which_rule_and_never_which(world: World) -> None:
    expected = {rule: len(claims) for rule, claims in world.held.items()}

    for session in (world.kim, world.bot):
        answer = world.ask(session)

        assert counted(answer) == expected
        assert all(one.reason == RULES[one.rule].reason for one in answer.withheld)
        held = set[str]().union(*world.held.values())
        assert not held & {item.claim.id for item in answer.evidence}
        assert not any(name in answer.model_dump_json() for name in world.unnamed)


def test_what_is_nobody_elses_to_know_is_counted_for_nobody_else(world: World) -> None:
    assert counted(world.ask(world.lee)) == {"RETRACTED": 1}
    stranger = world.memory.session(person="stranger", project="apollo")
    assert counted(world.ask(stranger)) == {}
    assert counted(world.memory.session(person="김대리", project="other").recall("zanzibar")) == {}


def test_an_auditor_sees_which_by_which_rule(world: World) -> None:
    answer = world.ask(world.bot)

    seen = world.memory.auditor("park").receipt(answer)

    assert {one.rule: set(one.claims) for one in seen.withheld} == world.held
    assert {one.rule: one.count for one in seen.withheld} == counted(answer)
    assert [one.claim for one in seen.given] == [item.claim.id for item in answer.evidence]
    assert [one.rules for one in seen.given] == [item.rules for item in answer.evidence]
    assert seen in tuple(world.memory.auditor("park").receipts())


def test_what_did_not_fit_is_named_too(world: World) -> None:
    said = world.kim.message("glockenspiel 하나. glockenspiel 둘. glockenspiel 셋.")
    three = {
        world.kim.remember(f"glockenspiel {one}.", kind="stated", sources=[said]).id
        for one in ("하나", "둘", "셋")
    }
    answer = world.kim.recall("glockenspiel", limit=1)

    (held,) = (
        one
        for one in world.memory.auditor("park").receipt(answer).withheld
        if one.rule == "OVER_LIMIT"
    )

    assert set(held.claims) >= three - {answer.evidence[0].claim.id}
    assert held.count == len(held.claims) == counted(answer)["OVER_LIMIT"]


def test_a_constraint_held_back_is_named_whatever_was_asked(world: World) -> None:
    said = world.kim.message("Never on glockenspieldays.")
    claim = world.kim.remember(said.text, kind="stated", category="constraint", sources=[said])
    world.kim.retract(claim)

    answer = world.kim.recall("something else entirely")

    named = [one.claims for one in world.memory.auditor("park").receipt(answer).withheld]
    assert (claim.id,) in named


def test_a_model_that_investigates_its_own_receipt_does_not_learn_which(world: World) -> None:
    for session in (world.bot, world.kim):
        found = session.investigate(world.ask(session))
        bundle = json.loads(found.bundle)

        told = json.dumps([bundle["words"], bundle["status"]], ensure_ascii=False)
        assert not any(name in told for name in world.unnamed)
        assert "audit" in {one["why"] for one in bundle["withheld"]}
        assert [sort for sort, _ in verify_raw(found.bundle.encode(), found.key, "")] == []


def test_an_auditor_reads_no_word_and_no_name(world: World) -> None:
    answer = world.ask(world.bot)

    told = "\n".join(looked(world.memory.auditor("park"), answer, world.stands, world.lees))

    for canary in (*CANARIES, "김대리", "lee", "apollo", "wiki.example", "배포"):
        assert f'"{canary}"' not in told
        assert len(canary) < 6 or canary not in told
    for canary in ("zanzibar", "견적마감표", "김대리"):
        assert canary not in told


def test_an_auditor_writes_no_byte(world: World) -> None:
    answer = world.ask(world.bot)
    world.memory.index()  # what trails behind the journal by itself is up to it first
    before = digest(world.memory.path)

    list(looked(world.memory.auditor("park"), answer, world.stands))

    assert digest(world.memory.path) == before


def test_a_store_opened_read_only_is_audited_the_same(
    world: World, quick: Callable[..., Memory], clock: HandClock
) -> None:
    answer = world.ask(world.bot)
    seen = list(world.memory.auditor("park").receipts())
    world.memory.close()
    before = digest(world.memory.path)

    again = quick(clock=clock, read_only=True).auditor("park")

    assert list(again.receipts()) == seen
    assert len(list(looked(again, answer.receipt))) > 10
    assert digest(world.memory.path) == before


def test_the_whole_journal_is_there_with_its_decisions(world: World) -> None:
    auditor = world.memory.auditor("park")
    whole = list(auditor.journal())

    assert [one.seq for one in whole] == list(range(1, world.memory.store.state.seq + 1))
    assert list(auditor.journal(since=5)) == whole[4:]
    decided = list(auditor.decisions())
    assert decided == [one for one in whole if one.rule]
    assert all(one.reason == RULES[one.rule].reason for one in decided)
    with pytest.raises(Exception, match="LOWER_CHANGE|ONLY"):
        world.bot.retract(world.stands)
    refused = list(auditor.decisions(verdict=Verdict.REFUSE))
    assert [one.op for one in refused][-1] == "refusal"
    assert {one.rule for one in auditor.decisions(rule="OWN_WORDS")} == {"OWN_WORDS"}


def test_an_investigation_without_words_is_proved_elsewhere(world: World) -> None:
    audit = world.memory.auditor("park").investigate(world.stands)

    bundle = json.loads(audit.bundle)
    assert bundle["words"] == []
    assert {one["why"] for one in bundle["withheld"]} <= {"audit", "not quoted", "revoked"}
    assert [sort for sort, _ in verify_raw(audit.bundle.encode(), audit.key, "")] == []
    assert world.stands.id in {one.id for one in audit.statuses}
    assert "an auditor reads no words" in audit.undetermined[0]
    assert world.memory.auditor("park").investigate(world.lees).subject == world.lees.id


def test_of_a_receipt_whose_key_was_destroyed_only_the_number_is_known(world: World) -> None:
    answer = world.ask(world.kim)
    world.kim.erase(world.stands)

    seen = world.memory.auditor("park").receipt(answer.receipt)

    assert seen.withheld == ()
    assert [one.claim for one in seen.given] == [item.claim.id for item in answer.evidence]
    assert seen.notes[0].startswith("5 claims were withheld")


def test_what_is_named_wrong_says_the_way_out(world: World) -> None:
    auditor = world.memory.auditor("park")

    for attempt in (
        lambda: auditor.receipt(world.stands.id),
        lambda: auditor.receipt("unheard of"),
        lambda: auditor.investigate("unheard of"),
    ):
        with pytest.raises(NotFoundError):
            attempt()
    for wrong in (
        lambda: list(auditor.journal(since=0)),
        lambda: list(auditor.decisions(rule="NO_SUCH")),
        lambda: list(auditor.decisions(verdict="maybe")),
        lambda: auditor.receipt(""),
        lambda: world.memory.auditor(" "),
    ):
        with pytest.raises(InvalidError):
            wrong()


def test_an_auditor_has_no_verb_that_writes() -> None:
    verbs = {name for name in dir(Auditor) if not name.startswith("_")}
    named = {call.partition(".")[2] for call in MAY if call.startswith("Auditor.")}

    assert named == verbs
    assert not [call for call in MAY if call.startswith("Session.") and Role.AUDITOR in MAY[call]]
