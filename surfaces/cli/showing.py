"""Drawing on the terminal: tables and blocks in which data is only ever text, never markup."""

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from muniment.claims import Citation, Claim, Decision, Scope, Source, Standing

from .safe import json_line, line_text, moment_text, page_text
from .words import kind_words, rule_words, word

DIM, STRONG = "dim", "bold"


class _Console(Console):
    """A console that says when its reader has gone away, instead of ending the process itself."""

    def on_broken_pipe(self) -> None:
        """Let the error through to whoever runs the command."""
        raise BrokenPipeError


class Screen:
    """The terminal, on which data has no other meaning than its letters."""

    def __init__(self, *, coloured: bool = True, silent: bool = False, widest: int = 120) -> None:
        self._console = _Console(
            file=sys.stdout,
            highlight=False,
            markup=False,
            emoji=False,
            quiet=silent,
            color_system="auto" if coloured else None,
        )
        self._console.width = min(self._console.width, widest)

    @property
    def width(self) -> int:
        """How many cells a line holds."""
        return self._console.width

    def put(self, line: Text | str = "", *, indent: int = 0, hang: int = 2) -> None:
        """Print a line; where it is wrapped, what follows stands `hang` further in."""
        shown = line if isinstance(line, Text) else Text(line)
        if not shown.plain:
            self._console.print()
            return
        for number, part in enumerate(self.wrapped(shown, self.width - indent - hang)):
            self._console.print(Text.assemble(" " * (indent + (hang if number else 0)), part))

    def wrapped(self, text: Text, room: int) -> list[Text]:
        """Return a text cut into lines of at most `room` cells."""
        lines = list(text.wrap(self._console, max(room, 20)))
        for line in lines:
            line.rstrip()
        return lines

    def block(self, lines: Iterable[Text]) -> None:
        """Print a heading and, further in, what belongs to it."""
        for number, line in enumerate(lines):
            self.put(line, indent=2 if number else 0)

    def table(self, table: Table) -> None:
        """Print a table."""
        self._console.print(table)


def emit(value: object) -> None:
    """Print one JSON document on one line."""
    print(json_line(value))


def coded(words: str, code: str) -> Text:
    """Return plain words with their code beside them."""
    if words == code:
        return Text(line_text(words))
    return Text.assemble(line_text(words), (f" · {line_text(code)}", DIM))


def term(group: str, code: str) -> Text:
    """Return the plain words of a code of a closed list with the code beside them."""
    return coded(word(f"{group}.{code}"), code)


def ruled(decision: Decision) -> Text:
    """Return why something was decided, in plain words with the rule beside them."""
    return coded(rule_words(decision.rule, decision.reason), decision.rule)


def quoted(claim: Claim) -> Text:
    """Return the words of a claim: the author's in quotation marks, the model's as its wording."""
    if claim.quote:
        gist = f" ({word('recall.gist')}: {line_text(claim.gist)})" if claim.gist else ""
        return Text.assemble((f"“{line_text(claim.quote)}”", STRONG), (gist, DIM))
    return Text.assemble((line_text(claim.gist), STRONG), (f" ({word('recall.gist')})", DIM))


def reference(claim: Claim) -> str:
    """Return how a claim is named on the command line: its identifier and the version seen."""
    return f"{claim.id}@{claim.version}"


def known(claim: Claim, reader: str) -> Text:
    """Return how a claim is known, whether somebody confirmed it and whether it is on legal hold."""
    shown = coded(kind_words(claim, reader), claim.kind.value)
    if claim.confirmed_at is not None:
        shown.append(f", {word('mark.confirmed')}")
    if claim.login is not None:
        other = f" ({line_text(claim.login_found)})" if claim.login_found else ""
        shown.append(f", {word(f'login.{claim.login.value}')}{other}")
    if claim.registered:
        shown.append(f", {word('mark.registered')}")
    if claim.on_legal_hold:
        shown.append(f", {word('mark.held')}")
    return shown


