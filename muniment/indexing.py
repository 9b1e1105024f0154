"""Feeding the index from the journal: it trails, and catches up before it is asked."""

import logging
import threading
from collections.abc import Iterator

from muniment.claims import (
    UNREADABLE,
    AssertRecord,
    ClaimRecord,
    EraseRecord,
    Medium,
    SourceRecord,
)
from muniment.conversations import chunks_of
from muniment.lineage import Progress, Store, spoken_text
from muniment.policy import MEMORIES
from muniment.retrieval import Entry, Index

_BATCH = 512
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
            entries = [
                entry
                for seq in range(index.applied + 1, until + 1)
                for entry in _entries(store, seq)
            ]
            gone = frozenset(
                node for seq in range(index.applied + 1, until + 1) for node in _erased(store, seq)
            )
        if gone:  # before `applied` moves, so that a crash between the two repeats it
            index.remove(gone, now=True)
        index.add(entries, applied=until)
        taken += len(entries)
        if progress:
            progress(until - first, last - first)
    return taken


def _entries(store: Store, seq: int) -> Iterator[Entry]:
    header = store.header(seq)
    match header:
        case SourceRecord(medium=Medium.MESSAGE):
            yield from _turn_entries(store, seq)
        case ClaimRecord():
            yield from _claim_entries(store, seq)
        case AssertRecord():
            yield from _claim_entries(store, store.state.ids[header.claim])
        case EraseRecord():
            for claim in dict.fromkeys(one.claim for one in header.renderings):
                yield from _claim_entries(store, store.state.ids[claim])
        case _:
            return


def _erased(store: Store, seq: int) -> Iterator[int]:
    """Yield what an erasure takes out of the index; a claim that survives comes back with the words it has left."""
    header = store.header(seq)
    if isinstance(header, EraseRecord):
        renderings = (one.claim for one in header.renderings)
        for name in (*header.sources, *header.claims, *renderings):
            yield store.state.ids[name]


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
