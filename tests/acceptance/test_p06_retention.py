"""P06: retention is explicit per state of account, category and layer, previewed before it runs, reported after."""

import itertools
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment import (
    Claim,
    ConflictError,
    ErasedError,
    InvalidError,
    Memory,
    NotFoundError,
    RefusedError,
    Retention,
    Session,
    StorageError,
)
from muniment.claims import Category
from muniment.testing import findings, flat_embedder

from .conftest import Kept

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ALLERGY = "저는 땅콩 알레르기가 있어요 zyxomma."
TRAIN = "I take the 7:40 train from quillwort."
Opening = Callable[..., Memory]


@pytest.fixture
def ruled(quick: Opening, tmp_path: Path, moment: list[datetime]) -> Opening:
    """Return a function that opens a store under a policy, on the clock of the test."""

    def open_under(policy: str, name: str = "store") -> Memory:
        quick(name, clock=lambda: moment[0]).close()
        (tmp_path / name / "policy.toml").write_text(f"format = 1\n{policy}\n", "utf-8")
        return quick(name, clock=lambda: moment[0], embedder=flat_embedder())

    return open_under


def stated(session: Session, words: str, category: str = "fact", **more: Any) -> Claim:
    """Let a person say and remember something."""
    said = session.message(words)
    return session.remember(words, kind="stated", category=category, sources=[said], **more)


def whys(found: Retention) -> dict[str, str]:
    """Return what stays though its time is over, with the rule that keeps it."""
    return {one.thing: one.decision.rule for one in found.kept}


def on_disk(memory: Memory) -> dict[Path, bytes]:
    """Return every file of the record."""
    folders = [memory.store.folder / name for name in ("journal", "keys")]
    return {file: file.read_bytes() for one in folders for file in one.rglob("*") if file.is_file()}


# --- the rules are data --------------------------------------------------------------------------------------


def test_solo_sets_no_end_and_destroys_nothing(ruled: Opening, moment: list[datetime]) -> None:
    memory = ruled("")
    kim = memory.session(person="kim")
    stated(kim, ALLERGY, "constraint")
    kim.rewrite_block("Call me 민지")
    kim.recall("알레르기?")
    memory.set_account("kim", "closed")
    moment[0] += timedelta(days=36_500)

    found = memory.retention()

    assert (found.rules, found.due, found.kept, found.erasures) == ((), (), (), ())
    assert memory.session(person="kim").block().text == "Call me 민지"
    assert [claim.words for claim in kim.claims()] == [ALLERGY]


@pytest.mark.parametrize(
    ("preset", "rules"),
    [
        ("solo", set[str]()),
        ("journal", {"retention.closed.message"}),
        ("regulated", {"retention.closed.message", "retention.receipt", "retention.ended.any"}),
    ],
)
def test_each_preset_sets_its_own(ruled: Opening, preset: str, rules: set[str]) -> None:
    table = ruled(f'preset = "{preset}"').policy.retention_rules
    named = {rule.name for rule in table.values()}

    assert rules <= named and (bool(named) == bool(rules))
    assert all(rule.days and rule.counted for rule in table.values())


