"""Keys: every erasure unit has its own, in its own slot, and a payload opens with no other."""

from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import ErasedError, IntegrityError, Memory
from muniment.claims import Header
from muniment.testing import findings


def slots(memory: Memory) -> list[int]:
    """Return the slot of every payload that is no receipt, in order."""
    headers = [memory.store.header(seq) for seq in range(1, memory.store.state.seq + 1)]
    return [seal.slot for header in headers if header.op != "receipt" for seal in header.seals]


def header_of(memory: Memory, identifier: str) -> Header:
    """Return the header of what has this identifier."""
    return memory.store.header(memory.store.state.ids[identifier])


def destroy(memory: Memory, tmp_path: Path, slot: int) -> None:
    """Overwrite a key as erasing will do."""
    path = tmp_path / "store" / "default" / "keys" / "payload-000000.keys"
    with path.open("r+b") as file:
        file.seek(slot * 64)
        file.write(b"\0" * 64)


def test_every_payload_has_a_slot_of_its_own_across_openings(
    memory: Memory, reopened: Callable[[], Memory]
) -> None:
    for _ in range(3):
        kim = memory.session(person="kim")
        said = kim.message(parts=[("own", "mine"), ("pasted", "theirs")])
        kim.remember("mine", kind="stated", sources=[said])
        memory = reopened()

    assert len(slots(memory)) == len(set(slots(memory)))


def test_a_slot_is_not_used_again_for_what_was_given_up(memory: Memory) -> None:
    kim = memory.session(person="kim")
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), memory.store.group():
            kim.message("lost")
            raise ZeroDivisionError
        kim.message("kept")

    assert len(slots(memory)) == len(set(slots(memory)))
    assert findings(memory) == ()


def test_a_destroyed_key_takes_one_part_and_no_other(memory: Memory, tmp_path: Path) -> None:
    kim = memory.session(person="kim")
    said = kim.message(parts=[("own", "mine"), ("pasted", "theirs")])
    kept = kim.message("beside it")
    first, second = (seal.slot for seal in header_of(memory, said.id).seals)

    destroy(memory, tmp_path, second)

    store, seq = memory.store, memory.store.state.ids[said.id]
    assert store.words(seq, 0)["text"] == "mine"
    with pytest.raises(IntegrityError, match=f"record {seq}: the key .* no erasure says why"):
        store.words(seq, 1)
    store.state.destroyed.add(second)  # as an erasure says it
    with pytest.raises(ErasedError):
        store.words(seq, 1)
    assert kim.source(kept.id).text == "beside it"
    assert first != second


def test_a_name_that_was_erased_has_no_key_and_the_store_opens(
    memory: Memory, reopened: Callable[[], Memory]
) -> None:
    kim = memory.session(person="kim")
    kim.message("hello")
    (name,) = memory.store.state.entity_types

    memory.erase_person("kim")

    assert reopened().store.names.name(name) == "(erased)"


def test_a_payload_does_not_open_under_another_key(memory: Memory, tmp_path: Path) -> None:
    kim = memory.session(person="kim")
    one, two = kim.message("one"), kim.message("two")
    path = tmp_path / "store" / "default" / "keys" / "payload-000000.keys"
    raw = bytearray(path.read_bytes())
    here, there = (header_of(memory, it.id).seals[0].slot * 64 for it in (one, two))
    raw[here : here + 64], raw[there : there + 64] = raw[there : there + 64], raw[here : here + 64]
    path.write_bytes(raw)

    for source in (one, two):
        with pytest.raises(IntegrityError, match="payload key"):
            kim.source(source.id)
    assert len(memory.verify().findings) == 2


def test_more_payloads_than_are_made_ahead(memory: Memory, reopened: Callable[[], Memory]) -> None:
    kim = memory.session(person="kim")
    with memory.store.group():
        made = [kim.message(f"number {number}") for number in range(1_100)]

    kim = reopened().session(person="kim")
    assert [kim.source(made[at].id).text for at in (0, 511, 512, 1_023, 1_024, 1_099)] == [
        f"number {at}" for at in (0, 511, 512, 1_023, 1_024, 1_099)
    ]


def test_a_source_at_hand_goes_with_its_key(memory: Memory) -> None:
    kim = memory.session(person="kim")
    said = kim.message("배포는 금요일")
    kim.remember("배포는 금요일", kind="stated", sources=[said])
    seq = memory.store.state.ids[said.id]
    assert memory.store.source(seq)[1][0]["text"] == "배포는 금요일"

    kim.erase(said)

    with pytest.raises(ErasedError):
        memory.store.source(seq)
