"""What the index proposes for a question, and the way down where it cannot be asked."""

from collections.abc import Iterable, Iterator
from itertools import islice

from muniment.claims import SAID, UNREADABLE, AssertRecord
from muniment.lineage import Store
from muniment.policy import CATEGORIES

from .index import Index
from .question import Question
from .ranking import Found
from .ways import MOST_READ, beside, cause, read_one_by_one


def proposed(
    store: Store, index: Index | None, question: Question, limit: int, trouble: str
) -> Found:
    """Return what the index proposes, or where it cannot be used what reading the claims in scope finds.

    Where there is no index, `trouble` says why.
    """
    if index is not None:
        try:
            found = index.claims(question.query, scopes=question.readable, limit=limit)
            worded = _worded(store, question, unindexed(store, index))
            newer = tuple(islice(worded, MOST_READ))
        except Exception as error:  # whatever breaks in the index, the journal still has the words
            trouble = f"the index failed ({type(error).__name__})"
        else:
            if found.looked:
                return beside(found, question.query, newer)
            trouble = cause(found.notes)
    inside = _worded(store, question, reversed(store.state.claims))
    return read_one_by_one(question.query, islice(inside, MOST_READ), trouble)


def unindexed(store: Store, index: Index) -> Iterator[int]:
    """Yield the records that the index has not taken in, the newest first: none where all is well.

    Beyond the newest those that are claims or turns alone: receipts, of which every recall leaves one, crowd none out.
    """
    state = store.state
    for seq in range(state.seq, index.applied, -1):
        if state.seq - seq < MOST_READ or seq in state.claims or seq in state.sources:
            yield seq


def _worded(
    store: Store, question: Question, records: Iterable[int]
) -> Iterator[tuple[int, int, str]]:
    """Yield the claims in scope that records are of, with what each says."""
    seen = set[int]()
    for seq in records:
        claim = store.state.claims.get(seq)
        if claim is None and isinstance(header := store.header(seq), AssertRecord):
            claim = store.state.claims.get(store.state.ids[header.claim])
        if claim is None or claim.seq in seen or claim.scope not in question.readable:
            continue
        seen.add(claim.seq)
        if CATEGORIES[claim.category].recall == "never":
            continue
        for assertion in claim.assertions:
            try:
                words = store.words(assertion)
            except UNREADABLE:
                continue
            said = (words[name] for name in SAID)
            yield claim.seq, 0, " ".join(said)