def test_the_nearest_rule_counts(ruled: Opening, moment: list[datetime]) -> None:
    memory = ruled(
        "[retention]\nmessage = 400\n[retention.claim]\nany = 300\nconstraint = 0\n"
        "[retention.free]\nmessage = 0\n[retention.free.claim]\nfact = 20\n"
    )
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    memory.set_account("lee", "free")
    mine = [
        stated(kim, TRAIN),
        stated(kim, ALLERGY, "constraint"),
        stated(kim, "tea", "preference"),
    ]
    hers = [stated(lee, TRAIN), stated(lee, "tea", "preference")]

    def due(days: int) -> set[str]:
        found = memory.retention(dry_run=True, at=START + timedelta(days=days))
        return {one.thing for one in found.due}

    assert due(19) == set()
    assert due(20) == {hers[0].id}
    assert due(300) == {hers[0].id, mine[0].id, mine[2].id, hers[1].id}
    rules = {one.rule.name: one for one in memory.retention(dry_run=True).rules}
    assert rules["retention.claim.any"].coming == 3
    assert rules["retention.claim.any"].next == START + timedelta(days=300)
    assert rules["retention.message"].coming == 3, "lee's messages have no end"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[retention]\nmessage = -1", "line 3: retention.message"),
        ("[retention]\nmessage = 36501", "line 3: retention.message"),
        ("[retention]\nmessage = true", "line 3: retention.message"),
        ("[retention]\nmessages = 3", "line 3: retention.messages"),
        ("# retention of claims\n[retention.claim]\nfact = 3\nfacts = 4", "line 5: .*no category"),
        (
            "[accounts.lapsed]\nkeep_days = 3\n[retention.closed]\nmessage = 1\n"
            "[retention.lapsed]\nmessage = 1.5",
            "line 7: retention.lapsed.message",
        ),
        ('[retention]\nneeded = "maybe"', "line 3: retention.needed.*'stays' or 'goes'"),
        ("[retention]\nbackup = 0", "line 3: retention.backup"),
        ("[retention.gone]\nmessage = 3", "line 2: retention.gone"),
    ],
)
def test_what_is_wrong_in_the_file_is_named_by_its_line(
    ruled: Opening, text: str, told: str
) -> None:
    with pytest.raises(InvalidError, match=told):
        ruled(text)


def test_rules_are_compared_and_tried(
    ruled: Opening, moment: list[datetime], tmp_path: Path
) -> None:
    memory = ruled("[retention]\nmessage = 90\n")
    kim = memory.session(person="kim")
    kim.message("오늘은 비가 온다")
    kim.recall("비")
    moment[0] += timedelta(days=40)
    other = tmp_path / "other.toml"
    other.write_text(
        "format = 1\n[retention]\nmessage = 30\nreceipt = 10\nneeded = 'goes'\n", "utf-8"
    )
    before = on_disk(memory)

    changes = {one.name: (one.before, one.after) for one in memory.compare_policy(other)}
    trial = memory.try_policy(other)

    assert changes == {
        "retention.message": ("90 days", "30 days"),
        "retention.receipt": ("", "10 days"),
        "retention.needed": ("stays", "goes"),
    }
    assert [(one.rule, one.before, one.after) for one in trial.retention] == [
        ("retention.message", 0, 1),
        ("retention.receipt", 0, 1),
    ]
    assert on_disk(memory) == before
    assert trial.digest != memory.policy.digest


# --- preview, run, report ------------------------------------------------------------------------------------


