"""C18: terms an organisation approved go before the question that speaks of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import InvalidError, Memory
from muniment.policy import policy_from

Open = Callable[..., Memory]
POLICY = """format = 1
preset = "regulated"

[[definitions]]
term = "매출"
means = "부가세를 뺀 확정 금액"
org = "acme"
approved_by = "재무팀"

[[definitions]]
term = "매출"
means = "주문 금액의 합"
org = "acme"
project = "shop"

[[definitions]]
term = "churn"
means = "customers lost in 30 days"
"""


@pytest.fixture
def memory(quick: Open, tmp_path: Path) -> Memory:
    """Return a store whose policy defines terms."""
    quick("store").close()
    (tmp_path / "store" / "policy.toml").write_text(POLICY, encoding="utf-8")
    return quick("store")


def test_approved_terms_come_with_the_question_that_speaks_of_them(memory: Memory) -> None:
    kim = memory.session(person="kim", org="acme", agent="bot")

    (found,) = kim.recall("지난달 매출이 얼마야?").definitions

    assert (found.term, found.means, found.approved_by) == (
        "매출",
        "부가세를 뺀 확정 금액",
        "재무팀",
    )
    assert [one.term for one in kim.recall("매출이랑 churn 알려 줘").definitions] == [
        "매출",
        "churn",
    ]
    assert kim.recall("어제 배포는?").definitions == ()


def test_the_narrowest_of_a_term_holds_and_only_where_it_is_approved(memory: Memory) -> None:
    def means(**scope: str) -> list[str]:
        session = memory.session(person="kim", **scope)
        return [one.means for one in session.recall("매출은?").definitions]

    assert means(org="acme", project="shop") == ["주문 금액의 합"]
    assert means(org="acme", project="apollo") == ["부가세를 뺀 확정 금액"]
    assert means(org="other") == means() == means(project="shop") == []
    assert memory.session().recall("매출은? churn?").definitions == ()  # nobody is nobody
    kim = memory.session(person="kim", org="acme")
    kim.pause()
    assert kim.recall("매출은?").definitions == ()


def test_a_models_definition_waits_and_then_goes_first(memory: Memory) -> None:
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("리드는 문의한 고객이다. lead lead lead")
    for number in range(8):
        bot.remember(f"리드 lead lead number {number}", sources=[said])
    made = bot.remember("문의한 고객", category="definition", subject="리드", sources=[said])
    assert made.decision.rule == "WAITS_DEFINITION"
    assert made.id not in [item.claim.id for item in bot.recall("리드가 몇 명?").evidence]

    kim.approve(kim.claim(made.id))

    first = bot.recall("리드가 몇 명?", limit=3).evidence[0]
    assert (first.claim.id, first.reasons[0].code) == (made.id, "term")
    assert made.id not in [item.claim.id for item in bot.recall("zebra", limit=3).evidence]
    kim.mute(kim.claim(made.id))
    assert made.id not in [item.claim.id for item in bot.recall("리드가 몇 명?").evidence]


def test_a_persons_own_definition_goes_first(quick: Open) -> None:
    kim = quick().session(person="kim")
    text = "ARR is yearly revenue, 연간 매출"
    own = kim.remember(
        text, kind="stated", category="definition", subject="ARR", sources=[kim.message(text)]
    )
    rule = "보고는 한국어로 해"
    kim.remember(rule, kind="stated", category="constraint", sources=[kim.message(rule)])

    found = kim.recall("what is our ARR?", limit=1).evidence

    assert [item.claim.category.value for item in found] == ["definition", "constraint"]
    assert found[0].claim.id == own.id


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[definitions]]\nterm = "a"\n', "means"),
        ('[[definitions]]\nterm = " "\nmeans = "b"\n', "has a term"),
        ('[[definitions]]\nterm = "A"\nmeans = "b"\n' * 2, "defined twice"),
        ('[[definitions]]\nterm = "A"\nmeans = "b"\nreach = "all"\n', "reach"),
    ],
)
def test_a_wrong_definition_is_named(text: str, told: str) -> None:
    with pytest.raises(InvalidError, match=told):
        policy_from(f"format = 1\n{text}")


def test_a_new_meaning_is_a_change_of_policy(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text(POLICY.replace("30 days", "90 days"), encoding="utf-8")

    (change,) = memory.compare_policy(file)

    assert change.name == "definitions.churn" and "90 days" in change.after
