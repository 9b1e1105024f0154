"""Explaining: why an answer said what it said, what rests on what, what happened to a claim."""

from rich.text import Text

from .exits import OK
from .opening import acting
from .options import SessionOptions, claim_at
from .safe import line_text
from .showing import (
    DIM,
    STRONG,
    citation_line,
    coded,
    console,
    emit,
    grid,
    known,
    quoted,
    reference,
)
from .words import word

_OPTIONS = SessionOptions()


def why(thing: str, /, *, claim: str = "", options: SessionOptions = _OPTIONS) -> int:
    """Explain an answer or a claim, down to the words it rests on.

    Parameters
    ----------
    thing
        The receipt of an answer, or the identifier of a claim.
    claim
        Only the line of this claim, of all that the receipt holds.
    """
    with acting(options) as session:
        found = session.why(claim_at(thing, None)[0], claim=claim_at(claim, None)[0])
    if options.json:
        emit(found)
        return OK
    screen = console()
    if found.question:
        asked = f"{found.asked_at:%Y-%m-%d %H:%M}Z" if found.asked_at else ""
        purpose = getattr(found.purpose, "value", found.purpose)
        screen.print(Text(f"{word('why.asked')} {asked}, {purpose}: “{line_text(found.question)}”"))
    for line in found.lines:
        screen.print(Text.assemble("  " * line.depth, quoted(line.claim)))
        inner = "  " * (line.depth + 1)
        screen.print(Text.assemble(inner, known(line.claim, options.person or line.claim.scope.person)))
        screen.print(Text.assemble(inner, coded(line.decision.reason, line.decision.rule)))
        if line.reasons:
            because = "; ".join(line_text(f"{item.code} {item.detail}".strip()) for item in line.reasons)
            screen.print(Text(f"{inner}{word('recall.because')}: {because}"))
        for step in line.path:
            screen.print(Text.assemble(f"{inner}{word('recall.rests')}: ", citation_line(step)))
        screen.print(Text(f"{inner}{reference(line.claim)}", style=DIM))
    return OK


def trace(claim: str, /, *, options: SessionOptions = _OPTIONS) -> int:
    """Show what a claim rests on and what rests on it, both ways, to the end.

    Parameters
    ----------
    claim
        The claim's identifier.
    """
    with acting(options) as session:
        found = session.trace(claim_at(claim, None)[0])
    if options.json:
        emit(found)
        return OK
    screen = console()
    for title, wanted in (("trace.on", -1), ("trace.self", 0), ("trace.under", 1)):
        nodes = [node for node in found.nodes if (node.depth > 0) - (node.depth < 0) == wanted]
        if not nodes:
            continue
        screen.print(Text(word(title), style=STRONG))
        for node in sorted(nodes, key=lambda node: node.depth):
            code = f"{node.made}, {node.integrity.name}, {node.standing}"
            words = f"“{line_text(node.words)}”"
            author = f"  {line_text(node.author)}" if node.author else ""
            screen.print(
                Text.assemble("  " * abs(node.depth), words, author, (f"  {code}  {node.id}", DIM))
            )
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
    rows = (
        (
            str(change.version),
            f"{change.recorded_at:%Y-%m-%d %H:%M}Z",
            change.verb,
            change.by,
            coded(word(f"standing.{change.standing}"), change.standing),
            coded(change.decision.reason, change.decision.rule),
            " ".join(part for part in (change.reason, change.other) if part),
        )
        for change in changes
    )
    headings = ("version", "when", "did", "who", "stands", "allowed because", "reason")
    console().print(grid(headings, rows))
    return OK
