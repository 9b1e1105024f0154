"""Looking up: recall, conversations, the list of claims, one thing whole."""

from rich.text import Text

from muniment import Answer, Evidence, Session, Turns
from muniment.claims import Category, Claim, InvalidError, NotFoundError, Purpose, Source, Standing

from .exits import OK, PARTLY
from .opening import acting, searching
from .options import SessionOptions, Words, claim_at, moment, pairs
from .safe import line_text, moment_text
from .showing import (
    DIM,
    STRONG,
    Screen,
    about,
    citation_line,
    claim_block,
    coded,
    emit,
    known,
    quoted,
    reference,
    source_block,
    stands,
    term,
    times,
)
from .words import note_words, reason_words, rule_words, word, word_of_rule

_OPTIONS = SessionOptions()


def recall(
    query: Words,
    /,
    *,
    purpose: Purpose = Purpose.ANSWER,
    limit: int = 10,
    present: tuple[str, ...] = (),
    tool: tuple[str, ...] = (),
    need: str = "",
    task: str = "",
    as_of: str = "",
    connect: bool = False,
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
        A tool in use, repeated: its remembered failures come, and those of no other.
    need
        What sensitive claims are needed for, which lets them come; it is kept in the receipt.
    task
        The kind of task at hand: preferences for another stay away.
    as_of
        Ask what the store held at this time, for an answer only.
    connect
        Also offer what only a theme, a faint likeness or its date ties to it.
    """
    with searching(options) as session:
        answer = session.recall(
            query,
            purpose=purpose,
            limit=limit,
            present=pairs(present, "--present"),
            tools=tool,
            need=need,
            task=task,
            as_of=moment(as_of, "--as-of"),
            connect=connect,
        )
    if options.json:
        emit(answer)
    else:
        _draw(answer, options)
    return OK if answer.looked else PARTLY


def _draw(answer: Answer, options: SessionOptions) -> None:
    screen = Screen()
    for one in answer.definitions:
        by = f" ({line_text(one.approved_by)})" if one.approved_by else ""
        told = f": {line_text(one.means)}  {word('recall.approved')}{by}"
        screen.put(Text.assemble((line_text(one.term), STRONG), told))
    for place, evidence in enumerate(answer.evidence, 1):
        screen.put(Text.assemble((f"{place}. ", STRONG), quoted(evidence.claim)), hang=3)
        for line in _evidence_lines(evidence, options.person or evidence.claim.scope.person):
            screen.put(line, indent=3)
    if not answer.looked:
        screen.put(
            Text(line_text(word("recall.not_looked", why="; ".join(map(note_words, answer.notes)))))
        )
    elif not answer.evidence:
        screen.put(Text(word("recall.nothing", searched=answer.searched)))
    for held in answer.withheld:
        words = coded(rule_words(held.rule, held.reason), held.rule)
        screen.put(Text.assemble(f"{word('recall.withheld')}: {held.count}, ", words))
    _put_notes(screen, answer)
    if answer.receipt:
        screen.put(Text(f"{word('recall.receipt')}: {answer.receipt}", style=DIM))


def _evidence_lines(evidence: Evidence, reader: str) -> list[Text]:
    """Return what is said about one piece of evidence below its words."""
    claim = evidence.claim
    use = term("use", evidence.use.value)
    lines = [Text.assemble(known(claim, reader), " | ", about(claim), " | ", use)]
    if evidence.freshness != "fresh":
        marked = coded(word("mark.recheck"), evidence.freshness)
        marked.stylize("yellow")
        lines.append(marked)
    lines += [Text(line_text(word(f"hint.{hint}")), style="yellow") for hint in evidence.hints]
    lines += [Text.assemble(f"{word('recall.rests')}: ", citation_line(c)) for c in claim.citations]
    because = ", ".join(line_text(reason_words(reason)) for reason in evidence.reasons)
    lines.append(Text(f"{word('recall.because')}: {because}"))
    rules = Text(", ").join(coded(word_of_rule(rule), rule) for rule in evidence.rules)
    origins = f"{word('claim.origins')}: {evidence.origins_count}"
    end = (f" | {origins} | {reference(claim)}", DIM)
    lines.append(Text.assemble((f"{word('recall.rules')}: ", DIM), rules, end))
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
    with searching(options) as session:
        turns = session.search_conversations(query, limit=limit)
    if options.json:
        emit(turns)
        return OK if turns.looked else PARTLY
    screen = Screen()
    for turn in turns.hits:
        where = (turn.author, moment_text(turn.said_at), turn.conversation)
        who = ", ".join(line_text(part) for part in where if part)
        screen.put(
            Text.assemble(
                (who, STRONG),
                "  ",
                term("integrity", turn.integrity.name),
                (f"  {turn.source}", DIM),
            )
        )
        screen.put(Text(f"│ {line_text(turn.excerpt)}"), indent=2)
        for hint in turn.hints:
            screen.put(Text(line_text(word(f"hint.{hint}")), style="yellow"), indent=2)
    if not turns.looked:
        screen.put(
            Text(line_text(word("recall.not_looked", why="; ".join(map(note_words, turns.notes)))))
        )
    elif not turns.hits:
        screen.put(Text(word("recall.nothing", searched=turns.searched)))
    elif turns.doubtful:
        screen.put(Text(word("search.somebody_else", doubt=f"{turns.doubt:.2f}"), style="yellow"))
    _put_notes(screen, turns)
    return OK if turns.looked else PARTLY


def _put_notes(screen: Screen, found: Answer | Turns) -> None:
    """Show what is told of a search that was made; why none was is told in its place."""
    for note in found.notes if found.looked else ():
        screen.put(Text(f"{word('recall.note')}: {line_text(note_words(note))}"))


def claims(
    *,
    category: Category | None = None,
    standing: Standing | None = None,
    as_of: str = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """List the claims that may be read here, current or not.

    Parameters
    ----------
    category
        Only those of this category.
    standing
        Only those that stand so.
    as_of
        As they stood at this time.
    """
    with acting(options) as session:
        found = tuple(
            session.claims(category=category, standing=standing, as_of=moment(as_of, "--as-of"))
        )
    if options.json:
        for claim in found:
            emit(claim)
        return OK
    screen = Screen()
    for claim in found:
        screen.put(quoted(claim))
        parts = (known(claim, options.person or claim.scope.person), about(claim), stands(claim))
        name = (f"  {reference(claim)}", DIM)
        screen.put(Text.assemble(Text(" | ").join(parts), name), indent=2)
    if not found:
        screen.put(word("recall.nothing", searched=0))
    return OK


def show(thing: str, /, *, as_of: str = "", options: SessionOptions = _OPTIONS) -> int:
    """Show one claim or source whole.

    Parameters
    ----------
    thing
        Its identifier; a claim's may carry its version.
    as_of
        The claim as it stood at this time.
    """
    with acting(options) as session:
        name, then = claim_at(thing, None)[0], moment(as_of, "--as-of")
        found = session.claim(name, as_of=then) if then else _claim_or_source(session, name)
    if options.json:
        emit(found)
    elif isinstance(found, Claim):
        Screen().block(claim_block(found, options.person or found.scope.person))
    else:
        Screen().block(source_block(found))
    return OK


def _claim_or_source(session: Session, name: str) -> Claim | Source:
    try:
        return session.claim(name)
    except (NotFoundError, InvalidError):  # no claim: a source, or nothing at all
        return session.source(name)
