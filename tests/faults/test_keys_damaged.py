"""Keys missing, older, or of another tenant: named, never taken for words erased; what was erased stays erased."""

import os
import shutil
from pathlib import Path

import pytest

from muniment import ErasedError, IntegrityError, Memory, NotFoundError, Soundness
from muniment.testing import HandClock, findings, flat_embedder

PAYLOAD_KEYS = "payload-000000.keys"
SLOT = 64


def opened(store: Path, *, tenant: str = "default", read_only: bool = False) -> Memory:
    """Return the memory of a tenant of a store."""
    return Memory.open(
        store, tenant=tenant, clock=HandClock(), embedder=flat_embedder(), read_only=read_only
    )


def keys(store: Path, tenant: str = "default") -> Path:
    """Return the file of the payload keys."""
    return store / tenant / "keys" / PAYLOAD_KEYS


def tell(store: Path, tenant: str = "default") -> None:
    """Let kim say two things and remember them."""
    with opened(store, tenant=tenant) as memory:
        kim = memory.session(person="kim")
        for line in ("We deploy on Fridays.", "일요일에는 쉽니다"):
            kim.remember(line, kind="stated", sources=[kim.message(line)])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of two tenants that were told the same."""
    for tenant in ("default", "acme"):
        tell(tmp_path / "store", tenant)
    return tmp_path / "store"


def words(memory: Memory) -> list[str]:
    """Return what kim is known to have said."""
    return [claim.words for claim in memory.session(person="kim").claims()]


def test_missing_key_files_are_named(store: Path) -> None:
    keys(store).unlink()

    for read_only in (False, True):
        with pytest.raises(IntegrityError, match=PAYLOAD_KEYS):
            opened(store, read_only=read_only)
    assert Memory.verify_files(store).soundness is Soundness.INCOMPLETE
    with opened(store, tenant="acme") as other:
        assert len(words(other)) == 2


def test_an_older_shorter_copy_is_not_written_on(store: Path) -> None:
    with opened(store) as memory:
        used = memory.store.state.next_slot
        last = list(memory.session(person="kim").claims())[-1].id
    os.truncate(keys(store), (used - 1) * SLOT)

    with pytest.raises(IntegrityError, match=f"older copy.*slot {used - 1}"):
        opened(store)
    assert keys(store).stat().st_size == (used - 1) * SLOT
    with opened(store, read_only=True) as memory:
        assert "older copy" in memory.store.notes[0]
        with pytest.raises(IntegrityError, match="no erasure says why"):
            memory.session(person="kim").claim(last)
    assert Memory.verify_files(store).soundness is Soundness.INCOMPLETE


def test_a_key_gone_without_an_erasure_is_not_taken_for_one(store: Path) -> None:
    with opened(store) as memory:
        first, second = memory.session(person="kim").claims()
        seq = memory.store.state.ids[first.id]
        (slot,) = [seal.slot for seal in memory.store.header(seq).seals]
    raw = bytearray(keys(store).read_bytes())
    raw[slot * SLOT : (slot + 1) * SLOT] = bytes(SLOT)
    keys(store).write_bytes(raw)

    with opened(store) as memory:
        kim = memory.session(person="kim")
        assert kim.claim(second.id).words == second.words
        with pytest.raises(IntegrityError, match=f"record {seq}: the key of its words is missing"):
            kim.claim(first.id)
    (found,) = Memory.verify_files(store).findings
    assert (found.soundness, found.first) == (Soundness.INCOMPLETE, seq)


def test_a_name_without_its_key_is_not_another_name(store: Path) -> None:
    raw = bytearray(keys(store).read_bytes())
    with opened(store) as memory:
        state = memory.store.state
        (person,) = [seq for seq, sort in state.entity_types.items() if sort == "person"]
        (slot,) = [seal.slot for seal in memory.store.header(person).seals]
    raw[slot * SLOT : (slot + 1) * SLOT] = bytes(SLOT)
    keys(store).write_bytes(raw)

    with pytest.raises(IntegrityError, match=f"record {person}: the key"):
        opened(store)


def test_an_older_copy_brings_nothing_back_that_was_erased(store: Path) -> None:
    before = keys(store).read_bytes()
    with opened(store) as memory:
        kim = memory.session(person="kim")
        gone, stays = kim.claims()
        kim.erase(gone.citations[0].id)
        slots = memory.store.state.destroyed
    keys(store).write_bytes(before)

    said = Memory.verify_files(store)
    assert said.soundness is Soundness.OK
    assert any(f"{len(slots)} keys that an erasure destroyed" in one for one in said.undetermined)
    with opened(store) as memory:
        kim = memory.session(person="kim")
        with pytest.raises(ErasedError):
            kim.claim(gone.id)
        with pytest.raises(NotFoundError):
            memory.session(person="kim", agent="bot").claim(gone.id)
        assert words(memory) == [stays.words]
        assert findings(memory) == ()
    raw = keys(store).read_bytes()
    assert slots and not any(any(raw[slot * SLOT : (slot + 1) * SLOT]) for slot in slots)


@pytest.mark.parametrize("name", [PAYLOAD_KEYS, "tenant.keys"])
@pytest.mark.parametrize("whose", ["acme", "another store"])
def test_keys_of_another_are_named(name: str, whose: str, store: Path, tmp_path: Path) -> None:
    other = store / "acme"
    if whose != "acme":
        tell(tmp_path / "another")
        other = tmp_path / "another" / "default"
    shutil.copy(other / "keys" / name, store / "default" / "keys" / name)

    told = "another store" if name == PAYLOAD_KEYS else "does not open with this store key"
    for read_only in (False, True):
        with pytest.raises(IntegrityError, match=told):
            opened(store, read_only=read_only)
    assert Memory.verify_files(store).soundness is Soundness.INVALID
