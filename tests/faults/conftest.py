"""What the fault tests share: killing writers, and asking a store afterwards whether it kept its word."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from muniment import Memory
from muniment.claims import Lifecycle, Relation
from muniment.testing import findings, flat_embedder

NURSERY = Path(__file__).with_name("nursery.py")


class Nursery:
    """A process that makes writers; each writes into a store until it dies."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(NURSERY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _line(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def live(
        self,
        store: Path,
        acks: Path,
        *,
        seed: int = 0,
        failpoint: str = "",
        passage: int = 1,
        kill_after: float = 0.0,
    ) -> int:
        """Let a writer live until a passage of a failpoint or some seconds are over; return its exit status."""
        order = {
            "store": str(store),
            "acks": str(acks),
            "failpoint": failpoint,
            "passage": passage,
            "seed": seed,
        }
        assert self._process.stdin is not None
        print(json.dumps(order), file=self._process.stdin, flush=True)
        child = self._line()
        if kill_after:
            time.sleep(kill_after)
            os.kill(child, signal.SIGKILL)
        return self._line()

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait() == 0


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """The one nursery of a run."""
    made = Nursery()
    yield made
    made.close()


def acknowledged(acks: Path) -> list[dict[str, Any]]:
    """Return what writers noted as acknowledged, oldest first; a note cut short by the kill was none."""
    if not acks.exists():
        return []
    found: list[dict[str, Any]] = []
    for line in acks.read_bytes().split(b"\n"):
        if line.endswith(b"}"):  # each note has a line of its own, also after one that was cut
            with suppress(ValueError):
                found.append(json.loads(line))
    return found


def broken_promises(memory: Memory, acks: Path) -> list[str]:
    """Return what a store that was opened again does not have as it was acknowledged, or has by halves."""
    kim = memory.session(person="kim", project="apollo")
    state = memory.store.state
    found: list[str] = []
    for note in acknowledged(acks):
        match note["op"]:
            case "message":
                if kim.source(note["id"]).text != note["text"]:
                    found.append(f"message {note['id']} has other words")
            case "claim" | "correct":
                if kim.claim(note["id"]).quote != note["text"]:
                    found.append(f"claim {note['id']} has other words")
                if note["op"] == "correct" and kim.claim(note["old"]).replaced_by != note["id"]:
                    found.append(f"claim {note['old']} was corrected and does not know")
            case "retract":
                if kim.claim(note["id"]).standing != "retracted":
                    found.append(f"claim {note['id']} was withdrawn and stands")
            case _:
                pass
    for claim in state.claims.values():
        corrected = claim.lifecycle is Lifecycle.CORRECTED
        if (
            corrected
            and (Relation.CORRECTS, claim.seq) not in state.claims[claim.replaced_by].relations
        ):
            found.append(f"claim {claim.id} was corrected by nothing")
        for relation, old in claim.relations:
            if relation is Relation.CORRECTS and state.claims[old].replaced_by != claim.seq:
                found.append(f"claim {claim.id} corrects one that stands")
    return found


def surely_sound(store: Path, acks: Path) -> None:
    """Hold a store that was left in the middle to everything it promised, and write on."""
    with Memory.open(store, embedder=flat_embedder()) as memory:
        assert broken_promises(memory, acks) == []
        assert findings(memory) == ()
        kim = memory.session(person="kim", project="apollo")
        said = kim.message("and on it goes")
        assert kim.source(said.id).text == "and on it goes"
    with acks.open("ab") as notes:
        notes.write(
            json.dumps({"op": "message", "id": said.id, "text": said.text}).encode() + b"\n"
        )


@pytest.fixture(scope="session")
def sound() -> Callable[[Path, Path], None]:
    """What holds a store to its promises."""
    return surely_sound
