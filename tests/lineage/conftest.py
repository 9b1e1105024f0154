"""What the stories of the lineage share: a clock in the hand and a store of one's own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from muniment import Memory
from muniment.testing import HandClock, flat_embedder


@pytest.fixture
def clock() -> HandClock:
    """A clock that moves when told to."""
    return HandClock()


@pytest.fixture
def reopened(tmp_path: Path, clock: HandClock) -> Iterator[Callable[[], Memory]]:
    """Close the store, if it is open, and give it opened again."""
    held: list[Memory] = []

    def again() -> Memory:
        for memory in held:
            memory.close()
        held.append(Memory.open(tmp_path / "store", clock=clock, embedder=flat_embedder()))
        return held[-1]

    yield again
    for memory in held:
        memory.close()


@pytest.fixture
def memory(reopened: Callable[[], Memory]) -> Memory:
    """A new store."""
    return reopened()
