"""Investigating: one claim or answer told whole in one HTML file, with a bundle that proves it elsewhere."""

from pathlib import Path

from rich.text import Text

from muniment.claims import InvalidError

from .exits import OK
from .opening import acting
from .options import SessionOptions, claim_at
from .report import report_page
from .safe import line_text
from .showing import Screen, emit
from .words import word

_OPTIONS = SessionOptions()


def investigate(
    thing: str,
    /,
    *,
    out: Path,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Write what there is to say of a claim or an answer: report.html to read, bundle.json to check offline.

    Parameters
    ----------
    thing
        The identifier of a claim, or the receipt of an answer.
    out
        The folder to write into; it is made where it is new, and may not hold an investigation already.
    """
    pages = [out / "report.html", out / "bundle.json"]
    for page in pages:
        if page.exists():
            raise InvalidError(f"{page} is there already; name another folder with --out")
    with acting(options) as session:
        found = session.investigate(claim_at(thing, None)[0])
        reader = options.person or session.scope.person
    out.mkdir(parents=True, exist_ok=True)
    for page, text in zip(pages, (report_page(found, reader), found.bundle), strict=True):
        page.write_text(text, encoding="utf-8")
    if options.json:
        emit(
            {
                "subject": found.subject,
                "soundness": found.verification.soundness,
                "report": str(pages[0]),
                "bundle": str(pages[1]),
                "key": found.key,
                "undetermined": found.undetermined,
            }
        )
        return OK
    screen = Screen()
    for page in pages:
        screen.put(Text(line_text(str(page))))
    screen.put(Text(word("verify.undetermined")))
    for line in found.undetermined:
        screen.put(Text(line_text(line)), indent=2)
    return OK
