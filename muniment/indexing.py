"""Feeding the index from the journal: it trails, and catches up before it is asked; and what to do where it fails."""

import errno
import logging
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from muniment.claims import (
    SAID,
    UNREADABLE,
    AssertRecord,
    ClaimRecord,
    EraseRecord,
    Header,
    Medium,
    MunimentError,
    SensitiveRecord,
    SourceRecord,
    StorageError,
    Value,
)
from muniment.conversations import chunks_of
from muniment.lineage import READ_ONLY, Opened, Progress, Store, index_key, spoken_text
from muniment.policy import MEMORIES
from muniment.retrieval import ClosedError, Embedder, Entry, Index, LibraryError, WordsAndPairs

_BATCH = 512
_MOST = 4_096  # entries in one write
_LOG = logging.getLogger("muniment.index")
# What a disk answers that takes nothing more; LanceDB tells some of it in words alone.
_REFUSED = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EROFS,
        errno.EACCES,
        errno.EPERM,
    }
)
_OS_ERROR = re.compile(r"os error (\d+)")
_WAY_OUT = "recalls go on without it; make room on the disk or check it, then run `muniment index`"


class IndexMade(Value):
    """An index made anew: how many claims and turns are in it, in how many rows, and what could not come in.

    `unreadable` have no words that can be read; `without_vectors` and `without_words` are rows that lack a half,
    because the embedder or the tokeniser failed. `missing` and `surplus` are claims and turns that should be in it and
    are not, or the other way round: none of either, or `whole` is false.
    """

    claims: int
    turns: int
    rows: int
    unreadable: int = 0
    without_vectors: int = 0
    without_words: int = 0
    missing: int = 0
    surplus: int = 0

    @property
    def whole(self) -> bool:
        """Whether everything that can be read is in it, by words and by meaning, and nothing else."""
        return not (self.missing or self.surplus or self.without_vectors or self.without_words)


