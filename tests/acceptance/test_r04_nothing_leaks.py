"""R04: claims and turns are told apart, others' rows weigh nothing, and what is in scope is searched whole."""

import json
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import count

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment import CallableEmbedder, Memory, Session
from muniment.retrieval import Candidate, Entry, Index, Reason, WordsAndPairs

Open = Callable[..., Memory]
WORDS = "배포 staging 금요일 회의 deploy Friday 서버 tea 점심 budget".split()
PLACES = (
    {"person": "kim"},
    {"person": "lee"},
    {"person": "kim", "project": "apollo"},
    {"person": "kim", "channel": "견적"},
    {"person": "lee", "session": "아침"},
)
FOLDERS = count()
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
# Who says what where, and whether it is remembered.
DEEDS = st.lists(
    st.tuples(
        st.sampled_from(range(len(PLACES))),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
        st.booleans(),
    ),
    min_size=1,
    max_size=14,
)
QUICKLY = settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@QUICKLY
@given(DEEDS, st.sampled_from(WORDS), st.booleans())
def test_claims_come_by_recall_alone_and_turns_by_conversation_search_alone(
    quick: Open, deeds: list[tuple[int, list[str], bool]], question: str, read_only: bool
) -> None:
    name = f"told{next(FOLDERS)}"
    with quick(name) as memory:
        for number, (at, words, keep) in enumerate(deeds):
            session = memory.session(**PLACES[at])
            said = session.message(f"turn {' '.join(words)} {number}")
            if keep:
                session.remember(f"claim {' '.join(words)}", kind="inferred", sources=[said])
    with quick(name, read_only=read_only) as memory:
        for place in PLACES:
            session = memory.session(**place)
            mine = [deed for deed in deeds if _reads(place, PLACES[deed[0]])]
            answer = session.recall(question, limit=100)
            turns = session.search_conversations(question, limit=100)

            told = [item.claim.words for item in answer.evidence]
            heard = [hit.excerpt for hit in turns.hits]
            assert all(words.startswith("claim ") for words in told)
            assert all(words.startswith("turn ") for words in heard)
            spoken = [" ".join(words) for _, words, _ in mine if question in words]
            assert sum(question in words.split() for words in heard) == len(spoken)
            kept = {" ".join(words) for _, words, keep in mine if keep and question in words}
            assert {words.removeprefix("claim ") for words in told} >= kept
            assert all(_stands(words, mine) for words in told + heard)
            ways = ("one by one",) if read_only else ("keyword", "semantic")
            assert answer.ways in (ways, ()) and turns.ways in (ways, ())


def _reads(reader: dict[str, str], written: dict[str, str]) -> bool:
    # A session names the conversation; what is said in it is the person's everywhere.
    return all(reader.get(field) == name for field, name in written.items() if field != "session")


def _stands(words: str, mine: list[tuple[int, list[str], bool]]) -> bool:
    return any(" ".join(said) in words for _, said, _ in mine)


# --- what others write weighs nothing ---------------------------------------------------------------------------------


def lines(person: str, number: int, first: int = 0) -> list[str]:
    """Return that many things a person says in conversations of seven, and remembers."""
    made: list[dict[str, object]] = []
    for at in range(first, first + number):
        text = " ".join(random.Random(at).choices(WORDS, k=1 + at % 7)) + f" {at}"
        key = f"{person}{at}"
        said = {"type": "message", "person": person, "key": key, "text": text}
        made.append({**said, "session": f"{person} {at // 7}"})
        kept = {"type": "claim", "person": person, "kind": "stated", "text": text}
        made.append({**kept, "session": f"{person} {at // 7}", "sources": [key]})
    return [json.dumps(one, ensure_ascii=False) for one in made]


def told(reasons: Sequence[Reason]) -> list[tuple[str, float]]:
    """Return reasons without their details, which name claims of this one store."""
    return [(one.code, one.score) for one in reasons]


def scores(session: Session) -> list[object]:
    """Return what a person is given to a few questions, with every score, by what it says."""
    found: list[object] = []
    for question in ("금요일 배포", "deploy on Friday", "tea", "점심 회의 budget 서버"):
        answer = session.recall(question, limit=100)
        found.append([(one.claim.words, one.score, told(one.reasons)) for one in answer.evidence])
        turns = session.search_conversations(question, limit=100)
        found.append([(one.excerpt, one.score, told(one.reasons)) for one in turns.hits])
        found.append([(one.conversation, one.score) for one in turns.conversations])
        found.append((answer.searched, turns.searched, answer.notes, turns.notes))
        found.append((answer.ways, turns.ways, answer.withheld))
    return found


