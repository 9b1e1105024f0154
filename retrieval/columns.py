"""Hold index rows as columns: what one scope's claims or turns look like in memory, ready to be searched."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Digests = npt.NDArray[np.uint64]
Vectors = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Postings = tuple[Ints, Scores]

# Rows added since loading are searched as a small second part; beyond this they are folded into the first.
FOLD_ROWS = 1024
FOLD_SHARE = 0.125
# A turn's neighbours speak for it: "Yes, on Friday" answers what stands before it. Long turns carry their own
# context and would drown a short neighbour, so a neighbour's share falls with both lengths (in tokens).
SHARE_BEFORE = 0.8
SHARE_AFTER = 0.4
FULL_SHARE_LENGTH = 40.0


@dataclass(frozen=True, slots=True)
class Rows:
    """Index rows as columns: `digests` and `counts` of row i stand at `starts[i]:starts[i + 1]`."""

    node: Ints
    chunk: Ints
    thread: Ints
    speaker: Ints
    vectors: npt.NDArray[np.floating[Any]]  # float32; float16 as they come from the table
    digests: Digests
    counts: Scores
    starts: Ints

    def __len__(self) -> int:
        return len(self.node)

    def take(self, index: Ints) -> "Rows":
        """Return the rows at the positions `index`, in that order."""
        entries, starts = spread(index, self.starts)
        return Rows(
            node=self.node[index],
            chunk=self.chunk[index],
            thread=self.thread[index],
            speaker=self.speaker[index],
            vectors=_singles(self.vectors, index),
            digests=self.digests[entries],
            counts=self.counts[entries],
            starts=starts,
        )

    def among(self, node: Ints, chunk: Ints) -> npt.NDArray[np.bool_]:
        """Return for each row whether its (node, chunk) stands among the given pairs, shape (rows,)."""
        hit = np.isin(self.node, node)
        if hit.any():
            pairs = set(zip(node.tolist(), chunk.tolist(), strict=True))
            for row in np.flatnonzero(hit):
                hit[row] = (int(self.node[row]), int(self.chunk[row])) in pairs
        return hit


def join(parts: Sequence[Rows]) -> Rows:
    """Return the rows of all parts, one after the other; at least one part."""
    if len(parts) == 1:
        return parts[0]
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    return Rows(
        node=np.concatenate([part.node for part in parts]),
        chunk=np.concatenate([part.chunk for part in parts]),
        thread=np.concatenate([part.thread for part in parts]),
        speaker=np.concatenate([part.speaker for part in parts]),
        vectors=np.concatenate([part.vectors for part in parts]),
        digests=np.concatenate([part.digests for part in parts]),
        counts=np.concatenate([part.counts for part in parts]),
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
    )


def spread(index: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """Return the positions covered by the groups `index` of `starts`, and where each group starts among them."""
    lengths = starts[index + 1] - starts[index]
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    positions = np.arange(total, dtype=np.int64) + np.repeat(
        starts[index] - (ends - lengths), lengths
    )
    return positions, np.concatenate([np.zeros(1, np.int64), ends])


Keep = Callable[[Rows], npt.NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Talk:
    """How the rows of a part follow each other: rows make turns, turns make threads."""

    turn: Ints  # of each row
    turn_starts: Ints
    before: Ints  # of each turn: the turn before it in its thread, or -1
    after: Ints
    thread: Ints  # of each row
    thread_starts: Ints
    share_before: Scores  # of each row: how much of the turn before counts as its own
    share_after: Scores
    length: Scores  # of each row, with its neighbours' shares
    spread: Scores  # of each row: the norm of its vector plus the share of the one before

    @classmethod
    def none(cls) -> "Talk":
        """Return what stands in for claims, which do not follow each other."""
        no, none = np.zeros(0, np.int64), np.zeros(0)
        return cls(no, no, no, no, no, no, none, none, none, none)

    @classmethod
    def of(cls, rows: Rows, length: Scores) -> "Talk":
        """Return how `rows`, sorted by (thread, node, chunk), follow each other."""
        fresh_turn = _changes(rows.thread) | _changes(rows.node)
        fresh_thread = np.where(rows.thread == 0, fresh_turn, _changes(rows.thread))
        turn, turn_starts = np.cumsum(fresh_turn) - 1, _starts(fresh_turn)
        thread, thread_starts = np.cumsum(fresh_thread) - 1, _starts(fresh_thread)
        first = turn_starts[:-1]
        turns = np.arange(len(first))
        opens = fresh_thread[first]
        before = np.where(opens, -1, turns - 1)
        after = np.where(np.append(opens[1:], True), -1, turns + 1)
        turn_length = np.add.reduceat(length, first)
        own, whole = _damping(length), _damping(turn_length)
        b, a = before[turn], after[turn]
        share_before = np.where(b < 0, 0.0, SHARE_BEFORE * own * whole[b])
        share_after = np.where(a < 0, 0.0, SHARE_AFTER * own * whole[a])
        alike = _alike(rows.vectors, first[b])
        return cls(
            turn=turn,
            turn_starts=turn_starts,
            before=before,
            after=after,
            thread=thread,
            thread_starts=thread_starts,
            share_before=share_before,
            share_after=share_after,
            length=length + share_before * turn_length[b] + share_after * turn_length[a],
            spread=np.sqrt(1.0 + share_before**2 + 2.0 * share_before * alike),
        )


@dataclass(frozen=True, slots=True)
class Part:
    """Searchable rows of one layer of one scope, sorted by (thread, node, chunk), with postings by digest."""

    rows: Rows
    length: Scores
    vocabulary: Digests
    offsets: Ints
    posting_rows: Ints
    posting_counts: Scores
    talk: Talk

    @classmethod
    def of(cls, rows: Rows, *, turns: bool) -> "Part":
        """Return `rows` sorted and inverted; no row may be there twice, and there is at least one."""
        order = np.lexsort((rows.chunk, rows.node, rows.thread))
        if not np.array_equal(order, np.arange(len(order))):
            rows = rows.take(order)
        owner = np.repeat(np.arange(len(rows), dtype=np.int64), np.diff(rows.starts))
        by_digest = np.argsort(rows.digests, kind="stable")
        sorted_digests = rows.digests[by_digest]
        offsets = _starts(_changes(sorted_digests))
        length = np.bincount(owner, weights=rows.counts, minlength=len(rows)).astype(np.float64)
        return cls(
            rows=rows,
            length=length,
            vocabulary=sorted_digests[offsets[:-1]],
            offsets=offsets,
            posting_rows=owner[by_digest],
            posting_counts=rows.counts[by_digest],
            talk=Talk.of(rows, length) if turns else Talk.none(),
        )

    def __len__(self) -> int:
        return len(self.rows)

    def postings(self, digest: np.uint64) -> Postings:
        """Return the rows that hold the token, ascending, and how often each holds it."""
        at = int(np.searchsorted(self.vocabulary, digest))
        if at == len(self.vocabulary) or self.vocabulary[at] != digest:
            return np.zeros(0, np.int64), np.zeros(0)
        held = slice(self.offsets[at], self.offsets[at + 1])
        return self.posting_rows[held], self.posting_counts[held]


class Pile:
    """One layer of one scope in memory: a large part, a small one, and rows waiting to join the small one."""

    __slots__ = ("_turns", "base", "overlay", "waiting")

    def __init__(self, waiting: list[Rows], *, turns: bool) -> None:
        self._turns = turns
        self.base: Part | None = None
        self.overlay: Part | None = None
        self.waiting = waiting

    def parts(self) -> list[Part]:
        """Return the parts to search, after taking in what waits."""
        if self.waiting:
            self._settle()
        return [part for part in (self.base, self.overlay) if part is not None]

    def drop(self, keep: Keep) -> None:
        """Take every row out of memory for which `keep` is false."""
        self.base = self._thinned(self.base, keep)
        self.overlay = self._thinned(self.overlay, keep)
        self.waiting = [
            kept for rows in self.waiting if len(kept := rows.take(np.flatnonzero(keep(rows))))
        ]

    def _settle(self) -> None:
        fresh = join(self.waiting)
        pieces = [fresh] if self.overlay is None else [self.overlay.rows, fresh]
        # A thread stands in one part only, since its turns lend each other words.
        grown = np.unique(fresh.thread[fresh.thread > 0])
        if self.base is not None and len(grown):
            moving = np.isin(self.base.rows.thread, grown)
            if moving.any():
                pieces.append(self.base.rows.take(np.flatnonzero(moving)))
                self.base = self._thinned(self.base, lambda rows: ~np.isin(rows.thread, grown))
        small = join(pieces)
        if self.base is None or len(small) > max(FOLD_ROWS, FOLD_SHARE * len(self.base)):
            self.base = self._part(small if self.base is None else join([self.base.rows, small]))
            self.overlay = None
        else:
            self.overlay = self._part(small)
        self.waiting = []

    def _part(self, rows: Rows) -> Part:
        return Part.of(rows, turns=self._turns)

    def _thinned(self, part: Part | None, keep: Keep) -> Part | None:
        """Return the part with only the rows to keep; the same part when that is all of them."""
        if part is None:
            return None
        kept = keep(part.rows)
        if kept.all():
            return part
        return self._part(part.rows.take(np.flatnonzero(kept))) if kept.any() else None


def _changes(column: npt.NDArray[np.int64] | Digests) -> npt.NDArray[np.bool_]:
    """Return for each row whether it differs from the one before; true for the first."""
    fresh = np.ones(len(column), np.bool_)
    np.not_equal(column[1:], column[:-1], out=fresh[1:])
    return fresh


def _starts(fresh: npt.NDArray[np.bool_]) -> Ints:
    """Return where each group starts, and at last where they all end."""
    return np.append(np.flatnonzero(fresh), len(fresh))


def _damping(length: Scores) -> Scores:
    """Return 1 for what is at most `FULL_SHARE_LENGTH` tokens long, falling with length beyond."""
    return np.minimum(1.0, FULL_SHARE_LENGTH / np.maximum(length, 1.0))


def _singles(vectors: npt.NDArray[np.floating[Any]], index: Ints, block: int = 8192) -> Vectors:
    """Return the vectors at `index` as float32, halves widened block by block: all at once would double the peak."""
    if vectors.dtype == np.float32:
        return vectors[index]
    wide = np.empty((len(index), vectors.shape[1]), np.float32)
    for at in range(0, len(index), block):
        wide[at : at + block] = vectors[index[at : at + block]]
    return wide


def _alike(vectors: npt.NDArray[np.floating[Any]], other: Ints, block: int = 8192) -> Scores:
    """Return the dot product of each vector with the one at `other`, without a second copy of them all."""
    alike = np.zeros(len(vectors))
    for at in range(0, len(vectors), block):
        alike[at : at + block] = np.vecdot(
            vectors[at : at + block], vectors[other[at : at + block]]
        )
    return alike
