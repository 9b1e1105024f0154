"""Looking up: recall, conversations, the list of claims, one thing whole."""

from rich.text import Text

from muniment import Answer, Evidence, Session
from muniment.claims import Category, Claim, NotFoundError, Purpose, Source, Standing

from .exits import OK, PARTLY
from .opening import acting
from .options import SessionOptions, Words, claim_at, pairs
from .safe import line_text
from .showing import (
    DIM,
    STRONG,
    about,
    citation_line,
    claim_block,
    coded,
    console,
    emit,
    grid,
    known,
    quoted,
    reference,
    source_block,
    stands,
    times,
)
from .words import word

_OPTIONS = SessionOptions()


def recall(
    query: Words,
    /,
    *,
    purpose: Purpose = Purpose.ANSWER,
    limit: int = 10,
    present: tuple[str, ...] = (),
    tool: tuple[str, ...] = (),
    options: SessionOptions = _OPTIONS,
) -> int:
    """Find what is remembered, as evidence: its words, its sources, its reasons and how it may be used.

    Parameters
    ----------
    query
        The question, in Korean, English or both.
    purpose
        What the answer is for; each purpose has its own rules.
    limit
        The most to return.
    present
        A value the present request states itself, as ATTRIBUTE=VALUE, repeated; it goes first.
    tool
        A tool in use, repeated: its remembered failures come too.
    """
    with acting(options) as session:
        answer = session.recall(
            query,
            purpose=purpose,
            limit=limit,
            present=pairs(present, "--present"),
            tools=tool,
        )
    if options.json:
        emit(answer)
    else:
        _draw(answer, options)
    return OK if answer.looked else PARTLY


def _draw(answer: Answer, options: SessionOptions) -> None:
    screen = console()
    for place, evidence in enumerate(answer.evidence, 1):
        screen.print(Text.assemble((f"{place}. ", STRONG), quoted(evidence.claim)))
        for line in evidence_lines(evidence, options.person or evidence.claim.scope.person):
            screen.print(Text.assemble("   ", line))
    if not answer.looked:
        why = "; ".join(answer.notes) or word("recall.nobody")
        screen.print(Text(line_text(word("recall.not_looked", why=why))))
    elif not answer.evidence:
        screen.print(Text(word("recall.nothing", searched=answer.searched)))
    for held in answer.withheld:
        words = coded(held.reason, held.rule)
        screen.print(Text.assemble(f"{word('recall.withheld')}: {held.count}, ", words))
    if answer.looked:
        for note in answer.notes:
            screen.print(Text(f"{word('recall.note')}: {line_text(note)}"))
    if answer.receipt:
        screen.print(Text(f"{word('recall.receipt')}: {answer.receipt}", style=DIM))


def evidence_lines(evidence: Evidence, reader: str) -> list[Text]:
    """Return what is said about one piece of evidence below its words."""
    claim = evidence.claim
    use = coded(word(f"use.{evidence.use.value}"), evidence.use.value)
    lines = [Text.assemble(known(claim, reader), " | ", about(claim), " | ", use)]
    if evidence.freshness != "fresh":
        marked = coded(word("mark.recheck"), evidence.freshness)
        marked.stylize("yellow")
        lines.append(marked)
    lines += [Text(line_text(hint), style="yellow") for hint in evidence.hints]
    lines += [Text.assemble(f"{word('recall.rests')}: ", citation_line(c)) for c in claim.citations]
    because = "; ".join(line_text(f"{reason.code} {reason.detail}".strip()) for reason in evidence.reasons)
    lines.append(Text(f"{word('recall.because')}: {because}"))
    rules = ", ".join(evidence.rules)
    origins = f"{word('claim.origins')}: {evidence.origins_count}"
    lines.append(Text(f"{word('recall.rules')}: {rules} | {origins} | {reference(claim)}", style=DIM))
    return [*lines, *times(claim)]


def search_conversations(
    query: Words, /, *, limit: int = 10, options: SessionOptions = _OPTIONS
) -> int:
    """Find turns of past conversations, the person's own; never part of a recall.

    Parameters
    ----------
    query
        What was talked about.
    limit
        The most to return.
    """
    with acting(options) as session:
        turns = session.search_conversations(query, limit=limit)
    if options.json:
        emit(turns)
        return OK if turns.looked else PARTLY
    screen = console()
    for turn in turns.hits:
        when = f"{turn.said_at:%Y-%m-%d %H:%M}" if turn.said_at else ""
        who = f"{line_text(turn.author)}, {when}, {line_text(turn.conversation)}"
        screen.print(Text.assemble((who, STRONG), (f"  {turn.integrity.name}  {turn.source}", DIM)))
        screen.print(Text(f"  │ {line_text(turn.excerpt)}"))
    if not turns.looked:
        why = "; ".join(turns.notes) or word("recall.nobody")
        screen.print(Text(line_text(word("recall.not_looked", why=why))))
    elif not turns.hits:
        screen.print(Text(word("recall.nothing", searched=turns.searched)))
    return OK if turns.looked else PARTLY


def claims(
    *,
    category: Category | None = None,
    standing: Standing | None = None,
    options: SessionOptions = _OPTIONS,
) -> int:
    """List the claims that may be read here, current or not.

    Parameters
    ----------
    category
        Only those of this category.
    standing
        Only those that stand so.
    """
    with acting(options) as session:
        found = tuple(session.claims(category=category, standing=standing))
    if options.json:
        for claim in found:
            emit(claim)
        return OK
    reader = options.person
    rows = (
        (
            Text(reference(claim), style=DIM),
            known(claim, reader or claim.scope.person),
            about(claim),
            stands(claim),
            quoted(claim),
        )
        for claim in found
    )
    screen = console()
    if found:
        screen.print(grid(("claim@version", "known how", "about", "stands", "words"), rows))
    else:
        screen.print(Text(word("recall.nothing", searched=0)))
    return OK


def show(thing: str, /, *, options: SessionOptions = _OPTIONS) -> int:
    """Show one claim or source whole.

    Parameters
    ----------
    thing
        Its identifier; a claim's may carry its version.
    """
    with acting(options) as session:
        found = _claim_or_source(session, claim_at(thing, None)[0])
    if options.json:
        emit(found)
    elif isinstance(found, Claim):
        console().print(*claim_block(found, options.person or found.scope.person), sep="\n")
    else:
        console().print(*source_block(found), sep="\n")
    return OK


def _claim_or_source(session: Session, name: str) -> Claim | Source:
    try:
        return session.claim(name)
    except NotFoundError:
        return session.source(name)
