"""R14: "found nothing" and "could not look" are different answers everywhere."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import Memory
from muniment.receipts import receipt_of


def broken(*_: object, **__: object) -> None:
    """Fail as a full disk does."""
    raise OSError("no space left on the device")


def told(memory: Memory, person: str, question: str) -> list[tuple[bool, int, bool]]:
    """Return for recall and search whether they looked, how many they found, and whether they said why not."""
    session = memory.session(person=person)
    answer, turns = session.recall(question), session.search_conversations(question)
    return [
        (answer.looked, len(answer.evidence), bool(answer.notes)),
        (turns.looked, len(turns.hits), bool(turns.notes)),
    ]


@pytest.fixture
def store(quick: Callable[..., Memory]) -> Memory:
    """Return a store in which kim has said one thing."""
    memory = quick()
    kim = memory.session(person="kim")
    said = kim.message("배포는 금요일")
    kim.remember("배포는 금요일", kind="stated", sources=[said])
    return memory


def test_found(store: Memory) -> None:
    assert told(store, "kim", "배포") == [(True, 1, False), (True, 1, False)]


def test_looked_and_found_nothing(store: Memory) -> None:
    assert told(store, "kim", "zebra") == [(True, 0, False), (True, 0, False)]
    assert told(store, "a stranger", "배포") == [(True, 0, False), (True, 0, False)]


def test_nobody_was_there_to_look_for(store: Memory) -> None:
    assert told(store, "", "배포") == [(False, 0, True), (False, 0, True)]


def test_the_index_cannot_be_used(store: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.append", broken)
    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.clear", broken)

    # Claims and turns are then read one by one.
    assert told(store, "kim", "배포") == [(True, 1, True), (True, 1, True)]
    assert told(store, "kim", "zebra") == [(True, 0, True), (True, 0, True)]


def test_a_prompt_says_how_it_looked_as_a_recall_does(
    store: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.append", broken)
    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.clear", broken)
    kim = store.session(person="kim")

    answer, prompt = kim.recall("배포"), kim.assemble("배포")

    assert answer.notes and set(answer.notes) <= set(prompt.notes)
    kept = receipt_of(store.store, prompt.receipt, None)
    assert kept is not None and kept.ways == answer.ways == ("one by one",)


def test_neither_words_nor_meaning_could_be_compared(
    quick: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = quick(embedder=None)
    monkeypatch.setattr("muniment.retrieval.embedding.UniversalSentenceEncoder.embed", broken)
    kim = store.session(person="kim")
    kim.message("배포는 금요일")
    kim.search_conversations("배포")
    monkeypatch.setattr("muniment.retrieval.tokens.WordsAndPairs.tokens", broken)

    turns = kim.search_conversations("배포")

    # Neither half of the index could be asked: the words are compared as they stand, one by one.
    assert turns.looked and turns.ways == ("one by one",) and len(turns.hits) == 1
    assert any("embedder failed" in n and "tokeniser failed" in n for n in turns.notes)


def test_what_policy_held_back_is_neither(store: Memory) -> None:
    kim = store.session(person="kim")
    (claim,) = kim.claims()
    kim.retract(claim)

    answer = kim.recall("배포")

    assert (answer.looked, answer.evidence) == (True, ())
    assert [(item.rule, item.count) for item in answer.withheld] == [("RETRACTED", 1)]


def test_an_empty_question_is_neither(store: Memory) -> None:
    kim = store.session(person="kim")

    for ask in (kim.recall, kim.search_conversations):
        with pytest.raises(ValueError, match="question is empty"):
            ask("  ")


@pytest.mark.slow
def test_the_command_line_tells_them_apart(store: Memory, tmp_path: Path) -> None:
    pytest.importorskip("cyclopts", reason="the extra cli is not installed")
    store.close()
    run = "from muniment.surfaces.cli import main; raise SystemExit(main())"

    def asked(*words: str) -> str:
        ran = subprocess.run(
            [sys.executable, "-c", run, *words, "--store", str(tmp_path / "store")],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert ran.returncode in (0, 1), ran.stderr
        return ran.stdout + ran.stderr

    for verb in ("recall", "search-conversations"):
        nothing = asked(verb, "zebra", "--json")
        assert '"looked": true' in nothing.replace('":true', '": true')
