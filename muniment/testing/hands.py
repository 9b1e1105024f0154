"""What a test holds in its hands: a clock that moves when told to, and an embedder that loads nothing."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from muniment import CallableEmbedder

_START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class HandClock:
    """A clock that stands still until it is moved, forwards or back."""

    def __init__(self, start: datetime = _START) -> None:
        self.now = start

    def __call__(self) -> datetime:
        """Return the moment the hands show."""
        return self.now

    def move(self, by: timedelta) -> datetime:
        """Move the hands, back where `by` is negative, and return what they show."""
        self.now += by
        return self.now


class HandIds:
    """Identifiers that tell whose hand wrote, so that one hand's are the same whatever another one wrote meanwhile."""

    def __init__(self, hand: str) -> None:
        self.hand = hand
        self._counts: dict[str, int] = {}

    def __call__(self) -> str:
        """Return the next identifier of the hand that writes, whose name has three letters."""
        number = self._counts[self.hand] = self._counts.get(self.hand, -1) + 1
        return f"{self.hand}{number:A>19}"


def flat_embedder() -> CallableEmbedder:
    """Return an embedder to which all texts mean the same, so that a search leaves nothing out for its meaning."""
    return CallableEmbedder("flat", 8, _flat)


def _flat(texts: Sequence[str]) -> npt.ArrayLike:
    return np.ones((len(texts), 8), np.float32)
