"""R06: every recall leaves a receipt; why explains each line made of it, replay gives the same evidence as of then."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from muniment import (
    Answer,
    Claim,
    ErasedError,
    FromMemory,
    InvalidError,
    Memory,
    NotFoundError,
    Session,
)
from muniment.claims import Purpose
from muniment.lineage import write_receipt
from muniment.policy import decide
from muniment.testing import HandClock, findings, flat_embedder

Open = Callable[..., Memory]


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def memory(quick: Open, clock: HandClock) -> Memory:
    return quick(clock=clock, embedder=flat_embedder())


@pytest.fixture
def kim(memory: Memory) -> Session:
    return memory.session(person="kim")


def said(session: Session, text: str, **more: Any) -> Claim:
    return session.remember(text, kind="stated", sources=[session.message(text)], **more)


def with_prompt(session: Session, given: list[Claim], prompt: list[tuple[int, str]]) -> str:
    """Write a receipt that gave these claims and fed a prompt of these lines."""
    acting, store = session.acting, session.acting.store
    with store.group():
        header = write_receipt(
            store,
            decide("READABLE"),
            acting.writer(),
            purpose=Purpose.ANSWER,
            scope=store.names.register_scope(acting.claims_scope()),
            given=[(one.id, one.version, "applicable") for one in given],  # type: ignore[misc]
            known=store.state.seq,
            moment=acting.now(),
            words={
                "question": "?",
                "present": {},
                "searched": 1,
                "notes": [],
                "withheld": {},
                "prompt": [list(line) for line in prompt],
                "evidence": [
                    {"claim": one.id, "score": 0, "reasons": [], "rules": []} for one in given
                ],
            },
        )
    return header.id


def shown(answer: Answer) -> list[tuple[str, int, str]]:
    return [(one.claim.id, one.claim.version, one.claim.words) for one in answer.evidence]


def replayed(session: Session, receipt: str) -> list[tuple[str, int, str]]:
    lines = session.replay(receipt).lines
    return [(one.id, one.version, one.claim.words if one.claim else "") for one in lines]


def test_what_comes_later_changes_no_evidence_of_then(
    kim: Session, clock: HandClock, memory: Memory
) -> None:
    wrong, moved, stays = (
        said(kim, "배포 환경은 스테이징이다."),
        said(kim, "kim lives in Lyon"),
        said(kim, "회의는 월요일 at nine"),
    )
    answer = kim.recall("배포 환경, lives, 회의")
    then = shown(answer)
    assert {one for one, *_ in then} == {wrong.id, moved.id, stays.id}
    clock.move(timedelta(days=2))

    kim.correct(
        wrong, "배포 환경은 프로덕션이다.", sources=[kim.message("배포 환경은 프로덕션이다.")]
    )
    assert replayed(kim, answer.receipt) == then
    kim.supersede(moved, "kim lives in 서울", sources=[kim.message("kim lives in 서울")])
    assert replayed(kim, answer.receipt) == then
    said(kim, "배포는 월요일 회의 뒤에 한다")
    kim.recall("another")
    assert replayed(kim, answer.receipt) == then

    kim.erase(stays)
    left = [(claim, version, words if claim != stays.id else "") for claim, version, words in then]
    assert replayed(kim, answer.receipt) == left
    memory.store.rebuild()
    assert replayed(kim, answer.receipt) == left
    assert findings(memory) == ()


def test_every_recall_leaves_one_and_it_is_of_its_reader(memory: Memory, kim: Session) -> None:
    said(kim, "a canary of kim")
    receipts = {kim.recall(question).receipt for question in ("canary", "없는 것", "canary")}
    assert len(receipts) == 3 and "" not in receipts
    lee = memory.session(person="lee")
    for one in (*receipts, "no such receipt"):
        attempts: tuple[Callable[[str], object], ...] = (
            lee.why,
            lee.replay,
            lambda it: lee.attach(it, answer="x"),
        )
        for attempt in attempts:
            with pytest.raises(NotFoundError) as unknown:
                attempt(one)
            assert str(unknown.value).replace(one, "") == (
                "there is no '' here; look it up with `muniment claims` or recall"
            )


def test_each_line_of_a_prompt_is_explained(memory: Memory, kim: Session) -> None:
    first, second = said(kim, "배포는 금요일"), said(kim, "deploys go to staging")
    block = kim.message("저를 민지라고 불러 주세요")
    earlier = said(kim, "기억된 앞선 말")
    lines = [(2, block.id), (4, first.id), (5, second.id), (6, earlier.id)]
    receipt = with_prompt(kim, [first, second], lines)

    for line, claim in ((4, first), (5, second), (6, earlier)):
        found = kim.why(receipt, line=line)
        assert found.from_memory is FromMemory.YES
        assert [one.claim.id for one in found.lines] == [claim.id]
        assert found.lines[0].path[0].citation.quote == claim.words
    of_block = kim.why(receipt, line=2)
    assert (of_block.from_memory, of_block.lines) == (FromMemory.YES, ())
    assert block.id in of_block.notes[-1]
    for own in (1, 3, 99):
        assert kim.why(receipt, line=own).from_memory is FromMemory.NO
    plain = kim.why(kim.recall("배포"), line=1)
    assert plain.from_memory is FromMemory.UNKNOWN and "no prompt" in plain.notes[-1]
    assert kim.why_not(first, receipt).line == 4

    kim.erase(first)
    gone = kim.why(receipt, line=5)
    assert (gone.from_memory, gone.lines) == (FromMemory.UNKNOWN, ())
    with pytest.raises(InvalidError, match="line"):
        kim.why(second, line=1)
    with pytest.raises(InvalidError, match="line"):
        kim.why(receipt, line=-1)
    with pytest.raises(InvalidError, match="not both"):
        kim.why(receipt, line=5, claim=second)


def test_a_claim_that_was_given_and_is_not_in_the_prompt_is_said_so(kim: Session) -> None:
    first, second = said(kim, "배포는 금요일"), said(kim, "deploys go to staging")
    receipt = with_prompt(kim, [first, second], [(1, first.id)])

    found = kim.why_not(second, receipt)

    assert (found.step, found.place, found.line) == ("given, not in the prompt", 2, 0)


def test_an_erased_claim_is_explained_to_nobody(kim: Session) -> None:
    claim = said(kim, "a canary of kim")
    receipt = kim.recall("canary").receipt
    kim.erase(claim)

    assert kim.why(receipt).lines == ()
    with pytest.raises(ErasedError):
        kim.why(claim.id)
