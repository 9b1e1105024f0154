"""What the replays share: a store with a clock to be moved and people in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import Memory, Session
from muniment.testing import HandClock, flat_embedder


@pytest.fixture
def clock() -> HandClock:
    """Return the clock of the store."""
    return HandClock()


@pytest.fixture
def memory(tmp_path: Path, clock: HandClock) -> Iterator[Memory]:
    """Return a store in which every search finds everything."""
    with Memory.open(tmp_path / "store", clock=clock, embedder=flat_embedder()) as opened:
        yield opened


@pytest.fixture
def kim(memory: Memory) -> Session:
    """Return a person."""
    return memory.session(person="kim")
