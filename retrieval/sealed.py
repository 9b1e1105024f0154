"""Keep the index rows of sensitive scopes: one file for each layer of each scope, sealed under the scope's own key.

A file is a run of frames, four bytes of length and then sealed rows; of rows with the same (node, chunk) the last
counts. Without the key nothing of it can be read: no digest, no vector, not even how many rows there are.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from muniment.claims import IntegrityError
from muniment.lineage import seal, unseal

from .columns import Ints, Rows, join
from .shelf import SEALED, DamagedError, Layer, Place

Keys = Mapping[int, bytes | None]
"""By scope the key its rows lie under: None for an ordinary scope, empty where the key is not here."""

_LENGTH = 4
_MOST_FRAMES = 64  # merged into one when they are read
_NUMBERS = ("node", "chunk", "thread", "speaker", "starts")


class SealedShelf:
    """The files of sensitive scopes beside the table of an index. Not thread-safe: the index holds the lock."""

    def __init__(self, path: Path) -> None:
        self._folder = path / SEALED
        self._whole: set[Path] = set()

    def append(self, cut: Mapping[Place, Rows], keys: Keys) -> None:
        """Write the rows of each place durably under its scope's key; without a key they stay in memory only."""
        for place, rows in cut.items():
            if key := keys.get(place[1]):
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                path = self._file(place)
                self._mend(path)
                with open(path, "ab", opener=_private) as file:
                    file.write(_frame(key, place, rows))
                    file.flush()
                    os.fsync(file.fileno())

    def load(self, place: Place, keys: Keys) -> Rows | None:
        """Return the rows of a place, None where it has none; raises `DamagedError` for a file that does not open."""
        key, path = keys.get(place[1]), self._file(place)
        if not key or not path.exists():
            return None
        self._mend(path)
        raw, frames, at = path.read_bytes(), list[Rows](), 0
        while at < len(raw):
            end = at + _LENGTH + int.from_bytes(raw[at : at + _LENGTH], "big")
            try:
                frames.append(_rows(unseal(key, raw[at + _LENGTH : end], _context(place))))
            except (IntegrityError, ValueError) as error:
                raise DamagedError(f"{path.name} does not open with its scope's key") from error
            at = end
        if not frames:
            return None
        rows = _latest(join(frames))
        if len(frames) > _MOST_FRAMES:
            self._write(place, key, rows)
        return rows

    def remove(self, nodes: Ints, keys: Keys, scopes: frozenset[int] | None = None) -> None:
        """Write every file that holds one of the nodes anew without it, of all scopes or of these.

        A file whose key is gone is deleted.
        """
        for place, path in self.places().items():
            key = keys.get(place[1])
            if not key:
                path.unlink()
                continue
            if scopes is not None and place[1] not in scopes:
                continue
            rows = self.load(place, keys)
            if rows is None:
                continue
            kept = rows.take(np.flatnonzero(~np.isin(rows.node, nodes)))
            if not len(kept):
                path.unlink()
            elif len(kept) < len(rows):
                self._write(place, key, kept)

    def remove_scope(self, scope: int) -> None:
        """Delete the files of a scope."""
        for place, path in self.places().items():
            if place[1] == scope:
                path.unlink()
                path.with_suffix(".new").unlink(missing_ok=True)  # of a crash

    def count(self, nodes: Ints, keys: Keys) -> int:
        """Return how many rows of the nodes stand in the files."""
        held = (self.load(place, keys) for place in self.places())
        return sum(int(np.isin(rows.node, nodes).sum()) for rows in held if rows is not None)

    def nodes_of(self, layer: Layer, keys: Keys) -> list[int]:
        """Return the node of each row of a layer, as far as the keys are here."""
        held = (self.load(place, keys) for place in self.places() if place[0] == layer)
        return [node for rows in held if rows is not None for node in rows.node.tolist()]

    def clear(self) -> None:
        """Delete all files."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def places(self) -> dict[Place, Path]:
        """Return the files there are by layer and scope; what is no such file is left alone."""
        found: dict[Place, Path] = {}
        for path in sorted(self._folder.glob("*.rows")) if self._folder.is_dir() else ():
            name, _, scope = path.stem.partition("-")
            layers: tuple[Layer, ...] = ("claim", "turn")
            for layer in layers:
                if name == layer and scope.isdecimal():
                    found[(layer, int(scope))] = path
        return found

    def _file(self, place: Place) -> Path:
        return self._folder / f"{place[0]}-{place[1]}.rows"

    def _mend(self, path: Path) -> None:
        """Cut off what a crash left of a frame: it was never acknowledged, and its rows come again."""
        if path in self._whole or not path.exists():
            return
        with path.open("r+b") as file:
            size, at = os.fstat(file.fileno()).st_size, 0
            while at + _LENGTH <= size:
                end = at + _LENGTH + int.from_bytes(file.read(_LENGTH), "big")
                if end > size:
                    break
                at = file.seek(end)
            if at < size:
                file.truncate(at)
        self._whole.add(path)

    def _write(self, place: Place, key: bytes, rows: Rows) -> None:
        """Put a file of one frame in the place of the one that stood there."""
        path = self._file(place)
        fresh = path.with_suffix(".new")
        with open(fresh, "wb", opener=_private) as file:
            file.write(_frame(key, place, rows))
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _context(place: Place) -> bytes:
    return f"muniment index rows {place[0]} {place[1]}".encode("ascii")


def _frame(key: bytes, place: Place, rows: Rows) -> bytes:
    sealed = seal(key, _plain(rows), _context(place))
    return len(sealed).to_bytes(_LENGTH, "big") + sealed


def _plain(rows: Rows) -> bytes:
    """Return rows as bytes: how many there are, of digests and of numbers in a vector, then each column."""
    width = rows.vectors.shape[1]
    head = np.array([len(rows), len(rows.digests), width], np.int64)
    columns = [np.asarray(getattr(rows, name), np.int64) for name in _NUMBERS]
    raw = [head.tobytes(), *(column.tobytes() for column in columns)]
    raw += [rows.digests.astype(np.uint64).tobytes(), rows.counts.astype(np.uint16).tobytes()]
    # Halves, as in the table: what is found must not depend on where rows lie.
    return b"".join((*raw, rows.vectors.astype(np.float16).tobytes()))


def _rows(raw: bytes) -> Rows:
    """Return what `_plain` made; ValueError for anything else."""
    count, digests, width = np.frombuffer(raw, np.int64, 3).tolist()
    at = 24
    numbers: dict[str, Ints] = {}
    for name in _NUMBERS:
        length = count + (name == "starts")
        numbers[name] = np.frombuffer(raw, np.int64, length, at)
        at += 8 * length
    held = np.frombuffer(raw, np.uint64, digests, at)
    counts = np.frombuffer(raw, np.uint16, digests, at + 8 * digests)
    vectors = np.frombuffer(raw, np.float16, count * width, at + 10 * digests)
    return Rows(
        **numbers,
        digests=held,
        counts=counts,
        vectors=vectors.reshape(count, width),
    )


def _latest(rows: Rows) -> Rows:
    """Return the rows of which none is there twice, the last of each."""
    places = {
        pair: at
        for at, pair in enumerate(zip(rows.node.tolist(), rows.chunk.tolist(), strict=True))
    }
    if len(places) == len(rows):
        return rows
    return rows.take(np.array(sorted(places.values()), np.int64))
