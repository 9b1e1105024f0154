"""Replays of group A: deleting that does not delete."""

import json
from functools import partial

import pytest

from muniment import ErasedError, Memory, NotFoundError, RefusedError, Session

from .conftest import Elsewhere, recalled, stated


def test_m_a1_all_of_a_person_is_deleted(
    memory: Memory, kim: Session, elsewhere: Elsewhere
) -> None:
    for text in ("I live in Busan.", "I like tea."):
        stated(kim, text)
    kim.recall("Busan tea")

    erasure = memory.erase_person("kim")

    assert len(erasure.claims) == 2 == len(erasure.sources)
    again = memory.session(person="kim")
    assert recalled(again, "Busan tea") == [] == list(again.claims())
    assert again.search_conversations("Busan tea").hits == ()
    memory.close()
    for question in ("Busan", "tea", "where does kim live?"):
        code, (answer,) = elsewhere("recall", question, "--person", "kim")
        assert (code, answer["evidence"]) == (0, [])


def test_m_a2_a_deleted_claim_is_absent_on_every_path(memory: Memory, kim: Session) -> None:
    claim = stated(kim, "I live in Busan.")
    answer = kim.recall("Busan")
    kim.erase(claim)

    for question in ("where does kim live?", "Busan", claim.id):
        assert recalled(kim, question) == []
    with pytest.raises(ErasedError):
        kim.claim(claim.id)
    for lookup in (kim.trace, kim.why, kim.history, kim.evidence_of):
        with pytest.raises(ErasedError):
            lookup(claim.id)
    assert claim.id not in "".join(kim.export()) and list(kim.claims()) == []
    assert kim.why(answer.receipt).lines == ()
    with pytest.raises(NotFoundError):
        memory.session(person="kim", agent="bot").claim(claim.id)


PAGE = "The vendor audit is done. The gate is open."


@pytest.mark.parametrize(
    "again",
    [
        pytest.param((PAGE, "https://a.example"), id="the same page"),
        pytest.param((PAGE + " Printed at noon.", "https://a.example"), id="a later version"),
        pytest.param(
            ("THE VENDOR AUDIT IS DONE;  the gate is open", "copy"), id="a copy elsewhere"
        ),
    ],
)
def test_m_a4_an_invalid_mark_survives_the_document_coming_in_again(
    kim: Session, bot: Session, again: tuple[str, str]
) -> None:
    text = "The vendor audit is done."
    page = kim.document(PAGE, origin="https://a.example")
    claim = bot.remember(text, kind="external", sources=[page])
    kim.retract(claim, reason="the vendor never showed it")

    words, origin = again
    page = bot.document(words, origin=origin)
    note = bot.remember("The page says the audit is done.", sources=[page])
    rests: tuple[tuple[str, list[str]], ...] = (
        ("external", [page.id]),
        ("external", [page.id, note.id]),
        ("inferred", [note.id]),
    )
    for kind, grounds in rests:
        with pytest.raises(RefusedError, match="WITHDRAWN"):
            bot.remember(text, kind=kind, sources=grounds, category=claim.category)

    assert text not in recalled(kim, "vendor audit")
    kept = kim.claim(claim.id)
    assert (kept.standing, kept.version) == ("retracted", 2)
    assert kim.history(kept)[-1].reason == "the vendor never showed it"
    # What is said on its own since then says it anew: by the person, or by the page after it had said otherwise.
    bot.document("The vendor audit is open.", origin=origin)
    page = bot.document(words, origin=origin)
    assert bot.remember(text, kind="external", sources=[page]).standing == "active"


def test_m_a4_an_ingest_sent_again_leaves_the_mark(memory: Memory, kim: Session) -> None:
    lines: list[dict[str, object]] = [
        {"type": "document", "key": "d", "origin": "https://a.example", "text": PAGE},
        {"type": "claim", "text": "The gate is open.", "kind": "external", "sources": ["d"]},
    ]
    sent = [json.dumps({**line, "person": "kim"}) for line in lines]
    assert memory.ingest(sent).errors == ()
    (claim,) = kim.claims()
    kim.retract(claim, reason="it was closed")

    assert memory.ingest(sent).accepted == 0
    renamed = [line.replace('"key": "d"', '"key": "e"').replace('["d"]', '["e"]') for line in sent]
    assert [error.line for error in memory.ingest(renamed).errors] == [2]

    assert [one.standing for one in kim.claims()] == ["retracted"]
    assert kim.history(claim.id)[-1].reason == "it was closed"


def test_m_a8_a_claim_of_two_sources_outlives_one(kim: Session, bot: Session) -> None:
    shared = stated(kim, "I live in Busan.")
    (first,) = (citation.id for citation in shared.citations)
    alone = bot.remember("kim is at home", sources=[first])
    second = kim.message("I live in Busan.")
    assert kim.remember("I live in Busan.", kind="stated", sources=[second]).id == shared.id

    erasure = kim.erase(first)

    assert erasure.claims == (alone.id,)
    kept = kim.claim(shared.id)
    assert [citation.id for citation in kept.citations] == [second.id]
    assert recalled(kim, "Busan") == ["I live in Busan."]


def test_m_a10_the_same_fact_elsewhere_answers(memory: Memory) -> None:
    here, there = (memory.session(person="kim", project=name) for name in ("p", "q"))
    gone = stated(here, "I live in Busan.")
    stated(there, "I live in Busan.")
    for thing in (gone.citations[0].id, gone.id):
        if list(here.claims()):
            here.erase(thing)

    assert recalled(here, "Busan") == []
    assert recalled(there, "Busan") == ["I live in Busan."]


def test_m_a11_unknown_and_foreign_are_alike(memory: Memory, kim: Session) -> None:
    lee = memory.session(person="lee")
    theirs = stated(lee, "I live in Busan.")
    stated(kim, "hello")
    unknown = "AAAAAAAAAAAAAAAAAAAAAA"
    for act in (kim.erase, partial(kim.retract, version=1), kim.revoke):
        said: list[str] = []
        for name in (unknown, theirs.id, theirs.citations[0].id):
            with pytest.raises(NotFoundError) as caught:
                act(name)
            said.append(str(caught.value).replace(name, "ID"))
        assert len(set(said)) == 1

    assert recalled(lee, "Busan") == ["I live in Busan."]
    assert lee.claim(theirs.id) == theirs


def test_m_a13_one_fact_of_a_document(kim: Session) -> None:
    page = kim.document("Tea is hot. Ice is cold. Salt is salty.", origin="https://wiki.example")
    facts = ["Tea is hot.", "Ice is cold.", "Salt is salty."]
    claims = [kim.remember(fact, kind="external", sources=[page]) for fact in facts]

    assert kim.erase(claims[1]).claims == (claims[1].id,)

    assert sorted(recalled(kim, "tea ice salt")) == ["Salt is salty.", "Tea is hot."]
    assert kim.source(page.id).text == page.text


def test_m_a14_the_hit_is_absent_in_a_new_process_too(
    memory: Memory, kim: Session, elsewhere: Elsewhere
) -> None:
    for text in ("I live in Busan.", "부산에 산다."):
        stated(kim, text)
        kim.retract(kim.recall(text).evidence[0].claim)
        assert recalled(kim, text) == []
    memory.close()

    for text in ("I live in Busan.", "부산에 산다."):
        code, (answer,) = elsewhere("recall", text, "--person", "kim")
        assert (code, answer["evidence"]) == (0, [])
