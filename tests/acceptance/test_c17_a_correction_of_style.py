"""C17: a person's correction of style is a stated preference, scoped to the kind of task."""

from collections.abc import Callable

import pytest

from muniment import Memory

CORRECTIONS = (
    "stop using emojis",
    "이모지 좀 그만 써",
    "답이 너무 장황해",
    "Don't use tables, 표 쓰지 마",
)


@pytest.mark.parametrize("text", CORRECTIONS)
def test_filed_elsewhere_the_model_is_told(memory: Memory, who: str, text: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message(text)

    filed = bot.remember(text, kind="stated", category="fact", sources=[said])
    kept = bot.remember(text, kind="stated", category="preference", task="보고서", sources=[said])

    assert [hint.rule for hint in filed.hints] == ["STYLE_CORRECTION"]
    assert "“" in filed.hints[0].reason
    assert (kept.kind, kept.category, kept.task, kept.hints) == (
        "stated",
        "preference",
        "보고서",
        (),
    )
    assert kim.claim(kept.id).task == "보고서"


def test_it_comes_for_its_kind_of_task_only(quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("표 쓰지 마")
    for task in ("code review", "보고서"):
        bot.remember("표 쓰지 마", kind="stated", category="preference", task=task, sources=[said])
    said = kim.message("반말로 해")
    everywhere = bot.remember("반말로 해", kind="stated", category="preference", sources=[said])
    assert len(list(kim.claims())) == 3  # of another kind of task it is another preference

    def tasks(task: str, query: str = "zebra") -> set[str]:
        answer = bot.recall(query, task=task)
        assert everywhere.id in [item.claim.id for item in answer.evidence]
        return {item.claim.task for item in answer.evidence}

    assert tasks("code review") == {"code review", ""}
    assert tasks("Code reviews", query="표") == {"code review", ""}
    assert tasks("보고서 쓰기") == {"보고서", ""}
    assert tasks("메일") == {""}
    assert tasks("") == {"code review", "보고서", ""}  # nobody says what is at hand
    held = {one.rule: one.count for one in bot.recall("zebra", task="메일").withheld}
    assert held == {"ANOTHER_TASK": 2}


def test_a_replacement_keeps_its_task(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    said = kim.message("표 쓰지 마. 표는 셋까지만 써.")
    kept = kim.remember(
        "표 쓰지 마", kind="stated", category="preference", task="메일", sources=[said]
    )

    assert kim.supersede(kept, "표는 셋까지만 써", sources=[said]).task == "메일"
