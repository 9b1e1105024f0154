"""R13: an answer is attached to its receipt; a sentence of it, a trace id, or what is not in it, is explained."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from muniment import (
    Answer,
    Claim,
    FromMemory,
    InvalidError,
    Memory,
    MunimentError,
    NotFoundError,
    RecallStep,
    RefusedError,
    Session,
    Standing,
)
from muniment.testing import HandClock, findings, flat_embedder
from muniment.tools import verify_raw

from .conftest import Kept
from .test_l05_erasing import all_words

Open = Callable[..., Memory]
YES, MAYBE, NO, UNKNOWN = FromMemory
STAGING = "We deploy to staging on Fridays."
FRIDAY = "배포는 매주 금요일 오후에 합니다."
CANARY = "zanzibarglockenspiel은 사번이공이삼에 숨겨 두었다"


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def memory(quick: Open, clock: HandClock) -> Memory:
    return quick(clock=clock, embedder=flat_embedder())


@pytest.fixture
def kim(memory: Memory) -> Session:
    return memory.session(person="kim")


@pytest.fixture
def bot(memory: Memory) -> Session:
    return memory.session(person="kim", agent="bot")


def said(session: Session, text: str, **more: Any) -> Claim:
    return session.remember(text, kind="stated", sources=[session.message(text)], **more)


def answered(session: Session, text: str, question: str = "배포는 언제? when?") -> Answer:
    answer = session.recall(question)
    session.attach(answer, answer=text, model="m-1", parameters={"temperature": 0.5, "seeds": [1]})
    return answer


# --- attaching -------------------------------------------------------------------------------------------------


def test_a_prompt_names_its_receipt_wherever_an_answer_does(memory: Memory, kim: Session) -> None:
    claim = said(kim, STAGING)
    prompt, answer = kim.assemble("deploy?"), kim.recall("deploy?")
    receipt = prompt.receipt

    assert kim.attach(prompt, answer="금요일입니다.").receipt == receipt
    assert kim.why(prompt, line=prompt.lines[0].number).lines[0].claim.id == claim.id
    assert kim.why_not(claim, prompt) == kim.why_not(claim, receipt)
    assert kim.compare(prompt, answer) == kim.compare(receipt, answer.receipt)
    assert kim.replay(prompt) == kim.replay(receipt)
    assert memory.replay(prompt) == memory.replay(receipt)
    assert kim.investigate(prompt).explanation.receipt == receipt

    kim.pause()
    with pytest.raises(InvalidError, match="without memory none is left"):
        kim.replay(kim.assemble("deploy?"))


def test_what_is_attached_is_kept_in_order_and_read_back(memory: Memory, kim: Session) -> None:
    said(kim, STAGING)
    receipt = kim.recall("deploy?").receipt
    first = kim.attach(receipt, trace="trace-1")
    second = kim.attach(
        receipt, answer="금요일입니다.", model="m-1", parameters={"temperature": 0.5, "stop": None}
    )
    assert kim.why(receipt).answers == (first, second)
    assert (
        second.parameters == {"temperature": 0.5, "stop": None} and second.answer == "금요일입니다."
    )
    memory.store.rebuild()
    assert kim.why("trace-1").answers == (first, second)
    header = memory.store.header(memory.store.state.ids[first.id])
    assert "trace-1" not in header.model_dump_json() and header.op == "attach"
    assert findings(memory) == ()
    assert memory.verify(mode="full").findings == ()


def test_no_credential_is_kept(memory: Memory, kim: Session) -> None:
    receipt = kim.recall("deploy?").receipt
    kim.message("something, so that kim is known")
    receipt = kim.recall("deploy?").receipt
    key = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    kept = kim.attach(
        receipt,
        answer=f"use {key} there",
        parameters={"api_key": "tr0ub4dor3!x", "nested": [{"note": key}]},
    )
    assert key not in all_words(memory.store) and "tr0ub4dor3" not in all_words(memory.store)
    assert kept.answer.startswith("use ") and kept.answer.endswith(" there")


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"answer": 7},
        {"answer": "x" * 40_001},
        {"answer": "a\0b"},
        {"model": "m" * 201},
        {"trace": "t" * 201},
        {"parameters": "temperature=0"},
        {"parameters": {"f": object()}},
        {"parameters": {"f": float("nan")}},
        {"parameters": {7: "x"}},
        {"parameters": {"text": "x" * 16_001}},
        {"parameters": {"many": ["xxxxxxxxxx"] * 2_000}},
        {"parameters": {"deep": [[[[[[[[[1]]]]]]]]]}},
    ],
    ids=lambda wrong: ",".join(wrong),
)
def test_what_cannot_be_attached_says_the_way_out(kim: Session, wrong: dict[str, Any]) -> None:
    said(kim, STAGING)
    receipt, before = kim.recall("deploy?").receipt, kim.acting.store.state.seq
    with pytest.raises(InvalidError):
        kim.attach(receipt, **wrong)
    assert kim.acting.store.state.seq == before


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (object(), "of type object"),
        ([[[[[[[[[1]]]]]]]]], "deeper"),
        ("\ud800", "lone surrogate"),
        (float("inf"), "such as NaN"),
        pytest.param(10**5_000, "too long", id="long"),
    ],
)
def test_a_parameter_that_cannot_be_kept_says_what_is_wrong_with_it(
    kim: Session, value: object, told: str
) -> None:
    said(kim, STAGING)
    with pytest.raises(InvalidError, match=told):
        kim.attach(kim.recall("deploy?"), parameters={"given": value})


def test_only_to_a_receipt_that_may_be_read_here(memory: Memory, kim: Session) -> None:
    claim = said(kim, STAGING)
    receipt = kim.recall("deploy?").receipt
    with pytest.raises(NotFoundError):
        memory.session(person="lee").attach(receipt, answer="x")
    with pytest.raises(InvalidError, match="no receipt"):
        kim.attach(claim.id, answer="x")
    off = memory.session(person="kim", off_the_record=True)
    with pytest.raises(RefusedError, match="OFF_THE_RECORD"):
        off.attach(receipt, answer="x")
    kim.pause()
    with pytest.raises(RefusedError, match="PAUSED"):
        kim.attach(receipt, answer="x")


def test_an_agent_attaches_and_does_not_read_the_words(
    memory: Memory, kim: Session, bot: Session
) -> None:
    said(kim, STAGING)
    receipt = answered(bot, "제비꽃처럼 quokkaish 답변").receipt
    (seen,) = bot.why(receipt).answers
    assert (seen.answer, seen.parameters, seen.model) == ("", {}, "m-1")
    assert "quokkaish" not in bot.investigate(receipt).model_dump_json()
    assert kim.why(receipt).answers[0].answer == "제비꽃처럼 quokkaish 답변"
    report = kim.investigate(receipt)
    assert "quokkaish" in report.bundle
    assert verify_raw(report.bundle.encode(), memory.signer.key) == []
    assert verify_raw(bot.investigate(receipt).bundle.encode(), memory.signer.key) == []
    auditor = memory.auditor("park")
    audited = auditor.receipt(receipt)
    assert [one.id for one in audited.attached] == [seen.id]
    assert (
        "quokkaish"
        not in audited.model_dump_json() + auditor.investigate(receipt).model_dump_json()
    )


# --- erasing ---------------------------------------------------------------------------------------------------


def _the_claim(kim: Session, claim: Claim) -> None:
    kim.erase(claim)


def _the_source(kim: Session, claim: Claim) -> None:
    kim.erase(claim.citations[0].id)


def _the_scope(kim: Session, _: Claim) -> None:
    kim.erase_scope()


@pytest.mark.parametrize("way", [_the_claim, _the_source, _the_scope])
def test_an_erasure_takes_the_answer_with_the_receipt(
    quick: Open, memory: Memory, kim: Session, way: Callable[[Session, Claim], None]
) -> None:
    claim = said(kim, CANARY)
    receipt = answered(
        kim, f"제가 알기로 {CANARY}. quokkaparameters", "zanzibarglockenspiel?"
    ).receipt
    kim.attach(receipt, parameters={"prompt": CANARY}, trace="trace-1")
    assert "zanzibarglockenspiel" in all_words(memory.store)

    way(kim, claim)

    left = all_words(memory.store)
    assert "제가 알기로" not in left and "quokkaparameters" not in left
    assert (way is _the_claim) == (
        "zanzibarglockenspiel" in left
    )  # what she said stays where only the claim goes
    if way is not _the_scope:
        assert kim.why("trace-1").receipt == receipt
        assert [one.answer for one in kim.why(receipt).answers] == ["", ""]
        assert kim.why(text="제가 알기로").from_memory is UNKNOWN
        with pytest.raises(RefusedError, match="RECEIPT_DESTROYED"):
            kim.attach(receipt, answer="something else")
    assert findings(memory) == ()
    assert memory.verify(mode="full").findings == ()


def test_an_answer_of_another_day_goes_where_it_repeats_what_is_erased(
    quick: Open, clock: HandClock
) -> None:
    memory = quick("apart", clock=clock)  # with an embedder that has a floor
    kim = memory.session(person="kim")
    claim = said(kim, CANARY)
    clock.move(timedelta(days=3))
    other = answered(kim, f"또 말하지만 {CANARY}는데요.", "tea?")
    kept = answered(kim, "전혀 다른 답", "tea?")
    assert other.evidence == kept.evidence == ()

    source = claim.citations[0].id
    foreseen, erased = kim.erase(source, dry_run=True), kim.erase(source)

    assert foreseen.answers == erased.answers == 1
    assert "zanzibarglockenspiel" not in all_words(memory.store)
    assert kim.why(kept.receipt).answers[0].answer == "전혀 다른 답"


def test_what_was_erased_is_not_attached(memory: Memory, kim: Session, bot: Session) -> None:
    said(kim, STAGING)
    claim = said(kim, CANARY)
    kim.erase(claim.citations[0].id)
    receipt, theirs = kim.recall("deploy?").receipt, bot.recall("deploy?").receipt
    for answer in (
        CANARY,
        f"- first\n- {CANARY}\n- last",
        f"그런데 {CANARY}. 이상입니다.",
        f"as you said, {CANARY} and that is that",
        f"들은 대로예요. {CANARY}지요.",
    ):
        with pytest.raises(RefusedError) as told:
            kim.attach(receipt, answer=answer)
        assert told.value.decision.rule == "SUPPRESSED" and "you erased" in str(told.value)
        with pytest.raises(RefusedError) as unsaid:
            bot.attach(theirs, answer=answer)
        assert unsaid.value.decision.rule == "SUPPRESSED" and "you erased" not in str(unsaid.value)
    with pytest.raises(RefusedError, match="SUPPRESSED"):
        kim.attach(receipt, model="m", parameters={"prompt": CANARY})
    kim.attach(receipt, answer="무엇이든 다른 것")
    assert "zanzibarglockenspiel" not in all_words(memory.store)


PARAMETERS: tuple[dict[str, Any], ...] = (
    {"prompt": "내 말은\nzanzibar glockenspielduck\n끝"},
    {"messages": [{"role": "user", "content": '\tzanzibar glockenspielduck"'}]},
    {"stop": ["zanzibar", "glockenspielduck"]},
    {"zanzibar": "glockenspielduck"},
    {"call": json.dumps({"text": "x\nzanzibar glockenspielduck"})},
    {"call": json.dumps({"text": "사번\n숨겨둔 글로켄슈필오리를 줘"})},
)


@pytest.mark.parametrize("given", PARAMETERS)
def test_what_was_erased_stands_in_no_parameter_however_it_is_written(
    quick: Open, clock: HandClock, given: dict[str, Any]
) -> None:
    memory = quick("apart", clock=clock)
    kim = memory.session(person="kim")
    said(kim, "오늘은 차를 마셨다")
    claims = said(kim, "zanzibar glockenspielduck"), said(kim, "숨겨둔 글로켄슈필오리를 줘")
    receipt = kim.recall("tea?").receipt
    kim.attach(receipt, model="m", parameters=given)
    kim.attach(receipt, model="m", answer=json.dumps(given))

    taken = [kim.erase(claim.citations[0].id).answers for claim in claims]

    assert sorted(taken) == [0, 2]
    left = all_words(memory.store)
    assert "glockenspielduck" not in left and "오리를" not in left and "\\uc624" not in left
    again = kim.recall("tea?").receipt
    with pytest.raises(RefusedError, match="SUPPRESSED"):
        kim.attach(again, model="m", parameters=given)
    kim.attach(again, model="m", parameters={"prompt": "무엇이든\n다른 것", "seeds": [1]})


def test_what_was_let_in_anew_may_be_answered(kim: Session) -> None:
    kim.erase(said(kim, CANARY).citations[0].id)
    source = kim.message(CANARY, anew=True)
    kim.remember(CANARY, kind="stated", sources=[source], anew=True)

    answer = answered(kim, f"네, {CANARY}.", "zanzibarglockenspiel")

    assert kim.why(text=CANARY).receipt == answer.receipt


def test_a_hold_on_the_person_holds_her_answers(memory: Memory, kim: Session) -> None:
    claim = said(kim, CANARY)
    receipt = answered(kim, CANARY, "zanzibarglockenspiel").receipt
    memory.hold(person="kim", reason="the court asked")
    with pytest.raises(RefusedError, match="ON_LEGAL_HOLD"):
        kim.erase(claim)
    assert kim.why(receipt).answers[0].answer == CANARY


def test_an_old_backup_does_not_bring_the_answer_back(kept: Kept) -> None:
    memory = kept.open()
    kim = memory.session(person="kim")
    claim = said(kim, CANARY)
    receipt = answered(kim, f"음, {CANARY}", "zanzibarglockenspiel").receipt
    kept.mirror_keys(memory)
    backup = kept.back_up(memory, "old")
    kim.erase(claim.citations[0].id)
    kept.mirror_keys(memory)
    memory.close()

    kept.restore(backup)

    again = kept.open("restored")
    assert "zanzibarglockenspiel" not in all_words(again.store)
    assert again.session(person="kim").why(receipt).answers[0].answer == ""
    assert again.verify(mode="full").findings == ()


# --- a sentence of an answer -----------------------------------------------------------------------------------

ANSWER = (
    "We deploy to staging on Fridays. 그리고 배포는 매주 금요일 오후에 합니다!\n"
    "You should deploy on some Friday to staging, apollo 팀도요. 담당자 번호는 8839이고, the moon is made of cheese. "
    "회의를 합니다."
)


@pytest.mark.parametrize(
    ("sentence", "verdict", "on"),
    [
        (STAGING, YES, STAGING),
        ("deploy to staging", YES, STAGING),
        ("배포는 매주 금요일", YES, FRIDAY),
        ("배포는 매주 금요일 오후에 합니다! You should", YES, FRIDAY),
        ("You should deploy on some Friday to staging, apollo 팀도요", MAYBE, STAGING),
        ("담당자 번호는 8839", MAYBE, "담당자의 연락 번호: 8839"),
        ("the moon is made of cheese", NO, ""),
        ("회의를 합니다", NO, ""),
    ],
)
def test_a_sentence_is_traced_to_what_it_rests_on(
    kim: Session, sentence: str, verdict: FromMemory, on: str
) -> None:
    claims = {text: said(kim, text) for text in (STAGING, FRIDAY, "담당자의 연락 번호: 8839")}
    answer = answered(kim, ANSWER)

    found = kim.why(text=sentence)

    assert (found.from_memory, found.receipt) == (verdict, answer.receipt)
    assert [one.claim.id for one in found.lines[:1]] == ([claims[on].id] if on else [])
    for line in found.lines:
        assert line.from_memory in (YES, MAYBE) and line.shared and line.path
        assert {one.code for one in line.shared} <= {"word for word", "same words", "same number"}
        assert all(0 < one.score <= 1 for one in line.shared if one.code == "same words")
    assert found.looked is not None and (found.looked.receipts, found.looked.answers) == (1, 1)


def test_not_from_memory_is_not_could_not_look(kim: Session, clock: HandClock) -> None:
    said(kim, STAGING)
    day = clock().date()
    assert kim.why(text="nothing").from_memory is UNKNOWN  # no recall at all
    bare = kim.recall("deploy?")
    nothing = kim.why(text="nothing", around=day)
    assert nothing.from_memory is UNKNOWN and "no answer" in nothing.notes[0]
    answered(kim, "an answer")
    part = kim.why(text="nothing")
    assert part.from_memory is UNKNOWN and "1 recalls have none" in part.notes[0]
    kim.attach(bare, answer="another")
    whole = kim.why(text="nothing")
    assert whole.from_memory is NO and whole.looked is not None
    assert (whole.looked.receipts, whole.looked.answers, whole.lines) == (2, 2, ())


def test_a_claim_whose_words_are_gone_leaves_it_open(kim: Session, clock: HandClock) -> None:
    source = kim.message(STAGING)
    claim = kim.remember(STAGING, kind="stated", sources=[source])
    kim.revoke(source)
    assert claim.standing is Standing.ACTIVE
    kim.give_back(source)
    answered(kim, "everything waits, 모두 기다린다")
    kim.revoke(source)

    found = kim.why(text="everything waits")

    assert found.from_memory is UNKNOWN and STAGING not in found.model_dump_json()


def test_it_is_looked_for_around_a_day_the_nearest_first(kim: Session, clock: HandClock) -> None:
    said(kim, STAGING)
    first = answered(kim, f"{STAGING} 첫째")
    day = clock().date()
    clock.move(timedelta(days=2))
    second = answered(kim, f"{STAGING} 둘째")
    clock.move(timedelta(days=30))

    assert kim.why(text=STAGING).from_memory is UNKNOWN
    assert kim.why(text=STAGING, around=day).receipt == first.receipt
    late = kim.why(text=STAGING, around=day + timedelta(days=2))
    assert late.receipt == second.receipt and first.receipt in late.notes[-1]
    at = datetime(day.year, day.month, day.day, 23, tzinfo=UTC) + timedelta(days=1)
    assert kim.why(text=STAGING, around=at).receipt == second.receipt
    assert kim.why(text="첫째", around=day + timedelta(days=4)).from_memory is NO
    assert kim.why(text="첫째", around=day + timedelta(days=3)).receipt == first.receipt
    for wrong in ("2026-03-02", 7, datetime(2026, 3, 2)):  # noqa: DTZ001
        with pytest.raises(InvalidError):
            kim.why(text="x", around=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidError):
        kim.why(text="x", around=date(1, 1, 1))


def test_of_two_recalls_one_answer_was_made_of_the_one_that_gave_it_is_told(kim: Session) -> None:
    claim = said(kim, STAGING)
    given = answered(kim, f"{STAGING} 끝")
    kim.mute(claim)
    other = answered(kim, f"{STAGING} 끝")
    kim.unmute(claim)

    found = kim.why(text=STAGING)

    assert (found.receipt, found.from_memory) == (given.receipt, YES)
    assert other.receipt in found.notes[-1]


def test_nobody_else_finds_the_sentence_and_an_agent_not_what_is_muted(
    memory: Memory, kim: Session, bot: Session
) -> None:
    claim = said(kim, STAGING)
    answered(bot, STAGING)
    lee, other = memory.session(person="lee"), memory.session(person="nobody")
    for stranger in (lee, other):
        found = stranger.why(text=STAGING)
        assert (found.from_memory, found.lines, found.receipt) == (UNKNOWN, (), "")
        assert found.looked is not None and found.looked.receipts == 0
    assert bot.why(text=STAGING).from_memory is YES
    kim.mute(claim)
    hidden = bot.why(text=STAGING)
    assert hidden.from_memory is UNKNOWN and hidden.looked is not None
    assert hidden.looked.receipts == 0
    assert kim.why(text=STAGING).from_memory is YES


def test_an_agent_reads_no_question_that_speaks_of_what_is_muted(
    kim: Session, bot: Session
) -> None:
    said(kim, "차를 좋아한다. tea")
    before = bot.recall("tea").receipt
    asked = kim.recall(
        "zebraclinic은 tea 괜찮나?", present={"illness": "zebraclinic"}, need="zebraclinic 예약"
    ).receipt
    kim.attach(asked, answer="zebraclinic 다음 날", model="zebraclinic-7b", trace="zebraclinic-1")
    held = bot.why(text="zebraclinic 다음 날").receipt
    kim.mute(theme="zebraclinic")

    theirs = (
        bot.why(asked),
        bot.why("zebraclinic-1"),
        bot.compare(before, asked),
        bot.replay(asked),
        bot.investigate(asked),
    )

    assert held == asked and "zebraclinic" not in repr(theirs)
    told = [bot.why(text=text) for text in ("zebraclinic 다음 날", "zebraclinic 아무 날도")]
    assert {(one.receipt, one.from_memory, one.notes) for one in told} == {
        ("", UNKNOWN, told[0].notes)
    }
    assert "zebraclinic" in kim.why(asked).question and kim.why(text="다음 날").receipt == asked
    assert kim.compare(before, asked).second.present == {"illness": "zebraclinic"}
    assert any("zebraclinic" in note for note in kim.replay(asked).notes)


def test_what_is_asked_wrong_says_the_way_out(kim: Session) -> None:
    claim = said(kim, STAGING)
    wrongs: tuple[Callable[[], object], ...] = (
        lambda: kim.why(),
        lambda: kim.why(claim, text="x"),
        lambda: kim.why(text="…!"),
        lambda: kim.why(claim, around=date(2026, 3, 2)),
        lambda: kim.why(text="x", line=2),
    )
    for wrong in wrongs:
        with pytest.raises(InvalidError):
            wrong()


def test_a_trace_id_names_its_receipts(memory: Memory, kim: Session, clock: HandClock) -> None:
    said(kim, STAGING)
    first = kim.recall("deploy?")
    kim.attach(first, trace="추적-1")
    clock.move(timedelta(hours=1))
    second = kim.recall("deploy?")
    kim.attach(second, trace="추적-1", answer="x")

    found = kim.why("추적-1")
    assert found.receipt == second.receipt and first.receipt in found.notes[-1]
    assert [one.claim.words for one in found.lines] == [STAGING]
    lee = memory.session(person="lee")
    answers = []
    for name in ("추적-1", "추적-2"):
        with pytest.raises(NotFoundError) as unknown:
            lee.why(name)
        answers.append(str(unknown.value).replace(name, ""))
    assert answers[0] == answers[1]


def test_a_store_opened_read_only_explains_the_same(
    quick: Open, memory: Memory, kim: Session, clock: HandClock
) -> None:
    claim = said(kim, STAGING)
    receipt = answered(kim, STAGING).receipt
    kim.attach(receipt, trace="trace-1")
    asked: tuple[Callable[[Session], object], ...] = (
        lambda one: one.why(text=STAGING),
        lambda one: one.why("trace-1"),
        lambda one: one.why_not(claim, receipt),
        lambda one: one.compare(receipt, receipt),
    )
    before = [ask(kim) for ask in asked]
    memory.close()

    again = quick(clock=clock, embedder=flat_embedder(), read_only=True).session(person="kim")

    assert [ask(again) for ask in asked] == before
    with pytest.raises(MunimentError):
        again.attach(receipt, answer="x")


# --- which step dropped it -------------------------------------------------------------------------------------


def test_each_step_is_told(memory: Memory, clock: HandClock) -> None:
    kim = memory.session(person="kim")
    apollo = memory.session(person="kim", project="apollo")
    given = said(kim, "zanzibar 배포 하나")
    retracted = said(kim, "zanzibar 배포 둘")
    over = said(kim, "zanzibar 배포 셋 with many other words besides")
    far = said(kim, "전혀 다른 이야기")
    elsewhere = said(apollo, "zanzibar 배포 apollo")
    task = kim.task("zanzibar 보고서")
    gone = said(kim, "zanzibar 고래 다섯 마리가 배를 따라왔다")
    kim.retract(retracted)
    answer = kim.recall("zanzibar 배포 하나", limit=1)
    assert [one.claim.id for one in answer.evidence] == [given.id]
    later = said(kim, "zanzibar 배포 여섯")
    kim.reinstate(retracted.id, version=2, sources=[kim.message("zanzibar 배포 둘")])
    kim.retract(over)
    kim.erase(gone)

    def step(session: Session, claim: Claim) -> tuple[RecallStep, str]:
        found = session.why_not(claim, answer)
        return found.step, found.rule

    assert step(kim, given) == (RecallStep.GIVEN, "")
    assert step(kim, retracted) == (RecallStep.HELD_BACK, "RETRACTED")
    assert step(kim, over) == (RecallStep.OVER_LIMIT, "OVER_LIMIT")
    assert step(kim, task)[0] is RecallStep.NO_MEMORY
    assert step(kim, later)[0] is RecallStep.NOT_YET
    assert step(apollo, elsewhere)[0] is RecallStep.OUT_OF_SCOPE
    assert kim.why_not(gone.id, answer).step is RecallStep.ERASED
    assert kim.why_not(retracted, answer).stood is Standing.RETRACTED
    assert kim.why_not(over, answer).stood is Standing.ACTIVE
    assert step(kim, far)[0] in (RecallStep.NOT_FOUND, RecallStep.OVER_LIMIT)
    assert kim.why_not(given, answer).place == 1


def test_what_the_search_did_not_propose_is_not_found(quick: Open) -> None:
    kim = quick().session(person="kim")  # an embedder with a floor
    near, far = said(kim, "zanzibar 배포"), said(kim, "고양이는 자요")
    answer = kim.recall("zanzibar")
    assert [one.claim.id for one in answer.evidence] == [near.id]

    found = kim.why_not(far, answer)

    assert (found.step, found.stood) == (RecallStep.NOT_FOUND, Standing.ACTIVE)
    assert any(note.startswith("searched: ") for note in found.notes)


def test_unknown_and_not_for_you_answer_alike(memory: Memory, kim: Session) -> None:
    mine, answer = said(kim, STAGING), kim.recall("deploy?")
    lee = memory.session(person="lee")
    theirs, other = said(lee, "lee's own"), lee.recall("lee?")
    told = set[str]()
    for claim, receipt in (
        (theirs.id, answer.receipt),
        ("no-such-thing", answer.receipt),
        (mine.id, other.receipt),
        (mine.id, "no-such-thing"),
    ):
        with pytest.raises(NotFoundError) as unknown:
            kim.why_not(claim, receipt)
        missing = receipt if claim == mine.id else claim
        told.add(str(unknown.value).replace(missing, ""))
        with pytest.raises(NotFoundError):
            kim.compare(answer, other)
    assert len(told) == 1


def test_an_agent_does_not_learn_which_are_withheld(kim: Session, bot: Session) -> None:
    given, retracted = said(kim, "zanzibar 배포 하나"), said(kim, "zanzibar 배포 둘")
    far, muted = said(kim, "전혀 다른 이야기"), said(kim, "zanzibar 배포 셋")
    kim.retract(retracted)
    kim.mute(muted)
    answer = bot.recall("zanzibar 배포 하나", limit=1)
    assert bot.why_not(given, answer).step is RecallStep.GIVEN

    told = [bot.why_not(claim, answer) for claim in (retracted, far)]

    assert [(one.step, one.rule, one.stood, one.notes) for one in told] == [
        (RecallStep.NOT_GIVEN, "", None, ())
    ] * 2
    with pytest.raises(RefusedError, match="MUTED"):
        bot.why_not(muted, answer)
    assert kim.why_not(muted, answer).rule == "MUTED"


# --- two receipts ----------------------------------------------------------------------------------------------


def test_two_receipts_are_compared(kim: Session, bot: Session, clock: HandClock) -> None:
    stays, goes = said(kim, "zanzibar 배포 하나"), said(kim, "zanzibar 배포 둘")
    first = kim.recall("zanzibar 배포?")
    kim.retract(goes)
    kim.confirm(stays)
    new = said(kim, "zanzibar 배포 셋")
    second = kim.recall("zanzibar 배포?", present={"요일": "금요일"}, purpose="personalise")

    found = kim.compare(first, second)

    assert set(found.same) == {"question", "tools", "task", "connect", "policy"}
    assert set(found.differs) == {"purpose", "present"} and found.unknown == ()
    by = {one.claim: one for one in found.claims}
    assert "version" in by[stays.id].differs and by[stays.id].why_not is None
    only_first, only_second = by[goes.id].why_not, by[new.id].why_not
    assert only_first is not None and only_second is not None
    assert (by[goes.id].second, only_first.rule, only_first.receipt) == (
        None,
        "RETRACTED",
        second.receipt,
    )
    assert (by[new.id].first, only_second.step) == (None, RecallStep.NOT_YET)
    assert [(one.rule, one.first, one.second) for one in found.withheld] == [("RETRACTED", 0, 1)]
    theirs = {one.claim: one for one in bot.compare(first, second).claims}
    unsaid = theirs[goes.id].why_not
    assert unsaid is not None and (unsaid.step, unsaid.rule) == (RecallStep.NOT_GIVEN, "")
    same = kim.compare(first, first)
    assert same.differs == () and all(not one.differs for one in same.claims)
    told = kim.recall("zanzibar 배포 하나", task="보고서", connect=True)
    assert set(kim.compare(told, kim.recall("zanzibar 배포 하나")).differs) == {"task", "connect"}

    kim.erase(kim.claim(stays.id))
    gone = kim.compare(first, second)
    assert set(gone.unknown) == {"question", "present", "tools", "task", "connect"}
    assert "zanzibar 배포 하나" not in json.dumps(gone.model_dump(mode="json"), ensure_ascii=False)
