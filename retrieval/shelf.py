"""Keep index rows in LanceDB: digests, counts and vectors with their numbers, and nothing else.

Beside the table stands `index.json`, which says what the rows were made with and how far the journal was read. It is
written after the table, so a crash between the two repeats work and never skips it.
"""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from .columns import Ints, Rows

Layer = Literal["claim", "turn"]
Place = tuple[Layer, int]

FORMAT = 1
_LAYERS: Mapping[Layer, int] = {"claim": 0, "turn": 1}
_TABLE = "rows"
_STATE = "index.json"
SEALED = "sealed"  # where the rows of sensitive scopes lie; not in the table
# Each write leaves a version and a small file; they are merged once in so many writes.
_WRITES_BETWEEN_MERGES = 128
# Up to here a removal rewrites the table at once (a tenth of a second); beyond, at idle.
_SMALL_TABLE_ROWS = 20_000
_READ_ROWS = 4096
# Records without a row that may be read a second time after a crash.
_MOST_UNWRITTEN = 512
# A millisecond, not zero: LanceDB warns of other processes then, and the owner's lock keeps those out.
_NO_AGE = timedelta(milliseconds=1)
_NUMBERS = ("scope", "node", "chunk", "thread", "speaker")


class DamagedError(RuntimeError):
    """The files of the index cannot be read; it was emptied."""


class ClosedError(RuntimeError):
    """This index was let go of; another one has its files now."""


class LibraryError(RuntimeError):
    """LanceDB cannot be loaded, so no file of the index was looked at, and none was changed."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What rows were made with; `key` is a digest of the key, useless without it."""

    tokeniser: str
    embedder: str
    dimension: int
    key: str
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Rest:
    """What a search for some nodes came upon: `rows` of them, in memory and in the `versions` of the table on disk.

    `files` are those that may hold rows taken out: of deletions, or from before the table was rewritten for the search.
    """

    rows: int
    versions: int
    files: int


def read_by(path: Path) -> int | None:
    """Return how far into the journal the index at a path says it has read, None where none can be read."""
    try:
        held = cast(dict[str, Any], json.loads((path / _STATE).read_text("utf-8")))
        return int(held["applied"])
    except (OSError, KeyError, TypeError, ValueError):
        return None