def test_a_run_destroys_what_its_preview_showed_and_reports_it(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 30\ndocument = 30\n[retention.claim]\nfact = 30\n")
    kim = memory.session(person="kim")
    train = stated(kim, TRAIN)
    derived = kim.remember("leaves early quillwort", sources=[train])
    allergy = stated(kim, ALLERGY, "constraint")
    page = kim.document("The depot is at 얄라숲.", origin="https://wiki.example")
    moment[0] += timedelta(days=30)
    before = on_disk(memory)

    plan = memory.retention(dry_run=True)
    assert on_disk(memory) == before and not plan.id and plan.dry_run
    done = memory.retention(plan)

    gone = {train.id, train.citations[0].id, derived.id, page.id}
    assert {one.thing for one in done.due} == gone
    assert whys(done) == {allergy.citations[0].id: "STILL_NEEDED"}
    assert allergy.id in done.kept[0].decision.reason
    assert {one.decision.rule for one in done.due} == {"TIME_OVER"}
    assert plan.plan == done.plan and done.id and not done.dry_run
    assert [claim.words for claim in kim.claims()] == [ALLERGY]
    assert kim.source(allergy.citations[0].id).text == ALLERGY
    for ask in (lambda: kim.source(page.id), lambda: kim.claim(train.id)):
        with pytest.raises(ErasedError, match="was over on 2026-04-01"):
            ask()
    with pytest.raises(NotFoundError):
        memory.session(person="lee").source(page.id)
    assert not any("quillwort" in line for line in kim.export())
    (run,) = memory.retentions()
    assert (run.id, run.by, run.person) == (done.id, "", "")
    assert run.erasures == tuple(one.id for one in done.erasures)
    assert {one.rule: (one.destroyed, one.kept) for one in run.counts} == {
        "retention.message": (1, 1),
        "retention.document": (1, 0),
        "retention.claim.fact": (2, 0),
    }
    assert done.undetermined and done.outside
    certificate = memory.certificate(done.erasures[0])
    assert certificate.absent, certificate.because
    assert memory.retention().due == ()
    assert memory.rebuild() and findings(memory) == ()


def test_what_needs_a_source_keeps_it_unless_the_policy_says_otherwise(
    ruled: Opening, moment: list[datetime]
) -> None:
    for needed, stays in (("stays", True), ("goes", False)):
        moment[0] = START
        memory = ruled(f'[retention]\nmessage = 30\nneeded = "{needed}"', needed)
        kim = memory.session(person="kim")
        allergy = stated(kim, ALLERGY, "constraint")
        moment[0] += timedelta(days=31)

        plan = memory.retention(dry_run=True)
        memory.retention(plan)

        assert [claim.id for claim in kim.claims()] == ([allergy.id] if stays else [])
        assert [one.claims for one in plan.erasures] == ([] if stays else [(allergy.id,)])


def test_two_sources_of_one_claim_do_not_go_behind_each_others_back(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 30")
    kim = memory.session(person="kim")
    first, second = stated(kim, ALLERGY, "constraint"), stated(kim, ALLERGY, "constraint")
    assert first.id == second.id
    moment[0] += timedelta(days=31)

    found = memory.retention()

    assert found.due == () and set(whys(found).values()) == {"STILL_NEEDED"}
    assert [claim.words for claim in kim.claims()] == [ALLERGY]


def test_a_line_of_the_block_keeps_what_it_was_taken_from(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 30")
    kim = memory.session(person="kim")
    said = kim.message("Call me 민지")
    loose = kim.message("never mind")
    memory.session(person="kim", agent="bot").rewrite_block("Call me 민지", sources=[said])
    moment[0] += timedelta(days=31)

    found = memory.retention()

    assert ({one.thing for one in found.due}, whys(found)) == (
        {loose.id},
        {said.id: "STILL_NEEDED"},
    )
    assert kim.block().text == "Call me 민지"


def test_a_copy_that_a_recall_made_goes_with_it_and_what_was_drawn_from_that_keeps_it(
    ruled: Opening, moment: list[datetime]
) -> None:
    words = "정원문 카나리아마멀레이드 예산은 올해 사만 크로네로 잡혀 있습니다."
    for name, keeps in (("kept", True), ("gone", False)):
        moment[0] = START
        memory = ruled("[retention]\n[retention.claim]\nfact = 10\n", name)
        kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
        claim = stated(kim, words)
        receipt = bot.recall(words[:30]).receipt
        turn = bot.message(parts=[("recalled", words, receipt), ("own", "So I answered little.")])
        if keeps:
            bot.remember(words[:20], kind="external", category="theme", sources=[turn])
        moment[0] += timedelta(days=10)

        found = memory.retention()

        if keeps:
            assert found.due == () and whys(found) == {claim.id: "STILL_NEEDED"}
            assert {one.words for one in kim.claims()} == {words, words[:20]}
        else:
            assert [one.thing for one in found.due] == [claim.id]
            assert found.erasures[0].recalled == 1
            assert "So I answered little." in kim.source(turn.id).text
        assert findings(memory) == ()


def test_lines_of_the_block_and_receipts_have_times_of_their_own(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nblock = 20\nreceipt = 10")
    kim = memory.session(person="kim")
    stated(kim, TRAIN)
    kim.rewrite_block("Old line 늙은줄\nOther line")
    old = kim.recall("which quillwort train?").receipt
    moment[0] += timedelta(days=10)
    kim.rewrite_block("Old line 늙은줄\nNew line")
    young = kim.recall("which train today?").receipt
    assert memory.retention(dry_run=True).due == (), "the day of the receipt ends at midnight"
    moment[0] += timedelta(days=1)
    assert [one.layer for one in memory.retention().due] == ["receipt"]
    assert memory.replay(old).question == "" and memory.replay(young).question != ""

    moment[0] = START + timedelta(days=20)
    found = memory.retention()

    assert [one.layer for one in found.due] == ["block", "block"]
    assert kim.block().text == "New line"
    assert not any("늙은줄" in line for entry in kim.block_history() for line in entry.added)
    assert [claim.words for claim in kim.claims()] == [TRAIN]
    assert findings(memory) == ()


def test_a_claim_that_ended_goes_by_the_rule_of_its_end(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention.ended]\nfact = 10\n")
    kim = memory.session(person="kim")
    old = stated(kim, "We deploy on Fridays.")
    brief = stated(kim, "이번 주는 쉰다", expires_at=START + timedelta(days=3))
    past = stated(kim, "She lived in Lyon.", valid_to=START - timedelta(days=900))
    kept = stated(kim, "휴가", "preference", expires_at=START + timedelta(days=3))
    moment[0] += timedelta(days=5)
    new = kim.supersede(
        old, "We deploy on Mondays.", sources=[kim.message("We deploy on Mondays.")]
    )
    renewed = stated(kim, "Lunch is at noon.", expires_at=START + timedelta(days=6))
    kim.confirm(renewed, expires_at=START + timedelta(days=60))

    def due(days: float) -> set[str]:
        found = memory.retention(dry_run=True, at=START + timedelta(days=days))
        return {one.thing for one in found.due}

    assert due(9.99) == set(), "what ended before it was recorded counts from its record"
    assert due(10) == {past.id}
    assert due(13) == {past.id, brief.id}
    assert due(14.99) == {past.id, brief.id}
    assert due(15) == {past.id, brief.id, old.id}
    assert due(69) == due(15) and due(70) == due(15) | {renewed.id}
    moment[0] = START + timedelta(days=15)
    memory.retention()
    assert {claim.id for claim in kim.claims()} == {new.id, kept.id, renewed.id}
    assert findings(memory) == ()


def test_confirming_renews_and_saying_again_does_not(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention.claim]\nfact = 10\n")
    kim = memory.session(person="kim")
    said, confirmed = stated(kim, TRAIN), stated(kim, "커피를 마신다")
    moment[0] += timedelta(days=8)
    stated(kim, TRAIN)
    kim.recall("train?")
    kim.confirm(confirmed)
    moment[0] += timedelta(days=2)

    assert {one.thing for one in memory.retention().due} == {said.id}


def test_what_went_by_age_may_be_said_again(ruled: Opening, moment: list[datetime]) -> None:
    memory = ruled("[retention]\nmessage = 10\ndocument = 10\n[retention.claim]\nfact = 10\n")
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    stated(kim, "네, 좋아요 그래요")
    kim.document("v1", origin="https://wiki.example")
    moment[0] += timedelta(days=10)
    assert len(memory.retention().due) == 3

    again = bot.message("네, 좋아요 그래요")
    assert bot.remember("네, 좋아요 그래요", sources=[again]).standing == "active"
    assert kim.document("v2", origin="https://wiki.example").text == "v2"
    assert stated(kim, "네, 좋아요 그래요").standing == "active"


def test_age_destroys_what_was_made_of_it_and_not_what_reads_the_same(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 10\n")
    kim = memory.session(person="kim")
    kim.message("Call me 민지 please")
    moment[0] += timedelta(days=9)
    memory.session(person="kim", agent="bot").rewrite_block("Call me 민지 please")
    receipt = kim.recall("Call me 민지 please").receipt
    moment[0] += timedelta(days=1)

    found = memory.retention()

    assert len(found.due) == 1 and found.erasures[0].lines == found.erasures[0].receipts == 0
    assert kim.block().text == "Call me 민지 please"
    assert memory.replay(receipt).question == "Call me 민지 please"


# --- what stays nevertheless ---------------------------------------------------------------------------------


def test_a_legal_hold_keeps_what_it_holds_and_nothing_else(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 10\n[retention.claim]\nany = 10\n")
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    held, free, hers = stated(kim, TRAIN), stated(kim, "tea is fine"), stated(lee, ALLERGY)
    hold = memory.hold(held.id, "court 법원")
    memory.hold(person="lee", reason="court")
    moment[0] += timedelta(days=10)

    plan = memory.retention(dry_run=True)
    done = memory.retention(plan)

    assert whys(done) == {
        held.id: "ON_LEGAL_HOLD",
        held.citations[0].id: "STILL_NEEDED",
        hers.id: "ON_LEGAL_HOLD",
        hers.citations[0].id: "ON_LEGAL_HOLD",
    }
    assert {one.thing for one in done.due} == {free.id, free.citations[0].id}
    assert not any("court" in one.model_dump_json() for one in done.kept)
    memory.release(hold)
    assert {one.thing for one in memory.retention().due} == {held.id, held.citations[0].id}


def test_the_minimum_of_an_account_goes_before_every_rule(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[accounts.lapsed]\nkeep_days = 90\n[retention]\nmessage = 10\n")
    kim = memory.session(person="kim")
    said = kim.message("오래된 말")
    moment[0] += timedelta(days=20)
    memory.set_account("kim", "lapsed")

    found = memory.retention()

    assert found.due == () and whys(found) == {said.id: "KEPT_BY_ACCOUNT"}
    assert found.kept[0].until == moment[0] + timedelta(days=90)
    moment[0] += timedelta(days=90) - timedelta(microseconds=1)
    assert memory.retention().due == ()
    moment[0] += timedelta(microseconds=1)
    assert [one.thing for one in memory.retention().due] == [said.id]


def test_a_rule_of_a_state_counts_from_when_the_state_began(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled('preset = "journal"')
    kim = memory.session(person="kim")
    stated(kim, TRAIN)
    kim.rewrite_block("Call me 민지")
    kim.recall("train?")
    moment[0] += timedelta(days=500)

    notice = memory.set_account("kim", "closed")

    first = moment[0] + timedelta(days=30)
    assert notice.kept_until == first
    assert {rule.name for rule in notice.ends} >= {"retention.closed.message"}
    assert any(f"message: 30 days, so from {first:%Y-%m-%d} on" in line for line in notice.text)
    assert (
        notice.text[-1] == "What is over goes when a run of retention destroys it, never by itself."
    )
    moment[0] = first - timedelta(microseconds=1)
    assert memory.retention(dry_run=True).due == ()
    moment[0] = first
    assert {one.layer.value for one in memory.retention().due} == {
        "message", "claim", "block", "receipt",
    }  # fmt: skip
    assert list(kim.claims()) == [] and kim.block().text == ""
    memory.set_account("kim", "active")
    stated(memory.session(person="kim"), TRAIN)
    assert memory.retention().due == ()


def test_others_are_not_touched_by_the_state_of_one_account(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled('preset = "journal"')
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    mine, hers = stated(kim, TRAIN), stated(lee, TRAIN)
    memory.set_account("kim", "closed")
    moment[0] += timedelta(days=31)

    memory.retention()

    assert list(kim.claims()) == [] and [claim.id for claim in lee.claims()] == [hers.id] != [
        mine.id
    ]


# --- clocks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zone", ["Asia/Seoul", "America/New_York", "Pacific/Kiritimati"])
def test_a_day_is_24_hours_in_every_zone(ruled: Opening, moment: list[datetime], zone: str) -> None:
    # Two days with a change of clocks between them in New York.
    moment[0] = datetime(2026, 3, 7, 12, 0, tzinfo=ZoneInfo(zone))
    memory = ruled("[retention]\nmessage = 2\n", zone.replace("/", "_"))
    said = memory.session(person="kim").message("zoned")
    over = moment[0].astimezone(UTC) + timedelta(hours=48)

    moment[0] = (over - timedelta(microseconds=1)).astimezone(ZoneInfo(zone))
    assert memory.retention().due == ()
    moment[0] = over.astimezone(ZoneInfo(zone))
    (due,) = memory.retention().due
    assert (due.thing, due.over) == (said.id, over)


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(jumps=st.lists(st.integers(-60, 60), min_size=2, max_size=5), days=st.integers(1, 20))
def test_a_clock_that_jumps_destroys_nothing_before_its_time(
    ruled: Opening, moment: list[datetime], jumps: list[int], days: int
) -> None:
    """A run judges by the clock it is shown, never by that of the records, which only goes forward."""
    moment[0] = START
    memory = ruled(f"[retention]\nmessage = {days}\n", f"jump{days}-{hash(tuple(jumps))}")
    kim = memory.session(person="kim")
    said: dict[str, datetime] = {}
    for place, jump in enumerate(jumps):
        source = kim.message(f"message {place}")
        said[source.id] = moment[0]
        moment[0] += timedelta(hours=jump)
        for one in memory.retention().due:
            assert moment[0] - said[one.thing] >= timedelta(days=days)
    memory.close()


def test_a_clock_once_ahead_does_not_end_the_rest_early(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 30\n")
    kim = memory.session(person="kim")
    kim.message("before")
    moment[0] += timedelta(days=365)
    kim.message("under a clock that is a year ahead")
    moment[0] = START + timedelta(days=1)

    assert memory.retention().due == ()
    moment[0] -= timedelta(days=2)
    assert memory.retention().due == ()


# --- exactly what was shown ----------------------------------------------------------------------------------


WORDS = ("금요일에 배포한다", "tea, please", "the train is late", "she moved to 부산", "ok")


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, int, int]]:
    """Draw what happens: a deed, what it is done to, and how many days go by after it."""
    deeds = (
        "say",
        "claim",
        "derive",
        "again",
        "retract",
        "repeat",
        "block",
        "recall",
        "hold",
        "close",
        "page",
    )
    step = st.tuples(st.sampled_from(deeds), st.integers(0, 9), st.integers(0, 6))
    return draw(st.lists(step, min_size=5, max_size=14))


def lived(memory: Memory, moment: list[datetime], history: list[tuple[str, int, int]]) -> None:
    """Let two people live through a history."""
    claims: list[tuple[Session, Claim]] = []
    for place, (deed, which, days) in enumerate(history):
        with suppress(RefusedError):  # the account may be closed, the claim withdrawn before
            done(memory, claims, deed, which, place)
        moment[0] += timedelta(days=days)
    moment[0] += timedelta(days=5)


def done(
    memory: Memory, claims: list[tuple[Session, Claim]], deed: str, which: int, place: int
) -> None:
    """Let one of them do something."""
    name = ("kim", "lee")[which % 2]
    kim = memory.session(person=name)
    words = f"{WORDS[which % 5]} {place if deed != 'again' else ''}".strip()
    category = [one for one in Category if one not in ("account", "contact")][which % 7]
    picked = claims[which % len(claims)] if claims else None
    match deed:
        case "say":
            kim.message(words)
        case "page":
            kim.document(words, origin=f"https://{which % 3}.example")
        case "claim" | "again":
            claims.append((kim, stated(kim, words, category)))
        case "derive" if picked:
            owner, claim = picked
            found = owner.remember(f"so {words}", category=category, sources=[claim.id])
            claims.append((owner, found))
        case "retract" if picked:
            owner, claim = picked
            owner.retract(owner.claim(claim.id))
        case "block":
            said = kim.message(words)
            agent = memory.session(person=name, agent="bot")
            agent.rewrite_block(f"{kim.block().text}\n{words}", sources=[said])
        case "recall":
            kim.recall(words)
        case "repeat" if picked:
            agent = memory.session(person=name, agent="bot")
            receipt = agent.recall(picked[1].words).receipt
            recalled = ("recalled", picked[1].words, receipt)
            own = [("own", f"so {words}")] if which % 3 else []
            turn = agent.message(parts=[recalled, *own])
            claims.append((kim, agent.remember(f"then {words}", category=category, sources=[turn])))
        case "hold" if picked:
            memory.hold(picked[1].id, "court")
        case "close":
            memory.set_account(name, ("closed", "lapsed", "active")[which % 3])
        case _:
            pass


LAW = """[accounts.lapsed]
keep_days = 8
[accounts.closed]
keep_days = 3
[retention]
message = 9
document = 6
receipt = 5
block = 14
needed = "{needed}"
[retention.claim]
any = 12
constraint = 0
[retention.ended]
any = 4
[retention.closed]
message = 3
[retention.closed.claim]
any = 3
"""
COUNT = itertools.count()


@pytest.mark.slow
@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(history=histories(), needed=st.sampled_from(("stays", "goes")), own=st.booleans())
def test_the_preview_is_what_the_run_does(
    ruled: Opening,
    moment: list[datetime],
    monkeypatch: pytest.MonkeyPatch,
    history: list[tuple[str, int, int]],
    needed: str,
    own: bool,
) -> None:
    monkeypatch.setattr("muniment.retention.AT_ONCE", 3)
    moment[0] = START
    memory = ruled(LAW.format(needed=needed), f"law{next(COUNT)}")
    lived(memory, moment, history)
    whose = memory.session(person="kim") if own else memory
    before = on_disk(memory)
    listed = {claim.id for name in ("kim", "lee") for claim in memory.session(person=name).claims()}

    plan = whose.retention(dry_run=True)
    assert on_disk(memory) == before
    assert whose.retention(dry_run=True).plan == plan.plan
    done = whose.retention(plan)

    assert done.plan == plan.plan
    left = {claim.id for name in ("kim", "lee") for claim in memory.session(person=name).claims()}
    assert listed - left == {name for one in plan.erasures for name in one.claims}
    if needed == "stays":
        due = {one.thing for one in plan.due}
        assert listed - left <= due, "nothing whose own time is not over goes with something else"
    held = {one.target for one in memory.holds()}
    assert held <= left, "what is on legal hold stays"
    assert whose.retention(dry_run=True, at=plan.moment).due == ()
    assert findings(memory) == ()
    memory.close()


def test_a_plan_that_is_not_right_any_more_is_not_carried_out(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 10\n")
    kim = memory.session(person="kim")
    first = kim.message("first")
    moment[0] += timedelta(days=10)
    plan = memory.retention(dry_run=True)
    kim.remember("so it was first", sources=[first])
    before = on_disk(memory)

    with pytest.raises(ConflictError, match="nothing was destroyed"):
        memory.retention(plan)
    assert on_disk(memory) == before

    later = memory.retention(dry_run=True, at=moment[0] + timedelta(days=10))
    with pytest.raises(InvalidError, match="has not come"):
        memory.retention(later)
    with pytest.raises(InvalidError, match="only a preview"):
        memory.retention(at=moment[0])
    with pytest.raises(InvalidError, match="the plan is none"):
        memory.retention("plan")  # type: ignore[arg-type]
    with pytest.raises(InvalidError, match="time zone"):
        memory.retention(dry_run=True, at=datetime(2026, 3, 1))  # noqa: DTZ001


def test_time_that_passed_since_the_preview_adds_nothing(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 10\n")
    kim = memory.session(person="kim")
    first = kim.message("first")
    moment[0] += timedelta(hours=1)
    kim.message("second")
    moment[0] += timedelta(days=10) - timedelta(hours=1)
    plan = memory.retention(dry_run=True)
    moment[0] += timedelta(hours=2)

    assert [one.thing for one in memory.retention(plan).due] == [first.id]


# --- who may -------------------------------------------------------------------------------------------------


def test_a_person_runs_it_for_her_own_and_an_agent_does_not(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 10\n")
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    mine, hers = kim.message("mine"), lee.message("hers")
    moment[0] += timedelta(days=10)

    for dry_run in (True, False):
        with pytest.raises(RefusedError) as refused:
            memory.session(person="kim", agent="bot").retention(dry_run=dry_run)
        assert refused.value.decision.rule == "ONLY_THE_PERSON"
    done = kim.retention()

    assert [one.thing for one in done.due] == [mine.id] and done.person == "kim"
    assert lee.source(hers.id).text == "hers"
    assert [run.id for run in kim.retentions()] == [done.id] and lee.retentions() == ()
    assert memory.session(person="kim", agent="bot").retentions() == ()
    kim.set_secret("nine green 거북이")
    with pytest.raises(RefusedError, match="SECRET_NEEDED"):
        memory.session(person="kim").retention()
    assert memory.session(person="nobody").retention(dry_run=True).due == ()
    with pytest.raises(RefusedError):
        memory.session().retention()


def test_a_run_that_was_cut_off_is_gone_on_with(
    quick: Opening, ruled: Opening, moment: list[datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("muniment.retention.AT_ONCE", 2)
    ruled("[retention]\nmessage = 10\n").close()

    def cut(name: str) -> None:
        if name == "retention.batch":
            raise KeyboardInterrupt

    memory = quick(clock=lambda: moment[0], embedder=flat_embedder(), reach=cut)
    kim = memory.session(person="kim")
    for place in range(5):
        kim.message(f"message number {place}")
    moment[0] += timedelta(days=10)
    with pytest.raises(KeyboardInterrupt):
        memory.retention()
    memory.close()

    memory = quick(clock=lambda: moment[0], embedder=flat_embedder())
    (cut_off,) = memory.retentions()
    assert (cut_off.id, len(cut_off.erasures)) == ("", 1)
    done = memory.retention()
    assert len(done.due) == 3
    ended, before = memory.retentions()[0], memory.retentions()[-1]
    assert ended.id == done.id and before.erasures == cut_off.erasures
    assert findings(memory) == ()


def test_backups_past_their_time_are_named_and_the_policy_states_the_lifetime(
    ruled: Opening, moment: list[datetime], tmp_path: Path
) -> None:
    memory = ruled("[retention]\nbackup = 7\n")
    memory.session(person="kim").message("kept")
    made = memory.backup(tmp_path / "backups" / "one", passphrase="correct horse, 올바른 말")
    assert made.manifest.keep_until == moment[0] + timedelta(days=7)
    assert memory.retention(dry_run=True).backups == ()
    moment[0] += timedelta(days=7)

    assert [one.place for one in memory.retention().backups] == [made.place]
    assert Path(made.place).exists(), "nothing outside of the store is removed"


def test_a_restored_backup_does_again_what_went_by_age(kept: Kept) -> None:
    with kept.open() as memory:
        (memory.path / "policy.toml").write_text("format = 1\n[retention]\nmessage = 10\n", "utf-8")
    with kept.open() as memory:
        said = memory.session(person="kim").message("오래된 말 quillwort")
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        kept.clock.move(timedelta(days=10))
        (erasure,) = memory.retention().erasures
        assert [one.place for one in erasure.backups] == [str(backup)]
    restored = kept.restore(backup)
    assert len(restored.erasures) == 1
    with kept.open("restored") as memory:
        with pytest.raises(ErasedError, match="was over on"):
            memory.session(person="kim").source(said.id)
        assert memory.retentions() == (), (
            "the run is not known here, and nothing is left to go on with"
        )
        assert findings(memory) == ()


def test_a_store_opened_read_only_shows_a_plan_and_runs_none(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 10\n")
    said = memory.session(person="kim").message("오래된 말")
    moment[0] += timedelta(days=10)
    memory.close()
    with Memory.open(
        memory.path, clock=lambda: moment[0], embedder=flat_embedder(), read_only=True
    ) as opened:
        assert [one.thing for one in opened.retention(dry_run=True).due] == [said.id]
        with pytest.raises(StorageError):
            opened.retention()


def test_a_shared_place_goes_by_the_rules_for_everybody(
    ruled: Opening, moment: list[datetime]
) -> None:
    memory = ruled("[retention]\nmessage = 10\n[retention.active]\nmessage = 0\n")
    kim = memory.session(person="kim", channel="hall")
    shared, own = kim.message("in the hall 복도"), memory.session(person="kim").message("to me")
    moment[0] += timedelta(days=10)

    assert memory.session(person="kim", channel="hall").retention(dry_run=True).due == ()
    (due,) = memory.retention().due
    assert (due.thing, due.person) == (shared.id, "")
    assert memory.session(person="kim").source(own.id).text == "to me"
