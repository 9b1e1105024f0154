"""Taking in a whole conversation, with a bar for people and line numbers for what was wrong."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .exits import OK, PARTLY
from .opening import is_store, opened
from .options import StoreOptions, Words
from .safe import json_line, line_text
from .showing import emit
from .words import word

_OPTIONS = StoreOptions()


def ingest(file: Words, /, *, options: StoreOptions = _OPTIONS) -> int:
    """Take in a conversation, one JSON object a line; a second time changes nothing.

    Wrong lines are named by number and left out; the others are kept. The store is made when missing.

    Parameters
    ----------
    file
        The JSONL file; - reads standard input. Its schema: docs/reference/ingest.md.
    """
    text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    fresh = not is_store(options.store)
    with opened(options, make=True) as memory, bar(len(lines), quiet=options.json) as progress:
        report = memory.ingest(lines, progress=progress)
    if fresh and not options.json:
        print(f"made a store at {line_text(str(options.store))}", file=sys.stderr)
    for error in report.errors:
        _complain(options, error.line, error.message)
    if options.json:
        emit(report)
    else:
        print(
            word(
                "ingest.report",
                accepted=report.accepted,
                unchanged=report.unchanged,
                errors=len(report.errors),
            )
        )
        print(", ".join(f"{count} {name}" for name, count in sorted(report.kinds.items()) if count))
    return PARTLY if report.errors else OK


def _complain(options: StoreOptions, line: int, message: str) -> None:
    if options.json:
        found = {"error": "invalid", "line": line, "message": message}
        print(json_line(found), file=sys.stderr)
    else:
        print(f"line {line}: {line_text(message)}", file=sys.stderr)


@contextmanager
def bar(total: int, *, quiet: bool = False, words: str = "") -> Iterator[Callable[[int, int], None] | None]:
    """Yield what reports progress to a bar on the terminal, or None where nobody would see one."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words or word("ingest.busy"), total=total)
        yield lambda done, whole: progress.update(task, completed=done, total=whole or total)
