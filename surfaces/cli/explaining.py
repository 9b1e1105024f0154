"""Explaining: why an answer said what it said, what rests on what, what happened to a claim."""

from collections.abc import Iterator

from rich.text import Text

from muniment import Explanation, Node
from muniment.claims import Kind
from muniment.policy import RULES

from .exits import OK
from .opening import acting
from .options import SessionOptions, claim_at
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
    reference,
    ruled,
    term,
)
from .tree import Drawing
from .words import reason_words, rule_words, word

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
    screen = Screen()
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
    return OK


def _explained(found: Explanation, place: int, person: str | None) -> Iterator[Text]:
    line = found.lines[place]
    yield quoted(line.claim)
    known_as = known(line.claim, person or line.claim.scope.person)
    if line.use is not None:
        known_as = Text.assemble(known_as, " | ", term("use", line.use.value))
    yield known_as
    yield Text.assemble(f"{word('claim.decided')}: ", ruled(line.decision))
    if line.reasons:
        because = ", ".join(line_text(reason_words(item)) for item in line.reasons)
        yield Text(f"{word('recall.because')}: {because}")
    for step in line.path:
        inner = "  " * (step.depth - 1)
        yield Text.assemble(f"{inner}{word('recall.rests')}: ", citation_line(step.citation))
    yield Text(f"{reference(line.claim)}", style=DIM)


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
