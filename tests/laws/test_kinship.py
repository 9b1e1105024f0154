"""Declared kin are what their declarations connect, and declaring never makes a claim stand on more."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import InvalidError, Memory
from muniment.claims import Kinship
from muniment.lineage import State, count_support
from muniment.testing import findings, flat_embedder

from .test_independence import Grounds, Leaves, grounds_of, leaves_of

ORIGINS = range(1, 8)
pairs = st.tuples(st.sampled_from(ORIGINS), st.sampled_from(ORIGINS)).filter(
    lambda pair: pair[0] != pair[1]
)
declarations = st.lists(st.tuples(pairs, st.sampled_from(Kinship)), max_size=12)


def connected(said: Sequence[tuple[tuple[int, int], Kinship]]) -> dict[int, set[int]]:
    """Return what each origin is one with, by walking from each along the declarations that stand."""
    edges: set[frozenset[int]] = set()
    for pair, kinship in said:
        (edges.add if kinship is Kinship.SAME else edges.discard)(frozenset(pair))
    found: dict[int, set[int]] = {}
    for one in ORIGINS:
        found[one] = {one}
        while more := {other for edge in edges if edge & found[one] for other in edge - found[one]}:
            found[one] |= more
    return found


def folded(said: Sequence[tuple[tuple[int, int], Kinship]]) -> State:
    state = State()
    for seq, (pair, kinship) in enumerate(said, 1):
        state.add_kinship(seq, *pair, kinship)
    return state


@settings(max_examples=300, deadline=None)
@given(declarations)
def test_a_class_is_what_the_standing_declarations_connect(
    said: list[tuple[tuple[int, int], Kinship]],
) -> None:
    state, wanted = folded(said), connected(said)

    for one in ORIGINS:
        same = {other for other in ORIGINS if state.origin_class(other) == state.origin_class(one)}
        assert same == wanted[one]
        assert state.origin_class(one) == min(same)


@settings(max_examples=300, deadline=None)
@given(grounds_of, leaves_of, st.lists(pairs, max_size=4))
def test_declaring_never_raises_the_independent_support(
    grounds: Grounds, leaves: Leaves, same: list[tuple[int, int]]
) -> None:
    state, before = State(), count_support(0, grounds, leaves)
    for seq, pair in enumerate(same, 1):
        state.add_kinship(seq, *pair, Kinship.SAME)
        joined = {
            leaf: None if kept is None else frozenset(map(state.origin_class, kept))
            for leaf, kept in leaves.items()
        }

        after = count_support(0, grounds, joined)

        assert after.exact
        assert after.independent <= before.independent
        assert (after.independent > 0) == (before.independent > 0)
        before = after


@settings(max_examples=15, deadline=None)
@given(
    pages=st.lists(
        st.lists(st.sampled_from(range(4)), min_size=1, max_size=3, unique=True),
        min_size=1,
        max_size=4,
    ),
    said=st.lists(
        st.tuples(st.permutations(range(4)), st.sampled_from(Kinship)), min_size=1, max_size=5
    ),
)
def test_a_claim_in_a_store_is_counted_by_what_is_declared(
    tmp_path_factory: pytest.TempPathFactory,
    pages: list[list[int]],
    said: list[tuple[list[int], Kinship]],
) -> None:
    path: Path = tmp_path_factory.mktemp("kin") / "store"
    with Memory.open(path, embedder=flat_embedder()) as memory:
        kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
        for n in range(4):
            kim.document(f"page {n}", origin=f"https://{n}.example")
        claim = None
        for number, used in enumerate(pages):
            sources = [
                kim.document(f"so it is: {number}, {n}", origin=f"https://{n}.example")
                for n in used
            ]
            claim = bot.remember("it is so", sources=sources, parents_complete=True)
        assert claim is not None
        lone = {frozenset(used) for used in pages}
        for order, kinship in said:
            first, second = (f"https://{n}.example" for n in order[:2])
            before = kim.evidence_of(claim).independent
            try:
                if kinship is Kinship.SAME:
                    memory.same_origin(first, second)
                    assert kim.evidence_of(claim).independent <= before
                else:
                    memory.apart(first, second)
                    assert kim.evidence_of(claim).independent >= before
            except InvalidError:
                assert kinship is Kinship.APART  # what was not declared is not taken back
        after = kim.evidence_of(claim)
        assert 1 <= after.independent <= len(lone)
        classes = memory.origins()
        assert findings(memory) == ()
    with Memory.open(path, embedder=flat_embedder()) as memory:
        assert memory.origins() == classes
        assert memory.session(person="kim").evidence_of(claim) == after
