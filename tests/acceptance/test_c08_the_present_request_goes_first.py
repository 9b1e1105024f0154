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
