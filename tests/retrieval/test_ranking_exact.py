"""Scores are those of BM25 as written in a book, computed slowly here."""

from collections import Counter
from collections.abc import Callable
from itertools import count
from math import log, sqrt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.retrieval import Entry, Found, Index, WordsAndPairs

Open = Callable[..., Index]
FOLDERS = count()
LETTERS = st.sampled_from("alpha beta gamma delta 배포 환경 v2.0".split())
TEXTS = st.lists(st.lists(LETTERS, max_size=8).map(" ".join), min_size=1, max_size=14)
QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def bm25(documents: list[Counter[str]], query: str) -> list[float]:
    """Return the BM25 score of each document: k1 1.2, b 0.75."""
    lengths = [sum(words.values()) for words in documents]
    mean = max(sum(lengths) / len(lengths), 1e-12)
    scores = [0.0] * len(documents)
    for token in set(WordsAndPairs().tokens(query)):
        holding = sum(1 for words in documents if words[token])
        weight = log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        for at, words in enumerate(documents):
            if words[token]:
                norm = 1.2 * (0.25 + 0.75 * lengths[at] / mean)
                scores[at] += weight * words[token] * 2.2 / (words[token] + norm)
    return scores


def covered(documents: list[Counter[str]], query: str) -> list[float]:
    """Return which share of the query's words each document holds, by their BM25 weight."""
    holding = {
        token: sum(1 for words in documents if words[token])
        for token in set(WordsAndPairs().tokens(query))
    }
    weight = {
        token: log(1 + (len(documents) - many + 0.5) / (many + 0.5))
        for token, many in holding.items()
    }
    return [
        sum(weight[token] for token in weight if words[token]) / sum(weight.values())
        for words in documents
    ]


def standard(scores: list[float]) -> list[float]:
    mean = sum(scores) / len(scores)
    deviation = sqrt(sum((score - mean) ** 2 for score in scores) / len(scores))
    return [(score - mean) / deviation if deviation > 1e-12 else 0.0 for score in scores]


def keyword(found: Found) -> dict[int, float]:
    return {one.node: one.parts["keyword"] for one in found.candidates}


@QUICK
@given(TEXTS, st.lists(LETTERS, min_size=1, max_size=5).map(" ".join), st.integers(1, 14))
def test_keyword_scores_of_claims_are_standard_bm25(
    opened: Open, texts: list[str], query: str, cut: int
) -> None:
    index = opened(f"index{next(FOLDERS)}", bare=True)
    entries = [Entry(node, 0, "claim", 1, text) for node, text in enumerate(texts, 1)]
    index.add(entries[:cut], applied=1)
    index.claims(query, scopes=frozenset({1}), limit=1)
    index.add(entries[cut:], applied=2)

    found = index.claims(query, scopes=frozenset({1}), limit=50)

    documents = [Counter(WordsAndPairs().tokens(text)) for text in texts]
    wanted = standard(bm25(documents, query))
    assert keyword(found) == pytest.approx({node: wanted[node - 1] for node in keyword(found)})
    held = standard(covered(documents, query))
    for one in found.candidates:
        assert one.parts["coverage"] == pytest.approx(held[one.node - 1], abs=1e-9)
        assert one.score == pytest.approx(one.parts["keyword"] + one.parts["coverage"] / 2)
    totals = [one.score for one in found.candidates]
    assert totals == sorted(totals, reverse=True)


@QUICK
@given(TEXTS, st.lists(LETTERS, min_size=1, max_size=5).map(" ".join), st.integers(1, 5))
def test_keyword_scores_of_turns_are_bm25_with_shares_of_their_neighbours(
    opened: Open, texts: list[str], query: str, size: int
) -> None:
    index = opened(f"index{next(FOLDERS)}", bare=True)
    index.add(
        [Entry(at + 1, 0, "turn", 1, text, 1 + at // size, 1) for at, text in enumerate(texts)],
        applied=1,
    )

    found = index.turns(query, scopes=frozenset({1}), limit=50)

    wanted = standard(shared_bm25(texts, size, query))
    assert keyword(found) == pytest.approx({node: wanted[node - 1] for node in keyword(found)})


def shared_bm25(texts: list[str], size: int, query: str) -> list[float]:
    """Return BM25 of short turns that hold 0.8 of the words before and 0.4 of those after, threads of `size`."""
    own = [Counter(WordsAndPairs().tokens(text)) for text in texts]
    near: list[dict[str, float]] = []
    for at, mine in enumerate(own):
        held: dict[str, float] = dict(mine)
        for other, share in ((at - 1, 0.8), (at + 1, 0.4)):
            if 0 <= other < len(own) and other // size == at // size:
                for word, times in own[other].items():
                    held[word] = held.get(word, 0.0) + share * times
        near.append(held)
    lengths = [sum(words.values()) for words in near]
    mean = max(sum(lengths) / len(lengths), 1e-12)
    scores = [0.0] * len(near)
    for token in set(WordsAndPairs().tokens(query)):
        holding = sum(1 for words in near if words.get(token))
        weight = log(1 + (len(near) - holding + 0.5) / (holding + 0.5))
        for at, words in enumerate(near):
            if words.get(token):
                norm = 1.2 * (0.25 + 0.75 * lengths[at] / mean)
                scores[at] += weight * words[token] * 2.2 / (words[token] + norm)
    return scores
