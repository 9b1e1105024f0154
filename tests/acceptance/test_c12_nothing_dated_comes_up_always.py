"""C12: what holds for a time or one occasion is declined for always-on memory unless it carries an expiry."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from muniment import Memory, RefusedError

Open = Callable[..., Memory]
ENDS = datetime(2030, 1, 1, tzinfo=UTC)
DATED = (
    "이번 주만 A 프로젝트에 집중해 줘",
    "This week only, focus on project A",
    "오늘은 존댓말로 해 줘",
    "이번 sprint에는 답을 짧게 해 줘, this sprint only",
    "Use metric units until 2026-04-01",
    "당분간 배포하지 마",
    "4월 3일까지 영어로 답해",
    "Answer in French for now",
    "티켓 4711에는 표를 쓰지 마",
)
LASTING = (
    "매주 금요일에 배포 전에 알려 줘",
    "Always show today's date in the header",
    "파일은 UTF-8로 저장해 줘",
    "한 번만 물어보고 진행해",
    "Deploy on Fridays, never on Mondays",
    "오늘의 날짜를 머리말에 넣어 줘",
)


def rule_of(do: Callable[[], object]) -> tuple[str, str]:
    """Return the rule that refuses a thing and its reason."""
    with pytest.raises(RefusedError) as raised:
        do()
    return raised.value.decision.rule, raised.value.decision.reason


@pytest.mark.parametrize("category", ["preference", "constraint"])
def test_a_model_is_declined_and_told_which_text(memory: Memory, who: str, category: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")

    for text in DATED:
        said = kim.message(text)
        for kind in ("stated", "inferred"):

            def ask(text: str = text, kind: str = kind, said: object = said) -> object:
                return bot.remember(text, kind=kind, category=category, sources=[said])  # type: ignore[list-item]

            rule, reason = rule_of(ask)
            assert rule == "TIME_BOUND" and "“" in reason and "expires_at" in reason, text
    assert list(kim.claims()) == []


def test_with_an_expiry_or_as_a_fact_it_is_kept(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    for text in DATED:
        said = kim.message(text)
        kept = bot.remember(
            text, kind="stated", category="preference", sources=[said], expires_at=ENDS
        )
        assert kept.expires_at == ENDS and kept.decision.rule == "OWN_WORDS"
        assert bot.remember(f"{text}, she said", sources=[said]).category == "fact"


@pytest.mark.parametrize("text", LASTING)
def test_what_lasts_is_no_false_alarm(memory: Memory, who: str, text: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message(text)

    kept = bot.remember(text, kind="stated", category="preference", sources=[said])

    assert (kept.kind, kept.decision.rule) == ("stated", "OWN_WORDS")


@pytest.mark.parametrize("text", DATED)
def test_a_dated_line_of_a_model_stays_out_of_the_block(
    memory: Memory, who: str, text: str
) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    kim.rewrite_block("Call me 민지")

    rule, reason = rule_of(lambda: bot.rewrite_block(f"Call me 민지\n{text}"))

    assert rule == "TIME_BOUND" and "“" in reason
    assert kim.block().text == "Call me 민지"
    said = kim.message(text)
    claim = bot.remember(
        text, kind="stated", category="preference", sources=[said], expires_at=ENDS
    )
    done = bot.rewrite_block(f"Call me 민지\n{text}", sources=[claim])  # it leaves with the claim
    assert done.block.text.endswith(text) and not done.held


def test_by_no_way_of_replacing_either(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message("이번 주만 영어로 답해. 오늘만 짧게.")
    made = bot.remember("kim likes short answers", category="preference", sources=[said])

    for verb in (bot.correct, bot.supersede, bot.challenge):
        rule, _ = rule_of(lambda verb=verb: verb(made, "오늘만 짧게", sources=[said]))  # type: ignore[misc]
        assert rule == "TIME_BOUND"
    assert kim.claim(made.id).standing == "active"
