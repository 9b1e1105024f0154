"""The clock set back a day, ten years ahead, or stopped: order stays the journal's, and expiry is judged when asked."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from muniment import Memory, Session
from muniment.testing import HandClock, findings, flat_embedder

Open = Callable[[], Memory]
JUMPS = {"a day back": timedelta(days=-1), "ten years ahead": timedelta(days=3652)}


@pytest.fixture
def clock() -> HandClock:
    """The clock of the store."""
    return HandClock()


@pytest.fixture
def opening(tmp_path: Path, clock: HandClock) -> Open:
    """Opens the store by that clock."""
    return lambda: Memory.open(tmp_path / "store", clock=clock, embedder=flat_embedder())


def stamps(memory: Memory) -> list[tuple[int, bool]]:
    """Return when each record says it was written, and whether that was nudged."""
    headers = map(memory.store.header, range(1, memory.store.state.seq + 1))
    return [(header.at, header.nudged) for header in headers]


def evidence(session: Session) -> set[str]:
    """Return what a recall gives."""
    return {item.claim.words for item in session.recall("deploy?", limit=100).evidence}


@pytest.mark.parametrize("jump", sorted(JUMPS))
def test_no_record_is_older_than_the_one_before_it(
    jump: str, opening: Open, clock: HandClock
) -> None:
    memory = opening()
    kim = memory.session(person="kim")
    first = kim.message("before")
    clock.move(JUMPS[jump])
    second = kim.message("after the jump")
    memory.close()
    memory = opening()  # opened by the wrong clock
    third = memory.session(person="kim").message("opened anew")
    clock.move(-JUMPS[jump] + timedelta(minutes=1))
    fourth = memory.session(person="kim").message("the clock is right again")

    found = stamps(memory)
    assert [at for at, _ in found] == sorted(at for at, _ in found)
    flags = [memory.store.header(memory.store.state.ids[one.id]).nudged for one in (
        first, second, third, fourth
    )]  # fmt: skip
    back = jump == "a day back"
    assert flags == [False, back, back, not back]
    assert [memory.store.state.ids[one.id] for one in (first, second, third, fourth)] == sorted(
        memory.store.state.ids[one.id] for one in (first, second, third, fourth)
    )
    assert memory.rebuild()
    assert findings(memory) == ()
    assert memory.verify().findings == ()
    memory.close()


def test_a_stopped_clock_loses_nothing_and_nudges_nothing(opening: Open, clock: HandClock) -> None:
    memory = opening()
    kim = memory.session(person="kim")
    made = [kim.message(f"{number} 금요일") for number in range(5)]
    old = kim.remember("0 금요일", kind="stated", sources=[made[0]])
    new = kim.supersede(old, "1 금요일", sources=[made[1]])

    assert {at for at, _ in stamps(memory)[-3:]} == {stamps(memory)[0][0]}
    assert not any(nudged for _, nudged in stamps(memory))
    assert [claim.id for claim in kim.claims(standing="active")] == [new.id]
    assert kim.claim(old.id).standing == "superseded"
    assert findings(memory) == ()
    memory.close()


def test_expiry_is_judged_by_the_clock_of_the_asking(opening: Open, clock: HandClock) -> None:
    memory = opening()
    kim = memory.session(person="kim")
    said = kim.message("We deploy on Fridays, this week.")
    claim = kim.remember(
        "We deploy on Fridays, this week.",
        kind="stated",
        sources=[said],
        expires_at=clock.now + timedelta(days=7),
    )
    lasting = kim.remember("Fridays", kind="stated", sources=[kim.message("Fridays")])

    clock.move(JUMPS["ten years ahead"])
    assert kim.claim(claim.id).standing == "expired"
    assert evidence(kim) == {lasting.words}
    kim.message("said in ten years")
    memory.close()
    clock.move(-JUMPS["ten years ahead"])

    memory = opening()
    kim = memory.session(person="kim")
    assert (
        kim.claim(claim.id).standing == "active"
    )  # the clock says so, whatever the last record says
    assert evidence(kim) == {claim.words, lasting.words}
    later = kim.remember("nudged", kind="stated", sources=[kim.message("nudged")])
    assert kim.claim(later.id).standing == "active"
    assert later.words in evidence(kim)
    clock.move(JUMPS["a day back"])
    assert kim.claim(claim.id).standing == "active"
    clock.move(timedelta(days=8))
    assert kim.claim(claim.id).standing == "expired"
    assert findings(memory) == ()
    memory.close()


def test_what_is_valid_from_tomorrow_is_not_made_valid_by_a_nudge(
    opening: Open, clock: HandClock
) -> None:
    memory = opening()
    kim = memory.session(person="kim")
    tomorrow = clock.now + timedelta(days=1)
    clock.move(timedelta(days=2))
    kim.message("the clock is two days ahead")
    clock.move(timedelta(days=-2))
    said = kim.message("We deploy from tomorrow on.")
    claim = kim.remember(said.text, kind="stated", sources=[said], valid_from=tomorrow)

    assert memory.store.header(memory.store.state.ids[claim.id]).nudged
    assert kim.claim(claim.id).standing == "expired"
    assert evidence(kim) == set()
    clock.move(timedelta(days=1))
    assert kim.claim(claim.id).standing == "active"
    memory.close()
