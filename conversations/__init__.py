"""Turns: how they are cut for the index and searched."""

from .chunks import chunks_of
from .search import Turn, Turns, search_turns

__all__ = ["Turn", "Turns", "chunks_of", "search_turns"]
