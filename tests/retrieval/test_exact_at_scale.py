"""What is left out of a large scope without being looked at could not have been among the best."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.retrieval import (
    Candidate,
    Part,
    Pile,
    Query,
    Rows,
    Sketch,
    best_claims,
    best_claims_each_scored,
)

LAW = settings(max_examples=150, deadline=None)
WIDTH = 24
SHOWN = 5e-5  # scores are shown to four digits
WORDS = np.arange(1, 30, dtype=np.uint64) << np.uint64(58)


def rows_of(dice: np.random.Generator, count: int, *, first: int, kinds: int, bare: float) -> Rows:
    """Return made-up rows, in halves: few directions carry most, many are equal, some have no vector."""
    fall = np.arange(1, WIDTH + 1) ** -dice.uniform(0.0, 1.5)
    drawn = dice.standard_normal((kinds, WIDTH)) * fall + dice.uniform(0, 0.5)
    drawn /= np.maximum(np.linalg.norm(drawn, axis=1, keepdims=True), 1e-9)
    vectors = drawn[dice.integers(kinds, size=count)]
    vectors[dice.random(count) < bare] = 0.0
    words = [np.unique(dice.choice(WORDS, dice.integers(1, 6))) for _ in range(count)]
    none = np.zeros(count, np.int64)
    starts = np.cumsum([0, *map(len, words)], dtype=np.int64)
    return Rows(
        node=np.arange(first, first + count, dtype=np.int64),
        chunk=none,
        thread=none,
        speaker=none,
        vectors=vectors.astype(np.float16),
        digests=np.concatenate(words),
        counts=dice.integers(1, 4, int(starts[-1])).astype(np.uint16),
        starts=starts,
    )


def query_of(dice: np.random.Generator, *, words: int, floor: float) -> Query:
    """Return a made-up query with so many words."""
    vector = dice.standard_normal(WIDTH) + dice.uniform(0, 1)
    vector /= np.linalg.norm(vector)
    digests = np.unique(dice.choice(WORDS, words)) if words else WORDS[:0]
    return Query(digests, vector.astype(np.float32), floor)


def sketched(rows: Rows, directions: int) -> Part:
    """Return a part that is searched by its sketch, however small."""
    part = Part.of(rows, turns=False, sketch_from=1)
    return replace(part, sketch=Sketch.of(part.rows.vectors, directions=directions))


def must_be_the_best(
    found: list[Candidate],
    parts: list[Part],
    query: Query,
    limit: int,
    require: frozenset[int] | None,
) -> None:
    """Compare with scoring every row: the same nodes, scores and reasons, ties to the lower node."""
    rows = sum(len(part) for part in parts)
    every = best_claims_each_scored(parts, query, limit=rows, require=require)
    wanted = every[:limit]
    assert [one.score for one in found] == pytest.approx([one.score for one in wanted], abs=SHOWN)
    known = {one.node: one for one in every}
    for one in found:
        assert one.parts == pytest.approx(dict(known[one.node].parts), abs=SHOWN)
        assert one.reasons == known[one.node].reasons
    last = wanted[-1].score if len(wanted) == limit else -np.inf
    assert {one.node for one in wanted if one.score > last + SHOWN} <= {one.node for one in found}
    assert len({one.node for one in found}) == len(found)
    for one, other in zip(found, found[1:], strict=False):
        assert one.score > other.score or one.node < other.node


@LAW
@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(1, 400), min_size=1, max_size=3),
    small=st.integers(0, 60),
    directions=st.integers(1, WIDTH),
    kinds=st.sampled_from([1, 2, 7, 1000]),
    bare=st.sampled_from([0.0, 0.1, 1.0]),
    words=st.integers(0, 4),
    floor=st.sampled_from([-1.0, 0.0, 0.3, 0.9]),
    limit=st.sampled_from([1, 2, 5, 20]),
    chosen=st.booleans(),
)
def test_pruned_search_is_exact_search(
    seed: int,
    sizes: list[int],
    small: int,
    directions: int,
    kinds: int,
    bare: float,
    words: int,
    floor: float,
    limit: int,
    chosen: bool,
) -> None:
    dice = np.random.default_rng(seed)
    parts, first = list[Part](), 1
    for size in sizes:
        rows = rows_of(dice, size, first=first, kinds=kinds, bare=bare)
        parts.append(sketched(rows, directions))
        first += size
    if small:
        rows = rows_of(dice, small, first=first, kinds=kinds, bare=bare)
        parts.append(Part.of(rows, turns=False))
        first += small
    query = query_of(dice, words=words, floor=floor)
    require = frozenset(dice.integers(1, first, first // 2).tolist()) if chosen else None

    found = best_claims(parts, query, limit=limit, require=require)

    must_be_the_best(found, parts, query, limit, require)


@LAW
@given(
    seed=st.integers(0, 2**32),
    size=st.integers(1, 500),
    directions=st.integers(1, WIDTH),
    length=st.sampled_from([1.0, 1e-3, 50.0]),
)
def test_no_similarity_is_above_its_ceiling(
    seed: int, size: int, directions: int, length: float
) -> None:
    dice = np.random.default_rng(seed)
    vectors = rows_of(dice, size, first=1, kinds=1000, bare=0.1).vectors * np.float16(length)
    query = query_of(dice, words=0, floor=0.0).vector

    sketch = Sketch.of(vectors, directions=directions)

    alike = vectors.astype(np.float64) @ query.astype(np.float64)
    assert (alike <= sketch.ceiling(query)).all()
    total, square = sketch.sums(query)
    assert total == pytest.approx(alike.sum(), rel=1e-9, abs=1e-9)
    assert square == pytest.approx((alike**2).sum(), rel=1e-9, abs=1e-9)


@LAW
@given(seed=st.integers(0, 2**32), size=st.integers(2, 300), share=st.floats(0.0, 1.0))
def test_what_is_left_of_a_part_is_as_if_only_that_had_come(
    seed: int, size: int, share: float
) -> None:
    dice = np.random.default_rng(seed)
    rows = rows_of(dice, size, first=1, kinds=50, bare=0.1)
    index = np.flatnonzero(dice.random(size) < share)
    if not len(index):
        return
    query = query_of(dice, words=3, floor=0.0)

    left = sketched(rows, 5).kept(index)

    anew = sketched(rows.take(index), 5)
    for name in ("vocabulary", "offsets", "posting_rows", "posting_counts", "length"):
        assert np.array_equal(getattr(left, name), getattr(anew, name)), name
    assert np.array_equal(left.rows.vectors, anew.rows.vectors)
    assert left.sketch and anew.sketch
    assert left.sketch.sums(query.vector) == pytest.approx(
        anew.sketch.sums(query.vector), rel=1e-9, abs=1e-9
    )
    alike = left.rows.vectors.astype(np.float64) @ query.vector
    assert (alike <= left.sketch.ceiling(query.vector)).all()


@LAW
@given(
    seed=st.integers(0, 2**32),
    batches=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    gone=st.integers(0, 60),
)
def test_rows_that_come_bit_by_bit_and_go_again_are_found_as_if_loaded_together(
    seed: int, batches: list[int], gone: int
) -> None:
    dice = np.random.default_rng(seed)
    whole, pile, at = (
        rows_of(dice, sum(batches), first=1, kinds=30, bare=0.1),
        Pile([], turns=False),
        0,
    )
    for size in batches:
        pile.waiting.append(whole.take(np.arange(at, at + size)))
        pile.parts()
        at += size
    pile.drop(lambda rows: rows.node != gone)
    whole = whole.take(np.flatnonzero(whole.node != gone))
    query = query_of(dice, words=2, floor=0.0)
    if not len(whole):
        assert pile.parts() == []
        return

    found = best_of(pile.parts(), query)

    assert found == best_of([Part.of(whole, turns=False)], query)


def best_of(parts: list[Part], query: Query) -> list[tuple[int, float]]:
    """Return the nodes of all hits with their scores, best first."""
    found = best_claims(parts, query, limit=1000)
    return [(one.node, round(one.score, 9)) for one in found]
