"""The graph's file and its WAL of different moments, or the WAL cut: the journal tells what they do not."""

import os
import shutil
from itertools import product
from pathlib import Path

import pytest

from muniment import Memory
from muniment.testing import HandClock, findings, flat_embedder

Lives = tuple[Path, list[Path], list[str]]


def opened(store: Path) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder())


def words(memory: Memory) -> list[str]:
    """Return what kim is known to have said, and how it stands."""
    return [f"{claim.standing} {claim.words}" for claim in memory.session(person="kim").claims()]


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Lives:
    """A store, its graph's files as they were at several moments of two lives, and what it remembers."""
    root = tmp_path_factory.mktemp("lives")
    store, moments = root / "store", list[Path]()

    def keep(name: str) -> None:
        moments.append(root / name)
        shutil.copytree(store / "default", moments[-1])

    for life in range(2):
        with opened(store) as memory:
            kim = memory.session(person="kim")
            for part in range(2):
                line = f"{life}{part} 금요일에 배포합니다"
                claim = kim.remember(line, kind="stated", sources=[kim.message(line)])
                if part:
                    kim.retract(claim)
                memory.store.post()
                keep(f"living{life}{part}")
        keep(f"closed{life}")
    with opened(store) as memory:
        return store, moments, words(memory)


@pytest.mark.slow
def test_a_file_and_a_wal_of_any_two_moments(lives: Lives, tmp_path: Path) -> None:
    store, moments, remembered = lives
    shutil.copytree(store, tmp_path / "store")
    file = tmp_path / "store" / "default" / "lineage.duckdb"
    wal = file.with_name("lineage.duckdb.wal")
    for one, other in product(moments, moments):
        shutil.copy(one / file.name, file)
        wal.unlink(missing_ok=True)
        if (other / wal.name).exists():
            shutil.copy(other / wal.name, wal)

        with opened(tmp_path / "store") as memory:
            assert words(memory) == remembered, (one.name, other.name)
            assert findings(memory) == (), (one.name, other.name)


@pytest.mark.slow
@pytest.mark.parametrize("sort", ["cut", "spoilt"])
def test_a_wal_damaged_at_many_places(
    sort: str, lives: Lives, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    store, moments, remembered = lives
    shutil.copytree(store, tmp_path / "store")
    file = tmp_path / "store" / "default" / "lineage.duckdb"
    wal = file.with_name("lineage.duckdb.wal")
    (moment,) = [one for one in moments if one.name == "living11"]
    size = (moment / wal.name).stat().st_size
    steps = 200 if request.config.getoption("--exhaustive") else 16
    for place in range(0, size, max(1, size // steps)):
        shutil.copy(moment / file.name, file)
        shutil.copy(moment / wal.name, wal)
        if sort == "cut":
            os.truncate(wal, place)
        else:
            raw = bytearray(wal.read_bytes())
            raw[place] ^= 0x55
            wal.write_bytes(raw)

        with opened(tmp_path / "store") as memory:
            assert words(memory) == remembered, place
            assert findings(memory) == (), place


def test_a_graph_that_lost_rows_is_made_anew(lives: Lives, tmp_path: Path) -> None:
    import duckdb

    store, _, remembered = lives
    shutil.copytree(store, tmp_path / "store")
    with duckdb.connect(str(tmp_path / "store" / "default" / "lineage.duckdb")) as graph:
        graph.execute("DELETE FROM record WHERE seq = (SELECT max(seq) FROM record)")

    with opened(tmp_path / "store") as memory:
        assert "made anew" in memory.store.notes[0]
        assert words(memory) == remembered
        assert findings(memory) == ()
