"""What the index proposes for a question, and the way down where it cannot be asked."""

from collections.abc import Sequence

from muniment.claims import UNREADABLE
from muniment.lineage import Store
from muniment.policy import CATEGORIES

from .index import Index
from .question import Question
from .ranking import KEYWORD_SHARE, Candidate, Found
from .tokens import WordsAndPairs

_MOST_READ = 2_000  # claims read one by one when there is no index to ask


def could_look(notes: Sequence[str]) -> bool:
    """Return whether a search was made at all: by keyword, by meaning, or by both."""
    words = any(note.startswith("tokeniser failed") for note in notes)
    meaning = any(note.startswith(("embedder failed", "no embedder")) for note in notes)
    return not (words and meaning) and not any(note.startswith("could not look") for note in notes)


def proposed(store: Store, index: Index | None, question: Question, limit: int) -> Found:
    """Return what the index proposes, or where it cannot be used what reading the claims in scope finds."""
    trouble = "the index cannot be opened"
    if index is not None:
        try:
            found = index.claims(question.query, scopes=question.readable, limit=limit)
        except Exception as error:  # whatever breaks in the index, the journal still has the words
            trouble = f"the index failed ({type(error).__name__})"
        else:
            if could_look(found.notes):
                return found
            trouble = "; ".join(found.notes)
    return _read_through(store, question, limit, trouble)


def _read_through(store: Store, question: Question, limit: int, trouble: str) -> Found:
    tokeniser = WordsAndPairs()
    wanted = set(tokeniser.tokens(question.query))
    inside = [
        claim
        for claim in store.state.claims.values()
        if claim.assertions
        and claim.scope in question.readable
        and CATEGORIES[claim.category].recall != "never"
    ]
    scored: list[Candidate] = []
    for claim in inside[-_MOST_READ:]:
        try:
            words = store.words(claim.assertions[0])
        except UNREADABLE:
            continue
        text = " ".join(words[name] for name in ("quote", "gist", "subject", "attribute", "value"))
        share = len(wanted & set(tokeniser.tokens(text))) / max(len(wanted), 1)
        if share >= KEYWORD_SHARE:
            scored.append(
                Candidate(claim.seq, 0, share, {"keyword": share}, ("keyword",), words=share)
            )
    scored.sort(key=lambda item: (-item.score, -item.node))
    read = min(len(inside), _MOST_READ)
    note = f"{trouble}: the newest {read} claims were read one by one, by keyword only"
    return Found(tuple(scored[:limit]), read, (note.replace("could not look", "index"),))
