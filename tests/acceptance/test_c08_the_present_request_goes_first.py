"""C08: a value the present request states outranks every remembered one, which come back as background."""

import pytest

from muniment import Memory, Session


@pytest.fixture
def kim(memory: Memory, who: str) -> Session:
    """Return a person who has said where she deploys and what she eats."""
    kim = memory.session(person=who)
    said = kim.message("배포 환경은 staging이다. 저 고기 안 먹어요. Answer in English.")
    kim.remember(
        "배포 환경은 staging이다",
        kind="stated",
        category="decision",
        sources=[said],
        subject="deploy",
        attribute="environment",
        value="staging",
    )
    kim.remember(
        "저 고기 안 먹어요", kind="stated", category="constraint", sources=[said], attribute="diet"
    )
    kim.remember("Answer in English", kind="stated", category="preference", sources=[said])
    return kim


@pytest.mark.parametrize("purpose", ["answer", "act", "personalise"])
def test_a_remembered_value_is_background_beside_a_stated_one(kim: Session, purpose: str) -> None:
    answer = kim.recall(
        "배포 환경에 올려줘", purpose=purpose, present={"environment": "production"}
    )

    (found,) = [item for item in answer.evidence if item.claim.attribute == "environment"]
    assert found.use == "background" and "PRESENT_VALUE" in found.rules
    assert {item.use.value for item in answer.evidence if item is not found} <= {
        "directive",
        "applicable",
    }


@pytest.mark.parametrize("name", ["environment", "Environment", "deploy environment", "배포 환경"])
def test_the_attribute_is_found_however_it_is_written(kim: Session, name: str) -> None:
    answer = kim.recall("배포 환경", present={name: "production"})

    (found,) = [item for item in answer.evidence if item.claim.attribute == "environment"]
    assert found.use == "background"


@pytest.mark.parametrize(
    ("text", "attribute", "name"),
    [
        ("서버는 서울에 있다", "위치", "위치"),
        ("배포 시각은 세 시다", "배포 시각", "배포  시각"),
        ("기본 언어를 한국어로 한다", "", "기본 언어"),
        ("timeout은 30초다", "", "timeout"),
        ("The timeout을 30초로 둔다", "", "Timeout"),
    ],
)
def test_a_korean_attribute_is_found_with_its_particle(
    memory: Memory, who: str, text: str, attribute: str, name: str
) -> None:
    kim = memory.session(person=f"{who} {text}")
    said = kim.message(text)
    kim.remember(text, kind="stated", sources=[said], attribute=attribute)

    (found,) = kim.recall(text, present={name: "다른 값"}).evidence

    assert found.use == "background" and "PRESENT_VALUE" in found.rules


def test_a_name_inside_another_word_states_nothing(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    text = "The timeouts are logged"
    kim.remember(text, kind="stated", sources=[kim.message(text)])

    (found,) = kim.recall("timeouts", present={"time": "3"}).evidence

    assert found.use == "applicable"


def test_a_value_that_only_the_question_names_is_not_guessed_at(kim: Session) -> None:
    answer = kim.recall("environment=production으로 배포해 줘, 배포 환경은 production이야")

    (found,) = [item for item in answer.evidence if item.claim.attribute == "environment"]
    assert found.use == "applicable"


def test_a_directive_beside_a_stated_value_directs_no_more(kim: Session) -> None:
    for purpose in ("answer", "act", "instruct"):
        answer = kim.recall("뭐 먹지", purpose=purpose, present={"diet": "anything"})
        (found,) = [item for item in answer.evidence if item.claim.attribute == "diet"]
        assert found.use == "background"


def test_without_a_stated_value_it_applies(kim: Session) -> None:
    (found,) = [
        item for item in kim.recall("배포 환경").evidence if item.claim.attribute == "environment"
    ]

    assert found.use == "applicable" and "PRESENT_VALUE" not in found.rules


def test_an_unrelated_stated_value_changes_nothing(kim: Session) -> None:
    with_value = kim.recall("배포 환경", present={"colour": "red"})

    assert "background" not in [item.use.value for item in with_value.evidence]


def test_a_single_letter_states_nothing_about_words_that_happen_to_hold_it(kim: Session) -> None:
    answer = kim.recall("뭐 먹지", present={"e": "1", "g": "2", "기": "3"})

    assert "background" not in [item.use.value for item in answer.evidence]


def test_a_present_value_changes_no_claim(kim: Session) -> None:
    before = list(kim.export())
    kim.recall("배포 환경", present={"environment": "production"})

    assert list(kim.export()) == before
