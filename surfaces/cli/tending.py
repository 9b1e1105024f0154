"""What lives apart from memory: the task ledger, and procedures with their SKILL.md."""

from pathlib import Path
from typing import Literal

from rich.text import Text

from muniment import RefusedError, Session
from muniment.claims import Claim, InvalidError

from .exits import OK, PARTLY
from .incoming import text_of
from .opening import acting
from .options import SessionOptions, Words, claim_at, moment
from .safe import line_text, moment_text
from .showing import DIM, STRONG, Screen, claim_block, emit, reference, ruled
from .words import word

_OPTIONS = SessionOptions()


def task(
    action: Literal["add", "list", "done", "drop"],
    text: Words = "",
    /,
    *,
    source: tuple[str, ...] = (),
    until: str = "",
    everything: bool = False,
    reason: str = "",
    key: str = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """Keep work in progress in the task ledger, which no recall brings up.

    Parameters
    ----------
    action
        add TEXT; list; done ID or drop ID: it is over.
    text
        The task, or its identifier.
    source
        What it rests on: the identifier of a source or claim, repeated; otherwise what you say here.
    until
        Until when it is kept: two weeks unless said.
    everything
        List what is over too.
    reason
        Why it is over, for the history.
    key
        Idempotency key: the same key and task again change nothing.
    """
    if action == "list" and text:
        raise InvalidError("task list takes no text; did you mean task add?")
    with acting(options) as session:
        match action:
            case "add":
                found = session.task(
                    text_of("-") if text == "-" else text,
                    sources=source,
                    until=moment(until, "--until"),
                    key=key,
                )
            case "done" | "drop":
                name, seen = claim_at(text, None)
                outcome = "done" if action == "done" else "dropped"
                found = session.finish_task(name, outcome=outcome, version=seen, reason=reason)
            case "list":
                return _tasks(options, list(session.tasks(everything=everything)))
        return _shown(options, found)


def _tasks(options: SessionOptions, tasks: list[Claim]) -> int:
    screen = Screen()
    for one in tasks:
        if options.json:
            emit(one)
            continue
        ends = moment_text(one.expires_at) if one.expires_at else ""
        screen.put(
            Text.assemble(
                (line_text(one.words), STRONG),
                f" | {word(f'standing.{one.standing.value}')} | {word('claim.expires')} {ends}",
                (f"  {reference(one)}", DIM),
            )
        )
    if not tasks and not options.json:
        screen.put(word("task.nothing"))
    return OK


def procedure(
    action: Literal["keep", "list", "show", "export"],
    name: str = "",
    text: Words = "",
    /,
    *,
    description: str = "",
    source: tuple[str, ...] = (),
    version: int | None = None,
    out: Path | None = None,
    reason: str = "",
    key: str = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """Keep how a class of task is done, apart from memory, and write it out as SKILL.md.

    Parameters
    ----------
    action
        keep NAME TEXT: new, or with --version patched; list; show NAME; export NAME, or all without a name.
    name
        The name of the class of task, as in deploy-a-service.
    text
        The steps; - reads them from standard input.
    description
        When to use it, in a line.
    source
        What it was learnt from: the identifier of a source or claim, repeated.
    version
        The version seen, to patch what stands under this name.
    out
        Where to write NAME/SKILL.md, for export; otherwise it is printed.
    reason
        Why it is patched, for the history.
    key
        Idempotency key: the same key and content again change nothing.
    """
    with acting(options) as session:
        if action == "keep":
            kept = session.keep_procedure(
                name,
                text_of("-") if text == "-" else text,
                description=description,
                sources=source,
                version=version,
                key=key,
                reason=reason,
            )
            return _shown(options, kept)
        found = [one for one in session.procedures() if name in ("", one.subject)]
        if name and not found:
            raise InvalidError(f"there is no procedure {name!r} here; see: muniment procedure list")
        if action == "export":
            return _export(session, found, out)
        if action == "show":
            for one in found:
                _shown(options, one)
            return OK
        return _list(options, found)


def _list(options: SessionOptions, procedures: list[Claim]) -> int:
    screen = Screen()
    for one in procedures:
        if options.json:
            emit(one)
        else:
            name = Text.assemble((one.subject, STRONG), f"  {line_text(one.value)}")
            screen.put(Text.assemble(name, (f"  {reference(one)}", DIM)))
    if not procedures and not options.json:
        screen.put(word("procedure.nothing"))
    return OK


def _export(session: Session, procedures: list[Claim], out: Path | None) -> int:
    """Write each procedure, one that may not go out is named; exit code 1 says that some were left out."""
    left, screen = 0, Screen()
    for one in procedures:
        try:
            text = session.export_procedure(one)
        except RefusedError as error:
            left += 1
            screen.put(Text.assemble((one.subject, STRONG), "  ", ruled(error.decision)))
            continue
        if out is None:
            print(text, end="")
            continue
        place = out / one.subject / "SKILL.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        screen.put(str(place))
    return PARTLY if left else OK


def _shown(options: SessionOptions, found: Claim) -> int:
    if options.json:
        emit(found)
    else:
        Screen().block(claim_block(found, found.scope.person))
    return OK
