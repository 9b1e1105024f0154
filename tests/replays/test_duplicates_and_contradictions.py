"""Duplicates and contradictions: said twice is one, contradicted is marked, corrected is corrected."""

from datetime import timedelta
from typing import Any

from muniment import Memory, Session
from muniment.testing import HandClock


def said(kim: Session, text: str, **more: Any) -> str:
    """Let kim say something and keep it; return the claim's identifier."""
    return kim.remember(text, kind="stated", sources=[kim.message(text)], **more).id


def test_m_c1_the_same_from_three_messages_is_one_claim_with_three_sources(kim: Session) -> None:
    names = {said(kim, "부산에 산다") for _ in range(3)}

    (claim,) = kim.claims()
    assert names == {claim.id}
    assert (claim.seen_count, len({one.id for one in claim.citations})) == (3, 3)
    assert kim.evidence_of(claim).independent == 1


def test_m_c2_an_identical_claim_added_twice_keeps_its_identifier(kim: Session) -> None:
    message = kim.message("부산에 산다")
    first, second = (
        kim.remember("부산에 산다", kind="stated", sources=[message]) for _ in range(2)
    )

    assert first.id == second.id
    assert [claim.id for claim in kim.claims()] == [first.id]


def test_m_c4_the_new_day_is_current_and_the_old_one_history_with_a_link(kim: Session) -> None:
    old = said(kim, "deploy day is Friday")
    text = "deploy day is now Tuesday"
    new = kim.supersede(kim.claim(old), text, sources=[kim.message(text)])

    assert [item.claim.words for item in kim.recall("deploy day").evidence] == [text]
    assert (kim.claim(old).standing, kim.claim(old).replaced_by) == ("superseded", new.id)
    assert kim.claim(new.id).supersedes == (old,)


def test_m_c5_ten_repetitions_do_not_outweigh_one_correction(kim: Session) -> None:
    old = [said(kim, "the door code is even") for _ in range(10)][-1]
    text = "the door code is odd"
    kim.correct(kim.claim(old), text, sources=[kim.message(text)])

    assert [item.claim.words for item in kim.recall("door code").evidence] == [text]
    assert kim.claim(old).standing == "corrected"


def test_m_c7_two_sources_that_disagree_are_a_conflict_without_a_silent_winner(
    kim: Session,
) -> None:
    made: list[str] = []
    for value, origin in (("nine", "https://a.example"), ("ten", "https://b.example")):
        page = kim.document(f"The gate opens at {value}.", origin=origin)
        made.append(
            kim.remember(
                f"The gate opens at {value}.",
                kind="external",
                sources=[page],
                subject="gate",
                attribute="opens",
                value=value,
            ).id
        )

    found = kim.recall("when does the gate open?").evidence

    assert {item.claim.id for item in found} == set(made)
    assert {item.use for item in found} == {"tentative"}
    assert all("CONFLICT" in item.rules and item.claim.citations for item in found)


def test_p_05_identical_text_is_idempotent_and_its_contradiction_loses_nothing(
    memory: Memory, kim: Session, clock: HandClock
) -> None:
    slot = {"subject": "gate", "attribute": "opens"}
    first = [said(kim, "the gate opens at nine", value="nine", **slot) for _ in range(2)]
    clock.move(timedelta(days=1))
    other = said(kim, "the gate opens at ten", value="ten", **slot)

    assert first[0] == first[1]
    assert [claim.standing.value for claim in kim.claims()] == ["active", "active"]
    uses = {item.claim.id: item.use for item in kim.recall("gate").evidence}
    assert uses == {first[0]: "tentative", other: "tentative"}
    kim.supersede(
        kim.claim(first[0]),
        "it opens at ten",
        sources=[kim.message("it opens at ten")],
        value="ten",
    )
    standings = {claim.id: claim.standing.value for claim in kim.claims()}
    assert standings[first[0]] == "superseded" and len(standings) == 3
