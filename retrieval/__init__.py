"""Find what a query may be about: the disposable index, its tokens and vectors, and how they are ranked."""

from .bounded import best_claims, best_claims_each_scored
from .columns import Part, Pile, Rows
from .embedding import (
    CallableEmbedder,
    Embedder,
    EmbedderError,
    EndpointEmbedder,
    UniversalSentenceEncoder,
)
from .evidence import Answer, Evidence, Reason, Withheld, shown_score
from .index import Entry, Index
from .ranking import Candidate, Found, Query
from .recall import (
    Question,
    Recalled,
    could_look,
    current_rivals,
    is_elsewhere,
    is_stated_now,
    readable_of,
    recall,
    worded_for,
)
from .shelf import Rest, read_by
from .sketch import Sketch
from .tokens import Tokeniser, WordsAndPairs

__all__ = [
    "Answer",
    "CallableEmbedder",
    "Candidate",
    "Embedder",
    "EmbedderError",
    "EndpointEmbedder",
    "Entry",
    "Evidence",
    "Found",
    "Index",
    "Part",
    "Pile",
    "Query",
    "Question",
    "Reason",
    "Recalled",
    "Rest",
    "Rows",
    "Sketch",
    "Tokeniser",
    "UniversalSentenceEncoder",
    "Withheld",
    "WordsAndPairs",
    "best_claims",
    "best_claims_each_scored",
    "could_look",
    "current_rivals",
    "is_elsewhere",
    "is_stated_now",
    "read_by",
    "readable_of",
    "recall",
    "shown_score",
    "worded_for",
]
