"""Kill -9 in a backup, a mirroring, a restore, the end of a tenant: never half of one, and it can go on."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import FormatError, Memory, RefusedError
from muniment.claims import NotFoundError
from muniment.lineage import Reach, is_signed
from muniment.testing import findings, flat_embedder

PASSPHRASE = "correct horse battery"
CANARY = "카나리아 47118352 sings."
pytestmark = pytest.mark.slow


def opened(place: Path, **more: object) -> Memory:
    """Return the memory of a store."""
    return Memory.open(place, embedder=flat_embedder(), **more)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a store in which kim said two things, its mirror and a backup of it."""
    with opened(tmp_path / "store") as memory:
        kim = memory.session(person="kim")
        for text in ("We deploy on Fridays.", CANARY):
            kim.remember(text, kind="stated", sources=[kim.message(text)])
        memory.keys_mirror(tmp_path / "mirror", passphrase=PASSPHRASE)
        memory.backup(tmp_path / "backup", passphrase=PASSPHRASE)
    return tmp_path


def erase_canary(memory: Memory) -> None:
    """Let kim erase what she said of the canary."""
    kim = memory.session(person="kim")
    kim.erase(next(one for one in kim.claims() if one.words == CANARY).citations[0].id)


def killed(point: str, act: Callable[[Reach], object]) -> int:
    """Act in a child that dies when it first passes a point; return its exit status."""
    child = os.fork()
    if not child:

        def reach(name: str) -> None:
            if name == point:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            act(reach)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def restored(folder: Path, name: str, reach: Reach = lambda _: None) -> None:
    """Restore the backup with the mirror."""
    Memory.restore(
        folder / "backup",
        folder / name,
        passphrase=PASSPHRASE,
        keys=folder / "mirror",
        reach=reach,
    )


@pytest.mark.parametrize("point", ["begun", "journal_copied", "written", "noted", "there"])
def test_a_backup_is_whole_or_absent(point: str, folder: Path) -> None:
    place = folder / "second"

    def act(reach: Reach) -> None:
        with opened(folder / "store", reach=reach) as memory:
            memory.backup(place, passphrase=PASSPHRASE)

    assert killed(f"backup.{point}", act) == -signal.SIGKILL

    assert place.exists() == (point == "there")
    with opened(folder / "store") as memory:
        assert findings(memory) == ()
        if not place.exists():
            memory.backup(place, passphrase=PASSPHRASE)
    assert not place.with_name("second.making").exists()
    (seen,) = Memory.backups(place)
    assert seen.fault == "" and seen.records
    shutil.rmtree(folder / "backup")
    place.rename(folder / "backup")
    restored(folder, "new")


@pytest.mark.parametrize(
    "point", ["begun", "keys_copied", "manifest_written", "half_forgotten", "forgotten"]
)
def test_a_mirror_is_that_of_before_or_of_after(point: str, folder: Path) -> None:
    def act(reach: Reach) -> None:
        memory = opened(folder / "store", reach=reach)
        erase_canary(memory)

    assert killed(f"mirror.{point}", act) == -signal.SIGKILL

    restored(folder, "now")  # the store is gone: the mirror that the crash left is what there is
    knew = point not in ("begun", "keys_copied")
    with opened(folder / "now") as memory:
        words = [one.words for one in memory.session(person="kim").claims()]
        assert words == ["We deploy on Fridays.", *([] if knew else [CANARY])]
        assert (findings(memory), memory.keys_missing) == ((), 0)
    with opened(folder / "store") as memory:  # opening brings the mirror up
        assert findings(memory) == ()
        slots = memory.store.state.destroyed
    (keys,) = (folder / "mirror").rglob("payload-000000.keys")
    raw = keys.read_bytes()
    assert slots and not any(any(raw[64 * slot : 64 * slot + 64]) for slot in slots)
    restored(folder, "later")
    with opened(folder / "later") as memory:
        kim = memory.session(person="kim")
        assert [one.words for one in kim.claims()] == ["We deploy on Fridays."]


@pytest.mark.parametrize(
    "point",
    [
        "restore.begun",
        "restore.copied",
        "restore.keys_written",
        "restore.opened",
        "journal.half_written",
        "journal.durable",
        "head.durable",
        "erase.recorded",
        "graph.posted",
        "restore.before_rename",
        "restore.renamed",
    ],
)
def test_a_restored_store_is_whole_or_absent(point: str, folder: Path) -> None:
    with opened(folder / "store") as memory:
        erase_canary(memory)

    assert killed(point, lambda reach: restored(folder, "new", reach)) == -signal.SIGKILL

    assert (folder / "new").exists() == (point == "restore.renamed")
    if not (folder / "new").exists():
        if point != "restore.before_rename":  # there it is whole already
            with pytest.raises(FormatError):
                Memory.open(folder / "new.restoring")
        restored(folder, "new")
    assert not (folder / "new.restoring").exists()
    with opened(folder / "new") as memory:
        kim = memory.session(person="kim")
        assert [one.words for one in kim.claims()] == ["We deploy on Fridays."]
        with pytest.raises(RefusedError):
            kim.message(CANARY)
        assert (findings(memory), len(memory.store.state.restores)) == ((), 1)


@pytest.mark.parametrize(
    "point", ["before_rename", "renamed", "told", "half_destroyed", "destroyed"]
)
def test_the_end_of_a_tenant_is_finished(point: str, folder: Path) -> None:
    store = folder / "store"
    with opened(store) as memory:
        key = memory.signer.key
    opened(store, tenant="other").close()

    def act(reach: Reach) -> None:
        Memory.erase_tenant(store, "default", reach=reach)

    assert killed(f"tenant.{point}", act) == -signal.SIGKILL

    opened(store, tenant="other").close()  # whoever opens the store next finishes it
    gone = point != "before_rename"
    assert Memory.tenants(store) == (("other",) if gone else ("default", "other"))
    if gone:
        with pytest.raises(NotFoundError):
            Memory.erase_tenant(store, "default")
    else:
        Memory.erase_tenant(store, "default")
    assert not list(store.glob("default*/")) and not (folder / "mirror" / "default").exists()
    (statement,) = store.glob("default.*.erased")
    assert is_signed(statement.read_text(encoding="utf-8"), key)
