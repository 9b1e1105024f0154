"""Turns: how they are cut for the index and searched."""

from .chunks import chunks_of
from .search import ConversationHit, Turn, Turns, search_turns

__all__ = [
    "ConversationHit",
    "Turn",
    "Turns",
    "chunks_of",
    "search_turns",
]
