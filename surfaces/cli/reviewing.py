"""What waits for the person, and her endorsement: each looked at whole, and settled one at a time."""

import os
import sys
from getpass import getpass

from rich.text import Text

from muniment import EndorsementRequest, ReasonCode, ReviewItem, Session
from muniment.claims import Category, InvalidError

from .changing import shown_changed
from .exits import OK, PARTLY
from .opening import acting
from .options import SessionOptions, Words, claim_at, moment
from .safe import line_text, moment_text
from .showing import DIM, STRONG, Screen, citation_line, claim_block, emit, reference, ruled
from .words import word

_OPTIONS = SessionOptions()


def prove_here(session: Session, *, needed: bool = False) -> None:
    """Ask for the person's secret at the terminal where one is needed; it is read from nowhere else."""
    if session.needs_secret or needed:
        session.prove(_typed(word("secret.ask")))


def _typed(prompt: str) -> str:
    """Return what is typed at the terminal itself, whatever standard input is."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        raise InvalidError("the secret is typed at a terminal and read from nowhere else") from None
    return getpass(f"{prompt}: ")


def set_secret(*, options: SessionOptions = _OPTIONS) -> int:
    """Set the secret by which the person proves that it is she; it is typed at the terminal, twice."""
    with acting(options) as session:
        former = _typed(word("secret.former")) if session.needs_secret else ""
        secret = _typed(word("secret.new"))
        if secret != _typed(word("secret.again")):
            raise InvalidError("the two are not the same; nothing was changed")
        session.set_secret(secret, former=former)
    if options.json:
        emit({"set": True})
    else:
        Screen().put(word("secret.set"))
    return OK


def review(*, options: SessionOptions = _OPTIONS) -> int:
    """List what waits for the person, each with its words, where they came from and what it would do."""
    with acting(options) as session:
        found = tuple(session.review())
    screen = Screen()
    for item in found:
        if options.json:
            emit(item)
        else:
            _show(screen, item)
    if not found and not options.json:
        screen.put(word("review.nothing"))
    return OK


def _show(screen: Screen, item: ReviewItem) -> None:
    screen.put(
        Text.assemble((f"“{line_text(item.shown)}”", STRONG), (f"  {reference(item.claim)}", DIM))
    )
    screen.put(ruled(item.claim.decision), indent=2)
    screen.put(word("review.reach", reach=item.reach), indent=2)
    for step in item.line.path:
        screen.put(citation_line(step.citation), indent=2 * step.depth)
    for name in item.replaces:
        screen.put(word("review.replaces", claim=name), indent=2)
    for hint in item.hints:
        screen.put(Text(line_text(word(f"hint.{hint}")), style="yellow"), indent=2)
    if item.claim.expires_at:
        screen.put(f"{word('claim.expires')} {moment_text(item.claim.expires_at)}", indent=2)


def approve(
    claim: str,
    text: Words = "",
    /,
    *,
    version: int | None = None,
    reason: str = "",
    code: ReasonCode | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Let a claim that waits count; with TEXT, what the person writes herself counts in its place.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    text
        What is so instead, in the person's own words.
    version
        The version seen, where the claim is given without one.
    reason
        Why, for the history.
    code
        Why, as a code that stands in the clear.
    """
    name, seen = claim_at(claim, version)
    with acting(options) as session:
        prove_here(session)
        found = session.approve(name, text=text, version=seen, reason=reason, code=code or "")
        return shown_changed(session, found, name, options)


def reject(
    claim: str,
    /,
    *,
    version: int | None = None,
    reason: str = "",
    code: ReasonCode | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Let a claim that waits never count; the same, said again by an agent, is refused.

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
        found = session.reject(name, version=seen, reason=reason, code=code or "")
        return shown_changed(session, found, name, options)


def endorse(
    claim: str,
    /,
    *,
    category: Category | None = None,
    expires_at: str = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """Make what a claim says the person's own, after showing it whole; unless she says endorse it stays a quotation.

    Parameters
    ----------
    claim
        The claim's identifier.
    category
        As what it is endorsed, where that is not its own category.
    expires_at
        Until when it holds: thirty days unless said, ninety at most.
    """
    with acting(options) as session:
        ends = moment(expires_at, "--expires-at")
        request = session.request_endorsement(
            claim_at(claim, None)[0], category=category or "", expires_at=ends
        )
        if options.json or not sys.stdin.isatty():
            raise InvalidError("a claim is endorsed at a terminal, by the person who looks at it")
        _show_request(request)
        answer = input(f"{word('endorse.ask')} ").strip()
        if answer == "endorse":
            prove_here(session, needed=True)
            made = session.endorse(request.nonce, digest=request.digest)
            Screen().block(claim_block(made, options.person or made.scope.person))
            return OK
        if answer == "decline":
            session.decline_endorsement(request.nonce)
        Screen().put(word("endorse.kept"))
        return PARTLY


def _show_request(request: EndorsementRequest) -> None:
    screen = Screen()
    _show(screen, request.item)
    screen.put(
        word("endorse.effect", reach=request.reach, until=moment_text(request.expires_at)), indent=2
    )
