"""C07: a correction reaches everything that rests on what was corrected, in the same write."""

import json
import shutil
from collections.abc import Callable

import pytest

from muniment import (
    Claim,
    Consequences,
    InvalidError,
    Memory,
    NotFoundError,
    RefusedError,
    Session,
    Survivor,
)

STAGING, PRODUCTION = "배포 환경은 staging이다", "배포 환경은 production이다"


def chain(memory: Memory, person: str) -> tuple[Session, list[Claim]]:
    """Return the example of document 003 three derivations deep: what was said, S1, and what was made of that."""
    kim, bot = memory.session(person=person), memory.session(person=person, agent="bot")
    said = kim.message(STAGING)
    made = [kim.remember(STAGING, kind="stated", category="decision", sources=[said])]
    for text in (
        "요약: staging에 배포한다",
        "릴리스 노트는 staging 주소를 쓴다",
        "알림도 staging으로",
    ):
        made.append(bot.remember(text, sources=[made[-1]]))
    return kim, made


def words(session: Session, question: str, purpose: str = "answer") -> list[str]:
    """Return what a recall gives."""
    return [item.claim.words for item in session.recall(question, purpose=purpose).evidence]


def replace(kim: Session, verb: str, old: Claim) -> Claim:
    """Correct or supersede."""
    said = kim.message(PRODUCTION)
    if verb == "correct":
        return kim.correct(old, PRODUCTION, sources=[said], reason="말이 틀렸음")
    return kim.supersede(old, PRODUCTION, sources=[said], reason="옮겼음")


@pytest.mark.parametrize(
    ("verb", "standing"), [("correct", "corrected"), ("supersede", "superseded")]
)
def test_staging_to_production_three_derivations_deep(
    memory: Memory, who: str, verb: str, standing: str
) -> None:
    kim, made = chain(memory, who)
    assert len(words(kim, "배포 환경은 staging 인가")) == 4

    new = replace(kim, verb, made[0])

    assert [kim.claim(one.id).standing for one in made] == [standing, "stale", "stale", "stale"]
    for question in ("배포 환경은 staging 인가", "staging", "릴리스 노트 주소", "알림"):
        for purpose in ("answer", "act", "personalise", "instruct"):
            assert set(words(kim, question, purpose)) <= {new.words}
    assert words(kim, "배포 환경") == [PRODUCTION]
    change = kim.history(made[0])[-1]
    assert (change.verb, change.lost, change.other) == (verb, 3, new.id)


def test_stale_claims_are_counted_with_the_rule_and_never_shown(memory: Memory, who: str) -> None:
    kim, made = chain(memory, who)
    replace(kim, "correct", made[0])

    answer = kim.recall("staging 배포 요약")

    held = {item.rule: item.count for item in answer.withheld}
    assert held["CORRECTED"] == 1 and held["STALE"] >= 1
    assert "anew" in next(item.reason for item in answer.withheld if item.rule == "STALE")


@pytest.mark.parametrize("verb", ["correct", "supersede"])
def test_nothing_new_can_be_built_on_it_and_count_as_fresh(
    memory: Memory, who: str, verb: str
) -> None:
    kim, made = chain(memory, who)
    replace(kim, verb, made[0])
    bot = memory.session(person=who, agent="bot")

    late = bot.remember("그러니 staging에서 시험한다", sources=[made[2]])

    assert late.standing == "stale"
    assert "그러니 staging에서 시험한다" not in words(kim, "시험")