class Indexing:
    """The index of an open store: opened at its first use, brought up before each, gone around where it fails."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store, self._embedder = store, embedder
        self._path = store.folder / "index.lance"
        self._opening, self._making = threading.Lock(), threading.Lock()
        self._follower: IndexFollower | None = None
        self.trouble = ""

    @property
    def used(self) -> bool:
        """Whether there is an index, in memory or on disk."""
        return self._follower is not None or self._path.exists()

    def ready(self) -> Index | None:
        """Return the index brought up to the journal, None where there can be none: `trouble` says why.

        One whose files cannot be used is made anew; one to which the disk lets nothing be added comes as it is.
        """
        if self._store.access is Opened.READ:
            self.trouble = "opened read-only"
            return None
        for attempt in range(3):
            try:
                follower = self._following()
                follower.catch_up()
            except MunimentError:
                raise
            except ClosedError:  # another thread let go of it meanwhile
                continue
            except LibraryError as error:
                self.trouble = str(error)
                return None
            except Exception as error:
                self.trouble = f"the index cannot be used ({type(error).__name__})"
                _LOG.warning("the index cannot be used: %s", type(error).__name__)
                self.let_go()
                if _is_refused(error):
                    return self._as_it_is()
                if attempt:  # opening it again did not help: what is there is of no use
                    _forget(self._path)
            else:
                return follower.index
        return None

    def _as_it_is(self) -> Index | None:
        """Return the index as far as it has come, None where it cannot be opened either."""
        with suppress(OSError, RuntimeError, ValueError):
            index = self._following().index
            if index.applied:
                return index
        self.let_go()
        return None

    def catch_up(self, progress: Progress | None = None) -> int:
        """Let the index take in what it lacks and return how many entries that were; StorageError says the way out."""
        self._must_write()
        while True:
            try:
                return self._following().catch_up(progress)
            except ClosedError:  # another thread let go of it meanwhile
                continue
            except MunimentError:
                raise
            except Exception as error:
                raise _failed(error) from error

    def make_anew(self, progress: Progress | None = None) -> IndexMade:
        """Empty the index, fill it from the journal under a new key, and return what is in it, looked at afterwards.

        A crash leaves an index that goes on being filled at its next use.
        """
        self._must_write()
        try:
            with self._making:
                self._empty()
                while True:
                    try:
                        follower = self._following()
                        follower.catch_up(progress)
                        return self._looked_at(follower.index)
                    except ClosedError:  # a recall that met a fault meanwhile let go of it
                        continue
        except MunimentError:
            raise
        except Exception as error:
            raise _failed(error) from error

    def _empty(self) -> None:
        with suppress(OSError, ValueError, ClosedError):
            _ = self._following().index.applied  # where the library is missing nothing changes
        with self._store.lock:
            self._store.keys.renew_index()
        self._store.reach("index.key_renewed")
        self.let_go()  # after it: what a recall opens meanwhile has the new key
        _forget(self._path)
        self._store.reach("index.forgotten")

    def _looked_at(self, index: Index) -> IndexMade:
        """Return what is in the index, held against what the store holds."""
        with self._store.lock:
            state, until = self._store.state, index.applied
            claims = {
                seq
                for seq, one in state.claims.items()
                if one.assertions and one.category in MEMORIES and seq <= until
            }
            turns = {
                seq
                for seq, one in state.sources.items()
                if one.medium is Medium.MESSAGE and seq <= until
            }
            rows = index.nodes_of("claim"), index.nodes_of("turn")
            held = set(rows[0]), set(rows[1])
            lacks_claims = [
                seq for seq in claims - held[0] if any(_claim_entries(self._store, seq))
            ]
            lacks_turns = [seq for seq in turns - held[1] if any(_turn_entries(self._store, seq))]
        absent = len(claims - held[0]) + len(turns - held[1])
        missing = len(lacks_claims) + len(lacks_turns)
        return IndexMade(
            claims=len(held[0] & claims),
            turns=len(held[1] & turns),
            rows=len(rows[0]) + len(rows[1]),
            unreadable=absent - missing,
            without_vectors=index.without_vectors,
            without_words=index.without_words,
            missing=missing,
            surplus=len(held[0] - claims) + len(held[1] - turns),
        )

    def forget_erased(self) -> None:
        """Rewrite the index without what was erased, or remove it whole where that fails: it can be made again."""
        if not self.used:
            return
        self._store.reach("erase.before_index")
        try:
            self._following().catch_up()
        except Exception as error:
            _LOG.warning("the index could not forget and is removed: %s", type(error).__name__)
            self.let_go()
            _forget(self._path)

    def clear(self) -> None:
        """Empty the index; it is filled again at its next use. Without LanceDB its files are removed."""
        try:
            self._following().clear()
        except LibraryError:
            self.let_go()
            _forget(self._path)

    def let_go(self) -> None:
        """Stop following the journal; the next use opens the index anew."""
        with self._opening:
            if self._follower is not None:
                self._follower.stop()
                self._follower.index.close()
                self._follower = None

    def _must_write(self) -> None:
        if self._store.access is Opened.READ:
            raise StorageError(READ_ONLY)

    def _following(self) -> "IndexFollower":
        with self._opening:
            if self._follower is None:
                index = Index.open(
                    self._path,
                    key=self._store.keys.index,
                    embedder=self._embedder,
                    tokeniser=WordsAndPairs(),
                    key_of=partial(index_key, self._store),
                )
                self._follower = IndexFollower(self._store, index)
            return self._follower


def _is_refused(error: Exception) -> bool:
    """Return whether it was the disk that took nothing more, so that the files themselves are as good as before."""
    number = error.errno if isinstance(error, OSError) else None
    if number is None and (said := _OS_ERROR.search(str(error))):
        number = int(said[1])
    return number in _REFUSED


def _failed(error: Exception) -> StorageError:
    if isinstance(error, LibraryError):
        return StorageError(f"{error}: install muniment again; recalls read the claims one by one")
    detail = str(error).partition("\n")[0][:200] if isinstance(error, OSError) else ""
    told = f" ({detail})" if detail else ""
    return StorageError(f"the index failed: {type(error).__name__}{told}; {_WAY_OUT}")


def _forget(path: Path) -> None:
    """Remove what stands in the index's place, as far as that is possible: it is made again from the journal."""
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink(missing_ok=True)


class IndexFollower:
    """Lets the index take in what is written, behind the writer's back, so that a recall rarely has to wait for it."""

    def __init__(self, store: Store, index: Index) -> None:
        self._store, self.index = store, index
        self._turn = threading.Lock()
        self._wake = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="muniment-index", daemon=True)
        self._thread.start()
        store.committed = self._wake.set

    def catch_up(self, progress: Progress | None = None) -> int:
        """Let the index take in every record it lacks, now, and return how many entries that were."""
        with self._turn:
            return catch_up(self._store, self.index, progress)

    def clear(self) -> None:
        """Empty the index; it is filled again from the journal at its next use."""
        with self._turn:
            self.index.clear()

    def _run(self) -> None:
        while self._wake.wait():
            self._wake.clear()
            if self._stopped:
                return
            try:
                self.catch_up()
            except ClosedError:
                return
            except Exception as error:
                # The next recall meets the same fault and says so to somebody who asked.
                _LOG.warning("the index could not follow the journal: %s", type(error).__name__)

    def stop(self) -> None:
        """Let the batch in hand be finished and end; what is left is taken in at the next use."""
        self._stopped = True
        self._wake.set()
        self._thread.join()


