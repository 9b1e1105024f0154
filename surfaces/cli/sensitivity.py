"""Saying what is sensitive: a claim, or the scope of the session, and letting it be ordinary again."""

from rich.text import Text

from muniment import SensitiveChange

from .exits import OK
from .opening import acting
from .options import SessionOptions, claim_at
from .safe import line_text
from .showing import DIM, STRONG, Screen, emit
from .words import word

_OPTIONS = SessionOptions()


def declare_sensitive(
    claim: str = "", /, *, admit: tuple[str, ...] = (), options: SessionOptions = _OPTIONS
) -> int:
    """Declare a claim sensitive, or without one the scope of this session; the person alone.

    A sensitive claim comes on explicit need only. A sensitive scope has a key and an index of its own, and answers only
    its owner.

    Parameters
    ----------
    claim
        The claim's identifier; without one it is the scope that --person, --project and the like name.
    admit
        An agent that may act for the person in the scope, repeated; * is whichever the host names.
    """
    with acting(options) as session:
        return _told(options, session.declare_sensitive(_named(claim), agents=admit))


def lift_sensitive(claim: str = "", /, *, options: SessionOptions = _OPTIONS) -> int:
    """Let a claim, or without one the scope of this session, be ordinary again; the person alone.

    Parameters
    ----------
    claim
        The claim's identifier; without one it is the scope that --person, --project and the like name.
    """
    with acting(options) as session:
        return _told(options, session.lift_sensitive(_named(claim)))


def sensitive(*, options: SessionOptions = _OPTIONS) -> int:
    """List the scopes and claims that are declared sensitive here."""
    with acting(options) as session:
        found = session.sensitive()
    if options.json:
        for item in found:
            emit(item)
        return OK
    for item in found:
        _put(Screen(), item)
    if not found:
        Screen().put(word("sensitive.nothing"))
    return OK


def _named(claim: str) -> str:
    return claim_at(claim, None)[0] if claim else ""


def _told(options: SessionOptions, change: SensitiveChange) -> int:
    if options.json:
        emit(change)
    else:
        _put(Screen(), change)
    return OK


def _put(screen: Screen, item: SensitiveChange) -> None:
    fields = ", ".join(f"{field} {line_text(name)}" for field, name in item.scope.named().items())
    state = item.sensitivity.value if item.changed else "unchanged"
    screen.put(
        Text.assemble((word(f"sensitive.{state}"), STRONG), f" {item.claim}", (f"  {fields}", DIM))
    )
    if item.agents:
        agents = ", ".join(line_text(agent) for agent in item.agents)
        screen.put(Text(word("sensitive.admitted", agents=agents)), indent=2)
