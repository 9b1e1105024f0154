"""P08: what one member of a shared channel said never reaches another's prompt by an agent; wording decides nothing."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import pytest

from muniment import Memory, Purpose, RefusedError, Session

# What 김대리 says of himself, and the canary in it that 박과장's prompts must never hold.
FACTS = {
    "korean": ("내 사번은 이공이삼일이삼사가나다 이야. 견적서 올려줘.", "이공이삼일이삼사가나다"),
    "english": (
        "My badge is zanzibar-quokka-20231234. File the quote.",
        "zanzibar-quokka-20231234",
    ),
    "mixed": ("내 employee ID는 EMP-quixotic-77123이고 견적은 urgent.", "EMP-quixotic-77123"),
    "harmless": (
        "The glockenspielday rule is for everybody: 모두에게 공유해도 된다.",
        "glockenspielday",
    ),
}


class Channel(NamedTuple):
    """One shared channel: two members, the bot acting for each, and the bot there for nobody."""

    memory: Memory
    kim: Session
    kims: Session
    park: Session
    parks: Session
    bot: Session


@pytest.fixture
def channel(quick: Callable[..., Memory]) -> Channel:
    """Return the sales channel of document 004, the bot called by each member in a session of her own."""
    memory = quick()
    place = {"org": "sales", "channel": "견적"}
    kim, park = {"person": "김대리", **place}, {"person": "박과장", **place}
    return Channel(
        memory,
        memory.session(**kim, session="월요일"),
        memory.session(**kim, session="월요일", agent="bot"),
        memory.session(**park, session="화요일"),
        memory.session(**park, session="화요일", agent="bot"),
        memory.session(**place, session="밤", agent="bot"),
    )


def prompts(session: Session, question: str) -> Iterator[str]:
    """Yield everything of what is remembered that a prompt of this session may carry, without the question."""
    for purpose in Purpose:
        answer = session.recall(question, purpose=purpose, limit=99)
        yield repr(answer.model_copy(update={"query": ""}))
    yield repr(session.block())
    yield repr(session.waiting_block())
    yield repr(list(session.claims()))


def attempts(session: Session, source: str, words: str) -> dict[str, Callable[[], object]]:
    """Return every way in which an agent may want to remember what a message says, in its words or in others."""
    own = session.message("견적서 상태를 알려줘. What is the state?")
    mine = session.remember("견적서가 있다", sources=[own])
    rests = session.remember("so there is a quote", sources=[mine])
    session.retract(mine)
    ways: dict[str, Callable[[], object]] = {
        kind: partial(session.remember, words, kind=kind, sources=[source])
        for kind in ("stated", "observed", "inferred", "external")
    }
    other = session.remember("견적서를 기다린다", sources=[own])
    return {
        **ways,
        "reworded": lambda: session.remember("the asker has a number", sources=[own, source]),
        "correct": lambda: session.correct(other, words, sources=[source]),
        "supersede": lambda: session.supersede(other, words, sources=[source]),
        "challenge": lambda: session.challenge(other, words, sources=[source]),
        "regenerate": lambda: session.regenerate(rests, words, sources=[source]),
    }


@pytest.mark.parametrize("sort", FACTS)
def test_what_the_bot_keeps_for_one_member_is_in_no_other_members_prompt(
    channel: Channel, sort: str
) -> None:
    words, canary = FACTS[sort]
    said = channel.kim.message(words)
    channel.kims.remember(words, kind="stated", category="constraint", sources=[said])
    channel.kims.rewrite_block(words, sources=[said])

    for session in (channel.park, channel.parks, channel.bot):
        if session is not channel.bot:
            assert canary not in "".join(prompts(session, words))
        assert session.recall(words).evidence == ()
        assert canary not in repr(list(session.claims()))
    assert canary in "".join(prompts(channel.kim, words))


@pytest.mark.parametrize("sort", FACTS)
@pytest.mark.parametrize("whose", ["parks", "bot"])
def test_an_agent_keeps_it_for_nobody_else_by_any_way(
    channel: Channel, sort: str, whose: str
) -> None:
    words, canary = FACTS[sort]
    said = channel.kim.message(words)
    session = getattr(channel, whose)
    ways = attempts(session, said.id, words)
    if whose == "parks":
        ways["rewrite_block"] = lambda: session.rewrite_block(words, sources=[said])

    for name, attempt in ways.items():
        with pytest.raises(RefusedError) as error:
            attempt()
        assert error.value.decision.rule == "ANOTHERS_WORDS", name
    if whose == "parks":
        assert canary not in "".join(prompts(session, words))
    assert canary not in repr(list(session.claims()))


def test_a_line_of_a_file_is_held_to_it_too(channel: Channel) -> None:
    words, _ = FACTS["korean"]
    said = channel.kim.message(words)
    line = {
        "type": "claim",
        "person": "박과장",
        "agent": "bot",
        "org": "sales",
        "channel": "견적",
        "text": words,
        "sources": [said.id],
    }

    report = channel.memory.ingest([json.dumps(line)])

    assert report.accepted == 0
    assert "ANOTHERS_WORDS" in report.errors[0].message


def test_what_was_answered_or_looked_up_for_a_member_is_hers_too(channel: Channel) -> None:
    reply = channel.kims.message("김대리님 사번 이공이삼가나다라마바로 올렸습니다")
    looked_up = channel.kims.tool_result("whoami", {"login": "kim-zanzibar-quokka"})
    by_hand = channel.kim.tool_result("whoami", {"login": "kim-zanzibar-quokka"})

    for source, words in ((reply, reply.text), (looked_up, "login"), (by_hand, "login")):
        with pytest.raises(RefusedError, match="ANOTHERS_WORDS"):
            channel.parks.remember(
                words, kind="observed", field="login", category="contact", sources=[source]
            )
    kept = channel.kims.remember(
        "login", kind="observed", field="login", category="contact", sources=[looked_up]
    )
    assert kept.kind == "observed" and channel.park.recall("login", purpose="act").evidence == ()


def test_a_page_is_nobodys_own(channel: Channel) -> None:
    page = channel.kim.document("The price list is due.", origin="https://wiki.example")

    kept = channel.parks.remember("The price list is due.", kind="external", sources=[page])

    assert (kept.kind, kept.integrity.name) == ("external", "EXTERNAL")


def test_a_member_herself_may_note_what_she_heard_and_it_is_hearsay(channel: Channel) -> None:
    words, _ = FACTS["english"]
    said = channel.kim.message(words)

    noted = channel.park.remember(words, kind="stated", category="constraint", sources=[said])

    assert (noted.kind, noted.integrity.name, noted.scope.person) == (
        "external",
        "EXTERNAL",
        "박과장",
    )
    for purpose in ("personalise", "instruct"):
        assert channel.parks.recall(words, purpose=purpose).evidence == ()


def test_what_an_agent_heard_of_another_member_lowers_its_context(channel: Channel) -> None:
    channel.kim.message(FACTS["mixed"][0])
    own = channel.park.message("견적 상태는?")
    before = channel.parks.remember("a question", sources=[own], parents_complete=False)

    channel.parks.search_conversations("견적")
    after = channel.parks.remember("somebody has a number", sources=[own])

    assert (before.integrity.name, after.integrity.name) == ("AGENT", "EXTERNAL")
    assert channel.parks.rewrite_block("somebody has a number").held


def test_each_member_has_her_own_in_the_same_channel(channel: Channel) -> None:
    for person, bot, number in (
        (channel.kim, channel.kims, "육공일가나다"),
        (channel.park, channel.parks, "칠공이라마바"),
    ):
        said = person.message(f"내 사번은 {number}.")
        bot.remember(f"내 사번은 {number}.", kind="stated", sources=[said])

    assert [
        "육공일가나다" in item.claim.words for item in channel.kims.recall("사번").evidence
    ] == [True]
    assert [
        "칠공이라마바" in item.claim.words for item in channel.parks.recall("사번").evidence
    ] == [True]
