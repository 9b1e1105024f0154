"""R03: the rule of recall of each category is data and decides; likeness is never the only rule."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from muniment import Answer, Category, Claim, Memory, Session
from muniment.policy import CATEGORIES, MEMORIES
from muniment.testing import flat_embedder

Open = Callable[..., Memory]
Rule = Callable[[Category, str], None]


@pytest.fixture
def ruled(monkeypatch: pytest.MonkeyPatch) -> Rule:
    """Return what gives a category another rule of recall."""

    def change(category: Category, recall: str) -> None:
        row = CATEGORIES[category].model_copy(update={"recall": recall})
        monkeypatch.setitem(CATEGORIES, category, row)

    return change


def kept(kim: Session, text: str, **more: Any) -> Claim:
    more = {"kind": "stated", **more}
    return kim.remember(text, sources=[kim.message(text)], **more)


def words(answer: Answer) -> list[str]:
    return [item.claim.words for item in answer.evidence]


@pytest.mark.parametrize("category", [one for one in MEMORIES if one is not Category.DEFINITION])
@pytest.mark.parametrize("recall", ["always", "similar", "similar and recent", "same tool"])
def test_the_row_decides_and_nothing_else_does(
    memory: Memory, who: str, ruled: Rule, category: Category, recall: str
) -> None:
    kim = memory.session(person=f"{who} {category} {recall}")
    text = "한강 다리 아래 ffmpeg 크레인이 서 있다"
    kept(kim, text, category=category)
    ruled(category, recall)

    unasked, alike = words(kim.recall("zebra")), words(kim.recall("크레인이 어디 서 있나"))
    by_tool = words(kim.recall("zebra", tools=["ffmpeg"]))
    to_act = words(kim.recall("크레인이 어디 서 있나", purpose="personalise"))

    assert unasked == ([text] if recall == "always" else [])
    assert alike == [text]
    assert by_tool == ([text] if recall in ("always", "same tool") else [])
    if not CATEGORIES[category].critical:
        assert to_act == ([] if recall == "same tool" else [text])


def test_what_may_never_come_does_not(memory: Memory, who: str, ruled: Rule) -> None:
    kim = memory.session(person=who)
    kept(kim, "크레인이 서 있다", category="decision")
    assert words(kim.recall("크레인이 서 있나")) == ["크레인이 서 있다"]

    ruled(Category.DECISION, "never")

    assert words(kim.recall("크레인이 서 있나")) == []


def test_a_definition_comes_by_its_term(memory: Memory, who: str, ruled: Rule) -> None:
    kim = memory.session(person=who)
    text = "부가세를 뺀 확정 금액"
    kept(kim, text, category="definition", subject="매출")

    (item,) = kim.recall("매출이 얼마야").evidence
    assert ("term", "매출") in [(one.code, one.detail) for one in item.reasons]
    ruled(Category.DEFINITION, "similar")
    assert all(
        one.code != "term" for item in kim.recall("매출이 얼마야").evidence for one in item.reasons
    )


def test_of_facts_equally_alike_the_newer_comes_first_and_of_decisions_the_older(
    quick: Open, moment: list[datetime], pass_time: Callable[[timedelta], None], ruled: Rule
) -> None:
    kim = quick(clock=lambda: moment[0], embedder=flat_embedder()).session(person="kim")
    for colour in ("red", "blue", "grey"):
        kept(kim, f"{colour}: the harbour crane", category="fact")
        kept(kim, f"크레인 색은 {colour}로 정한다", category="decision")
        pass_time(timedelta(days=60))

    assert [one.split(":")[0] for one in words(kim.recall("the harbour crane", limit=3))] == [
        "grey",
        "blue",
        "red",
    ]
    facts = kim.recall("the harbour crane", limit=3).evidence
    recent = [one.score for item in facts for one in item.reasons if one.code == "recent"]
    assert recent == sorted(recent, reverse=True) and 0 < recent[0] <= 0.2

    ruled(Category.FACT, "similar")
    assert words(kim.recall("the harbour crane", limit=3))[0].startswith("red")


def test_what_is_newer_passes_nothing_of_another_label(
    quick: Open, moment: list[datetime], pass_time: Callable[[timedelta], None]
) -> None:
    memory = quick(clock=lambda: moment[0])
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    own = kept(kim, "the harbour crane is red").id
    pass_time(timedelta(days=400))
    text = "the harbour crane is blue"
    bot.remember(text, kind="external", sources=[bot.document(text, origin="https://x.example")])

    assert kim.recall("the harbour crane is").evidence[0].claim.id == own


def test_each_part_of_a_score_is_shown(quick: Open, tmp_path: Path) -> None:
    quick("store").close()
    (tmp_path / "store" / "policy.toml").write_text('format = 1\npreset = "reviewed"\n', "utf-8")
    memory = quick("store")
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("배포는 staging으로 한다. 크레인은 빨갛다.")
    guess = bot.remember("kim thinks the crane is red", sources=[said])
    kim.approve(kim.claim(guess.id))
    kim.remember("크레인은 빨갛다.", kind="stated", sources=[said])

    parts = {
        item.claim.kind.value: {one.code: one.score for one in item.reasons}
        for item in kim.recall("the crane is red, 크레인은 빨갛다").evidence
    }

    assert {item.approval for item in kim.recall("the crane is red").evidence} == {
        "approved by the person",
        "said by the person",
    }
    assert parts["inferred"]["approved"] == 0.1 and "authored by you" not in parts["inferred"]
    assert parts["stated"]["authored by you"] == 0.1 and "approved" not in parts["stated"]
    assert all("keyword" in one and 0 < one["recent"] <= 0.2 for one in parts.values())


def test_the_order_is_the_same_every_time(quick: Open) -> None:
    memory = quick(clock=lambda: datetime(2026, 3, 2, tzinfo=UTC), embedder=flat_embedder())
    kim = memory.session(person="kim")
    for number in range(6):
        kept(kim, f"crane {number} stands in the harbour")

    once = [item.model_dump_json() for item in kim.recall("crane in the harbour").evidence]

    assert once == [item.model_dump_json() for item in kim.recall("crane in the harbour").evidence]
    assert words(kim.recall("crane in the harbour"))[0].startswith("crane 0")
