"""Feeding the index from the journal: it trails, and catches up before it is asked."""

import logging
import threading
from collections.abc import Iterator

from muniment.claims import (
    UNREADABLE,
    AssertRecord,
    ClaimRecord,
    EraseRecord,
    Header,
    Medium,
    SensitiveRecord,
    SourceRecord,
)
from muniment.conversations import chunks_of
from muniment.lineage import Progress, Store, spoken_text
from muniment.policy import MEMORIES
from muniment.retrieval import Entry, Index

_BATCH = 512
_MOST = 4_096  # entries in one write
_LOG = logging.getLogger("muniment.index")


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
            except Exception:
                # The next recall meets the same fault and says so to somebody who asked.
                _LOG.exception("the index could not follow the journal")

    def stop(self) -> None:
        """Let the batch in hand be finished and end; what is left is taken in at the next use."""
        self._stopped = True
        self._wake.set()
        self._thread.join()


def catch_up(store: Store, index: Index, progress: Progress | None = None) -> int:
    """Let the index take in every record it lacks and return how many entries that were."""
    with store.lock:  # a group that is open may be taken back
        last = store.state.seq
    taken, first = 0, index.applied
    while index.applied < last:
        until = min(index.applied + _BATCH, last)
        with store.lock:
            headers = [store.header(seq) for seq in range(index.applied + 1, until + 1)]
            entries = [entry for header in headers for entry in _entries(store, header)]
            moved = dict.fromkeys(scope for header in headers for scope in _moved(store, header))
            gone = frozenset(node for header in headers for node in _erased(store, header))
            scopes = frozenset(_scope_of(store, node) for node in gone)
        for scope in moved:
            index.remove_scope(scope)
        if gone:  # before `applied` moves, so that a crash between the two repeats it
            index.remove(gone, scopes=scopes, now=True)
        for at in range(0, len(entries), _MOST):  # a scope that moved comes whole
            index.add(entries[at : at + _MOST], applied=until if at + _MOST >= len(entries) else 0)
        if not entries:
            index.add((), applied=until)
        taken += len(entries)
        if progress:
            progress(until - first, last - first)
    return taken


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
        for name in ("quote", "gist", "subject", "attribute", "value"):
            texts.setdefault(words[name])
    text = " ".join(text for text in texts if text)
    if text:
        yield Entry(
            node=seq, chunk=0, layer="claim", scope=claim.scope, thread=0, speaker=0, text=text
        )
