"""A journal changed behind the store's back is refused at opening, whatever the graph says; what is left is read."""

import json
import random
import shutil
import struct
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zlib import crc32

import duckdb
import pytest

from muniment import FormatError, IntegrityError, Memory, Soundness, StorageError
from muniment.claims import canonical_bytes
from muniment.lineage import Tree, encode_record
from muniment.testing import HandClock, findings, flat_embedder

WORDS = tuple(f"We deploy release {number} to staging, 금요일마다" for number in range(8))
FRAME = struct.Struct(">4sII16s")
Change = Callable[[list[dict[str, Any]]], None]


def opened(store: Path, *, read_only: bool = False) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder(), read_only=read_only)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One store that all damage is done to copies of: kim said some words, each is a claim, one was withdrawn."""
    store = tmp_path_factory.mktemp("original") / "store"
    with opened(store) as memory:
        kim = memory.session(person="kim")
        made = [kim.remember(line, kind="stated", sources=[kim.message(line)]) for line in WORDS]
        kim.retract(made[0])
    return store


@pytest.fixture
def store(original: Path, tmp_path: Path) -> Path:
    """A copy to be damaged."""
    shutil.copytree(original, tmp_path / "store")
    return tmp_path / "store"


def segment(store: Path) -> Path:
    """Return the only segment of the journal."""
    (found,) = (store / "default" / "journal").glob("*.seg")
    return found


def flip(path: Path, place: int) -> None:
    """Change one bit of a file."""
    raw = bytearray(path.read_bytes())
    raw[place] ^= 0x10
    path.write_bytes(raw)


def without_graph(store: Path) -> None:
    """Let the journal tell by itself."""
    (store / "default" / "lineage.duckdb").unlink()


def frames(store: Path) -> list[tuple[int, int]]:
    """Return where each frame of the journal begins and ends."""
    raw, found = segment(store).read_bytes(), list[tuple[int, int]]()
    place = 16
    while place < len(raw):
        end = place + FRAME.size + FRAME.unpack_from(raw, place)[1]
        found.append((place, end))
        place = end
    return found


def signed(memory: Memory, header: dict[str, Any]) -> bytes:
    """Return the bytes of a header with a mac as whoever has the store's key makes it."""
    blank = canonical_bytes({**header, "mac": "A" * 22})
    return canonical_bytes({**header, "mac": memory.store.keys.header_mac(blank)})


def rewritten(store: Path, change: Change, *, head: bool, with_key: bool = True) -> None:
    """Write the whole journal anew with changed headers and true checksums; with `head` also what acknowledges it.

    `with_key`: their macs too are those of the store's own key.
    """
    with opened(store, read_only=True) as memory:
        records = list(memory.store.journal.scan())
        seq = memory.store.state.seq
        headers = [json.loads(record.header) for record in records]
        change(headers)
        lines = [signed(memory, one) if with_key else canonical_bytes(one) for one in headers]
    raw = bytearray(segment(store).read_bytes()[:16])
    for begin, end in frames(store):
        group = [
            encode_record(line, record.payloads)
            for record, line in zip(records, lines, strict=True)
            if begin < record.position < end
        ]
        body = b"".join(group)
        raw += FRAME.pack(b"MNF1", len(body), len(group), blake2b(body, digest_size=16).digest())
        raw += body
    segment(store).write_bytes(raw)
    slot = struct.pack(">4sQQ32s", b"MNH1", seq, len(raw), Tree(lines).root(seq))
    slot += struct.pack(">I", crc32(slot)) + bytes(8)
    if head:
        (store / "default" / "head").write_bytes(slot * 2)


def test_every_flipped_bit_is_refused_and_located(original: Path, tmp_path: Path) -> None:
    choose = random.Random(13)
    for begin, end in [(0, 16), *choose.sample(frames(original), 10)]:
        shutil.rmtree(tmp_path / "flipped", ignore_errors=True)
        shutil.copytree(original, tmp_path / "flipped")
        flip(segment(tmp_path / "flipped"), choose.randrange(begin, end if begin else 8))

        with pytest.raises(IntegrityError, match="changed") as refused:
            opened(tmp_path / "flipped")
        if begin:
            assert "muniment verify" in str(refused.value) and "backup" in str(refused.value)
            (named,) = refused.value.findings
            assert named.startswith("record") and f"the frame at byte {begin} does not" in named
            found = Memory.verify_files(tmp_path / "flipped").findings
            assert named in [str(one) for one in found]


