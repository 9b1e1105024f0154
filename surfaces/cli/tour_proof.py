"""Acts six to eight: why an answer was given, the same without detectors, and somebody else asking."""

from muniment import Answer
from muniment.claims import Medium, Purpose

from .safe import plain
from .tour_cast import Cast, summary
from .tour_recall import LOGS, ON_CALL, WHERE_LOGS
from .tour_stage import Stage
from .words import rule_words, word

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
    stage.fact(
        "source", {"id": source.id, "author": source.author, "start": step.start, "end": step.end}
    )


def asked(stage: Stage, cast: Cast) -> dict[tuple[str, Purpose], Answer]:
    """Return the answers to the poisoned questions, each for every purpose."""
    questions = (WHERE_LOGS[stage.tongue], ON_CALL[stage.tongue])
    return {
        (words, purpose): cast.jiwoo.recall(words, purpose=purpose)
        for words in questions
        for purpose in Purpose
    }


def detectors(stage: Stage, cast: Cast, watched: dict[tuple[str, Purpose], Answer]) -> None:
    """Compare the answers given with detectors with those of this store, opened without, item by item."""
    stage.tell("intro")
    stage.call("memory = Memory.open(folder, hints=())")
    blind = asked(stage, cast)
    marks = [
        sum(len(item.hints) for one in answers.values() for item in one.evidence)
        for answers in (watched, blind)
    ]
    same = {key: _compared(answer) == _compared(blind[key]) for key, answer in watched.items()}
    stage.put()
    for (question, purpose), equal in same.items():
        answer = watched[question, purpose]
        held = sum(item.count for item in answer.withheld)
        counts = stage.text("counts", shown=len(answer.evidence), held=held)
        sign = "=" if equal else "≠"
        stage.put(f"{sign} {purpose.value:<12} “{question}”  {counts}", indent=4, hang=4)
    stage.put(stage.text("marks", on=marks[0], off=marks[1]), indent=4)
    stage.checks_follow()
    stage.check(
        "check_same",
        all(same.values()) and any(one.evidence for one in watched.values()),
        count=len(same),
    )
    stage.check("check_marks", marks[0] > 0 and marks[1] == 0)
    stage.fact(
        "same", [{"question": q, "purpose": p, "same": equal} for (q, p), equal in same.items()]
    )
    stage.fact("marks", {"on": marks[0], "off": marks[1]})


def _compared(answer: Answer) -> object:
    """Return everything of an answer but its receipt and the marks of the detectors."""
    evidence = [
        {**summary(item), "score": item.score, "origins": item.origins_count}
        for item in answer.evidence
    ]
    return plain([evidence, answer.withheld, answer.looked, answer.searched, answer.notes])


def others(stage: Stage, cast: Cast) -> None:
    """Let others ask, and somebody without a name."""
    question, journal = WHERE_LOGS[stage.tongue], _JOURNAL[stage.tongue]
    stage.tell("intro")
    people = {
        "jiwoo": (cast.journal("jiwoo"), journal),
        "riley": (cast.memory.session(person="riley", project="pinetide"), question),
        "daniel": (cast.journal("daniel"), journal),
        "": (cast.memory.session(project="pinetide", channel="harbour-ops"), question),
    }
    answers: dict[str, Answer] = {}
    for name, (session, words) in people.items():
        stage.call(f'{name or "nobody"}.recall("{words}")')
        answer = answers[name] = session.recall(words)
        if answer.evidence:
            stage.evidence(session, answer.evidence, most=1)
        elif answer.looked:
            stage.put(word("recall.nothing", stage.tongue, searched=answer.searched), indent=4)
        else:
            note = rule_words("NO_IDENTITY", "; ".join(answer.notes), stage.tongue)
            stage.put(word("recall.not_looked", stage.tongue, why=note), indent=4)
    stage.checks_follow()
    stage.check("check_own", bool(answers["jiwoo"].evidence))
    riley = answers["riley"]
    empty = not riley.evidence and not riley.withheld and riley.looked
    session, words = people["riley"]
    hits = session.search_conversations(words).hits
    stage.check("check_riley", empty and not hits and not list(session.claims()))
    session, words = people["daniel"]
    own = {item.claim.scope.person for item in answers["daniel"].evidence}
    said = {hit.author for hit in session.search_conversations(words).hits}
    listed = {claim.scope.person for claim in session.claims()}
    stage.check("check_daniel", own == said == listed == {"daniel"})
    nobody = answers[""]
    stage.check(
        "check_nobody",
        not nobody.evidence and not nobody.looked and not nobody.receipt and bool(nobody.notes),
    )
    for name, answer in answers.items():
        stage.fact(
            name or "nobody",
            {"looked": answer.looked, "evidence": [summary(item) for item in answer.evidence]},
        )
