"""What the acceptance tests share: one loaded embedder, one store a module, and stores made on demand."""

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from muniment import CallableEmbedder, Memory, Restoration
from muniment.claims import Clock, system_clock
from muniment.retrieval import UniversalSentenceEncoder
from muniment.surfaces.cli import main
from muniment.testing import HandClock, flat_embedder

POLICY = """
format = 1
[tools.deploy_status]
fields = { environment = "identifier", exit_code = "integer", finished_at = "time", ok = "boolean" }
[tools.whoami]
fields = { login = "identifier" }
"""


@pytest.fixture(scope="session")
def encoder() -> UniversalSentenceEncoder:
    """Return the default embedder, loaded once for the whole run."""
    return UniversalSentenceEncoder()


@pytest.fixture(scope="module")
def memory(
    encoder: UniversalSentenceEncoder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    """Return a store on disk with the default embedder and registered tools, shared by a module."""
    path = tmp_path_factory.mktemp("acceptance") / "store"
    _prepare(path)
    with Memory.open(path, embedder=encoder) as opened:
        yield opened


@pytest.fixture
def who(request: pytest.FixtureRequest) -> str:
    """Return the name of a person that no other test of the module is."""
    return f"kim of {request.node.name}"


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Return a function that opens a store at a name; a cheap embedder unless one is given; all closed at the end."""
    opened: list[Memory] = []

    def open_store(name: str = "store", **options: Any) -> Memory:
        _prepare(tmp_path / name, options.get("clock", system_clock))
        chosen: dict[str, Any] = {
            "embedder": CallableEmbedder("letters", 32, _letters, floor=0.5),
            **options,
        }
        memory = Memory.open(tmp_path / name, **chosen)
        opened.append(memory)
        return memory

    yield open_store
    for memory in opened:
        memory.close()


@pytest.fixture
def moment() -> list[datetime]:
    """Return a clock to be moved by a test: its one entry is the present moment."""
    return [datetime(2026, 3, 2, 9, 0, tzinfo=UTC)]


@pytest.fixture
def pass_time(moment: list[datetime]) -> Callable[[timedelta], None]:
    """Return a function that lets time go by."""

    def move(by: timedelta) -> None:
        moment[0] += by

    return move


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        """Return that somebody sits there."""
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    """Return what runs a command on a closed store and returns its exit code and its screen, all on one line.

    `typed` is what kim types, where she sits at a terminal.
    """
    monkeypatch.setenv("COLUMNS", "120")

    def run(
        store: Path, *words: str, typed: str | None = None, lang: str = "en", person: str = "kim"
    ) -> tuple[int, str]:
        out = io.StringIO()
        monkeypatch.setattr(sys, "stdin", io.StringIO() if typed is None else _Terminal(typed))
        who = ("--person", person) if person else ()
        with redirect_stdout(out), redirect_stderr(out):
            code = main([*words, "--store", str(store), "--lang", lang, *who])
        return code, " ".join(out.getvalue().split())

    return run


class Kept:
    """A store with places for its backups and for the mirror of its keys, on a clock of its own."""

    passphrase = "correct horse, 올바른 말"

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock = folder, HandClock()
        self.store, self.mirror = folder / "store", folder / "usb" / "mirror"

    def open(self, name: str = "store", **more: Any) -> Memory:
        """Open the store, or another one beside it."""
        return Memory.open(self.folder / name, clock=self.clock, embedder=flat_embedder(), **more)

    def back_up(self, memory: Memory, name: str, **more: Any) -> Path:
        """Return the place of a backup made now."""
        place = self.folder / "backups" / name
        memory.backup(place, passphrase=self.passphrase, **more)
        return place

    def mirror_keys(self, memory: Memory) -> None:
        """Bring the mirror of the keys up."""
        memory.keys_mirror(self.mirror, passphrase=self.passphrase)

    def restore(self, backup: Path, name: str = "restored", **more: Any) -> Restoration:
        """Restore a backup beside the store, with the mirror of the keys unless something else is said."""
        given: dict[str, Any] = {"keys": self.mirror, **more}
        return Memory.restore(
            backup, self.folder / name, passphrase=self.passphrase, clock=self.clock, **given
        )


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """Return a store with places elsewhere for what keeps it safe."""
    return Kept(tmp_path)


def _prepare(path: Path, clock: Clock = system_clock) -> None:
    if not path.exists():
        Memory.open(path, clock=clock).close()
        (path / "policy.toml").write_text(POLICY, encoding="utf-8")


def _letters(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    found = np.zeros((len(texts), 32), np.float32)
    for row, text in enumerate(texts):
        for letter in text:
            found[row, ord(letter) % 32] += 1
    return found
