"""What counts as the same claim said again: nothing that says something else may disappear into it."""

from collections.abc import Callable

import pytest

from muniment import Memory, Session


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


def test_a_claim_is_known_again_after_opening_however_it_was_written(
    store: Callable[..., Memory],
) -> None:
    lines = ['He said "proposition":"x"', "배포는 금요일", "x" * 3_000, "plain"]
    with store() as memory:
        kim = memory.session(person="kim")
        made = {line: kim.remember(line, sources=[kim.message("x")]).id for line in lines}
        lee = memory.session(person="lee")
        lee.remember("plain", sources=[lee.message("x")])

    with store() as memory:
        kim = memory.session(person="kim")
        said = kim.message("x")
        again = {line: kim.remember(line, sources=[said]).id for line in reversed(lines)}
    assert again == made


def test_the_first_write_in_a_scope_opens_no_other(store: Callable[..., Memory]) -> None:
    with store() as memory:
        for name in ("kim", "lee"):
            session = memory.session(person=name)
            session.remember("It went well.", sources=[session.message("x")])

    with store() as memory:
        kim = memory.session(person="kim")
        again = kim.remember("It went well", sources=[kim.message("y")])
        known = set(memory.store.propositions)
        assert known == {memory.store.state.claims[memory.store.state.ids[again.id]].scope}


def test_what_was_erased_is_not_known_again_and_the_rest_of_its_scope_is(memory: Memory) -> None:
    kim = memory.session(person="kim")
    gone, kept = (kim.remember(text, sources=[kim.message(text)]) for text in ("one", "two"))

    kim.erase(gone)

    assert kim.remember("two", sources=[kim.message("x")]).id == kept.id
    anew = kim.remember("one", sources=[kim.message("one", anew=True)], anew=True)
    assert anew.id != gone.id
