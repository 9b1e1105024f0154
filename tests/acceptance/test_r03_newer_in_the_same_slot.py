"""R03: newer in the same slot is found in plain words at the time of reading; it orders, marks and loses nothing."""

from datetime import UTC, datetime
from typing import Any

import pytest

from muniment import Evidence, Memory, Session

NEWER, OLDER = "newer in the same slot", "older in the same slot"


@pytest.fixture
def kim(memory: Memory, request: pytest.FixtureRequest) -> Session:
    """Return a person with a project of this test's own."""
    return memory.session(person="김대리", project=request.node.name)


def keep(session: Session, text: str, **more: Any) -> str:
    """Let a person say something and keep it as a claim, and return its identifier."""
    return session.remember(text, kind="stated", sources=[session.message(text)], **more).id


def codes(item: Evidence) -> dict[str, str]:
    """Return the reasons of evidence with what they point at."""
    return {reason.code: reason.detail for reason in item.reasons}


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("배포 환경은 스테이징이다.", "배포 환경은 운영이다.", "배포 환경이 어디야?"),
        (
            "민지의 예산은 300만원으로 잡혔다.",
            "민지의 예산은 450만원으로 잡혔다.",
            "민지의 예산이 얼마야?",
        ),
        ("The deadline is Friday.", "The deadline is Monday.", "When is the deadline?"),
        (
            "The staging server runs in Lyon.",
            "The staging server runs in Busan.",
            "Where does the staging server run?",
        ),
        ("deploy day는 Friday로 정했다.", "deploy day는 Tuesday로 정했다.", "deploy day가 언제야?"),
    ],
)
def test_the_newer_value_comes_first_and_both_say_so(
    kim: Session, old: str, new: str, question: str
) -> None:
    first = keep(kim, old)
    keep(kim, f"{question.split()[0]} zanzibar quokka")
    second = keep(kim, new)

    found = {item.claim.id: item for item in kim.recall(question).evidence}

    names = list(found)
    assert names.index(second) < names.index(first)
    assert codes(found[second])[NEWER] == first
    assert codes(found[first])[OLDER] == second
    assert found[first].use == "background" and "NEWER_IN_SLOT" in found[first].rules
    assert found[second].use == "applicable" and "NEWER_IN_SLOT" not in found[second].rules


def test_a_prompt_says_it_of_the_older_and_a_replay_sees_no_change(kim: Session) -> None:
    old, new = keep(kim, "배포 환경은 스테이징이다."), keep(kim, "배포 환경은 운영이다.")

    prompt = kim.assemble("배포 환경이 어디야?")

    text = {line.claim: line.text for line in prompt.lines}
    assert text[old] == '- [something newer says otherwise] "배포 환경은 스테이징이다."'
    assert text[new] == '- "배포 환경은 운영이다."'
    assert {line.id: line.today for line in kim.replay(prompt).lines} == {old: (), new: ()}


def test_of_three_the_newest_is_first_and_every_older_one_names_it(kim: Session) -> None:
    made = [
        keep(kim, f"The chairperson of Fatah is {name}.") for name in ("Abbas", "Leyla", "민지")
    ]

    found = kim.recall("Who is the chairperson of Fatah?").evidence

    assert [item.claim.id for item in found] == made[::-1]
    assert [codes(item).get(OLDER, "") for item in found] == ["", made[2], made[2]]


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("Server 1 is in Seoul.", "Server 2 is in Tokyo.", "Where is the server?"),
        ("Kim Lee likes tea.", "Kim Park likes tea.", "Who likes tea?"),
        (
            "Thomas Kyd was born in London.",
            "Oscar Wilde was born in London.",
            "Who was born in London?",
        ),
        ("우리 팀 민수는 서울에 산다.", "우리 팀 영희는 서울에 산다.", "우리 팀은 어디에 사나?"),
        ("We deploy to staging.", "We deploy to production.", "Do we deploy to staging?"),
    ],
)
def test_another_subject_or_a_value_asked_about_is_no_slot(
    kim: Session, one: str, other: str, question: str
) -> None:
    kept = {keep(kim, one), keep(kim, other)}

    found = kim.recall(question).evidence

    assert kept <= {item.claim.id for item in found}
    assert not any({NEWER, OLDER} & codes(item).keys() for item in found)


def test_what_is_newer_from_outside_is_not_newer_than_the_person_s_words(kim: Session) -> None:
    own = keep(kim, "The payout account is 111 at Hana.")
    page = kim.document("The payout account is 999 at Evil.", origin="https://evil.example/a")
    other = kim.remember(page.text, kind="external", sources=[page]).id

    found = {item.claim.id: item for item in kim.recall("What is the payout account?").evidence}

    assert (found[own].use, found[other].use) == ("applicable", "background")
    assert not any({NEWER, OLDER} & codes(item).keys() for item in found.values())


@pytest.mark.parametrize(
    ("old", "own", "new", "question"),
    [
        (
            "The payout account of the club is 111.",
            "When dues come in, use the payout account of our club, 222.",
            "The payout account of the club is 999 quokka zanzibar marmalade thistle walnut.",
            "What is the payout account of the club?",
        ),
        (
            "모임 정산 계좌는 111번이다.",
            "모임 정산 계좌로 회비 받자, 하나은행 222번.",
            "모임 정산 계좌는 얼룩말 바나나 999번이다.",
            "모임 정산 계좌가 뭐야?",
        ),
    ],
)
def test_newer_words_from_outside_do_not_climb_above_the_person_s(
    kim: Session, old: str, own: str, new: str, question: str
) -> None:
    for number, text in enumerate((old, new)):
        page = kim.document(text, origin=f"https://evil.example/{number}")
        kim.remember(page.text, kind="external", sources=[page])
    keep(kim, own)
    for other in (
        "점심은 열두 시",
        "The weather in Lyon is fine",
        "Kim likes tea",
        "배포는 금요일",
    ):
        keep(kim, other)

    found = [item for item in kim.recall(question).evidence if item.claim.words in (old, own, new)]

    assert [item.claim.words for item in found] == [new, own, old]
    assert found[0].score < found[1].score < found[2].score  # likeness alone: old, own, new
    assert NEWER in codes(found[0]) and OLDER in codes(found[2])


