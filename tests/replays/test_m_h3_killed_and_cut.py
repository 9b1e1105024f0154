"""M-H3: the file cut after a kill: the last acknowledged state or a refusal that names it, never silently empty."""

import os
import shutil
from pathlib import Path

import pytest

from muniment import IntegrityError, Memory, Soundness
from muniment.testing import HandClock, flat_embedder


def test_a_cut_file_is_refused_and_verify_says_what_is_missing(tmp_path: Path) -> None:
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