class Shelf:
    """The table of an index on disk; opened at first use. Not thread-safe: the index holds the lock."""

    def __init__(self, path: Path, identity: Identity) -> None:
        self._path = path
        self._identity = identity
        self._table: Any = None
        self._nodes: set[int] | None = None
        self._applied = 0
        self._unembedded = 0
        self._unworded = 0
        self._mark = ""
        self._writes = 0
        self._dirty = self._closed = self._due = False
        self._written = 0
        self._seen: tuple[int, int] | None = None
        self._notes: list[str] = []
        self.generation = (
            0  # of what is in the table: another one after it was opened anew or emptied
        )

    @property
    def dimension(self) -> int:
        """How many numbers a vector has here; 0 where there are none."""
        return self._identity.dimension

    @property
    def applied(self) -> int:
        """The highest journal sequence whose rows are all in the table."""
        self._opened()
        return self._applied

    @property
    def mark(self) -> str:
        """What was said to stand in the journal at `applied`, empty where nothing was said."""
        self._opened()
        return self._mark

    @property
    def notes(self) -> tuple[str, ...]:
        """Why the table was emptied, if it was."""
        self._opened()
        return tuple(self._notes)

    @property
    def unembedded(self) -> int:
        """How many rows went in without a vector because the embedder failed."""
        self._opened()
        return self._unembedded

    @property
    def unworded(self) -> int:
        """How many rows went in without their words because the tokeniser failed."""
        self._opened()
        return self._unworded

    def append(
        self,
        cut: Mapping[Place, Rows],
        *,
        applied: int,
        unembedded: int,
        unworded: int = 0,
        mark: str = "",
    ) -> None:
        """Write the rows of each place durably, then the new state."""
        table = self._opened()
        self._begin()
        table.add(self._arrow(cut))
        nodes = self._known()
        for rows in cut.values():
            nodes.update(rows.node.tolist())
        self._writes += 1
        if self._writes % _WRITES_BETWEEN_MERGES == 0:
            table.optimize(cleanup_older_than=_NO_AGE)
        self.advance(applied, unembedded=unembedded, unworded=unworded, mark=mark)

    def advance(
        self, applied: int, *, unembedded: int = 0, unworded: int = 0, mark: str = ""
    ) -> None:
        """Record that the journal was read up to `applied`, or further before, and how many more rows lack a half."""
        self._opened()
        self._unembedded += unembedded
        self._unworded += unworded
        if applied > self._applied:
            self._applied, self._mark = applied, mark
        # Most records, receipts above all, put nothing in: what is not written down of them is read once more.
        if unembedded or unworded or self._due or self._applied - self._written >= _MOST_UNWRITTEN:
            self._write_state()
            self._due = applied <= 0  # a removal is followed by what it was read in

    def replaced(self, node: Ints, chunk: Ints) -> bool:
        """Delete the rows with these (node, chunk) pairs; return whether a node of them was known."""
        table = self._opened()
        known = np.isin(node, np.fromiter(self._known(), np.int64))
        pairs: dict[int, list[int]] = {}
        for n, c in zip(node[known].tolist(), chunk[known].tolist(), strict=True):
            pairs.setdefault(c, []).append(n)
        for c, nodes in pairs.items():
            self._begin()
            table.delete(f"chunk = {c} AND {_is_in('node', nodes)}")
        return bool(pairs)

    def remove(self, nodes: Ints, *, applied: int, now: bool = False) -> None:
        """Delete every row of the nodes; a small table, or with `now` any, is rewritten: their bytes are gone too."""
        table = self._opened()
        known = self._known()
        held = [node for node in nodes.tolist() if node in known]
        if held:
            self._begin()
            table.delete(_is_in("node", held))
            known.difference_update(held)
        # With `now` even where nothing was found: an earlier try may have died between the two.
        if now or (held and table.count_rows() <= _SMALL_TABLE_ROWS):
            self.rewrite()
        self.advance(applied)

    def remove_scope(self, scope: int) -> None:
        """Delete every row of a scope and rewrite the table: their bytes are gone too."""
        table = self._opened()
        self._begin()
        table.delete(f"scope = {int(scope)}")
        self._nodes = None
        self.rewrite()

    def rewrite(self) -> None:
        """Write the table from itself without deleted rows, and drop every older version and file."""
        rows = self._opened().to_arrow()
        self._begin()
        self._table = self._connect().create_table(_TABLE, rows, mode="overwrite")
        self._table.optimize(cleanup_older_than=_NO_AGE)
        self._write_state()

    def rest_of(self, nodes: Ints) -> Rest:
        """Rewrite the table, then return what is left of the nodes in every version of it on disk."""
        folder = self._path / f"{_TABLE}.lance"
        self._opened()
        before = {path.name for path in (folder / "data").glob("*")}
        self.rewrite()
        stale = [path for path in (folder / "data").glob("*") if path.name in before]
        stale += [path for path in (folder / "_deletions").rglob("*") if path.is_file()]
        wanted, rows, versions = set(nodes.tolist()), 0, 0
        reader = self._connect().open_table(_TABLE)
        for version in reader.list_versions():
            reader.checkout(version["version"])
            held = reader.search().select(["node"]).to_arrow()["node"].to_pylist()
            rows += sum(node in wanted for node in held)
            versions += 1
        return Rest(rows, versions, len(stale))

    def close(self) -> None:
        """Let go of the files: whatever is asked afterwards raises `ClosedError` and touches none of them."""
        current = self._table is not None and self._stamp() == self._seen and not self._dirty
        if current and self._applied > self._written:
            with suppress(OSError):  # what it does not say is read once more
                self._write_state()
        self._table, self._closed = None, True

    def clear(self) -> None:
        """Make the table anew and empty."""
        self._library()  # before anything is taken away
        if self._closed:
            raise ClosedError("the index was closed")
        shutil.rmtree(self._path / f"{_TABLE}.lance", ignore_errors=True)
        shutil.rmtree(self._path / SEALED, ignore_errors=True)
        (self._path / _STATE).unlink(missing_ok=True)
        self._path.mkdir(parents=True, exist_ok=True)
        self._table = self._connect().create_table(_TABLE, schema=self._schema())
        self._nodes, self._applied, self._unembedded, self._unworded = set(), 0, 0, 0
        self._mark = ""
        self.generation += 1
        self._write_state()

    def nodes_of(self, layer: Layer) -> list[int]:
        """Return the node of each row of a layer, as the table on disk has them."""
        found = self._opened().search().where(f"layer = {_LAYERS[layer]}").select(["node"])
        nodes: list[int] = found.to_arrow()["node"].to_pylist()
        return nodes

    def load(self, places: Sequence[Place]) -> dict[Place, Rows]:
        """Return the rows of each place that has any; raises `DamagedError` after emptying an unreadable table."""
        self._opened()
        by_layer: dict[Layer, list[int]] = {}
        for layer, scope in places:
            by_layer.setdefault(layer, []).append(scope)
        found: dict[Place, Rows] = {}
        try:
            for layer, scopes in by_layer.items():
                found |= self._read(layer, scopes)
        except Exception as error:
            raise self.discarded(f"its files cannot be read ({type(error).__name__})") from error
        return found

    def discarded(self, fault: str) -> DamagedError:
        """Empty the table for a fault found in it or beside it, and return the error to raise."""
        self._discard(fault)
        return DamagedError(self._notes[-1])

    def _opened(self) -> Any:
        """Return the table, opening or making it the first time, and when something else changed its state since."""
        if self._closed:
            raise ClosedError("the index was closed")
        gone = ""
        if self._table is not None and self._stamp() != self._seen:
            self._table, self._nodes, self._dirty = None, None, False
            self.generation += 1
            gone = "its files are gone"
        if self._table is None:
            fault = self._fault()
            if not fault and self._table is None:
                fault = gone
            if fault:
                self._discard(fault)
            elif self._table is None:
                self.clear()
        return self._table

    def _stamp(self) -> tuple[int, int] | None:
        """Return what tells the state on disk from one that something else put there, None where there is none."""
        try:
            found = os.stat(self._path / _STATE)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def _fault(self) -> str:
        """Open the table if there is one that fits; return why it does not, empty if it fits or there is none."""
        self._library()  # what cannot be loaded is no fault of the files
        state = self._path / _STATE
        if not state.exists():
            return (
                "it says nothing of how it was made"
                if (self._path / f"{_TABLE}.lance").exists()
                else ""
            )
        try:
            held = cast(dict[str, Any], json.loads(state.read_text("utf-8")))
            for name, wanted in asdict(self._identity).items():
                if held[name] != wanted:
                    return f"it was made with another {name}"
            table = self._connect().open_table(_TABLE)
            if table.version < int(held["version"]):
                return "its table is older than its state"
            if table.version > int(held["version"]) and not held.get("writing"):
                return "its table was changed by something else"
            if not table.schema.equals(self._schema()):
                return "its table has another form"
            self._applied, self._unembedded = int(held["applied"]), int(held["unembedded"])
            self._unworded, self._mark = int(held.get("unworded", 0)), str(held.get("mark", ""))
            self._seen, self._written = self._stamp(), self._applied
        except Exception as error:
            return f"its files cannot be read ({type(error).__name__})"
        self._table = table
        return ""

    def _discard(self, fault: str) -> None:
        self._notes.append(fault)
        self.clear()

    def _begin(self) -> None:
        """Write down that the table is being changed: a crash before the next state then is no change of another's."""
        self._due = True
        if not self._dirty:
            self._write_state(writing=True)

    def _write_state(self, *, writing: bool = False) -> None:
        self._dirty = writing
        state = asdict(self._identity) | {
            "applied": self._applied,
            "mark": self._mark,
            "unembedded": self._unembedded,
            "unworded": self._unworded,
            "version": self._table.version,
            "writing": writing,
        }
        fresh = self._path / f"{_STATE}.new"
        fresh.write_text(json.dumps(state, sort_keys=True), "utf-8")
        os.replace(fresh, self._path / _STATE)
        self._seen, self._written = self._stamp(), self._applied

    def _known(self) -> set[int]:
        """Return the nodes in the table, read once."""
        if self._nodes is None:
            self._nodes = set(self._table.search().select(["node"]).to_arrow()["node"].to_pylist())
        return self._nodes

    def _connect(self) -> Any:
        return self._library().connect(self._path)

    def _library(self) -> Any:
        # LanceDB warns on standard error of every table it makes; its errors still show.
        os.environ.setdefault("LANCEDB_LOG", "error")
        try:
            import lancedb  # 1 to 4 seconds, so not before a table is needed
        except ImportError as error:
            raise LibraryError(f"LanceDB cannot be loaded ({type(error).__name__})") from error
        return lancedb

    def _schema(self) -> Any:
        import pyarrow

        pa = cast(Any, pyarrow)
        fields = [
            ("layer", pa.int8()),
            ("scope", pa.int64()),
            ("node", pa.int64()),
            ("chunk", pa.int64()),
            ("thread", pa.int64()),
            ("speaker", pa.int64()),
            ("digests", pa.list_(pa.uint64())),
            ("counts", pa.list_(pa.uint16())),
        ]
        if self._identity.dimension:
            fields.append(("vector", pa.list_(pa.float16(), self._identity.dimension)))
        return pa.schema(fields)

    def _arrow(self, cut: Mapping[Place, Rows]) -> Any:
        """Return the rows of all places as one Arrow table."""
        import pyarrow

        return cast(Any, pyarrow).concat_tables(
            [self._columns(place, rows) for place, rows in cut.items()]
        )

    def _columns(self, place: Place, rows: Rows) -> Any:
        import pyarrow

        pa = cast(Any, pyarrow)
        schema = self._schema()
        offsets = pa.array(rows.starts.astype(np.int32))
        columns: list[Any] = [
            pa.array(np.full(len(rows), _LAYERS[place[0]], np.int8)),
            pa.array(np.full(len(rows), place[1], np.int64)),
            *(pa.array(column) for column in (rows.node, rows.chunk, rows.thread, rows.speaker)),
            pa.ListArray.from_arrays(offsets, pa.array(rows.digests)),
            pa.ListArray.from_arrays(offsets, pa.array(rows.counts.astype(np.uint16))),
        ]
        if self._identity.dimension:
            flat = pa.array(rows.vectors.astype(np.float16).ravel())
            columns.append(pa.FixedSizeListArray.from_arrays(flat, self._identity.dimension))
        return pa.Table.from_arrays(
            [c.cast(f.type) for c, f in zip(columns, schema, strict=True)], schema=schema
        )

    def _read(self, layer: Layer, scopes: Sequence[int]) -> dict[Place, Rows]:
        """Return the rows of some scopes of a layer by place, each sorted by (thread, node, chunk)."""
        asked = f"layer = {_LAYERS[layer]} AND {_is_in('scope', scopes)}"
        vectors = np.empty((self._table.count_rows(asked), self._identity.dimension), np.float16)
        pieces: dict[str, list[npt.NDArray[Any]]] = {
            name: [] for name in (*_NUMBERS, "length", "digests", "counts")
        }
        at = 0
        # In batches: a whole Arrow table beside the arrays would double the memory taken, and it is not given back.
        for batch in self._table.search().where(asked).to_batches(batch_size=_READ_ROWS):
            # Copies: a view of one column would keep the whole batch in memory, the vectors too.
            for name in _NUMBERS:
                pieces[name].append(batch[name].to_numpy().copy())
            pieces["length"].append(np.diff(batch["digests"].offsets.to_numpy()))
            for name in ("digests", "counts"):
                pieces[name].append(batch[name].flatten().to_numpy().copy())
            if self._identity.dimension:
                flat = batch["vector"].flatten().to_numpy(zero_copy_only=False)
                vectors[at : at + batch.num_rows] = flat.reshape(-1, self._identity.dimension)
            at += batch.num_rows
        if not at:
            return {}
        if not np.isfinite(vectors).all():  # one such row would take the order of all others
            raise ValueError("a vector is no number")
        held = {name: np.concatenate(pieces.pop(name)) for name in tuple(pieces)}
        return _by_scope(layer, held, vectors)


