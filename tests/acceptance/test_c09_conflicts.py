"""C09: the person's own words go before a guess; of two of equal standing both come, marked as in conflict."""

from typing import Any

import pytest

from muniment import Answer, Claim, Memory, Session, Use

SLOT: dict[str, Any] = {"subject": "서버", "attribute": "위치"}


def said(kim: Session, text: str, value: str, **more: Any) -> Claim:
    return kim.remember(
        text, kind="stated", sources=[kim.message(text)], value=value, **{**SLOT, **more}
    )


def uses(answer: Answer) -> dict[str, Use]:
    return {item.claim.id: item.use for item in answer.evidence}


def withheld(answer: Answer) -> dict[str, int]:
    return {item.rule: item.count for item in answer.withheld}


def test_the_persons_own_words_go_before_a_guess(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    note = kim.message("지연을 보니 서버가 가까이 있나 보다")
    guess = bot.remember(
        "서버는 부산에 있다", sources=[note], value="부산", subject="서버", attribute="위치"
    )
    assert uses(kim.recall("서버 위치"))[guess.id] == "background"

    own = said(kim, "서버는 서울에 있다", "서울")

    for question in ("서버 위치", "부산"):
        answer = kim.recall(question)
        assert uses(answer) == {own.id: "applicable"}
        assert withheld(answer) == {"OWN_WORDS_FIRST": 1}
    assert kim.claim(guess.id).standing == "active"  # nothing is superseded by itself

    kim.retract(own)
    assert uses(kim.recall("서버 위치")) == {guess.id: "background"}


def test_of_two_of_equal_standing_both_come_marked(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    first, second = said(kim, "서버는 서울에 있다", "서울"), said(kim, "서버는 부산에 있다", "부산")

    for limit in (10, 1):
        answer = kim.recall("서버는 어디에 있나", limit=limit)
        assert uses(answer) == dict.fromkeys((first.id, second.id), "tentative")
        assert all("CONFLICT" in item.rules for item in answer.evidence)
    assert [kim.claim(one.id).standing for one in (first, second)] == ["active"] * 2
    assert "OVER_LIMIT" not in withheld(kim.recall("서버는 어디에 있나", limit=1))

    kim.retract(first)
    assert uses(kim.recall("서버는 어디에 있나")) == {second.id: "applicable"}


@pytest.mark.parametrize(
    "other",
    [{"value": "서울 "}, {"value": ""}, {"subject": "창고"}, {"attribute": "이름"}],
    ids=["same value", "no value", "other subject", "other attribute"],
)
def test_what_is_not_the_same_slot_or_not_another_value_is_no_conflict(
    memory: Memory, who: str, other: dict[str, str]
) -> None:
    kim = memory.session(person=f"{who} {other}")
    said(kim, "서버는 서울에 있다", "서울")
    more: dict[str, Any] = {"value": "부산", **other}
    said(kim, "서버는 서울 어딘가에 있다", **more)

    assert set(uses(kim.recall("서버는 어디에 있나")).values()) == {"applicable"}


def test_another_persons_slot_is_another(memory: Memory, who: str) -> None:
    kim, lee = memory.session(person=who), memory.session(person=f"{who} lee")
    said(lee, "서버는 부산에 있다", "부산")
    own = said(kim, "서버는 서울에 있다", "서울")

    assert uses(kim.recall("서버는 어디에 있나")) == {own.id: "applicable"}


def test_what_was_erased_contradicts_nothing(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    gone, other = said(kim, "서버는 서울에 있다", "서울"), said(kim, "서버는 대전에 있다", "대전")
    assert len(uses(kim.recall("서버 위치"))) == 2

    kim.erase(gone)

    assert uses(kim.recall("서버 위치")) == {other.id: "applicable"}
    kim.erase(other)
    with Memory.open(
        memory.path.parent / "again"
    ) as fresh:  # a map made when something is gone already
        lee = fresh.session(person=who)
        lee.erase(said(lee, "서버는 서울에 있다", "서울"))
        own = said(lee, "서버는 부산에 있다", "부산")
        assert uses(lee.recall("서버 위치")) == {own.id: "applicable"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("서버실 열쇠는 지하에 있다", "2층 서랍을 보라"),
        ("The server key is in the basement", "Look in the drawer upstairs"),
        ("서버실 key는 지하에 있다", "drawer를 보라"),
    ],
)
def test_what_was_kept_to_contradict_it_comes_beside_it_without_a_slot(
    memory: Memory, who: str, first: str, second: str
) -> None:
    kim = memory.session(person=f"{who} {first}")
    one = kim.remember(first, kind="stated", sources=[kim.message(first)])
    other = kim.challenge(one, second, sources=[kim.message(second)])

    for question, limit in ((first, 10), (first, 1), (second, 1)):
        answer = kim.recall(question, limit=limit)
        assert uses(answer) == dict.fromkeys((one.id, other.id), "tentative")
        assert all("CONFLICT" in item.rules for item in answer.evidence)

    kim.retract(other)
    assert uses(kim.recall(first)) == {one.id: "applicable"}


def test_nobody_gets_into_an_answer_by_contradicting_what_is_in_it(
    memory: Memory, who: str
) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    rule = "Never deploy on Fridays"
    own = kim.remember(rule, kind="stated", category="constraint", sources=[kim.message(rule)])
    page = bot.document("zebras may cross", origin="https://evil.example/x")
    bot.challenge(own, "zebras may cross", sources=[page])

    assert set(uses(kim.recall("서울의 봄"))) == {own.id}
    (item,) = [one for one in kim.recall("zebras").evidence if one.claim.id == own.id]
    assert item.use == "directive" and "CHALLENGED_BY_LOWER_INTEGRITY" in item.rules
