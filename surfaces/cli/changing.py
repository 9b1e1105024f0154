"""Changing: each command names the version it saw, so nobody's change is lost."""

from muniment.claims import Claim

from .exits import OK
from .opening import acting
from .options import SessionOptions, Words, claim_at, moment
from .showing import Screen, claim_block, emit

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
        )
    return _shown(options, found)


def correct(
    claim: str,
    text: Words,
    /,
    *,
    source: tuple[str, ...] = (),
    gist: str = "",
    version: int | None = None,
    reason: str = "",
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
    """
    name, seen = claim_at(claim, version)
    with acting(options) as session:
        found = session.correct(name, text, sources=source, gist=gist, version=seen, reason=reason)
    return _shown(options, found)


def supersede(
    claim: str,
    text: Words,
    /,
    *,
    source: tuple[str, ...] = (),
    gist: str = "",
    version: int | None = None,
    reason: str = "",
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
    version
        The version seen, where the claim is given without one.
    reason
        Why, for the history.
    """
    name, seen = claim_at(claim, version)
    with acting(options) as session:
        found = session.supersede(
            name, text, sources=source, gist=gist, version=seen, reason=reason
        )
    return _shown(options, found)


def retract(
    claim: str,
    /,
    *,
    version: int | None = None,
    reason: str = "",
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
    """
    name, seen = claim_at(claim, version)
    with acting(options) as session:
        found = session.retract(name, version=seen, reason=reason)
    return _shown(options, found)


def _shown(options: SessionOptions, claim: Claim) -> int:
    if options.json:
        emit(claim)
    else:
        Screen().block(claim_block(claim, options.person or claim.scope.person))
    return OK
