"""Erasing: what would go is shown first, and nothing goes without a yes."""

import sys
from collections.abc import Callable, Iterator

from rich.text import Text

from muniment import Erasure
from muniment.claims import InvalidError

from .exits import OK, PARTLY
from .identity import require_operator
from .opening import acting, opened
from .options import SessionOptions, StoreOptions
from .reviewing import prove_here
from .safe import line_text
from .showing import DIM, Screen, emit

_SESSION = SessionOptions()
_STORE = StoreOptions()


def erase(
    thing: str,
    /,
    *,
    basis: str = "",
    reason: str = "",
    dry_run: bool = False,
    yes: bool = False,
    options: SessionOptions = _SESSION,
) -> int:
    """Destroy a claim or a source with everything written from it; only the person whose it is may.

    Parameters
    ----------
    thing
        The identifier of the claim or the source.
    basis
        On what ground: request, consent, purpose, objection, unlawful or duty.
    reason
        Why; it is sealed beside the tombstone, so do not repeat the words.
    dry_run
        Only show what would go.
    yes
        Do not ask.
    """
    name = thing.partition("@")[0]
    with acting(options) as session:

        def go(dry: bool) -> Erasure:
            return session.erase(name, basis=basis, reason=reason, dry_run=dry)

        if not dry_run:
            prove_here(session)
        return carried_out(go, dry_run=dry_run, yes=yes, as_json=options.json)


def erase_person(
    name: str,
    /,
    *,
    basis: str = "",
    reason: str = "",
    dry_run: bool = False,
    yes: bool = False,
    options: StoreOptions = _STORE,
) -> int:
    """Destroy everything of a person, what she said in shared channels and her name too; for operators.

    Parameters
    ----------
    name
        The person.
    basis
        On what ground: request, consent, purpose, objection, unlawful or duty.
    reason
        Why; it is sealed beside the tombstone, so do not repeat the words.
    dry_run
        Only show what would go.
    yes
        Do not ask.
    """
    with opened(options) as memory:
        require_operator(memory, "erase-person")

        def go(dry: bool) -> Erasure:
            return memory.erase_person(name, basis=basis, reason=reason, dry_run=dry)

        return carried_out(go, dry_run=dry_run, yes=yes, as_json=options.json)


def carried_out(go: Callable[[bool], Erasure], *, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Show what would go, ask, destroy, and show what went; return the exit code."""
    if not dry_run and not yes:
        if as_json or not sys.stdin.isatty():
            raise InvalidError("nobody is there to ask; look with --dry-run, then say --yes")
        _show(go(True))
        if input("Destroy this for good? Type yes: ").strip() != "yes":
            return PARTLY
    erasure = go(dry_run)
    if as_json:
        emit(erasure)
    else:
        _show(erasure)
    return OK


def _show(erasure: Erasure) -> None:
    screen = Screen()
    for line in _lines(erasure):
        screen.put(Text(line_text(line)))
    if erasure.id:
        screen.put(Text(f"tombstone {erasure.id}", style=DIM))


def _lines(erasure: Erasure) -> Iterator[str]:
    verb = "would go" if erasure.dry_run else "destroyed"
    yield (
        f"{verb}: {len(erasure.sources)} sources, {len(erasure.claims)} claims, "
        f"{erasure.renderings} wordings, {erasure.names} names, {erasure.keys} keys"
    )
    for name in (*erasure.sources, *erasure.claims):
        yield f"  {name}"
    if erasure.receipts:
        yield f"{erasure.receipts} recalls lose their question and scores: they share a key of the day"
    if erasure.lines:
        yield f"{erasure.lines} lines of the always-on block go"
    for one in erasure.survivors:
        yield f"{one.claim} stays, by {', '.join(one.by)}"
    for name in erasure.lost:
        yield f"{name} stays and rests on nothing any more"
    for name in erasure.remaining:
        yield f"source {name} still holds the words; erase it too"
