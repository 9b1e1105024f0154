"""C04: being retrieved, repeated or summarised never raises trust, confidence or lifetime."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from muniment import Claim, Memory, Session

END = datetime(2035, 1, 1, tzinfo=UTC)


def exported(session: Session, claim: Claim) -> str:
    """Return the export line of a claim."""
    (line,) = [line for line in session.export() if json.loads(line).get("id") == claim.id]
    return line


def kept(kim: Session) -> Claim:
    """Return a claim with every sort of lifetime."""
    said = kim.message("배포 환경은 스테이징이다")
    return kim.remember(
        "배포 환경은 스테이징이다",
        kind="stated",
        category="decision",
        sources=[said],
        expires_at=END,
        recheck_at=END,
    )


@pytest.mark.slow
def test_a_thousand_recalls_leave_the_claim_byte_identical(quick: Callable[..., Memory]) -> None:
    kim = quick().session(person="kim")
    claim = kept(kim)
    before = exported(kim, claim)

    for number in range(1_000):
        purpose = ("answer", "act", "personalise", "instruct")[number % 4]
        kim.recall("배포 환경", purpose=purpose)

    assert exported(kim, claim) == before


def test_repeating_it_adds_a_mention_and_nothing_else(quick: Callable[..., Memory]) -> None:
    kim = quick().session(person="kim")
    first = kept(kim)

    again = [kept(kim) for _ in range(10)][-1]

    assert again.id == first.id and again.seen_count == 11
    held = {"version", "seen_count", "citations"}
    assert again.model_dump(exclude=held) == first.model_dump(exclude=held)


def test_repeating_a_guess_leaves_it_a_guess(quick: Callable[..., Memory]) -> None:
    memory = quick()
    bot, kim = memory.session(person="kim", agent="bot"), memory.session(person="kim")
    said = kim.message("서버 A로 해 봤어요")

    claim = bot.remember("kim prefers server A", sources=[said])
    for _ in range(10):
        claim = bot.remember("kim prefers server A", sources=[said])
        bot.recall("server", purpose="act")

    assert (claim.kind, claim.integrity.name, claim.authority.name) == (
        "inferred",
        "AGENT",
        "INFORM",
    )
    assert claim.confirmed_at is None


def test_summarising_it_neither_lifts_the_summary_nor_the_original(
    quick: Callable[..., Memory],
) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    claim = kept(kim)
    before = exported(kim, claim)

    made = claim
    for number in range(5):
        made = bot.remember(f"summary {number} of it", sources=[made])
        assert (made.kind, made.integrity.name) == ("inferred", "AGENT")
        assert made.expires_at is None or made.expires_at <= END

    assert exported(kim, claim) == before
