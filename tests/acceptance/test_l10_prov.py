"""L10: lineage goes out as PROV-JSON that the `prov` library reads back and writes alike."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prov.model import ProvDocument

from muniment import Claim, Memory
from muniment.testing import HandClock, flat_embedder

WORDS = "We deploy on Fridays."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A store of one's own."""
    with Memory.open(tmp_path / "store", clock=HandClock(), embedder=flat_embedder()) as opened:
        yield opened


def told(memory: Memory) -> tuple[dict[str, Any], dict[str, Claim]]:
    """Return the document of a store with one of each kind of change and an AND-group, and the claims."""
    kim = memory.session(person="kim", agent="helper")
    alone = memory.session(person="kim")
    claims: dict[str, Claim] = {}
    claims["first"] = alone.remember(WORDS, kind="stated", sources=[alone.message(WORDS)])
    claims["other"] = alone.remember(
        "I lead it.", kind="stated", sources=[alone.message("I lead it.")]
    )
    claims["both"] = kim.remember(
        "Kim leads on Fridays.", sources=[claims["first"], claims["other"]]
    )
    claims["corrected"] = alone.correct(
        claims["first"], "We deploy on Mondays.", sources=[alone.message("We deploy on Mondays.")]
    )
    claims["moved"] = alone.supersede(
        claims["corrected"], "We deploy daily now.", sources=[alone.message("We deploy daily now.")]
    )
    claims["gone"] = alone.retract(claims["other"], reason="no longer so")
    alone.recall("when?")
    return json.loads(alone.prov()), claims


def canonical(document: ProvDocument) -> Any:
    """Return a document as the library writes it."""
    return json.loads(str(document.serialize(format="json")))


def test_the_library_reads_it_back_and_writes_it_alike(memory: Memory) -> None:
    found, _ = told(memory)

    read = ProvDocument.deserialize(content=json.dumps(found), format="json")
    again = ProvDocument.deserialize(content=read.serialize(format="json"), format="json")

    assert again == read
    assert {sort: len(items) for sort, items in canonical(read).items()} == {
        sort: len(items) for sort, items in found.items()
    }
    for sort in ("entity", "activity", "agent"):
        assert set(canonical(read)[sort]) == set(found[sort])


def test_corrections_and_supersessions_are_revisions(memory: Memory) -> None:
    found, claims = told(memory)

    revisions = {
        (one["prov:generatedEntity"], one["prov:usedEntity"], one["muniment:relation"])
        for one in found["wasDerivedFrom"].values()
        if one.get("prov:type") == {"$": "prov:Revision", "type": "prov:QUALIFIED_NAME"}
    }
    first, corrected, moved = (
        f"claim:{claims[name].id}" for name in ("first", "corrected", "moved")
    )
    assert revisions == {(corrected, first, "corrects"), (moved, corrected, "supersedes")}


def test_what_ended_is_invalidated_by_what_ended_it(memory: Memory) -> None:
    found, claims = told(memory)

    ended = {one["prov:entity"]: one["muniment:verb"] for one in found["wasInvalidatedBy"].values()}
    assert ended == {
        f"claim:{claims['first'].id}": "correct",
        f"claim:{claims['corrected'].id}": "supersede",
        f"claim:{claims['gone'].id}": "retract",
    }
    assert all(
        one["prov:activity"] in found["activity"] for one in found["wasInvalidatedBy"].values()
    )


def test_an_and_group_has_one_justification(memory: Memory) -> None:
    found, claims = told(memory)

    both = [
        one
        for one in found["wasDerivedFrom"].values()
        if one["prov:generatedEntity"] == f"claim:{claims['both'].id}"
    ]
    assert {one["prov:usedEntity"] for one in both} == {
        f"claim:{claims['first'].id}",
        f"claim:{claims['other'].id}",
    }
    assert len({one["muniment:justification"] for one in both}) == 1


def test_an_agent_acts_for_a_person(memory: Memory) -> None:
    found, _ = told(memory)

    (behalf,) = found["actedOnBehalfOf"].values()
    sorts = {name: one["prov:type"]["$"] for name, one in found["agent"].items()}
    assert sorts[behalf["prov:delegate"]] == "prov:SoftwareAgent"
    assert sorts[behalf["prov:responsible"]] == "prov:Person"


def test_no_word_stands_in_it(memory: Memory) -> None:
    found, _ = told(memory)
    text = json.dumps(found)

    assert [
        word for word in (WORDS, "I lead it", "kim", "helper", "no longer so") if word in text
    ] == []


def test_nothing_of_others_stands_in_it(memory: Memory) -> None:
    told(memory)
    lee = json.loads(memory.session(person="lee").prov())

    assert set(lee) == {"prefix"}


def test_after_every_other_change_it_is_read_back_too(memory: Memory) -> None:
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="helper")
    told(memory)
    one, two, three = (kim.message(f"말 {number}.") for number in range(3))
    first = kim.remember(one.text, kind="stated", sources=[one], key="k")
    bot.remember("셋 가운데 하나", sources=[first, two])
    page = kim.document(WORDS, origin="https://wiki.example/한글")
    result = kim.tool_result("deploy", {"environment": "staging"}, "free text")
    seen = kim.remember("staging", kind="observed", field="environment", sources=[result])
    kim.challenge(first, "아니다", sources=[page])
    kim.confirm(seen, sources=[page])
    kim.erase(one)
    kim.revoke(two)
    gone = kim.remember(three.text, kind="stated", sources=[three])
    back = kim.reinstate(kim.retract(gone))

    found = json.loads(kim.prov())
    read = ProvDocument.deserialize(content=json.dumps(found), format="json")

    assert ProvDocument.deserialize(content=read.serialize(format="json"), format="json") == read
    assert {
        sort: set(items) for sort, items in canonical(read).items() if sort in ("entity", "agent")
    } == {sort: set(items) for sort, items in found.items() if sort in ("entity", "agent")}
    assert f"claim:{back.id}" in found["entity"] and f"claim:{seen.id}" in found["entity"]
    bundled = json.loads(kim.investigate(seen).bundle)["prov"]
    assert ProvDocument.deserialize(content=json.dumps(bundled), format="json").get_records()
    assert "말 0" not in json.dumps(found, ensure_ascii=False)
