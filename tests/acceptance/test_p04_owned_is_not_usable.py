"""P04: owned is not the same as usable: the whole decision table, and what works while memory may not be used."""

from collections.abc import Callable
from itertools import product

import pytest

from muniment import Account, Integrity, Memory, RefusedError, Right, Session

WORDS = "나는 견과류 알레르기가 있어요. No nuts for me, 절대로."
PAUSES = ((), ("person",), ("project",), ("session",), ("person", "session"))


def named(memory: Memory, who: str, *, off: bool = False, agent: str = "") -> Session:
    """Return a session of a person in a project and a conversation."""
    place = {"person": who, "project": "apollo", "session": "s1", "agent": agent}
    return memory.session(**place, off_the_record=off)


def expected(
    right: Right, account: Account, paused: tuple[str, ...], off: bool
) -> tuple[bool, str]:
    """Return the row of the table, written down once more and otherwise than the product does."""
    table = {
        Account.ACTIVE: {Right.ACCUMULATE, Right.PROMPT},
        Account.FREE: {Right.ACCUMULATE},
        Account.PAUSED: set[Right](),
        Account.LAPSED: set[Right](),
        Account.CLOSED: set[Right](),
    }
    if right is Right.MANAGE:
        return True, "MAY_MANAGE"
    if off:
        return False, "OFF_THE_RECORD"
    if paused:
        return False, "PAUSED"
    allowed = right in table[account]
    return allowed, f"MAY_{right.name}" if allowed else "ACCOUNT_STATE"


@pytest.mark.parametrize(("account", "paused"), [*product(Account, PAUSES)])
def test_the_whole_table(
    quick: Callable[..., Memory], account: Account, paused: tuple[str, ...]
) -> None:
    memory = quick()
    kim = named(memory, "kim")
    said = kim.message(WORDS)
    claim = kim.remember(WORDS, kind="stated", category="constraint", sources=[said])
    for extent in paused:
        kim.pause(extent)
    memory.set_account("kim", account)

    for off, agent in product((False, True), ("", "bot")):
        session = named(memory, "kim", off=off, agent=agent)
        for right in Right:
            permit, (allowed, rule) = session.may(right), expected(right, account, paused, off)
            assert (bool(permit), permit.decision.rule) == (allowed, rule), (right, off, agent)
            assert permit.reason
        usable = session.can_use_prompt_memory
        before = memory.store.state.seq
        answer = session.recall("견과류?")
        assert bool(usable) is answer.looked is bool(answer.evidence)
        if not usable:
            assert answer.notes == (f"{usable.decision.rule}: {usable.reason}",)
            assert session.search_conversations("견과류").hits == ()
            assert memory.store.state.seq == before
        if not session.may("accumulate"):
            with pytest.raises(RefusedError) as error:
                session.message("하나 더")
            assert error.value.decision.rule == session.may("accumulate").decision.rule
            assert memory.store.state.seq == before

    # Whatever the state: listed, exported, erased.
    assert [one.words for one in kim.claims()] == [WORDS]
    assert sum(WORDS in line for line in kim.export()) == 2
    assert kim.erase(claim).claims == (claim.id,)
    assert list(kim.claims()) == []


def test_nobody_has_no_right_at_all(memory: Memory) -> None:
    nobody = memory.session(project="apollo")

    assert [(bool(nobody.may(right)), nobody.may(right).decision.rule) for right in Right] == [
        (False, "NO_IDENTITY")
    ] * 3
    assert not nobody.can_use_prompt_memory


def test_a_pause_reaches_as_far_as_it_says(memory: Memory, who: str) -> None:
    here = named(memory, who)
    elsewhere = memory.session(person=who, project="zephyr", session="s2")
    same_project = memory.session(person=who, project="apollo", session="s3", agent="bot")
    another = memory.session(person=f"not {who}", project="apollo", session="s1")

    def usable() -> list[bool]:
        sessions = (here, same_project, elsewhere, another)
        return [bool(one.can_use_prompt_memory) for one in sessions]

    here.pause("session")
    assert usable() == [False, True, True, True]
    here.pause("project")
    assert usable() == [False, False, True, True]
    here.pause("person")
    assert usable() == [False, False, False, True]
    assert here.can_use_prompt_memory.reason.endswith("(person, project, session)")
    assert here.resume("person").paused == ("project", "session")
    assert usable() == [False, False, True, True]
    assert len(here.resume().scopes) == 2
    assert usable() == [True] * 4
    assert here.resume().scopes == () and here.pause().scopes != () and here.pause().scopes == ()


def test_an_agent_neither_pauses_nor_resumes(memory: Memory, who: str) -> None:
    kim, bot = named(memory, who), named(memory, who, agent="bot")

    with pytest.raises(RefusedError, match="ONLY_HERSELF"):
        bot.pause()
    kim.pause()
    with pytest.raises(RefusedError, match="ONLY_HERSELF"):
        bot.resume()
    assert not bot.can_use_prompt_memory


def test_an_agent_looks_nothing_up_while_paused(memory: Memory, who: str) -> None:
    kim, bot = named(memory, who), named(memory, who, agent="bot")
    said = kim.message(WORDS)
    claim = kim.remember(WORDS, kind="stated", sources=[said])
    kim.pause("project")

    for look in (
        lambda: list(bot.claims()),
        lambda: bot.claim(claim.id),
        lambda: bot.source(said.id),
        lambda: bot.why(claim),
        lambda: bot.trace(claim),
        lambda: list(bot.export()),
        lambda: bot.history(claim),
    ):
        with pytest.raises(RefusedError, match="PAUSED"):
            look()
    assert kim.claim(claim.id).words == WORDS
    assert bot.mark is Integrity.USER  # nothing entered its context


def test_the_host_pauses_a_project_for_everybody(memory: Memory, who: str) -> None:
    place = f"project of {who}"
    kim = memory.session(person=who, project=place)
    lee = memory.session(person=f"lee of {who}", project=place)

    memory.pause(project=place)

    assert not kim.can_use_prompt_memory and not lee.can_use_prompt_memory
    assert kim.resume().paused == ("project",)  # it is not hers to resume
    assert memory.session(person=who).can_use_prompt_memory
    memory.resume(project=place)
    assert kim.can_use_prompt_memory and lee.can_use_prompt_memory
