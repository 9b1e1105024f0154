"""Explaining: why an answer said what it said, what rests on what, what happened to a claim."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from muniment import Attached, Explanation, Node, Reason
from muniment.claims import InvalidError, Kind
from muniment.policy import RULES

from .answering import why_not
from .exits import OK
from .opening import acting
from .options import SessionOptions, Words, claim_at, moment
from .safe import json_line, line_text, moment_text
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
    reference,
    ruled,
    term,
)
from .tree import Drawing
from .words import reason_words, rule_words, word

_OPTIONS = SessionOptions()


def why(
    thing: str = "",
    /,
    *,
    claim: str = "",
    line: int = 0,
    text: Words = "",
    around: str = "",
    not_: Annotated[str, Parameter(name="--not")] = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """Explain an answer or a claim, a line of a prompt or a sentence of an answer, down to the words it rests on.

    Parameters
    ----------
    thing
        The receipt of an answer, the identifier of a claim, or the host's trace id of an answer.
    claim
        Only the line of this claim, of all that the receipt holds.
    line
        Only this line of the prompt made of the receipt, counted from 1.
    text
        A sentence of an answer that was attached: on what of memory it rests, if on any.
    around
        The day or the time when that was answered, such as 2026-03-02; otherwise now. Three days on each side count.
    not_
        A claim that is not in the answer of the receipt: which step dropped it.
    """
    if not_ and (claim or line or text or around):
        raise InvalidError("write it as: muniment why --not CLAIM RECEIPT")
    day = _around(around)
    with acting(options) as session:
        if not_:
            return why_not(session, not_, thing, options)
        name = claim_at(thing, None)[0] if thing else ""
        wanted = claim_at(claim, None)[0]
        found = session.why(name, claim=wanted, line=line, text=text, around=day)
    if options.json:
        emit(found)
        return OK
    screen = Screen()
    if found.from_memory is not None:
        screen.put(Text.assemble(term("from_memory", found.from_memory.value)), hang=2)
    if found.asked_at is not None:
        screen.put(question_line(found.asked_at, found.purpose, found.question))
    for place in range(len(found.lines)):
        screen.put()
        screen.block(_explained(found, place, options.person))
    screen.put()
    for rule, count in found.withheld:
        held = RULES[rule].reason if rule in RULES else ""
        screen.put(
            Text.assemble(
                f"{word('recall.withheld')}: {count} × ", coded(rule_words(rule, held), rule)
            )
        )
    for note in found.notes:
        screen.put(Text(f"{word('recall.note')}: {line_text(note)}"))
    if found.looked is not None:
        looked = found.looked
        counts = {"receipts": looked.receipts, "answers": looked.answers}
        days = {"since": looked.since.date(), "until": looked.until.date()}
        screen.put(word("why.looked", None, **counts, **days))
    for one in found.answers:
        screen.block(_attached(one))
    return OK


def _around(text: str) -> date | datetime | None:
    """Return the day or the time an option holds, None where it was not given."""
    if len(text) > len("2026-12-31"):
        return moment(text, "--around")
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise InvalidError(
            f"--around {text!r} is no day; write it as 2026-12-31, or as 2026-12-31T18:00:00+09:00"
        ) from None


def _attached(one: Attached) -> Iterator[Text]:
    by = f", {line_text(one.model)}" if one.model else ""
    trace = f", {word('why.trace')} {line_text(one.trace)}" if one.trace else ""
    yield Text(f"{word('why.answered')} {moment_text(one.attached_at)}{by}{trace}")
    for line in one.answer.splitlines():
        yield Text(f"│ {line_text(line)}")
    if one.parameters:
        yield Text(line_text(json_line(one.parameters)), style=DIM)
    for note in one.notes:
        yield Text(f"{word('recall.note')}: {line_text(note)}")


def _explained(found: Explanation, place: int, person: str | None) -> Iterator[Text]:
    line = found.lines[place]
    yield quoted(line.claim)
    known_as = known(line.claim, person or line.claim.scope.person)
    if line.use is not None:
        known_as = Text.assemble(known_as, " | ", term("use", line.use.value))
    yield known_as
    if line.shared:
        shared = ", ".join(_shared(item) for item in line.shared)
        yield Text(f"{word('why.shared')}: {line_text(shared)}")
    yield Text.assemble(f"{word('claim.decided')}: ", ruled(line.decision))
    if line.reasons:
        because = ", ".join(line_text(reason_words(item)) for item in line.reasons)
        yield Text(f"{word('recall.because')}: {because}")
    for step in line.path:
        inner = "  " * (step.depth - 1)
        yield Text.assemble(f"{inner}{word('recall.rests')}: ", citation_line(step.citation))
    yield Text(f"{reference(line.claim)}", style=DIM)


def _shared(reason: Reason) -> str:
    return f"{reason_words(reason)}: {reason.detail}" if reason.detail else reason_words(reason)


def trace(thing: str, /, *, options: SessionOptions = _OPTIONS) -> int:
    """Show what a claim rests on and what rests on it, both ways, to the end; of a source, what rests on it.

    Parameters
    ----------
    thing
        The identifier of a claim, or of a source.
    """
    with acting(options) as session:
        found = session.trace(claim_at(thing, None)[0])
    if options.json:
        emit(found)
        return OK
    screen = Screen()
    drawn = Drawing(found)
    for title, lines in (
        ("trace.self", [(0, found.claim, "")]),
        ("trace.on", list(drawn.below(found.claim))),
        ("trace.under", list(drawn.above(found.claim))),
        ("trace.beside", list(drawn.beside(found.claim))),
    ):
        if lines:
            screen.put(Text(word(title), style=STRONG))
        for depth, identifier, relation in lines:
            node = drawn.nodes[identifier]
            author = f"  {line_text(node.author)}" if node.author else ""
            words = f"“{line_text(node.words)}”{author}"
            how = Text(", ").join(_how(node, relation))
            line = Text.assemble(words, "  ", how, (f"  {node.id}", DIM))
            screen.put(line, indent=2 * depth)
    return OK


def _how(node: Node, relation: str) -> Iterator[Text]:
    """Yield how one thing in a lineage bears on what is traced, was made, what it is worth and how it stands."""
    if relation:
        yield term("relation", relation)
    yield term("kind" if node.made in tuple(Kind) else "medium", node.made)
    yield term("integrity", node.integrity.name)
    if node.standing:
        yield term("standing", node.standing)


def support(claim: str, /, *, options: SessionOptions = _OPTIONS) -> int:
    """Show how many independent origins stand behind a claim, and why mentions of one origin are one.

    Parameters
    ----------
    claim
        The claim's identifier.
    """
    with acting(options) as session:
        name = claim_at(claim, None)[0]
        found, shown = session.evidence_of(name), session.claim(name)
    if options.json:
        emit(found)
        return OK
    screen = Screen()
    screen.put(quoted(shown))
    count = (
        str(found.independent) if found.exact else word("support.least", count=found.independent)
    )
    screen.put(Text(f"{word('support.independent')}: {count}", style=STRONG), indent=2)
    for line in found.why:
        screen.put(Text(line_text(line)), indent=2)
    return OK


def history(claim: str, /, *, options: SessionOptions = _OPTIONS) -> int:
    """Show what happened to a claim: who did what, when and why.

    Parameters
    ----------
    claim
        The claim's identifier.
    """
    with acting(options) as session:
        changes = session.history(claim_at(claim, None)[0])
    if options.json:
        for change in changes:
            emit(change)
        return OK
    screen = Screen()
    for change in changes:
        when = f"{change.version}. {moment_text(change.recorded_at)}, {line_text(change.by)}: "
        did, stands = term("verb", change.verb), term("standing", change.standing)
        screen.put(Text.assemble((when, STRONG), did, " → ", stands))
        screen.put(ruled(change.decision), indent=3)
        if change.lost:
            screen.put(word("history.lost", count=change.lost), indent=3)
        if change.code or change.reason or change.other:
            code = (term("code", change.code),) if change.code else ()
            said = (Text(line_text(item)) for item in (change.reason, change.other) if item)
            screen.put(Text("  ").join((*code, *said)), indent=3)
    return OK
