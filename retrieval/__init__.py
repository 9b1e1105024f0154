"""Find what a query may be about: the disposable index, its tokens and vectors, and how they are ranked."""

from .embedding import (
    CallableEmbedder,
    Embedder,
    EmbedderError,
    EndpointEmbedder,
    UniversalSentenceEncoder,
)
from .evidence import Answer, Evidence, Reason, Withheld, shown_score
from .index import Entry, Index
from .judging import current_rivals, readable_of
from .proposing import could_look
from .question import Question
from .ranking import Candidate, Found
from .recall import Recalled, recall
from .shelf import Rest, read_by
from .slots import slot_reasons
from .succession import Said, Spoken, asks_for_a_value, newer_values, newest_first, successors
from .tokens import Tokeniser, WordsAndPairs
from .wording import is_elsewhere, is_stated_now, worded_for

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
    "Question",
    "Reason",
    "Recalled",
    "Rest",
    "Said",
    "Spoken",
    "Tokeniser",
    "UniversalSentenceEncoder",
    "Withheld",
    "WordsAndPairs",
    "asks_for_a_value",
    "could_look",
    "current_rivals",
    "is_elsewhere",
    "is_stated_now",
    "newer_values",
    "newest_first",
    "read_by",
    "readable_of",
    "recall",
    "shown_score",
    "slot_reasons",
    "successors",
    "worded_for",
]
