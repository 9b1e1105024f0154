"""The way in: answers without loading anything where it can, and names the extra where it must."""

import sys
from collections.abc import Sequence

from .table import EXTRA, short_help

_OURS = ("cyclopts", "rich")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; `arguments` are the process's own unless given."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["--version"]:
        return _version()
    try:
        from .running import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _OURS:
            raise
        return _bare(words)
    return run(words)


def _version() -> int:
    from importlib.metadata import version

    print(version("muniment"))
    return 0


def _bare(words: Sequence[str]) -> int:
    if not words or set(words) & {"-h", "--help"}:
        print(short_help())
        return 0
    print(
        f"muniment: the command line needs packages that are not installed: {EXTRA}",
        file=sys.stderr,
    )
    return 2
