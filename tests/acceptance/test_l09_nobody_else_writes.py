"""L09: who holds every file but no key adds no record, changes none and moves none, whatever is made to agree."""

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from muniment import IntegrityError, Memory, Soundness
from muniment.claims import canonical_bytes, new_id
from muniment.lineage import Tree, encode_record, unreached
from muniment.testing import HandClock, flat_embedder

Headers = list[dict[str, Any]]


def opened(store: Path) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder())


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A store in which a few things were said, with an anchor beside it."""
    store = tmp_path / "store"
    with opened(store) as memory:
        kim = memory.session(person="kim")
        for line in ("The limit is 40.", "한도는 40이다.", "The code is 7."):
            kim.remember(line, kind="stated", sources=[kim.message(line)])
        memory.checkpoint(anchor=tmp_path / "anchor")
    return store


def rewrite(store: Path, change: Callable[[Headers], Headers]) -> None:
    """Write the journal anew with other headers, in one frame, the head right for it, and no graph that disagrees."""
    folder = store / "default"
    journal = import_module("muniment.lineage.journal").Journal
    held = journal(folder / "journal", folder / "head", unreached)
    payloads: dict[str, tuple[bytes, ...]] = {}
    headers: Headers = []
    for raw in held.scan():
        header: dict[str, Any] = json.loads(raw.header)
        headers.append(header)
        payloads[header["id"]] = raw.payloads
    held.close()
    raws = [canonical_bytes(header) for header in change(headers)]
    for path in (*(folder / "journal").iterdir(), folder / "head", folder / "lineage.duckdb"):
        path.unlink()
    fresh = journal(folder / "journal", folder / "head", unreached)
    records = [encode_record(raw, payloads.get(json.loads(raw)["id"], ())) for raw in raws]
    fresh.append(records, len(raws), Tree(raws).root(len(raws)))
    fresh.close()


def retraction(headers: Headers) -> dict[str, Any]:
    """Return a record that withdraws the last claim, with nothing in it that is sealed."""
    last = headers[-1]
    return {
        **{name: last[name] for name in ("v", "by", "decision", "mac") if name in last},
        **{"op": "change", "id": new_id(), "seq": last["seq"] + 1, "at": last["at"] + 1},
        **{
            "verb": "retract",
            "lifecycle": "retracted",
            "claim": last["id"],
            "previous": last["id"],
        },
    }


def numbered(headers: Headers) -> Headers:
    """Return the headers with numbers that follow each other."""
    return [{**header, "seq": seq} for seq, header in enumerate(headers, 1)]


def relabelled(headers: Headers) -> Headers:
    """Return the headers with a fact made a constraint."""
    return [*headers[:-1], {**headers[-1], "category": "constraint"}]


CHANGES: dict[str, Callable[[Headers], Headers]] = {
    "added": lambda found: [*found, retraction(found)],
    "added without a mac": lambda found: [
        *found,
        {name: value for name, value in retraction(found).items() if name != "mac"},
    ],
    "changed": relabelled,
    "taken out": lambda found: numbered([*found[:-3], *found[-2:]]),
    "moved": lambda found: numbered([*found[:-3], found[-2], found[-3], found[-1]]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_record_nobody_here_wrote_is_refused_and_named(told: Path, change: str) -> None:
    rewrite(told, CHANGES[change])

    for mode in ("fast", "full"):
        found = Memory.verify_files(told, mode="fast" if mode == "fast" else "full")
        assert found.soundness is Soundness.INVALID
        assert any("this store's key" in str(one) and one.first for one in found.findings)
    with pytest.raises(IntegrityError, match="did not write"):
        opened(told)


def test_a_record_added_after_the_last_is_found_though_the_anchor_holds(told: Path) -> None:
    rewrite(told, CHANGES["added"])

    found = Memory.verify_files(told, anchor=told.parent / "anchor")

    last = found.records
    assert (found.soundness, [one.first for one in found.findings if one.first]) == (
        Soundness.INVALID,
        [last],
    )


def test_a_journal_written_anew_as_it_was_is_the_same(told: Path) -> None:
    rewrite(told, lambda headers: headers)

    with opened(told) as memory:
        assert memory.verify(anchor=told.parent / "anchor").soundness is Soundness.OK
        assert len(list(memory.session(person="kim").claims())) == 3
