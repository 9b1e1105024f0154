"""Bringing back, contradicting, making anew, and taking access away or giving it back."""

from rich.text import Text

from muniment import AccessChange, ReasonCode

from .changing import shown_changed
from .exits import OK
from .opening import acting
from .options import SessionOptions, Words, claim_at
from .safe import line_text
from .showing import DIM, Screen, coded, emit, quoted, reference
from .words import word

_OPTIONS = SessionOptions()


def reinstate(
    claim: str,
    /,
    *,
    source: tuple[str, ...] = (),
    version: int | None = None,
    reason: str = "",
    code: ReasonCode | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Let a claim stand again that was withdrawn, corrected or replaced.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    source
        What speaks for it: the identifier of a source, repeated.
    version
        The version seen, where the claim is given without one.
    reason
        Why, for the history.
    code
        Why, as a code that stands in the clear.
    """
    name, seen = claim_at(claim, version)
    with acting(options) as session:
        found = session.reinstate(
            name, sources=source, version=seen, reason=reason, code=code or ""
        )
        return shown_changed(session, found, name, options)


def challenge(
    claim: str,
    text: Words,
    /,
    *,
    source: tuple[str, ...] = (),
    gist: str = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """Contradict a claim; it stays as it is, and a recall gives both.

    Parameters
    ----------
    claim
        The claim's identifier.
    text
        What is said against it.
    source
        Where that stands: the identifier of a source, repeated.
    gist
        A wording of it for search, marked as a model's.
    """
    with acting(options) as session:
        name = claim_at(claim, None)[0]
        found = session.challenge(name, text, sources=source, gist=gist)
        return shown_changed(session, found, name, options)


def regenerate(
    claim: str,
    text: Words,
    /,
    *,
    source: tuple[str, ...],
    gist: str = "",
    version: int | None = None,
    reason: str = "",
    code: ReasonCode | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Make a stale claim anew from what stands now; it takes the old one's place.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    text
        What follows now.
    source
        What it rests on: the identifier of a claim or source that stands, repeated.
    gist
        A wording of it for search, marked as a model's.
    version
        The version seen, where the claim is given without one.
    reason
        Why, for the history.
    code
        Why, as a code that stands in the clear.
    """
    name, seen = claim_at(claim, version)
    with acting(options) as session:
        found = session.regenerate(
            name, text, sources=source, gist=gist, version=seen, reason=reason, code=code or ""
        )
        return shown_changed(session, found, name, options)


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
            stands = coded(word(f"standing.{cause.standing.value}"), cause.standing.value)
            words = f" “{line_text(cause.words)}”" if cause.words else ""
            then = f" → {cause.replaced_by}" if cause.replaced_by else ""
            line = Text.assemble(f"{word('stale.because')}:{words} ", stands)
            screen.put(Text.assemble(line, (f"  {cause.id}{then}", DIM)), indent=2)
    if not found:
        screen.put(word("stale.nothing"))
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
