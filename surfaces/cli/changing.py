"""Changing: each command names the version it saw, so nobody's change is lost."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from cyclopts import Parameter

from muniment import ReasonCode, Session
from muniment.claims import Claim

from .exits import OK
from .opening import acting
from .options import SessionOptions, Words, claim_at, moment
from .showing import Screen, claim_block, emit
from .words import word


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ChangeOptions:
    """Which version is changed, and why."""

    version: int | None = None
    """The version seen, where the claim is given without one."""
    reason: str = ""
    """Why, for the history."""
    code: ReasonCode | None = None
    """Why, as a code that stands in the clear."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class GroundOptions:
    """What speaks for it."""

    source: tuple[str, ...] = ()
    """What it rests on: the identifier of a source or claim, repeated."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class NewOptions(GroundOptions):
    """What is said about a claim that takes another's place, or its side; what it is about stays that of the other."""

    gist: str = ""
    """A wording of it for search, marked as a model's."""
    value: str = ""
    """The value it gives the attribute that the other has."""


class How(TypedDict):
    """The arguments that every change of the library has."""

    version: int | None
    reason: str
    code: ReasonCode | str


Changing = Callable[[Session, str, How], Claim]
_OPTIONS, _CHANGE = SessionOptions(), ChangeOptions()
_GROUNDS, _NEW = GroundOptions(), NewOptions()


def changed(claim: str, change: ChangeOptions, options: SessionOptions, do: Changing) -> int:
    """Let a claim be changed as it was seen, and show it with what became of all that rests on it."""
    name, seen = claim_at(claim, change.version)
    with acting(options) as session:
        found = do(session, name, How(version=seen, reason=change.reason, code=change.code or ""))
        return shown_changed(session, found, name, options)


def shown_changed(session: Session, found: Claim, changed: str, options: SessionOptions) -> int:
    """Show a claim after a change, and what became of all that rests on the claim `changed`."""
    after = session.consequences(changed)
    if options.json:
        emit({**found.model_dump(), "consequences": after})
        return OK
    screen = Screen()
    screen.block(claim_block(found, options.person or found.scope.person))
    for sort, names in (("lost", after.lost), ("stale", after.stale)):
        if names:
            screen.put(word(f"change.{sort}", names=", ".join(names)), indent=2)
    for one in after.rescued:
        screen.put(word("change.rescued", claim=one.claim, by=", ".join(one.by)), indent=2)
    if after.repeated:
        screen.put(word("change.repeated", names=", ".join(after.repeated)), indent=2)
    return OK


def confirm(
    claim: str,
    /,
    *,
    grounds: GroundOptions = _GROUNDS,
    expires_at: str = "",
    recheck_at: str = "",
    change: ChangeOptions = _CHANGE,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Say that a claim still holds, and until when.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    expires_at
        From when it is not applied any more.
    recheck_at
        When to check it again.
    """

    def do(session: Session, name: str, how: How) -> Claim:
        ends = moment(expires_at, "--expires-at")
        recheck = moment(recheck_at, "--recheck-at")
        return session.confirm(
            name, sources=grounds.source, expires_at=ends, recheck_at=recheck, **how
        )

    return changed(claim, change, options, do)


def correct(
    claim: str,
    text: Words,
    /,
    *,
    new: NewOptions = _NEW,
    change: ChangeOptions = _CHANGE,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Replace a claim that was wrong; whatever rests on it waits to be made anew.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    text
        What is right.
    """

    def do(session: Session, name: str, how: How) -> Claim:
        return session.correct(
            name, text, sources=new.source, gist=new.gist, value=new.value, **how
        )

    return changed(claim, change, options, do)


def supersede(
    claim: str,
    text: Words,
    /,
    *,
    new: NewOptions = _NEW,
    valid_from: str = "",
    change: ChangeOptions = _CHANGE,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Replace a claim because the world changed; the old one stays true of the past.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    text
        What is true now.
    valid_from
        From when the new one is true; otherwise now.
    """

    def do(session: Session, name: str, how: How) -> Claim:
        begins = moment(valid_from, "--valid-from")
        return session.supersede(
            name,
            text,
            sources=new.source,
            gist=new.gist,
            value=new.value,
            valid_from=begins,
            **how,
        )

    return changed(claim, change, options, do)


def retract(
    claim: str,
    /,
    *,
    grounds: GroundOptions = _GROUNDS,
    change: ChangeOptions = _CHANGE,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Withdraw a claim; it is not offered any more and its history stays.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    """
    return changed(
        claim,
        change,
        options,
        lambda session, name, how: session.retract(name, sources=grounds.source, **how),
    )


def reinstate(
    claim: str,
    /,
    *,
    grounds: GroundOptions = _GROUNDS,
    change: ChangeOptions = _CHANGE,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Let a claim stand again that was withdrawn, corrected or replaced.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    """
    return changed(
        claim,
        change,
        options,
        lambda session, name, how: session.reinstate(name, sources=grounds.source, **how),
    )


def challenge(
    claim: str, text: Words, /, *, new: NewOptions = _NEW, options: SessionOptions = _OPTIONS
) -> int:
    """Contradict a claim; it stays as it is, and a recall gives both.

    Parameters
    ----------
    claim
        The claim's identifier.
    text
        What is said against it.
    """
    return changed(
        claim,
        _CHANGE,
        options,
        lambda session, name, _: session.challenge(
            name, text, sources=new.source, gist=new.gist, value=new.value
        ),
    )


def regenerate(
    claim: str,
    text: Words,
    /,
    *,
    new: NewOptions = _NEW,
    change: ChangeOptions = _CHANGE,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Make a stale claim anew from what stands now; it takes the old one's place.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    text
        What follows now from what stands: name that with --source.
    """

    def do(session: Session, name: str, how: How) -> Claim:
        return session.regenerate(
            name, text, sources=new.source, gist=new.gist, value=new.value, **how
        )

    return changed(claim, change, options, do)
