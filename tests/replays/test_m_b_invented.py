"""Replays of group B: wrong or invented memories."""

import json

import pytest

from muniment import Claim, Integrity, Memory, Session

from .conftest import recalled, stated

PROMPT = "You are Captain, a helpful assistant. The user prefers short answers."
ASKED = "The user prefers short answers."


def owned(session: Session) -> list[Claim]:
    """Return the claims that count as the person's own words."""
    return [claim for claim in session.claims() if claim.integrity >= Integrity.USER]


@pytest.mark.parametrize("label", ["quoted", "pasted", "attached"])
def test_m_b2_a_system_prompt_in_a_turn_is_not_the_users(
    kim: Session, bot: Session, label: str
) -> None:
    turn = kim.message(parts=[("own", "what is this?\n"), (label, PROMPT)])
    fenced = kim.message(f"what is this?\n```\n{PROMPT}\n```\nthanks")

    for session in (kim, bot):
        for source in (turn, fenced):
            kept = session.remember(ASKED, kind="stated", category="preference", sources=[source])
            assert (kept.kind, kept.decision.rule) == ("external", "NOT_OWN_PART")

    assert owned(kim) == []
    assert recalled(kim, "answers", purpose="personalise") == []
    assert recalled(kim, "answers", purpose="instruct") == []


def test_m_b2_a_system_prompt_sent_as_an_agents_turn_is_not_the_users(
    memory: Memory, kim: Session
) -> None:
    turn = {"type": "message", "key": "t", "agent": "bot", "text": PROMPT}
    claim = {"type": "claim", "text": ASKED, "kind": "stated", "category": "preference"}
    lines = [{**turn, "person": "kim"}, {**claim, "sources": ["t"], "person": "kim"}]

    report = memory.ingest([json.dumps(line) for line in lines])

    assert (report.errors, report.accepted) == ((), 2)
    assert owned(kim) == [] and recalled(kim, "answers", purpose="instruct") == []


@pytest.mark.parametrize(
    ("turn", "cut"),
    [
        (
            "if we moved the build to /opt/demo we would save an hour",
            "we moved the build to /opt/demo",
        ),
        (
            "I would never say that we moved the build to /opt/demo.",
            "we moved the build to /opt/demo",
        ),
        ("빌드를 /opt/demo로 옮겼다면 한 시간을 아꼈을 텐데", "빌드를 /opt/demo로 옮겼다"),
        ("Do you think the build is in /opt/demo?", "the build is in /opt/demo"),
    ],
)
def test_m_b3_a_supposition_is_no_stated_fact(
    kim: Session, bot: Session, turn: str, cut: str
) -> None:
    said = kim.message(turn)
    for asked in (cut, "The build is at /opt/demo."):
        kept = bot.remember(asked, kind="stated", sources=[said])
        assert kept.kind == "inferred" and kept.integrity <= Integrity.AGENT
    assert bot.remember(turn, kind="stated", sources=[said]).quote == turn

    found = {item.claim.words: item.use for item in kim.recall("/opt/demo").evidence}

    assert found[cut] == found["The build is at /opt/demo."] == "background"
    assert recalled(kim, "/opt/demo", purpose="instruct") == []


def test_m_b5_what_only_the_assistant_says_is_inferred(kim: Session, bot: Session) -> None:
    kim.message("good morning")
    said = bot.message("Good morning, Captain!")
    for session in (bot, kim):
        for words in ("Captain", "Good morning, Captain!", "The user is called Captain"):
            kept = session.remember(words, kind="stated", sources=[said])
            assert kept.kind in ("inferred", "external") and kept.quote in ("", words)
            assert kept.integrity < Integrity.USER

    assert owned(kim) == []


def test_m_b6_a_question_makes_no_preference(kim: Session, bot: Session) -> None:
    asked = kim.message("is tea better?")
    said = bot.message("You love tea.")
    yes = kim.message("yes")
    for words, sources in (
        ("You love tea.", [said]),
        ("You love tea.", [asked, said, yes]),
        ("the user loves tea", [asked, yes]),
        ("tea better", [asked]),
        ("yes", [yes]),
    ):
        kept = bot.remember(words, kind="stated", category="preference", sources=sources)
        assert kept.kind != "stated", words

    assert owned(kim) == []
    stated(kim, "I prefer coffee.", category="preference")
    assert [claim.words for claim in owned(kim)] == ["I prefer coffee."]
