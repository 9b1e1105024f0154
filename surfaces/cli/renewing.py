"""What waits to be made anew, what a new version changed, and taking access away or giving it back."""

from rich.text import Text

from muniment import AccessChange

from .exits import OK
from .opening import acting
from .options import SessionOptions
from .safe import line_text
from .showing import DIM, Screen, emit, quoted, reference, term
from .words import word

_OPTIONS = SessionOptions()
_COLOURS = {"+": "green", "-": "red", "@": DIM}


def stale(*, options: SessionOptions = _OPTIONS) -> int:
    """List the claims that wait to be made anew, each with what changed beneath it."""
    with acting(options) as session:
        found = tuple(session.stale())
    if options.json:
        for item in found:
            emit(item)
        return OK
    screen = Screen()
    for item in found:
        screen.put(Text.assemble(quoted(item.claim), (f"  {reference(item.claim)}", DIM)))
        for cause in item.causes:
            stands = term("standing", cause.standing.value)
            words = f" “{line_text(cause.words)}”" if cause.words else ""
            then = f" → {cause.replaced_by}" if cause.replaced_by else ""
            line = Text.assemble(f"{word('stale.because')}:{words} ", stands)
            screen.put(Text.assemble(line, (f"  {cause.id}{then}", DIM)), indent=2)
            for kept in cause.still_there:
                words = f"{word('stale.still_there')}: “{line_text(kept.words)}”"
                screen.put(Text.assemble(words, (f"  {kept.source}", DIM)), indent=4)
    if not found:
        screen.put(word("stale.nothing"))
    return OK


def diff(source: str, /, *, options: SessionOptions = _OPTIONS) -> int:
    """Show what changed in a source: from this version to the newest, of the newest from the one before.

    Parameters
    ----------
    source
        The source's identifier.
    """
    with acting(options) as session:
        found = session.difference(source)
    if options.json:
        emit(found)
        return OK
    screen = Screen()
    for line in found.lines:
        screen.put(Text(line_text(line), style=_COLOURS.get(line[:1], "")), hang=0)
    if not found.lines:
        screen.put(Text(word("diff.same")))
    return OK


def revoke(source: str, /, *, reason: str = "", options: SessionOptions = _OPTIONS) -> int:
    """Revoke access to a source; what rests only on it is blocked, and its words are not shown.

    Parameters
    ----------
    source
        The source's identifier.
    reason
        Why, kept sealed in the journal.
    """
    with acting(options) as session:
        return _told(options, session.revoke(source, reason=reason))


def give_back(source: str, /, *, reason: str = "", options: SessionOptions = _OPTIONS) -> int:
    """Give access to a source back, and with it what was blocked.

    Parameters
    ----------
    source
        The source's identifier.
    reason
        Why, kept sealed in the journal.
    """
    with acting(options) as session:
        return _told(options, session.give_back(source, reason=reason))


def _told(options: SessionOptions, change: AccessChange) -> int:
    if options.json:
        emit(change)
        return OK
    counts = {"blocked": change.blocked, "restored": change.restored}
    told = word(f"access.{change.access.value}", None, **counts)
    Screen().put(Text.assemble(told, (f"  {change.source}", DIM)))
    return OK