def test_damaged_words_are_refused_and_all_others_can_be_read(store: Path) -> None:
    whole = segment(store).read_bytes()
    with opened(store) as memory:
        kim = memory.session(person="kim")
        first, second, *_ = list(kim.claims(standing="active"))
        state = memory.store.state
        place = state.positions[state.ids[first.id]]
        (source,) = [citation.id for citation in second.citations]
    (end,) = [end for begin, end in frames(store) if begin < place < end]
    flip(segment(store), end - 40)

    with pytest.raises(IntegrityError, match=r"records? \d+"):
        opened(store)
    with opened(store, read_only=True) as memory:
        (note,) = memory.store.notes
        assert "does not match its checksum" in note and "taken from the graph" in note
        kim = memory.session(person="kim")
        assert kim.claim(second.id).quote == second.quote
        assert kim.source(source).text == second.quote
        with pytest.raises(IntegrityError):
            kim.claim(first.id)
        assert memory.verify().soundness is Soundness.INVALID
        with pytest.raises(StorageError, match="read-only"):
            kim.message("not into this one")
    segment(store).write_bytes(whole)
    with opened(store) as memory:
        assert findings(memory) == ()


def test_a_reader_is_not_told_that_there_is_nothing_where_a_name_is_damaged(store: Path) -> None:
    with opened(store) as memory:
        state = memory.store.state
        (person,) = [seq for seq, sort in state.entity_types.items() if sort == "person"]
        place = state.positions[person] + len(memory.store.header(person).id)
    flip(segment(store), place)

    with opened(store, read_only=True) as memory:
        with pytest.raises(IntegrityError, match=f"record {person}: the name of a person"):
            list(memory.session(person="kim").claims())
        assert memory.verify(mode="fast").soundness is Soundness.INVALID


def test_without_its_graph_a_damaged_journal_is_not_half_believed(store: Path) -> None:
    begin, end = frames(store)[-1]
    flip(segment(store), (begin + end) // 2)
    without_graph(store)

    for read_only in (False, True):
        with pytest.raises(IntegrityError, match=f"the frame at byte {begin} "):
            opened(store, read_only=read_only)
    assert Memory.verify_files(store).soundness is Soundness.INVALID


def otherwise(headers: list[dict[str, Any]]) -> None:
    """Let the claim that was withdrawn have been corrected, in as many letters."""
    (change,) = [one for one in headers if one["op"] == "change"]
    assert len(change["lifecycle"]) == len("corrected")
    change["lifecycle"] = "corrected"


@pytest.mark.parametrize("graph", [True, False])
def test_a_header_rewritten_with_its_checksum_is_found_by_the_root(
    graph: bool, store: Path
) -> None:
    rewritten(store, otherwise, head=False)
    if not graph:
        without_graph(store)

    with pytest.raises(IntegrityError, match="the head has another root") as refused:
        opened(store)
    assert any("record" in one for one in refused.value.findings)


def test_a_head_rewritten_too_is_found_by_the_graph(store: Path) -> None:
    rewritten(store, otherwise, head=True)

    with pytest.raises(IntegrityError, match="the graph has another root"):
        opened(store)
    with opened(store, read_only=True) as memory:
        assert memory.verify(mode="fast").soundness is Soundness.INVALID


def test_what_was_rewritten_as_it_was_is_the_same_store(store: Path) -> None:
    rewritten(store, lambda _: None, head=True)

    with opened(store) as memory:
        assert len(list(memory.session(person="kim").claims())) == len(WORDS)


def newer(headers: list[dict[str, Any]], **fields: object) -> None:
    """Let the last record be one that a newer version wrote."""
    headers[-1].update(fields)


NEWER: Sequence[dict[str, object]] = (
    {"op": "someday"},
    {"v": 2},
    {"someday": "an added field"},
    {"verb": "someday"},
)


@pytest.mark.parametrize("fields", NEWER, ids=str)
def test_a_record_of_a_newer_version_asks_for_that_version(
    fields: dict[str, object], store: Path
) -> None:
    rewritten(store, lambda headers: newer(headers, **fields), head=True)
    without_graph(store)

    for read_only in (False, True):
        with pytest.raises(FormatError, match="install a newer muniment"):
            opened(store, read_only=read_only)
    found = Memory.verify_files(store)
    assert found.soundness is Soundness.INCOMPLETE
    assert any("newer version" in one.message for one in found.findings)


def test_a_forged_record_does_not_pass_for_one_of_a_newer_version(store: Path) -> None:
    rewritten(store, lambda headers: newer(headers, op="someday"), head=True, with_key=False)
    without_graph(store)

    for read_only in (False, True):
        with pytest.raises(IntegrityError, match="not written with this store's key"):
            opened(store, read_only=read_only)
    found = Memory.verify_files(store)
    assert found.soundness is Soundness.INVALID
    assert any("not written with" in one.message for one in found.findings)


def test_a_graph_of_a_newer_version_does_not_hide_it(store: Path) -> None:
    with duckdb.connect(str(store / "default" / "lineage.duckdb")) as graph:
        graph.execute("UPDATE record SET op = 'someday' WHERE op = 'change'")

    with pytest.raises(FormatError, match=r"someday.*install a newer muniment"):
        opened(store)
