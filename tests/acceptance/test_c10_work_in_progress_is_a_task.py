"""C10: work in progress is no memory: it goes to the task ledger, with a lifetime of its own, and the reply says so."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from muniment import ConflictError, InvalidError, Memory, NotFoundError, RefusedError
from muniment.testing import findings

Open = Callable[..., Memory]
Pass = Callable[[timedelta], None]
IN_PROGRESS = (
    "오늘 실패한 테스트: test_login",
    "Today's failing test is test_login",
    "TODO: 마이그레이션 마무리",
    "Still working on the parser, 파서 작업 중",
    "The nightly build keeps failing",
    "로그인 구현 아직 못 끝냈다",
)


@pytest.mark.parametrize("text", IN_PROGRESS)
def test_a_models_work_in_progress_goes_to_the_ledger_and_the_reply_says_so(
    memory: Memory, who: str, text: str
) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")

    kept = bot.remember(text, category="fact", sources=[kim.message("어떻게 되고 있어?")])

    assert (kept.category, kept.decision.rule) == ("task", "WORK_IN_PROGRESS")
    assert "task ledger" in kept.decision.reason and "“" in kept.decision.reason
    assert kept.expires_at is not None
    assert timedelta(days=14) < kept.expires_at - kept.recorded_at <= timedelta(days=15)
    again = bot.remember(text, category="fact", sources=[kim.message("지금은?")])
    assert [task.id for task in kim.tasks()] == [kept.id] == [again.id]  # said again, one task
    assert list(kim.claims()) == []
    for purpose in ("answer", "personalise", "act", "instruct"):
        assert bot.recall(text, purpose=purpose).evidence == ()
    assert kim.block().text == ""


def test_it_replaces_nothing_and_stands_in_no_block(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message("x")
    fact = bot.remember("the parser is in Rust", sources=[said])

    for do in (
        lambda: bot.correct(fact, IN_PROGRESS[3], sources=[said]),
        lambda: bot.rewrite_block(IN_PROGRESS[2]),
    ):
        with pytest.raises(RefusedError, match="TASK_FOR_CLAIM.*make it a task"):
            do()
    assert kim.claim(fact.id).standing == "active" and list(kim.tasks()) == []


def test_a_task_lives_and_ends(quick: Open, moment: list[datetime], pass_time: Pass) -> None:
    memory = quick(clock=lambda: moment[0])
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    mine = kim.task("계약서 검토")
    its = bot.task("finish the migration", until=moment[0] + timedelta(days=2))
    third = bot.task("표를 고친다")

    assert [task.id for task in bot.tasks()] == [mine.id, its.id, third.id]
    assert (mine.kind, its.kind) == ("stated", "inferred")
    over = bot.finish_task(mine, reason="검토 끝")  # whoever works here may say so
    assert (over.standing, over.decision.rule) == ("retracted", "OWN_WORDS")
    assert kim.history(over)[-1].decision.rule == "TASK_SETTLED"
    pass_time(timedelta(days=3))
    assert [task.id for task in kim.tasks()] == [third.id]
    assert kim.finish_task(third, outcome="dropped").standing == "retracted"
    assert list(kim.tasks()) == []
    shown = {task.id: task.standing.value for task in kim.tasks(everything=True)}
    assert shown == {mine.id: "retracted", its.id: "expired", third.id: "retracted"}
    assert kim.reinstate(kim.claim(mine.id)).standing == "active"
    memory.close()
    memory = quick(clock=lambda: moment[0])
    assert [task.id for task in memory.session(person="kim").tasks()] == [mine.id]
    assert findings(memory) == ()


def test_only_in_its_own_scope(memory: Memory, who: str) -> None:
    kim = memory.session(person=who, project="apollo")
    task = kim.task("계약서 검토")

    assert list(memory.session(person=f"{who} 2", project="apollo").tasks()) == []
    assert list(memory.session(person=who, project="zephyr").tasks()) == []
    other = memory.session(person=f"{who} 2", project="apollo")
    for named in (task.id, "AaIucrl3cpGd1QXpbNTnPA"):
        with pytest.raises(NotFoundError):
            other.finish_task(named)


def test_wrong_input_says_the_way_out(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    said = kim.message("We deploy.")
    claim = kim.remember("We deploy.", kind="stated", sources=[said])
    task = kim.task("검토")

    with pytest.raises(InvalidError, match="no task"):
        kim.finish_task(claim)
    with pytest.raises(InvalidError, match="done or dropped"):
        kim.finish_task(task, outcome="gone")
    with pytest.raises(InvalidError, match="empty"):
        kim.task(" ")
    with pytest.raises(InvalidError, match="in the past"):
        kim.task("어제까지", until=datetime(2020, 1, 1, tzinfo=UTC))
    kim.finish_task(task)
    with pytest.raises(ConflictError):
        kim.finish_task(task)
    with pytest.raises(RefusedError, match="NOT_CURRENT"):
        kim.finish_task(task.id)
    assert kim.task("하나", key="k").id == kim.task("하나", key="k").id
    with pytest.raises(ConflictError):
        kim.task("둘", key="k")


def test_it_is_exported_and_erased_with_what_it_came_from(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("zebrafinchcanary 파서를 고쳐 줘")
    bot.task("zebrafinchcanary 파서", sources=[said])
    mine = kim.task("numbatcanarytask 검토")
    exported = [json.loads(line) for line in kim.export()]
    assert [one["category"] for one in exported if one["type"] == "claim"] == ["task", "task"]

    kim.erase(said)
    kim.erase(kim.claim(mine.id))

    assert list(kim.tasks(everything=True)) == []
    with pytest.raises(RefusedError, match="SUPPRESSED"):
        bot.task("numbatcanarytask 검토")
    memory.close()
    for file in memory.path.rglob("*"):
        held = file.read_bytes() if file.is_file() else b""
        assert b"zebrafinchcanary" not in held and b"numbatcanarytask" not in held


def test_a_refused_task_leaves_nothing_half(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    kim.erase(kim.task("numbatcanarytask 검토"))
    before = memory.store.state.seq

    with pytest.raises(RefusedError, match="SUPPRESSED"):
        bot.task("numbatcanarytask 검토")

    assert memory.store.state.seq <= before + 1  # the refusal alone
    turns = bot.search_conversations("numbatcanarytask").hits
    assert {turn.author for turn in turns} == {"kim"}  # her own message, which she did not erase
