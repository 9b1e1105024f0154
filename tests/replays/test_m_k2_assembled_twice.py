"""Replay M-K2: a prompt assembled twice is the same bytes, and one claim more moves nothing before its own line."""

from typing import Any

from muniment import Memory, Prompt, Session

from .conftest import Elsewhere, stated

HOST: dict[str, Any] = {
    "stable": "You are a careful assistant. 늘 존댓말을 쓴다.",
    "volatile": "Turn 4.",
}


def before(prompt: Prompt, claim: str) -> str:
    """Return what stands before the first line of a claim and the heading and mark above it."""
    lines = prompt.text.split("\n")
    first = min(line.number for line in prompt.lines if line.claim == claim)
    above = first - 1
    while above and not lines[above - 1].startswith("- ") and lines[above - 1]:
        above -= 1
    return "\n".join(lines[:above])


def test_m_k2_assembled_twice_it_is_byte_equal_and_a_new_claim_moves_nothing_before_it(
    kim: Session, bot: Session
) -> None:
    kim.rewrite_block("Always answer in Korean.\n보고서는 짧게")
    stated(kim, "견과류는 절대 안 된다.", category="constraint")
    stated(kim, "답은 짧게 한다.", category="preference")
    stated(kim, "We deploy on Fridays.")
    page = kim.document("Deploy logs go to the hall.", origin="https://wiki.example")
    kim.remember(page.text, kind="external", sources=[page])

    first = bot.assemble("deploy 배포", **HOST)
    second = bot.assemble("deploy 배포", **HOST)
    assert first.text.encode() == second.text.encode() and first.receipt != second.receipt

    for text, category in (
        ("Deploys need a review.", "fact"),
        ("길게 쓰지 않는다.", "preference"),
        ("Never deploy on a Sunday.", "constraint"),
    ):
        claim = stated(kim, text, category=category)
        after = bot.assemble("deploy 배포", **HOST)
        prefix = before(after, claim.id)
        assert first.text.startswith(prefix) and prefix.startswith(HOST["stable"])
        assert kim.block().prompt in prefix
        first = after


def test_m_k2_in_another_process_and_another_session_it_is_the_same_bytes(
    kim: Session, memory: Memory, elsewhere: Elsewhere
) -> None:
    stated(kim, "견과류는 절대 안 된다.", category="constraint")
    page = kim.document("Deploy logs go to the hall.", origin="https://wiki.example")
    kim.remember(page.text, kind="external", sources=[page])
    here = kim.assemble("deploy", volatile="")
    memory.close()  # one process owns a store

    code, (there,) = elsewhere("assemble", "deploy", "--person", "kim")

    assert code == 0
    # The date is that of whoever asks: another process asks by another clock.
    assert [one["text"] for one in there["sections"]][:2] == [one.text for one in here.sections[:2]]
