"""R04: whatever of the index fails, recall still answers by the next way down and says so."""

import shutil
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from muniment import CallableEmbedder, Memory, Session
from muniment.claims import Claim

WORDS = "배포는 매주 금요일에 한다"


class Flaky:
    """An embedder that can be broken in several ways."""

    def __init__(self) -> None:
        self.state = "well"

    def __call__(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return vectors, or whatever its state says."""
        match self.state:
            case "raises":
                raise RuntimeError("the model is gone")
            case "wrong shape":
                return np.ones((len(texts), 3))
            case "not a number":
                return np.full((len(texts), 8), np.nan)
            case "nothing":
                return []
            case _:
                return np.ones((len(texts), 8))


def kept(memory: Memory) -> tuple[Session, Claim]:
    """Return a session that has something to recall."""
    kim = memory.session(person="kim")
    said = kim.message(WORDS)
    return kim, kim.remember(WORDS, kind="stated", category="decision", sources=[said])


@pytest.mark.parametrize("state", ["raises", "wrong shape", "not a number", "nothing"])
def test_an_embedder_that_fails_leaves_the_keywords(
    quick: Callable[..., Memory], state: str
) -> None:
    flaky = Flaky()
    kim, claim = kept(quick(embedder=CallableEmbedder("flaky", 8, flaky)))
    flaky.state = state

    answer = kim.recall("금요일 배포")

    assert [claim.id] == [item.claim.id for item in answer.evidence]
    assert answer.looked and any("keyword only" in note for note in answer.notes)
    turns = kim.search_conversations("금요일 배포")
    assert len(turns.hits) == 1 and any("keyword only" in note for note in turns.notes)


@pytest.mark.parametrize("state", ["raises", "not a number"])
def test_what_came_in_while_it_was_down_is_found_by_keyword_and_says_so(
    quick: Callable[..., Memory], state: str
) -> None:
    flaky = Flaky()
    flaky.state = state
    kim, claim = kept(quick(embedder=CallableEmbedder("flaky", 8, flaky)))
    kim.recall("아무거나")
    flaky.state = "well"

    answer = kim.recall("금요일 배포")

    assert [claim.id] == [item.claim.id for item in answer.evidence]
    assert any("without vectors" in note for note in answer.notes)


def test_an_index_deleted_while_in_use_is_made_anew(quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim, claim = kept(memory)
    kim.recall("배포")

    memory.index()  # nothing is left to follow, so nobody writes there while it goes
    shutil.rmtree(memory.store.folder / "index.lance")
    lee = memory.session(person="lee")
    said = lee.message(f"lee: {WORDS}")
    his = lee.remember(WORDS, kind="stated", sources=[said])

    assert [claim.id] == [item.claim.id for item in kim.recall("금요일 배포").evidence]
    assert [his.id] == [item.claim.id for item in lee.recall("금요일 배포").evidence]


@pytest.mark.parametrize("damage", ["a file in its place", "garbage in its files", "no state"])
def test_an_index_damaged_while_closed_is_made_anew(
    quick: Callable[..., Memory], damage: str
) -> None:
    memory = quick()
    _, claim = kept(memory)
    memory.session(person="kim").recall("배포")
    memory.close()
    folder = memory.store.folder / "index.lance"
    if damage == "a file in its place":
        shutil.rmtree(folder)
        folder.write_bytes(b"not a folder")
    elif damage == "garbage in its files":
        for file in folder.rglob("*"):
            if file.is_file() and file.suffix:
                file.write_bytes(b"garbage")
    else:
        (folder / "index.json").unlink()

    answer = quick().session(person="kim").recall("금요일 배포")

    assert [claim.id] == [item.claim.id for item in answer.evidence] and answer.looked


def test_where_no_index_can_be_made_the_claims_are_read_one_by_one(
    quick: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = quick()
    kim, claim = kept(memory)

    def broken(*_: object, **__: object) -> None:
        raise OSError("no space left on the device")

    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.append", broken)
    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.clear", broken)
    answer = kim.recall("금요일 배포")
    turns = kim.search_conversations("금요일 배포")

    assert [claim.id] == [item.claim.id for item in answer.evidence]
    assert answer.looked and any("one by one" in note for note in answer.notes)
    assert answer.receipt and kim.why(answer.receipt).notes == answer.notes
    assert turns.looked and any("one by one" in note for note in turns.notes)
    assert [hit.excerpt for hit in turns.hits] == [WORDS]


def test_an_index_that_breaks_in_the_search_is_gone_around(
    quick: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = quick()
    kim, claim = kept(memory)

    def broken(*_: object, **__: object) -> None:
        raise ValueError("a column is missing")

    monkeypatch.setattr("muniment.retrieval.index.Index.claims", broken)
    answer = kim.recall("금요일 배포")

    assert [claim.id] == [item.claim.id for item in answer.evidence]
    assert any("index failed (ValueError)" in note for note in answer.notes)


def test_with_everything_down_the_constraints_still_come(
    quick: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = quick()
    kim, _ = kept(memory)
    said = kim.message("주석은 달지 마")
    rule = kim.remember("주석은 달지 마", kind="stated", category="constraint", sources=[said])

    def broken(*_: object, **__: object) -> None:
        raise OSError("gone")

    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.append", broken)
    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.clear", broken)
    assert [rule.id] == [item.claim.id for item in kim.recall("zzz").evidence]


def test_a_graph_file_that_is_gone_or_broken_is_made_from_the_journal(
    quick: Callable[..., Memory],
) -> None:
    memory = quick()
    _, claim = kept(memory)
    memory.close()
    graph = memory.store.folder / "lineage.duckdb"
    graph.write_bytes(b"no database")

    again = quick()

    assert again.session(person="kim").claim(claim.id) == claim
    again.close()
    graph.unlink()
    assert quick().session(person="kim").claim(claim.id) == claim
