"""What the replays share: a store with a clock to be moved, people in it, and the command line in a new process."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from muniment import Memory, Session
from muniment.claims import Claim
from muniment.testing import HandClock, flat_embedder

PROGRAM = "import sys; from muniment.surfaces.cli import main; sys.exit(main())"
Elsewhere = Callable[..., Any]
DYING = """
import os, signal, sys
from muniment import Memory
from muniment.testing import flat_embedder

def reach(name):
    if name == sys.argv[2] and said:
        os.kill(os.getpid(), signal.SIGKILL)

said = []
with Memory.open(sys.argv[1], embedder=flat_embedder(), reach=reach) as memory:
    kim = memory.session(person="kim")
    for text in ("We deploy on Fridays.", "일요일에는 쉰다.", "never acknowledged"):
        kim.remember(text, kind="stated", sources=[kim.message(text)])
        print(text, flush=True)
        said += [text] * (text != "We deploy on Fridays.")
        memory.store.post()
"""


def stated(session: Session, text: str, **more: Any) -> Claim:
    """Let a person say and remember something."""
    return session.remember(text, kind="stated", sources=[session.message(text)], **more)


def recalled(session: Session, question: str, **how: Any) -> list[str]:
    """Return the words a recall gives."""
    return [item.claim.words for item in session.recall(question, **how).evidence]


def killed(store: Path, failpoint: str) -> list[str]:
    """Let a process write claims until it is killed at a failpoint; return what it had been told is kept."""
    ran = subprocess.run(
        [sys.executable, "-c", DYING, str(store), failpoint],
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == -9, ran.stderr
    return ran.stdout.splitlines()


@pytest.fixture
def clock() -> HandClock:
    """Return the clock of the store."""
    return HandClock()


@pytest.fixture
def memory(tmp_path: Path, clock: HandClock) -> Iterator[Memory]:
    """Return a store in which every search finds everything."""
    with Memory.open(tmp_path / "store", clock=clock, embedder=flat_embedder()) as opened:
        yield opened


@pytest.fixture
def kim(memory: Memory) -> Session:
    """Return a person."""
    return memory.session(person="kim")


@pytest.fixture
def bot(memory: Memory) -> Session:
    """Return an agent that acts for that person."""
    return memory.session(person="kim", agent="bot")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Elsewhere:
    """Return what runs a command on the store in a process of its own and returns its exit code and its JSON."""

    def run(*words: str, store: Path = tmp_path / "store") -> tuple[int, list[Any]]:
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, *words, "--store", str(store), "--json"],
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        said = ran.stdout if ran.returncode == 0 else ran.stderr
        return ran.returncode, [json.loads(line) for line in said.splitlines()]

    return run
