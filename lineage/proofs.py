"""Proofs over the tree of record headers, as RFC 9162 sections 2.1.3 and 2.1.4 define them."""

import hashlib
from collections.abc import Iterable, Sequence

from .merkle import leaf_hash, node_hash


class Tree:
    """A whole tree with the hashes of its complete subtrees, so that a proof costs the logarithm of its size."""

    def __init__(self, leaves: Iterable[bytes], *, hashed: bool = False) -> None:
        """Take the leaves in, given by their data or, with `hashed`, by their hashes."""
        self._levels = [list(leaves) if hashed else [leaf_hash(leaf) for leaf in leaves]]
        while len(self._levels[-1]) > 1:
            below = self._levels[-1]
            pairs = range(0, len(below) - 1, 2)
            self._levels.append([node_hash(below[at], below[at + 1]) for at in pairs])

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self._levels[0])

    def root(self, size: int) -> bytes:
        """Return the root over the first `size` leaves; of none the hash of nothing."""
        return self._over(0, size) if size else hashlib.sha256().digest()

    def _over(self, start: int, end: int) -> bytes:
        """Return the root over leaves of which the first stands where a subtree of that size begins."""
        count = end - start
        if count & (count - 1) == 0:
            level = count.bit_length() - 1
            return self._levels[level][start >> level]
        middle = start + _split(count)
        return node_hash(self._over(start, middle), self._over(middle, end))

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """Return the proof that the leaf `index`, counted from 0, stands in the tree of the first `size` leaves."""
        if not 0 <= index < size <= self.size:
            raise ValueError(f"there is no leaf {index} in a tree of {size}")
        path: list[bytes] = []
        start, end = 0, size
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                path.append(self._over(middle, end))
                end = middle
            else:
                path.append(self._over(start, middle))
                start = middle
        return path[::-1]

    def consistency(self, first: int, second: int) -> list[bytes]:
        """Return the proof that the tree of `second` leaves begins with that of `first`; 0 < first <= second."""
        if not 0 < first <= second <= self.size:
            raise ValueError(f"there is no proof between trees of {first} and {second} leaves")
        path: list[bytes] = []
        start, end, known = 0, second, True
        while first != end:
            middle = start + _split(end - start)
            if first <= middle:
                path.append(self._over(middle, end))
                end = middle
            else:
                path.append(self._over(start, middle))
                start, known = middle, False
        if not known:
            path.append(self._over(start, end))
        return path[::-1]


def _split(count: int) -> int:
    """Return the largest power of two below a count of two or more."""
    return 1 << (count - 1).bit_length() - 1


def is_included(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Return whether a proof shows a leaf, given by its data, at `index` of the tree with that size and root."""
    if not 0 <= index < size:
        return False
    place, last, found = index, size - 1, leaf_hash(leaf)
    for step in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            found = node_hash(step, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, step)
        place, last = place >> 1, last >> 1
    return last == 0 and found == root


def is_consistent(
    first: int, second: int, first_root: bytes, second_root: bytes, path: Sequence[bytes]
) -> bool:
    """Return whether a proof shows that the tree of `second` leaves begins with that of `first`."""
    if first == second:
        return not path and first_root == second_root
    if not 0 < first < second:
        return False
    steps = list(path)
    if first & (first - 1) == 0:
        steps.insert(0, first_root)
    if not steps:
        return False
    place, last = first - 1, second - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, step)
        place, last = place >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root
