"""Provenance and time: the exact words behind a claim, what was true when, and links that are gone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from muniment import AsOf, Memory, Session
from muniment.testing import HandClock


def test_m_d1_why_names_the_exact_message_and_span(kim: Session) -> None:
    messages = [kim.message(text) for text in ("hello", "well, I live in Busan now", "bye")]
    claim = kim.remember("I live in Busan", kind="stated", sources=messages)

    (line,) = kim.why(claim).lines
    quoted = [step.citation for step in line.path if step.citation.quote]

    assert [(one.id, one.start, one.end) for one in quoted] == [(messages[1].id, 6, 21)]
    assert messages[1].text[6:21] == quoted[0].quote == "I live in Busan"


def test_m_d3_what_a_search_gave_is_enough_to_withdraw_it(kim: Session) -> None:
    text = "I live in Busan"
    kim.remember(text, kind="stated", sources=[kim.message(text)])

    kim.retract(kim.recall("where do I live?").evidence[0].claim)

    assert kim.recall("where do I live?").evidence == ()


def test_p_10_june_is_answered_in_winter_and_midnight_is_that_of_the_stated_zone(
    kim: Session, clock: HandClock
) -> None:
    text, east = "the office is in Lyon", ZoneInfo("Asia/Singapore")
    clock.now = datetime(2026, 3, 1, tzinfo=UTC)
    kim.remember(
        text,
        kind="stated",
        sources=[kim.message(text)],
        valid_from=datetime(2026, 1, 1, tzinfo=east),
        valid_to=datetime(2026, 12, 31, tzinfo=east),
    )
    end = datetime(2026, 12, 30, 16, tzinfo=UTC)  # midnight at UTC+8
    clock.now = end - timedelta(microseconds=1)
    assert [item.claim.words for item in kim.recall("office").evidence] == [text]

    clock.now = end

    assert kim.recall("office").evidence == ()
    assert [claim.standing.value for claim in kim.claims()] == ["expired"]
    june = datetime(2026, 6, 15, tzinfo=UTC)
    for asked in (june, AsOf(valid=june)):
        assert [item.claim.words for item in kim.recall("office", as_of=asked).evidence] == [text]


def test_p_11_no_path_leads_through_a_link_that_is_gone(memory: Memory, kim: Session) -> None:
    bot = memory.session(person="kim", agent="bot")
    said = kim.message("the gate opens at nine", key="event")
    assert kim.message("the gate opens at nine", key="event").id == said.id
    first = kim.remember("the gate opens at nine", kind="stated", sources=[said])
    middle = bot.remember("visitors come after nine", sources=[first])
    last = bot.remember("staff come before nine", sources=[middle])

    kim.retract(middle)

    given = {item.claim.id for item in kim.recall("when?").evidence}
    listed = {claim.id for claim in kim.claims(standing="active")}
    assert given == listed == {first.id}
    assert kim.claim(last.id).standing == "stale"
    assert kim.evidence_of(last).independent == 0