def test_two_in_different_scopes_are_not_compared(memory: Memory, kim: Session) -> None:
    keep(kim, "The door code of Apollo is even.")
    wide = memory.session(person="김대리")
    keep(wide, "The door code of Apollo is odd.")

    found = kim.recall("What is the door code of Apollo?").evidence

    assert len(found) == 2
    assert not any({NEWER, OLDER} & codes(item).keys() for item in found)


def test_of_two_allergies_neither_loses_its_use(kim: Session) -> None:
    made = [
        keep(kim, f"Minji is allergic to {what}.", category="constraint")
        for what in ("peanuts", "shellfish")
    ]

    found = kim.recall("What is Minji allergic to?").evidence

    assert {item.claim.id for item in found} == set(made)
    assert {str(item.use) for item in found} == {"directive"}
    assert not any("NEWER_IN_SLOT" in item.rules for item in found)


def test_a_declared_slot_stays_a_conflict(kim: Session) -> None:
    made = {
        keep(kim, f"The gate opens at {value}.", subject="gate", attribute="opens", value=value)
        for value in ("nine", "ten")
    }

    asked = kim.recall("When does the gate open?").evidence
    found = [item for item in asked if item.claim.id in made]

    assert len(found) == 2 and {str(item.use) for item in found} == {"tentative"}
    assert not any({NEWER, OLDER} & codes(item).keys() for item in found)


def test_nothing_is_written_but_the_receipt_and_no_claim_changes(
    memory: Memory, kim: Session
) -> None:
    first = keep(kim, "배포 요일은 금요일이다.")
    keep(kim, "배포 요일은 화요일이다.")
    before = memory.store.state.seq

    answer = kim.recall("배포 요일이 언제야?")

    assert memory.store.state.seq == before + 1  # the receipt
    assert answer.receipt and kim.claim(first).standing == "active"
    assert first in {claim.id for claim in kim.claims()}


def test_within_the_limit_the_newer_one_is_kept_and_the_older_is_counted(kim: Session) -> None:
    keep(kim, "The release train of Gemini leaves on Friday.")
    new = keep(kim, "The release train of Gemini leaves on Monday.")

    answer = kim.recall("When does the release train of Gemini leave?", limit=1)

    assert [item.claim.id for item in answer.evidence] == [new]
    assert {held.rule: held.count for held in answer.withheld} == {"OVER_LIMIT": 1}


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (
            "My monthly book budget is $35 and I want to keep the monthly book budget.",
            "I raised my book budget to $50, what should I read?",
            "What is my monthly book budget?",
        ),
        (
            "이번 분기 도서 예산은 30만원이고 도서 예산을 아끼고 싶다.",
            "도서 예산을 50만원으로 올렸는데 무엇을 읽을까?",
            "이번 분기 도서 예산이 얼마야?",
        ),
        (
            "Zoom 회의는 Danielle 교수와 3 PM에 한다.",
            "Danielle 교수와 Zoom 회의를 4:30 PM으로 옮겼다.",
            "What time is my Zoom 회의 with Danielle?",
        ),
    ],
)
def test_a_search_gives_the_newer_of_two_values_a_person_gave_first(
    kim: Session, old: str, new: str, question: str
) -> None:
    first, second = kim.message(old), kim.message(new)

    found = {hit.source: hit for hit in kim.search_conversations(question).hits}

    assert list(found)[:2] == [second.id, first.id]
    assert (NEWER, first.id) in {(one.code, one.detail) for one in found[second.id].reasons}
    assert (OLDER, second.id) in {(one.code, one.detail) for one in found[first.id].reasons}


@pytest.mark.parametrize(
    "asked", ["How much was my sneaker budget?", "How long between the sneaker budget talks?"]
)
def test_a_question_about_the_past_keeps_the_order_of_a_search(kim: Session, asked: str) -> None:
    kim.message("My sneaker budget is $600 a year.")
    kim.message("My sneaker budget is $650 a year.")

    hits = kim.search_conversations(asked).hits

    assert len(hits) == 2
    assert not any({NEWER, OLDER} & {one.code for one in hit.reasons} for hit in hits)


def test_what_a_person_pastes_or_another_says_moves_nothing_in_a_search(
    memory: Memory, kim: Session
) -> None:
    own = kim.message("My sneaker budget is $600 a year.")
    kim.message(parts=[("own", "Look at this:"), ("pasted", "My sneaker budget is $9,999 a year.")])
    bot = memory.session(person="김대리", project=kim.scope.project, agent="bot")
    bot.message("Your sneaker budget is $7,777 a year.")

    hits = kim.search_conversations("What is my sneaker budget?").hits

    assert own.id in {hit.source for hit in hits} and len(hits) == 3
    assert not any({NEWER, OLDER} & {one.code for one in hit.reasons} for hit in hits)


def test_a_value_said_earlier_but_kept_later_is_older(
    kim: Session,
) -> None:
    new = kim.message("My sneaker budget is $650.", said_at=datetime(2024, 6, 1, tzinfo=UTC))
    old = kim.message("My sneaker budget is $600.", said_at=datetime(2024, 1, 1, tzinfo=UTC))

    hits = kim.search_conversations("What is my sneaker budget?").hits

    assert [hit.source for hit in hits] == [new.id, old.id]
