"""Replays of group H: two that change one thing, and a store that was killed or cut."""

import os
import shutil
from pathlib import Path

import pytest

from muniment import Claim, ConflictError, IntegrityError, Memory, Session, Soundness
from muniment.testing import HandClock, findings, flat_embedder

from .conftest import Elsewhere, killed, recalled, stated


@pytest.mark.parametrize("verb", ["correct", "supersede", "retract", "confirm", "erase"])
def test_m_h2_the_second_of_two_gets_a_conflict_with_the_current_version(
    memory: Memory, kim: Session, verb: str
) -> None:
    claim = stated(kim, "deploy day is Friday")
    seen = [kim.claim(claim.id), memory.session(person="kim").claim(claim.id)]
    assert seen[0] == seen[1]
    stated(kim, "deploy day is Friday")

    def change(one: Claim) -> object:
        text = "deploy day is Tuesday"
        match verb:
            case "correct" | "supersede":
                return getattr(kim, verb)(one, text, sources=[kim.message(text)])
            case "erase":
                return kim.erase(one.id, version=one.version)
            case _:
                return getattr(kim, verb)(one)

    with pytest.raises(ConflictError) as caught:
        change(seen[0])
    current = caught.value.current
    assert isinstance(current, Claim) and (current.id, current.version) == (claim.id, 2)
    assert any("remember again" in line for line in caught.value.difference)
    assert kim.claim(claim.id).standing == "active"

    change(current)
    with pytest.raises(Exception, match="version|erased|no longer current"):
        change(seen[1])


def test_m_h2_over_the_command_line(memory: Memory, kim: Session, elsewhere: Elsewhere) -> None:
    claim = stated(kim, "배포는 금요일")
    source = kim.message("배포는 화요일")
    memory.close()
    words = ("correct", f"{claim.id}@1", "배포는 화요일", "--source", source.id, "--person", "kim")

    first, second = elsewhere(*words), elsewhere(*words)

    assert first[0] == 0 and second[0] == 5
    assert second[1][0]["error"] == "conflict" and second[1][0]["difference"]


@pytest.mark.parametrize("failpoint", ["journal.half_written", "journal.durable", "head.written"])
def test_m_h3_killed_in_a_write_it_opens_as_it_was_acknowledged(
    tmp_path: Path, failpoint: str
) -> None:
    said = killed(tmp_path / "store", failpoint)
    assert said == ["We deploy on Fridays.", "일요일에는 쉰다."]

    with Memory.open(tmp_path / "store", embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim")
        assert set(said) <= set(recalled(kim, "when?"))
        stated(kim, "and on")
        assert "and on" in recalled(kim, "when?")
        assert findings(memory) == ()
    assert Memory.verify_files(tmp_path / "store").soundness is Soundness.OK


def test_m_h3_a_cut_file_is_refused_and_verify_says_what_is_missing(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with Memory.open(store, clock=HandClock(), embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim")
        for number in range(5):
            kim.message(f"line {number}")
        records = memory.store.state.seq
    (segment,) = (store / "default" / "journal").iterdir()
    size = segment.stat().st_size
    for kept in (0, 16, size // 3, size - 1):
        copy = tmp_path / f"cut{kept}"
        shutil.copytree(store, copy)
        os.truncate(copy / "default" / "journal" / segment.name, kept)

        with pytest.raises(IntegrityError, match=f"{size - kept} bytes .* are missing"):
            Memory.open(copy)
        with pytest.raises(IntegrityError, match=f"{size - kept} bytes .* are missing"):
            Memory.open(copy, read_only=True)
        found = Memory.verify_files(copy)
        assert found.soundness is Soundness.TRUNCATED
        assert any(one.last == records for one in found.findings)