def catch_up(store: Store, index: Index, progress: Progress | None = None) -> int:
    """Let the index take in every record it lacks and return how many entries that were."""
    with store.lock:  # a group that is open may be taken back
        last = store.state.seq
        if not _belongs(store, index):
            index.discard("it was filled from another journal or from a later state of this one")
    taken, first = 0, index.applied
    while index.applied < last:
        until = min(index.applied + _BATCH, last)
        with store.lock:
            headers = [store.header(seq) for seq in range(index.applied + 1, until + 1)]
            entries = [entry for header in headers for entry in _entries(store, header)]
            moved = dict.fromkeys(scope for header in headers for scope in _moved(store, header))
            gone = frozenset(node for header in headers for node in _erased(store, header))
            scopes = frozenset(_scope_of(store, node) for node in gone)
            mark = store.state.names[until]
        for scope in moved:
            index.remove_scope(scope)
        if gone:  # before `applied` moves, so that a crash between the two repeats it
            index.remove(gone, scopes=scopes, now=True)
        for at in range(0, len(entries), _MOST):  # a scope that moved comes whole
            whole = at + _MOST >= len(entries)
            index.add(entries[at : at + _MOST], applied=until if whole else 0, mark=mark)
        if not entries:
            index.add((), applied=until, mark=mark)
        store.reach("index.batch")
        taken += len(entries)
        if progress:
            progress(until - first, last - first)
    return taken


def _belongs(store: Store, index: Index) -> bool:
    """Return whether an index was filled from this journal: what it says it read last is what stands there."""
    applied = index.applied
    return not applied or (applied <= store.state.seq and store.state.names[applied] == index.mark)


def _entries(store: Store, header: Header) -> Iterator[Entry]:
    match header:
        case SourceRecord(medium=Medium.MESSAGE):
            yield from _turn_entries(store, header.seq)
        case ClaimRecord():
            yield from _claim_entries(store, header.seq)
        case AssertRecord():
            yield from _claim_entries(store, store.state.ids[header.claim])
        case EraseRecord():
            for claim in dict.fromkeys(one.claim for one in header.renderings):
                yield from _claim_entries(store, store.state.ids[claim])
        case SensitiveRecord():
            for scope in _moved(store, header):
                yield from _scope_entries(store, scope, header.seq)
        case _:
            return


def _moved(store: Store, header: Header) -> Iterator[int]:
    """Yield the scope whose rows a record moves: one that held something when it was declared sensitive or ordinary."""
    if isinstance(header, SensitiveRecord) and not header.claim:
        scope = store.state.ids[header.scope]
        if next(_within(store, scope, header.seq), 0):
            yield scope


def _within(store: Store, scope: int, before: int) -> Iterator[int]:
    """Yield the sources and claims of a scope that were there before a record."""
    state = store.state
    yield from (seq for seq, one in state.sources.items() if one.scope == scope and seq < before)
    yield from (seq for seq, one in state.claims.items() if one.scope == scope and seq < before)


def _scope_entries(store: Store, scope: int, before: int) -> Iterator[Entry]:
    for seq in _within(store, scope, before):
        if seq in store.state.claims:
            yield from _claim_entries(store, seq)
        elif store.state.sources[seq].medium is Medium.MESSAGE:
            yield from _turn_entries(store, seq)


def _erased(store: Store, header: Header) -> Iterator[int]:
    """Yield what an erasure takes out of the index; a claim that survives comes back with the words it has left."""
    if isinstance(header, EraseRecord):
        renderings = (one.claim for one in header.renderings)
        for name in (*header.sources, *header.claims, *renderings):
            yield store.state.ids[name]


def _scope_of(store: Store, node: int) -> int:
    state = store.state
    known = state.claims.get(node) or state.erased_sources.get(node) or state.sources[node]
    return known.scope


def _turn_entries(store: Store, seq: int) -> Iterator[Entry]:
    source = store.state.sources.get(seq)
    if source is None:
        return
    try:
        text = spoken_text(store, seq)
    except UNREADABLE:
        return
    for chunk, piece in enumerate(chunks_of(text)):
        yield Entry(
            node=seq,
            chunk=chunk,
            layer="turn",
            scope=source.scope,
            thread=source.conversation,
            speaker=source.author,
            text=piece,
        )


def _claim_entries(store: Store, seq: int) -> Iterator[Entry]:
    claim = store.state.claims[seq]
    if claim.category not in MEMORIES:  # no recall brings up a task or a procedure
        return
    texts: dict[str, None] = {}
    for assertion in claim.assertions:
        try:
            words = store.words(assertion)
        except UNREADABLE:
            continue
        for name in SAID:
            texts.setdefault(words[name])
    text = " ".join(text for text in texts if text)
    if text:
        yield Entry(
            node=seq, chunk=0, layer="claim", scope=claim.scope, thread=0, speaker=0, text=text
        )
