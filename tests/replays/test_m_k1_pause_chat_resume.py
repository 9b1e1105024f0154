"""M-K1: pause, chat, resume: nothing is written or shown meanwhile, and nothing is lost after."""

import json
from pathlib import Path

import pytest

from muniment import Memory, RefusedError
from muniment.testing import HandClock, flat_embedder

TURNS = ("내일 병원에 가요.", "I take the 7:40 train.", "meeting은 3시로 옮겼어.")


def recorded(memory: Memory) -> dict[str, bytes]:
    """Return every byte of the record: the journal, its head and the keys."""
    folder = memory.store.folder
    files = [folder / "head", *(folder / "journal").rglob("*"), *(folder / "keys").rglob("*")]
    return {str(file): file.read_bytes() for file in sorted(files) if file.is_file()}


def test_nothing_written_or_shown_during_a_pause_and_nothing_lost_after(
    tmp_path: Path, clock: HandClock
) -> None:
    def opened() -> Memory:
        return Memory.open(tmp_path / "store", clock=clock, embedder=flat_embedder())

    with opened() as memory:
        kim = memory.session(person="kim", session="chat")
        said = kim.message("나는 채식을 해요. I eat no meat.")
        kim.remember("나는 채식을 해요.", kind="stated", category="constraint", sources=[said])
        before = [item.claim for item in kim.recall("무엇을 먹을까?").evidence]
        exported = list(kim.export())
        kim.pause()
        record = recorded(memory)
    with opened() as memory:  # a pause outlives the process
        kim = memory.session(person="kim", session="chat")
        bot = memory.session(person="kim", session="chat", agent="bot")
        for turn in TURNS:
            for session in (kim, bot):
                with pytest.raises(RefusedError, match="PAUSED"):
                    session.message(turn)
                answer = session.recall(turn)
                assert (answer.evidence, answer.looked, answer.receipt) == ((), False, "")
                assert answer.notes[0].startswith("PAUSED: memory is paused here")
                assert session.search_conversations(turn).hits == ()
            with pytest.raises(RefusedError, match="PAUSED"):
                bot.tool_result("train", {"leaves": "07:40"})
            with pytest.raises(RefusedError, match="PAUSED"):
                bot.document(turn, origin="https://wiki.example")
            with pytest.raises(RefusedError, match="PAUSED"):
                kim.remember(turn, sources=[said])
        line = json.dumps({"type": "message", "person": "kim", "text": TURNS[0]})
        report = memory.ingest([line])
        assert (report.accepted, [error.error for error in report.errors]) == (0, ["refused"])
        assert recorded(memory) == record
        assert list(kim.export()) == exported

        kim.resume()

        assert [item.claim for item in kim.recall("무엇을 먹을까?").evidence] == before
        assert list(kim.export()) == exported
        assert not any(turn in line for line in kim.export() for turn in TURNS)
        kim.message(TURNS[0])
        assert any(TURNS[0] in line for line in kim.export())
        assert memory.rebuild() and memory.verify().findings == ()
