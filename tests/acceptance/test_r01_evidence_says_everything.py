"""R01: a recall returns evidence: the claim, its sources with quotes, and why, how and by which rules it came."""

from datetime import UTC, datetime

import pytest

from muniment import Answer, Evidence, Memory, Session


@pytest.fixture(scope="module")
def kim(memory: Memory) -> Session:
    """Return a person of whom the store keeps one claim of each sort."""
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("배포는 매주 금요일에 한다. 절대로 월요일에 배포하지 마.")
    kim.remember(
        "절대로 월요일에 배포하지 마", kind="stated", category="constraint", sources=[said]
    )
    kim.remember("배포는 매주 금요일에 한다", kind="stated", category="decision", sources=[said])
    result = kim.tool_result("deploy_status", {"environment": "staging"})
    kim.remember("배포 환경", kind="observed", field="environment", sources=[result])
    bot.remember("배포를 자주 하는 팀이다", sources=[said])
    page = kim.document("배포는 매일 하는 것이 좋다.", origin="https://blog.example/deploy")
    kim.remember("배포는 매일 하는 것이 좋다", kind="external", sources=[page])
    return kim


def by_words(answer: Answer) -> dict[str, Evidence]:
    """Return the evidence by what it says."""
    return {item.claim.words: item for item in answer.evidence}


def test_each_sort_says_how_it_may_be_used(kim: Session) -> None:
    found = by_words(kim.recall("배포"))

    assert {words: (item.claim.kind.value, item.use.value) for words, item in found.items()} == {
        "절대로 월요일에 배포하지 마": ("stated", "directive"),
        "배포는 매주 금요일에 한다": ("stated", "applicable"),
        "environment: staging": ("observed", "applicable"),
        "배포를 자주 하는 팀이다": ("inferred", "background"),
        "배포는 매일 하는 것이 좋다": ("external", "background"),
    }


def test_every_claim_comes_with_its_sources_and_their_words(kim: Session) -> None:
    for item in kim.recall("배포").evidence:
        assert item.claim.citations
        for citation in item.claim.citations:
            assert citation.id and citation.author and citation.recorded_at.tzinfo is UTC
            if item.claim.quote:
                assert citation.quote == item.claim.quote
                text = kim.source(citation.id).text
                assert text[citation.start : citation.end] == citation.quote


def test_every_reason_has_a_code_and_the_searched_ones_a_score(kim: Session) -> None:
    found = by_words(kim.recall("배포는 언제 하지"))

    for item in found.values():
        assert item.reasons and all(reason.code for reason in item.reasons)
        searched = [one for one in item.reasons if one.code in ("keyword", "semantic")]
        assert all(isinstance(one.score, float) for one in searched)
    friday = [reason.code for reason in found["배포는 매주 금요일에 한다"].reasons]
    assert friday == ["keyword", "semantic", "authored by you"]
    assert found["절대로 월요일에 배포하지 마"].reasons[0].code == "always-on"


def test_freshness_approval_origins_and_rules_are_said(kim: Session) -> None:
    found = by_words(kim.recall("배포"))

    assert {item.freshness for item in found.values()} == {"fresh"}
    assert {words for words, item in found.items() if item.approval == "said by the person"} == {
        "절대로 월요일에 배포하지 마",
        "배포는 매주 금요일에 한다",
    }
    assert {item.origins_count for item in found.values()} == {1}
    assert {item.rules for item in found.values()} == {("SCOPE", "READABLE")}


def test_the_best_comes_first(kim: Session) -> None:
    scores = [item.score for item in kim.recall("배포는 금요일에 하나").evidence]

    assert scores == sorted(scores, reverse=True)
    first = next(
        item
        for item in kim.recall("배포는 금요일에 하나").evidence
        if item.reasons[0].code != "always-on"
    )
    assert first.claim.words == "배포는 매주 금요일에 한다"


@pytest.mark.parametrize(
    ("purpose", "count"), [("answer", 5), ("personalise", 4), ("act", 5), ("instruct", 1)]
)
def test_the_purpose_decides_what_may_come(kim: Session, purpose: str, count: int) -> None:
    answer = kim.recall("배포", purpose=purpose)

    assert (answer.purpose.value, len(answer.evidence)) == (purpose, count)
    assert sum(item.count for item in answer.withheld) == 5 - count
    assert all(item.rule and item.reason for item in answer.withheld)
    if purpose == "instruct":
        assert answer.evidence[0].use == "directive"


def test_what_did_not_fit_is_counted(kim: Session) -> None:
    answer = kim.recall("배포", limit=2)

    assert len(answer.evidence) == 2
    assert [("OVER_LIMIT", 3)] == [(item.rule, item.count) for item in answer.withheld]


def test_the_answer_leaves_a_receipt_that_explains_it_later(kim: Session) -> None:
    answer = kim.recall("배포는 언제 하지", purpose="act")

    told = kim.why(answer.receipt)

    assert (told.receipt, told.purpose, told.question) == (
        answer.receipt,
        "act",
        "배포는 언제 하지",
    )
    assert told.asked_at is not None and told.asked_at <= datetime.now(UTC)
    assert [line.claim for line in told.lines] == [item.claim for item in answer.evidence]
    assert [line.use for line in told.lines] == [item.use for item in answer.evidence]
    for line, item in zip(told.lines, answer.evidence, strict=True):
        assert [reason.code for reason in line.reasons] == [
            reason.code for reason in item.reasons if reason.code in {r.code for r in line.reasons}
        ]
        assert line.path[-1].citation.medium


def test_conflicting_and_challenged_claims_say_so(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message("서버는 서울에 있다")
    own = kim.remember("서버는 서울에 있다", kind="stated", sources=[said])
    bot.correct(own, "서버는 부산에 있는 것 같다", sources=[said])

    found = by_words(kim.recall("서버는 어디"))

    assert set(found) == {"서버는 서울에 있다", "서버는 부산에 있는 것 같다"}
    assert found["서버는 서울에 있다"].use == "applicable"
    assert "CHALLENGED_BY_LOWER_INTEGRITY" in found["서버는 서울에 있다"].rules
    assert found["서버는 부산에 있는 것 같다"].use == "background"
