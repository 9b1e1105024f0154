"""R11: a budget drops evidence from the lowest up and says so; never a constraint: it refuses and names them."""

from collections.abc import Callable
from typing import Any

import pytest

from muniment import Memory, RefusedError, Session
from muniment.claims import Claim


def stated(session: Session, text: str, **more: Any) -> Claim:
    return session.remember(text, kind="stated", sources=[session.message(text)], **more)


def words(text: str) -> int:
    """Count as a crude tokeniser does."""
    return len(text.split())


@pytest.fixture
def kim(quick: Callable[..., Memory]) -> Session:
    return quick().session(person="kim")


@pytest.fixture
def filled(kim: Session) -> dict[str, list[Claim]]:
    kim.rewrite_block("민지라고 부른다")
    return {
        "constraint": [
            stated(kim, text, category="constraint")
            for text in ("견과류는 절대 안 된다.", "Never deploy on a Sunday.")
        ],
        "preference": [
            stated(kim, f"{number}번 항목은 짧게 답한다.", category="preference")
            for number in range(3)
        ],
        "fact": [stated(kim, f"We deploy part {number} to staging.") for number in range(8)],
    }


@pytest.mark.parametrize("count", [len, words])
def test_every_budget_keeps_block_and_constraints_or_refuses(
    kim: Session, filled: dict[str, list[Claim]], count: Callable[[str], int]
) -> None:
    asked: dict[str, Any] = {"stable": "You are careful.", "volatile": "Turn 1.", "count": count}
    whole = kim.assemble("deploy part staging", **asked)
    assert whole.count == count(whole.text) and whole.left_out == ()

    budgets = range(1, whole.count + 2, max(1, whole.count // 25))
    fitting = 0
    for budget in budgets:
        try:
            prompt = kim.assemble("deploy part staging", **asked, budget=budget)
        except RefusedError as error:
            assert error.decision.rule == "CONSTRAINTS_OVER_BUDGET"
            assert all(one.id in error.decision.reason for one in filled["constraint"])
            continue
        assert prompt.count == count(prompt.text) <= budget == prompt.budget
        assert all(one.words in prompt.text for one in filled["constraint"])
        assert kim.block().prompt in prompt.text and "Turn 1." in prompt.text
        inside = {line.claim for line in prompt.lines}
        out = [one.claim for one in prompt.left_out]
        assert {one.rule for one in prompt.left_out} <= {"OVER_BUDGET"}
        assert inside.isdisjoint(out)
        assert inside | {*out} == {line.claim for line in whole.lines}
        fitting += 1
    assert 0 < fitting < len(budgets)


def test_the_lowest_evidence_goes_first_and_preferences_last(
    kim: Session, filled: dict[str, list[Claim]]
) -> None:
    whole = kim.assemble("deploy part staging")
    found = [line.claim for line in whole.lines if line.section == "context"]
    prompt = kim.assemble("deploy part staging", budget=whole.count - 1)
    assert [one.claim for one in prompt.left_out] == found[-1:]

    least = 1
    while True:
        try:
            smallest = kim.assemble("deploy part staging", budget=least)
        except RefusedError:
            least += 5
        else:
            break
    preferences = [one.id for one in filled["preference"]]
    assert [one.claim for one in smallest.left_out][: len(found)] == found[::-1]
    dropped = [one.claim for one in smallest.left_out][len(found) :]
    assert dropped == preferences[: len(dropped)] != []


def test_what_found_no_room_is_told_in_the_receipt_and_lowers_no_mark(
    quick: Callable[..., Memory],
) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    stated(kim, "We deploy to staging.", category="constraint")
    page = kim.document("Deploy logs go to the hall. " * 9, origin="https://wiki.example")
    long = kim.remember(page.text, kind="external", sources=[page])
    least = kim.assemble("deploy logs hall").count - 1
    other = memory.session(person="kim", agent="bot")

    prompt = other.assemble("deploy logs hall", budget=least)

    assert [(one.claim, one.rule) for one in prompt.left_out] == [(long.id, "OVER_BUDGET")]
    assert ("OVER_BUDGET", 1) in [(one.rule, one.count) for one in prompt.withheld]
    assert long.id not in [line.id for line in kim.replay(prompt.receipt).lines]
    assert other.mark.name == "USER"


def test_the_hosts_own_texts_count_too(kim: Session) -> None:
    kim.message("hello")
    with pytest.raises(RefusedError, match="CONSTRAINTS_OVER_BUDGET"):
        kim.assemble("hello", stable="x" * 500, budget=400)
    with pytest.raises(RefusedError, match="constraints: none"):
        kim.assemble("hello", volatile="가" * 500, budget=400)
    kim.pause()
    with pytest.raises(RefusedError, match="CONSTRAINTS_OVER_BUDGET"):
        kim.assemble("hello", context="가" * 500, budget=400)


def test_a_frozen_one_fits_a_smaller_budget_and_is_whole_again(
    kim: Session, filled: dict[str, list[Claim]]
) -> None:
    whole = kim.assemble("deploy part staging", mode="frozen")
    small = kim.assemble("deploy part staging", mode="frozen", budget=whole.count - 10)
    again = kim.assemble("deploy part staging", mode="frozen")

    assert small.count <= whole.count - 10 and small.left_out and small.thawed_by == ""
    assert again.text == whole.text


def test_the_command_line_refuses_and_names_them(
    quick: Callable[..., Memory], screen: Callable[..., tuple[int, str]]
) -> None:
    memory = quick()
    nuts = stated(memory.session(person="kim"), "견과류는 절대 안 된다.", category="constraint")
    memory.close()

    code, told = screen(memory.path, "assemble", "점심", "--budget", "30")
    assert code == 4 and "CONSTRAINTS_OVER_BUDGET" in told and nuts.id in told
    code, told = screen(memory.path, "assemble", "점심", "--budget", "4000")
    assert code == 0 and "/ 4,000" in told and "견과류" in told
