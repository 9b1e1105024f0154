"""Replays of group C: said twice is one, contradicted is marked, corrected is corrected."""

from muniment import Session

from .conftest import recalled, stated


def test_m_c1_the_same_from_three_messages_is_one_claim_with_three_sources(kim: Session) -> None:
    names = {stated(kim, "부산에 산다").id for _ in range(3)}

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
    old = stated(kim, "deploy day is Friday").id
    text = "deploy day is now Tuesday"
    new = kim.supersede(kim.claim(old), text, sources=[kim.message(text)])

    assert recalled(kim, "deploy day") == [text]
    assert (kim.claim(old).standing, kim.claim(old).replaced_by) == ("superseded", new.id)
    assert kim.claim(new.id).supersedes == (old,)


def test_m_c5_ten_repetitions_do_not_outweigh_one_correction(kim: Session) -> None:
    old = [stated(kim, "the door code is even") for _ in range(10)][-1].id
    text = "the door code is odd"
    kim.correct(kim.claim(old), text, sources=[kim.message(text)])

    assert recalled(kim, "door code") == [text]
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
