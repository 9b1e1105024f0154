"""L08: what was recorded later than the time it claims is listed, with both times: as of then it was not known."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from muniment import InvalidError, Memory, Session
from muniment.testing import HandClock, flat_embedder

DAY = timedelta(days=1)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def kim(quick: Callable[..., Memory], clock: HandClock) -> Session:
    return quick(clock=clock, embedder=flat_embedder()).session(person="kim")


def listed(kim: Session, **how: object) -> list[tuple[str, str, datetime | None]]:
    return [(one.id, one.says, one.claimed) for one in kim.backdated(**how)]  # type: ignore[arg-type]  # of anything


def test_what_claims_an_earlier_time_is_listed_with_both(kim: Session, clock: HandClock) -> None:
    start = clock.now
    long_ago, lately = start - 30 * DAY, start - timedelta(hours=2)
    kim.message("오늘 회의에서 정했다", said_at=lately)
    late = kim.message("지난달에 정했다", said_at=long_ago)
    kim.message("방금 정했다")
    claim = kim.remember(
        "지난달에 정했다", kind="stated", sources=[late], valid_from=long_ago + DAY
    )
    kim.remember("방금", sources=[late], valid_from=start + DAY)

    assert listed(kim) == [
        (late.id, "said_at", long_ago),
        (claim.id, "valid_from", long_ago + DAY),
    ]
    one = next(kim.backdated())
    assert (one.words, one.recorded_at, one.sort) == ("지난달에 정했다", start, "source")
    assert "it was not known" in one.effect and long_ago.isoformat() in one.effect
    assert [item.words for item in kim.claims(as_of=long_ago + DAY)] == []
    assert len(listed(kim, by=timedelta(hours=1))) == 3
    assert len(listed(kim, by=timedelta(days=29, hours=1))) == 1
    clock.move(DAY)
    newer = kim.message("이것도 지난달", said_at=long_ago)
    assert listed(kim, since=clock.now) == [(newer.id, "said_at", long_ago)]


def test_what_was_written_while_the_clock_had_run_back_is_listed(
    kim: Session, clock: HandClock
) -> None:
    before = clock.now
    kim.message("first")
    clock.move(-DAY)
    nudged = kim.message("second")
    old = kim.message("third", said_at=before - 5 * DAY)
    clock.move(2 * DAY)
    kim.message("fourth")

    assert listed(kim) == [(nudged.id, "clock", None), (old.id, "said_at", before - 5 * DAY)]
    assert next(kim.backdated()).recorded_at == before


def test_only_what_may_be_read_and_shown(
    quick: Callable[..., Memory], kim: Session, clock: HandClock
) -> None:
    code = kim.message("the code is 47118352", said_at=clock.now - 5 * DAY)
    gone = kim.message("gone", said_at=clock.now - 5 * DAY)
    kim.revoke(code)
    kim.erase(gone)

    assert [(one.id, one.words) for one in kim.backdated()] == [(code.id, "")]
    lee = quick("other", clock=clock, embedder=flat_embedder()).session(person="lee")
    assert listed(lee) == []
    for wrong in (timedelta(0), -DAY, 3, None):
        with pytest.raises(InvalidError, match="by is no span"):
            listed(kim, by=wrong)
    with pytest.raises(InvalidError):
        listed(kim, since=datetime(2026, 1, 1))  # noqa: DTZ001  # without a zone, on purpose
