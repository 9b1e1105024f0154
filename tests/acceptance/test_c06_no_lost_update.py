"""C06: a change names the version it saw; a stale one is refused with what stands now, and nothing is lost."""

import threading
from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment import Claim, ConflictError, Memory, RefusedError, Session, Standing

_NUMBERS = count()
VERBS = ("confirm", "correct", "supersede", "retract", "restate")


@pytest.fixture
def one_store(quick: Callable[..., Memory]) -> Memory:
    """Return one store for all examples of a property."""
    return quick()


def change(session: Session, verb: str, seen: Claim, words: str) -> Claim:
    """Change a claim as it was seen."""
    said = session.message(words)
    match verb:
        case "confirm":
            return session.confirm(seen, sources=[said], reason=words)
        case "correct":
            return session.correct(seen, words, sources=[said], reason=words)
        case "supersede":
            return session.supersede(seen, words, sources=[said], reason=words)
        case "retract":
            return session.retract(seen, sources=[said], reason=words)
        case _:
            again = session.message(seen.quote)
            return session.remember(seen.quote, kind="stated", sources=[again])


@pytest.mark.slow
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(steps=st.lists(st.tuples(st.booleans(), st.sampled_from(VERBS)), min_size=1, max_size=6))
def test_two_writers_lose_nothing(one_store: Memory, steps: list[tuple[bool, str]]) -> None:
    memory, name = one_store, f"kim {next(_NUMBERS)}"
    writers = memory.session(person=name), memory.session(person=name, session="other window")
    said = writers[0].message("서버는 A")
    claim = writers[0].remember("서버는 A", kind="stated", sources=[said])
    seen = [claim, claim]
    reasons: list[str] = []

    for number, (second, verb) in enumerate(steps):
        writer = writers[second]
        now = writer.claim(claim.id)
        words = f"{verb} {number}"
        stale = verb != "restate" and seen[second].version != now.version
        try:
            change(writer, verb, seen[second], words)
        except ConflictError as error:
            assert stale
            assert isinstance(error.current, Claim) and error.current == now
            assert len(error.difference) == now.version - seen[second].version
            assert str(now.version) in str(error) and str(seen[second].version) in str(error)
            seen[second] = error.current
        except RefusedError as error:
            assert error.decision.rule == "NOT_CURRENT" and now.standing is not Standing.ACTIVE
        else:
            assert not stale
            if verb != "restate":
                reasons.append(words)
            if now.standing is Standing.ACTIVE:
                assert writer.claim(claim.id).version == now.version + 1
            seen[second] = writer.claim(claim.id)

    history = writers[0].history(claim)
    assert [entry.version for entry in history] == list(range(1, len(history) + 1))
    assert [entry.reason for entry in history if entry.reason] == reasons
    assert writers[1].claim(claim.id).version == len(history)


def test_the_loser_is_told_what_happened_and_by_whom(quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("배포 환경은 staging. 아니, 배포 환경은 production.")
    claim = kim.remember("배포 환경은 staging", kind="stated", sources=[said])
    kim.correct(claim, "배포 환경은 production", sources=[said], reason="말실수")

    with pytest.raises(ConflictError, match="version 2, you saw 1") as caught:
        bot.correct(claim, "배포 환경은 production", sources=[said])

    assert caught.value.difference == ("version 2: correct by kim, now corrected",)
    assert caught.value.current == kim.claim(claim.id)
    assert len([one for one in kim.claims() if one.standing is Standing.ACTIVE]) == 1


def test_a_change_that_names_no_version_is_refused(quick: Callable[..., Memory]) -> None:
    kim = quick().session(person="kim")
    said = kim.message("서버는 A")
    claim = kim.remember("서버는 A", kind="stated", sources=[said])

    with pytest.raises(ValueError, match="name the version you saw"):
        kim.retract(claim.id)
    assert kim.retract(claim.id, version=1).standing == "retracted"


def test_of_many_threads_exactly_one_wins(quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said = kim.message(" ".join(f"서버는 {number}" for number in range(8)))
    claim = kim.remember("서버는 0", kind="stated", sources=[said])
    told: list[str] = []

    def write(number: int) -> None:
        try:
            memory.session(person="kim").correct(claim, f"서버는 {number}", sources=[said])
            told.append("won")
        except ConflictError:
            told.append("told")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(told) == ["told"] * 7 + ["won"]
    assert len([one for one in kim.claims() if one.standing is Standing.ACTIVE]) == 1
    assert memory.verify().findings == ()
