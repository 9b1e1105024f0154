"""M-E: nobody's memory is reached from where it is not, by metadata, identifier, likeness or default."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from muniment import InvalidError, Memory, MunimentError, NotFoundError, Session
from muniment.claims import new_id
from muniment.testing import flat_embedder

WORDS = "배포는 금요일마다 staging으로. We deploy to staging on Fridays."


@pytest.fixture
def open_memory(tmp_path: Path) -> Callable[..., Memory]:
    """Return a function that opens a store of a name."""

    def opened(name: str = "store", **more: Any) -> Memory:
        return Memory.open(tmp_path / name, embedder=flat_embedder(), **more)

    return opened


def anyhow(verb: Callable[..., object]) -> Callable[..., object]:
    """Return a verb as somebody calls it who does not know its arguments."""
    return verb


def test_m_e1_no_metadata_gives_a_claim_to_another_person(
    open_memory: Callable[..., Memory],
) -> None:
    with open_memory() as memory:
        kim, lee = memory.session(person="kim"), memory.session(person="lee")
        said = kim.message(WORDS)
        claim = kim.remember(WORDS, kind="stated", sources=[said], subject="user_id", value="lee")

        for verb in (kim.correct, kim.supersede, kim.confirm, kim.retract):
            for name in ("user_id", "person", "owner", "scope", "metadata", "tenant"):
                with pytest.raises(TypeError):
                    anyhow(verb)(claim, **{name: "lee"})
        kim.tool_result("update_metadata", {"user_id": "lee", "memory": claim.id})
        kim.document(WORDS, origin="https://wiki.example", asserted_source="user:lee")
        line = {"type": "claim", "person": "kim", "text": WORDS, "sources": [said.id]}
        for name in ("user_id", "owner", "scope", "metadata"):
            report = memory.ingest([json.dumps({**line, name: "lee"})])
            assert (report.accepted, len(report.errors)) == (0, 1)
            assert name in report.errors[0].message
        handed = memory.ingest([json.dumps({**line, "person": "lee"})])

        assert handed.accepted == 0
        assert kim.claim(claim.id).scope.person == "kim" and kim.claim(claim.id).version == 1
        assert list(lee.claims()) == [] and lee.recall(WORDS).evidence == ()


def test_m_e3_another_persons_identifier_is_not_found(open_memory: Callable[..., Memory]) -> None:
    with open_memory() as memory:
        kim, lee = memory.session(person="kim"), memory.session(person="lee")
        said = kim.message(WORDS)
        claim = kim.remember(WORDS, kind="stated", sources=[said])
        receipt, unknown = kim.recall(WORDS).receipt, new_id()

        def told(verb: Callable[[], object]) -> str:
            with pytest.raises(NotFoundError) as caught:
                verb()
            return str(caught.value)

        for thing in (claim.id, said.id, receipt):
            for verb in (
                lee.claim,
                lee.source,
                lee.trace,
                lee.why,
                lee.history,
                lee.replay,
                lee.erase,
            ):
                assert told(partial(verb, thing)).replace(thing, unknown) == told(
                    partial(verb, unknown)
                )


PLACES = {
    "two apps": ({"person": "kim", "project": "calendar"}, {"person": "kim", "project": "mail"}),
    "two persons": ({"person": "kim", "session": "s1"}, {"person": "lee", "session": "s1"}),
    "two channels": ({"person": "kim", "channel": "ops"}, {"person": "kim", "channel": "견적"}),
    "two organisations": ({"person": "kim", "org": "acme"}, {"person": "kim", "org": "other"}),
    "two agents alone": ({"agent": "bot"}, {"agent": "other bot"}),
}


@pytest.mark.parametrize("places", PLACES)
def test_m_e4_the_same_text_in_two_places_is_found_in_each_alone(
    open_memory: Callable[..., Memory], places: str
) -> None:
    def kept(session: Session) -> tuple[str, str]:
        said = session.message(WORDS)
        return session.remember(WORDS, kind="inferred", sources=[said]).id, said.id

    with open_memory() as memory:
        first, second = (memory.session(**place) for place in PLACES[places])
        ours, theirs = kept(first), kept(second)

        for session, (claim, said) in ((first, ours), (second, theirs)):
            answer = session.recall("금요일 staging", limit=50)
            assert [item.claim.id for item in answer.evidence] == [claim]
            assert answer.searched == 1
            assert answer.evidence[0].claim.seen_count == 1
            assert [hit.source for hit in session.search_conversations("금요일").hits] == [said]
            assert [one.id for one in session.claims()] == [claim]


def test_m_e6_what_is_written_by_the_defaults_is_read_by_them_or_the_error_says_why(
    open_memory: Callable[..., Memory],
) -> None:
    with open_memory() as memory:
        kim = memory.session(person="kim")
        kim.remember(WORDS, sources=[kim.message(WORDS)])
    with open_memory() as memory:
        for session in (
            memory.session(person="kim"),
            memory.session(person="kim", agent="bot"),
            memory.session(person="kim", session="tomorrow"),
            memory.session(person="kim", project="apollo"),
        ):
            assert len(session.recall("금요일").evidence) == 1
            assert len(session.recall("Fridays").evidence) == 1
        nobody = memory.session()
        answer = nobody.recall("금요일")
        assert not answer.looked and "no identity" in answer.notes[0]
        with pytest.raises(MunimentError, match="nobody is named"):
            nobody.message(WORDS)
        with pytest.raises(InvalidError, match="tenant"):
            open_memory(tenant="Default")


def near_duplicates(memory: Memory, count: int) -> None:
    """Let lee say and keep as many sentences as that, all nearly what kim kept."""
    texts = [f"{WORDS} ({number})" for number in range(count)]
    lines: list[dict[str, object]] = []
    for number, text in enumerate(texts):
        said: dict[str, object] = {
            "type": "message",
            "person": "lee",
            "key": f"m{number}",
            "text": text,
        }
        kept: dict[str, object] = {"type": "claim", "person": "lee", "kind": "stated", "text": text}
        lines += [said, {**kept, "sources": [f"m{number}"]}]
    report = memory.ingest([json.dumps(line, ensure_ascii=False) for line in lines])
    assert report.accepted == 2 * count, report.errors[:1]


def test_m_e7_five_hundred_near_duplicates_of_another_leave_no_trace(
    open_memory: Callable[..., Memory],
) -> None:
    found: list[str] = []
    for name, count in (("alone", 0), ("crowded", 500)):
        with open_memory(name) as memory:
            near_duplicates(memory, count)
            kim = memory.session(person="kim")
            claim = kim.remember(WORDS, kind="stated", sources=[kim.message(WORDS)])
            answer = kim.recall("금요일 staging Fridays", limit=5)
            turns = kim.search_conversations("금요일 staging Fridays", limit=5)
            assert [item.claim.id for item in answer.evidence] == [claim.id]
            assert (answer.searched, turns.searched, len(turns.hits)) == (1, 1, 1)
            assert answer.withheld == () and answer.notes == () == turns.notes
            item = answer.evidence[0]
            found.append(
                repr((item.score, item.reasons, item.rules, item.origins_count, item.independent))
                + repr([(hit.score, hit.excerpt) for hit in turns.hits])
                + repr(kim.search_conversations("kim said staging Fridays").doubt)
            )

    assert found[0] == found[1]
