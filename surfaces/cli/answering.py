"""What was made of a recall: attaching an answer to its receipt, asking why a claim is not in it, comparing two."""

import json
from collections.abc import Iterator
from typing import cast

from rich.text import Text

from muniment import Compared, Comparison, GivenAs, Session, WhyNot
from muniment.claims import InvalidError

from .exits import OK
from .incoming import text_of
from .opening import acting
from .options import SessionOptions, Words, claim_at
from .safe import line_text
from .showing import (
    DIM,
    STRONG,
    Screen,
    coded,
    emit,
    grid,
    question_line,
    term,
)
from .words import note_words, rule_words, word

_OPTIONS = SessionOptions()


def attach(
    receipt: str,
    /,
    *,
    answer: Words = "",
    model: str = "",
    parameters: str = "",
    trace: str = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """Attach to a receipt what was made of it: then a sentence of the answer can be explained.

    It is sealed, without credentials. An erasure that reaches the receipt destroys it too.

    Parameters
    ----------
    receipt
        The receipt of a recall.
    answer
        The file that holds the answer, UTF-8; - reads standard input.
    model
        The name of the model.
    parameters
        What the model was run with, as a JSON object.
    trace
        The host's own trace id, by which why finds the receipt.
    """
    given = _object(parameters)
    text = text_of(answer) if answer else ""
    with acting(options) as session:
        kept = session.attach(receipt, answer=text, model=model, parameters=given, trace=trace)
    if options.json:
        emit(kept)
        return OK
    screen = Screen()
    screen.put(word("attach.done", count=len(kept.answer)))
    screen.put(Text(f"{kept.id}", style=DIM))
    return OK


def _object(text: str) -> dict[str, object]:
    """Return the object that JSON text holds; an empty one where none was given."""
    try:
        found: object = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        raise InvalidError(
            f"--parameters is no JSON: {error}; write it as '{{\"temperature\": 0}}'"
        ) from None
    if not isinstance(found, dict):
        raise InvalidError("--parameters is no JSON object; write it as '{\"temperature\": 0}'")
    return cast("dict[str, object]", found)


def why_not(session: Session, claim: str, receipt: str, options: SessionOptions) -> int:
    """Show which step dropped a claim from an answer."""
    found = session.why_not(claim_at(claim, None)[0], receipt)
    if options.json:
        emit(found)
        return OK
    screen = Screen()
    if found.words:
        screen.put(Text(f"“{line_text(found.words)}”", style=STRONG))
    for line in _dropped(found):
        screen.put(line, indent=2)
    screen.put(Text(found.claim, style=DIM), indent=2)
    return OK


def _dropped(found: WhyNot) -> Iterator[Text]:
    yield coded(word(f"step.{found.step.value}"), found.step.value)
    if found.rule:
        yield coded(rule_words(found.rule, found.reason), found.rule)
    elif found.step.value in ("could not look", "erased since"):
        yield Text(line_text(found.reason))
    if found.place:
        where = word("step.place", place=found.place)
        line = f", {word('step.line', line=found.line)}" if found.line else ""
        yield Text(f"{where}{line}")
    if found.stood is not None:
        yield Text.assemble(f"{word('step.stood')}: ", term("standing", found.stood.value))
    for note in found.notes:
        yield Text(f"{word('recall.note')}: {line_text(note_words(note))}")


def compare(first: str, second: str, /, *, options: SessionOptions = _OPTIONS) -> int:
    """Show two receipts side by side: what was asked, what each gave, and why one gave what the other did not.

    Parameters
    ----------
    first
        The receipt of an answer.
    second
        The receipt of another.
    """
    with acting(options) as session:
        found = session.compare(first, second)
    if options.json:
        emit(found)
        return OK
    screen = Screen()
    for number, side in ((1, found.first), (2, found.second)):
        line = question_line(side.asked_at, side.purpose, side.question)
        screen.put(Text.assemble((f"{number}. ", STRONG), line), hang=3)
        lost = f"  {line_text(side.lost)}" if side.lost else ""
        screen.put(Text(f"{side.receipt}{lost}", style=DIM), indent=3)
    screen.put()
    for name, parts in (
        ("same", found.same),
        ("differs", found.differs),
        ("unknown", found.unknown),
    ):
        if parts:
            listed = ", ".join(word(f"compare.{part}") for part in parts)
            screen.put(f"{word(f'compare.{name}')}: {listed}")
    _table(screen, found)
    for one in found.claims:
        if one.why_not is not None:
            screen.put(Text(f"“{line_text(one.words)}”", style=STRONG))
            for line in _dropped(one.why_not):
                screen.put(line, indent=2)
    for held in found.withheld:
        shown = coded(rule_words(held.rule, held.reason), held.rule)
        counts = f"{word('recall.withheld')}: {held.first} | {held.second} × "
        screen.put(Text.assemble(counts, shown))
    return OK


def _table(screen: Screen, found: Comparison) -> None:
    if not found.claims:
        screen.put(word("compare.nothing"))
        return
    titles = (word("compare.claim"), "1", "2", word("compare.differs"))
    screen.table(grid(titles, (_row(one) for one in found.claims)))


def _row(one: Compared) -> tuple[str, str, str, str]:
    said = one.words or word("replay.gone")
    differs = ", ".join(word(f"compare.{name}") for name in one.differs)
    only = "" if one.first and one.second else word("compare.only")
    return said, _given(one.first), _given(one.second), differs or only


def _given(side: GivenAs | None) -> str:
    if side is None:
        return "–"
    use = f" {word(f'use.{side.use.value}')}" if side.use is not None else ""
    return f"{side.place}.{use} @{side.version} {side.score:.2f}"
