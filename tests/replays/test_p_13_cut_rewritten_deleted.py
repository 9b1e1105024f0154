"""P-13: the last records dropped, rewritten at equal length, a tenant's log deleted: each found by the anchor."""

import shutil
from pathlib import Path

import pytest

from muniment import Memory, Soundness, Verification
from muniment.testing import HandClock, flat_embedder

Stages = tuple[Path, Path, Path]


def opened(store: Path, tenant: str = "default") -> Memory:
    """Return the memory of a tenant of a store."""
    return Memory.open(store, tenant=tenant, clock=HandClock(), embedder=flat_embedder())


def say(store: Path, *words: str, tenant: str = "default", anchor: Path | None = None) -> None:
    """Let kim say something, and a checkpoint be taken elsewhere."""
    with opened(store, tenant) as memory:
        for line in words:
            memory.session(person="kim").message(line)
        if anchor:
            memory.checkpoint(anchor=anchor)


@pytest.fixture
def stages(tmp_path: Path) -> Stages:
    """The store as it was before, as it is, and the anchor."""
    before, store, anchor = tmp_path / "before", tmp_path / "store", tmp_path / "anchor"
    say(store, "one", "two", anchor=anchor)
    shutil.copytree(store, before)
    say(store, "three", "fours", anchor=anchor)
    return before, store, anchor


def verified(store: Path, anchor: Path, tenant: str = "default") -> Verification:
    """Return what verifying against the anchor finds."""
    return Memory.verify_files(store, tenant=tenant, mode="fast", anchor=anchor)


def test_p_13_untouched_it_is_sound(stages: Stages) -> None:
    _, store, anchor = stages
    assert verified(store, anchor).soundness is Soundness.OK


def test_p_13_the_last_records_dropped(stages: Stages) -> None:
    before, store, anchor = stages
    segment = next((store / "default" / "journal").iterdir())
    with segment.open("r+b") as file:
        file.truncate((before / "default" / "journal" / segment.name).stat().st_size)

    found = Memory.verify_files(store, mode="fast")
    assert found.soundness is Soundness.TRUNCATED
    assert verified(store, anchor).soundness is Soundness.TRUNCATED


def test_p_13_the_whole_store_set_back(stages: Stages) -> None:
    before, _, anchor = stages

    assert Memory.verify_files(before, mode="full").soundness is Soundness.OK
    found = verified(before, anchor)
    assert found.soundness is Soundness.TRUNCATED
    assert [(one.first > 0, one.last) for one in found.findings] == [(True, found.records + 2)]


def test_p_13_the_last_records_rewritten_at_equal_length(stages: Stages) -> None:
    before, store, anchor = stages
    say(before, "THREE", "FOURS")
    sizes = [(one / "default" / "head").read_bytes()[:128] for one in (before, store)]
    assert len(sizes[0]) == len(sizes[1])

    assert Memory.verify_files(before, mode="full").soundness is Soundness.OK
    found = verified(before, anchor)
    assert found.soundness is Soundness.DIVERGED
    last = found.records
    assert [(one.first, one.last) for one in found.findings] == [(last - 1, last)]


def test_p_13_a_journal_of_another_key_is_not_ours(stages: Stages, tmp_path: Path) -> None:
    *_, anchor = stages
    say(tmp_path / "other", *(f"{number}" for number in range(9)))

    assert verified(tmp_path / "other", anchor).soundness is Soundness.DIVERGED


def test_p_13_a_log_of_a_tenant_deleted(stages: Stages) -> None:
    _, store, anchor = stages
    say(store, "hello", tenant="acme", anchor=anchor)
    assert verified(store, anchor).soundness is Soundness.OK
    shutil.rmtree(store / "acme")

    for tenant in ("default", "acme"):
        found = verified(store, anchor, tenant)
        assert found.soundness is Soundness.TRUNCATED
        assert any("tenant acme is missing" in one.message for one in found.findings)


def test_p_13_only_the_journal_of_a_tenant_deleted(stages: Stages) -> None:
    _, store, anchor = stages
    shutil.rmtree(store / "default" / "journal")

    found = verified(store, anchor)
    assert found.soundness is Soundness.TRUNCATED
    assert found.records == 0
