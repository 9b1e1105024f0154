"""Replays of groups A and P: deleting that does not delete."""

from pathlib import Path

import pytest

from muniment import Claim, ErasedError, Memory, NotFoundError, RefusedError, Session, Source
from muniment.testing import flat_embedder


def stated(session: Session, text: str) -> tuple[Source, Claim]:
    """Let a person say and remember something."""
    said = session.message(text)
    return said, session.remember(text, kind="stated", sources=[said])


def recalled(session: Session, question: str) -> list[str]:
    """Return the words a recall gives."""
    return [item.claim.words for item in session.recall(question).evidence]


def test_m_a1_all_of_a_person_is_deleted(memory: Memory) -> None:
    kim = memory.session(person="kim")
    stated(kim, "I live in Busan.")
    stated(kim, "I like tea.")

    erasure = memory.erase_person("kim")

    assert len(erasure.claims) == 2
    assert recalled(memory.session(person="kim"), "Busan tea") == []


def test_m_a2_a_deleted_claim_is_absent_on_every_path(memory: Memory) -> None:
    kim = memory.session(person="kim")
    _, claim = stated(kim, "I live in Busan.")
    kim.recall("Busan")
    kim.erase(claim)

    assert recalled(kim, "where does kim live?") == recalled(kim, "Busan") == []
    with pytest.raises(ErasedError):
        kim.claim(claim.id)


def test_m_a8_a_claim_of_two_sources_outlives_one(memory: Memory) -> None:
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    first, shared = stated(kim, "I live in Busan.")
    alone = bot.remember("kim is at home", sources=[first])
    second, again = stated(kim, "I live in Busan.")
    assert again.id == shared.id

    erasure = kim.erase(first)

    assert erasure.claims == (alone.id,)
    assert [citation.id for citation in kim.claim(shared.id).citations] == [second.id]


def test_m_a10_the_same_fact_elsewhere_answers(memory: Memory) -> None:
    here, there = (memory.session(person="kim", project=name) for name in ("p", "q"))
    _, gone = stated(here, "I live in Busan.")
    stated(there, "I live in Busan.")
    here.erase(gone)

    assert recalled(here, "Busan") == []
    assert recalled(there, "Busan") == ["I live in Busan."]


def test_m_a11_unknown_and_foreign_are_alike(memory: Memory) -> None:
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    _, theirs = stated(lee, "I live in Busan.")
    unknown = "AAAAAAAAAAAAAAAAAAAAAA"
    said: list[str] = []
    for name in (unknown, theirs.id):
        with pytest.raises(NotFoundError) as caught:
            kim.erase(name)
        said.append(str(caught.value).replace(name, "ID"))

    assert said[0] == said[1]
    assert recalled(lee, "Busan") == ["I live in Busan."]


def test_m_a13_one_fact_of_a_document(memory: Memory) -> None:
    kim = memory.session(person="kim")
    page = kim.document("Tea is hot. Ice is cold. Salt is salty.", origin="https://wiki.example")
    facts = ["Tea is hot.", "Ice is cold.", "Salt is salty."]
    claims = [kim.remember(fact, kind="external", sources=[page]) for fact in facts]

    assert kim.erase(claims[1]).claims == (claims[1].id,)

    assert sorted(recalled(kim, "tea ice salt")) == ["Salt is salty.", "Tea is hot."]


def test_m_a14_the_hit_is_absent_in_a_new_process_too(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "s", embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim")
        stated(kim, "I live in Busan.")
        kim.retract(kim.recall("Busan").evidence[0].claim)
        assert recalled(kim, "Busan") == []
    with Memory.open(tmp_path / "s", embedder=flat_embedder()) as memory:
        assert recalled(memory.session(person="kim"), "Busan") == []


def test_p_01_a_summary_of_two_goes_with_one(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "s", embedder=flat_embedder()) as memory:
        kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
        first, _ = stated(kim, "The canary sings at noon.")
        second, claim = stated(kim, "The canary eats seeds.")
        bot.remember("The canary sings at noon and eats seeds.", sources=[first, second])
        kim.erase(first)
    with Memory.open(tmp_path / "s", embedder=flat_embedder()) as memory:
        kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
        assert [one.id for one in kim.claims()] == [claim.id]
        bot.remember("The canary eats.", sources=[second.id])
        assert all("noon" not in words for words in recalled(kim, "noon"))


@pytest.mark.parametrize("gone", [0, 1])
def test_p_02_a_fact_stays_on_what_is_left(gone: int, memory: Memory) -> None:
    kim = memory.session(person="kim")
    said = [stated(kim, text) for text in ("I live in Busan.", "I LIVE in Busan.")]
    kim.erase(said[gone][0])
    left = 1 - gone

    kept = kim.claim(said[0][1].id)

    assert kept.words == ("I live in Busan.", "I LIVE in Busan.")[left]
    assert [citation.id for citation in kept.citations] == [said[left][0].id]


def test_p_07_drifted_text_is_refused_and_a_paraphrase_enters(memory: Memory) -> None:
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said, _ = stated(kim, "I live in Busan.")
    kim.erase(said)
    for drift in ("i LIVE in Busan", "I  live\u200b in Busan!!", "\uff29 live in Busan."):
        with pytest.raises(RefusedError, match="^SUPPRESSED: it is not taken in here$"):
            bot.document(drift, origin="copy")

    assert bot.document("Kim's home is Busan.", origin="copy").text == "Kim's home is Busan."
