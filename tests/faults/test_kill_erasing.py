"""Kill -9 in the middle of an erasure: opened again it is whole or it never was, and it is never by halves."""

import os
import signal
from pathlib import Path

import pytest

from muniment import Memory
from muniment.testing import findings, flat_embedder

POINTS = (
    "journal.before_write",
    "journal.half_written",
    "journal.durable",
    "head.written",
    "head.durable",
    "erase.recorded",
    "erase.half_destroyed",
    "erase.destroyed",
    "erase.before_index",
    "graph.posted",
)


def _killed(store: Path, point: str) -> int:
    """Erase the last message of kim in a child that dies at a point; return its exit status."""
    child = os.fork()
    if not child:
        armed = [False]

        def reach(name: str) -> None:
            if armed[0] and name == point:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            memory = Memory.open(store, embedder=flat_embedder(), reach=reach)
            kim = memory.session(person="kim")
            target = [one for one in kim.claims() if "canary" in one.words][0].citations[0].id
            kim.erase(target, dry_run=True)
            armed[0] = True
            kim.erase(target)
            memory.close()
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_an_erasure_that_was_cut_is_completed(point: str, tmp_path: Path) -> None:
    store = tmp_path / "store"
    with Memory.open(store, embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim")
        for text in ("We deploy on Fridays.", "The canary sings."):
            kim.remember(text, kind="stated", sources=[kim.message(text)])
        slots = memory.store.state.next_slot
        if "index" in point:
            kim.recall("canary")

    assert _killed(store, point) == -signal.SIGKILL

    with Memory.open(store, embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim")
        erased = bool(memory.store.state.erasures)
        assert erased == (point not in ("journal.before_write", "journal.half_written"))
        words = [one.words for one in kim.claims()]
        assert words == ["We deploy on Fridays.", *([] if erased else ["The canary sings."])]
        destroyed = memory.store.state.destroyed
        assert all(memory.store.keys.is_alive(slot) != (slot in destroyed) for slot in range(slots))
        assert bool(destroyed) == erased
        assert findings(memory) == ()
        found = [item.claim.words for item in kim.recall("canary", limit=100).evidence]
        assert sorted(found) == sorted(words)


@pytest.mark.slow
@pytest.mark.parametrize(
    "point", ["journal.half_written", "erase.recorded", "erase.half_destroyed"]
)
def test_a_decided_request_that_was_cut_is_whole_or_never_was(point: str, tmp_path: Path) -> None:
    store = tmp_path / "store"
    with Memory.open(store, embedder=flat_embedder()) as memory:
        lee = memory.session(person="lee")
        for text in ("민지가 금요일에 배포한다.", "Minji sings.", "We deploy on Fridays."):
            lee.remember(text, kind="stated", sources=[lee.message(text)])
        request = memory.request("민지", aliases=["Minji"])
        lines = [one.model_copy(update={"decision": "erase"}) for one in request.lines]
    assert len(lines) == 4
    child = os.fork()
    if not child:
        try:

            def reach(name: str) -> None:
                if name == point:
                    os.kill(os.getpid(), signal.SIGKILL)

            with Memory.open(store, embedder=flat_embedder(), reach=reach) as memory:
                memory.apply_request(lines)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL

    with Memory.open(store, embedder=flat_embedder()) as memory:
        left = [one.words for one in memory.session(person="lee").claims()]
        if point == "journal.half_written":
            assert len(left) == 3 and not memory.store.state.erasures
            assert memory.apply_request(lines).certificate is not None
        else:
            assert left == ["We deploy on Fridays."]
            (erasure,) = (memory.store.state.names[seq] for seq in memory.store.state.erasures)
            assert memory.certificate(erasure).absent
        assert findings(memory) == ()
