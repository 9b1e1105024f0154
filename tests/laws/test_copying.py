"""Who copies is found where it was put and nowhere else, and a copy never outvotes who looks for himself."""

from collections import Counter
from collections.abc import Hashable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.lineage import Said, chances_of, copies, votes_of

SLOTS, OWN, WRONG = 120, 8, 10
TRUE = "right"
COPIERS = frozenset(range(OWN + 1, OWN + 4))


def world(
    seed: int, *, copied: float = 0.95, low: float = 0.5, high: float = 0.95, first: float = 0.5
) -> Said:
    """Return what eight origins of some accuracy say, the first of them wrong as often as not, and three that copy it.

    With `copied` 0 the three look for themselves too.
    """
    chance = Random(seed)
    accuracy = {origin: chance.uniform(low, high) for origin in range(1, OWN + 1)} | {1: first}

    def own(right: float) -> str:
        return TRUE if chance.random() < right else f"wrong {chance.randrange(WRONG)}"

    said: dict[Hashable, dict[int, str]] = {}
    for slot in range(SLOTS):
        values = {origin: own(right) for origin, right in accuracy.items()}
        for copier in sorted(COPIERS):
            values[copier] = values[1] if chance.random() < copied else own(0.7)
        said[slot] = values
    return said


def groups(said: Said, known: dict[int, int] | None = None) -> list[set[int]]:
    found: list[set[int]] = []
    for copy in copies(said, known or {}):
        pair = {copy.first, copy.second}
        met = [group for group in found if group & pair]
        found = [group for group in found if not group & pair] + [pair.union(*met)]
    return found


def test_copiers_are_found_with_whom_they_copy() -> None:
    found = [groups(world(seed)) for seed in range(20)]

    assert found.count([{1, *COPIERS}]) >= 15
    assert all(group <= {1, *COPIERS} for one in found for group in one)


@pytest.mark.parametrize(("low", "high"), [(0.5, 0.95), (0.2, 0.6), (0.9, 0.98)])
def test_nobody_is_suspected_who_looks_for_himself(low: float, high: float) -> None:
    worlds = (world(seed, copied=0.0, low=low, high=high, first=high) for seed in range(10))

    assert [groups(said) for said in worlds] == [[]] * 10


def test_agreeing_on_what_is_right_betrays_nobody() -> None:
    erring = world(1, copied=0.0, low=0.5, high=0.8)
    said = {slot: {**values, 20: TRUE, 21: TRUE} for slot, values in erring.items()}

    assert groups(said) == []


def test_the_evidence_is_counted() -> None:
    said = world(3)
    pairs = {(copy.first, copy.second): copy for copy in copies(said, {})}

    for (first, second), copy in pairs.items():
        alike = [slot for slot, values in said.items() if values[first] == values[second]]
        wrong = sum(said[slot][first] != TRUE for slot in alike)
        assert (copy.shared, copy.agreed) == (SLOTS, len(alike))
        assert copy.wrong == pytest.approx(wrong, abs=6)
    assert [copy.wrong for copy in copies(said, {})] == sorted(
        (copy.wrong for copy in pairs.values()), reverse=True
    )


def test_what_is_recorded_is_not_proposed_again_and_nothing_more_comes_of_it() -> None:
    for seed in range(8):
        said = world(seed)
        known = {one: min(group) for group in groups(said) for one in group}

        assert copies(said, known) == []


def test_exact_copies_that_outnumber_everybody_are_found_and_outvoted() -> None:
    said = {
        slot: {**values, **dict.fromkeys(range(20, 40), values[1])}
        for slot, values in world(5, first=0.3).items()
    }
    plain = Counter(
        Counter(values.values()).most_common(1)[0][0] == TRUE for values in said.values()
    )

    (group,) = groups(said)
    classes = {one: min(group) for one in group}
    chances, _ = chances_of(votes_of(said, classes))

    assert group == {1, *COPIERS, *range(20, 40)}
    right = sum(max(values, key=lambda one: values[one]) == TRUE for values in chances.values())
    assert plain[True] < SLOTS / 2 < 0.9 * SLOTS < right


values_of = st.dictionaries(st.integers(1, 5), st.sampled_from("abc"), min_size=1, max_size=5)
saids = st.dictionaries(st.integers(0, 9), values_of, min_size=1, max_size=10)


@settings(max_examples=200, deadline=None)
@given(saids, st.dictionaries(st.integers(1, 5), st.integers(1, 2)))
def test_chances_are_chances_and_a_class_has_one_vote(said: Said, classes: dict[int, int]) -> None:
    votes = votes_of(said, classes)
    chances, accuracy = chances_of(votes)

    for slot, voices in votes.items():
        assert all(sum(shares.values()) == pytest.approx(1) for shares in voices.values())
        assert set(chances[slot]) == set(said[slot].values())
        assert all(0 <= chance <= 1 for chance in chances[slot].values())
        assert sum(chances[slot].values()) <= 1 + 1e-9
    assert all(0 <= right <= 1 for right in accuracy.values())
    assert set(accuracy) == {classes.get(one, one) for values in said.values() for one in values}


@settings(max_examples=100, deadline=None)
@given(saids, st.integers(1, 4))
def test_copies_of_a_class_change_nothing(said: Said, more: int) -> None:
    """An origin that says what another of its class says leaves every chance as it was."""
    copied = {
        slot: values | ({10 + number: values[1] for number in range(more)} if 1 in values else {})
        for slot, values in ((slot, dict(values)) for slot, values in said.items())
    }
    classes = {10 + number: 1 for number in range(more)}

    before, _ = chances_of(votes_of(said, {}))
    after, _ = chances_of(votes_of(copied, classes))

    assert {slot: pytest.approx(values) for slot, values in before.items()} == dict(after)
