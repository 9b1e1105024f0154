"""What opening a store holds its journal to: every frame's checksum, and the tree over all headers."""

from pathlib import Path
from typing import NamedTuple

from .journal import Head, Raw
from .merkle import Frontier
from .reading import Gap, read_journal


class Through(NamedTuple):
    """What reading a journal once gave.

    `sound`: every acknowledged frame matches its checksum and the headers give the root that the head acknowledges.
    `root`: the root at the size that was asked for, empty where the journal has fewer records.
    """

    sound: bool
    root: bytes


def read_through(folder: Path, head: Head, size: int) -> Through:
    """Read a journal from end to end and return whether it is what its head acknowledges, and its root at a size."""
    frontier, sound = Frontier(), True
    roots = {0: frontier.root(), head.seq: b"", size: b""}
    for item in read_journal(folder):
        if isinstance(item, Raw):
            frontier.append(item.header)
            if frontier.size in roots:
                roots[frontier.size] = frontier.root()
        elif isinstance(item, Gap):  # after the head stands what was never acknowledged
            sound = sound and item.position >= head.size
    return Through(sound and (not head.seq or roots[head.seq] == head.root), roots[size])
