"""The index: durable digests and vectors in LanceDB, searched exactly and in scope from memory.

It is disposable and holds no words; it proposes, the lineage graph disposes. Row order, rows of other scopes and
removed rows never touch a score: each layer of each scope is loaded on its own and weighted with the asked ones only.
"""

import hashlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from .bounded import best_claims, best_claims_each_scored
from .columns import Digests, Ints, Part, Pile, Rows
from .doubt import doubt
from .embedding import Embedder, EmbedderError, Vectors
from .naming import without_names
from .ranking import Found, Query, Scored, Way, best, score_threads, score_turns
from .sealed import Keys, SealedShelf
from .shelf import (
    DamagedError,
    Identity,
    Layer,
    Place,
    Rest,
    Shelf,
    applied_in,
    embedded_with,
)
from .tokens import Tokeniser, digests
from .ways import Trouble, told

KeyOf = Callable[[int], bytes | None]
"""The key of a sensitive scope, by its number: None for an ordinary one, empty where it is not here."""

Score = Callable[[Sequence[Part], Query], Scored]

_BATCH = 512
_NOBODY: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index takes in of a claim or a turn; `text` is tokenised and embedded, then dropped.

    `node` is the positive number of the claim or source, rising with time within a thread. `thread` is the number of
    the conversation or session, 0 for none; `speaker` 0 for unknown.
    """

    node: int
    chunk: int
    layer: Layer
    scope: int
    text: str
    thread: int = 0
    speaker: int = 0


class Index:
    """Proposes claims, turns and threads for a query, among the scopes the asker may read."""

    def __init__(
        self,
        shelf: Shelf,
        sealed: SealedShelf,
        key: bytes,
        key_of: KeyOf,
        embedder: Embedder | None,
        tokeniser: Tokeniser,
    ) -> None:
        self._shelf = shelf
        self._sealed = sealed
        self._key_of = key_of
        self._key = key
        self._embedder = embedder
        self._tokeniser = tokeniser
        self._lock = threading.RLock()
        self._piles: dict[Place, Pile] = {}
        self._generation = 0  # of the shelf that the piles were loaded from
        self._said = 0  # notes of the shelf that an answer has told

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        key: bytes,
        embedder: Embedder | None,
        tokeniser: Tokeniser,
        key_of: KeyOf = lambda _: None,
    ) -> "Index":
        """Return the index kept in the directory `path`, made if need be; `key` has 16 to 64 bytes.

        `key_of` names the key of each sensitive scope, under which its rows lie apart from the table.

        An index made with another key, tokeniser or embedder, or damaged, is emptied: `applied` is then 0 and
        `notes` says why. LanceDB is imported and the table opened at the first use, not here.
        """
        name, dimension = _named(embedder, path)
        identity = Identity(
            tokeniser=tokeniser.name,
            embedder=name,
            dimension=dimension,
            key=hashlib.blake2b(b"muniment index key", key=key, digest_size=16).hexdigest(),
        )
        sealed = SealedShelf(path)
        return cls(Shelf(path, identity), sealed, key, key_of, embedder, tokeniser)

    @staticmethod
    def applied_on_disk(path: Path) -> int:
        """Return how far the index at a path has come, without loading it; 0 where it does not say."""
        return applied_in(path)

    @property
    def applied(self) -> int:
        """The highest journal sequence taken in; 0 when the index is new or was emptied."""
        with self._lock:
            return self._shelf.applied

    @property
    def mark(self) -> str:
        """What `add` was told stands in the journal at `applied`, empty where it was not told."""
        with self._lock:
            return self._shelf.mark

    @property
    def firm(self) -> float:
        """The similarity that ties a claim to a question by itself; that of the floor for an embedder that has none."""
        floor = self._embedder.floor if self._embedder else 0.0
        return float(getattr(self._embedder, "firm", floor))

    @property
    def notes(self) -> tuple[str, ...]:
        """What became of the index since it was opened, for a person to read."""
        with self._lock:
            return tuple(told("index emptied", fault) for fault in self._shelf.notes)

    @property
    def without_vectors(self) -> int:
        """How many rows went in without a vector because the embedder failed."""
        with self._lock:
            return self._shelf.unembedded

    @property
    def without_words(self) -> int:
        """How many rows went in without their words because the tokeniser failed."""
        with self._lock:
            return self._shelf.unworded

    def nodes_of(self, layer: Layer) -> list[int]:
        """Return the node of each row of a layer, as the files have them, those of sensitive scopes too."""
        keys = self._all_keys()
        with self._lock:
            return [*self._shelf.nodes_of(layer), *self._sealed.nodes_of(layer, keys)]

    def add(self, entries: Sequence[Entry], *, applied: int, mark: str = "") -> None:
        """Take in entries durably and move `applied` up to at least the given sequence.

        `mark` names what stands in the journal there, so that an index of another journal is known by it.

        An entry with a known (node, chunk) replaces the former one; of two such entries the last counts. If the
        embedder or the tokeniser fails, the entries go in without that half and are found by the other; searches say
        so.
        """
        latest = list({(entry.node, entry.chunk): entry for entry in entries}.values())
        if any(entry.node < 1 for entry in latest):
            raise ValueError("a node is a positive number")
        rows, unembedded, unworded = self._rows(latest)
        places: dict[Place, list[int]] = {}
        for at, entry in enumerate(latest):
            places.setdefault((entry.layer, entry.scope), []).append(at)
        cut = {place: rows.take(np.array(held, np.int64)) for place, held in places.items()}
        keys = self._keys(scope for _, scope in cut)
        apart = {place: held for place, held in cut.items() if keys[place[1]] is not None}
        plain = {place: held for place, held in cut.items() if place not in apart}
        with self._lock:
            if not cut:
                self._shelf.advance(applied, mark=mark)
                return
            self._synchronise()
            known = self._shelf.replaced(rows.node, rows.chunk)
            for place in self._piles if known else self._piles.keys() & apart.keys():
                self._piles[place].drop(lambda held: ~held.among(rows.node, rows.chunk))
            self._sealed.append(apart, keys)
            if plain:
                lacking = {"unembedded": unembedded, "unworded": unworded}
                self._shelf.append(plain, applied=applied, mark=mark, **lacking)
            else:
                self._shelf.advance(applied, unembedded=unembedded, unworded=unworded, mark=mark)
            for place, fresh in cut.items():
                if place in self._piles:
                    self._piles[place].waiting.append(fresh)

    def remove(
        self,
        nodes: frozenset[int],
        *,
        scopes: frozenset[int] | None = None,
        applied: int = 0,
        now: bool = False,
    ) -> None:
        """Take out every row of the nodes, from memory and from the files; sealed ones are looked for in `scopes` only.

        A small table is rewritten at once; in a large one the bytes stay on disk until `rewrite`, unless `now`.
        """
        gone, keys = np.fromiter(nodes, np.int64, len(nodes)), self._all_keys()
        with self._lock:
            self._synchronise()
            self._take_out(gone, keys, scopes)
            self._shelf.remove(gone, applied=applied, now=now)
            for pile in self._piles.values():
                pile.drop(lambda rows: ~np.isin(rows.node, gone))

    def _take_out(self, nodes: Ints, keys: Keys, scopes: frozenset[int] | None) -> None:
        try:
            self._sealed.remove(nodes, keys, scopes)
        except DamagedError as error:
            self._piles = {}
            raise self._shelf.discarded(str(error)) from error

    def remove_scope(self, scope: int) -> None:
        """Take out every row of a scope, wherever it lies, from memory and from the files at once."""
        with self._lock:
            self._sealed.remove_scope(scope)
            self._shelf.remove_scope(scope)
            for place in [place for place in self._piles if place[1] == scope]:
                del self._piles[place]

    def _keys(self, scopes: Iterable[int]) -> dict[int, bytes | None]:
        """Return the key of each scope; asked before the lock is taken, since whoever knows them has one of its own."""
        return {scope: self._key_of(scope) for scope in scopes}

    def _all_keys(self) -> Keys:
        return self._keys({scope for _, scope in self._sealed.places()})

    def rewrite(self) -> None:
        """Write the table anew without removed rows and their old versions: for idle time and `erase --now`."""
        with self._lock:
            self._shelf.rewrite()

    def rest_of(self, nodes: frozenset[int]) -> Rest:
        """Rewrite the table and return what is left of the nodes, in its files and in memory."""
        wanted, keys = np.fromiter(nodes, np.int64, len(nodes)), self._all_keys()
        with self._lock:
            found = self._shelf.rest_of(wanted)
            held = (part.rows.node for pile in self._piles.values() for part in pile.parts())
            here = sum(int(np.isin(n, wanted).sum()) for n in held)
            return replace(found, rows=found.rows + here + self._sealed.count(wanted, keys))

    def clear(self) -> None:
        """Empty the index; `applied` is 0 afterwards and the journal is to be read again from the start."""
        with self._lock:
            self._piles = {}
            self._shelf.clear()  # the sealed files beside it too

    def discard(self, fault: str) -> None:
        """Empty the index for a fault, which the next answer tells."""
        with self._lock:
            self._piles = {}
            self._shelf.discarded(fault)

    def close(self) -> None:
        """Let go of the files: whatever is asked afterwards raises, and touches none of them."""
        with self._lock:
            self._piles = {}
            self._shelf.close()

    def _synchronise(self) -> None:
        """Forget the rows in memory where the files became others; asked with the lock held."""
        _ = self._shelf.applied  # which looks at the files
        if self._shelf.generation != self._generation:
            self._piles, self._generation = {}, self._shelf.generation

    def claims(
        self,
        query: str,
        *,
        scopes: frozenset[int],
        limit: int,
        require: frozenset[int] | None = None,
    ) -> Found:
        """Return at most `limit` claims, best first, by keyword and meaning; with `require`, only those nodes."""
        asked = self._asked("claim", query, scopes, _NOBODY)
        if isinstance(asked, Found):
            return asked
        chosen = best_claims(asked.parts, asked.query, limit=limit, require=require)
        return Found(tuple(chosen), asked.searched, asked.notes, asked.ways)

    def claims_each_scored(self, query: str, *, scopes: frozenset[int], limit: int) -> Found:
        """Return what `claims` does, having read and scored every row in scope: what it is measured against."""
        asked = self._asked("claim", query, scopes, _NOBODY)
        if isinstance(asked, Found):
            return asked
        chosen = best_claims_each_scored(asked.parts, asked.query, limit=limit)
        return Found(tuple(chosen), asked.searched, asked.notes, asked.ways)

    def turns(
        self,
        query: str,
        *,
        scopes: frozenset[int],
        limit: int,
        speakers: Mapping[str, int] = _NOBODY,
        usable: Callable[[int, int], bool] = lambda _, __: True,
    ) -> Found:
        """Return at most `limit` turns, best first, one chunk each, seen with the turns around them.

        `speakers` maps names, as a query may hold them, to speaker numbers: the names are left out of the meaning
        compared, and if the query names one speaker alone, that one's turns are raised and `doubt` says how far the
        words asked for stand with others. It rests only on those (node, chunk) that are `usable`.
        """
        found = self._search("turn", query, scopes, score_turns, speakers)
        if isinstance(found, Found):
            return found
        chosen = _found(found, _row_numbers(found.parts), limit)
        return replace(chosen, doubt=doubt(found.parts, found.query, usable))

    def threads(
        self,
        query: str,
        *,
        scopes: frozenset[int],
        limit: int,
        speakers: Mapping[str, int] = _NOBODY,
    ) -> Found:
        """Return at most `limit` threads, best first: a candidate's `node` is the thread's number, its chunk 0."""
        found = self._search("turn", query, scopes, score_threads, speakers)
        return (
            found
            if isinstance(found, Found)
            else _found(found, _thread_numbers(found.parts), limit)
        )

    def _search(
        self,
        layer: Layer,
        text: str,
        scopes: frozenset[int],
        score: Score,
        speakers: Mapping[str, int],
    ) -> "_Answer | Found":
        """Return the scores of every row in scope; or what there is to say when there is nothing to score."""
        asked = self._asked(layer, text, scopes, speakers)
        if isinstance(asked, Found):
            return asked
        scored = score(asked.parts, asked.query)
        return _Answer(asked.parts, asked.query, scored, asked.searched, asked.notes, asked.ways)

    def _asked(
        self, layer: Layer, text: str, scopes: frozenset[int], speakers: Mapping[str, int]
    ) -> "_Asked | Found":
        """Return the query and the rows it is compared with; or what there is to say when that is none."""
        try:
            parts = self._parts(layer, scopes)
        except DamagedError as error:
            return Found(notes=(told("could not look", str(error)),), looked=False)
        emptied = self._emptied()
        searched = sum(len(part) for part in parts)
        if not searched:
            return Found(notes=emptied)
        query, ways, notes = self._query(text, speakers)
        ways, lacking = self._lacking(parts, searched, ways)
        notes = (*emptied, *notes, *lacking)
        if not ways or (not len(query.digests) and not query.has_vector):
            return Found(searched=searched, notes=notes, ways=ways, looked=bool(ways))
        return _Asked(parts, query, searched, notes, ways)

    def _emptied(self) -> tuple[str, ...]:
        """Return why the index was emptied since the last search, told once."""
        notes = self.notes
        with self._lock:
            fresh, self._said = notes[self._said :], len(notes)
        return fresh

    def _lacking(
        self, parts: Sequence[Part], searched: int, ways: tuple[Way, ...]
    ) -> tuple[tuple[Way, ...], list[str]]:
        """Return the ways that some row in scope can be found by, and a note of those that lack one of them."""
        bare: dict[Trouble, tuple[Way, int]] = {}
        if "semantic" in ways and self.without_vectors:
            bare["without vectors"] = "semantic", sum(part.vectorless() for part in parts)
        if "keyword" in ways and self.without_words:
            lacking = (np.count_nonzero(part.length == 0) for part in parts)
            bare["without words"] = "keyword", int(sum(lacking))
        none = {way for way, count in bare.values() if count == searched}
        notes = [told(name, f"{count} rows") for name, (_, count) in bare.items() if count]
        return tuple(way for way in ways if way not in none), notes

    def _parts(self, layer: Layer, scopes: frozenset[int]) -> list[Part]:
        """Return the parts of the scopes as they are now, in the order of the scopes, loading what is not in memory."""
        places: list[Place] = [(layer, scope) for scope in sorted(scopes)]
        keys = self._keys(place[1] for place in places if place not in self._piles)
        with self._lock:
            self._synchronise()
            missing = [place for place in places if place not in self._piles]
            if missing:
                loaded = self._loaded(missing, keys)
                for place in missing:
                    self._piles[place] = Pile(loaded.get(place, []), turns=layer == "turn")
            return [part for place in places for part in self._piles[place].parts()]

    def _loaded(self, places: Sequence[Place], keys: Keys) -> dict[Place, list[Rows]]:
        """Return the rows of each place that has any, from the table and from its own sealed file."""
        try:
            found = {place: [rows] for place, rows in self._shelf.load(places).items()}
            for place in places:
                if keys.get(place[1]) and (rows := self._sealed.load(place, keys)) is not None:
                    found.setdefault(place, []).append(rows)
        except DamagedError as error:
            self._piles = {}
            if str(error) in self._shelf.notes:
                raise
            raise self._shelf.discarded(str(error)) from error
        return found

    def _query(
        self, text: str, speakers: Mapping[str, int]
    ) -> tuple[Query, tuple[Way, ...], tuple[str, ...]]:
        """Return the query as it is compared, the ways it can be, and a note for each way that failed."""
        notes: list[str] = []
        ways: list[Way] = []
        words: Digests = np.zeros(0, np.uint64)
        try:
            words = np.unique(digests(self._tokeniser.query(text), self._key))
            ways.append("keyword")
        except Exception as error:
            notes.append(told("tokeniser failed", type(error).__name__))
        bare, speaker = without_names(text, speakers)
        vector: Vectors = np.zeros(0, np.float32)
        if self._embedder is None:
            notes.append(told("no embedder"))
        elif bare.strip():
            try:
                vector = _usable(self._embedder.embed([bare]), 1, self._shelf.dimension)[0]
                ways.append("semantic")
            except Exception as error:
                notes.append(told("embedder failed", type(error).__name__))
        floor = self._embedder.floor if self._embedder and len(vector) else 0.0
        asked = self._digests_of(bare) if speaker and len(words) else words[:0]
        return Query(words, vector, floor, speaker, asked), tuple(ways), tuple(notes)

    def _digests_of(self, bare: str) -> Digests:
        """Return the digests of what is asked about somebody, her name left out; none if her name is all there is."""
        return np.unique(digests(self._tokeniser.query(bare), self._key))

    def _worded(self, texts: Sequence[str]) -> tuple[list[tuple[Digests, Ints]], int]:
        """Return the digests of each text and how often each stands there, and how many the tokeniser failed on."""
        held: list[tuple[Digests, Ints]] = []
        failed = 0
        for text in texts:
            try:
                found = digests(self._tokeniser.tokens(text), self._key)
            except Exception:
                failed, found = failed + 1, np.zeros(0, np.uint64)
            held.append(np.unique(found, return_counts=True))
        return held, failed

    def _rows(self, entries: Sequence[Entry]) -> tuple[Rows, int, int]:
        """Return the entries as columns, without their words, how many have no vector, and how many no digests."""
        texts = [entry.text for entry in entries]
        vectors, unembedded = self._embedded(texts)
        held, unworded = self._worded(texts)
        none = np.zeros(0, np.uint64)
        rows = Rows(
            node=np.array([entry.node for entry in entries], np.int64),
            chunk=np.array([entry.chunk for entry in entries], np.int64),
            thread=np.array([entry.thread for entry in entries], np.int64),
            speaker=np.array([entry.speaker for entry in entries], np.int64),
            vectors=vectors,
            digests=np.concatenate([none, *(words for words, _ in held)]),
            counts=np.concatenate(
                [np.zeros(0, np.int64), *(np.minimum(counts, 65535) for _, counts in held)]
            ).astype(np.uint16),
            starts=np.cumsum([0, *(len(words) for words, _ in held)], dtype=np.int64),
        )
        return rows, unembedded, unworded

    def _embedded(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        """Return the vectors as they are stored, and how many texts have none because the embedder failed."""
        if self._embedder is None:
            return np.zeros((len(texts), 0), np.float32), 0
        wide = self._shelf.dimension
        vectors = np.zeros((len(texts), wide), np.float32)
        missing = 0
        for at in range(0, len(texts), _BATCH):
            piece = texts[at : at + _BATCH]
            try:
                vectors[at : at + _BATCH] = _usable(self._embedder.embed(piece), len(piece), wide)
            except Exception:
                missing = len(texts) - at
                break
        # Stored as halves: rounded here, so that a search scores alike before and after a restart.
        return vectors.astype(np.float16).astype(np.float32), missing


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, the parts of the scopes it is asked of, how many rows they hold, and what could not be looked at."""

    parts: Sequence[Part]
    query: Query
    searched: int
    notes: tuple[str, ...]
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """The scores of every row in scope, with the parts they belong to."""

    parts: Sequence[Part]
    query: Query
    scored: Scored
    searched: int
    notes: tuple[str, ...]
    ways: tuple[Way, ...]


