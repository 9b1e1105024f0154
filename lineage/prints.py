"""Fingerprints of runs of words, and a map of whose they are: compact enough for all that was ever given out."""

from array import array
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Prints = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]

RUN = 5


def prints_of(key: bytes, words: Sequence[str], length: int) -> bytes:
    """Return the keyed 8-byte fingerprints of all runs of `length` words, packed in order."""
    runs = (" ".join(words[at : at + length]) for at in range(len(words) - length + 1))
    return b"".join(blake2b(run.encode("utf-8"), digest_size=8, key=key).digest() for run in runs)


class Found(NamedTuple):
    """A text that shares runs with another: whose it is, how much of the shorter, where in the other."""

    node: int
    share: float
    places: list[int]


class PrintMap:
    """Texts by number with their fingerprints: 12 bytes a run, sorted, the newest beside them until there are many."""

    def __init__(self) -> None:
        self.nodes: array[int] = array("q")
        self.lengths: set[int] = set()
        self.taken = 0
        self._sizes: array[int] = array("i")
        self._sorted = np.zeros(0, dtype=np.uint64)
        self._owners = np.zeros(0, dtype=np.int32)
        self._newest: dict[int, list[int]] = {}
        self._waiting = 0

    def enter(self, node: int, key: bytes, words: Sequence[str]) -> None:
        """Take in one text of a node; one shorter than a run is a run of its own length."""
        length = min(RUN, len(words))
        if not length:
            return
        owner = len(self.nodes)
        prints: set[int] = {
            int(one) for one in np.frombuffer(prints_of(key, words, length), dtype=np.uint64)
        }
        self.nodes.append(node)
        self._sizes.append(len(prints))
        self.lengths.add(length)
        for one in prints:
            self._newest.setdefault(one, []).append(owner)
        self._waiting += len(prints)

    def settle(self, most: int = 4_096) -> None:
        """Sort in what waits, where that has become much: more than this, and than an eighth of what is sorted."""
        if self._waiting <= max(most, len(self._sorted) // 8):
            return
        pairs = [(one, owner) for one, owners in self._newest.items() for owner in owners]
        every = np.concatenate([self._sorted, np.array([p for p, _ in pairs], dtype=np.uint64)])
        whose = np.concatenate([self._owners, np.array([o for _, o in pairs], dtype=np.int32)])
        order = np.argsort(every, kind="stable")
        self._sorted, self._owners = every[order], whose[order]
        self._newest.clear()
        self._waiting = 0

    def find(self, prints: Prints, said: int, least: float, most: int) -> Iterator[Found]:
        """Yield the texts that share at least so much with these prints, oldest first, so many at most.

        The share is that of the shorter of the two; `said` is how many different runs the other text has.
        """
        found, counts = np.unique(self._pairs(np.unique(prints))[1], return_counts=True)
        if not len(found):
            return
        sizes = np.frombuffer(self._sizes, dtype=np.int32)[found]
        # One run of its own is too little to say that it was taken out of a longer text.
        shares = counts / np.minimum(sizes, max(2, said))
        enough = np.nonzero(shares >= least)[0][:most]
        places, owners = self._pairs(prints) if len(enough) else (found, found)
        for at in enough:
            where = np.sort(places[owners == found[at]])
            yield Found(self.nodes[int(found[at])], float(shares[at]), where.tolist())

    def _pairs(self, prints: Prints) -> tuple[Places, Places]:
        """Return the places of the prints that are known, each with the number of a text it is of."""
        first = np.searchsorted(self._sorted, prints, side="left")
        counts = np.searchsorted(self._sorted, prints, side="right") - first
        steps = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        places = np.repeat(np.arange(len(prints)), counts)
        owners = self._owners[np.repeat(first, counts) + steps].astype(np.int64)
        newest = [
            (place, owner)
            for place, one in enumerate(prints.tolist())
            for owner in self._newest.get(one, ())
        ]
        if newest:
            more = np.array(newest, dtype=np.int64)
            places, owners = np.append(places, more[:, 0]), np.append(owners, more[:, 1])
        return places, owners
