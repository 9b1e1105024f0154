"""The graph: a projection of the journal, equal however it came about."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from muniment import Claim, ConflictError, Memory
from muniment.testing import HandClock, findings, label_findings

Reopened = Callable[[], Memory]


def chain(memory: Memory) -> list[Claim]:
    """Return a claim of kim's and three made from it, each from the one before."""
    kim = memory.session(person="kim")
    line = "The deploy target is staging."
    claims = [kim.remember(line, kind="stated", category="decision", sources=[kim.message(line)])]
    for step in ("Deploys are low risk.", "No review is needed.", "Deploy on Friday evening."):
        claims.append(kim.remember(step, sources=[claims[-1]]))
    return claims


def standings(memory: Memory, claims: list[Claim]) -> list[str]:
    """Return how claims stand now."""
    kim = memory.session(person="kim")
    return [kim.claim(claim.id).standing.value for claim in claims]


def test_a_correction_makes_everything_stale_that_rests_on_it(
    memory: Memory, reopened: Reopened
) -> None:
    claims = chain(memory)
    kim = memory.session(person="kim")
    line = "The deploy target is production."

    kim.correct(claims[0], line, sources=[kim.message(line)])

    wanted = ["corrected", "stale", "stale", "stale"]
    assert standings(memory, claims) == wanted
    answer = kim.recall("when do we deploy?", purpose="act", limit=100)
    assert [item.claim.quote for item in answer.evidence] == [line]
    assert kim.history(claims[0])[-1].lost == 3
    assert standings(reopened(), claims) == wanted
    assert findings(reopened()) == ()


def test_a_second_justification_rescues_and_the_journal_says_so(memory: Memory) -> None:
    claims = chain(memory)
    kim = memory.session(person="kim")
    kim.remember("No review is needed.", sources=[kim.message("Nobody reviews here.")])

    kim.retract(claims[0])

    assert standings(memory, claims) == ["retracted", "stale", "active", "active"]
    last = kim.history(claims[0])[-1]
    assert (last.lost, last.rescued) == (1, 2)
    assert findings(memory) == ()


def test_a_move_keeps_the_past_true_and_the_dependants_stale(memory: Memory) -> None:
    claims = chain(memory)
    kim = memory.session(person="kim")
    line = "We moved to production."

    new = kim.supersede(claims[0], line, sources=[kim.message(line)])

    assert standings(memory, [*claims, new]) == ["superseded", "stale", "stale", "stale", "active"]
    state = memory.store.state
    assert all(state.claims[state.ids[claim.id]].supported for claim in claims)


def test_the_graph_that_follows_equals_the_graph_made_anew_at_every_step(
    memory: Memory, clock: HandClock, reopened: Reopened
) -> None:
    claims = chain(memory)
    assert memory.rebuild()
    kim = memory.session(person="kim")
    kim.confirm(claims[1], expires_at=clock.now + timedelta(days=1))
    assert memory.rebuild()
    memory.store.post()
    kim.retract(claims[2])
    assert memory.rebuild()
    memory = reopened()
    assert memory.rebuild()
    assert label_findings(memory.store.state) == ()


def test_a_stale_version_changes_nothing_and_says_what_happened(memory: Memory) -> None:
    (claim, *_) = chain(memory)
    kim = memory.session(person="kim")
    kim.confirm(claim)

    with pytest.raises(ConflictError) as conflict:
        kim.retract(claim)

    current = conflict.value.current
    assert isinstance(current, Claim)
    assert (current.version, current.standing) == (2, "active")
    assert conflict.value.difference == ("version 2: confirm by kim, now asserted",)
    assert kim.claim(claim.id).version == 2


def test_saying_it_again_after_a_confirmation_is_the_same_before_and_after_opening(
    memory: Memory, clock: HandClock, reopened: Reopened
) -> None:
    line = "I am on leave."
    for _ in range(2):
        kim = memory.session(person="kim")
        said = kim.message(line)
        claim = kim.remember(line, kind="stated", sources=[said])
        kim.confirm(claim, expires_at=clock.now + timedelta(days=3))
        kim.remember(line, kind="stated", sources=[said])
        memory = reopened()

    kim = memory.session(person="kim")
    assert [claim.seen_count for claim in kim.claims()] == [4]


def test_being_recalled_changes_no_claim(memory: Memory) -> None:
    claims = chain(memory)
    kim = memory.session(person="kim")
    before = [kim.claim(claim.id).model_dump_json() for claim in claims]

    for number in range(100):
        kim.recall(f"question {number}")

    assert [kim.claim(claim.id).model_dump_json() for claim in claims] == before
