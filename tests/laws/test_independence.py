"""Independent support is what its definition says, and never rises by saying the same once more."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Claim, Memory, Session
from muniment.lineage import count_support
from muniment.testing import flat_embedder

CLAIMS = 5
Grounds = Mapping[int, Sequence[Sequence[int]]]
Leaves = Mapping[int, frozenset[int] | None]

# Claims are 0 to 4, and rest on each other in loops too; leaves are -1 to -6, of few classes, so that they share.
nodes = st.integers(-6, CLAIMS - 1)
grounds_of = st.fixed_dictionaries(
    {
        claim: st.lists(st.lists(nodes, min_size=1, max_size=3), min_size=1, max_size=3)
        for claim in range(CLAIMS)
    }
)
leaves_of = st.fixed_dictionaries(
    {
        -number: st.none() | st.frozensets(st.integers(1, 5), min_size=1, max_size=2)
        for number in range(1, 7)
    }
)


def holds(grounds: Grounds, standing: set[int]) -> bool:
    """Return whether claim 0 stands on these leaves: by trying all claims until nothing is added."""
    held = set(standing)
    while True:
        more = {
            claim
            for claim, justifications in grounds.items()
            if claim not in held and any(held.issuperset(one) for one in justifications)
        }
        if not more:
            return 0 in held
        held |= more


def subsets(classes: frozenset[int]) -> Iterator[frozenset[int]]:
    for size in range(len(classes) + 1):
        yield from map(frozenset, combinations(sorted(classes), size))


def by_definition(grounds: Grounds, leaves: Leaves) -> tuple[int, set[int]]:
    """Return the most pairwise disjoint minimal witnesses, and what nothing holds without."""
    everyone = frozenset(one for classes in leaves.values() for one in classes or ())

    def enough(available: frozenset[int]) -> bool:
        return holds(
            grounds,
            {leaf for leaf, kept in leaves.items() if kept is not None and kept <= available},
        )

    witnesses = [one for one in subsets(everyone) if enough(one)]
    minimal = [one for one in witnesses if not any(other < one for other in witnesses)]

    def most(left: list[frozenset[int]]) -> int:
        if not left:
            return 0
        first, rest = left[0], left[1:]
        return max(most(rest), 1 + most([one for one in rest if not one & first]))

    points: set[int] = set()
    if holds(grounds, set(leaves)):
        for one in (*everyone, *(leaf for leaf, kept in leaves.items() if kept is None)):
            left = {
                leaf for leaf, kept in leaves.items() if leaf != one and one not in (kept or ())
            }
            if not holds(grounds, left):
                points.add(one)
    return most([one for one in minimal if one]), points


@settings(max_examples=1_500, deadline=None)
@given(grounds_of, leaves_of)
def test_it_is_the_largest_number_of_disjoint_witnesses(grounds: Grounds, leaves: Leaves) -> None:
    count = count_support(0, grounds, leaves)

    assert count.exact
    assert (count.independent, set(count.points)) == by_definition(grounds, leaves)


@settings(max_examples=300, deadline=None)
@given(grounds_of, leaves_of)
def test_many_origins_that_work_only_in_pairs_are_bounded_from_below(
    grounds: Grounds, leaves: Leaves
) -> None:
    wide = {
        number: None if kept is None else frozenset((max(kept), 100 - number))
        for number, kept in leaves.items()
    }
    pairs = {-number: frozenset((number, number + 1)) for number in range(200, 230, 2)}
    both: dict[int, Sequence[Sequence[int]]] = dict(grounds)
    both[0] = [*grounds[0], *([leaf] for leaf in pairs)]

    count = count_support(0, both, {**wide, **pairs})

    classes = {one for kept in (*wide.values(), *pairs.values()) for one in kept or ()}
    assert 15 <= count.independent <= len(classes)


def test_a_loop_adds_nothing() -> None:
    grounds = {0: [[1], [2]], 1: [[0], [-1]], 2: [[1], [0]]}

    assert count_support(0, grounds, {-1: frozenset((1,))}).independent == 1
    assert count_support(0, {0: [[1]], 1: [[0]]}, {}).independent == 0


def test_what_is_needed_together_is_one_witness() -> None:
    leaves = {-1: frozenset((1,)), -2: frozenset((2,)), -3: frozenset((3,))}

    count = count_support(0, {0: [[-1, -2], [-2, -3]]}, leaves)

    assert count == (1, True, (2,))  # two justifications, and both fall with the second origin


def test_an_unknown_origin_holds_it_up_and_counts_for_nothing() -> None:
    count = count_support(0, {0: [[-1], [-2]]}, {-1: frozenset((1,)), -2: None})

    assert count == (1, True, ())
    assert count_support(0, {0: [[-2]]}, {-2: None}) == (0, True, (-2,))


# --- in the store --------------------------------------------------------------------------------------------------

PAGE, URL = "The gate opens at nine.", "https://wiki.example/gate"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embedder=flat_embedder()) as opened:
        yield opened


def kept(memory: Memory) -> tuple[Session, Session, Claim]:
    """Return a person, her agent, and a claim that rests on one page."""
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    page = kim.document(PAGE, origin=URL)
    return kim, bot, kim.remember(PAGE, kind="external", sources=[page])


def quote(kim: Session, bot: Session, claim: Claim) -> None:
    kim.remember(PAGE, kind="external", sources=[claim.citations[0].id])


def summary(kim: Session, bot: Session, claim: Claim) -> None:
    made = bot.remember("gate: nine", sources=[claim])
    bot.remember("so the gate is shut at eight", sources=[made, claim])


def restatement(kim: Session, bot: Session, claim: Claim) -> None:
    kim.remember(PAGE, kind="external", sources=[bot.message(PAGE)])


def recall(kim: Session, bot: Session, claim: Claim) -> None:
    found = bot.recall("gate").evidence[0].claim
    said = bot.message(f"I remember: {found.words}")
    kim.remember(PAGE, kind="external", sources=[said])
    bot.tool_result("browser", text=found.words)


def reingest(kim: Session, bot: Session, claim: Claim) -> None:
    for text, origin in (
        (PAGE, URL),
        (f" {PAGE.upper()}\n", URL),
        (PAGE, "https://mirror.example"),
    ):
        again = kim.document(text, origin=origin)
        kim.remember(text.strip(), kind="external", sources=[again])
        kim.remember(PAGE, kind="external", sources=[again])


def retry(kim: Session, bot: Session, claim: Claim) -> None:
    for _ in range(2):
        page = kim.document(PAGE, origin=URL, key="page")
        kim.remember(PAGE, kind="external", sources=[page], key="claim")


def pasting(kim: Session, bot: Session, claim: Claim) -> None:
    pasted = kim.message(parts=[("pasted", PAGE)])
    kim.remember(PAGE, kind="external", sources=[pasted])


WAYS = (quote, summary, restatement, recall, reingest, retry, pasting)


@pytest.mark.parametrize("way", WAYS)
def test_saying_the_same_once_more_makes_it_no_more_independent(
    memory: Memory, way: Callable[[Session, Session, Claim], None]
) -> None:
    kim, bot, claim = kept(memory)

    for _ in range(2):
        way(kim, bot, claim)

        found = kim.evidence_of(claim.id)
        assert (found.independent, found.exact, found.origins) == (1, True, 1)
        assert all(kim.evidence_of(one.id).independent <= 1 for one in kim.claims())


@settings(max_examples=25, deadline=None)
@given(ways=st.lists(st.sampled_from(WAYS), min_size=1, max_size=5))
def test_in_whatever_order_it_is_said_again(
    tmp_path_factory: pytest.TempPathFactory, ways: list[Callable[..., None]]
) -> None:
    with Memory.open(tmp_path_factory.mktemp("s") / "store", embedder=flat_embedder()) as memory:
        kim, bot, claim = kept(memory)
        for way in ways:
            way(kim, bot, claim)
        assert all(kim.evidence_of(one.id).independent <= 1 for one in kim.claims())
