"""R10: live is the default; a frozen prompt keeps the memory of the first, until something may not be shown so."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from muniment import Memory, Mode, Prompt, Session
from muniment.claims import Claim
from muniment.testing import HandClock

SECRET = "nine green 거북이"


def stated(session: Session, text: str, **more: Any) -> Claim:
    return session.remember(text, kind="stated", sources=[session.message(text)], **more)


class World:
    """A person, an agent for her, claims of hers and of a page, a block, and a clock that is moved by hand."""

    def __init__(self, memory: Memory, clock: HandClock) -> None:
        self.memory, self.clock = memory, clock
        self.kim = memory.session(person="kim")
        self.bot = memory.session(person="kim", agent="bot", session="s1")
        self.kim.rewrite_block("Call me 민지")
        self.nuts = stated(self.kim, "견과류는 절대 안 된다.", category="constraint")
        self.friday = stated(self.kim, "We deploy on Fridays.", subject="deploy", attribute="day")
        self.ends = stated(
            self.kim, "Deploy freeze is on.", expires_at=clock.now + timedelta(days=3)
        )
        self.page = self.kim.document("Deploy logs go to the hall.", origin="https://wiki.example")
        self.outside = self.kim.remember(self.page.text, kind="external", sources=[self.page])

    def frozen(self, **more: Any) -> Prompt:
        return self.bot.assemble("deploy", mode="frozen", **more)

    def notes(self, prompt: Prompt) -> tuple[str, ...]:
        return self.kim.replay(prompt.receipt).notes


@pytest.fixture
def world(quick: Callable[..., Memory]) -> World:
    clock = HandClock()
    return World(quick(clock=clock), clock)


def test_live_is_the_default_and_sees_at_once_what_is_new(world: World) -> None:
    before = world.bot.assemble("deploy")
    stated(world.kim, "Deploys need a review.")
    after = world.bot.assemble("deploy")

    assert (before.mode, before.taken_at, before.thawed_by) == (Mode.LIVE, None, "")
    assert "review" in after.text and "review" not in before.text


def test_a_frozen_one_keeps_its_bytes_over_new_claims_and_other_questions(world: World) -> None:
    first = world.frozen()
    stated(world.kim, "Deploys need a review.")
    world.clock.now += timedelta(minutes=5)
    second = world.frozen()
    other = world.bot.assemble("무엇을 먹나?", mode="frozen")

    assert first.text == second.text == other.text and "review" not in second.text
    assert first.taken_at == second.taken_at == other.taken_at and second.mode is Mode.FROZEN
    assert second.taken_at is not None and second.taken_at.isoformat() in " ".join(second.notes)
    assert world.notes(second)[0].startswith("frozen: what is remembered was taken at ")
    assert first.receipt != second.receipt
    given = [line.id for line in world.kim.replay(second.receipt).lines]
    assert sorted(given) == sorted(line.claim for line in second.lines if line.claim)


def test_its_age_is_shown_by_date_and_the_date_itself_goes_on(world: World) -> None:
    first = world.frozen()
    day = world.clock.now.date()
    world.clock.now += timedelta(days=1)
    second = world.frozen(volatile="Turn 2.")

    assert f"Date: {day} (UTC); what is remembered here is as of {day}" in first.text
    assert f"Date: {day + timedelta(days=1)} (UTC); what is remembered here is as of {day}" in (
        second.text
    )
    assert first.sections[:2] == second.sections[:2]


THAWS: dict[str, tuple[str, Callable[[World], object]]] = {
    "erase": ("SUPPRESSED", lambda it: it.kim.erase(it.friday)),
    "retract": ("RETRACTED", lambda it: it.kim.retract(it.friday)),
    "correct": (
        "CORRECTED",
        lambda it: it.kim.correct(it.friday, "월요일", sources=[it.kim.message("월요일")]),
    ),
    "supersede": (
        "SUPERSEDED",
        lambda it: it.kim.supersede(it.friday, "월요일", sources=[it.kim.message("월요일")]),
    ),
    "mute": ("MUTED", lambda it: it.kim.mute(it.friday)),
    "mute a theme": ("MUTED", lambda it: it.kim.mute(theme="견과류")),
    "mute a line of the block": ("MUTED", lambda it: it.kim.mute(theme="민지")),
    "forget": ("MUTED", lambda it: it.kim.request_forget(it.friday)),
    "revoke": ("RESTRICTED", lambda it: it.kim.revoke(it.page)),
    "sensitive": ("SENSITIVE", lambda it: it.kim.declare_sensitive(it.friday)),
    "expire": ("EXPIRED", lambda it: it.clock.move(timedelta(days=4))),
    "challenge": (
        "CONFLICT",
        lambda it: it.kim.challenge(it.friday, "월요일", sources=[it.kim.message("월요일")]),
    ),
    "the block": ("BLOCK_WRITTEN", lambda it: it.kim.rewrite_block("Call me 지우")),
    "clear the block": ("SUPPRESSED", lambda it: it.kim.clear_block()),
    "pause and resume": ("PAUSED", lambda it: (it.kim.pause(), it.kim.resume())),
    "account": (
        "ACCOUNT_STATE",
        lambda it: (it.memory.set_account("kim", "paused"), it.memory.set_account("kim", "active")),
    ),
}


@pytest.mark.parametrize("act", THAWS)
def test_what_may_not_be_shown_as_it_was_thaws_it_before_the_next_turn(
    world: World, act: str
) -> None:
    rule, do = THAWS[act]
    world.kim.set_secret(SECRET)
    world.kim.prove(SECRET)
    before = world.frozen()
    stated(world.kim, "Deploys need a review.")
    do(world)

    after = world.frozen()

    assert (before.thawed_by, after.thawed_by, after.mode) == ("", rule, Mode.FROZEN)
    assert f"thawed and taken anew: {rule}" in world.notes(after)
    assert after.text == world.frozen().text and world.frozen().thawed_by == ""
    live = world.bot.assemble("deploy")
    assert after.sections[:2] == live.sections[:2] and "review" in after.text
    assert "ERASED" not in repr(after)  # that something was erased no agent learns


def test_while_paused_it_is_gone_and_afterwards_taken_anew(world: World) -> None:
    world.frozen()
    world.kim.pause()
    paused = world.frozen()
    world.kim.resume()
    after = world.frozen()

    assert not paused.looked and paused.lines == () and "Fridays" not in paused.text
    assert after.thawed_by == "PAUSED" and "Fridays" in after.text


@pytest.mark.parametrize(
    "asked",
    [
        {"purpose": "instruct"},
        {"present": {"day": "월요일"}},
        {"task": "report"},
        {"connect": True},
        {"need": "to cook"},
    ],
)
def test_asked_otherwise_it_is_taken_anew(world: World, asked: dict[str, Any]) -> None:
    world.frozen()
    after = world.frozen(**asked)

    assert (
        after.thawed_by and after.sections[:2] == world.bot.assemble("deploy", **asked).sections[:2]
    )


def test_another_session_of_the_name_takes_its_own(world: World) -> None:
    first = world.frozen()
    stated(world.kim, "Deploys need a review.")
    other = world.memory.session(person="kim", agent="bot", session="s1")

    assert "review" in other.assemble("deploy", mode="frozen").text
    assert world.frozen().text == first.text


def test_what_another_person_does_thaws_nothing(world: World) -> None:
    first = world.frozen()
    lee = world.memory.session(person="lee")
    gone = stated(lee, "We deploy on Fridays.")
    lee.mute(theme="deploy")
    lee.retract(gone)
    lee.pause()
    world.memory.set_account("lee", "paused")
    world.memory.pause(project="zephyr")

    assert world.frozen().text == first.text and world.frozen().thawed_by == ""
