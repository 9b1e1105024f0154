"""Legal holds: what may not be destroyed until an operator lets go of it."""

from rich.text import Text

from muniment import Hold
from muniment.claims import InvalidError

from .exits import OK
from .opening import governed
from .options import StoreOptions
from .safe import line_text, moment_text
from .showing import DIM, Screen, emit
from .words import word

_STORE = StoreOptions()


def hold(
    thing: str = "",
    /,
    *,
    person: str = "",
    reason: str = "",
    release: bool = False,
    options: StoreOptions = _STORE,
) -> int:
    """Keep a claim, a source or everything of a person from being destroyed; alone, list the holds; for operators.

    Parameters
    ----------
    thing
        The identifier of the claim or the source; with --release also that of the hold.
    person
        The person, instead of an identifier.
    reason
        Why; it is sealed, and shown to operators only.
    release
        Let go of it again.
    """
    name = thing.partition("@")[0]
    with governed(options, "Memory.hold") as memory:
        if not name and not person:
            if release or reason:
                raise InvalidError("name what is meant: an identifier, or --person NAME")
            return _listed(memory.holds(), as_json=options.json)
        done = memory.release if release else memory.hold
        found = done(name, reason, person=person)
    if options.json:
        emit(found)
    else:
        key = "hold.released" if release else "hold.held"
        Screen().put(Text.assemble(word(key), f"  {found.target}", (f"  {found.id}", DIM)))
    return OK


def _listed(found: tuple[Hold, ...], *, as_json: bool) -> int:
    if as_json:
        for one in found:
            emit(one)
        return OK
    screen = Screen()
    for one in found:
        why = f"  {line_text(one.reason)}" if one.reason else ""
        since = moment_text(one.held_at)
        screen.put(Text.assemble(f"{one.target}  {since}{why}", (f"  {one.id}", DIM)))
    if not found:
        screen.put(word("hold.nothing"))
    return OK
