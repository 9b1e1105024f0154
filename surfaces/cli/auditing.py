"""Auditing: an answer as it was given, and what was recorded later than it claims."""

import re
from collections.abc import Iterator
from datetime import timedelta

from rich.text import Text

from muniment import Difference, Replay, Replayed
from muniment.claims import InvalidError
from muniment.policy import RULES

from .exits import OK
from .opening import acting
from .options import SessionOptions, moment
from .safe import line_text, moment_text
from .showing import (
    DIM,
    STRONG,
    Screen,
    citation_line,
    coded,
    emit,
    known,
    question_line,
    quoted,
    term,
)
from .words import reason_words, rule_words, word

_OPTIONS = SessionOptions()
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def replay(receipt: str, /, *, options: SessionOptions = _OPTIONS) -> int:
    """Give an answer again from its receipt, as of then, and say beside each line what would differ today and why.

    The policy of then is that of the receipt: its choice, order and uses stand as they were given. Erased words do not
    come back. What the same question would find today besides is not part of it: ask it anew.

    Parameters
    ----------
    receipt
        The receipt of an answer.
    """
    with acting(options) as session:
        found = session.replay(receipt)
    if options.json:
        emit(found)
        return OK
    screen = Screen()
    screen.put(question_line(found.asked_at, found.purpose, found.question))
    for place, line in enumerate(found.lines, 1):
        screen.put()
        shown = _replayed(line, options.person)
        screen.put(Text.assemble((f"{place}. ", STRONG), next(shown)), hang=3)
        for part in shown:
            screen.put(part, indent=3)
    screen.put()
    for text in _about(found):
        screen.put(text)
    return OK


def _replayed(line: Replayed, person: str | None) -> Iterator[Text]:
    claim = line.claim
    use = Text("")
    if line.use is not None:
        use = term("use", line.use.value)
    if claim is None:
        yield Text(word("replay.gone"), style=STRONG)
        yield use
    else:
        yield quoted(claim)
        yield Text.assemble(known(claim, person or claim.scope.person), " | ", use)
        for citation in claim.citations:
            yield Text.assemble(f"{word('recall.rests')}: ", citation_line(citation))
    if line.reasons:
        because = ", ".join(line_text(reason_words(item)) for item in line.reasons)
        yield Text(f"{word('recall.because')}: {because}")
    for one in line.today:
        yield Text.assemble(f"{word('replay.today')}: ", _difference(one))
    if not line.today:
        yield Text(word("replay.same"), style=DIM)
    yield Text(f"{line.id}@{line.version}", style=DIM)


def _difference(one: Difference) -> Text:
    """Return what differs: a rule in the reader's language, its particulars as the library words them."""
    if one.code not in RULES:
        return coded(f"{word(f'replay.{one.code}')}: {one.detail}", one.code)
    reason = RULES[one.code].reason
    return coded(f"{rule_words(one.code, reason)}{one.detail.removeprefix(reason)}", one.code)


def _about(found: Replay) -> Iterator[Text]:
    for rule, count in found.withheld:
        held = RULES[rule].reason if rule in RULES else ""
        words = coded(rule_words(rule, held), rule)
        yield Text.assemble(f"{word('recall.withheld')}: {count} × ", words)
    if found.policy is not None:
        applied = "; ".join(found.policy.applied)
        since = moment_text(found.policy.since)
        digest = found.policy.digest[:16]
        yield Text(f"{word('replay.judged', digest=digest, since=since)}: {line_text(applied)}")
    for note in found.notes:
        yield Text(f"{word('recall.note')}: {line_text(note)}")


def backdated(*, since: str = "", by: str = "1d", options: SessionOptions = _OPTIONS) -> int:
    """List what was recorded later than the time it claims: as of that time it was not known.

    Parameters
    ----------
    since
        Only what was recorded from this time on.
    by
        How much later at least, in days, hours or minutes: 7d, 12h, 30m.
    """
    with acting(options) as session:
        found = tuple(session.backdated(since=moment(since, "--since"), by=_span(by)))
    if options.json:
        for one in found:
            emit(one)
        return OK
    screen = Screen()
    for one in found:
        screen.put(Text(f"“{line_text(one.words)}”", style=STRONG))
        recorded = moment_text(one.recorded_at)
        claimed = moment_text(one.claimed) if one.claimed else ""
        screen.put(word(f"backdated.{one.says}", claimed=claimed, recorded=recorded), indent=2)
        if claimed:
            screen.put(word("backdated.effect", claimed=claimed), indent=2)
        screen.put(Text(f"{word(f'node.{one.sort}')} {one.id}", style=DIM), indent=2)
    if not found:
        screen.put(word("backdated.nothing"))
    return OK


def _span(text: str) -> timedelta:
    """Return a span of time given as 7d, 12h or 30m."""
    found = re.fullmatch(r"([1-9][0-9]{0,5})([dhm])", text)
    if found is None:
        raise InvalidError(f"--by {text!r} is no span of time; write it as 7d, 12h or 30m")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
