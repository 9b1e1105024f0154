"""Scopes: what the asker may not read is not searched, not weighted, not counted."""

import random
from collections.abc import Callable
from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.retrieval import Entry, Found, Index

Open = Callable[..., Index]

WORDS = (
    "deploy staging friday tea coffee Seoul 배포 환경 금요일 회의 release v2.0 team lunch".split()
)


def claim(node: int, text: str, scope: int = 1) -> Entry:
    return Entry(node, 0, "claim", scope, text)


def chatter(seed: int, count: int, *, first: int, scope: int) -> list[Entry]:
    """Return claims and turns of random words."""
    pick = random.Random(seed)
    return [
        Entry(
            first + at,
            0,
            "claim" if at % 2 else "turn",
            scope,
            " ".join(pick.choices(WORDS, k=pick.randint(1, 9))),
            thread=at // 10 + 1,
            speaker=at % 3,
        )
        for at in range(count)
    ]


def scores(found: Found) -> list[tuple[int, float, dict[str, float]]]:
    return [(one.node, one.score, dict(one.parts)) for one in found.candidates]


def everything(index: Index, scopes: frozenset[int]) -> list[object]:
    """Return all that an index answers to a few queries, bit by bit."""
    queries = ("deploy to staging", "배포 환경을", "tea on Friday with the team")
    asked = [
        index.turns(f"{query} Kim", scopes=scopes, limit=50, speakers={"Kim": 1, "Lee": 2})
        for query in queries
    ]
    assert all(found.doubt for found in asked)
    return [
        *((scores(found), found.doubt) for found in asked),
        *(
            scores(search(query, scopes=scopes, limit=50))
            for query in queries
            for search in (index.claims, index.turns, index.threads)
        ),
    ]


def test_scores_are_bit_equal_with_and_without_rows_of_other_scopes(opened: Open) -> None:
    alone, beside = opened("alone"), opened("beside")
    own = [*chatter(1, 60, first=1, scope=1), *chatter(2, 60, first=101, scope=3)]
    alone.add(own, applied=1)
    beside.add(chatter(3, 250, first=1000, scope=2), applied=1)
    beside.add(own[:40], applied=2)
    beside.add(chatter(4, 250, first=2000, scope=4), applied=3)
    beside.add(own[40:], applied=4)

    wanted = everything(alone, frozenset({1, 3}))

    assert any(wanted)
    assert everything(beside, frozenset({1, 3})) == wanted
    assert everything(opened("beside"), frozenset({1, 3})) == wanted


def test_no_scope_finds_nothing(opened: Open) -> None:
    index = opened()
    index.add([claim(1, "we deploy to staging")], applied=1)

    assert index.claims("deploy", scopes=frozenset(), limit=5) == Found()
    assert index.claims("deploy", scopes=frozenset({9}), limit=5) == Found()


def test_rows_out_of_scope_are_not_counted(opened: Open) -> None:
    index = opened()
    index.add([claim(1, "deploy", 1), claim(2, "deploy", 2), claim(3, "deploy", 2)], applied=1)

    assert index.claims("deploy", scopes=frozenset({2}), limit=5).searched == 2


def test_a_claim_that_moves_to_another_scope_leaves_the_first(opened: Open) -> None:
    index = opened()
    index.add([claim(1, "we deploy to staging", 1)], applied=1)
    assert nodes(index.claims("deploy", scopes=frozenset({1}), limit=5)) == [1]

    index.add([claim(1, "we deploy to staging", 2)], applied=2)

    assert nodes(index.claims("deploy", scopes=frozenset({1}), limit=5)) == []
    assert nodes(index.claims("deploy", scopes=frozenset({2}), limit=5)) == [1]


def test_claims_and_turns_are_told_apart(opened: Open) -> None:
    index = opened()
    index.add([claim(1, "we deploy"), Entry(2, 0, "turn", 1, "we deploy", 1, 1)], applied=1)

    assert nodes(index.claims("deploy", scopes=frozenset({1}), limit=5)) == [1]
    assert nodes(index.turns("deploy", scopes=frozenset({1}), limit=5)) == [2]


def test_required_nodes_narrow_the_answer_and_not_the_weights(opened: Open) -> None:
    index = opened()
    index.add([claim(node, f"we deploy thing{node}") for node in range(1, 30)], applied=1)
    free = index.claims("deploy thing7", scopes=frozenset({1}), limit=50)

    narrowed = index.claims(
        "deploy thing7", scopes=frozenset({1}), limit=50, require=frozenset({7, 9})
    )

    assert list(narrowed.candidates) == [one for one in free.candidates if one.node in {7, 9}]
    assert narrowed.searched == free.searched


FOLDERS = count()


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(WORDS)), min_size=1, max_size=20))
def test_whatever_is_in_the_index_only_readable_rows_come_back(
    opened: Open, rows: list[tuple[int, str]]
) -> None:
    index = opened(f"index{next(FOLDERS)}")
    index.add([claim(at, text, scope) for at, (scope, text) in enumerate(rows, 1)], applied=1)

    for scope, text in rows:
        found = index.claims(text, scopes=frozenset({scope}), limit=50)
        readable = {at for at, (home, _) in enumerate(rows, 1) if home == scope}
        assert {one.node for one in found.candidates} <= readable
        assert found.searched == len(readable)


def nodes(found: Found) -> list[int]:
    return [one.node for one in found.candidates]
