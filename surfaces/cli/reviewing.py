"""What waits for the person, and her endorsement: each looked at whole, and settled one at a time."""

from collections.abc import Iterator
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from muniment import EndorsementRequest, OriginReview, ReviewItem, Session
from muniment.claims import Category, Citation, Claim, MunimentError

from .asking import (
    asked,
    chosen,
    is_somebody_there,
    must_be_at_terminal,
    prove_here,
    secret_typed,
)
from .changing import ChangeOptions, How, changed
from .exits import OK, PARTLY
from .opening import acting
from .options import SessionOptions, Words, claim_at, moment
from .safe import line_text, moment_text, page_text
from .showing import (
    DIM,
    STRONG,
    Screen,
    about,
    citation_line,
    claim_block,
    emit,
    grid,
    known,
    reference,
    ruled,
    scope_text,
    slot_line,
    stands,
    term,
)
from .words import word

_OPTIONS, _CHANGE = SessionOptions(), ChangeOptions()


def set_secret(*, options: SessionOptions = _OPTIONS) -> int:
    """Set the secret by which the person proves that it is she; it is typed at the terminal, twice."""
    with acting(options) as session:
        former = secret_typed("former") if session.needs_secret else ""
        session.set_secret(secret_typed("new", again=True), former=former)
    if options.json:
        emit({"set": True})
    else:
        Screen().put(word("secret.set"))
    return OK


