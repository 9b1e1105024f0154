"""The journal: what is acknowledged is there, groups are whole, the same write twice is one."""

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import pytest

from muniment import ConflictError, InvalidError, Memory, NotFoundError, RefusedError
from muniment.claims import EntityRecord, PolicyRecord, ReceiptRecord, RefusalRecord, ScopeRecord
from muniment.testing import HandClock, decision_findings, findings

Reopened = Callable[[], Memory]


def words(memory: Memory) -> list[str]:
    """Return what kim said, as the store has it."""
    kim = memory.session(person="kim")
    return [kim.source(source.id).text for source in memory.store.state.sources.values()]


# --- groups ----------------------------------------------------------------------------------------------------


def test_a_group_is_durable_as_one(memory: Memory, reopened: Reopened) -> None:
    with memory.store.group():
        kim = memory.session(person="kim")
        kim.message("one")
        kim.message("two")
        before = memory.store.journal.head.seq
    assert memory.store.journal.head.seq > before + 1

    assert words(reopened()) == ["one", "two"]


def test_a_group_that_fails_leaves_nothing(memory: Memory, reopened: Reopened) -> None:
    kim = memory.session(person="kim")
    kim.message("before")

    with pytest.raises(ZeroDivisionError), memory.store.group():
        kim.message("lost")
        raise ZeroDivisionError

    assert words(memory) == ["before"]
    kim.message("after")
    assert words(memory) == ["before", "after"]
    assert findings(memory) == ()
    assert words(reopened()) == ["before", "after"]


def test_a_group_in_a_group_is_part_of_the_outer_one(memory: Memory) -> None:
    kim = memory.session(person="kim")
    with pytest.raises(ZeroDivisionError), memory.store.group():
        with memory.store.group():
            kim.message("in the inner one")
        raise ZeroDivisionError

    assert words(memory) == []


def test_a_group_in_a_group_that_fails_takes_nothing_else_with_it(
    memory: Memory, reopened: Reopened
) -> None:
    kim = memory.session(person="kim")
    kim.message("before")
    with memory.store.group():
        kim.message("of the outer one")
        park = memory.session(person="park")  # a name that is registered in the inner one first
        with pytest.raises(ZeroDivisionError), memory.store.group():
            park.message("of the inner one")
            raise ZeroDivisionError
        kim.message("of the outer one again")

    wanted = ["before", "of the outer one", "of the outer one again"]
    assert words(memory) == wanted
    park.message("and park comes later")
    assert findings(memory) == ()
    kim_again = reopened().session(person="kim")
    assert [kim_again.search_conversations("outer").hits != ()] == [True]


def test_a_bad_line_in_a_batch_takes_no_good_one_with_it(memory: Memory) -> None:
    lines = [
        '{"type":"message","person":"kim","key":"m1","text":"We deploy on Fridays."}',
        '{"type":"message","person":"kim","key":"m1","text":"Not the same."}',
        '{"type":"message","person":"kim","key":"m2","parts":[{"label":"pasted","text":"x","origin":"a\\u0000b"}]}',
        '{"type":"claim","person":"kim","text":"We deploy on Fridays.","kind":"stated","sources":["m1"]}',
        '{"type":"claim","person":"kim","text":"Nothing to rest on."}',
        '{"type":"message","person":"kim","text":"A last one."}',
    ]

    report = memory.ingest(lines)

    assert [error.line for error in report.errors] == [2, 3, 5]
    assert words(memory) == ["We deploy on Fridays.", "A last one."]
    kim = memory.session(person="kim")
    assert [claim.quote for claim in kim.claims()] == ["We deploy on Fridays."]
    assert findings(memory) == ()


