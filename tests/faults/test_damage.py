"""Files cut, changed, removed or put in each other's place: what can be made anew is, the rest is named."""

import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from muniment import (
    BusyError,
    FormatError,
    IntegrityError,
    Memory,
    StorageError,
)
from muniment.testing import HandClock, findings, flat_embedder

Damage = Callable[[Path], None]
WORDS = tuple(f"We deploy release {number} to staging" for number in range(12))


def opened(store: Path) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder())


def told(store: Path, words: tuple[str, ...] = WORDS) -> Path:
    """Return a store in which kim said these words and each is a claim; the second half was corrected."""
    with opened(store) as memory:
        kim = memory.session(person="kim")
        for number, line in enumerate(words):
            said = kim.message(line)
            claim = kim.remember(line, kind="stated", sources=[said])
            if number >= len(words) // 2:
                fixed = kim.message(f"{line}, not production")
                kim.correct(claim, f"{line}, not production", sources=[fixed])
        kim.recall("where do we deploy?")
    return store


def remembered(memory: Memory) -> list[tuple[str, str]]:
    """Return what each claim says and how it stands."""
    kim = memory.session(person="kim")
    return [(claim.quote, claim.standing.value) for claim in kim.claims()]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One store that all damage is done to copies of."""
    return told(tmp_path_factory.mktemp("original") / "store")


@pytest.fixture
def store(original: Path, tmp_path: Path) -> Path:
    """A copy to be damaged."""
    shutil.copytree(original, tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture(scope="module")
def whole(original: Path) -> list[tuple[str, str]]:
    """What the store remembers when nothing is damaged."""
    with opened(original) as memory:
        return remembered(memory)


def segment(store: Path) -> Path:
    """Return the only segment of the journal."""
    (found,) = (store / "default" / "journal").glob("*.seg")
    return found


def frame_edges(path: Path) -> list[int]:
    """Return where each frame of a segment begins, and its end."""
    raw, edges = path.read_bytes(), [16]
    while edges[-1] < len(raw):
        (length,) = struct.unpack_from(">I", raw, edges[-1] + 4)
        edges.append(edges[-1] + 28 + length)
    return edges


# --- the journal -----------------------------------------------------------------------------------------------


def test_a_journal_that_is_gone_is_missed(store: Path) -> None:
    segment(store).unlink()

    with pytest.raises(IntegrityError, match="are missing"):
        opened(store)


@pytest.mark.parametrize("tail", [b"\0", b"MNF1", b"MNF1" + b"\0" * 24, b"\xff" * 5000])
def test_a_torn_tail_after_the_head_is_dropped(
    tail: bytes, store: Path, whole: list[tuple[str, str]]
) -> None:
    with segment(store).open("ab") as file:
        file.write(tail)

    with opened(store) as memory:
        assert remembered(memory) == whole
        assert findings(memory) == ()
        memory.session(person="kim").message("and on it goes")
        assert memory.verify().findings == ()


def test_a_whole_unacknowledged_tail_is_kept(
    store: Path, whole: list[tuple[str, str]], tmp_path: Path
) -> None:
    head = (store / "default" / "head").read_bytes()
    with opened(store) as memory:
        said = memory.session(person="kim").message("never acknowledged")
        shutil.copytree(store, tmp_path / "later")
    (tmp_path / "later" / "default" / "head").write_bytes(head)

    with opened(tmp_path / "later") as memory:
        assert remembered(memory) == whole
        assert memory.session(person="kim").source(said.id).text == "never acknowledged"
        assert findings(memory) == ()


def flip(path: Path, place: int) -> None:
    """Change one bit of a file."""
    with path.open("r+b") as file:
        file.seek(place)
        (old,) = file.read(1)
        file.seek(place)
        file.write(bytes([old ^ 0x10]))


# --- the head --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slot", [0, 1])
def test_one_damaged_slot_of_the_head_leaves_the_other(
    slot: int, store: Path, whole: list[tuple[str, str]]
) -> None:
    flip(store / "default" / "head", 64 * slot + 20)

    with opened(store) as memory:
        assert remembered(memory) == whole
        assert findings(memory) == ()


@pytest.mark.parametrize("content", [b"", b"\0" * 128, b"nothing of ours" * 9])
def test_without_a_head_nothing_is_believed(content: bytes, store: Path) -> None:
    (store / "default" / "head").write_bytes(content)

    with pytest.raises(IntegrityError, match="head"):
        opened(store)


def test_a_journal_set_back_alone_is_found_out_by_the_head(store: Path) -> None:
    before = segment(store).read_bytes()
    with opened(store) as memory:
        memory.session(person="kim").message("one more")
    segment(store).write_bytes(before)

    with pytest.raises(IntegrityError, match="cut"):
        opened(store)


def test_journal_and_head_set_back_are_found_out_by_the_graph(store: Path) -> None:
    before, head = segment(store).read_bytes(), (store / "default" / "head").read_bytes()
    with opened(store) as memory:
        memory.session(person="kim").message("one more")
    segment(store).write_bytes(before)
    (store / "default" / "head").write_bytes(head)

    with pytest.raises(IntegrityError, match="the graph knows"):
        opened(store)


# --- the graph -------------------------------------------------------------------------------------------------


def graph(store: Path) -> Path:
    """Return the graph file."""
    return store / "default" / "lineage.duckdb"


def gone(store: Path) -> None:
    """Remove the graph file."""
    graph(store).unlink()


def emptied(store: Path) -> None:
    """Leave nothing in the graph file."""
    graph(store).write_bytes(b"")


def scrambled(store: Path) -> None:
    """Write noise over the whole graph file."""
    graph(store).write_bytes(random.Random(1).randbytes(graph(store).stat().st_size))


def bitten(store: Path) -> None:
    """Write noise over the middle of the graph file."""
    raw = bytearray(graph(store).read_bytes())
    raw[len(raw) // 3 : len(raw) // 2] = random.Random(1).randbytes(len(raw) // 2 - len(raw) // 3)
    graph(store).write_bytes(raw)


def halved(store: Path) -> None:
    """Cut the graph file in the middle."""
    os.truncate(graph(store), graph(store).stat().st_size // 2)


def of_a_smaller_store(store: Path) -> None:
    """Put the graph of a store with fewer records in its place."""
    other = told(store.with_name("other"), WORDS[:2])
    shutil.copy(graph(other), graph(store))


def of_an_equal_store(store: Path) -> None:
    """Put the graph of a store that was told the same in its place."""
    other = told(store.with_name("other"))
    shutil.copy(graph(other), graph(store))


def of_a_bigger_store(store: Path) -> None:
    """Put the graph of a store with more records in its place."""
    other = told(store.with_name("other"), WORDS * 2)
    shutil.copy(graph(other), graph(store))


@pytest.mark.parametrize(
    "damage",
    [
        gone,
        emptied,
        scrambled,
        bitten,
        halved,
        of_a_smaller_store,
        of_an_equal_store,
        of_a_bigger_store,
    ],
)
def test_a_graph_that_cannot_be_used_is_made_anew(
    damage: Damage, store: Path, whole: list[tuple[str, str]]
) -> None:
    damage(store)

    with opened(store) as memory:
        assert remembered(memory) == whole
        assert findings(memory) == ()
    with opened(store) as memory:
        assert memory.store.notes == []
        assert remembered(memory) == whole


def test_an_older_graph_catches_up(store: Path, tmp_path: Path) -> None:
    shutil.copy(graph(store), tmp_path / "older")
    with opened(store) as memory:
        kim = memory.session(person="kim")
        claim = next(iter(kim.claims(standing="active")))
        kim.retract(claim)
        kim.remember("later", kind="stated", sources=[kim.message("later")])
        now = remembered(memory)
    shutil.copy(tmp_path / "older", graph(store))

    with opened(store) as memory:
        assert remembered(memory) == now
        assert findings(memory) == ()


def test_a_graph_without_its_wal_catches_up(store: Path, tmp_path: Path) -> None:
    with opened(store) as memory:
        kim = memory.session(person="kim")
        kim.remember("later", kind="stated", sources=[kim.message("later")])
        memory.store.post()
        now = remembered(memory)
        shutil.copytree(store, tmp_path / "left")  # as a killed process leaves it
    wal = graph(tmp_path / "left").with_name("lineage.duckdb.wal")
    assert wal.stat().st_size
    wal.unlink()

    with opened(tmp_path / "left") as memory:
        assert remembered(memory) == now
        assert findings(memory) == ()


# --- the index -------------------------------------------------------------------------------------------------


def index_gone(store: Path) -> None:
    """Remove the index."""
    shutil.rmtree(store / "default" / "index.lance")


def index_scrambled(store: Path) -> None:
    """Write noise over every file of the index."""
    for path in (store / "default" / "index.lance").rglob("*"):
        if path.is_file():
            path.write_bytes(random.Random(1).randbytes(path.stat().st_size))


def index_data_gone(store: Path) -> None:
    """Remove the rows and leave what describes them."""
    for path in (store / "default" / "index.lance").rglob("*.lance"):
        if path.is_file():
            path.unlink()


@pytest.mark.parametrize("damage", [index_gone, index_scrambled, index_data_gone])
def test_an_index_that_cannot_be_used_is_filled_again(
    damage: Damage, store: Path, whole: list[tuple[str, str]]
) -> None:
    damage(store)

    with opened(store) as memory:
        kim = memory.session(person="kim")
        answer = kim.recall("where do we deploy?", limit=100)
        if not answer.looked:  # it says that it could not look, fills the index and can
            answer = kim.recall("where do we deploy?", limit=100)
    assert {item.claim.quote for item in answer.evidence} == {
        words for words, standing in whole if standing == "active"
    }


# --- keys, formats, owners -------------------------------------------------------------------------------------


def test_without_its_key_a_store_says_so(store: Path) -> None:
    (store / "store.key").unlink()

    with pytest.raises(FormatError, match=r"store\.key is missing"):
        opened(store)


@pytest.mark.parametrize("key", ["", "no hex at all", "00" * 31])
def test_what_is_no_key_is_named(key: str, store: Path) -> None:
    (store / "store.key").write_text(key, encoding="ascii")

    with pytest.raises(FormatError, match=r"store\.key is missing or no key"):
        opened(store)


def test_the_key_of_another_store_does_not_open_this_one(store: Path) -> None:
    (store / "store.key").write_text("ab" * 32, encoding="ascii")

    with pytest.raises(IntegrityError, match=r"put back the store\.key"):
        opened(store)


def test_missing_tenant_keys_are_not_silently_made_anew(store: Path) -> None:
    (store / "default" / "keys" / "tenant.keys").unlink()

    with pytest.raises(IntegrityError, match="tenant.keys"):
        opened(store)


def test_an_error_at_opening_lets_go_of_the_store(
    store: Path, whole: list[tuple[str, str]]
) -> None:
    head = (store / "default" / "head").read_bytes()
    (store / "default" / "head").write_bytes(b"")
    with pytest.raises(IntegrityError):
        opened(store)
    (store / "default" / "head").write_bytes(head)

    with opened(store) as memory:
        assert remembered(memory) == whole


def test_a_store_of_a_newer_format_is_left_alone(store: Path) -> None:
    described = (store / "store.toml").read_text(encoding="utf-8")
    (store / "store.toml").write_text(
        described.replace("format = 1", "format = 2"), encoding="utf-8"
    )

    with pytest.raises(FormatError, match="format 2"):
        opened(store)


def test_a_journal_of_a_newer_format_is_left_alone(store: Path) -> None:
    raw = segment(store).read_bytes()
    segment(store).write_bytes(raw[:8] + struct.pack(">I", 2) + raw[12:])

    with pytest.raises(FormatError, match="format 2"):
        opened(store)


def test_a_folder_that_is_no_store_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("dear", encoding="utf-8")

    with pytest.raises(FormatError, match="not a store"):
        opened(tmp_path / "letters")

    assert [path.name for path in (tmp_path / "letters").iterdir()] == ["dear.txt"]


def test_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear", encoding="utf-8")

    with pytest.raises(FormatError, match="not a store"):
        opened(tmp_path / "letter")


def test_a_second_process_is_told_who_has_the_store(store: Path) -> None:
    program = (
        "import sys\n"
        "from muniment import BusyError, Memory\n"
        "try:\n"
        "    Memory.open(sys.argv[1])\n"
        "except BusyError as error:\n"
        "    print(error.owner)\n"
    )
    with opened(store):
        ran = subprocess.run(
            [sys.executable, "-c", program, str(store)], capture_output=True, text=True, check=True
        )
        with pytest.raises(BusyError):
            opened(store)

    assert ran.stdout.strip() == str(os.getpid())


# --- the disk --------------------------------------------------------------------------------------------------


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of four megabytes; only root may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(["mount", *options], capture_output=True).returncode:
        pytest.skip("a small disk has to be mounted, which is not permitted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("left", [0, 1, 3, 5, 9, 17, 40])
def test_a_full_disk_takes_nothing_back_and_keeps_nothing_by_halves(disk: Path, left: int) -> None:
    memory = opened(disk / "store")
    kim = memory.session(person="kim")
    kept = [kim.message("before the disk was full")]
    filler = disk / "filler"
    fill(filler, leave=left * 4096)

    for number in range(3000):
        try:
            kept.append(kim.message(f"{number} " + "가나다라 " * 60))
        except StorageError:
            break
    else:
        pytest.fail("the disk never was full")

    assert [kim.source(source.id).text for source in kept] == [source.text for source in kept]
    with pytest.raises(StorageError):
        memory.rebuild()
    filler.unlink()
    kept.append(kim.message("there is room again"))
    assert memory.verify().findings == ()
    memory.close()
    with opened(disk / "store") as memory:
        kim = memory.session(person="kim")
        assert [kim.source(source.id).text for source in kept] == [source.text for source in kept]
        assert len(memory.store.state.sources) == len(kept)
        assert findings(memory) == ()


@pytest.mark.slow
@pytest.mark.parametrize("left", [1, 2, 4])
def test_keys_are_made_whole_or_not_at_all_on_a_nearly_full_disk(disk: Path, left: int) -> None:
    # A disk with less room than was asked for takes what it can and reports no error.
    with opened(disk / "store") as memory:
        kim = memory.session(person="kim")
        kept = [kim.message("한 줄")]
        while memory.store.state.next_slot % 512 != 511:
            kept.append(kim.message("한 줄"))
        # The last of the old keys: its message ends early on a page, so that the journal has room for more.
        rest = 4096 - (memory.store.journal.size + 600) % 4096
        kept.append(kim.message("x" * (rest + 100)))
        fill(disk / "filler", leave=left * 4096)
        for _ in range(3):
            try:
                kept.append(kim.message("새 열쇠"))
            except StorageError:
                pass
        (disk / "filler").unlink()
        kept += [kim.message("더 많은 줄") for _ in range(500)]

    with opened(disk / "store") as memory:
        kim = memory.session(person="kim")
        assert [kim.source(source.id).text for source in kept] == [source.text for source in kept]
        assert findings(memory) == ()


def fill(filler: Path, *, leave: int) -> None:
    """Fill the disk with a file, but for some bytes."""
    with filler.open("wb", buffering=0) as file:
        size = 0
        try:
            while True:
                size += file.write(b"\0" * 4096)
        except OSError:
            file.truncate(max(0, size - leave))


@pytest.mark.parametrize("good", [0, 1, 2, 3])
def test_after_a_failed_fsync_nothing_more_is_written_until_reopened(
    good: int, store: Path, whole: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sync, passed = os.fsync, 0

    def failing(file: int) -> None:
        nonlocal passed
        passed += 1
        if passed > good:
            raise OSError(5, "Input/output error")
        sync(file)

    memory = opened(store)
    kim = memory.session(person="kim")
    monkeypatch.setattr(os, "fsync", failing)
    kept: list[str] = []
    for number in range(5):
        try:
            kept.append(kim.message(f"try {number}").id)
        except StorageError:
            break
    else:
        pytest.fail("no fsync failed")
    monkeypatch.setattr(os, "fsync", sync)

    with pytest.raises(StorageError, match="open it again"):
        kim.message("the disk is well again, the store does not know")
    assert remembered(memory) == whole
    memory.close()
    with opened(store) as memory:
        kim = memory.session(person="kim")
        assert [kim.source(one).id for one in kept] == kept
        assert remembered(memory) == whole
        assert findings(memory) == ()
        kim.message("now it does")
