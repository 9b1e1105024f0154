"""C03: each category has its own retention and recall rule, kept in one place as data."""

import json
from pathlib import Path

import pytest

from muniment import Category, InvalidError, Layer, Memory
from muniment.policy import CATEGORIES, MEMORIES, policy_from, rule_for
from muniment.surfaces.cli import main


@pytest.mark.parametrize("category", MEMORIES)
def test_every_category_is_kept_and_listed(memory: Memory, category: Category) -> None:
    kim = memory.session(person="kim")
    text = f"a line about a {category.value}"
    said = kim.message(text)

    claim = kim.remember(text, kind="stated", category=category, sources=[said])

    assert claim.category is category
    assert claim.id in [other.id for other in kim.claims(category=category.value)]


def test_the_rules_are_one_table_with_a_row_for_each_category() -> None:
    assert set(Category) == set(CATEGORIES)
    for category, rule in CATEGORIES.items():
        assert rule.category is category and rule.recall and rule.retention


def test_each_category_can_have_its_own_time() -> None:
    lines = [f"{one} = {days}" for days, one in enumerate(Category, 1)]
    policy = policy_from("\n".join(("format = 1", "[retention.claim]", *lines)))

    for days, one in enumerate(Category, 1):
        rule = rule_for(policy.retention_rules, Layer.CLAIM, account=None, category=one)
        assert rule and (rule.name, rule.days) == (f"retention.claim.{one}", days)


def test_tasks_and_procedures_live_apart_and_are_not_remembered(memory: Memory) -> None:
    kim = memory.session(person="kim of the ledger")
    said = kim.message("x")

    assert set(Category) - set(MEMORIES) == {Category.TASK, Category.PROCEDURE}
    for category in set(Category) - set(MEMORIES):
        with pytest.raises(InvalidError, match="preference, constraint, decision, fact"):
            kim.remember("x", category=category, sources=[said])


def test_a_command_lists_them_with_the_rules_and_signs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rules", "--json", "--store", str(tmp_path / "none")]) == 0
    listed = json.loads(capsys.readouterr().out)

    assert [one["category"] for one in listed["categories"]] == [one.value for one in CATEGORIES]
    assert all(one["recall"] and one["retention"] for one in listed["categories"])
    assert {sign["rule"] for sign in listed["signs"]} == {one["rule"] for one in listed["hygiene"]}
    assert main(["rules", "--store", str(tmp_path / "none")]) == 0
    shown = capsys.readouterr().out
    assert all(one.value in shown for one in Category)


def test_an_unknown_category_is_refused_with_the_list(memory: Memory) -> None:
    kim = memory.session(person="kim")
    said = kim.message("x")

    with pytest.raises(InvalidError, match="preference, constraint, decision, fact"):
        kim.remember("x", category="procedure", sources=[said])


def test_constraints_and_preferences_come_whatever_the_question(memory: Memory) -> None:
    kim = memory.session(person="kim of the comments")
    said = kim.message("코드에 주석을 달지 마. 반말로 해. 배포는 금요일. 점심은 국수.")
    kept = {
        category: kim.remember(text, kind="stated", category=category, sources=[said])
        for category, text in {
            "constraint": "코드에 주석을 달지 마",
            "preference": "반말로 해",
            "decision": "배포는 금요일",
            "fact": "점심은 국수",
        }.items()
    }

    found = {item.claim.id: item for item in kim.recall("zebra crossing").evidence}

    assert set(found) == {kept["constraint"].id, kept["preference"].id}
    assert [reason.code for reason in found[kept["constraint"].id].reasons][0] == "always-on"


def test_failures_come_by_the_tool_in_use(memory: Memory) -> None:
    kim = memory.session(person="kim of the tools")
    said = kim.message("ffmpeg 변환이 메모리 부족으로 실패. imagemagick 변환이 색 문제로 실패.")
    one = kim.remember(
        "ffmpeg 변환이 메모리 부족으로 실패", kind="stated", category="failure", sources=[said]
    )
    other = kim.remember(
        "imagemagick 변환이 색 문제로 실패", kind="stated", category="failure", sources=[said]
    )

    found = [item.claim.id for item in kim.recall("변환 실패", tools=["ffmpeg"]).evidence]

    assert found == [one.id] and other.id not in found


def test_no_limit_drops_a_constraint(memory: Memory) -> None:
    kim = memory.session(person="kim of many rules")
    texts = [f"규칙 {number}: 절대 하지 말 것" for number in range(12)]
    said = kim.message(". ".join(texts))
    kept = {
        kim.remember(text, kind="stated", category="constraint", sources=[said]).id
        for text in texts
    }

    assert kept == {item.claim.id for item in kim.recall("아무거나", limit=3).evidence}
