"""The ways of looking, from the best down: by keyword and meaning in the index, and without one text by text.

What fails on the way is told in notes of a few kinds: each begins with a code of `TROUBLES`, which stays the same.
"""

import logging
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Literal

from muniment.claims import canonical_text

from .ranking import KEYWORD_SHARE, Candidate, Found
from .tokens import WordsAndPairs

Trouble = Literal[
    "no embedder",
    "embedder failed",
    "tokeniser failed",
    "without vectors",
    "without words",
    "index emptied",
    "index behind",
    "read one by one",
    "could not look",
]
TROUBLES: dict[Trouble, str] = {
    "no embedder": "found by keyword only",
    "embedder failed": "found by keyword only",
    "tokeniser failed": "found by meaning only",
    "without vectors": "found by keyword only until `muniment index rebuild`",
    "without words": "found by meaning only until `muniment index rebuild`",
    "index emptied": "it was filled again from the journal",
    "index behind": "the newest were read one by one, by keyword only",
    "read one by one": "the newest there are, by keyword only",
    "could not look": "nothing was searched",
}
"""What each trouble means for an answer."""

_LOG = logging.getLogger("muniment.index")
MOST_READ = 2_000
"""Texts read one by one where there is no index to ask: the newest of them."""


def told(trouble: Trouble, detail: str = "") -> str:
    """Return the note of a trouble: its code, what it means, and the detail in brackets."""
    return f"{trouble}: {TROUBLES[trouble]}" + (f" ({detail})" if detail else "")


def trouble_of(note: str) -> Trouble | None:
    """Return the code that a note of `told` begins with, None for any other note."""
    code = note.partition(": ")[0]
    return next((one for one in TROUBLES if one == code), None)


def read_one_by_one(query: str, texts: Iterable[tuple[int, int, str]], trouble: str) -> Found:
    """Return the texts, (node, chunk, text), that hold words of the query, the best chunk of each node, best first.

    For where there is no index to ask: `trouble` says why. The score is the share of the query's words.
    """
    wanted = QueryWords(query)
    found: dict[int, Candidate] = {}
    nodes = set[int]()
    for node, chunk, text in texts:
        nodes.add(node)
        share = wanted.share_in(text)
        if share >= KEYWORD_SHARE and (node not in found or share > found[node].score):
            found[node] = Candidate(
                node, chunk, share, {"keyword": share}, ("keyword",), words=share
            )
    ordered = sorted(found.values(), key=lambda item: (-item.score, -item.node))
    note = told("read one by one", f"{len(nodes)} read; {trouble}")
    return Found(tuple(ordered), len(nodes), (note,), ways=("one by one",))


def beside(found: Found, query: str, newer: Collection[tuple[int, int, str]]) -> Found:
    """Return what was found, and beside it what texts that the index lacks say to the query, read one by one."""
    if not newer:
        return found
    read = read_one_by_one(query, newer, "")
    top = max((one.score for one in found.candidates), default=1.0)
    fresh = [replace(one, score=one.score * max(top, 1.0)) for one in read.candidates]
    known = {one.node for one in fresh}
    kept = (one for one in found.candidates if one.node not in known)
    ordered = sorted((*fresh, *kept), key=lambda one: (-one.score, one.node))
    return replace(
        found,
        candidates=tuple(ordered),
        searched=found.searched + read.searched,
        notes=(*found.notes, told("index behind", f"{read.searched} read")),
        ways=(*found.ways, *read.ways),
    )


def cause(notes: Iterable[str]) -> str:
    """Return why nothing was searched, from the notes that tell it, without what each means for an answer."""
    short = (note.partition(" (") for note in notes)
    told_of = (
        (trouble_of(note) or note, f" ({detail}" if detail else "") for note, _, detail in short
    )
    return "; ".join(f"{code}{detail}" for code, detail in told_of)


class QueryWords:
    """The words of a query, each counting the same, to be looked for in texts; without a tokeniser, as they stand."""

    def __init__(self, query: str) -> None:
        try:
            self._tokens = frozenset(WordsAndPairs().query(query))
        except Exception:  # the last way there is: it must not fall with the one above
            self._tokens = frozenset[str]()
        self._plain = frozenset(canonical_text(query).split())

    def share_in(self, text: str) -> float:
        """Return which share of the words stands in a text."""
        try:
            held = self._tokens & frozenset(WordsAndPairs().tokens(text))
            if self._tokens:
                return len(held) / len(self._tokens)
        except Exception:
            _LOG.debug("a text could not be cut into words")
        whole = canonical_text(text)
        return sum(word in whole for word in self._plain) / max(len(self._plain), 1)