@pytest.mark.parametrize("apart", ["by scope", "by tenant"])
def test_five_hundred_of_another_change_no_score_of_claims_turns_or_conversations(
    quick: Open, apart: str
) -> None:
    given: list[list[object]] = []
    for name, others in (("alone", 0), ("crowded", 500)):
        tenant = "other" if apart == "by tenant" else "default"
        with quick(name, tenant=tenant) as crowd:
            assert crowd.ingest(lines("lee", others)).errors == ()
            crowd.session(person="lee").recall("금요일 배포")
        with quick(name, clock=lambda: NOW) as memory:
            assert memory.ingest(lines("kim", 60)).errors == ()
            given.append(scores(memory.session(person="kim", session="later")))
            more = lines("lee", others // 5, first=others)
            if apart == "by scope" and more:  # and what comes in between two questions
                assert memory.ingest(more).errors == ()
                assert scores(memory.session(person="kim", session="later")) == given[-1]

    assert given[0] == given[1]
    assert any(given[0])


# --- whole, whatever the size -----------------------------------------------------------------------------------------


def near(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return one vector for every text that speaks of tea, and for any other one that is like nothing."""
    vectors = np.zeros((len(texts), 16), np.float32)
    for row, text in enumerate(texts):
        vectors[row, 0] = float("tea" in text)
    return vectors


SIZES = {1: 1, 2: 5, 3: 50, 4: 1_000, 5: 20_000}
"""How many rows each scope holds, by its number."""


def text_of(scope: int, number: int) -> str:
    """Return the words of a row: one in seven says it by a word of the question, one in eleven by meaning alone."""
    words = f"row {scope} {number} plain filler"
    if number % 7 == 0:
        words += " quokka"
    if number % 11 == 0:
        words += " teatime"
    return words


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Return an index of scopes of very different sizes in one table, opened anew after it was filled."""

    def opened() -> Index:
        return Index.open(
            tmp_path_factory.getbasetemp() / "crowded",
            key=bytes(32),
            embedder=CallableEmbedder("near", 16, near, floor=0.5),
            tokeniser=WordsAndPairs(),
        )

    index, node = opened(), 0
    entries: list[Entry] = []
    for scope, size in SIZES.items():
        for number in range(size):
            node = scope * 100_000 + number + 1
            entries.append(Entry(node, 0, "claim", scope, text_of(scope, number)))
            if scope < 5:
                turn = Entry(node + 50_000, 0, "turn", scope, text_of(scope, number), number + 1)
                entries.append(turn)
    random.Random(3).shuffle(entries)
    index.add(entries, applied=1)
    index.close()
    return opened()


def expected(scopes: frozenset[int], meaning: bool) -> set[int]:
    """Return by brute force, from the texts alone, the claims that answer a question."""
    found: set[int] = set()
    for scope in scopes:
        for number in range(SIZES[scope]):
            words = text_of(scope, number).split()
            if "quokka" in words or (meaning and any("tea" in word for word in words)):
                found.add(scope * 100_000 + number + 1)
    return found


def ranked(one: Candidate) -> tuple[int, float]:
    """Return a candidate with its score, but for the last digits: a large scope is scored in another order."""
    return one.node, round(one.score, 9)


@pytest.mark.parametrize(
    "scopes", [{1}, {2}, {3}, {4}, {5}, {1, 2}, {3, 5}, set(SIZES)], ids=lambda one: str(one)
)
def test_every_row_in_scope_that_answers_is_found_however_large_the_rest_is(
    crowded: Index, scopes: set[int]
) -> None:
    inside = frozenset(scopes)
    size = sum(SIZES[scope] for scope in inside)

    by_word = crowded.claims("quokka", scopes=inside, limit=size)
    by_both = crowded.claims("quokka tea", scopes=inside, limit=size)

    assert {one.node for one in by_word.candidates} == expected(inside, meaning=False)
    assert {one.node for one in by_both.candidates} == expected(inside, meaning=True)
    assert by_word.searched == by_both.searched == size
    assert len({one.node for one in by_both.candidates}) == len(by_both.candidates)
    for limit in (1, 5, 100):  # fewer are the first of all: nothing better is left out
        fewer = crowded.claims("quokka tea", scopes=inside, limit=limit)
        assert [ranked(one) for one in fewer.candidates] == [
            ranked(one) for one in by_both.candidates[:limit]
        ]


@pytest.mark.parametrize("scope", [1, 2, 3, 4])
def test_every_turn_in_scope_that_answers_is_found(crowded: Index, scope: int) -> None:
    found = crowded.turns("quokka", scopes=frozenset({scope}), limit=SIZES[scope])

    words = {one.node - 50_000 for one in found.candidates}
    assert words == expected(frozenset({scope}), meaning=False)


@pytest.mark.parametrize("size", [1, 5, 50])
def test_a_person_with_few_claims_finds_all_of_them_beside_a_thousand(
    quick: Open, size: int
) -> None:
    memory = quick()
    assert memory.ingest(lines("lee", 500)).errors == ()
    kim = memory.session(person="kim")
    for number in range(size):
        said = kim.message(f"quokka {number} 금요일")
        kim.remember(said.text, kind="stated", sources=[said])

    assert len(kim.recall("quokka", limit=100).evidence) == size
    assert len(kim.search_conversations("quokka", limit=100).hits) == size
