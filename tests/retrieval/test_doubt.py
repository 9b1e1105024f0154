"""Doubt: whether the words asked of one speaker stand with another, by own turns only and in scope only."""

from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.retrieval import Entry, Found, Index

Open = Callable[..., Index]
ONE = frozenset({1})
KIM, LEE, CHO = 1, 2, 3
SPEAKERS = {"Kim": KIM, "Lee": LEE, "조은별": CHO}


def spoken(*lines: tuple[int, str], first: int = 1, scope: int = 1) -> list[Entry]:
    """Return turns of one thread from (speaker, text)."""
    return [
        Entry(node, 0, "turn", scope, text, 1, speaker)
        for node, (speaker, text) in enumerate(lines, first)
    ]


def asked(index: Index, question: str, limit: int = 5) -> Found:
    return index.turns(question, scopes=ONE, limit=limit, speakers=SPEAKERS)


def test_it_is_the_share_of_the_match_that_lies_with_another(opened: Open) -> None:
    index = opened(bare=True)
    index.add(
        spoken((KIM, "telescope lens"), (LEE, "telescope lens"), (KIM, "bakery"), (LEE, "a boat")),
        applied=1,
    )

    assert asked(index, "Kim: telescope lens").doubt == 0.5
    assert asked(index, "Kim: bakery").doubt == 0.0
    assert asked(index, "Kim: boat").doubt == 1.0
    assert asked(index, "조은별이가 말한 boat").doubt == 1.0


def test_it_is_that_of_the_other_who_said_most(opened: Open) -> None:
    index = opened(bare=True)
    both = spoken((KIM, "telescope"), (LEE, "telescope lens"), (CHO, "lens"), (0, "telescope lens"))
    index.add(both[:2], applied=1)
    alone = asked(index, "Kim: telescope").doubt

    index.add(both[2:], applied=2)

    assert alone == asked(index, "Kim: telescope").doubt == 0.5


def test_neighbours_lend_it_nothing(opened: Open) -> None:
    index = opened(bare=True)
    index.add(spoken((KIM, "Where is the telescope?"), (LEE, "On the roof.")), applied=1)

    found = asked(index, "Lee: telescope")

    assert {one.node for one in found.candidates} == {1, 2}
    assert found.doubt == 1.0


def test_a_turn_that_is_not_usable_does_not_count(opened: Open) -> None:
    index = opened(bare=True)
    index.add(spoken((KIM, "telescope"), (LEE, "telescope"), (KIM, "boat")), applied=1)

    def without(*nodes: int) -> float | None:
        return index.turns(
            "Kim: telescope",
            scopes=ONE,
            limit=5,
            speakers=SPEAKERS,
            usable=lambda node, _: node not in nodes,
        ).doubt

    assert [without(), without(2), without(1), without(1, 2)] == [0.5, 0.0, 1.0, None]


def test_one_stretch_of_a_long_turn_counts(opened: Open) -> None:
    index = opened(bare=True)
    long = [Entry(1, chunk, "turn", 1, "telescope lens", 1, KIM) for chunk in range(5)]
    index.add([*long, *spoken((LEE, "telescope lens"), first=2)], applied=1)

    assert asked(index, "Kim: telescope lens").doubt == 0.5


@pytest.mark.parametrize("question", ["telescope", "Kim and Lee: telescope", "Kim", "Kim: ocarina"])
def test_without_one_speaker_or_any_word_there_is_none(opened: Open, question: str) -> None:
    index = opened(bare=True)
    index.add(spoken((KIM, "telescope"), (LEE, "boat")), applied=1)

    assert asked(index, question).doubt is None


def test_the_limit_of_an_answer_does_not_move_it(opened: Open) -> None:
    index = opened(bare=True)
    index.add(spoken(*[(1 + at % 3, f"telescope lens{at}") for at in range(30)]), applied=1)

    assert len({asked(index, "Kim: telescope lens4", limit).doubt for limit in (1, 5, 50)}) == 1


WORDS = st.lists(st.sampled_from("telescope roof boat 망원경 지붕".split()), max_size=5).map(
    " ".join
)
LINES = st.lists(st.tuples(st.integers(0, 3), WORDS), min_size=1, max_size=12)


FOLDERS = count()


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(LINES, LINES, WORDS)
def test_it_lies_between_0_and_1_and_knows_neither_order_nor_other_scopes(
    opened: Open, lines: list[tuple[int, str]], others: list[tuple[int, str]], words: str
) -> None:
    number = next(FOLDERS)
    alone, beside = opened(f"alone{number}", bare=True), opened(f"beside{number}", bare=True)
    own = spoken(*lines)
    alone.add(own, applied=1)
    beside.add(spoken(*others, first=1000, scope=2), applied=1)
    for entry in reversed(own):
        beside.add([entry], applied=2)

    found = asked(alone, f"Kim {words}").doubt

    assert found is None or 0.0 <= found <= 1.0
    assert found == asked(beside, f"Kim {words}").doubt
