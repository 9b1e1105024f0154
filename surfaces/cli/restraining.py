"""Keeping memory out of use without losing it: pausing, muting, asking to forget."""

from rich.text import Text

from muniment import Extent, ForgetRequest, Mute, PauseChange

from .exits import OK
from .opening import acting, governed
from .options import SessionOptions, claim_at
from .safe import line_text, moment_text
from .showing import DIM, STRONG, Screen, emit, scope_text
from .words import word

_OPTIONS = SessionOptions()


def pause(*, everyone: bool = False, options: SessionOptions = _OPTIONS) -> int:
    """Pause memory: nothing is kept and nothing enters a prompt until it is resumed; nothing is lost.

    All of the person's memory, or with --project or --session only what belongs there.

    Parameters
    ----------
    everyone
        For everybody in --project, --org or --channel: for operators.
    """
    if everyone:
        with governed(options, "Memory.pause") as memory:
            return _paused(options, memory.pause(**_shared(options)))
    with acting(options) as session:
        return _paused(options, session.pause(_extent(options)))


def resume(*, everyone: bool = False, options: SessionOptions = _OPTIONS) -> int:
    """Resume what was paused: all the person paused here, with --project and --session there too.

    Parameters
    ----------
    everyone
        What was paused for everybody in --project, --org or --channel: for operators.
    """
    if everyone:
        with governed(options, "Memory.resume") as memory:
            return _paused(options, memory.resume(**_shared(options)))
    with acting(options) as session:
        return _paused(options, session.resume())


def _extent(options: SessionOptions) -> Extent:
    """Return how far a pause reaches: as far as the options narrow it down."""
    if options.session:
        return Extent.SESSION
    return Extent.PROJECT if options.project else Extent.PERSON


def _shared(options: SessionOptions) -> dict[str, str]:
    return {"project": options.project, "org": options.org, "channel": options.channel}


def _paused(options: SessionOptions, change: PauseChange) -> int:
    if options.json:
        emit(change)
        return OK
    screen = Screen()
    state = change.pausing.value if change.scopes else "unchanged"
    screen.put(Text(word(f"pause.{state}")))
    for scope in change.scopes:
        screen.put(Text(scope_text(scope), style=DIM), indent=2)
    if change.paused:
        where = ", ".join(word(f"extent.{field}") for field in change.paused)
        screen.put(word("pause.held", None, where=where))
    return OK


def mute(claim: str = "", /, *, theme: str = "", options: SessionOptions = _OPTIONS) -> int:
    """Mute a claim, or all that speaks of a theme: it stays listed and is brought up nowhere.

    Parameters
    ----------
    claim
        The claim's identifier.
    theme
        What is not to be brought up, in words.
    """
    with acting(options) as session:
        return shown_mute(options, session.mute(claim_at(claim, None)[0], theme=theme))


def unmute(claim: str = "", /, *, theme: str = "", options: SessionOptions = _OPTIONS) -> int:
    """Let a claim or a theme in again that was muted.

    Parameters
    ----------
    claim
        The claim's identifier.
    theme
        The theme, in the words it was muted with.
    """
    with acting(options) as session:
        return shown_mute(options, session.unmute(claim_at(claim, None)[0], theme=theme))


def mutes(*, options: SessionOptions = _OPTIONS) -> int:
    """List the claims and themes that are muted here."""
    with acting(options) as session:
        found = session.mutes()
    if options.json:
        for item in found:
            emit(item)
        return OK
    for item in found:
        _put_mute(Screen(), item)
    if not found:
        Screen().put(word("mute.nothing"))
    return OK


def shown_mute(options: SessionOptions, found: Mute) -> int:
    """Show what was muted or let in again."""
    if options.json:
        emit(found)
    else:
        _put_mute(Screen(), found)
    return OK


def _put_mute(screen: Screen, item: Mute) -> None:
    about = f"“{line_text(item.theme)}”" if item.theme else item.claim
    told = (word(f"mute.{item.muting.value}"), STRONG)
    by = (f"  {line_text(item.by)}, {moment_text(item.at)}", DIM)
    screen.put(Text.assemble(told, f" {about}", by))


def request_forget(claim: str, /, *, reason: str = "", options: SessionOptions = _OPTIONS) -> int:
    """Ask that a claim be forgotten: it is muted at once and waits for its person.

    Parameters
    ----------
    claim
        The claim's identifier.
    reason
        Why, for the person; it is sealed and goes with the claim.
    """
    with acting(options) as session:
        return _asked(options, session.request_forget(claim_at(claim, None)[0], reason=reason))


def decline_forget(claim: str, /, *, reason: str = "", options: SessionOptions = _OPTIONS) -> int:
    """Decline to forget a claim that somebody asked to; it is let in again.

    Parameters
    ----------
    claim
        The claim's identifier.
    reason
        Why; it is sealed and goes with the claim.
    """
    with acting(options) as session:
        return _asked(options, session.decline_forget(claim_at(claim, None)[0], reason=reason))


def requests(*, options: SessionOptions = _OPTIONS) -> int:
    """List what somebody asked to forget: each waits for erase or for decline-forget."""
    with acting(options) as session:
        found = session.forget_requests()
    if options.json:
        for item in found:
            emit(item)
        return OK
    screen = Screen()
    for item in found:
        _put_request(screen, item)
    screen.put(word("forget.ways" if found else "forget.nothing"))
    return OK


def _asked(options: SessionOptions, found: ForgetRequest) -> int:
    if options.json:
        emit(found)
    else:
        _put_request(Screen(), found)
    return OK


def _put_request(screen: Screen, item: ForgetRequest) -> None:
    words = f" “{line_text(item.words)}”" if item.words else ""
    told = word(f"forget.{item.asking.value}", None, who=line_text(item.by))
    screen.put(Text.assemble((told, STRONG), words, (f"  {item.claim}", DIM)))
    if item.reason:
        screen.put(Text(f"{word('forget.because')}: {line_text(item.reason)}"), indent=2)
