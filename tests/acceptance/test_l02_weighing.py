"""L02: the values of a slot are weighed by origins that do not copy each other, and no winner is made up."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from muniment import InvalidError, Memory, Session, Weighing

SLOT: dict[str, Any] = {"subject": "KE-713", "attribute": "출발"}


def report(kim: Session, site: str, value: str) -> None:
    """Let a site say a value in words of its own."""
    text = f"KE-713 출발 {value}"
    page = kim.document(f"{site} | {text}", origin=f"site:{site}")
    kim.remember(text, kind="external", sources=[page], value=value, **SLOT)


def counted(found: Weighing) -> list[tuple[str, int]]:
    return [(one.value, one.independent) for one in found.values]


def test_three_copies_do_not_outvote_two_who_looked(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    for site in ("w1", "w2", "w3"):
        report(kim, site, "7:10 a.m.")
    for site in ("w4", "w5"):
        report(kim, site, "7:45 a.m.")
    assert counted(kim.weigh("KE-713", "출발")) == [("7:10 a.m.", 3), ("7:45 a.m.", 2)]

    memory.same_origin("site:w1", "site:w2")
    found = kim.weigh("ke-713", " 출발 ")
    assert counted(found) == [("7:10 a.m.", 2), ("7:45 a.m.", 2)]
    assert found.leading == ("7:10 a.m.", "7:45 a.m.")  # a tie is said, and nobody made the winner

    memory.same_origin("site:w2", "site:w3")
    found = kim.weigh("KE-713", "출발")
    assert counted(found) == [("7:45 a.m.", 2), ("7:10 a.m.", 1)]
    assert (found.leading, found.values[1].mentions) == (("7:45 a.m.",), 3)
    assert found.values[0].origins == ("origin:site:w4", "origin:site:w5")
    assert [kim.claim(one).value for one in found.values[0].claims] == ["7:45 a.m."]
    assert {kim.claim(one).standing for value in found.values for one in value.claims} == {"active"}


def test_only_what_is_current_and_readable_is_weighed(memory: Memory, who: str) -> None:
    kim, lee = memory.session(person=who), memory.session(person=f"{who} lee")
    report(lee, "x1", "9:00")
    report(kim, "x2", "8:00")
    (wrong,) = [one for one in kim.claims() if one.value == "8:00"]
    kim.retract(wrong)

    assert kim.weigh("KE-713", "출발").values == ()
    assert kim.weigh("KE-713", "출발").leading == ()
    assert counted(lee.weigh("KE-713", "출발")) == [("9:00", 1)]
    assert memory.session().weigh("KE-713", "출발").values == ()
    for bad in ({"attribute": ""}, {"by": "loudness"}, {"subject": 3}):
        with pytest.raises(InvalidError):
            kim.weigh(**{"subject": "KE-713", "attribute": "출발", **bad})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_words_of_no_known_origin_lead_nowhere(memory: Memory, who: str) -> None:
    bot = memory.session(person=who, agent="bot")
    bot.remember(
        "It leaves at ten", sources=[bot.message("at ten, I think")], value="10:00", **SLOT
    )

    found = memory.session(person=who).weigh("KE-713", "출발")

    assert counted(found) == [("10:00", 0)]
    assert found.leading == ()


def test_what_an_agent_weighs_enters_its_context(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    report(kim, "y1", "7:00")
    before = bot.mark

    bot.weigh("KE-713", "출발")

    assert before > bot.mark == kim.claims().__next__().integrity


@pytest.fixture
def timetable(quick: Callable[..., Memory]) -> Memory:
    """A store in which four sites look for themselves and four print what the worst of them prints."""
    memory, chance = quick(), Random(7)
    kim = memory.session(person="kim")
    right = {"north": 0.9, "south": 0.85, "east": 0.8, "west": 0.35}
    pages: dict[str, list[tuple[str, str]]] = {site: [] for site in right}
    for flight in range(110):
        for site, share in right.items():
            value = "on time" if chance.random() < share else f"late by {chance.randrange(1, 9)}0"
            pages[site].append((f"flight {flight}", value))
    for n in range(4):
        pages[f"westcopy{n}"] = pages["west"]
    for site, said in pages.items():
        words = [f"{subject} {value}" for subject, value in said]
        page = kim.document(f"[{site}]\n" + "\n".join(words), origin=f"site:{site}")
        for text, (subject, value) in zip(words, said, strict=True):
            kim.remember(
                text, kind="external", sources=[page], subject=subject, attribute="leaves", value=value
            )  # fmt: skip
    return memory


def share_right(kim: Session, by: str) -> float:
    found = list(kim.weighings(by=by))
    return sum(one.leading == ("on time",) for one in found) / len(found)


def test_copies_are_proposed_and_nothing_counts_before_it_is_recorded(timetable: Memory) -> None:
    kim = timetable.session(person="kim")
    before, written = share_right(kim, "count"), timetable.store.state.seq

    (found,) = timetable.copied_origins()

    assert found.origins == tuple(
        f"site:{one}" for one in ("west", *(f"westcopy{n}" for n in range(4)))
    )
    assert {(one.shared, one.agreed, one.because) for one in found.pairs} == {
        (110, 110, "they agree")
    }
    assert all(one.wrong > 50 for one in found.pairs)
    assert (share_right(kim, "count"), timetable.store.state.seq) == (before, written)

    for other in found.origins[1:]:
        timetable.same_origin(found.origins[0], other, reason="the same errors")

    assert timetable.copied_origins() == ()
    assert before < 0.5 < 0.8 < share_right(kim, "count") <= share_right(kim, "accuracy")
    one = kim.weigh("flight 3", "leaves", by="accuracy")
    likely = [value.likely or 0.0 for value in one.values]
    assert likely == sorted(likely, reverse=True) and sum(likely) <= 1.001


def test_there_is_nothing_to_propose_of_an_empty_store(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        assert memory.copied_origins() == ()
        assert memory.origins() == ()
        assert list(memory.session(person="kim").weighings()) == []
