"""Hold index rows as columns: what one scope's claims or turns look like in memory, ready to be searched."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .sketch import Sketch, Stored, widened

Ints = npt.NDArray[np.int64]
Digests = npt.NDArray[np.uint64]
Vectors = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Counts = npt.NDArray[np.uint16]
Postings = tuple[Ints, Scores]
Number = TypeVar("Number", bound=np.generic)

# Rows added since loading are searched as parts of their own; one that is not so many times as large as what comes, or
# with it holds no more rows than these, is joined with it. So a row is sorted in a few times, not at every search.
FOLD_ROWS = 1024
FOLD_TIMES = 8
# From so many rows on the vectors of claims stay the halves they are stored as, with a sketch to search them by.
SKETCH_ROWS = 16_384
_SORTED_AT_ONCE = 1_000_000
_WIDENED_AT_ONCE = 8192
# A turn's neighbours speak for it: "Yes, on Friday" answers what stands before it. Long turns carry their own
# context and would drown a short neighbour, so a neighbour's share falls with both lengths (in tokens).
SHARE_BEFORE = 0.8
SHARE_AFTER = 0.4
FULL_SHARE_LENGTH = 40.0


@dataclass(frozen=True, slots=True)
class Columns:
    """Index rows as columns, without their words."""

    node: Ints
    chunk: Ints
    thread: Ints
    speaker: Ints
    vectors: Stored

    def __len__(self) -> int:
        return len(self.node)

    def among(self, node: Ints, chunk: Ints) -> npt.NDArray[np.bool_]:
        """Return for each row whether its (node, chunk) stands among the given pairs, shape (rows,)."""
        hit = np.isin(self.node, node)
        if hit.any():
            pairs = set(zip(node.tolist(), chunk.tolist(), strict=True))
            for row in np.flatnonzero(hit):
                hit[row] = (int(self.node[row]), int(self.chunk[row])) in pairs
        return hit

    def bare(self, vectors: Stored) -> "Columns":
        """Return the rows with other vectors and without their words."""
        return Columns(
            node=self.node,
            chunk=self.chunk,
            thread=self.thread,
            speaker=self.speaker,
            vectors=vectors,
        )

    def picked(self, index: Ints) -> "Columns":
        """Return the rows at the positions `index`, in that order, without their words."""
        return Columns(
            node=self.node[index],
            chunk=self.chunk[index],
            thread=self.thread[index],
            speaker=self.speaker[index],
            vectors=self.vectors[index],
        )


@dataclass(frozen=True, slots=True)
class Rows(Columns):
    """Index rows as columns: `digests` and `counts` of row i stand at `starts[i]:starts[i + 1]`."""

    digests: Digests
    counts: Counts
    starts: Ints

    def take(self, index: Ints) -> "Rows":
        """Return the rows at the positions `index`, in that order; the same rows where that is all as they are."""
        if len(index) == len(self) and np.array_equal(index, np.arange(len(index))):
            return self
        entries, starts = spread(index, self.starts)
        return _rows(self.picked(index), self.digests[entries], self.counts[entries], starts)


def _rows(columns: Columns, digests: Digests, counts: Counts, starts: Ints) -> Rows:
    return Rows(
        node=columns.node,
        chunk=columns.chunk,
        thread=columns.thread,
        speaker=columns.speaker,
        vectors=columns.vectors,
        digests=digests,
        counts=counts,
        starts=starts,
    )


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
        vectors=_stacked([part.vectors for part in parts]),
        digests=np.concatenate([part.digests for part in parts]),
        counts=np.concatenate([part.counts for part in parts]),
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
    )


def across(arrays: Sequence[npt.NDArray[Number]]) -> npt.NDArray[Number]:
    """Return arrays one after the other; a single one as it is, since at a million rows a copy takes milliseconds."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def spread(index: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """Return the positions covered by the groups `index` of `starts`, and where each group starts among them."""
    lengths = starts[index + 1] - starts[index]
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    positions = np.arange(total, dtype=np.int64) + np.repeat(
        starts[index] - (ends - lengths), lengths
    )
    return positions, np.concatenate([np.zeros(1, np.int64), ends])


Keep = Callable[[Columns], npt.NDArray[np.bool_]]


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
    def of(cls, rows: Columns, length: Scores) -> "Talk":
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
    """Searchable rows of one layer of one scope, sorted by (thread, node, chunk), with postings by digest.

    The digests of a row are not kept beside its postings: at a million rows they would take as much room again.
    """

    rows: Columns
    length: Scores
    vocabulary: Digests
    offsets: Ints
    posting_rows: npt.NDArray[np.int32]
    posting_counts: Counts
    talk: Talk
    sketch: Sketch | None

    @classmethod
    def of(cls, rows: Rows, *, turns: bool, sketch_from: int = SKETCH_ROWS) -> "Part":
        """Return `rows` sorted and inverted; no row may be there twice, and there is at least one."""
        rows = rows.take(np.lexsort((rows.chunk, rows.node, rows.thread)))
        owner = np.repeat(np.arange(len(rows), dtype=np.int32), np.diff(rows.starts))
        vocabulary, offsets, places, counts = _inverted(rows.digests, rows.counts, owner)
        length = np.bincount(owner, weights=rows.counts, minlength=len(rows)).astype(np.float64)
        large = not turns and len(rows) >= sketch_from and rows.vectors.shape[1] > 0
        columns = rows.bare(rows.vectors.astype(np.float16 if large else np.float32, copy=False))
        return cls(
            rows=columns,
            length=length,
            vocabulary=vocabulary,
            offsets=offsets,
            posting_rows=places,
            posting_counts=counts,
            talk=Talk.of(columns, length) if turns else Talk.none(),
            sketch=Sketch.of(columns.vectors) if large else None,
        )

    def __len__(self) -> int:
        return len(self.rows)

    def postings(self, digest: np.uint64) -> Postings:
        """Return the rows that hold the token, ascending, and how often each holds it."""
        at = int(np.searchsorted(self.vocabulary, digest))
        if at == len(self.vocabulary) or self.vocabulary[at] != digest:
            return np.zeros(0, np.int64), np.zeros(0)
        held = slice(self.offsets[at], self.offsets[at + 1])
        return self.posting_rows[held].astype(np.int64), self.posting_counts[held].astype(
            np.float64
        )

    def vectorless(self) -> int:
        """Return how many rows have no vector."""
        if self.sketch is not None:
            return int(np.count_nonzero(self.sketch.outside == 0.0))
        return int(np.count_nonzero(~self.rows.vectors.any(axis=1)))

    def unfolded(self) -> Rows:
        """Return the rows with their digests again, as `Part.of` took them but for the order within a row."""
        order = np.argsort(self.posting_rows, kind="stable")
        digests = np.repeat(self.vocabulary, np.diff(self.offsets))[order]
        held = np.bincount(self.posting_rows, minlength=len(self))
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(held)])
        return _rows(self.rows, digests, self.posting_counts[order], starts)

    def kept(self, index: Ints) -> "Part":
        """Return this part of claims with only the rows at the positions `index`, which rise, and sort nothing."""
        gone = np.ones(len(self), np.bool_)
        gone[index] = False
        moved = np.full(len(self), -1, np.int32)
        moved[index] = np.arange(len(index), dtype=np.int32)
        places = moved[self.posting_rows]
        held = places >= 0
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(held, dtype=np.int64)])
        offsets = before[self.offsets]
        words = np.diff(offsets) > 0
        return Part(
            rows=self.rows.picked(index),
            length=self.length[index],
            vocabulary=self.vocabulary[words],
            offsets=np.append(offsets[:-1][words], offsets[-1]),
            posting_rows=places[held],
            posting_counts=self.posting_counts[held],
            talk=self.talk,
            sketch=self.sketch and self.sketch.kept(index, self.rows.vectors[gone]),
        )


class Pile:
    """One layer of one scope in memory: parts, each many times as large as the next, and rows waiting to join them."""

    __slots__ = ("_parts", "_turns", "waiting")

    def __init__(self, waiting: list[Rows], *, turns: bool) -> None:
        self._turns = turns
        self._parts: list[Part] = []
        self.waiting = waiting

    def parts(self) -> list[Part]:
        """Return the parts to search, after taking in what waits."""
        if self.waiting:
            self._settle()
        return list(self._parts)

    def drop(self, keep: Keep) -> None:
        """Take every row out of memory for which `keep` is false."""
        self._parts = [kept for part in self._parts if (kept := self._thinned(part, keep))]
        self.waiting = [
            left for rows in self.waiting if len(left := rows.take(np.flatnonzero(keep(rows))))
        ]

    def _settle(self) -> None:
        parts, pieces = self._parts, self.waiting
        # A thread stands in one part only, since its turns lend each other words.
        grown = np.unique(np.concatenate([rows.thread[rows.thread > 0] for rows in pieces]))
        if len(grown):
            parts, moved = self._parted(grown)
            pieces = [*moved, *pieces]
        size = sum(map(len, pieces))
        parts = list(parts)
        while parts and (len(parts[-1]) < FOLD_TIMES * size or len(parts[-1]) + size <= FOLD_ROWS):
            pieces = [parts.pop().unfolded(), *pieces]
            size += len(pieces[0])
        self._parts = [*parts, self._part(join(pieces))]
        self.waiting = []

    def _parted(self, threads: Ints) -> tuple[list[Part], list[Rows]]:
        """Return the parts without the rows of some threads, and those rows."""
        parts: list[Part] = []
        moved: list[Rows] = []
        for part in self._parts:
            moving = np.isin(part.rows.thread, threads)
            if moving.any():
                moved.append(part.unfolded().take(np.flatnonzero(moving)))
            left = self._thinned(part, lambda rows: ~np.isin(rows.thread, threads))
            parts += [left] if left is not None else []
        return parts, moved

    def _part(self, rows: Rows) -> Part:
        return Part.of(rows, turns=self._turns)

    def _thinned(self, part: Part, keep: Keep) -> Part | None:
        """Return the part with only the rows to keep, None where there are none; the same part when that is all."""
        kept = keep(part.rows)
        if kept.all():
            return part
        index = np.flatnonzero(kept)
        if part.sketch is not None and len(index) >= SKETCH_ROWS:
            return part.kept(index)
        return self._part(part.unfolded().take(index)) if len(index) else None


def _inverted(
    digests: Digests, counts: Counts, owner: npt.NDArray[np.int32]
) -> tuple[Digests, Ints, npt.NDArray[np.int32], Counts]:
    """Return the digests that are there, where the postings of each start, and of each posting the row and the count.

    Many are sorted by ranges of digests, so that what sorting takes in memory is a share of them.
    """
    ranges = digests >> np.uint64(60) if len(digests) > _SORTED_AT_ONCE else None
    rows, held = np.empty(len(owner), np.int32), np.empty(len(owner), np.uint16)
    vocabulary: list[Digests] = []
    offsets: list[Ints] = [np.zeros(1, np.int64)]
    at = 0
    for number in range(1 if ranges is None else 16):
        here = np.arange(len(digests)) if ranges is None else np.flatnonzero(ranges == number)
        here = here[np.argsort(digests[here], kind="stable")]
        ordered, there = digests[here], slice(at, at + len(here))
        starts = _starts(_changes(ordered))
        rows[there], held[there] = owner[here], counts[here]
        vocabulary.append(ordered[starts[:-1]])
        offsets.append(starts[1:] + at)
        at += len(here)
    return np.concatenate(vocabulary), np.concatenate(offsets), rows, held


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


def dots(vectors: Stored, query: Vectors, index: Ints | None = None) -> Scores:
    """Return the dot product of a query with each vector, or with those at `index`, each by itself.

    `vecdot` works row by row, so a row's value does not depend on its neighbours; a matrix product's does.
    """
    found = np.empty(len(vectors) if index is None else len(index))
    if vectors.dtype == np.float32 and index is None:
        found[:] = np.vecdot(vectors, query)
        return found
    # Halves are widened block by block: all at once they would take more room than they stand for.
    for at in range(0, len(found), _WIDENED_AT_ONCE):
        there = slice(at, at + _WIDENED_AT_ONCE)
        block = vectors[there] if index is None else vectors[index[there]]
        found[there] = np.vecdot(widened(block), query)
    return found


def _stacked(vectors: Sequence[Stored]) -> Stored:
    """Return vectors one after the other, as halves where some are: all were rounded to halves before."""
    halves = any(one.dtype == np.float16 for one in vectors)
    stacked = np.empty(
        (sum(map(len, vectors)), vectors[0].shape[1]), np.float16 if halves else np.float32
    )
    at = 0
    for one in vectors:
        stacked[at : at + len(one)] = one
        at += len(one)
    return stacked


def _alike(vectors: Stored, other: Ints, block: int = 8192) -> Scores:
    """Return the dot product of each vector with the one at `other`, without a second copy of them all."""
    alike = np.zeros(len(vectors))
    for at in range(0, len(vectors), block):
        alike[at : at + block] = np.vecdot(
            vectors[at : at + block], vectors[other[at : at + block]]
        )
    return alike
