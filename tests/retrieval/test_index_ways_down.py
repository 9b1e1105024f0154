"""When one way of looking fails the next answers, and every answer says what could not be looked at."""

from collections.abc import Callable, Sequence

import pytest

from muniment.retrieval import CallableEmbedder, Entry, Found, Index, UniversalSentenceEncoder

Open = Callable[..., Index]
ONE = frozenset({1})


def claims(*texts: str) -> list[Entry]:
    return [Entry(node, 0, "claim", 1, text) for node, text in enumerate(texts, 1)]


def nodes(found: Found) -> list[int]:
    return [one.node for one in found.candidates]


class Failing:
    """An embedder that works until it is told to fail."""

    name, dimension, floor = "failing", 2, 0.5

    def __init__(self) -> None:
        self.works = True

    def embed(self, texts: Sequence[str]) -> object:
        if not self.works:
            raise ConnectionError("the endpoint is down")
        return CallableEmbedder("", 2, lambda texts: [[1.0, 0.0]] * len(texts)).embed(texts)


class Dumb:
    """A tokeniser that fails whenever it is asked."""

    name = "words-and-pairs/1"

    def query(self, text: str) -> list[str]:
        raise RuntimeError("no dictionary")


def test_without_an_embedder_keywords_answer(opened: Open) -> None:
    index = opened(bare=True)
    index.add(claims("we deploy to staging", "tea at noon"), applied=1)

    found = index.claims("deploy", scopes=ONE, limit=5)

    assert nodes(found) == [1]
    assert found.candidates[0].reasons == ("keyword",)
    assert found.notes == ("no embedder: found by keyword only",)


def test_when_the_embedder_fails_in_a_search_keywords_answer(opened: Open) -> None:
    embedder = Failing()
    index = opened(embedder=embedder)
    index.add(claims("we deploy to staging", "tea at noon"), applied=1)
    embedder.works = False

    found = index.claims("deploy", scopes=ONE, limit=5)

    assert nodes(found) == [1]
    assert found.notes == ("embedder failed: found by keyword only (ConnectionError)",)
    assert nodes(index.turns("deploy", scopes=ONE, limit=5)) == []


def test_when_the_embedder_fails_in_adding_rows_are_kept_and_counted(opened: Open) -> None:
    embedder = Failing()
    embedder.works = False
    index = opened(embedder=embedder)
    index.add(claims("we deploy to staging", "tea at noon"), applied=4)
    embedder.works = True

    for one in (index, opened(embedder=embedder)):
        found = one.claims("deploy", scopes=ONE, limit=5)
        assert nodes(found) == [1]
        assert found.notes == (
            "without vectors: found by keyword only until `muniment index rebuild` (2 rows)",
        )
        assert one.applied == 4


def test_when_the_tokeniser_fails_meaning_answers(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened(embedder=Failing())
    index.add(claims("we deploy to staging"), applied=1)
    monkeypatch.setattr(index, "_tokeniser", Dumb())

    found = index.claims("deploy", scopes=ONE, limit=5)

    assert nodes(found) == [1]
    assert found.candidates[0].reasons == ("semantic",)
    assert found.notes == ("tokeniser failed: found by meaning only (RuntimeError)",)


def test_when_everything_fails_the_answer_says_that_it_could_not_look(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Failing()
    index = opened(embedder=embedder)
    index.add(claims("we deploy to staging"), applied=1)
    monkeypatch.setattr(index, "_tokeniser", Dumb())
    embedder.works = False

    found = index.claims("deploy", scopes=ONE, limit=5)

    assert found.candidates == ()
    assert len(found.notes) == 2


@pytest.mark.parametrize("query", ["", "  ", "...", "\x00", "' OR 1=1 --", "*", "(x", "\ud800"])
def test_odd_queries_are_answered(opened: Open, query: str) -> None:
    index = opened()
    index.add(claims("we deploy to staging"), applied=1)

    assert index.claims(query, scopes=ONE, limit=5).searched == 1
    assert index.turns(query, scopes=ONE, limit=5).searched == 0


def test_an_unrelated_question_finds_nothing(opened: Open) -> None:
    index = opened(embedder=UniversalSentenceEncoder())
    index.add(
        claims(
            "We deploy to staging on Fridays.",
            "Kim is allergic to peanuts.",
            "The invoice goes to the Lyon office.",
            "배포 환경은 스테이징이다",
        ),
        applied=1,
    )

    for query in ("What is the capital of Mongolia?", "quantum chromodynamics lattice spacing"):
        found = index.claims(query, scopes=ONE, limit=5)
        assert (found.candidates, found.searched, found.notes) == ((), 4, ())
    assert nodes(index.claims("Which nuts must Kim avoid?", scopes=ONE, limit=1)) == [2]
    assert nodes(index.claims("언제 배포하나요?", scopes=ONE, limit=1)) in ([1], [4])
