"""L08: the store answers what it held at any past moment, by today's policy, and nothing later changes the answer."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment import AsOf, InvalidError, Memory, MunimentError, NotFoundError, Session
from muniment.testing import HandClock, flat_embedder

HOUR = timedelta(hours=1)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def kim(quick: Callable[..., Memory], clock: HandClock) -> Session:
    return quick(clock=clock, embedder=flat_embedder()).session(person="kim")


def standings(kim: Session, at: datetime | AsOf | None) -> dict[str, str]:
    return {claim.words: claim.standing.value for claim in kim.claims(as_of=at)}


def test_each_moment_has_its_own_answer(kim: Session, clock: HandClock) -> None:
    moments = [clock.now]
    clock.move(HOUR)
    old = kim.remember("staging", kind="stated", sources=[kim.message("staging")])
    derived = kim.remember("so notes name staging", sources=[old])
    moments.append(clock.move(HOUR))
    clock.move(HOUR)
    new = kim.correct(old, "production", sources=[kim.message("production")])
    moments.append(clock.move(HOUR))
    clock.move(HOUR)
    kim.regenerate(kim.claim(derived.id), "so notes name production", sources=[new])
    kim.reinstate(kim.claim(old.id))

    assert standings(kim, moments[0]) == {}
    assert standings(kim, moments[1]) == {"staging": "active", "so notes name staging": "active"}
    assert standings(kim, moments[2]) == {
        "staging": "corrected",
        "so notes name staging": "stale",
        "production": "active",
    }
    assert standings(kim, None)["staging"] == "contested"
    was = kim.claim(old.id, as_of=moments[2])
    assert (was.version, was.replaced_by) == (2, new.id)
    assert kim.claim(old.id, as_of=moments[1]).version == 1
    with pytest.raises(NotFoundError):
        kim.claim(new.id, as_of=moments[1])


def test_recall_answers_as_of_then_and_says_so(kim: Session, clock: HandClock) -> None:
    old = kim.remember("staging", kind="stated", sources=[kim.message("staging")])
    then = clock.move(HOUR)
    clock.move(HOUR)
    kim.correct(old, "production", sources=[kim.message("production")])

    answer = kim.recall("where?", as_of=then)

    assert [item.claim.words for item in answer.evidence] == ["staging"]
    assert "recorded by" in answer.notes[-1]
    assert [item.claim.words for item in kim.recall("where?").evidence] == ["production"]
    assert kim.why(answer.receipt).lines[0].claim.standing == "corrected"
    with pytest.raises(InvalidError, match="purpose answer only"):
        kim.recall("where?", purpose="act", as_of=then)


def test_what_was_recorded_and_what_was_valid_are_two_questions(
    kim: Session, clock: HandClock
) -> None:
    year = datetime(2025, 1, 1, tzinfo=UTC)
    kim.remember(
        "lives in Lyon",
        kind="stated",
        sources=[kim.message("lives in Lyon")],
        valid_from=year,
        valid_to=datetime(2026, 1, 1, tzinfo=UTC),
    )
    june = datetime(2025, 6, 1, tzinfo=UTC)

    assert standings(kim, None) == {"lives in Lyon": "expired"}
    assert standings(kim, AsOf(valid=june)) == {"lives in Lyon": "active"}
    assert standings(kim, june) == {}  # nobody had said it yet
    clock.move(HOUR)
    assert standings(kim, AsOf(recorded=clock.now - HOUR, valid=june)) == {
        "lives in Lyon": "active"
    }


def test_a_moment_to_come_is_not_known(kim: Session, clock: HandClock) -> None:
    for wrong in (clock.now + HOUR, AsOf(recorded=clock.now + HOUR)):
        with pytest.raises(InvalidError):
            list(kim.claims(as_of=wrong))


def test_what_is_revoked_today_is_not_shown_from_the_past(kim: Session, clock: HandClock) -> None:
    said = kim.message("the code is 47118352")
    claim = kim.remember("the code is 47118352", kind="stated", sources=[said])
    then = clock.move(HOUR)
    clock.move(HOUR)
    kim.revoke(said)
    blocked = clock.move(HOUR)
    clock.move(HOUR)

    assert kim.claim(claim.id, as_of=then).standing == "restricted"
    assert "47118352" not in kim.claim(claim.id, as_of=then).model_dump_json()
    kim.give_back(said)
    assert kim.claim(claim.id, as_of=then).words == "the code is 47118352"
    assert kim.claim(claim.id, as_of=blocked).standing == "stale"  # as it was: blocked


def test_the_past_answers_without_what_was_erased_since(kim: Session, clock: HandClock) -> None:
    gone, said = (kim.message(text) for text in ("the code is 47118352", "the gate is green"))
    kim.remember("the code is 47118352", kind="stated", sources=[gone])
    kept = kim.remember("the gate is green", kind="stated", sources=[said])
    kim.remember("the gate is green", kind="stated", sources=[kim.message("the gate is green")])
    then = clock.move(HOUR)
    clock.move(HOUR)
    kim.erase(gone)
    kim.erase(said)

    assert standings(kim, then) == {"the gate is green": "active"}
    assert [item.claim.id for item in kim.recall("what?", as_of=then).evidence] == [kept.id]
    assert (kept.version, kim.claim(kept.id, as_of=then).version) == (1, 2)
    assert kim.claim(kept.id).version == 3
    kim.erase(kim.claim(kept.id))
    assert standings(kim, then) == {}


def act(kim: Session, number: int, verb: int) -> None:
    """Do one thing with one of the claims; refusals are part of life."""
    made = list(kim.claims())
    text = f"saying {number}"
    seen = made[number % len(made)] if made else None
    try:
        if seen is None or verb == 0:
            kim.remember(text, kind="stated", sources=[kim.message(text)])
        elif verb == 1:
            kim.remember(f"from {number}", sources=[seen, made[number // 2 % len(made)]])
        elif verb == 2:
            kim.retract(seen)
        elif verb == 3:
            kim.reinstate(seen)
        elif verb == 4:
            kim.correct(seen, text, sources=[kim.message(text)])
        elif verb == 5:
            kim.supersede(seen, text, sources=[kim.message(text)])
        elif verb == 6:
            kim.challenge(seen, text, sources=[kim.message(text)])
        else:
            kim.confirm(seen)
    except MunimentError:
        pass


@pytest.mark.slow
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=2, max_size=14))
def test_later_writes_change_no_answer_about_the_past(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]]
) -> None:
    clock = HandClock()
    path = tmp_path_factory.mktemp("as-of") / "store"
    with Memory.open(path, clock=clock, embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim")
        answers: list[tuple[AsOf, dict[str, dict[str, object]]]] = []
        for number, verb in steps:
            act(kim, number, verb)
            live = {one.id: one.model_dump() for one in kim.claims()}
            answers.append((AsOf(recorded=clock.now, valid=clock.now), live))
            clock.move(HOUR)
        for moment, live in answers:
            assert {one.id: one.model_dump() for one in kim.claims(as_of=moment)} == live
            for name in live:
                assert kim.claim(name, as_of=moment).model_dump() == live[name]
        assert memory.rebuild()
        for moment, live in answers:
            assert {one.id: one.model_dump() for one in kim.claims(as_of=moment)} == live
