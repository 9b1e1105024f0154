"""L02: origins that are known to copy each other are one piece of evidence, and what says so can be taken back."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from muniment import InvalidError, Memory, NotFoundError, StorageError
from muniment.claims import SameOriginRecord
from muniment.testing import findings

NEWS = "한강 수위가 3.9m를 넘었다."


def page(n: object) -> str:
    return f"https://{n}.example"


def reported(memory: Memory, who: str, *names: object) -> str:
    """Return the identifier of a claim that each of these pages reports in words of its own around it."""
    kim, found = memory.session(person=who), ""
    for name in names:
        source = kim.document(f"{name}: {NEWS}", origin=page(name))
        found = kim.remember(NEWS, kind="external", sources=[source]).id
    return found


def test_declared_copies_are_one_and_taken_back_two(memory: Memory, who: str) -> None:
    claim = reported(memory, who, "a1", "a2", "a3")
    kim = memory.session(person=who)
    assert kim.evidence_of(claim).independent == 3

    made = memory.same_origin(page("a1"), page("a2"), reason="a2 는 a1 을 그대로 옮긴다")

    assert made.origins == (page("a1"), page("a2"))
    assert [(one.by, one.reason) for one in made.declared] == [("", "a2 는 a1 을 그대로 옮긴다")]
    found = kim.evidence_of(claim)
    assert (found.mentions, found.origins, found.independent, found.exact) == (3, 2, 2, True)
    one = f"the page {page('a1')}, recorded as one with the page {page('a2')}"
    day = made.declared[0].recorded_at.date().isoformat()
    assert f"2 mentions from {one} are one piece of evidence" in found.why
    assert (
        f"the page {page('a1')} and the page {page('a2')} are recorded as copies of each other on {day}, "
        "by the operator" in found.why
    )
    assert kim.recall("한강 수위").evidence[0].independent == 2

    memory.same_origin(page("a2"), page("a3"))
    assert kim.evidence_of(claim).independent == 1
    assert kim.evidence_of(claim).single_points != ()
    with pytest.raises(InvalidError, match="by way of others; take back one of") as error:
        memory.apart(page("a1"), page("a3"))
    assert page("a2") in str(error.value)

    left = memory.apart(page("a2"), page("a3"), reason="it has reporters of its own")
    assert left.origins == (page("a1"), page("a2"))
    assert kim.evidence_of(claim).independent == 2
    assert memory.apart(page("a2"), page("a1")).origins == (page("a2"),)
    assert kim.evidence_of(claim).independent == 3


def test_said_twice_it_is_written_once_and_nonsense_not_at_all(memory: Memory, who: str) -> None:
    reported(memory, who, "b1", "b2", "b3")
    memory.same_origin(page("b1"), page("b2"))
    before = memory.store.state.seq

    assert memory.same_origin(page("b2"), page("b1"), reason="again").declared[0].reason == ""
    for error, pair in (
        (NotFoundError, (page("b1"), page("nowhere"))),
        (NotFoundError, ("", page("b1"))),
        (NotFoundError, (page("b1"), who)),  # a person is no origin
        (InvalidError, (page("b1"), page("b1"))),
    ):
        with pytest.raises(error):
            memory.same_origin(*pair)
        with pytest.raises(error):
            memory.apart(*pair)
    with pytest.raises(InvalidError, match="not declared"):
        memory.apart(page("b1"), page("b3"))

    assert memory.store.state.seq == before


def test_it_survives_closing_and_rebuilding_and_is_nothing_in_the_clear(
    tmp_path: Path, who: str
) -> None:
    with Memory.open(tmp_path / "store") as memory:
        claim = reported(memory, who, "c1", "c2", "c3")
        memory.same_origin(page("c1"), page("c3"), reason="수위계가 하나뿐이다")
        memory.same_origin(page("c1"), page("c2"))
        memory.apart(page("c1"), page("c2"))
        classes = memory.origins()
        headers = [memory.store.header(seq) for seq, *_ in memory.store.state.kinships]
        assert all(isinstance(one, SameOriginRecord) for one in headers)
        assert all("example" not in one.model_dump_json() for one in headers)
        assert all('"OPERATOR_KNOWS"' in one.model_dump_json() for one in headers)
    for read_only in (False, True):
        with Memory.open(tmp_path / "store", read_only=read_only) as memory:
            assert memory.origins() == classes
            assert memory.session(person=who).evidence_of(claim).independent == 2
            if not read_only:
                assert findings(memory) == ()
                assert memory.origins() == classes
            else:
                with pytest.raises(StorageError):
                    memory.same_origin(page("c1"), page("c2"))
    assert [one.origins for one in classes] == [(page("c1"), page("c3")), (page("c2"),)]


def test_an_answer_of_before_is_counted_as_it_was_then(memory: Memory, who: str) -> None:
    reported(memory, who, "d1", "d2")
    kim = memory.session(person=who)
    declared = memory.same_origin(page("d1"), page("d2")).declared[0].recorded_at

    assert kim.recall("한강 수위", as_of=declared).evidence[0].independent == 1
    before = kim.recall("한강 수위", as_of=declared - timedelta(microseconds=1))
    assert before.evidence[0].independent == 2


def test_erasing_the_only_page_of_an_origin_erases_its_name_and_the_reason(
    tmp_path: Path, who: str
) -> None:
    with Memory.open(tmp_path / "store") as memory:
        kim = memory.session(person=who)
        pages = [kim.document(f"{n}: {NEWS}", origin=page(n)) for n in ("e1", "e2", "e3")]
        claim = [kim.remember(NEWS, kind="external", sources=[one]) for one in pages][-1]
        memory.same_origin(page("e1"), page("e2"), reason="e2 copies e1")
        memory.same_origin(page("e2"), page("e3"), reason="e3 copies e2")

        kim.erase(pages[1])

        (left,) = memory.origins()
        assert left.origins == (page("e1"), "(erased)", page("e3"))
        assert [one.reason for one in left.declared] == ["", ""]
        found = kim.evidence_of(claim)
        assert (found.independent, found.mentions) == (1, 2)
        assert sum("another origin" in line for line in found.why) == 2
        assert "e2" not in json.dumps(found.model_dump())
        with pytest.raises(NotFoundError):
            memory.apart(page("e1"), page("e2"))
        assert findings(memory) == ()
    with Memory.open(tmp_path / "store") as memory:
        assert memory.origins() == (left,)
