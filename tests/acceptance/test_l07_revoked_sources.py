"""L07: revoking a source blocks what rests only on it, and no words made from it are shown meanwhile."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from muniment import Memory, RefusedError, Session

SECRET = "The vault code is 47118352-7x"


def everything(session: Session) -> str:
    """Return all that a session can get out of the store, in one text."""
    gathered: list[object] = [one.model_dump(mode="json") for one in session.claims()]
    for claim in list(session.claims()):
        gathered.append(session.trace(claim).model_dump(mode="json"))
        gathered.append(session.why(claim).model_dump(mode="json"))
        gathered.append(session.evidence_of(claim).model_dump(mode="json"))
        gathered.append([one.model_dump(mode="json") for one in session.history(claim)])
        gathered.append(session.investigate(claim).model_dump(mode="json"))
        gathered.append(session.investigate(claim).bundle)
        for citation in claim.citations:
            gathered.append(session.trace(citation.id).model_dump(mode="json"))
    for purpose in ("answer", "act", "instruct", "personalise"):
        answer = session.recall("what is the code of the vault?", purpose=purpose)
        gathered.append([item.model_dump(mode="json") for item in answer.evidence])
        lines = session.replay(answer).lines
        gathered.append([line.model_dump(mode="json") for line in lines])
    gathered.append(
        session.search_conversations("vault code 47118352-7x").model_dump(mode="json")["hits"]
    )
    gathered.append([item.model_dump(mode="json") for item in session.stale()])
    gathered.append([one.model_dump(mode="json") for one in session.backdated()])
    gathered.append(session.prov())
    gathered += list(session.export())
    return json.dumps(gathered)


def test_what_rests_only_on_it_is_blocked_and_comes_back(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message(SECRET, said_at=datetime(2020, 1, 1, tzinfo=UTC))
    claim = kim.remember(SECRET, kind="stated", sources=[said])
    derived = bot.remember("47118352-7x opens it", sources=[claim])
    receipt = kim.recall("vault code").receipt

    done = kim.revoke(said, reason="not for the agent")

    assert (done.access, done.blocked) == ("revoked", 2)
    assert [kim.claim(one.id).standing for one in (claim, derived)] == ["restricted"] * 2
    assert "47118352-7x" not in everything(kim)
    for again in (kim.why(receipt).lines, kim.replay(receipt).lines):
        assert again and "47118352-7x" not in json.dumps(
            [one.model_dump(mode="json") for one in again]
        )
    answer = kim.recall("does the vault code open it?")
    assert ("RESTRICTED", 2) in [(item.rule, item.count) for item in answer.withheld]
    for refused in (
        lambda: kim.source(said.id),
        lambda: kim.remember(SECRET, kind="stated", sources=[said]),
        lambda: bot.remember("it opens", sources=[claim]),
    ):
        with pytest.raises(RefusedError) as error:
            refused()
        assert error.value.decision.rule == "RESTRICTED"

    done = kim.give_back(said)

    assert (done.access, done.restored) == ("given", 2)
    assert [kim.claim(one.id).standing for one in (claim, derived)] == ["active"] * 2
    assert kim.claim(claim.id).words == SECRET
    assert kim.source(said.id).text == SECRET
    assert kim.give_back(said).restored == 0


def test_what_survives_is_shown_in_words_made_without_it(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    first = kim.message(SECRET.upper())
    claim = bot.remember(SECRET.upper(), sources=[first])
    second = kim.message("I can read it off the label")
    again = bot.remember(SECRET.lower(), sources=[second])
    assert again.id == claim.id

    kim.revoke(first)

    shown = kim.claim(claim.id)
    assert (shown.standing, shown.words) == ("active", SECRET.lower())
    assert SECRET.upper() not in everything(kim)
    assert kim.evidence_of(claim).mentions == 1

    kim.revoke(second)
    assert (kim.claim(claim.id).standing, kim.claim(claim.id).words) == ("restricted", "")

    kim.give_back(first)
    assert kim.claim(claim.id).words == SECRET.upper()


def test_only_the_person_herself_may_and_only_of_her_own(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    page = kim.document("A page", origin="https://page.example")
    seen = {"channel": who, "person": who}
    said = memory.session(**seen).message("Said in the channel")
    other = memory.session(channel=who, person="lee")

    for session, source, rule in ((bot, page, "LOWER_CHANGE"), (other, said, "NOT_YOUR_SCOPE")):
        with pytest.raises(RefusedError) as error:
            session.revoke(source)
        assert error.value.decision.rule == rule
    assert memory.session(**seen).revoke(said).access == "revoked"


def test_it_is_in_the_journal_and_the_graph(quick: Callable[..., Memory]) -> None:
    with quick("revoked") as memory:
        kim = memory.session(person="kim")
        said = kim.message(SECRET)
        claim = kim.remember(SECRET, kind="stated", sources=[said])
        kim.revoke(said)
        assert memory.rebuild() and memory.verify().findings == ()
        assert memory.session(person="kim").claim(claim.id).standing == "restricted"
    again = quick("revoked").session(person="kim")

    assert again.claim(claim.id).standing == "restricted"
    assert again.give_back(said).restored == 1
    assert again.claim(claim.id).standing == "active"
