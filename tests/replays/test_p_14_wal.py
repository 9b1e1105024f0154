"""P-14: killed in the middle of a write, the graph's WAL cut or unreadable: the journal tells it all again."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import Memory, Soundness
from muniment.testing import HandClock, findings, flat_embedder

from .conftest import killed


def opened(store: Path) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder())


def words(memory: Memory) -> list[str]:
    """Return what kim is known to have said."""
    return [claim.words for claim in memory.session(person="kim").claims()]


@pytest.fixture
def crashed(tmp_path: Path) -> Path:
    """A store as a process left it that died after its graph was written and before it was closed."""
    with opened(tmp_path / "store") as memory:
        kim = memory.session(person="kim")
        for line in ("We deploy on Fridays.", "We rest on Sundays."):
            kim.remember(line, kind="stated", sources=[kim.message(line)])
        memory.store.post()
        shutil.copytree(tmp_path / "store", tmp_path / "crashed")
    return tmp_path / "crashed"


def cut(path: Path) -> None:
    """Leave half of a file."""
    os.truncate(path, path.stat().st_size // 2)


def spoil(path: Path) -> None:
    """Write something else over a file."""
    path.write_bytes(b"\xff" * max(64, path.stat().st_size))


@pytest.mark.parametrize("damage", [cut, spoil, Path.unlink])
@pytest.mark.parametrize("name", ["lineage.duckdb.wal", "lineage.duckdb"])
def test_p_14_what_was_acknowledged_is_there(
    crashed: Path, damage: Callable[[Path], None], name: str
) -> None:
    path = crashed / "default" / name
    if not path.exists():
        pytest.skip("the graph left no WAL")
    damage(path)

    before = Memory.verify_files(crashed, mode="fast")
    assert all(one.soundness in ("INVALID", "INCOMPLETE") for one in before.findings)
    with opened(crashed) as memory:
        assert sorted(words(memory)) == ["We deploy on Fridays.", "We rest on Sundays."]
        assert findings(memory) == ()
    assert Memory.verify_files(crashed).soundness is Soundness.OK


@pytest.mark.parametrize("failpoint", ["graph.before_post", "graph.posted", "journal.written"])
@pytest.mark.parametrize("damage", [cut, spoil])
def test_p_14_killed_in_a_write_and_the_wal_damaged_too(
    tmp_path: Path, failpoint: str, damage: Callable[[Path], None]
) -> None:
    said = killed(tmp_path / "store", failpoint)
    for path in (tmp_path / "store" / "default").glob("lineage.duckdb*"):
        damage(path)

    with opened(tmp_path / "store") as memory:
        assert set(said) <= set(words(memory))
        assert findings(memory) == () and memory.rebuild()
