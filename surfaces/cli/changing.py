"""Changing: each command names the version it saw, so nobody's change is lost."""

from muniment import ReasonCode, Session
from muniment.claims import Claim

from .exits import OK
from .opening import acting
from .options import SessionOptions, Words, claim_at, moment
from .showing import Screen, claim_block, emit
from .words import word

_OPTIONS = SessionOptions()


def confirm(
    claim: str,
    /,
    *,
    source: tuple[str, ...] = (),
    expires_at: str = "",
    recheck_at: str = "",
    version: int | None = None,
    reason: str = "",
    code: ReasonCode | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Say that a claim still holds, and until when.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    source
        What confirms it: the identifier of a source, repeated.
    expires_at
        From when it is not applied any more.
    recheck_at
        When to check it again.
    version
        The version seen, where the claim is given without one.
    reason
        Why, for the history.
    code
        Why, as a code that stands in the clear.
    """
    name, seen = claim_at(claim, version)
    with acting(options) as session:
        found = session.confirm(
            name,
            sources=source,
            expires_at=moment(expires_at, "--expires-at"),
            recheck_at=moment(recheck_at, "--recheck-at"),
            version=seen,
            reason=reason,
            code=code or "",
        )
        return shown_changed(session, found, name, options)


def correct(
    claim: str,
    text: Words,
    /,
    *,
    source: tuple[str, ...] = (),
    gist: str = "",
    version: int | None = None,
    reason: str = "",
    code: ReasonCode | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Replace a claim that was wrong; whatever rests on it waits to be made anew.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    text
        What is right.
    source
        Where that stands: the identifier of a source, repeated.
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
        found = session.correct(
            name, text, sources=source, gist=gist, version=seen, reason=reason, code=code or ""
        )
        return shown_changed(session, found, name, options)


def supersede(
    claim: str,
    text: Words,
    /,
    *,
    source: tuple[str, ...] = (),
    gist: str = "",
    valid_from: str = "",
    version: int | None = None,
    reason: str = "",
    code: ReasonCode | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Replace a claim because the world changed; the old one stays true of the past.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    text
        What is true now.
    source
        Where that stands: the identifier of a source, repeated.
    gist
        A wording of it for search, marked as a model's.
    valid_from
        From when the new one is true; otherwise now.
    version
        The version seen, where the claim is given without one.
    reason
        Why, for the history.
    code
        Why, as a code that stands in the clear.
    """
    name, seen = claim_at(claim, version)
    with acting(options) as session:
        found = session.supersede(
            name,
            text,
            sources=source,
            gist=gist,
            valid_from=moment(valid_from, "--valid-from"),
            version=seen,
            reason=reason,
            code=code or "",
        )
        return shown_changed(session, found, name, options)


def retract(
    claim: str,
    /,
    *,
    version: int | None = None,
    reason: str = "",
    code: ReasonCode | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Withdraw a claim; it is not offered any more and its history stays.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    version
        The version seen, where the claim is given without one.
    reason
        Why, for the history.
    code
        Why, as a code that stands in the clear.
    """
    name, seen = claim_at(claim, version)
    with acting(options) as session:
        found = session.retract(name, version=seen, reason=reason, code=code or "")
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
