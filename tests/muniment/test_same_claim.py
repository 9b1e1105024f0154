"""What counts as the same claim said again: nothing that says something else may disappear into it."""

import pytest

from muniment import Session


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("배포는 금요일", "배포는  금요일!"),
        ("Deploy on Fridays", "deploy on fridays."),
        ("a", "ａ"),
    ],
)
def test_the_same_words_are_one_claim_with_a_count(kim: Session, one: str, other: str) -> None:
    said = kim.message("x")
    first = kim.remember(one, sources=[said])

    again = kim.remember(other, sources=[said])

    assert (again.id, again.seen_count, again.words) == (first.id, 2, one)


@pytest.mark.parametrize(
    "more", [{"category": "decision"}, {"kind": "external"}, {"parents_complete": True}]
)
def test_another_category_or_standing_is_another_claim(
    kim: Session, more: dict[str, object]
) -> None:
    page = kim.document("배포는 금요일", origin="https://x.example")
    said = kim.message("x")
    first = kim.remember("배포는 금요일", sources=[said, page])

    sources = [said] if "parents_complete" in more else [page]
    again = kim.remember("배포는 금요일", sources=sources, **more)  # type: ignore[arg-type]  # by name

    assert again.id != first.id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the budget is +5%", "the budget is -5%"),
        ("kim writes C++", "kim writes C#"),
        ("x < y", "x > y"),
        ("version 1.5", "version 1 5"),
    ],
)
def test_a_sign_that_changes_the_meaning_makes_another_claim(
    kim: Session, one: str, other: str
) -> None:
    said = kim.message("x")

    assert kim.remember(one, sources=[said]).id != kim.remember(other, sources=[said]).id


def test_another_value_makes_another_claim(kim: Session) -> None:
    said = kim.message("it moved")
    kim.remember("it moved", kind="stated", attribute="host", value="a", sources=[said])

    again = kim.remember("it moved", kind="stated", attribute="host", value="b", sources=[said])

    assert again.value == "b"
