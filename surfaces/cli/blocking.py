"""The always-on block: shown as a prompt carries it, rewritten whole, settled, put back, cleared."""

from rich.text import Text

from muniment import Block, BlockWrite

from .asking import prove_here
from .erasing import carried_out
from .exits import OK, PARTLY
from .incoming import text_of
from .opening import acting
from .options import SessionOptions, Words
from .safe import line_text, moment_text
from .showing import DIM, Screen, emit, ruled, term
from .words import word

_OPTIONS = SessionOptions()


def block(*, waiting: bool = False, options: SessionOptions = _OPTIONS) -> int:
    """Show the person's block: what every prompt carries of her, byte for byte.

    Parameters
    ----------
    waiting
        Show the write that waits for the person instead.
    """
    with acting(options) as session:
        found = session.waiting_block() if waiting else session.block()
    if options.json:
        emit(_whole(found))
    else:
        _show(Screen(), found)
    return OK


def _whole(found: Block) -> dict[str, object]:
    told = {"text": found.text, "count": found.count, "header": found.header}
    return {**found.model_dump(), **told, "prompt": found.prompt}


def _show(screen: Screen, found: Block) -> None:
    if not found.id:
        screen.put(word("block.none"))
        return
    screen.put(word("block.header", count=found.count, limit=found.limit), hang=0)
    for line in found.lines:
        by = word("block.own") if line.directs else word("block.other", by=line_text(line.author))
        mark = Text.assemble((f"  {by}, ", DIM), term("integrity", line.integrity.name))
        screen.put(Text.assemble(line_text(line.text), mark if line.text else ""), indent=2)
    for line in found.review:
        why = f" ({word(f'standing.{line.standing}')})" if line.standing else ""
        told = f"{word('block.review')}{why}: {line_text(line.text)}"
        screen.put(Text(told, style="yellow"))
    when = moment_text(found.written_at) if found.written_at else ""
    screen.put(Text(line_text(f"{found.id}  {found.written_by}  {when}"), style=DIM))


def rewrite_block(
    text: Words,
    /,
    *,
    source: tuple[str, ...] = (),
    seen: str | None = None,
    anew: bool = False,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Write the block whole; what it dropped and added is told.

    Parameters
    ----------
    text
        The whole block; - reads it from standard input.
    source
        What a new line was taken from: the identifier of a message or a claim, repeated.
    seen
        The write that was seen: a block written since is not overwritten.
    anew
        Let in on purpose what you had erased.
    """
    words = text_of("-") if text == "-" else text
    with acting(options) as session:
        done = session.rewrite_block(words, sources=source, seen=seen, anew=anew)
    return _written(options, done)


def accept_block(*, options: SessionOptions = _OPTIONS) -> int:
    """Let the write of the block that waits take its place; only the person herself may."""
    with acting(options) as session:
        prove_here(session)
        return _written(options, session.accept_block())


def put_back_block(write: str, /, *, options: SessionOptions = _OPTIONS) -> int:
    """Let the block be as an earlier write made it; only the person herself may.

    Parameters
    ----------
    write
        The identifier of the write, as the block's history shows it.
    """
    with acting(options) as session:
        return _written(options, session.put_back_block(write))


def _written(options: SessionOptions, done: BlockWrite) -> int:
    if options.json:
        emit({**done.model_dump(), "block": _whole(done.block)})
        return PARTLY if done.held else OK
    screen = Screen()
    for sign, lines in (("-", done.dropped), ("+", done.added)):
        for line in lines:
            screen.put(Text(f"{sign} {line_text(line)}"))
    if done.hidden:
        screen.put(word("block.hidden", codes=", ".join(done.hidden)))
    if done.replaced:
        screen.put(word("block.replaced", write=done.replaced, by=done.replaced_by))
    screen.put(ruled(done.decision))
    _show(screen, done.block)
    return PARTLY if done.held else OK


def decline_block(*, yes: bool = False, options: SessionOptions = _OPTIONS) -> int:
    """Destroy what the write of the block that waits would add; only the person herself may.

    Parameters
    ----------
    yes
        Do not ask.
    """
    with acting(options) as session:
        return carried_out(
            lambda dry: session.decline_block(dry_run=dry),
            dry_run=False,
            yes=yes,
            as_json=options.json,
        )


def clear_block(
    *,
    basis: str = "",
    reason: str = "",
    dry_run: bool = False,
    yes: bool = False,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Destroy the block and every earlier write of it; it cannot be undone, and only the person herself may.

    Parameters
    ----------
    basis
        On what ground: request, consent, purpose, objection, unlawful or duty.
    reason
        Why; it is sealed beside the record, so do not repeat the words.
    dry_run
        Only show what would go.
    yes
        Do not ask.
    """
    with acting(options) as session:
        if not dry_run:
            prove_here(session)
        return carried_out(
            lambda dry: session.clear_block(basis=basis, reason=reason, dry_run=dry),
            dry_run=dry_run,
            yes=yes,
            as_json=options.json,
        )


def block_history(*, options: SessionOptions = _OPTIONS) -> int:
    """Show who changed the block and when, with the changed lines cut short."""
    with acting(options) as session:
        changes = session.block_history()
    if options.json:
        for change in changes:
            emit(change)
        return OK
    screen = Screen()
    for change in changes:
        waits = f"  {word('block.waits')}" if change.waits else ""
        when = f"{moment_text(change.recorded_at)}, {line_text(change.by)}: "
        did = term("verb", change.verb)
        screen.put(Text.assemble(when, did, waits, (f"  {change.id}", DIM)))
        for sign, lines in (("-", change.dropped), ("+", change.added)):
            for line in lines:
                screen.put(Text(f"{sign} {line_text(line)}"), indent=2)
        if change.cleared:
            screen.put(word("block.cleared", count=change.cleared), indent=2)
    if not changes:
        screen.put(word("block.none"))
    return OK
