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
from .evidence import Answer, Evidence, Reason, Withheld, counted, shown_score
from .index import Entry, Index
from .judging import current_rivals, readable_of
from .prompt import (
    Fitted,
    Frame,
    Heading,
    Item,
    KeptOut,
    Mode,
    Prompt,
    PromptLine,
    PromptSection,
    defined,
    fitted,
    items_of,
    quoted_text,
)
from .proposing import unindexed
from .question import Question
from .ranking import Candidate, Found, Query, Way
from .recall import Recalled, judged_anew, recall
from .shelf import ClosedError, LibraryError, Rest, read_by
from .sketch import Sketch
from .slots import slot_reasons
from .succession import Said, Spoken, asks_for_a_value, newer_values, newest_first, successors
from .tokens import Tokeniser, WordsAndPairs, is_common
from .ways import MOST_READ, TROUBLES, Trouble, beside, cause, read_one_by_one, trouble_of
from .wording import is_elsewhere, is_stated_now, worded_for

__all__ = [
    "Answer",
    "CallableEmbedder",
    "Candidate",
    "ClosedError",
    "Embedder",
    "EmbedderError",
    "EndpointEmbedder",
    "Entry",
    "Evidence",
    "Fitted",
    "Found",
    "Frame",
    "Heading",
    "Index",
    "Item",
    "KeptOut",
    "LibraryError",
    "MOST_READ",
    "Mode",
    "Part",
    "Pile",
    "Prompt",
    "PromptLine",
    "PromptSection",
    "Query",
    "Question",
    "Reason",
    "Recalled",
    "Rest",
    "Rows",
    "Said",
    "Sketch",
    "Spoken",
    "TROUBLES",
    "Tokeniser",
    "Trouble",
    "UniversalSentenceEncoder",
    "Way",
    "Withheld",
    "WordsAndPairs",
    "asks_for_a_value",
    "beside",
    "best_claims",
    "best_claims_each_scored",
    "cause",
    "counted",
    "current_rivals",
    "defined",
    "fitted",
    "is_common",
    "is_elsewhere",
    "is_stated_now",
    "items_of",
    "judged_anew",
    "newer_values",
    "newest_first",
    "quoted_text",
    "read_by",
    "read_one_by_one",
    "readable_of",
    "recall",
    "shown_score",
    "slot_reasons",
    "successors",
    "trouble_of",
    "unindexed",
    "worded_for",
]
