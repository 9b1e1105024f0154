"""Assembling a prompt: the text alone on standard output, byte for byte, and beside it what it holds and what not."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.text import Text

from muniment import Prompt
from muniment.claims import Purpose

from .exits import OK, PARTLY
from .incoming import text_of
from .opening import searching
from .options import SessionOptions, Words, pairs
from .safe import line_text, page_text
from .showing import DIM, Screen, emit, term
from .words import note_words, rule_words, word

_OPTIONS = SessionOptions()


def assemble(
    query: Words,
    /,
    *,
    stable: tuple[Path, ...] = (),
    context: tuple[Path, ...] = (),
    volatile: tuple[Path, ...] = (),
    purpose: Purpose = Purpose.ANSWER,
    limit: int = 10,
    present: tuple[str, ...] = (),
    tool: tuple[str, ...] = (),
    need: str = "",
    task: str = "",
    budget: int = 0,
    connect: bool = False,
    zone: str = "UTC",
    lines: bool = False,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Make the prompt for a question: your own texts, the block, what is remembered; each line can be traced.

    The text goes to standard output byte for byte, what was left out and the receipt to standard error.

    Parameters
    ----------
    query
        The question the memory is for; it is not put into the prompt.
    stable
        A file with what always comes first, repeated; - reads standard input.
    context
        A file with what goes before the evidence, repeated.
    volatile
        A file with what comes last, after the date, repeated.
    purpose
        What the answer is for; each purpose has its own rules.
    limit
        The most evidence, preferences in it; constraints come besides.
    present
        A value the present request states itself, as ATTRIBUTE=VALUE, repeated; it goes first.
    tool
        A tool in use, repeated: its remembered failures come, and those of no other.
    need
        What sensitive claims are needed for, which lets them come; it is kept in the receipt.
    task
        The kind of task at hand: preferences for another stay away.
    budget
        The most characters the whole may have, 0 for any; no constraint is dropped for it.
    connect
        Take in loose links too, each marked: offer, do not assert.
    zone
        The time zone of the date, such as Asia/Seoul.
    lines
        Show each line of memory with its number and what it was taken from instead.
    """
    first, middle, last = (_joined(files) for files in (stable, context, volatile))
    with searching(options) as session:
        prompt = session.assemble(
            query,
            stable=first,
            context=middle,
            volatile=last,
            purpose=purpose,
            limit=limit,
            present=pairs(present, "--present"),
            tools=tool,
            need=need,
            task=task,
            budget=budget,
            connect=connect,
            zone=zone,
        )
    if options.json:
        emit(prompt)
        return OK if prompt.looked else PARTLY
    if lines:
        _draw(prompt)
    else:
        _write(prompt.text)
    for told in _told(prompt):
        print(line_text(told), file=sys.stderr)
    return OK if prompt.looked else PARTLY


def _joined(files: Iterable[Path]) -> str:
    return "\n".join(text_of(str(file)) for file in files)


def _write(text: str) -> None:
    """Write a text as it is; where a person looks at it, with nothing that steers the terminal."""
    if sys.stdout.isatty():
        print(page_text(text))
        return
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        sys.stdout.write(text)
    else:
        raw.write(text.encode("utf-8"))


def _draw(prompt: Prompt) -> None:
    screen = Screen()
    for line in prompt.lines:
        screen.put(Text(f"{line.number:>4}  {line_text(line.text)}"), hang=6)
        use = Text.assemble(term("use", line.use.value), "  ") if line.use else Text()
        screen.put(Text.assemble(use, (line_text(line.of or line.term), DIM)), indent=6)


def _told(prompt: Prompt) -> Iterator[str]:
    """Yield what there is to say beside a prompt."""
    if not prompt.looked:
        why = "; ".join(map(note_words, prompt.notes))
        yield word("assemble.without", why=why)
    for one in prompt.left_out:
        why = rule_words(one.rule, one.reason)
        yield f"{word('assemble.left_out')}: {one.claim or one.term}, {why} · {one.rule}"
    for held in prompt.withheld:
        why = rule_words(held.rule, held.reason)
        yield f"{word('recall.withheld')}: {held.count}, {why} · {held.rule}"
    for note in prompt.notes if prompt.looked else ():
        yield f"{word('recall.note')}: {note_words(note)}"
    of = f" / {prompt.budget:,}" if prompt.budget else ""
    yield f"{word('assemble.count')}: {prompt.count:,}{of}"
    if prompt.receipt:
        yield f"{word('recall.receipt')}: {prompt.receipt}"
