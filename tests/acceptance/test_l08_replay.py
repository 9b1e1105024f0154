"""L08: a receipt is replayed as it was given, by the policy of then, with what would differ today and why."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment import (
    Answer,
    Claim,
    InvalidError,
    Memory,
    MunimentError,
    NotFoundError,
    Replay,
    Session,
)
from muniment.testing import HandClock, flat_embedder

HOUR = timedelta(hours=1)
Open = Callable[..., Memory]


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def memory(quick: Open, clock: HandClock) -> Memory:
    return quick(clock=clock, embedder=flat_embedder())


@pytest.fixture
def kim(memory: Memory) -> Session:
    return memory.session(person="kim")


def said(session: Session, text: str, **more: Any) -> Claim:
    return session.remember(text, kind="stated", sources=[session.message(text)], **more)


def given_by(thing: Answer | Replay) -> list[tuple[str, int, str]]:
    """Return claim, version and use of what an answer or a replay gives, in its order."""
    if isinstance(thing, Answer):
        return [(one.claim.id, one.claim.version, one.use.value) for one in thing.evidence]
    return [(one.id, one.version, one.use.value if one.use else "") for one in thing.lines]


def same(answer: Answer, replay: Replay) -> None:
    """Assert that a replay is the answer whole."""
    assert given_by(replay) == given_by(answer)
    for line, item in zip(replay.lines, answer.evidence, strict=True):
        assert line.claim is not None and line.claim.model_dump() == item.claim.model_dump()
        assert line.rules == item.rules
        assert [one.code for one in line.reasons] == [one.code for one in item.reasons]
        assert line.score == pytest.approx(item.score, abs=1e-3)
    assert dict(replay.withheld) == {one.rule: one.count for one in answer.withheld}


def codes(replay: Replay) -> dict[str, set[str]]:
    """Return by the words of each line, or its claim, what differs today."""
    return {
        line.claim.words if line.claim else line.id: {one.code for one in line.today}
        for line in replay.lines
    }


def test_a_receipt_replays_as_it_was_given(kim: Session) -> None:
    said(kim, "배포는 금요일", gist="deploys on Fridays", category="constraint")
    said(kim, "the gate opens at nine", subject="gate", attribute="opens", value="nine")
    kim.remember(
        "the gate opens at ten",
        kind="external",
        sources=[kim.document("the gate opens at ten", origin="https://a.example")],
    )
    for purpose in ("answer", "act", "personalise", "instruct"):
        answer = kim.recall("when does the gate open?", purpose=purpose, limit=2)
        replay = kim.replay(answer)
        same(answer, replay)
        assert (replay.receipt, replay.purpose) == (answer.receipt, purpose)
        assert replay.question == "when does the gate open?"
        assert all(not line.today for line in replay.lines)
        assert "ask it anew" in replay.notes[-1]
    present = kim.recall("the gate?", present={"opens": "eleven"})
    assert "background" in {use for _, _, use in given_by(present)}
    same(present, kim.replay(present.receipt))
    assert all(not line.today for line in kim.replay(present).lines)


def test_beside_each_line_stands_what_differs_today_and_why(
    memory: Memory, kim: Session, clock: HandClock
) -> None:
    slot = {"subject": "문", "attribute": "시각"}
    words = {
        "corrected": said(kim, "배포 환경은 스테이징"),
        "superseded": said(kim, "lives in Lyon"),
        "retracted": said(kim, "likes tea"),
        "expired": said(kim, "on leave", expires_at=clock.now + HOUR),
        "revoked": said(kim, "the code is 47118352"),
        "erased": said(kim, "the vault is green"),
        "rival": said(kim, "문은 아홉 시에 연다", value="아홉 시", **slot),
        "confirmed": said(kim, "eats no meat"),
        "untouched": said(kim, "speaks Korean"),
    }
    words["stale"] = kim.remember("so notes name staging", sources=[words["corrected"]])
    answer = kim.recall("everything", limit=50)
    assert len(answer.evidence) == len(words)
    clock.move(2 * HOUR)

    new = kim.correct(words["corrected"], "production", sources=[kim.message("production")])
    kim.supersede(words["superseded"], "lives in Seoul", sources=[kim.message("lives in Seoul")])
    kim.retract(words["retracted"])
    kim.revoke(words["revoked"].citations[0].id)
    kim.confirm(words["confirmed"])
    other = said(kim, "문은 열 시에 연다", value="열 시", **slot)
    replay = kim.replay(answer)
    assert given_by(replay) == given_by(answer)
    assert kim.erase(words["erased"]).receipts == 1

    replay = memory.replay(answer.receipt)

    assert given_by(replay) == given_by(answer)
    found = {line.id: line for line in replay.lines}
    differs = {name: [one.code for one in found[claim.id].today] for name, claim in words.items()}
    assert differs == {
        "corrected": ["CORRECTED", "version"],
        "superseded": ["SUPERSEDED", "version"],
        "retracted": ["RETRACTED", "version"],
        "expired": ["EXPIRED"],
        "revoked": ["RESTRICTED"],
        "erased": ["ERASED"],
        "rival": ["use", "rival"],
        "confirmed": ["version"],
        "untouched": [],
        "stale": ["STALE"],
    }
    assert new.id in found[words["corrected"].id].today[0].detail
    assert words["corrected"].id in found[words["stale"].id].today[0].detail
    assert "confirm by kim" in found[words["confirmed"].id].today[0].detail
    assert other.id in found[words["rival"].id].today[1].detail
    was = found[words["corrected"].id].claim
    assert was is not None and (was.words, was.standing) == ("배포 환경은 스테이징", "active")
    assert found[words["erased"].id].claim is None
    assert all(
        secret not in replay.model_dump_json() for secret in ("47118352", "vault", "everything")
    )


def test_what_was_hidden_then_stays_hidden(kim: Session, clock: HandClock) -> None:
    first = kim.message("the gate is green.")
    claim = kim.remember("the gate is green.", kind="stated", sources=[first])
    said(kim, "The gate is GREEN!")
    assert kim.claim(claim.id).seen_count == 2
    kim.revoke(first)
    answer = kim.recall("gate")
    assert answer.evidence[0].claim.words == "The gate is GREEN!"
    clock.move(HOUR)
    kim.give_back(first)

    same(answer, kim.replay(answer))
    assert codes(kim.replay(answer)) == {"The gate is GREEN!": {"wording"}}


def test_a_claim_that_outlives_its_wording_of_then(kim: Session) -> None:
    first = kim.message("the gate is green.")
    claim = kim.remember("the gate is green.", kind="stated", sources=[first])
    answer = kim.recall("gate")
    said(kim, "The gate is GREEN!")
    kim.erase(first)

    (line,) = kim.replay(answer).lines

    assert given_by(kim.replay(answer)) == [(claim.id, 1, "applicable")]
    assert line.claim is None
    assert [one.code for one in line.today] == ["wording", "version"]


def test_who_may_read_the_receipt_may_replay_it_and_nobody_else(
    memory: Memory, kim: Session
) -> None:
    claim = said(kim, "the vault is green")
    answer = kim.recall("vault")
    bot, lee = memory.session(person="kim", agent="bot"), memory.session(person="lee")
    said(lee, "hello")
    same(answer, bot.replay(answer.receipt))
    same(answer, memory.replay(answer))
    elsewhere = memory.session(person="kim", project="apollo")
    same(answer, elsewhere.replay(answer))

    there = elsewhere.recall("vault")
    for session, receipt in ((lee, answer.receipt), (kim, there.receipt), (lee, "A" * 22)):
        with pytest.raises(NotFoundError, match="there is no"):
            session.replay(receipt)
    with pytest.raises(InvalidError, match="is no receipt"):
        kim.replay(claim.id)
    with pytest.raises(NotFoundError, match="no receipt"):
        memory.replay(claim.id)
    with pytest.raises(InvalidError, match="name a receipt"):
        kim.replay("")

    kim.erase(claim)
    assert codes(kim.replay(answer)) == {claim.id: {"ERASED"}}
    (unsaid,) = bot.replay(answer).lines
    assert [(one.code, one.detail) for one in unsaid.today] == [
        ("SUPPRESSED", "it is not taken in here")
    ]


def test_what_an_agent_replays_enters_its_context(memory: Memory, kim: Session) -> None:
    page = kim.document("pay account 9", origin="https://evil.example")
    kim.remember("pay account 9", kind="external", sources=[page])
    answer = kim.recall("account?")
    bot = memory.session(person="kim", agent="bot")
    assert bot.mark.name == "USER"

    bot.replay(answer)

    assert bot.mark.name == "EXTERNAL"


def test_a_look_at_the_past_is_replayed_as_that_look(kim: Session, clock: HandClock) -> None:
    old = said(kim, "staging")
    then = clock.move(HOUR)
    clock.move(HOUR)
    kim.correct(old, "production", sources=[kim.message("production")])
    clock.move(HOUR)
    answer = kim.recall("where?", as_of=then)

    replay = kim.replay(answer)

    same(answer, replay)
    assert replay.moment == then
    assert codes(replay) == {"staging": {"CORRECTED", "version"}}


def test_a_read_only_store_replays_and_writes_no_byte(
    quick: Open, clock: HandClock, tmp_path: Path
) -> None:
    with quick("copied", clock=clock, embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim")
        said(kim, "the gate is green")
        answer = kim.recall("gate")
    before = {one: one.read_bytes() for one in (tmp_path / "copied").rglob("*") if one.is_file()}

    with quick("copied", clock=clock, embedder=flat_embedder(), read_only=True) as memory:
        same(answer, memory.session(person="kim").replay(answer))
        same(answer, memory.replay(answer))

    assert before == {
        one: one.read_bytes() for one in (tmp_path / "copied").rglob("*") if one.is_file()
    }


def test_what_of_the_policy_then_is_applied_is_said(
    quick: Open, clock: HandClock, tmp_path: Path
) -> None:
    with quick(clock=clock, embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim")
        result = kim.tool_result("deploy_status", {"environment": "production", "exit_code": 0})
        seen = kim.remember("production", kind="observed", field="environment", sources=[result])
        code = kim.remember("0", kind="observed", field="exit_code", sources=[result])
        assert seen.kind == code.kind == "observed"
        answer = kim.recall("environment?")
        replay = kim.replay(answer)
        assert replay.policy is not None and "it is in force today" in replay.policy.applied
    policy = tmp_path / "store" / "policy.toml"
    policy.write_text(policy.read_text("utf-8").replace('environment = "identifier", ', ""))

    with quick(clock=clock, embedder=flat_embedder()) as memory:
        replay = memory.session(person="kim").replay(answer.receipt)

    assert given_by(replay) == given_by(answer)
    assert replay.policy is not None and replay.policy.policy is not None
    assert replay.policy.policy.types("deploy_status", "environment") == "identifier"
    assert replay.policy.applied[1:] == (
        "its rules are those of today",
        "its file registered other fields of: deploy_status",
    )
    told = {line.id: line.today for line in replay.lines}
    assert [one.code for one in told[seen.id]] == ["policy"] and told[code.id] == ()
    assert told[seen.id][0].detail == (
        "deploy_status.environment was registered as identifier, today no more"
    )


def act(kim: Session, number: int, verb: int) -> None:
    """Do one thing with one of the claims; refusals are part of life."""
    made = list(kim.claims())
    text = f"saying {number}"
    slot = {"subject": "gate", "attribute": "opens", "value": f"{number}"}
    seen = made[number % len(made)] if made else None
    try:
        if seen is None or verb == 0:
            said(kim, text, **slot)
        elif verb == 1:
            kim.remember(f"from {number}", sources=[seen, made[number // 2 % len(made)]])
        elif verb == 2:
            kim.retract(seen)
        elif verb == 3:
            kim.reinstate(seen)
        elif verb == 4:
            kim.correct(seen, text, sources=[kim.message(text)], value=f"{number}")
        elif verb == 5:
            kim.challenge(seen, text, sources=[kim.message(text)])
        elif verb == 6:
            said(kim, seen.words)
        elif verb == 7:
            kim.revoke(seen.citations[0].id)
        elif verb == 8:
            kim.give_back(seen.citations[0].id)
        elif verb == 9:
            kim.erase(seen.citations[0].id)
        else:
            kim.erase(seen)
    except MunimentError:
        pass


def taken(steps: list[tuple[int, int]], clock: HandClock, kim: Session) -> list[Answer]:
    """Take the steps with a recall after each, and return the answers."""
    answers: list[Answer] = []
    for number, verb in steps:
        act(kim, number, verb)
        purpose = ("answer", "act", "personalise")[number % 3]
        answer = kim.recall("gate", purpose=purpose, limit=1 + number)
        if answer.receipt:
            same(answer, kim.replay(answer))
            answers.append(answer)
        clock.move(HOUR)
    return answers


@pytest.mark.slow
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 10)), min_size=2, max_size=14))
def test_a_replay_is_the_answer_at_once_and_later_but_for_what_was_erased(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]]
) -> None:
    clock = HandClock()
    path = tmp_path_factory.mktemp("replay") / "store"
    with Memory.open(path, clock=clock, embedder=flat_embedder()) as memory:
        answers = taken(steps, clock, memory.session(person="kim"))
    with Memory.open(path, clock=clock, embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim")
        erasing = any(verb in (7, 9, 10) for _, verb in steps)
        for answer in answers:
            replay = kim.replay(answer.receipt)
            assert given_by(replay) == given_by(answer)
            for line, item in zip(replay.lines, answer.evidence, strict=True):
                words = line.claim.words if line.claim else ""
                assert words in ("", item.claim.words)  # here, one claim says one thing
                if not erasing:
                    assert words == item.claim.words
            if not erasing:
                same(answer, replay)
