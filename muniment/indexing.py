"""Feeding the index from the journal: it trails, and catches up before it is asked."""

from collections.abc import Iterator

from muniment.claims import AssertRecord, ClaimRecord, ErasedError, Medium, SourceRecord
from muniment.conversations import chunks_of
from muniment.lineage import Progress, Store
from muniment.retrieval import Entry, Index

_BATCH = 512


def catch_up(store: Store, index: Index, progress: Progress | None = None) -> int:
    """Let the index take in every record it lacks and return how many entries that were."""
    taken, first, last = 0, index.applied, store.state.seq
    while index.applied < last:
        until = min(index.applied + _BATCH, last)
        with store.lock:
            entries = [
                entry
                for seq in range(index.applied + 1, until + 1)
                for entry in _entries(store, seq)
            ]
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
        case _:
            return


def _turn_entries(store: Store, seq: int) -> Iterator[Entry]:
    source = store.state.sources[seq]
    try:
        text = "".join(words["text"] for words in store.record(seq)[1])
    except ErasedError:
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
    texts: dict[str, None] = {}
    for assertion in claim.assertions:
        try:
            words = store.words(assertion)
        except ErasedError:
            continue
        for name in ("quote", "gist", "subject", "attribute", "value"):
            texts.setdefault(words[name])
    text = " ".join(text for text in texts if text)
    if text:
        yield Entry(
            node=seq, chunk=0, layer="claim", scope=claim.scope, thread=0, speaker=0, text=text
        )
