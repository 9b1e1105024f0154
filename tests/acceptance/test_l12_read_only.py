"""L12: a store or a copy opens read-only and not a byte is written; a copy that lacks parts is named as such."""

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from muniment import FormatError, IntegrityError, Memory, Soundness, StorageError
from muniment.testing import HandClock, flat_embedder

Verb = Callable[[Memory], object]


def opened(store: Path, *, read_only: bool = False) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder(), read_only=read_only)


def hashes(folder: Path) -> dict[str, tuple[str, int]]:
    """Return the hash and the time of change of every file, and every folder, under a folder."""
    return {
        str(path.relative_to(folder)): (
            sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
            path.stat().st_mtime_ns,
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store in which kim said something and was answered."""
    with opened(tmp_path / "store") as memory:
        kim = memory.session(person="kim")
        kim.remember(
            "We deploy on Fridays.", kind="stated", sources=[kim.message("We deploy on Fridays.")]
        )
        kim.recall("deploy?")
    return tmp_path / "store"


def test_everything_is_read_and_nothing_written(store: Path) -> None:
    with opened(store) as memory:
        receipt = memory.session(person="kim").recall("when do we deploy on Fridays?").receipt
    before = hashes(store)
    with opened(store, read_only=True) as memory:
        kim = memory.session(person="kim")
        (claim,) = kim.claims()
        assert claim.words == "We deploy on Fridays."
        assert kim.why(claim).lines[0].path[0].citation.quote == claim.words
        assert kim.trace(claim).nodes and kim.history(claim)
        (said,) = (citation.id for citation in claim.citations)
        assert kim.source(said).text == claim.words and kim.trace(said).nodes
        assert kim.evidence_of(claim).independent == 1 and not list(kim.stale())
        assert kim.claim(claim.id, as_of=claim.recorded_at) == claim
        assert list(kim.claims(as_of=claim.recorded_at)) == [claim]
        assert kim.investigate(claim).bundle and kim.prov() and not list(kim.backdated())
        assert kim.search_conversations("deploy").looked in (True, False)
        replayed = (kim.replay(receipt), memory.replay(receipt))
        assert [one.id for found in replayed for one in found.lines] == [claim.id] * 2
        assert kim.why(receipt).lines and kim.recall("deploy", as_of=claim.recorded_at).evidence
        answer = kim.recall("when do we deploy on Fridays?")
        assert [item.claim.id for item in answer.evidence] == [claim.id]
        assert (answer.receipt, answer.notes[-1][:16]) == ("", "opened read-only")
        assert list(kim.export())
        assert memory.verify().soundness is Soundness.OK
        assert memory.checkpoint()
    for mode in ("fast", "full"):
        assert Memory.verify_files(store, mode=mode).soundness is Soundness.OK

    assert hashes(store) == before


def say(memory: Memory) -> object:
    """Write a message."""
    return memory.session(person="kim").message("hello")


def claim_without_grounds(memory: Memory) -> object:
    """Try to remember what would be refused."""
    return memory.session(person="lee").remember("hello")


@pytest.mark.parametrize("write", [say, claim_without_grounds, Memory.rebuild, Memory.index])
def test_a_write_is_refused(store: Path, write: Verb) -> None:
    before = hashes(store)
    with opened(store, read_only=True) as memory, pytest.raises(StorageError, match="read-only"):
        write(memory)

    assert hashes(store) == before


def test_on_files_that_cannot_be_written(store: Path) -> None:
    for path in (*store.rglob("*"), store):
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        with opened(store, read_only=True) as memory:
            assert list(memory.session(person="kim").claims())
        assert Memory.verify_files(store).soundness is Soundness.OK
    finally:
        for path in (store, *store.rglob("*")):
            path.chmod(path.stat().st_mode | 0o200)


def test_a_reader_stands_beside_the_owner(store: Path) -> None:
    with opened(store) as owner, opened(store, read_only=True) as reader:
        owner.session(person="kim").message("later")
        assert len(list(reader.session(person="kim").claims())) == 1
        assert Memory.verify_files(store, mode="fast").soundness in ("OK", "INCOMPLETE")


@pytest.mark.parametrize(
    "part", ["default/journal", "default/head", "default/keys", "store.key", "default"]
)
def test_a_copy_that_lacks_a_part_says_which(store: Path, part: str) -> None:
    place = store / part
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    before = hashes(store)

    with pytest.raises((IntegrityError, FormatError), match=Path(part).name):
        opened(store, read_only=True)
    found = Memory.verify_files(store)
    assert found.soundness is not Soundness.OK
    assert any(Path(part).name in one.message for one in found.findings)
    assert hashes(store) == before


def test_a_folder_without_a_store_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        Memory.open(tmp_path / "none", read_only=True)
    assert not (tmp_path / "none").exists()
