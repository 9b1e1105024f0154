"""The hash tree over record headers, as RFC 9162 section 2.1 defines it, kept as its right edge."""

import hashlib
from collections.abc import Iterable


def leaf_hash(data: bytes) -> bytes:
    """Return the 32-byte hash of a leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the 32-byte hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Frontier:
    """The roots of the complete subtrees along the right edge: enough to append and to give the root."""

    def __init__(self, size: int = 0, peaks: Iterable[bytes] = ()) -> None:
        self.size = size
        self.peaks = list(peaks)

    def append(self, data: bytes) -> None:
        """Take in one more leaf."""
        peak, size = leaf_hash(data), self.size
        while size & 1:
            peak = node_hash(self.peaks.pop(), peak)
            size >>= 1
        self.peaks.append(peak)
        self.size += 1

    def root(self) -> bytes:
        """Return the 32-byte root; of an empty tree the hash of nothing."""
        if not self.peaks:
            return hashlib.sha256().digest()
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = node_hash(peak, root)
        return root

    def copy(self) -> "Frontier":
        """Return an independent frontier of the same tree."""
        return Frontier(self.size, self.peaks)
