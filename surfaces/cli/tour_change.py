"""Acts four and five: a correction that reaches what was made from it, and things whose time is over."""

from muniment.claims import Claim, Standing, Use

from .showing import DIM
from .tour_cast import Cast, summary
from .tour_recall import TARGET, first
from .tour_stage import Stage
from .tree import Drawing
from .words import word

_QUESTION = {"en": "Which environment do we deploy to?", "ko": "배포 환경이 어디야?"}
_MAY_DEPLOY = {"en": "Are deployments stopped right now?", "ko": "지금 배포를 멈춰야 해?"}
_HOW_LONG = {"en": "How long do we keep logs?", "ko": "로그는 얼마 동안 보존해?"}
FREEZE = "수요일 밤까지는 배포를 멈춥니다."
RETENTION = "로그 보존 기간은 30일로 시작합니다."


def correct(stage: Stage, cast: Cast) -> None:
    """Correct a sentence and see what rested on it fall with it."""
    old = cast.stated(TARGET)
    stage.tell("intro")
    stage.call("jiwoo.trace(your_sentence)")
    derived = _resting(stage, cast, old)
    stage.tell("change")
    said, right = stage.text("said"), stage.text("right")
    stage.call(f'said = jiwoo.message("{said}")')
    stage.call(f'jiwoo.correct(your_sentence, "{right}",', "sources=[said])", close=True)
    message = cast.jiwoo.message(said)
    new = cast.jiwoo.correct(
        old, right, sources=[message], gist=stage.text("gist"), value="production"
    )
    stage.tell("after")
    question = _QUESTION[stage.tongue]
    stage.call(f'jiwoo.recall("{question}")')
    answer = cast.jiwoo.recall(question)
    stage.evidence(cast.jiwoo, answer.evidence, most=1)
    stage.put()
    stage.withheld(answer.withheld)
    now = [cast.jiwoo.claim(claim.id) for claim in derived]
    history = _history(stage, cast, old)
    offered = {item.claim.id for item in answer.evidence}
    stage.checks_follow()
    stage.check("check_new", first(answer.evidence).claim.id == new.id)
    stage.check(
        "check_old",
        old.id not in offered and not any(TARGET == item.claim.quote for item in answer.evidence),
    )
    stale = all(claim.standing is Standing.STALE and claim.id not in offered for claim in now)
    stage.check("check_derived", len(derived) == 3 and stale, count=len(derived))
    stage.check(
        "check_history",
        history == ["remember", "correct"] and cast.jiwoo.claim(old.id).quote == TARGET,
    )
    stage.fact("answer", [summary(item) for item in answer.evidence])
    stage.fact("derived", {claim.words: claim.standing for claim in now})
    stage.fact("withheld", answer.withheld)


def _resting(stage: Stage, cast: Cast, old: Claim) -> list[Claim]:
    found: list[Claim] = []
    stage.put()
    stage.put(stage.words(old), indent=4)
    for depth, identifier, _ in Drawing(cast.jiwoo.trace(old)).above(old.id):
        claim = cast.jiwoo.claim(identifier)
        found.append(claim)
        shown = stage.words(claim)
        shown.append(f" · {word(f'standing.{claim.standing.value}', stage.tongue)}", style=DIM)
        stage.put(shown, indent=4 + 3 * depth)
    return found


def _history(stage: Stage, cast: Cast, old: Claim) -> list[str]:
    stage.tell("past")
    stage.call("jiwoo.history(your_sentence)")
    changes = cast.jiwoo.history(old.id)
    for change in changes:
        standing = word(f"standing.{change.standing}", stage.tongue)
        stage.put(
            f"{change.version}. {change.verb}, {change.by}: {standing} · {change.decision.rule}",
            indent=4,
        )
    stage.fact("history", changes)
    return [change.verb for change in changes]


def time(stage: Stage, cast: Cast) -> None:
    """Ask about what held for a while and about what is to be looked at again."""
    stage.tell("intro", today=f"{cast.memory.clock():%Y-%m-%d}")
    question = _MAY_DEPLOY[stage.tongue]
    stage.call(f'jiwoo.recall("{question}")')
    answer = cast.jiwoo.recall(question)
    stage.put()
    stage.evidence(cast.jiwoo, [], whole=answer.evidence)
    stage.withheld(answer.withheld)
    stage.tell("recheck")
    question = _HOW_LONG[stage.tongue]
    stage.call(f'jiwoo.recall("{question}")')
    kept = cast.jiwoo.recall(question)
    found = [item for item in kept.evidence if item.claim.quote == RETENTION]
    stage.evidence(cast.jiwoo, found, whole=kept.evidence)
    stage.checks_follow()
    gone = all(item.claim.quote != FREEZE for item in answer.evidence)
    said = any(item.rule == "EXPIRED" and item.count for item in answer.withheld)
    stage.check("check_expired", gone and said and cast.stated(FREEZE).standing is Standing.EXPIRED)
    marked = [item.use is Use.TENTATIVE and "RECHECK_DUE" in item.rules for item in found]
    stage.check("check_recheck", marked == [True])
    stage.fact("withheld", answer.withheld)
    stage.fact("recheck", [summary(item) for item in found])
