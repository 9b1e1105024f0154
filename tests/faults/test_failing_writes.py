"""The disk refuses the N-th write, for every N: what was acknowledged stands, what failed is named."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from muniment import Claim, ErasedError, Memory, Source, StorageError
from muniment.testing import HandClock, findings, flat_embedder

FAULTS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO}


class Disk:
    """A disk on which the write number `fails` is refused, after it took a part of the bytes; 0 lets all through."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fault: int) -> None:
        self.fails, self.writes, self._fault = 0, 0, fault
        self._write = os.pwrite
        monkeypatch.setattr(os, "pwrite", self.pwrite)

    def pwrite(self, file: int, data: bytes, place: int) -> int:
        """Write, or take the first third and refuse."""
        self.writes += 1
        if self.writes == self.fails:
            self._write(file, data[: len(data) // 3], place)
            raise OSError(self._fault, os.strerror(self._fault))
        return self._write(file, data, place)

    def refuse(self, number: int) -> None:
        """Refuse the write with this number from now on, once."""
        self.fails, self.writes = number, 0


def opened(store: Path) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder())


class Life:
    """What kim does in one life of the store, and what of it was acknowledged."""

    def __init__(self, memory: Memory) -> None:
        self.kim = memory.session(person="kim")
        self.said: list[Source] = []
        self.claims: list[Claim] = []
        self.corrected: list[tuple[str, str]] = []
        self.erased: list[str] = []

    def live(self) -> None:
        """Say, remember, correct, recall and erase."""
        for text in ("We deploy on Fridays.", "일요일에는 쉽니다 " * 60, "We never rest."):
            self.said.append(self.kim.message(text))
            self.claims.append(self.kim.remember(text, kind="stated", sources=[self.said[-1]]))
        self.said.append(self.kim.message("We deploy on Mondays."))
        old = self.claims[0]
        new = self.kim.correct(old, "We deploy on Mondays.", sources=[self.said[-1]])
        self.corrected.append((old.id, new.id))
        self.kim.recall("when do we deploy?")
        self.kim.erase(self.said[2])
        self.erased += [self.said[2].id, self.claims[2].id]
        self.said.append(self.kim.message("and on it goes"))

    def broken(self, memory: Memory) -> list[str]:
        """Return what a store does not have as it was acknowledged."""
        kim = memory.session(person="kim")
        found: list[str] = []
        # Whether an erasure that failed was recorded before it did is not known; acknowledged it is sure.
        may = {*(one.id for one in self.said[2:3]), *(one.id for one in self.claims[2:3])}
        sources = {one.id for one in self.said}
        things = [(one.id, one.text) for one in self.said]
        things += [(one.id, one.quote) for one in self.claims]
        for name, text in things:
            try:
                kept = kim.source(name).text if name in sources else kim.claim(name).quote
                if kept != text or name in self.erased:
                    found.append(f"{name} is not what it was")
            except ErasedError:
                if name not in may:
                    found.append(f"{name} is erased")
        for old, new in self.corrected:
            if kim.claim(old).replaced_by != new:
                found.append(f"{old} does not know that it was corrected")
        return found


@pytest.mark.slow
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_the_write_that_fails_is_named_and_nothing_acknowledged_is_lost(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(tmp_path / "empty").close()
    disk = Disk(monkeypatch, FAULTS[fault])
    number = 0
    for number in range(1, 1000):
        store = tmp_path / "store"
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(tmp_path / "empty", store)
        memory = opened(store)
        life = Life(memory)
        disk.refuse(number)
        try:
            life.live()
            failed = False
        except StorageError as error:
            failed = True
            assert "could not be written" in str(error)
            assert "make room" in str(error) or "open the store again" in str(error)
            assert ("make room" in str(error)) == (fault == "ENOSPC")
        disk.refuse(0)

        assert life.broken(memory) == [], number
        try:
            life.said.append(life.kim.message("there is room again"))
        except StorageError as error:  # what the disk holds is not known before it is read anew
            assert "open it again" in str(error)
        memory.close()
        with opened(store) as memory:
            assert life.broken(memory) == [], number
            assert findings(memory) == (), number
            memory.session(person="kim").message("and once more")
            assert memory.verify().findings == (), number
        if not failed:
            break
    assert number > 20


@pytest.mark.slow
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_store_whose_making_fails_is_made_the_next_time(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(monkeypatch, FAULTS[fault])
    number = 0
    for number in range(1, 100):
        store = tmp_path / f"store{number}"
        disk.refuse(number)
        try:
            opened(store).close()
            break
        except StorageError as error:
            assert "could not be written" in str(error)
        disk.refuse(0)
        with opened(store) as memory:
            said = memory.session(person="kim").message("made after all")
        with opened(store) as memory:
            assert memory.session(person="kim").source(said.id).text == "made after all"
            assert memory.verify().findings == (), number
    assert number > 5
