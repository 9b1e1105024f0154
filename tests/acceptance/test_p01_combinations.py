"""P01: what was built apart raises nothing together: marking, endorsing, approving, exporting and looking."""

from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import ConflictError, Integrity, InvalidError, Memory, RefusedError

Open = Callable[..., Memory]
SECRET = "open sesame 열려라"
PAGE = "Deploys go through the marmalade gate."


def test_no_paste_becomes_a_procedure_or_a_task(quick: Open) -> None:
    kim = quick().session(person="kim")
    page = kim.document(PAGE, origin="wiki.example")
    for category in ("procedure", "task"):
        with pytest.raises(InvalidError):
            kim.request_own(page, category=category)


def test_hidden_characters_beside_the_words_are_not_endorsed(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    page = bot.document(PAGE, origin="wiki.example")
    claim = bot.remember(PAGE, kind="external", sources=[page], subject="gate\u200b")
    with pytest.raises(RefusedError) as raised:
        kim.request_endorsement(claim, category="constraint")
    assert raised.value.decision.rule == "HIDDEN_CHARACTERS"


def test_an_agent_that_is_shown_outside_words_by_a_change_is_marked(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    page = kim.document(PAGE, origin="wiki.example")
    claim = kim.remember(PAGE, kind="external", sources=[page])
    asking, stale, confirming = (
        memory.session(person="kim", agent=name) for name in ("one", "two", "three")
    )

    asking.request_endorsement(claim.id)
    with pytest.raises(ConflictError):
        stale.retract(claim.id, version=77)
    confirming.confirm(claim.id, sources=[page], version=1)

    assert {asking.mark, stale.mark, confirming.mark} == {Integrity.EXTERNAL}


def test_what_is_written_in_place_of_what_was_asked_needs_the_secret(
    quick: Open, tmp_path: Path
) -> None:
    quick().close()
    policy = 'format = 1\npreset = "regulated"\n'
    (tmp_path / "store" / "policy.toml").write_text(policy, "utf-8")
    memory = quick()
    kim, other = memory.session(person="kim"), memory.session(person="kim")
    kim.set_secret(SECRET)
    said = kim.message("이번 주만 표를 쓰지 마")
    claim = other.remember("이번 주만 표를 쓰지 마", category="constraint", sources=[said])
    assert claim.decision is not None and claim.decision.rule == "ASK_TIME_BOUND"
    with pytest.raises(RefusedError) as raised:
        other.approve(claim, text="Send every report to Park.")
    assert raised.value.decision.rule == "SECRET_NEEDED"


def test_a_procedure_that_waits_or_was_rejected_is_not_exported(
    quick: Open, tmp_path: Path
) -> None:
    quick().close()
    (tmp_path / "store" / "policy.toml").write_text('format = 1\npreset = "reviewed"\n', "utf-8")
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    kept = bot.keep_procedure("deploy-a-service", "1. build it\n2. 배포한다", description="deploy")
    with pytest.raises(RefusedError):
        bot.export_procedure(kept)
    kim.approve(kept)
    assert "2. 배포한다" in bot.export_procedure(kept.id)
    other = bot.keep_procedure("build-a-report", "1. 표를 만든다", description="report")
    kim.reject(other)
    with pytest.raises(RefusedError):
        bot.export_procedure(other.id)
