"""Bound the similarity of many rows to a query without reading them: a short code for each row, and sums over all.

Most of what tells vectors apart lies in few directions. A row's code is its place along the strongest of them in one
byte each, and how much of it lies outside; by the inequality of Cauchy and Schwarz that bounds its dot product with any
query. The bound only says which rows need not be looked at: no score is made from a code.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

# More bound more closely and take longer to read; decision 0032 has what 32 to 128 took.
DIRECTIONS = 48
_BLOCK = 2048
# OpenBLAS splits a matrix product among threads beyond 64 x 64 x 64, and where other work has the cores these wait for
# one another: minutes instead of seconds at a million rows.
_TILE = 64
_ROWS_A_PRODUCT = 8
# What rounding may add to a product of two vectors or to a length, for vectors of length one.
_ROUNDING = 2e-5
_LENGTH_ROUNDING = 2e-6

Floats = npt.NDArray[np.float32]
Stored = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Sketch:
    """The codes of rows: along `basis`, shape (width, directions), in steps of `step`; `outside` is the rest's length.

    `total` and `square` are the sum of the rows, shape (width,), and of their outer products, shape (width, width).
    """

    basis: Floats
    step: Floats
    codes: npt.NDArray[np.int8]
    outside: Floats
    longest: float
    total: npt.NDArray[np.float64]
    square: npt.NDArray[np.float64]

    @classmethod
    def of(cls, vectors: Stored, *, directions: int = DIRECTIONS) -> "Sketch":
        """Return the sketch of rows, shape (rows, width); at least one row, read three times."""
        total, square = _sums(vectors)
        _, turned = np.linalg.eigh(square)
        basis = np.ascontiguousarray(turned[:, ::-1][:, :directions], np.float32)
        reach = np.zeros(basis.shape[1], np.float32)
        for rows in _blocks(vectors):
            np.maximum(reach, np.abs(_along(rows, basis)).max(axis=0), out=reach)
        step = np.maximum(reach / 127.0, np.finfo(np.float32).tiny)
        codes = np.empty((len(vectors), len(step)), np.int8)
        outside, longest, at = np.empty(len(vectors), np.float32), 0.0, 0
        for rows in _blocks(vectors):
            along, here = _along(rows, basis), slice(at, at + len(rows))
            codes[here] = np.rint(along / step).clip(-127, 127)
            length = np.vecdot(rows, rows)
            outside[here] = _rest(length, np.vecdot(along, along))
            longest, at = max(longest, float(np.sqrt(length.max()))), at + len(rows)
        return cls(basis, step, codes, outside, longest, total, square)

    def kept(self, index: npt.NDArray[np.int64], gone: Stored) -> "Sketch":
        """Return the sketch of the rows at `index` alone; `gone` are the vectors of all others."""
        total, square = _sums(gone)
        return Sketch(
            basis=self.basis,
            step=self.step,
            codes=self.codes[index],
            outside=self.outside[index],
            longest=self.longest,
            total=self.total - total,
            square=self.square - square,
        )

    def sums(self, query: Floats) -> tuple[float, float]:
        """Return the sum over all rows of their dot product with a query, and of its square."""
        wide = query.astype(np.float64)
        return float(self.total @ wide), float(wide @ self.square @ wide)

    def ceiling(self, query: Floats) -> Floats:
        """Return for each row what its dot product with a query does not exceed, shape (rows,)."""
        along = query @ self.basis
        length = np.float32(query @ query)
        rest = _rest(length, np.float32(along @ along))
        scaled = along * self.step
        # A code is off by half a step at most, and by what rounding adds.
        slack = np.float32(0.5001 * np.abs(scaled).sum())
        slack += np.float32(_ROUNDING * np.sqrt(length) * self.longest)
        found = np.empty(len(self.codes), np.float32)
        wide = np.empty((min(_BLOCK, len(found)), len(scaled)), np.float32)
        for at in range(0, len(found), _BLOCK):
            here = self.codes[at : at + _BLOCK]
            block = wide[: len(here)]
            np.copyto(block, here)
            # Not a matrix product: its threads wait for one another where the cores have other work.
            top = found[at : at + len(here)]
            np.vecdot(block, scaled, out=top)
            top += self.outside[at : at + len(here)] * rest
            top += slack
        return found


def _rest(length: Any, inside: Any) -> Any:
    """Return at least the length of what is left of vectors, of whose squared length so much lies inside."""
    return np.sqrt(np.maximum(length - inside, 0.0) + _LENGTH_ROUNDING * length)


def _blocks(vectors: Stored) -> Any:
    for at in range(0, len(vectors), _BLOCK):
        yield widened(vectors[at : at + _BLOCK])


def _along(rows: Floats, basis: Floats) -> Floats:
    """Return how far rows reach along the directions, shape (rows, directions), a few at a time."""
    found = np.empty((len(rows), basis.shape[1]), np.float32)
    whole = len(rows) // _ROWS_A_PRODUCT * _ROWS_A_PRODUCT
    tiles = (-1, _ROWS_A_PRODUCT)
    np.matmul(
        rows[:whole].reshape(*tiles, rows.shape[1]),
        basis,
        out=found[:whole].reshape(*tiles, basis.shape[1]),
    )
    np.matmul(rows[whole:], basis, out=found[whole:])
    return found


def widened(vectors: Stored) -> Floats:
    """Return vectors as float32; NumPy widens halves to doubles in less than half the time it takes to singles."""
    if vectors.dtype == np.float32:
        return vectors.astype(np.float32, copy=False)
    return vectors.astype(np.float64).astype(np.float32)


def _sums(vectors: Stored) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the sum of rows and of their outer products, in doubles: what comes and goes leaves no trace."""
    width = vectors.shape[1]
    tiles = -(-width // _TILE)
    total, square = np.zeros(width), np.zeros((tiles, tiles, _TILE, _TILE))
    rows = np.zeros((_TILE, tiles * _TILE))
    for at in range(0, len(vectors), _TILE):
        block = vectors[at : at + _TILE]
        rows[: len(block), :width], rows[len(block) :] = block, 0.0
        total += rows[:, :width].sum(axis=0)
        tiled = rows.reshape(_TILE, tiles, _TILE)
        left, right = tiled.transpose(1, 2, 0), tiled.transpose(1, 0, 2)
        for tile in range(tiles):
            square[tile, tile:] += left[tile] @ right[tile:]
    whole = square.transpose(0, 2, 1, 3).reshape(tiles * _TILE, -1)[:width, :width]
    return total, np.triu(whole) + np.triu(whole, 1).T