def grid(headings: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> Table:
    """Return a table whose cells are text."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(Text(heading), overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(line_text(cell)) for cell in row))
    return table


def question_line(asked_at: datetime, purpose: str, question: str) -> Text:
    """Return what was asked, when and what for."""
    asked = f"{word('why.asked')} {moment_text(asked_at)}, "
    return Text.assemble(asked, term("purpose", purpose), f": “{line_text(question)}”")


def citation_line(citation: Citation) -> Text:
    """Return one thing a claim rests on: its words, who wrote it, by which channel."""
    medium = citation.medium.value if citation.medium else "claim"
    whose = ", ".join(line_text(name) for name in (citation.author, citation.origin) if name)
    return Text.assemble(
        f"{word(f'medium.{medium}')}",
        f", {whose}" if whose else "",
        f", {moment_text(citation.said_at)}"
        if citation.said_at
        else f", {word('claim.taken', when=moment_text(citation.recorded_at))}",
        f": “{line_text(citation.quote)}”" if citation.quote else "",
        (f"  {citation.id}", DIM),
    )


def claim_block(claim: Claim, reader: str) -> Iterable[Text]:
    """Yield the lines that show one claim whole."""
    yield quoted(claim)
    yield Text.assemble(known(claim, reader), " | ", about(claim), " | ", stands(claim))
    if claim.asked_kind is not claim.kind:
        asked = {
            "asked": word(f"kind.{claim.asked_kind.value}"),
            "kind": word(f"kind.{claim.kind.value}"),
        }
        yield Text(f"{word('claim.asked', None, **asked)}")
    yield Text.assemble(f"{word('claim.decided')}: ", ruled(claim.decision))
    for citation in claim.citations:
        yield Text.assemble(f"{word('recall.rests')}: ", citation_line(citation))
    yield from slot_line(claim)
    yield from detail_lines(claim)
    yield from times(claim)
    levels = (term("integrity", claim.integrity.name), term("authority", claim.authority.name))
    yield Text("  ").join((Text(reference(claim), style=DIM), *levels))


def slot_line(claim: Claim) -> Iterable[Text]:
    """Yield what a claim says of which attribute of what, where it says so."""
    if claim.subject or claim.attribute:
        slot = f"{line_text(claim.subject)} · {line_text(claim.attribute)}"
        yield Text(f"{slot} = {line_text(claim.value)}")


def scope_text(scope: Scope) -> str:
    """Return a scope in plain words: who and where."""
    named = (f"{word(f'field.{field}')} {line_text(name)}" for field, name in scope.named().items())
    return ", ".join(named)


def detail_lines(claim: Claim) -> Iterable[Text]:
    """Yield for which task a claim is, why it was decided and what was rejected, how it failed and what helped."""
    failed, why = claim.failure, claim.reasoning
    said = (
        ("task", claim.task),
        ("because", why.because),
        *(("rejected", f"{one.plan}: {one.why}") for one in why.rejected),
        ("symptom", failed.symptom),
        ("cause", failed.cause),
        *(("did_not_work", one) for one in failed.did_not_work),
        ("fixed_by", failed.fixed_by),
        ("environment", failed.environment),
    )
    for name, text in said:
        if text:
            yield Text(f"{word(f'detail.{name}')}: {line_text(text)}")


def hint_lines(hints: Sequence[Decision]) -> Iterable[Text]:
    """Yield what is worth knowing of what was kept."""
    for hint in hints:
        yield Text.assemble(f"{word('claim.hint')}: ", ruled(hint))


def times(claim: Claim) -> Iterable[Text]:
    """Yield until when a claim holds and when it is to be checked again, where it says so."""
    if claim.expires_at is not None:
        yield Text(f"{word('claim.expires')} {moment_text(claim.expires_at)}")
    if claim.recheck_at is not None or claim.recheck_when:
        due = moment_text(claim.recheck_at) if claim.recheck_at else ""
        yield Text(f"{word('claim.recheck')} {due} {line_text(claim.recheck_when)}".rstrip())


def about(claim: Claim) -> Text:
    """Return what a claim is about."""
    return term("category", claim.category.value)


def stands(claim: Claim) -> Text:
    """Return how a claim stands."""
    shown = term("standing", claim.standing.value)
    if claim.quoted_at is not None:  # it does not wait any more, though it is not in use
        shown = coded(word("verb.decline"), claim.standing.value)
    if claim.standing is not Standing.ACTIVE:
        shown.stylize("yellow")
    if claim.muted:  # beside how it stands, because it stands as it did
        by = Text(", ").join(term("muted_by", by.value) for by in claim.muted)
        shown = Text.assemble(shown, f" | {word('mark.muted')}: ", by)
    if claim.sensitive:
        shown = Text.assemble(shown, " | ", coded(word("mark.sensitive"), "sensitive"))
    return shown


def source_block(source: Source) -> Iterable[Text]:
    """Yield the lines that show one source whole, part by part, each line marked as quoted."""
    whose = ", ".join(line_text(name) for name in (source.author, source.origin) if name)
    said = source.said_at or source.recorded_at
    yield Text.assemble(
        (word(f"medium.{source.medium.value}"), STRONG),
        f", {whose}, {moment_text(said)}",
        f", {word('mark.held')}" if source.on_legal_hold else "",
    )
    for part in source.parts:
        origin = f", {line_text(part.origin)}" if part.origin else ""
        yield Text.assemble(
            term("label", part.label.value),
            ", ",
            term("integrity", part.integrity.name),
            origin,
        )
        for line in page_text(source.text[part.start : part.end]).split("\n"):
            yield Text(f"│ {line}")
    for echo in source.echoes:
        where = f"  {echo.start}–{echo.end}  {echo.of}"
        day = f", {moment_text(echo.given_at)}" if echo.given_at else ""
        shown = term("echo", echo.sort.value)
        yield Text.assemble(shown, day, (where, DIM))
    for name, other in (("replaces", source.replaces), ("replaced_by", source.replaced_by)):
        if other:
            yield Text.assemble(f"{word(f'source.{name}')}  ", (other, DIM))
    yield Text(f"{source.id}", style=DIM)
