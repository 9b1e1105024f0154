"""Replays of group F: what expires is there until its moment, never after it, and says which times it had."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from muniment import Memory, Session
from muniment.testing import HandClock, flat_embedder

from .conftest import recalled, stated

PURPOSES = ("answer", "personalise", "act", "instruct")
WEEK = "이번 주는 배포하지 않는다"


def test_m_f1_half_past_midnight_in_seoul_ends_the_day_before_in_utc(
    kim: Session, clock: HandClock
) -> None:
    clock.now = datetime(2026, 2, 20, tzinfo=UTC)
    end = datetime.fromisoformat("2026-03-01T00:30+09:00")
    claim = stated(kim, WEEK, category="constraint", expires_at=end)

    clock.now = datetime(2026, 2, 28, 15, 29, tzinfo=UTC)
    assert recalled(kim, "배포?") == [WEEK]
    clock.now = datetime(2026, 2, 28, 15, 31, tzinfo=UTC)
    assert recalled(kim, "배포?") == []
    assert kim.claim(claim.id).standing == "expired"
    assert kim.claim(claim.id).expires_at == end


def test_m_f2_what_expired_is_hidden_whatever_looks_for_it(
    kim: Session, memory: Memory, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = clock() + timedelta(days=1)
    stated(kim, WEEK, category="constraint", expires_at=end)
    stated(kim, "이번 주는 조용하다", category="decision")
    assert WEEK in recalled(kim, WEEK)
    clock.move(timedelta(days=1))

    def looked(session: Session) -> list[list[str]]:
        return [recalled(session, WEEK, purpose=purpose, limit=99) for purpose in PURPOSES]

    assert all(WEEK not in words for words in looked(kim))  # keywords and vectors together
    memory.close()
    path = memory.path

    def broken(*_: object) -> list[list[float]]:
        raise RuntimeError("no vectors today")

    for name, options in {
        "keywords": {"embedder": type(flat_embedder())("flat", 8, broken)},
        "claim by claim": {"embedder": flat_embedder(), "read_only": True},
    }.items():
        with Memory.open(path, clock=clock, **options) as again:  # type: ignore[arg-type]
            found = looked(again.session(person="kim"))
            assert all(WEEK not in words for words in found), name
            assert any(found), name
    with Memory.open(path, clock=clock, embedder=flat_embedder()) as again:
        monkeypatch.setattr(type(again), "index_now", None)
        assert all(WEEK not in words for words in looked(again.session(person="kim")))
        withheld = again.session(person="kim").recall(WEEK).withheld
        assert ("EXPIRED", 1) in {(one.rule, one.count) for one in withheld}


def test_m_f4_an_end_in_the_past_is_never_current(kim: Session, clock: HandClock) -> None:
    claim = stated(kim, WEEK, category="constraint", expires_at=clock() - timedelta(seconds=1))

    assert claim.standing == "expired"
    for purpose in PURPOSES:
        assert recalled(kim, WEEK, purpose=purpose) == []
    assert [one.id for one in kim.claims(standing="expired")] == [claim.id]
    assert list(kim.claims(standing="active")) == []


def test_m_f5_a_line_of_the_block_goes_with_the_claim_it_was_taken_from(
    kim: Session, bot: Session, clock: HandClock
) -> None:
    claim = stated(kim, WEEK, expires_at=clock() + timedelta(days=7))
    bot.rewrite_block(f"Call me 민지\n{WEEK}", sources=[claim])
    clock.move(timedelta(days=7) - timedelta(microseconds=1))
    assert bot.block().text == f"Call me 민지\n{WEEK}"

    clock.move(timedelta(microseconds=1))

    block = bot.block()
    assert block.text == "Call me 민지" and WEEK not in block.header + block.text
    assert [(line.text, line.claim, line.standing) for line in block.review] == [
        (WEEK, claim.id, "expired")
    ]
    assert [line.standing for line in block.lines] == [None]


def test_m_f5_the_command_line_says_why_a_line_is_left_out(
    memory: Memory, kim: Session, bot: Session, clock: HandClock,
    elsewhere: Callable[..., tuple[int, list[dict[str, object]]]],
) -> None:  # fmt: skip
    claim = stated(kim, WEEK, expires_at=datetime.now(UTC) - timedelta(days=1))
    bot.rewrite_block(f"Call me 민지\n{WEEK}", sources=[claim])
    memory.close()

    code, (block,) = elsewhere("block", "--person", "kim")

    assert code == 0 and [line["standing"] for line in block["review"]] == ["expired"]  # type: ignore[attr-defined]


def test_m_f7_reading_and_checking_move_no_expiry(
    kim: Session, memory: Memory, clock: HandClock
) -> None:
    end = clock() + timedelta(minutes=10)
    claim = stated(kim, WEEK, category="constraint", expires_at=end)

    clock.move(timedelta(minutes=9))
    assert recalled(kim, WEEK) == [WEEK]
    clock.move(timedelta(seconds=30))
    assert kim.claim(claim.id).standing == "active"
    assert memory.rebuild()
    clock.move(timedelta(seconds=90))
    assert kim.claim(claim.id).standing == "expired"
    assert recalled(kim, WEEK) == []
    assert kim.claim(claim.id).expires_at == end
    assert kim.claim(claim.id).version == claim.version


def test_m_f8_what_was_true_of_the_past_says_from_when_to_when(
    kim: Session, tmp_path: Path
) -> None:
    first, last = datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)
    words = "She lived in Lyon 리옹."
    claim = stated(kim, words, valid_from=first, valid_to=last)

    answer = kim.recall("Where does she live?")

    assert answer.evidence == ()
    assert ("EXPIRED", 1) in {(one.rule, one.count) for one in answer.withheld}
    (listed,) = kim.claims(standing="expired")
    assert (listed.id, listed.valid_from, listed.valid_to) == (claim.id, first, last)
