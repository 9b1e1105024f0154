"""What a file brought in, settled by its origin after a look at it, or marked as the person's own words."""

from muniment import OriginSettled, OwnRequest, ReasonCode
from muniment.claims import Category

from .asking import must_be_at_terminal, prove_here
from .exits import OK, PARTLY
from .opening import acting
from .options import SessionOptions, Words
from .safe import line_text
from .showing import Screen, emit
from .words import word

_OPTIONS = SessionOptions()


def approve_origin(
    origin: Words,
    /,
    *,
    seen: str,
    reason: str = "",
    code: ReasonCode | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Let all that a file brought in and that waits count, as from outside as before.

    Parameters
    ----------
    origin
        The origin, as review shows it.
    seen
        What review shows beside it: it names exactly what was looked at.
    reason
        Why, for the history.
    code
        Why, as a code that stands in the clear.
    """
    with acting(options) as session:
        prove_here(session)
        settled = session.approve_origin(origin, seen=seen, reason=reason, code=code or "")
    return _told(settled, "review.approved", options)


def reject_origin(
    origin: Words,
    /,
    *,
    seen: str,
    reason: str = "",
    code: ReasonCode | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Let all that a file brought in and that waits never count.

    Parameters
    ----------
    origin
        The origin, as review shows it.
    seen
        What review shows beside it: it names exactly what was looked at.
    reason
        Why, for the history.
    code
        Why, as a code that stands in the clear.
    """
    with acting(options) as session:
        settled = session.reject_origin(origin, seen=seen, reason=reason, code=code or "")
    return _told(settled, "review.rejected", options)


def _told(settled: OriginSettled, said: str, options: SessionOptions) -> int:
    if options.json:
        emit(settled)
    else:
        Screen().put(word(said, count=settled.claims, origin=line_text(settled.origin)))
    return OK


def mark_own(
    source: str = "",
    /,
    *,
    origin: str = "",
    category: Category = Category.FACT,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Mark a paste, a dictation or a file as the person's own words, after showing it; at a terminal, with her secret.

    Parameters
    ----------
    source
        The message with the paste, or the document.
    origin
        Or all that a file brought in, by its origin.
    category
        What the words become; no further than a preference, and no account or contact.
    """
    with acting(options) as session:
        request = session.request_own(source, origin=origin, category=category)
        must_be_at_terminal(options, "words are marked as one's own")
        _show(request)
        if input(f"{word('mark.ask')} ").strip() != "mine":
            Screen().put(word("mark.kept"))
            return PARTLY
        prove_here(session, needed=True)
        marked = session.mark_own(request.nonce, digest=request.digest)
    Screen().put(word("mark.done", count=len(marked.claims)))
    return PARTLY if marked.left_out else OK


def _show(request: OwnRequest) -> None:
    screen = Screen()
    screen.put(word("mark.what", count=request.lines, reach=request.reach))
    for line in request.sample:
        screen.put(f"“{line_text(line)}”", indent=2)
    if request.lines > len(request.sample):
        screen.put(word("review.sample", origin=line_text(request.origin)), indent=2)
    if request.hidden:
        screen.put(word("mark.hidden", count=request.hidden), indent=2)