def test_what_rests_on_something_else_too_survives(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = [kim.message(STAGING), kim.message("staging이 맞다고 위키에 있더라")]
    old = kim.remember(STAGING, kind="stated", sources=[said[0]])
    other = kim.remember("staging이 맞다고", kind="stated", sources=[said[1]])
    summary = bot.remember("둘 다 staging이라고 한다", sources=[old])
    bot.remember("둘 다 staging이라고 한다", sources=[other])

    replace(kim, "correct", old)

    assert kim.claim(summary.id).standing == "active"
    assert kim.history(old)[-1].rescued == 1


def test_regenerated_from_what_stands_now_it_is_evidence_again(memory: Memory, who: str) -> None:
    kim, made = chain(memory, who)
    new = replace(kim, "correct", made[0])
    bot = memory.session(person=who, agent="bot")

    anew = bot.remember("요약: production에 배포한다", sources=[new])

    assert anew.standing == "active"
    assert "요약: production에 배포한다" in words(kim, "배포 요약")


def test_retracting_takes_everything_built_on_it_along(memory: Memory, who: str) -> None:
    kim, made = chain(memory, who)

    kim.retract(made[1], reason="요약이 틀림")

    assert [kim.claim(one.id).standing for one in made] == ["active", "retracted", "stale", "stale"]
    assert words(kim, "staging 릴리스 알림 요약 배포") == [STAGING]


@pytest.mark.parametrize("verb", ["correct", "supersede"])
def test_summary_index_row_and_receipt_are_reached_in_one_write(
    quick: Callable[..., Memory], verb: str
) -> None:
    memory = quick()
    kim, made = chain(memory, "kim")
    summary = memory.session(person="kim", agent="bot").remember(
        "오늘 한 일: staging 배포와 알림을 정리했다", sources=[made[1], made[3]]
    )
    made.append(summary)
    answer = kim.recall("배포 환경은 staging 인가, 오늘 한 일은?", limit=20)
    assert {item.claim.id for item in answer.evidence} == {one.id for one in made}
    before = memory.store.state.seq

    new = replace(kim, verb, made[0])

    written = [memory.store.header(seq).op for seq in range(before + 1, memory.store.state.seq + 1)]
    assert written == ["source", "claim", "change"], "what was lost is part of the change itself"
    assert {item.claim.id for item in kim.stale()} == {one.id for one in made[1:]}
    assert memory.index(None) >= 0 and set(words(kim, "오늘 한 일 staging 알림")) <= {new.words}
    ended = "CORRECTED" if verb == "correct" else "SUPERSEDED"
    differs = {line.id: line.today[0].code for line in kim.replay(answer).lines}
    assert differs == {made[0].id: ended, **{one.id: "STALE" for one in made[1:]}}
    assert {line.claim.standing for line in kim.why(answer.receipt).lines} == {
        {"CORRECTED": "corrected", "SUPERSEDED": "superseded"}[ended],
        "stale",
    }
    memory.close()
    for derived in memory.store.folder.glob("lineage.duckdb*"):
        derived.unlink()
    shutil.rmtree(memory.store.folder / "index.lance")

    kim = quick().session(person="kim")
    assert [kim.claim(one.id).standing for one in made[1:]] == ["stale"] * 4
    assert set(words(kim, "오늘 한 일 staging 알림")) <= {new.words}
    anew = kim.regenerate(kim.claim(summary.id), "오늘 한 일: production 배포", sources=[new])
    assert anew.words in words(kim, "오늘 한 일")


def test_a_corrected_claim_cannot_be_changed_again(memory: Memory, who: str) -> None:
    kim, made = chain(memory, who)
    replace(kim, "correct", made[0])

    with pytest.raises(RefusedError, match="NOT_CURRENT"):
        kim.retract(kim.claim(made[0].id))


def test_the_difference_between_wrong_and_past(memory: Memory, who: str) -> None:
    kim, made = chain(memory, f"{who} 1")
    replace(kim, "correct", made[0])
    lee, also = chain(memory, f"{who} 2")
    replace(lee, "supersede", also[0])

    assert kim.claim(made[0].id).valid_to is None, "it was never true"
    assert lee.claim(also[0].id).valid_to is not None, "it was true until then"


@pytest.mark.parametrize("verb", ["correct", "supersede", "retract"])
def test_the_same_holds_after_reopening_and_rebuilding(
    quick: Callable[..., Memory], verb: str
) -> None:
    memory = quick()
    kim, made = chain(memory, "kim")
    if verb == "retract":
        kim.retract(made[0])
    else:
        replace(kim, verb, made[0])
    before = [kim.claim(one.id) for one in made]
    memory.close()

    again = quick()
    kim = again.session(person="kim")
    assert [kim.claim(one.id) for one in made] == before
    assert again.rebuild() and [kim.claim(one.id) for one in made] == before
    assert not [text for text in words(kim, "staging") if "staging" in text]


def test_a_correction_after_reopening_reaches_what_was_derived_before(
    quick: Callable[..., Memory],
) -> None:
    memory = quick()
    _, made = chain(memory, "kim")
    memory.close()

    kim = quick().session(person="kim")
    replace(kim, "correct", kim.claim(made[0].id))

    assert [kim.claim(one.id).standing for one in made] == ["corrected", "stale", "stale", "stale"]


def test_an_export_says_of_each_line_how_it_stands(memory: Memory, who: str) -> None:
    kim, made = chain(memory, who)
    replace(kim, "correct", made[0])

    standings = {
        given["id"]: given["standing"]
        for given in map(json.loads, kim.export())
        if given["type"] == "claim"
    }

    assert [standings[one.id] for one in made] == ["corrected", "stale", "stale", "stale"]


@pytest.mark.parametrize("verb", ["correct", "supersede", "retract"])
def test_a_discarded_value_does_not_come_back_from_the_message_it_was_made_from(
    memory: Memory, who: str, verb: str
) -> None:
    kim, made = chain(memory, who)
    said = made[0].citations[0].id
    if verb == "retract":
        kim.retract(made[0])
    else:
        replace(kim, verb, made[0])

    with pytest.raises(RefusedError, match="WITHDRAWN"):
        memory.session(person=who, agent="bot").remember(STAGING, kind="stated", sources=[said])

    assert STAGING not in words(kim, "배포 환경")


def test_a_correction_made_in_one_project_leaves_no_hole_in_the_others(
    memory: Memory, who: str
) -> None:
    kim, made = chain(memory, who)
    narrow = memory.session(person=who, project="apollo")
    said = narrow.message(PRODUCTION)

    narrow.correct(made[0], PRODUCTION, sources=[said])

    assert words(kim, "배포 환경") in ([PRODUCTION], [STAGING])
    assert kim.claim(kim.claim(made[0].id).replaced_by).words == PRODUCTION


def test_who_changes_a_claim_sees_at_once_what_was_lost_stale_and_rescued(
    memory: Memory, who: str
) -> None:
    kim, made = chain(memory, who)
    bot = memory.session(person=who, agent="bot")
    other = kim.message("We run it on staging, says the log")
    held = kim.remember(other.text, kind="stated", sources=[other])
    kept = bot.remember("둘 다 staging이라 한다", sources=[made[0]])
    bot.remember("둘 다 staging이라 한다", sources=[held])
    assert kim.consequences(made[0]) == Consequences()

    replace(kim, "supersede", made[0])

    after = kim.consequences(made[0])
    assert after.stale == tuple(one.id for one in made[1:]) and not after.lost
    assert after.rescued == (Survivor(claim=kept.id, by=(held.id,)),)

    kim.retract(held, reason="로그를 잘못 읽음", code="misread")

    assert kim.history(held)[-1].code == "misread"
    assert kim.history(held)[-1].reason == "로그를 잘못 읽음"
    gone = kim.consequences(held)
    assert (gone.lost, gone.stale, gone.rescued) == ((), (kept.id,), ())
    with pytest.raises(InvalidError, match="mistaken"):
        kim.retract(made[1], code="because")


def test_consequences_name_nothing_of_another_scope(memory: Memory, who: str) -> None:
    kim = memory.session(person=who, channel="ops")
    park = memory.session(person="park", channel="ops")
    said = kim.message("We deploy on 금요일")
    mine = kim.remember(said.text, kind="stated", sources=[said])
    with pytest.raises(NotFoundError):
        park.consequences(mine)
    assert kim.consequences(mine) == Consequences()


@pytest.mark.parametrize(
    "said",
    [
        "We deploy to staging on Fridays at noon.",
        "금요일 정오에 스테이징으로 배포합니다 늘 그렇게.",
    ],
)
def test_what_says_it_again_by_itself_is_named(said: str, quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    claim = kim.remember(said, kind="stated", sources=[kim.message(said)])
    bot.recall("Fridays 금요일")
    report = bot.document(f"Report. {said} That is all.", origin="https://wiki.example")
    drawn = bot.remember(said, kind="external", sources=[report])
    before = kim.consequences(claim).repeated

    kim.retract(claim)

    assert before == ()
    assert kim.consequences(claim).repeated == (report.id,)
    assert kim.claim(drawn.id).standing == "active"
    kim.revoke(report)
    assert kim.consequences(claim).repeated == ()
