"""The record by which an operator vouches for a corpus, or no more."""

from collections.abc import Sequence

from muniment.claims import CorpusRecord, Decision, Header, Vouching

from .corpora import CorpusFile
from .store import Sealable, Store
from .writing import Writer, stamp, who


def write_corpus(
    store: Store,
    decision: Decision,
    writer: Writer,
    vouching: Vouching,
    *,
    corpus: int = 0,
    name: str = "",
    files: Sequence[CorpusFile] = (),
    note: str = "",
) -> Header:
    """Add to the open group what an operator does with a corpus, by number where it is there, and return the record."""
    words = {"name": name, "note": note, "files": [file.model_dump() for file in files]}
    return store.add(
        CorpusRecord,
        [Sealable(words)] if name or note else [],
        corpus=store.state.names[corpus],
        vouching=vouching,
        decision=stamp(store, decision),
        **who(store, writer),
    )