def test_a_correction_is_one_group(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    kim = memory.session(person="kim")
    old = kim.remember("staging", kind="stated", sources=[kim.message("staging")])
    said = kim.message("production")
    add = memory.store.add

    def failing(shape: object, *given: object, **fields: object) -> object:
        if getattr(shape, "__name__", "") == "ChangeRecord":
            raise OSError(5, "Input/output error")
        return add(shape, *given, **fields)  # type: ignore[arg-type]

    monkeypatch.setattr(memory.store, "add", failing)
    with pytest.raises(OSError, match="Input/output"):
        kim.correct(old, "production", sources=[said])
    monkeypatch.setattr(memory.store, "add", add)

    assert [(claim.quote, claim.standing) for claim in kim.claims()] == [("staging", "active")]
    assert findings(memory) == ()
    assert kim.correct(old, "production", sources=[said]).corrects == (old.id,)


# --- the same write twice --------------------------------------------------------------------------------------


def test_the_same_key_and_words_give_the_first_answer(memory: Memory, reopened: Reopened) -> None:
    kim = memory.session(person="kim")
    first = kim.message("We deploy on Fridays.", key="k1")
    claim = kim.remember("We deploy on Fridays.", kind="stated", sources=[first], key="k2")
    written = memory.store.state.seq

    assert kim.message("We deploy on Fridays.", key="k1") == first
    again = kim.remember("We deploy on Fridays.", kind="stated", sources=[first], key="k2")
    assert (again.id, again.version) == (claim.id, 1)
    assert memory.store.state.seq == written

    kim = reopened().session(person="kim")
    assert kim.message("We deploy on Fridays.", key="k1") == first
    assert (
        kim.remember("We deploy on Fridays.", kind="stated", sources=[first], key="k2").version == 1
    )


def test_the_same_sent_again_from_a_context_that_fell_meanwhile_is_the_same(memory: Memory) -> None:
    bot = memory.session(person="kim", agent="bot")
    parts = [("own", "I read this:", ""), ("quoted", "지금 배포하세요", "https://wiki.example")]
    first = bot.message(parts=parts, key="k1")
    assert bot.mark < first.parts[0].integrity

    assert bot.message(parts=parts, key="k1") == first


def test_the_same_key_for_something_else_is_a_conflict(memory: Memory, reopened: Reopened) -> None:
    kim = memory.session(person="kim")
    first = kim.message("We deploy on Fridays.", key="k1")

    for again in (False, True):
        kim = reopened().session(person="kim") if again else kim
        with pytest.raises(ConflictError) as conflict:
            kim.message("We deploy on Mondays.", key="k1")
        assert conflict.value.current == first.id


def test_a_key_belongs_to_who_writes_and_where(memory: Memory) -> None:
    sessions = [
        memory.session(person="kim"),
        memory.session(person="park"),
        memory.session(person="kim", project="apollo"),
        memory.session(person="kim", agent="helper"),
        memory.session(person="park", agent="helper"),
    ]
    made = [session.message("The same words.", key="k1") for session in sessions]

    assert len({source.id for source in made}) == len(sessions)
    assert [session.source(one.id) for session, one in zip(sessions, made, strict=True)] == made


def test_a_refusal_is_written_down_once_without_its_words(memory: Memory) -> None:
    kim = memory.session(person="kim")
    for _ in range(3):
        with pytest.raises(RefusedError, match="NO_EVIDENCE"):
            kim.remember("Nothing to rest on.", key="k1")

    refusals = [
        header
        for seq in range(1, memory.store.state.seq + 1)
        if isinstance(header := memory.store.header(seq), RefusalRecord)
    ]
    assert [(one.verb, one.decision.rule) for one in refusals] == [("remember", "NO_EVIDENCE")]
    sealed = memory.store.words(refusals[0].seq)
    assert set(sealed) == {"request"}


# --- decisions -------------------------------------------------------------------------------------------------


def test_nothing_reaches_the_journal_without_a_decision(memory: Memory) -> None:
    kim = memory.session(person="kim")
    said = kim.message("We deploy on Fridays.")
    claim = kim.remember("We deploy on Fridays.", kind="stated", sources=[said])
    kim.confirm(claim)
    with pytest.raises(RefusedError):
        kim.remember("Nothing to rest on.")
    kim.recall("when?")

    assert decision_findings(memory.store) == ()
    undecided = (EntityRecord, PolicyRecord, ScopeRecord)
    headers = [memory.store.header(seq) for seq in range(1, memory.store.state.seq + 1)]
    decided = [header for header in headers if not isinstance(header, undecided)]
    assert {header.decision.policy for header in decided} == {memory.policy.digest[:16]}
    assert len(decided) == 5


def test_another_policy_is_written_down_before_anything_is_decided_by_it(
    memory: Memory, reopened: Reopened, tmp_path: Path
) -> None:
    first = memory.policy.digest
    policy = tmp_path / "store" / "policy.toml"
    policy.write_text('format = 1\n[tools.clock]\nfields = { now = "time" }\n', encoding="utf-8")

    later = reopened()
    later.session(person="kim").message("Hello.")

    assert later.policy.digest != first
    digests = [
        header.digest
        for seq in range(1, later.store.state.seq + 1)
        if isinstance(header := later.store.header(seq), PolicyRecord)
    ]
    assert digests == [first, later.policy.digest]


# --- time ------------------------------------------------------------------------------------------------------


def test_time_in_the_journal_never_runs_backwards(memory: Memory, clock: HandClock) -> None:
    kim = memory.session(person="kim")
    first = kim.message("Now.")
    clock.move(timedelta(hours=-3))
    second = kim.message("Three hours ago?")
    clock.move(timedelta(hours=4))
    third = kim.message("Later.")

    assert first.recorded_at == second.recorded_at < third.recorded_at
    nudged = [
        memory.store.header(memory.store.state.ids[one.id]).nudged for one in (first, second, third)
    ]
    assert nudged == [False, True, False]


# --- receipts --------------------------------------------------------------------------------------------------


def test_the_receipts_of_a_day_share_a_key_and_those_of_another_do_not(
    memory: Memory, clock: HandClock, reopened: Reopened
) -> None:
    kim = memory.session(person="kim")
    kim.message("Hello.")
    ids = [kim.recall("what?").receipt, kim.recall("and?").receipt]
    kim = reopened().session(person="kim")
    ids.append(kim.recall("still?").receipt)
    clock.move(timedelta(days=1))
    ids.append(kim.recall("tomorrow?").receipt)

    store = reopened().store
    slots = []
    for name in ids:
        header = store.header(store.state.ids[name])
        assert isinstance(header, ReceiptRecord)
        slots.append(header.seals[0].slot)
    assert slots[0] == slots[1] == slots[2] != slots[3]
    assert [store.words(store.state.ids[name])["question"] for name in ids] == [
        "what?",
        "and?",
        "still?",
        "tomorrow?",
    ]


# --- large -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_source_of_many_pieces_comes_back_whole(memory: Memory, reopened: Reopened) -> None:
    kim = memory.session(person="kim")
    text = "가나다라마바사 " * 50_000
    document = kim.document(text, origin="https://wiki.example")
    many = kim.message(parts=[("pasted" if at % 2 else "own", f"{at} ") for at in range(1_500)])

    kim = reopened().session(person="kim")
    assert kim.source(document.id).text == text
    assert len(kim.source(many.id).parts) == 1_500


def test_what_is_too_long_is_refused_whole(memory: Memory) -> None:
    kim = memory.session(person="kim")
    before = memory.store.state.seq
    with pytest.raises(InvalidError, match="code points"):
        kim.remember("a" * 4_001, sources=[kim.message("a")])

    assert memory.store.state.seq <= before + 3  # kim, her scope and the message
    with pytest.raises(NotFoundError):
        kim.source("AAAAAAAAAAAAAAAAAAAAAA")


@pytest.mark.parametrize("stretch", [1, 700, 5_000, 1024 * 1024])
def test_many_records_read_in_one_pass_are_those_read_one_by_one(
    memory: Memory, reopened: Reopened, monkeypatch: pytest.MonkeyPatch, stretch: int
) -> None:
    monkeypatch.setattr(import_module("muniment.lineage.journal"), "_STRETCH", stretch)
    monkeypatch.setattr(import_module("muniment.lineage.journal"), "_SEGMENT_SIZE", 4_000)
    kim = memory.session(person="kim")
    for number in range(12):
        kim.message("말 " * (number**3 + 1))
    store = reopened().store
    positions = list(store.state.positions[1:])

    assert len(list((store.folder / "journal").iterdir())) > 2
    for few in (positions, positions[::3], positions[-1:], []):
        assert list(store.journal.read_all(few)) == [store.journal.read(one) for one in few]
