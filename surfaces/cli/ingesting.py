"""Taking in a whole conversation, with a bar for people and line numbers for what was wrong."""

import sys

from muniment import IngestReport, LineError
from muniment.claims import InvalidError

from .exits import OK, PARTLY
from .identity import require
from .incoming import incoming, length_of, lines_of
from .opening import is_store, opened
from .options import StoreOptions, Words
from .progress import bar
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
    fresh, wrong = not is_store(options.store), dict[int, str]()
    with incoming(file) as lines, opened(options, make=True) as memory:
        require(memory.host, "Memory.ingest")
        with bar(total=length_of(file), quiet=options.json) as progress:
            report = memory.ingest(lines_of(lines, wrong), progress=progress)
    undecoded = (
        LineError(line=line, error=InvalidError.kind, message=wrong[line]) for line in wrong
    )
    errors = tuple(sorted((*report.errors, *undecoded), key=lambda error: error.line))
    if fresh and not options.json:
        print(f"made a store at {line_text(str(options.store))}", file=sys.stderr)
    _report(options, report.model_copy(update={"errors": errors}))
    return PARTLY if errors else OK


def _report(options: StoreOptions, report: IngestReport) -> None:
    for error in report.errors:
        found = {"error": error.error, "line": error.line, "message": error.message}
        plainly = f"line {error.line}: {line_text(error.message)}"
        print(json_line(found) if options.json else plainly, file=sys.stderr)
    if options.json:
        emit(report)
        return
    wrong, kept, before = len(report.errors), report.accepted, report.unchanged
    print(word("ingest.report", accepted=kept, unchanged=before, errors=wrong))
    print(", ".join(f"{count} {name}" for name, count in sorted(report.kinds.items()) if count))
