"""Acts six to eight: why an answer was given, the same without detectors, and somebody else asking."""

from pathlib import Path

from muniment import Answer, Memory
from muniment.claims import Medium, Purpose

from .safe import plain
from .tour_cast import Cast, summary
from .tour_recall import LOGS, ON_CALL, WHERE_LOGS, first
from .tour_stage import Stage

_JOURNAL = {"en": "What am I grateful for?", "ko": "아침 회의는 어떻게 하기로 했지?"}


def why(stage: Stage, cast: Cast) -> None:
    """Take a receipt and go down to the words."""
    receipt = cast.jiwoo.recall(WHERE_LOGS[stage.tongue]).receipt
    stage.tell("intro")
    stage.call(f'jiwoo.why("{receipt}")')
    found = cast.jiwoo.why(receipt)
    line = next(line for line in found.lines if line.claim.quote == LOGS)
    stage.put()
    stage.put(f"{stage.text('frame.asked')}: “{found.question}”", indent=4)
    stage.put(stage.words(line.claim), indent=4)
    stage.put(stage.known(cast.jiwoo, line.claim), indent=7)
    stage.rule(line.claim)
    step = next(step.citation for step in line.path if step.citation.medium is Medium.MESSAGE)
    source = cast.jiwoo.source(step.id)
    stage.put(stage.origin(cast.jiwoo, line.claim), indent=7)
    stage.marked(source.text, step.start, step.end)
    stage.checks_follow()
    stage.check("check_path", source.author == "jiwoo" and found.receipt == receipt)
    stage.check("check_span", source.text[step.start : step.end] == line.claim.quote)
    stage.fact("receipt", receipt)
    stage.fact("source", {"id": source.id, "author": source.author, "start": step.start, "end": step.end})


def detectors(stage: Stage, folder: Path) -> None:
    """Ask the poisoned questions with and without detectors and compare the answers item by item."""
    stage.tell("intro")
    asked = [
        (question, purpose)
        for question in (WHERE_LOGS[stage.tongue], ON_CALL[stage.tongue], "collect.quayside.invalid")
        for purpose in Purpose
    ]
    stage.call('with Memory.open(folder) as memory: …', 'with Memory.open(folder, hints=()) as memory: …')
    with Memory.open(folder) as memory:
        watched = [Cast(memory).jiwoo.recall(question, purpose=purpose) for question, purpose in asked]
    with Memory.open(folder, hints=()) as memory:
        blind = [Cast(memory).jiwoo.recall(question, purpose=purpose) for question, purpose in asked]
    marks = [sum(len(item.hints) for answer in answers for item in answer.evidence) for answers in (watched, blind)]
    same = [_compared(one) == _compared(other) for one, other in zip(watched, blind, strict=True)]
    stage.put()
    for (question, purpose), answer, equal in zip(asked, watched, same, strict=True):
        held = sum(item.count for item in answer.withheld)
        sign = "=" if equal else "≠"
        counts = f"{len(answer.evidence)} / {held}"
        stage.put(f"{sign}  {stage.text('row', purpose=purpose.value, question=question)}  ({counts})", indent=4)
    stage.put(stage.text("marks", on=marks[0], off=marks[1]), indent=4)
    stage.checks_follow()
    stage.check("check_same", all(same) and any(answer.evidence for answer in watched), count=len(same))
    stage.check("check_marks", marks[0] > 0 and marks[1] == 0)
    stage.fact("questions", [{"question": q, "purpose": p} for q, p in asked])
    stage.fact("same", same)
    stage.fact("marks", {"on": marks[0], "off": marks[1]})


def _compared(answer: Answer) -> object:
    """Return everything of an answer but its receipt and the marks of the detectors."""
    evidence = [{**summary(item), "score": item.score, "origins": item.origins_count} for item in answer.evidence]
    return plain([evidence, answer.withheld, answer.looked, answer.searched, answer.notes])


def others(stage: Stage, cast: Cast) -> None:
    """Let others ask, and somebody without a name."""
    question, journal = WHERE_LOGS[stage.tongue], _JOURNAL[stage.tongue]
    stage.tell("intro")
    asked = {
        "jiwoo": (cast.journal("jiwoo"), journal),
        "riley": (cast.memory.session(person="riley", project="pinetide"), question),
        "daniel": (cast.journal("daniel"), journal),
        "": (cast.memory.session(project="pinetide", channel="harbour-ops"), question),
    }
    answers: dict[str, Answer] = {}
    stage.put()
    for name, (session, words) in asked.items():
        answer = answers[name] = session.recall(words)
        shown = [first(answer.evidence).claim.words] if answer.evidence else list(answer.notes)
        count = f"{len(answer.evidence)}, looked={answer.looked}"
        stage.put(f"{name or stage.text('nobody')}: “{words}” → {count}  {' '.join(shown)}", indent=4)
    stage.checks_follow()
    stage.check("check_own", bool(answers["jiwoo"].evidence))
    for name in ("riley", "daniel"):
        answer = answers[name]
        empty = not answer.evidence and not answer.withheld and answer.looked
        hits = asked[name][0].search_conversations(asked[name][1]).hits
        stage.check(f"check_{name}", empty and not hits and not list(asked[name][0].claims()))
    nobody = answers[""]
    stage.check("check_nobody", not nobody.evidence and not nobody.looked and not nobody.receipt and bool(nobody.notes))
    stage.fact("answers", {name or "nobody": [summary(item) for item in answer.evidence] for name, answer in answers.items()})
