"""P-08, and the doors of M-A5 and P-07 that a backup opens: what was erased comes back with no old copy."""

import shutil
from pathlib import Path

import pytest

from muniment import Memory, RefusedError, Soundness
from muniment.testing import HandClock, flat_embedder, word_findings

PASSPHRASE = "a passphrase 비밀 문구"
SECRET = "나는 부산 47118352번지에 산다."


def opened(store: Path, clock: HandClock) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=clock, embedder=flat_embedder())


@pytest.fixture
def backup(tmp_path: Path, clock: HandClock) -> Path:
    """A backup of the time before kim erased where she lives; the mirror knows that she did."""
    with opened(tmp_path / "store", clock) as memory:
        kim = memory.session(person="kim")
        said = kim.message(SECRET)
        kim.remember(SECRET, kind="stated", sources=[said])
        kim.remember("I like tea.", kind="stated", sources=[kim.message("I like tea.")])
        memory.checkpoint(anchor=tmp_path / "anchor")
        memory.keys_mirror(tmp_path / "mirror", passphrase=PASSPHRASE)
        memory.backup(tmp_path / "backup", passphrase=PASSPHRASE)
        kim.erase(said)
        memory.checkpoint(anchor=tmp_path / "anchor")
    return tmp_path / "backup"


def restored(backup: Path, clock: HandClock, *, keys: bool = True, newest: str = "") -> str:
    """Restore the backup and return by which rule that was done or refused."""
    folder = backup.parent
    try:
        done = Memory.restore(
            backup,
            folder / "restored",
            passphrase=PASSPHRASE,
            clock=clock,
            keys=folder / "mirror" if keys else None,
            newest=[folder / newest] if newest else [],
        )
    except RefusedError as error:
        return error.decision.rule
    return done.decision.rule


def test_p_08_the_rollback_is_detected(backup: Path, clock: HandClock) -> None:
    assert restored(backup, clock, keys=False) == "ROLLBACK"
    assert restored(backup, clock, keys=False, newest="anchor") == "ROLLBACK"
    assert not (backup.parent / "restored").exists()


def test_p_08_erasures_are_replayed_before_anything_is_read(backup: Path, clock: HandClock) -> None:
    assert restored(backup, clock) == "RESTORED"

    with opened(backup.parent / "restored", clock) as memory:
        kim = memory.session(person="kim")
        assert [claim.words for claim in kim.claims()] == ["I like tea."]
        assert [item.claim.words for item in kim.recall("부산").evidence] == ["I like tea."]
        assert "47118352" not in "\n".join(kim.export())
        assert memory.verify().soundness is Soundness.OK
    assert word_findings(backup.parent / "restored", ["47118352", "부산"]) == ()


def test_p_08_a_plain_copy_put_back_is_found_by_the_anchor(
    tmp_path: Path, clock: HandClock
) -> None:
    store, anchor = tmp_path / "store", tmp_path / "anchor"
    with opened(store, clock) as memory:
        said = memory.session(person="kim").message(SECRET)
    shutil.copytree(store, tmp_path / "copy")
    with opened(store, clock) as memory:
        memory.session(person="kim").erase(said)
        memory.keys_mirror(tmp_path / "mirror", passphrase=PASSPHRASE)
        memory.checkpoint(anchor=anchor)
    shutil.rmtree(store)
    shutil.move(tmp_path / "copy", store)

    assert Memory.verify_files(store, anchor=anchor).soundness is Soundness.TRUNCATED
    with opened(store, clock) as memory, pytest.raises(Exception, match="the store was set back"):
        memory.keys_mirror(tmp_path / "mirror", passphrase=PASSPHRASE)


@pytest.mark.parametrize(
    "drift", [SECRET, "나는  부산 47118352번지에 산다", "나는 부산 47118352번지에\u200b 산다!"]
)
def test_p_07_after_restoring_it_is_refused_on_every_way_in(
    drift: str, backup: Path, clock: HandClock
) -> None:
    restored(backup, clock)

    with opened(backup.parent / "restored", clock) as memory:
        kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
        tea = next(iter(kim.claims()))
        for attempt in (
            lambda: bot.message(drift),
            lambda: bot.document(drift, origin="https://copy.example"),
            lambda: bot.tool_result("search", text=drift),
            lambda: bot.remember(drift, sources=[tea]),
        ):
            with pytest.raises(RefusedError, match="^SUPPRESSED: it is not taken in here$"):
                attempt()
        line = f'{{"type":"message","person":"kim","agent":"bot","text":"{drift}"}}'
        assert [error.error for error in memory.ingest([line]).errors] == ["refused"]
        assert kim.message(SECRET, anew=True).text == SECRET  # she may say it herself