def review(
    *,
    listed: Annotated[bool, Parameter(name="--list")] = False,
    origin: str = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """Go through what waits for the person one at a time; where nobody is at a terminal, list it.

    Each is shown whole, with where it came from and what it would do. Unless she says otherwise it is kept as a
    quotation: out of use, and nobody asks again. What a file brought in is one item, with a sample.

    Parameters
    ----------
    listed
        Only list what waits.
    origin
        Every line that a file brought in, by its origin, and nothing else.
    """
    with acting(options) as session:
        found = tuple(session.review(origin=origin))
        screen, asks = Screen(), not listed and is_somebody_there(options)
        for place, item in enumerate(found, 1):
            if options.json:
                emit(item)
                continue
            if asks:
                screen.put(word("review.place", place=place, all=len(found)))
            show_item(screen, item, session)
            if asks and not _settled(screen, session, item):
                return PARTLY
        origins = () if origin else tuple(session.review_origins())
    for waiting in origins:
        if options.json:
            emit(waiting)
        else:
            _show_origin(screen, waiting)
    if not found and not origins and not options.json:
        screen.put(word("review.nothing"))
    return OK


_SHOWN = 800  # code points of a source that a claim was made from without quoting it
_ANSWERS = {
    "": "keep",
    **{
        answer[:size]: answer
        for answer in ("approve", "edit", "reject", "later", "stop")
        for size in (1, 7)
    },
}


def _settled(screen: Screen, session: Session, item: ReviewItem) -> bool:
    """Let the person decide about one thing that waits; return whether she goes on."""
    answer = chosen(word("review.ask"), _ANSWERS)
    if answer == "stop":
        return False
    text = asked(word("review.instead")) if answer == "edit" else ""
    if answer == "edit" and not text:
        answer = "later"
    if answer == "keep":
        session.keep_as_quotation(item.claim)
    elif answer == "reject":
        session.reject(item.claim)
    elif answer in ("approve", "edit"):
        prove_here(session)
        session.approve(item.claim, text=text, digest=item.digest)
    screen.put(word(f"review.{answer}"))
    return True


def show_item(screen: Screen, item: ReviewItem, session: Session | None = None) -> None:
    """Put on the screen all that somebody has to see of a claim before she decides; the person, its sources too."""
    claim = item.claim
    screen.put(
        Text.assemble((f"“{line_text(item.shown)}”", STRONG), (f"  {reference(claim)}", DIM))
    )
    for line in _item_lines(item):
        screen.put(line, indent=2)
    for step in item.line.path:
        screen.put(citation_line(step.citation), indent=2 * step.depth)
        for words in _original(session, step.citation) if session else ():
            screen.put(Text(f"│ {words}"), indent=2 * step.depth + 2)
    for other in item.replaces:
        screen.put(Text.assemble(term("relation", other.how), (f"  {other.claim}", DIM)), indent=2)
    for hint in item.hints:
        screen.put(Text(line_text(word(f"hint.{hint}")), style="yellow"), indent=2)
    if item.replaces:
        heads = (word("review.now"), word("review.then"))
        screen.table(grid(heads, ((f"“{one.shown}”", f"“{item.shown}”") for one in item.replaces)))


def _original(session: Session, citation: Citation) -> list[str]:
    """Return the lines of a source whose words a claim does not quote, cut short: she sees what it was made from."""
    if citation.medium is None or citation.quote:
        return []
    try:
        text = session.source(citation.id).text
    except MunimentError:  # revoked, or its key is gone: there is nothing to show
        return []
    more = "…" if len(text) > _SHOWN else ""
    return [*page_text(text[:_SHOWN]).split("\n"), more] if more else page_text(text).split("\n")


def _item_lines(item: ReviewItem) -> Iterator[Text]:
    claim = item.claim
    yield Text(" | ").join((known(claim, claim.scope.person), about(claim), stands(claim)))
    if claim.quote and claim.gist:
        yield Text(f"{word('recall.gist')}: {line_text(claim.gist)}")
    yield from slot_line(claim)
    why = ruled(claim.decision)
    yield Text.assemble(f"{word('review.by', by=line_text(item.by))}: ", why)
    yield Text.assemble(f"{word('review.reach')}: ", term("authority", item.reach))
    yield Text(f"{word('review.scope')}: {scope_text(claim.scope)}")
    ends = moment_text(claim.expires_at) if claim.expires_at else word("review.no_end")
    yield Text(f"{word('claim.expires')}: {ends}")
    yield Text(f"{word('claim.origins')}: {line_text(', '.join(claim.origins))}")


def _show_origin(screen: Screen, item: OriginReview) -> None:
    """Draw all that waits from one origin: how much it is, a sample, and how it is settled."""
    told = word("review.origin", origin=line_text(item.origin), count=item.claims)
    screen.put(Text.assemble((told, STRONG), (f"  {item.seen}", DIM)))
    screen.put(Text.assemble(f"{word('review.reach')}: ", term("authority", item.reach)), indent=2)
    if item.hidden:
        screen.put(word("review.hidden", count=item.hidden), indent=2)
    for line in item.sample:
        screen.put(f"“{line_text(line)}”", indent=4)
    if item.claims > len(item.sample):
        screen.put(word("review.sample", origin=line_text(item.origin)), indent=2)
    screen.put(word("review.settle", origin=line_text(item.origin), seen=item.seen), indent=2)


def approve(
    claim: str,
    text: Words = "",
    /,
    *,
    digest: str = "",
    change: ChangeOptions = _CHANGE,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Let a claim that waits count; with TEXT, what the person writes herself counts in its place.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    text
        What is so instead, in the person's own words.
    digest
        The digest of what `review --json` showed; refused where that is not exactly what is there now.
    """

    def do(session: Session, name: str, how: How) -> Claim:
        prove_here(session)
        return session.approve(name, text=text, digest=digest, **how)

    return changed(claim, change, options, do)


def reject(
    claim: str, /, *, change: ChangeOptions = _CHANGE, options: SessionOptions = _OPTIONS
) -> int:
    """Let a claim that waits never count; the same, said again by an agent, is refused.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    """
    return changed(claim, change, options, lambda session, name, how: session.reject(name, **how))


def keep_as_quotation(
    claim: str, /, *, change: ChangeOptions = _CHANGE, options: SessionOptions = _OPTIONS
) -> int:
    """Keep a claim that waits as a quotation: it stays out of use, and nobody asks about it again.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    """
    return changed(
        claim,
        change,
        options,
        lambda session, name, how: session.keep_as_quotation(name, **how),
    )


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
        must_be_at_terminal(options, "a claim is endorsed")
        _show_request(session, request)
        answers = {"": "keep", "endorse": "endorse", "later": "later"}
        answer = chosen(word("endorse.ask"), answers)
        if answer == "endorse":
            prove_here(session, needed=True)
            made = session.endorse(request.nonce, digest=request.digest)
            Screen().block(claim_block(made, options.person or made.scope.person))
            return OK
        if answer == "keep":
            session.decline_endorsement(request.nonce)
        Screen().put(word("review.keep" if answer == "keep" else "review.later"))
        return PARTLY


def _show_request(session: Session, request: EndorsementRequest) -> None:
    screen = Screen()
    show_item(screen, request.item, session)
    until = moment_text(request.expires_at)
    effect = word("endorse.effect", until=until, scope=scope_text(request.scope))
    levels = (term("category", request.category.value), term("authority", request.reach))
    screen.put(Text.assemble((effect, STRONG), " ", Text(", ").join(levels)), indent=2)
