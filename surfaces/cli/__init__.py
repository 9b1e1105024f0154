"""The command line: every command is a thin translation of one call of the library."""

from .entry import main
from .exits import EXITS
from .table import COMMANDS

__all__ = ["COMMANDS", "EXITS", "main"]
