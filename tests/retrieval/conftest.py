"""What the stories about the index share: a deterministic embedder, and an index opened by one word."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from muniment.retrieval import CallableEmbedder, Embedder, Index, WordsAndPairs

KEY = bytes(range(32))
Open = Callable[..., Index]


def hashed(texts: Sequence[str]) -> list[list[float]]:
    """Return vectors from hashed pairs of characters: alike texts are near, no model is loaded."""
    vectors = np.zeros((len(texts), 64))
    for at, text in enumerate(texts):
        for pair in zip(text, text[1:], strict=False):
            place = hashlib.blake2b("".join(pair).encode("utf-8", "surrogatepass")).digest()
            vectors[at, place[0] % 64] += 1.0 if place[1] % 2 else -1.0
    found: list[list[float]] = vectors.tolist()
    return found


def pairs() -> CallableEmbedder:
    """Return the embedder the stories use unless they name another."""
    return CallableEmbedder("pairs/1", 64, hashed, floor=0.5)


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Return a function that opens the index in this story's own directory."""

    def open_index(
        folder: str = "index",
        *,
        key: bytes = KEY,
        embedder: Embedder | None = None,
        bare: bool = False,
    ) -> Index:
        chosen = None if bare else embedder or pairs()
        return Index.open(tmp_path / folder, key=key, embedder=chosen, tokeniser=WordsAndPairs())

    return open_index
