"""L05: a whole tenant is destroyed with its copies in reach; that it happened is all that stays."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muniment import BusyError, Memory, NotFoundError, RefusedError
from muniment.lineage import is_signed
from muniment.testing import word_findings

from .conftest import Kept

Open = Callable[..., Memory]
WORDS = ("The vault code is 47118352.", "금고 번호는 카나리아이다.")


def filled(kept: Kept, **more: Any) -> None:
    """Make a store in which kim said two things."""
    with kept.open(**more) as memory:
        kim = memory.session(person="kim")
        for text in WORDS:
            kim.remember(text, kind="stated", sources=[kim.message(text)])
        kim.recall("vault")


def test_everything_of_the_tenant_goes_and_nothing_of_another(kept: Kept) -> None:
    filled(kept)
    filled(kept, tenant="other")
    with kept.open() as memory:
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        key = memory.signer.key
        records = memory.store.state.seq
    keys = [path.read_bytes() for path in (kept.store / "default" / "keys").iterdir()]
    before = sorted(path.name for path in kept.store.iterdir())

    counted = Memory.erase_tenant(kept.store, "default", dry_run=True)

    assert sorted(path.name for path in kept.store.iterdir()) == before
    assert (counted.records, counted.claims, counted.sources) == (records, 2, 2)
    assert (counted.mirrors, counted.statement) == ((str(kept.mirror),), "")

    done = Memory.erase_tenant(kept.store, "default", clock=kept.clock)

    assert (done.records, done.claims, done.keys) == (records, 2, counted.keys)
    assert not (kept.store / "default").exists() and not (kept.mirror / "default").exists()
    held = [path.read_bytes() for path in kept.folder.rglob("*") if path.is_file()]
    assert not [raw for raw in held for slot in keys if slot[:60] in raw]
    assert word_findings(kept.folder, ["47118352", "카나리아"]) == ()
    assert [Path(one.place) for one in done.backups] == [backup]
    note = Path(done.statement).read_text(encoding="utf-8")
    assert is_signed(note, key) and note.split("\n")[1:3] == ["default", str(records)]
    assert Memory.tenants(kept.store) == ("other",)
    with kept.open(tenant="other") as memory:
        assert [one.words for one in memory.session(person="kim").claims()] == list(WORDS)


def test_a_mirror_out_of_reach_is_named(kept: Kept) -> None:
    filled(kept)
    with kept.open() as memory:
        kept.mirror_keys(memory)
    shutil.move(kept.mirror, kept.folder / "away")

    assert Memory.erase_tenant(kept.store, "default").mirrors_left == (str(kept.mirror),)


def test_a_mirror_that_serves_another_store_by_now_is_left_alone(kept: Kept) -> None:
    filled(kept)
    with kept.open() as memory:
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
    kept.restore(backup)
    with kept.open("restored") as memory:
        kept.mirror_keys(memory)

    done = Memory.erase_tenant(kept.store, "default")

    assert (done.mirrors, done.mirrors_left) == ((), (str(kept.mirror),))
    with kept.open("restored") as memory:
        fresh = kept.back_up(memory, "tuesday")
    assert kept.restore(fresh, "again").keys_missing == 0


def test_one_that_is_open_or_unknown_is_not_erased(kept: Kept) -> None:
    filled(kept)
    with kept.open(), pytest.raises(BusyError):
        Memory.erase_tenant(kept.store, "default")
    for name in ("typo", "other"):
        with pytest.raises(NotFoundError, match="there are: default"):
            Memory.erase_tenant(kept.store, name)
    assert (kept.store / "default").is_dir()


def test_a_damaged_tenant_can_be_erased_too(kept: Kept) -> None:
    filled(kept)
    (kept.store / "default" / "keys" / "tenant.keys").write_bytes(b"{}")
    (segment,) = (kept.store / "default" / "journal").iterdir()
    segment.write_bytes(segment.read_bytes()[:3000])

    done = Memory.erase_tenant(kept.store, "default")

    assert "unsigned" in Path(done.statement).read_text(encoding="utf-8")
    assert not (kept.store / "default").exists()


def test_the_name_can_be_used_again(kept: Kept) -> None:
    filled(kept)
    Memory.erase_tenant(kept.store, "default")
    with kept.open() as memory:
        assert list(memory.session(person="kim").claims()) == []
    filled(kept)
    Memory.erase_tenant(kept.store, "default")
    assert len(list(kept.store.glob("default.*.erased"))) == 2


def test_what_is_on_legal_hold_keeps_the_tenant(kept: Kept) -> None:
    filled(kept)
    with kept.open() as memory:
        claim = next(iter(memory.session(person="kim").claims()))
        memory.hold(claim.id, "court")

    with pytest.raises(RefusedError) as raised:
        Memory.erase_tenant(kept.store, "default")

    assert raised.value.decision.rule == "ON_LEGAL_HOLD"
    assert Memory.erase_tenant(kept.store, "default", dry_run=True).held == (claim.id,)
    with kept.open() as memory:
        memory.release(claim.id)
    assert Memory.erase_tenant(kept.store, "default").held == ()
