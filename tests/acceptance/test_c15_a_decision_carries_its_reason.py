"""C15: a decision carries its reason and the rejected alternatives with why; losing them is reported."""

import json
from collections.abc import Callable

import pytest

from muniment import InvalidError, Memory, Reasoning, RefusedError, Rejected

Open = Callable[..., Memory]
REASONING = Reasoning(
    because="한 대에서 끝나야 한다",
    rejected=(
        Rejected(plan="A안 (PostgreSQL)", why="서버를 따로 돌려야 한다"),
        Rejected(plan="plan B (files)", why="no transactions"),
    ),
)


def test_why_did_we_drop_plan_a_is_answered(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("DuckDB로 간다.")
    kim.remember("점심은 국수", sources=[kim.message("점심은 국수")])

    kept = bot.remember(
        "DuckDB로 간다.", kind="stated", category="decision", sources=[said], reasoning=REASONING
    )

    assert (kept.reasoning, kept.hints) == (REASONING, ())
    memory.close()
    memory = quick()
    bot = memory.session(person="kim", agent="bot")
    for question in ("왜 A안을 버렸지?", "why did we drop plan B?", "PostgreSQL 왜 안 써?"):
        found = bot.recall(question).evidence[0].claim
        assert found.id == kept.id and found.reasoning == REASONING
    (line,) = bot.why(kept.id).lines
    assert line.claim.reasoning.rejected[0].why == "서버를 따로 돌려야 한다"
    assert bot.why(kept.id).notes == ()
    exported = next(json.loads(line) for line in bot.export() if kept.id in line)
    assert Reasoning.model_validate(exported["reasoning"]) == REASONING


def test_a_decision_without_its_reason_is_kept_and_said_so(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message("We go with DuckDB.")

    kept = bot.remember("We go with DuckDB.", kind="stated", category="decision", sources=[said])

    assert kept.standing == "active"
    assert [(hint.rule, "the reason" in hint.reason) for hint in kept.hints] == [
        ("REASON_MISSING", True)
    ]
    assert "REASON_MISSING" in kim.why(kept).notes[0]
    half = bot.remember(
        "so it is", category="decision", sources=[said], reasoning=Reasoning(because="one machine")
    )
    assert "the rejected alternatives" in half.hints[0].reason
    assert "the reason" not in half.hints[0].reason.partition("(")[2]


def test_losing_it_by_a_change_is_reported(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    said = kim.message("We go with DuckDB. We go with SQLite. LanceDB로 간다.")
    kept = kim.remember(
        "We go with DuckDB", kind="stated", category="decision", sources=[said], reasoning=REASONING
    )

    bare = kim.supersede(kept, "We go with SQLite", sources=[said])

    assert [hint.rule for hint in bare.hints] == ["REASON_LOST"]
    assert "한 대에서" in bare.hints[0].reason and "A안" in bare.hints[0].reason
    again = kim.correct(bare, "LanceDB로 간다", sources=[said], reasoning=REASONING)
    assert (again.reasoning, again.hints) == (REASONING, ())
    part = kim.supersede(
        again,
        "We go with DuckDB",
        sources=[kim.message("We go with DuckDB")],
        reasoning=Reasoning(because="새 이유", rejected=REASONING.rejected[1:]),
    )
    assert [hint.rule for hint in part.hints] == ["REASON_LOST"]
    assert "A안" in part.hints[0].reason and "plan B" not in part.hints[0].reason


def test_what_was_rejected_needs_its_why(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    said = kim.message("We go with DuckDB.")

    with pytest.raises(InvalidError, match="the plan and why"):
        kim.remember(
            "We go with DuckDB",
            category="decision",
            sources=[said],
            reasoning=Reasoning(rejected=(Rejected(plan="A", why=""),)),
        )
    with pytest.raises(InvalidError, match="reasoning"):
        kim.remember("x", sources=[said], reasoning={"reason": "y"})  # type: ignore[arg-type]


def test_it_directs_nothing_and_is_ingested(quick: Open) -> None:
    memory = quick()
    text = "배포 전에는 꼭 알려 주세요."
    lines: list[dict[str, object]] = [
        {"type": "message", "key": "m", "text": text},
        {
            "type": "claim",
            "kind": "stated",
            "category": "constraint",
            "text": text,
            "sources": ["m"],
            "reasoning": REASONING.model_dump(mode="json"),
        },
    ]
    report = memory.ingest([json.dumps({"person": "kim", **line}) for line in lines])
    assert report.errors == ()
    kim = memory.session(person="kim")

    (rule,) = kim.recall("배포", purpose="instruct").evidence

    assert (rule.claim.gist, rule.claim.reasoning) == ("", Reasoning())
    assert kim.claim(rule.claim.id).reasoning == REASONING


def test_the_same_key_again_adds_nothing(memory: Memory, who: str) -> None:
    bot = memory.session(person=who, agent="bot")
    said = bot.message("x")

    def keep(reasoning: Reasoning) -> str:
        return bot.remember(
            "so it is", category="decision", sources=[said], reasoning=reasoning, key="k"
        ).id

    assert keep(REASONING) == keep(REASONING)
    with pytest.raises(Exception, match="used before"):
        keep(Reasoning(because="else"))
    with pytest.raises(RefusedError):
        memory.session().remember("x", sources=[], reasoning=REASONING)
