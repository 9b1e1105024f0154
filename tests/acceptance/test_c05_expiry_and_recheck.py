"""C05: an expired claim is never applied, one due is marked, and only a confirmation renews."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from muniment import CallableEmbedder, InvalidError, Memory, Purpose, RefusedError, Session

# Zones with and without a change of clocks, off the hour, and beyond half a day.
ZONES = (
    "UTC",
    "Asia/Seoul",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Pacific/Kiritimati",
)
OFFSETS = st.integers(-3_600_000_000, 3_600_000_000)


@st.composite
def wall_times(draw: st.DrawFn) -> datetime:
    """Draw a wall-clock time in some zone, near a change of clocks more often than not."""
    zone = ZoneInfo(draw(st.sampled_from(ZONES)))
    near = [
        datetime(2026, 3, 8, 2, 30),
        datetime(2026, 3, 29, 2, 30),
        datetime(2026, 4, 5, 1, 45),
        datetime(2026, 10, 25, 2, 30),
        datetime(2026, 11, 1, 1, 30),
    ]
    wall = draw(st.sampled_from(near)) + timedelta(minutes=draw(st.integers(-180, 180)))
    return wall.replace(tzinfo=zone, fold=draw(st.integers(0, 1)))


@pytest.fixture
def lasting(quick: Callable[..., Memory], moment: list[datetime]) -> Session:
    """Return a session of a store whose clock the test moves."""
    flat = CallableEmbedder("flat", 4, lambda texts: [[1.0] * 4 for _ in texts])
    return quick(clock=lambda: moment[0], embedder=flat).session(person="kim")


@pytest.mark.slow
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(end=wall_times(), before=OFFSETS, started=st.booleans())
@example(end=datetime(2026, 3, 1, 0, 30, tzinfo=ZoneInfo("Asia/Seoul")), before=0, started=False)
@example(
    end=datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=1),
    before=1_800_000_000,
    started=True,
)
def test_it_is_applied_until_its_moment_and_never_after(
    lasting: Session, moment: list[datetime], end: datetime, before: int, started: bool
) -> None:
    kim = lasting
    moment[0] = datetime(2026, 1, 1, tzinfo=UTC)
    who = f"이번 주는 배포하지 않는다 {end.isoformat()} {end.fold} {started}"
    said = kim.message(who)
    times = {"valid_to" if started else "expires_at": end}
    claim = kim.remember(who, kind="stated", category="constraint", sources=[said], **times)  # type: ignore[arg-type]
    true_end = end.astimezone(UTC)

    moment[0] = true_end + timedelta(microseconds=before)

    for purpose in Purpose:
        found = [item.claim.id for item in kim.recall(who, purpose=purpose, limit=99).evidence]
        assert (claim.id in found) == (moment[0] < true_end)
    standing = kim.claim(claim.id).standing
    assert (standing == "expired") == (moment[0] >= true_end)


def test_a_claim_that_names_the_last_second_ends_with_it(
    lasting: Session, moment: list[datetime]
) -> None:
    said = lasting.message("이번 주는 A만 한다")
    end = datetime(2026, 3, 3, tzinfo=ZoneInfo("Asia/Seoul"))
    claim = lasting.remember("이번 주는 A만 한다", kind="stated", sources=[said], expires_at=end)

    moment[0] = end.astimezone(UTC) - timedelta(microseconds=1)
    assert [claim.id] == [item.claim.id for item in lasting.recall("A만").evidence]

    moment[0] += timedelta(microseconds=1)
    answer = lasting.recall("A만")
    assert answer.evidence == () and answer.looked
    assert [("EXPIRED", 1)] == [(item.rule, item.count) for item in answer.withheld]


def test_what_is_not_yet_valid_waits(
    lasting: Session, moment: list[datetime], pass_time: Callable[[timedelta], None]
) -> None:
    said = lasting.message("내일부터 production")
    lasting.remember(
        "내일부터 production",
        kind="stated",
        sources=[said],
        valid_from=moment[0] + timedelta(days=1),
    )

    early = lasting.recall("production")
    pass_time(timedelta(days=1))
    later = lasting.recall("production")

    assert [item.rule for item in early.withheld] == ["NOT_YET_VALID"]
    assert early.evidence == () and len(later.evidence) == 1


def test_what_is_due_for_a_recheck_comes_only_marked_so(
    lasting: Session, moment: list[datetime], pass_time: Callable[[timedelta], None]
) -> None:
    said = lasting.message("서버는 A")
    lasting.remember(
        "서버는 A",
        kind="stated",
        category="decision",
        sources=[said],
        recheck_at=moment[0] + timedelta(days=30),
    )

    (fresh,) = lasting.recall("서버").evidence
    pass_time(timedelta(days=30))
    (due,) = lasting.recall("서버").evidence

    assert (fresh.freshness, fresh.use) == ("fresh", "applicable")
    assert (due.freshness, due.use) == ("check again", "tentative")
    assert "RECHECK_DUE" in due.rules


def test_confirming_renews_and_names_what_confirmed_it(
    lasting: Session, moment: list[datetime], pass_time: Callable[[timedelta], None]
) -> None:
    said = lasting.message("서버는 A")
    claim = lasting.remember(
        "서버는 A", kind="stated", sources=[said], recheck_at=moment[0] + timedelta(days=30)
    )
    pass_time(timedelta(days=31))
    again = lasting.message("서버는 아직 A 맞아")

    renewed = lasting.confirm(
        claim, sources=[again], recheck_at=moment[0] + timedelta(days=30), reason="물어봄"
    )

    assert renewed.confirmed_by == (again.id,) and renewed.confirmed_at == moment[0]
    assert lasting.recall("서버").evidence[0].freshness == "fresh"
    assert [(change.verb, change.reason) for change in lasting.history(claim)][-1] == (
        "confirm",
        "물어봄",
    )


def test_an_expired_claim_comes_back_by_a_confirmation_with_a_new_end_only(
    lasting: Session, moment: list[datetime], pass_time: Callable[[timedelta], None]
) -> None:
    said = lasting.message("서버는 A")
    claim = lasting.remember(
        "서버는 A", kind="stated", sources=[said], expires_at=moment[0] + timedelta(days=1)
    )
    pass_time(timedelta(days=2))
    again = lasting.message("서버는 아직 A 맞아")

    kept = lasting.confirm(claim, sources=[again])
    assert kept.standing == "expired" and lasting.recall("서버").evidence == ()

    lasting.confirm(kept, sources=[again], expires_at=moment[0] + timedelta(days=1))
    assert len(lasting.recall("서버").evidence) == 1


def test_an_agent_cannot_renew_the_persons_claim_by_itself_nor_with_what_was_said_before(
    quick: Callable[..., Memory], moment: list[datetime]
) -> None:
    memory = quick(clock=lambda: moment[0])
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("서버는 A")
    claim = kim.remember("서버는 A", kind="stated", sources=[said], recheck_at=moment[0])

    with pytest.raises(RefusedError, match="NO_EVIDENCE"):
        bot.confirm(claim)
    for sources in ([said], [bot.message("서버는 아직 A")]):
        with pytest.raises(RefusedError, match="LOWER_CHANGE"):
            bot.confirm(claim, sources=sources)

    anew = kim.message("서버는 아직 A야")
    with pytest.raises(RefusedError, match="LOWER_CHANGE"):
        bot.confirm(claim, sources=[anew])
    assert kim.confirm(claim, sources=[anew]).confirmed_by == (anew.id,)


def test_an_agent_renews_a_guess_of_its_own_by_nothing_that_stands_lower(
    quick: Callable[..., Memory], moment: list[datetime]
) -> None:
    memory = quick(clock=lambda: moment[0])
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("서버는 A")
    guess = bot.remember("kim uses server A", sources=[said], recheck_at=moment[0])
    page = kim.document("kim uses server A", origin="https://x.example")

    with pytest.raises(RefusedError, match="NO_EVIDENCE"):
        bot.confirm(guess)
    with pytest.raises(InvalidError, match="does not confirm itself"):
        bot.confirm(guess, sources=[guess])
    with pytest.raises(RefusedError, match="LOWER_CHANGE"):
        bot.confirm(guess, sources=[page])
    assert bot.claim(guess.id).version == 1
    assert bot.confirm(guess, sources=[bot.message("checked: A")]).integrity.name == "AGENT"


@pytest.mark.parametrize("field", ["valid_from", "valid_to", "expires_at", "recheck_at"])
def test_a_time_without_a_zone_is_refused(lasting: Session, field: str) -> None:
    said = lasting.message("서버는 A")

    with pytest.raises(InvalidError, match=f"{field} .*no time zone.*ZoneInfo"):
        lasting.remember("서버는 A", sources=[said], **{field: datetime(2026, 3, 1)})  # type: ignore[arg-type]


def test_a_time_without_a_zone_is_refused_in_every_other_verb(lasting: Session) -> None:
    said = lasting.message("서버는 A")
    claim = lasting.remember("서버는 A", kind="stated", sources=[said])
    naive = datetime(2026, 3, 1)

    for attempt in (
        lambda: lasting.message("x", said_at=naive),
        lambda: lasting.document("x", origin="o", said_at=naive),
        lambda: lasting.tool_result("t", {"a": 1}, said_at=naive),
        lambda: lasting.confirm(claim, expires_at=naive),
        lambda: lasting.confirm(claim, recheck_at=naive),
        lambda: lasting.supersede(claim, "서버는 B", sources=[said], valid_from=naive),
    ):
        with pytest.raises(InvalidError, match="no time zone"):
            attempt()
    assert lasting.claim(claim.id).version == 1


def test_a_clock_that_goes_back_brings_no_expired_claim_into_the_journal_out_of_order(
    lasting: Session, moment: list[datetime], pass_time: Callable[[timedelta], None]
) -> None:
    first = lasting.message("하나")
    pass_time(timedelta(days=-1))
    second = lasting.message("둘")

    assert second.recorded_at >= first.recorded_at
