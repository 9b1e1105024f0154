"""Replays of group P: lineage, erasing and time, whatever comes in again and from wherever one asks."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from muniment import AsOf, Memory, RefusedError, Session
from muniment.testing import HandClock, flat_embedder

from .conftest import recalled, stated


def test_p_01_a_summary_of_two_goes_with_one(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "s", embedder=flat_embedder()) as memory:
        kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
        first = stated(kim, "The canary sings at noon.").citations[0].id
        claim = stated(kim, "The canary eats seeds.")
        second = claim.citations[0].id
        bot.remember("The canary sings at noon and eats seeds.", sources=[first, second])
        kim.erase(first)
    with Memory.open(tmp_path / "s", embedder=flat_embedder()) as memory:
        kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
        assert [one.id for one in kim.claims()] == [claim.id]
        bot.remember("The canary eats.", sources=[second])
        assert sorted(recalled(kim, "noon")) == ["The canary eats seeds.", "The canary eats."]
        assert kim.claim(claim.id) == claim


@pytest.mark.parametrize("gone", [0, 1])
def test_p_02_a_fact_stays_on_what_is_left(gone: int, memory: Memory) -> None:
    kim = memory.session(person="kim")
    said = [kim.message(text) for text in ("I live in Busan.", "I LIVE in Busan.")]
    claims = [kim.remember(one.text, kind="stated", sources=[one]) for one in said]
    assert claims[0].id == claims[1].id
    kim.erase(said[gone])
    left = 1 - gone

    kept = kim.claim(claims[0].id)

    assert kept.words == ("I live in Busan.", "I LIVE in Busan.")[left]
    assert [citation.id for citation in kept.citations] == [said[left].id]
    assert kim.evidence_of(kept).independent == 1
    assert said[gone].id not in json.dumps([kim.trace(kept).model_dump(mode="json"), *kim.export()])


DRIFTS = ("i LIVE in Busan", "I  live\u200b in Busan!!", "\uff29 live in Busan.")


def test_p_07_what_was_erased_comes_back_by_no_door_and_a_paraphrase_enters(
    memory: Memory, kim: Session, bot: Session
) -> None:
    said = kim.message("I live in Busan.", key="m1")
    kim.remember("I live in Busan.", kind="stated", sources=[said])
    other = stated(kim, "I like tea.")
    kim.erase(said)
    page = bot.document("A page about harbours.", origin="https://a.example")
    for drift in DRIFTS:
        line = {
            "type": "document",
            "person": "kim",
            "agent": "bot",
            "origin": "copy",
            "text": drift,
        }
        doors: tuple[Callable[[], object], ...] = (
            partial(bot.document, drift, origin="copy"),
            partial(bot.message, drift),
            partial(bot.message, drift, key="m1"),
            partial(bot.tool_result, "crm", text=drift),
            partial(bot.remember, drift, sources=[page]),
            partial(bot.challenge, other, drift, sources=[page]),
            partial(bot.correct, other, drift, sources=[page]),
        )
        for door in doors:
            with pytest.raises(RefusedError, match="^SUPPRESSED: it is not taken in here$"):
                door()
        (error,) = memory.ingest([json.dumps(line)]).errors
        assert "SUPPRESSED" in error.message and "erased" not in error.message
        (left,) = bot.import_lines([drift]).left_out
        assert (left.rule, left.reason) == ("SUPPRESSED", "it is not taken in here")
    with pytest.raises(RefusedError, match="you erased this on"):
        kim.message("I live in Busan.")
    assert recalled(kim, "Busan") == ["I like tea."] == [one.words for one in kim.claims()]

    assert bot.document("Kim's home is Busan.", origin="copy").text == "Kim's home is Busan."


def test_p_05_identical_text_is_idempotent_and_its_contradiction_loses_nothing(
    kim: Session, clock: HandClock
) -> None:
    slot = {"subject": "gate", "attribute": "opens"}
    first = [stated(kim, "the gate opens at nine", value="nine", **slot).id for _ in range(2)]
    clock.move(timedelta(days=1))
    other = stated(kim, "the gate opens at ten", value="ten", **slot).id

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


def test_p_11_no_path_leads_through_a_link_that_is_gone(kim: Session, bot: Session) -> None:
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
