"""Taking in a file: the person's own export as what it was, everything else as from outside, to wait for her."""

import sys
from pathlib import Path

from muniment import ImportReport, LeftOut, LineError
from muniment.claims import InvalidError

from .asking import prove_here
from .exits import OK, PARTLY
from .incoming import incoming, length_of, lines_of
from .opening import acting
from .options import SessionOptions, Words
from .progress import bar
from .safe import line_text
from .showing import emit
from .words import rule_words, word

_OPTIONS = SessionOptions()
_SHOWN = 20  # lines left out that a screen names one by one


def take_in(file: Words, /, *, origin: str = "", options: SessionOptions = _OPTIONS) -> int:
    """Take in a file: an export of the person's own as what it was, any other line by line as from outside.

    Her own export is one that this store sealed, or one that policy.toml names. Everything else waits for her in
    review, under its origin. The same file a second time changes nothing.

    Parameters
    ----------
    file
        The file, UTF-8; - reads standard input.
    origin
        Under which origin it waits; otherwise the file's name.
    """
    wrong = dict[int, str]()
    named = origin or f"file:{'standard input' if file == '-' else Path(file).name}"
    with incoming(file) as raw:
        lines = list(lines_of(raw, wrong))
    with acting(options) as session:
        if any('"type": "seal"' in line for line in lines[-2:]):
            prove_here(session)
        with bar(total=length_of(file), quiet=options.json, words=word("import.busy")) as progress:
            report = session.import_lines(lines, origin=named, progress=progress)
    undecoded = (
        LineError(line=line, error=InvalidError.kind, message=wrong[line]) for line in wrong
    )
    errors = tuple(sorted((*report.errors, *undecoded), key=lambda error: error.line))
    report = report.model_copy(update={"errors": errors})
    if options.json:
        emit(report)
    else:
        _show(report)
    return PARTLY if report.errors or report.left_out else OK


def _show(report: ImportReport) -> None:
    said = "import.own" if report.decision.rule == "OWN_EXPORT" else "import.outside"
    print(word(said, accepted=report.accepted, unchanged=report.unchanged))
    if said == "import.outside":
        print(line_text(report.decision.reason))
        if report.key:
            print(word("import.key", named=line_text(report.key)))
        if report.waiting:
            print(word("import.waiting", count=report.waiting, origin=line_text(report.origin)))
    if report.left_out:
        print(word("import.left_out", count=len(report.left_out)), file=sys.stderr)
    for left in report.left_out[:_SHOWN]:
        print(_left(left), file=sys.stderr)
    for error in report.errors:
        print(f"line {error.line}: {line_text(error.message)}", file=sys.stderr)


def _left(left: LeftOut) -> str:
    return f"  line {left.line}: {left.id} {rule_words(left.rule, left.reason)} ({left.rule})"
