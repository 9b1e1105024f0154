"""What the replays share: a fresh store with a cheap embedder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import Memory
from muniment.testing import flat_embedder


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Return a fresh store."""
    with Memory.open(tmp_path / "store", embedder=flat_embedder()) as opened:
        yield opened
