"""The index: durable digests and vectors in LanceDB, searched exactly and in scope from memory.

It is disposable and holds no words; it proposes, the lineage graph disposes. Row order, rows of other scopes and
removed rows never touch a score: each layer of each scope is loaded on its own and weighted with the asked ones only.
"""

import hashlib
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from .columns import Digests, Ints, Part, Pile, Rows
from .embedding import Embedder, Vectors
from .ranking import Found, Query, Scored, best, score_claims, score_threads, score_turns
from .sealed import Keys, SealedShelf
from .shelf import DamagedError, Identity, Layer, Place, Rest, Shelf, applied_in
from .tokens import Tokeniser, digests

KeyOf = Callable[[int], bytes | None]
"""The key of a sensitive scope, by its number: None for an ordinary one, empty where it is not here."""

Score = Callable[[Sequence[Part], Query], Scored]

_BATCH = 512
# Particles that may follow a Hangul name: "민수가", "민수에게서".
_PARTICLES = "[\uac00-\ud7af]{0,3}"
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
        identity = Identity(
            tokeniser=tokeniser.name,
            embedder=embedder.name if embedder else "",
            dimension=embedder.dimension if embedder else 0,
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
    def firm(self) -> float:
        """The similarity that ties a claim to a question by itself; that of the floor for an embedder that has none."""
        floor = self._embedder.floor if self._embedder else 0.0
        return float(getattr(self._embedder, "firm", floor))

    @property
    def notes(self) -> tuple[str, ...]:
        """What became of the index since it was opened, for a person to read."""
        with self._lock:
            return self._shelf.notes

    def add(self, entries: Sequence[Entry], *, applied: int) -> None:
        """Take in entries durably and move `applied` up to at least the given sequence.

        An entry with a known (node, chunk) replaces the former one; of two such entries the last counts. If the
        embedder fails the entries go in without vectors, are found by keyword only, and searches say so.
        """
        latest = list({(entry.node, entry.chunk): entry for entry in entries}.values())
        if any(entry.node < 1 for entry in latest):
            raise ValueError("a node is a positive number")
        rows, unembedded = self._rows(latest)
        places: dict[Place, list[int]] = {}
        for at, entry in enumerate(latest):
            places.setdefault((entry.layer, entry.scope), []).append(at)
        cut = {place: rows.take(np.array(held, np.int64)) for place, held in places.items()}
        keys = self._keys(scope for _, scope in cut)
        apart = {place: held for place, held in cut.items() if keys[place[1]] is not None}
        plain = {place: held for place, held in cut.items() if place not in apart}
        with self._lock:
            if not cut:
                self._shelf.advance(applied)
                return
            known = self._shelf.replaced(rows.node, rows.chunk)
            for place in self._piles if known else self._piles.keys() & apart.keys():
                self._piles[place].drop(lambda held: ~held.among(rows.node, rows.chunk))
            self._sealed.append(apart, keys)
            if plain:
                self._shelf.append(plain, applied=applied, unembedded=unembedded)
            else:
                self._shelf.advance(applied, unembedded=unembedded)
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

    def claims(
        self,
        query: str,
        *,
        scopes: frozenset[int],
        limit: int,
        require: frozenset[int] | None = None,
    ) -> Found:
        """Return at most `limit` claims, best first, by keyword and meaning; with `require`, only those nodes."""
        found = self._search("claim", query, scopes, score_claims, _NOBODY)
        return (
            found
            if isinstance(found, Found)
            else _found(found, _row_numbers(found.parts), limit, require)
        )

    def turns(
        self,
        query: str,
        *,
        scopes: frozenset[int],
        limit: int,
        speakers: Mapping[str, int] = _NOBODY,
    ) -> Found:
        """Return at most `limit` turns, best first, one chunk each, seen with the turns around them.

        `speakers` maps names, as a query may hold them, to speaker numbers: the names are left out of the meaning
        compared, and if the query names one speaker alone, that one's turns are raised.
        """
        found = self._search("turn", query, scopes, score_turns, speakers)
        return (
            found if isinstance(found, Found) else _found(found, _row_numbers(found.parts), limit)
        )

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
        try:
            parts = self._parts(layer, scopes)
        except DamagedError as error:
            return Found(notes=(f"could not look: {error}",))
        searched = sum(len(part) for part in parts)
        if not searched:
            return Found()
        query, notes = self._query(text, speakers)
        if query.has_vector:
            notes += self._without_vectors(parts)
        if not len(query.digests) and not query.has_vector:
            return Found(searched=searched, notes=notes)
        return _Answer(parts, score(parts, query), searched, notes)

    def _without_vectors(self, parts: Sequence[Part]) -> tuple[str, ...]:
        """Return a note of the rows in scope that have no vector; rows of others are not counted."""
        with self._lock:
            if not self._shelf.unembedded:
                return ()
        bare = sum(int(np.count_nonzero(~part.rows.vectors.any(axis=1))) for part in parts)
        return (f"{bare} rows without vectors: found by keyword only",) if bare else ()

    def _parts(self, layer: Layer, scopes: frozenset[int]) -> list[Part]:
        """Return the parts of the scopes as they are now, in the order of the scopes, loading what is not in memory."""
        places: list[Place] = [(layer, scope) for scope in sorted(scopes)]
        keys = self._keys(place[1] for place in places if place not in self._piles)
        with self._lock:
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

    def _query(self, text: str, speakers: Mapping[str, int]) -> tuple[Query, tuple[str, ...]]:
        """Return the query as it is compared, and a note for each way of looking that failed."""
        notes: list[str] = []
        words: Digests = np.zeros(0, np.uint64)
        try:
            words = np.unique(digests(self._tokeniser.query(text), self._key))
        except Exception as error:
            notes.append(f"tokeniser failed: semantic only ({type(error).__name__})")
        bare, speaker = _without_names(text, speakers)
        vector: Vectors = np.zeros(0, np.float32)
        if self._embedder is None:
            notes.append("no embedder: keyword only")
        elif bare.strip():
            try:
                vector = self._embedder.embed([bare])[0]
            except Exception as error:
                notes.append(f"embedder failed: keyword only ({type(error).__name__})")
        floor = self._embedder.floor if self._embedder else 0.0
        return Query(words, vector, floor, speaker), tuple(notes)

    def _rows(self, entries: Sequence[Entry]) -> tuple[Rows, int]:
        """Return the entries as columns, without their words, and how many have no vector."""
        vectors, unembedded = self._embedded([entry.text for entry in entries])
        held = [
            np.unique(digests(self._tokeniser.tokens(entry.text), self._key), return_counts=True)
            for entry in entries
        ]
        none = np.zeros(0, np.uint64)
        rows = Rows(
            node=np.array([entry.node for entry in entries], np.int64),
            chunk=np.array([entry.chunk for entry in entries], np.int64),
            thread=np.array([entry.thread for entry in entries], np.int64),
            speaker=np.array([entry.speaker for entry in entries], np.int64),
            vectors=vectors,
            digests=np.concatenate([none, *(words for words, _ in held)]),
            counts=np.concatenate(
                [np.zeros(0), *(np.minimum(counts, 65535) for _, counts in held)]
            ),
            starts=np.cumsum([0, *(len(words) for words, _ in held)], dtype=np.int64),
        )
        return rows, unembedded

    def _embedded(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        """Return the vectors as they are stored, and how many texts have none because the embedder failed."""
        if self._embedder is None:
            return np.zeros((len(texts), 0), np.float32), 0
        vectors = np.zeros((len(texts), self._embedder.dimension), np.float32)
        for at in range(0, len(texts), _BATCH):
            try:
                vectors[at : at + _BATCH] = self._embedder.embed(texts[at : at + _BATCH])
            except Exception:
                return vectors, len(texts) - at
        # Stored as halves: rounded here, so that a search scores alike before and after a restart.
        return vectors.astype(np.float16).astype(np.float32), 0


@dataclass(frozen=True, slots=True)
class _Answer:
    """The scores of every row in scope, with the parts they belong to."""

    parts: Sequence[Part]
    scored: Scored
    searched: int
    notes: tuple[str, ...]


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
    require: frozenset[int] | None = None,
) -> Found:
    """Return the best of an answer."""
    chosen = best(answer.scored, *numbers, limit=limit, require=require)
    return Found(tuple(chosen), answer.searched, answer.notes)


def _without_names(text: str, speakers: Mapping[str, int]) -> tuple[str, int]:
    """Return the query without the speakers' names, and the one speaker it names, 0 if none or several.

    If nothing but names is left, the whole query is returned.
    """
    plain = unicodedata.normalize("NFC", text)
    bare, named = plain, set[int]()
    for name in sorted(speakers, key=len, reverse=True):
        known = unicodedata.normalize("NFC", name).strip()
        if not known:
            continue
        ending = _PARTICLES if "\uac00" <= known[-1] <= "\ud7af" else "(?:['’]s)?"
        pattern = rf"(?<!\w){re.escape(known)}{ending}(?!\w)"
        if re.search(pattern, bare, re.IGNORECASE):
            named.add(speakers[name])
            bare = re.sub(pattern, " ", bare, flags=re.IGNORECASE)
    speaker = named.pop() if len(named) == 1 else 0
    return (bare if re.search(r"\w", bare) else plain), speaker
