"""Power lost at any moment, with any part of what was not yet synced: what was acknowledged is there all the same.

A recorder notes each write, cut and sync of the journal, the head and the keys. A crash is a moment among them: of
each file all that was synced by then is on the disk, and of the rest any subset of its 512-byte sectors.
"""

import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from muniment import Claim, ErasedError, Memory
from muniment.testing import HandClock, findings, flat_embedder

SECTOR = 512


@dataclass
class Deed:
    """A write of `data` at a place of a file, a cut to `place`, a sync, or the word `acknowledged`."""

    sort: str
    path: str = ""
    place: int = 0
    data: bytes = b""
    acknowledged: tuple[str, str, str] = ("", "", "")


@dataclass
class Recorder:
    """Notes what is done to the files of a folder, and by when what was acknowledged."""

    folder: Path
    deeds: list[Deed] = field(default_factory=list[Deed])

    def note(self, sort: str, file: int, place: int = 0, data: bytes = b"") -> None:
        """Note a deed to an open file, if it is one of ours."""
        path = Path(os.readlink(f"/proc/self/fd/{file}"))
        if self.folder in path.parents and path.suffix in (".seg", ".keys", ""):
            name = str(path.relative_to(self.folder))
            if name != "lock":
                self.deeds.append(Deed(sort, name, place, data))

    def acknowledge(self, sort: str, identifier: str, text: str) -> None:
        """Note that the store gave its word."""
        self.deeds.append(Deed("acknowledged", acknowledged=(sort, identifier, text)))


def recorded(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the recorder see what goes to the disk."""
    write, sync, cut = os.pwrite, os.fsync, os.ftruncate

    def pwrite(file: int, data: bytes, place: int) -> int:
        done = write(file, data, place)
        recorder.note("write", file, place, bytes(data[:done]))
        return done

    def fsync(file: int) -> None:
        sync(file)
        recorder.note("sync", file)

    def ftruncate(file: int, size: int) -> None:
        cut(file, size)
        recorder.note("cut", file, size)

    monkeypatch.setattr(os, "pwrite", pwrite)
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "ftruncate", ftruncate)


def opened(store: Path) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder())


def live(memory: Memory, tell: Callable[[str, str, str], None]) -> None:
    """Say, remember, correct and erase, and tell what was acknowledged."""
    kim = memory.session(person="kim", project="apollo")
    claims: list[Claim] = []
    for number, length in enumerate((1, 90, 3)):
        text = f"{number} 금요일에 배포합니다" + " and on it goes" * length
        said = kim.message(text, key=f"message {number}")
        tell("message", said.id, text)
        claims.append(kim.remember(text, kind="stated", sources=[said]))
        tell("claim", claims[-1].id, text)
    said = kim.message("never on Fridays")
    fixed = kim.correct(claims[0], "never on Fridays", sources=[said])
    tell("corrected", claims[0].id, fixed.id)
    gone = claims[1].citations[0].id
    tell("erasing", gone, claims[1].id)
    kim.erase(gone)
    tell("erased", gone, claims[1].id)
    tell("message", kim.message("and on it went").id, "and on it went")
    for question in ("Fridays", "금요일", "never"):
        tell("receipt", kim.recall(question).receipt, question)
    tell("message", kim.message("and on").id, "and on")
    tell("receipt", kim.recall("never").receipt, "never")


def on_disk(folder: Path, deeds: list[Deed], choose: random.Random) -> None:
    """Bring a folder to what a crash after these deeds may have left of it."""
    for name in {deed.path for deed in deeds if deed.path}:
        own = [deed for deed in deeds if deed.path == name]
        synced = max((place for place, one in enumerate(own) if one.sort == "sync"), default=-1)
        keep = choose.choice((0.0, 0.5, 0.5, 1.0))
        raw = bytearray((folder / name).read_bytes() if (folder / name).exists() else b"")
        for place, deed in enumerate(own):
            sure = place < synced
            if deed.sort == "cut" and (sure or choose.random() < keep):
                del raw[deed.place :]
            elif deed.sort == "write":
                for begin, piece in sectors(deed):
                    if sure or choose.random() < keep:
                        raw.extend(bytes(max(0, begin + len(piece) - len(raw))))
                        raw[begin : begin + len(piece)] = piece
        (folder / name).write_bytes(raw)


def sectors(deed: Deed) -> list[tuple[int, bytes]]:
    """Return a write in the pieces that reach the disk whole or not at all."""
    found: list[tuple[int, bytes]] = []
    place, data = deed.place, deed.data
    while data:
        size = SECTOR - place % SECTOR
        found.append((place, data[:size]))
        place, data = place + size, data[size:]
    return found


def broken(memory: Memory, deeds: list[Deed]) -> list[str]:
    """Return what a store does not have as it was acknowledged."""
    kim = memory.session(person="kim", project="apollo")
    told = [deed.acknowledged for deed in deeds if deed.sort == "acknowledged"]
    maybe = {name for sort, *names in told if sort == "erasing" for name in names}
    surely = {name for sort, *names in told if sort == "erased" for name in names}
    found: list[str] = []
    for sort, identifier, text in told:
        try:
            match sort:
                case "message":
                    good = kim.source(identifier).text == text
                case "claim":
                    good = kim.claim(identifier).quote == text
                case "receipt":
                    good = kim.why(identifier).question == text
                case "corrected":
                    good = kim.claim(identifier).replaced_by == text
                case _:
                    continue
            if not good or identifier in surely:
                found.append(f"{sort} {identifier}")
        except ErasedError:
            if identifier not in maybe:
                found.append(f"{sort} {identifier} is erased")
    return found


@pytest.mark.slow
def test_any_subset_of_what_was_not_synced_may_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    opened(tmp_path / "empty").close()
    shutil.copytree(tmp_path / "empty", tmp_path / "store")
    recorder = Recorder(tmp_path / "store" / "default")
    with monkeypatch.context() as patched:
        recorded(recorder, patched)
        with opened(tmp_path / "store") as memory:
            live(memory, recorder.acknowledge)
    deeds = recorder.deeds
    assert {deed.sort for deed in deeds} == {"write", "sync", "acknowledged"}
    assert {deed.path.split("/")[0] for deed in deeds} == {"", "head", "journal", "keys"}
    choose = random.Random(20260302)
    moments = [moment for moment in range(len(deeds) + 1) if not moment or deeds[moment - 1].path]
    times = 12 if request.config.getoption("--exhaustive") else 1
    for moment in moments * times:
        copy = tmp_path / "crashed"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(tmp_path / "empty", copy)
        on_disk(copy / "default", deeds[:moment], choose)
        if choose.random() < 0.2:
            (copy / "default" / "lineage.duckdb").unlink()

        with opened(copy) as memory:
            assert broken(memory, deeds[:moment]) == [], moment
            assert findings(memory) == (), moment
            said = memory.session(person="kim").message("and on it goes")
        with opened(copy) as memory:
            assert broken(memory, deeds[:moment]) == [], moment
            assert memory.session(person="kim").source(said.id).text == "and on it goes"
            assert memory.verify(mode="fast").findings == (), moment
