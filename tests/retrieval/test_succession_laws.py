"""Laws of what is newer in the same slot: the order of asking, strangers and other levels change nothing."""

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from muniment.retrieval import (
    Said,
    Spoken,
    asks_for_a_value,
    newer_values,
    newest_first,
    slot_reasons,
    successors,
)

QUERY = "배포 환경 deadline budget이 얼마야?"
FRAMES = ("The deadline of Apollo is {}.", "배포 환경은 {}이다.", "Kim's budget stands at {} now")
STRANGERS = ("The cat sleeps on the mat.", "고양이가 창가에서 잔다.", "The deadline moved.")


def row(frame: str, value: str, at: int, group: int) -> tuple[str, int, int]:
    """Return what was said, when, and in which group."""
    return frame.format(value), at, group


said = st.lists(
    st.builds(
        row,
        st.sampled_from(FRAMES),
        st.sampled_from(("Friday", "월요일", "70", "스테이징", "production", "a b c d e f g h i")),
        st.integers(0, 5),
        st.integers(0, 1),
    ),
    max_size=8,
)


def named(rows: Sequence[tuple[str, int, int]]) -> list[Said]:
    """Return sentences with their places as names."""
    return [
        Said(name, words, (at, name), ("scope", group))
        for name, (words, at, group) in enumerate(rows)
    ]


@given(said, st.randoms())
def test_the_order_in_which_sentences_come_changes_nothing(
    rows: list[tuple[str, int, int]], chance: Random
) -> None:
    sentences = named(rows)
    shuffled = list(sentences)
    chance.shuffle(shuffled)

    assert successors(QUERY, sentences) == successors(QUERY, shuffled)


@given(said)
def test_strangers_change_nothing(rows: list[tuple[str, int, int]]) -> None:
    sentences = named(rows)
    more = [
        Said(100 + at, words, (at, 100 + at), ("scope", 0)) for at, words in enumerate(STRANGERS)
    ]

    assert successors(QUERY, [*sentences, *more]) == successors(QUERY, sentences)


@given(said)
def test_what_is_newer_is_later_and_of_one_group_and_agrees_in_the_frame(
    rows: list[tuple[str, int, int]],
) -> None:
    sentences = {one.name: one for one in named(rows)}

    for old, later in successors(QUERY, sentences.values()).items():
        assert list(later) == sorted(later, key=lambda name: sentences[name].at)
        for new in later:
            assert sentences[new].at > sentences[old].at
            assert sentences[new].group == sentences[old].group
            assert sentences[new].words[:6] == sentences[old].words[:6]
            assert sentences[new].words != sentences[old].words


@given(said, st.randoms())
def test_ordering_loses_nothing_and_puts_what_is_newer_before(
    rows: list[tuple[str, int, int]], chance: Random
) -> None:
    newer = successors(QUERY, named(rows))
    order = list(range(len(rows)))
    chance.shuffle(order)

    found = newest_first(order, newer, lambda _: 0)

    assert sorted(found) == sorted(order)
    assert all(found.index(new) < found.index(old) for old, later in newer.items() for new in later)
    unmoved = [name for name in order if not any(name in later for later in newer.values())]
    assert [name for name in found if name in unmoved] == unmoved
    assert newest_first(found, newer, lambda _: 0) == found


@given(said, st.randoms())
def test_each_level_keeps_its_places_whatever_is_newer(
    rows: list[tuple[str, int, int]], chance: Random
) -> None:
    sentences = named(rows)
    levels = {one.name: one.group for one in sentences}
    newer = successors(QUERY, sentences)
    order = list(range(len(rows)))
    chance.shuffle(order)

    found = newest_first(order, newer, levels.__getitem__)

    assert sorted(found) == sorted(order)
    assert [levels[name] for name in found] == [levels[name] for name in order]
    assert all(found.index(new) < found.index(old) for old, later in newer.items() for new in later)


def test_who_repeats_himself_makes_no_recall_slow_and_no_receipt_large() -> None:
    many = [Said(at, f"The budget of Apollo is {at}", (at,), 0) for at in range(400)]

    newer = successors("What is the budget of Apollo?", many)
    reasons = slot_reasons(newer, {at: str(at) for at in range(400)})

    assert max(map(len, newer.values())) == 16 and len(newer) == 399
    assert {later[-1] for later in newer.values()} == {399}
    assert max(map(len, reasons.values())) == 2
    assert [one.detail for one in reasons[399]] == ["398"]
    assert [one.detail for one in reasons[398]] == ["399", "397"]


@given(said, st.lists(st.floats(-5, 20), min_size=8, max_size=8))
def test_of_turns_newer_values_are_later_of_one_speaker_and_lose_nothing(
    rows: list[tuple[str, int, int]], scores: list[float]
) -> None:
    turns = {
        name: Spoken(name, words, (at, name), group, scores[name])
        for name, (words, at, group) in enumerate(rows)
    }
    best = sorted(turns.values(), key=lambda turn: -turn.score)

    newer = newer_values("What is the deadline and budget of Apollo and Kim? 70?", best)

    for old, later in newer.items():
        assert all(turns[new].at > turns[old].at for new in later)
        assert {turns[new].group for new in later} == {turns[old].group}
    order = [turn.name for turn in best]
    assert sorted(newest_first(order, newer, lambda _: 0)) == sorted(order)


def test_a_question_asks_for_one_value_as_it_is_now() -> None:
    now = (
        "How many commits are merged?", "what is my budget", "When is the webinar?", "예산이 얼마야?",
        "회의는 몇 시에 있어?", "마감이 언제겠어?",
    )  # fmt: skip
    other = (
        "How many commits did I merge?", "How long between the two?", "Have I used Bootstrap?",
        "예산이 얼마였어?", "언제 갔어?", "List my books.", "3월과 5월 사이 며칠?", "What was it?",
    )  # fmt: skip

    assert [text for text in now if not asks_for_a_value(text)] == []
    assert [text for text in other if asks_for_a_value(text)] == []


def test_a_value_is_compared_with_a_value_of_its_kind() -> None:
    def moved(one: str, other: str, query: str) -> bool:
        turns = (Spoken(1, one, (1,), 0, 5.0), Spoken(2, other, (2,), 0, 5.0))
        return bool(newer_values(query, turns))

    query = "How many books does the reading challenge have?"
    assert moved(
        "The reading challenge has 10 books.", "The reading challenge: 12 good books.", query
    )
    assert not moved(
        "The reading challenge has 10 books.", "The reading challenge costs $12.", query
    )
    assert not moved(
        "The reading challenge has 10 books.", "The reading challenge has 10 books.", query
    )
    assert not moved(
        "The reading challenge has 10 books.", "Ten pals, 12 books are in my bag.", query
    )
    assert moved(
        "독서 모임 책은 10권이다.", "독서 모임 책이 12권으로 늘었다.", "독서 모임 책이 몇 권이야?"
    )
    assert not moved("독서 모임은 4시다.", "독서 모임은 4시간 걸린다.", "독서 모임이 몇 시야?")
    assert moved(
        "The sprint ends April 1.", "The sprint now ends April 5.", "When is the sprint end?"
    )