def _named(embedder: Embedder | None, path: Path) -> tuple[str, int]:
    """Return the name and the dimension of an embedder; of one that is not there, those of the rows at the path."""
    if embedder is None:
        return "", 0
    try:
        return embedder.name, embedder.dimension
    except Exception:  # its package is missing: what it made is kept until it is there again
        return embedded_with(path)


def _usable(found: Vectors, texts: int, dimension: int) -> Vectors:
    """Return vectors as they were given; raises `EmbedderError` for another shape or NaN: an embedder is anybody's."""
    if np.shape(found) != (texts, dimension) or not np.isfinite(found).all():
        raise EmbedderError(f"expected finite vectors of shape {(texts, dimension)}")
    return found


def _row_numbers(parts: Sequence[Part]) -> tuple[Ints, Ints]:
    """Return the node and the chunk of each row."""
    return np.concatenate([p.rows.node for p in parts]), np.concatenate(
        [p.rows.chunk for p in parts]
    )


def _thread_numbers(parts: Sequence[Part]) -> tuple[Ints, Ints]:
    """Return the number of each thread, 0 for a turn without one, and a chunk of 0."""
    numbers = np.concatenate([part.rows.thread[part.talk.thread_starts[:-1]] for part in parts])
    return numbers, np.zeros_like(numbers)


def _found(
    answer: _Answer,
    numbers: tuple[Ints, Ints],
    limit: int,
) -> Found:
    """Return the best of an answer."""
    chosen = best(answer.scored, *numbers, limit=limit, require=None)
    return Found(tuple(chosen), answer.searched, answer.notes, answer.ways)