def _by_scope(
    layer: Layer, held: Mapping[str, npt.NDArray[Any]], vectors: npt.NDArray[np.float16]
) -> dict[Place, Rows]:
    """Return the columns read as rows of each scope."""
    rows = Rows(
        node=held["node"],
        chunk=held["chunk"],
        thread=held["thread"],
        speaker=held["speaker"],
        vectors=vectors,
        digests=held["digests"],
        counts=held["counts"],
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(held["length"], dtype=np.int64)]),
    )
    order = np.lexsort((rows.chunk, rows.node, rows.thread, held["scope"]))
    cuts = np.flatnonzero(np.diff(held["scope"][order])) + 1
    return {
        (layer, int(held["scope"][index[0]])): rows.take(index) for index in np.split(order, cuts)
    }


def _is_in(column: str, numbers: Sequence[int]) -> str:
    return f"{column} IN ({', '.join(str(int(number)) for number in numbers)})"


def applied_in(path: Path) -> int:
    """Return what the state beside a table says it has taken in, 0 where there is none to read."""
    try:
        return int(json.loads((path / _STATE).read_text("utf-8"))["applied"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def embedded_with(path: Path) -> tuple[str, int]:
    """Return the name and the dimension of the embedder that the rows at a path were made with; empty if none says."""
    try:
        held = cast(dict[str, Any], json.loads((path / _STATE).read_text("utf-8")))
        return str(held["embedder"]), int(held["dimension"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", 0
