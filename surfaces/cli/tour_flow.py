"""The flow of the tour: make the store, play the acts, say what held and what to try next."""

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from rich.text import Text

from muniment import Answer, IngestReport, Language, Memory
from muniment.claims import MunimentError, Purpose

from .exits import OK, PARTLY
from .progress import bar
from .safe import line_text
from .showing import DIM, emit
from .tour_cast import Cast
from .tour_change import correct, time
from .tour_forget import forget
from .tour_proof import asked, detectors, others, why
from .tour_recall import ask, poison, who
from .tour_stage import Stage
from .tour_store import clear, contents, conversation, fill, size_of

_Act = Callable[[Stage, Cast], None]


def run(folder: Path, tongue: Language, *, plain: bool, as_json: bool) -> int:
    """Play the tour and return 0 when every promise held, 1 otherwise."""
    stage = Stage(tongue, plain=plain, silent=as_json)
    replaced = clear(folder)
    stage.put(stage.text("frame.opening"))
    stage.put()
    stage.put(stage.text("frame.replacing" if replaced else "frame.making", store=folder))
    with bar(
        total=len(conversation()), quiet=plain or as_json, words=stage.text("frame.taking")
    ) as progress:
        report = fill(folder, progress)
    _taken(stage, report)
    with Memory.open(folder) as memory:
        cast = Cast(memory)
        for number, act in enumerate((who, ask, poison, correct, time, why), 1):
            _play(stage, number, act, cast)
        watched = _watched(stage, cast)
    with Memory.open(folder, hints=()) as memory:
        cast = Cast(memory)
        stage.begin("detectors", 7)
        _guarded(stage, lambda: detectors(stage, cast, watched))
        _play(stage, 8, others, cast)
        tried = _to_try(folder, cast)
    stage.begin("forget", 9)
    _guarded(stage, lambda: forget(stage, folder))
    return _closing(stage, folder, tried, as_json)


def _taken(stage: Stage, report: IngestReport) -> None:
    kinds = report.kinds
    stage.put(
        stage.text(
            "frame.taken",
            accepted=report.accepted,
            messages=kinds.get("message", 0),
            tools=kinds.get("tool_result", 0),
            documents=kinds.get("document", 0),
            claims=kinds.get("claim", 0),
        )
    )
    for error in report.errors:
        stage.put(Text(f"line {error.line}: {line_text(error.message)}", style="bold red"))
    stage.put()
    stage.put(stage.text("frame.cast"))


def _play(stage: Stage, number: int, act: _Act, cast: Cast) -> None:
    stage.begin(act.__name__, number)
    _guarded(stage, lambda: act(stage, cast))


def _guarded(stage: Stage, act: Callable[[], None]) -> None:
    """Play an act; one that breaks off counts as not held and the tour goes on."""
    try:
        act()
    except (MunimentError, LookupError) as error:
        stage.failed(error)
    stage.end()


def _watched(stage: Stage, cast: Cast) -> dict[tuple[str, Purpose], Answer]:
    """Return the answers given with detectors, none where asking failed: the act that compares them then fails."""
    try:
        return asked(stage, cast)
    except MunimentError as error:
        stage.put(Text(line_text(str(error)), style="bold red"))
        return {}


def _to_try(folder: Path, cast: Cast) -> list[str]:
    named = sys.argv[0]
    program = "muniment"
    if os.sep in named:
        program = shlex.quote(min(os.path.relpath(named), os.path.abspath(named), key=len))
    place = f"--store {shlex.quote(str(folder))} --person jiwoo --project pinetide --channel harbour-ops"
    corrected = next(cast.jiwoo.claims(standing="corrected"), None)
    second = f"trace {corrected.id}" if corrected else "claims"
    return [
        f"{program} recall '로그는 어디로 보내?' {place}",
        f"{program} {second} {place}",
        f"{program} search-conversations '운동회' {place.replace('jiwoo', 'sumin')}",
    ]


def _closing(stage: Stage, folder: Path, tried: list[str], as_json: bool) -> int:
    held = sum(bool(act["held"]) for act in stage.acts)
    total = len(stage.acts)
    files = contents(folder)
    if as_json:
        kept = [{"file": name, "bytes": size} for name, size, _ in files]
        emit(
            {
                "acts": stage.acts,
                "held": held,
                "total": total,
                "store": str(folder),
                "files": kept,
                "next": tried,
            }
        )
        return OK if held == total else PARTLY
    stage.put()
    score = "frame.score" if held == total else "frame.score_broken"
    style = "bold green" if held == total else "bold red"
    stage.put(Text(f"━━ {stage.text(score, held=held, total=total)}", style=style))
    stage.put()
    stage.put(stage.text("frame.store", store=folder, size=_bytes(size_of(folder))))
    for name, size, purpose in files:
        line = Text.assemble(f"{name:<23}{_bytes(size):>9}  ", (stage.text(f"file.{purpose}"), DIM))
        stage.put(line, indent=2)
    stage.put()
    stage.put(stage.text("frame.next"))
    for command in tried:
        sys.stdout.write(f"    {command}\n")
    return OK if held == total else PARTLY


def _bytes(size: int) -> str:
    if size < 1024:
        return f"{size} B"
    return f"{size / 1024:.0f} KiB" if size < 1024 * 1024 else f"{size / 1024 / 1024:.1f} MiB"
