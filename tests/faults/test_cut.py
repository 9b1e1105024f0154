"""A journal cut at every byte: what was acknowledged is there, or opening refuses and says what is missing."""

import os
import random
import shutil
import struct
from itertools import accumulate
from pathlib import Path

import pytest

from muniment import IntegrityError, Memory
from muniment.lineage import Opened, encode_record, unreached
from muniment.testing import HandClock, flat_embedder

GROUPS = (
    (encode_record(b'{"op":"first"}', ()),),
    (encode_record(b'{"op":"second"}', (b"sealed",)), encode_record(b"{}", (b"", b"both"))),
    (encode_record("한 글자씩".encode(), (b"\xff" * 70,)),),
)


def opened(store: Path) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder())


def edges(raw: bytes) -> list[int]:
    """Return where each frame of a segment begins, and its end."""
    found = [16]
    while found[-1] < len(raw):
        found.append(found[-1] + 28 + struct.unpack_from(">I", raw, found[-1] + 4)[0])
    return found


@pytest.mark.parametrize("access", [Opened.WRITE, Opened.READ], ids=["writer", "reader"])
def test_a_small_journal_under_every_head_cut_at_every_byte(access: Opened, tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        journal_of = type(memory.store.journal)
    folder, head = tmp_path / "journal", tmp_path / "head"
    folder.mkdir()
    journal = journal_of(folder, head, unreached)
    acknowledged = [(0, head.read_bytes())]
    for seq, group in zip(accumulate(map(len, GROUPS)), GROUPS, strict=True):
        journal.append(group, seq, bytes([seq]) * 32)
        acknowledged.append((seq, head.read_bytes()))
    records = list(journal.scan())
    journal.close()
    (segment,) = folder.iterdir()
    whole = segment.read_bytes()
    ends = edges(whole)
    assert ends[-1] == len(whole) == journal.size

    for number, (seq, slots) in enumerate(acknowledged):
        for cut in range(len(whole) + 1):
            segment.write_bytes(whole[:cut])
            head.write_bytes(slots)
            if number and cut < ends[number]:
                with pytest.raises(IntegrityError, match=f"{ends[number] - cut} bytes after"):
                    journal_of(folder, head, unreached, access)
                assert segment.read_bytes() == whole[:cut]
                continue
            journal = journal_of(folder, head, unreached, access)
            held = list(journal.scan())
            last = max((place for place in (0, *ends) if place <= cut), default=0)
            assert (journal.head.seq, journal.size) == (seq, last)
            assert held == [record for record in records if record.position < last]
            journal.close()
            if access is Opened.WRITE and segment.exists():
                assert segment.read_bytes() == whole[:last]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which a few things were said, remembered, corrected and erased."""
    store = tmp_path_factory.mktemp("told") / "store"
    with opened(store) as memory:
        kim = memory.session(person="kim")
        for line in ("We deploy on Fridays.", "금요일에 배포합니다", "We rest on Sundays."):
            claim = kim.remember(line, kind="stated", sources=[kim.message(line)])
        said = kim.message("We rest on Saturdays.")
        kim.correct(claim, "We rest on Saturdays.", sources=[said])
        kim.erase(next(iter(kim.claims())).citations[0].id)
    return store


@pytest.mark.slow
@pytest.mark.parametrize("graph", [True, False])
def test_a_store_cut_anywhere_is_never_silently_shorter(
    graph: bool, told: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    store = tmp_path / "cut"
    shutil.copytree(told, store)
    if not graph:
        (store / "default" / "lineage.duckdb").unlink()
    (segment,) = (store / "default" / "journal").glob("*.seg")
    whole = segment.read_bytes()
    more = 1000 if request.config.getoption("--exhaustive") else 50
    places = {edge + step for edge in edges(whole) for step in (-1, 0, 1)} | {0, 1}
    places |= set(random.Random(7).sample(range(len(whole)), more))
    for place in sorted(place for place in places if place < len(whole)):
        os.truncate(segment, place)

        with pytest.raises(IntegrityError, match=f"{len(whole) - place} bytes .* are missing"):
            opened(store)
        assert segment.read_bytes() == whole[:place]
        segment.write_bytes(whole)
    with opened(store) as memory:
        assert len(list(memory.session(person="kim").claims())) == 3
