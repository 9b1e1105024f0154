"""The command line: every command is a thin translation of one call of the library."""

from .entry import main
from .exits import EXITS

__all__ = ["EXITS", "main"]
