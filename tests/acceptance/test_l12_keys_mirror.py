"""L12: the keys are kept apart, the latest only, under a passphrase; what is not possible without them is said."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import (
    InvalidError,
    KeysError,
    Memory,
    Session,
    Soundness,
    Source,
    Standing,
    StorageError,
)
from muniment.claims import MunimentError
from muniment.testing import findings, flat_embedder

from .conftest import Kept

CANARY = "The vault code is canary-47118352."
KOREAN = "배포는 금요일에 합니다."
SLOT = 64


def stated(session: Session, text: str) -> tuple[Source, str]:
    """Let a person say and remember something; return the message and the claim's identifier."""
    said = session.message(text)
    return said, session.remember(text, kind="stated", sources=[said]).id


def words_of(session: Session) -> list[str]:
    """Return the words of all claims of a session."""
    return [claim.words for claim in session.claims()]


def slots_of(place: Path) -> list[bytes]:
    """Return the payload keys in a folder, slot by slot."""
    raw = b"".join(path.read_bytes() for path in sorted(place.rglob("payload-*.keys")))
    return [raw[at : at + SLOT] for at in range(0, len(raw), SLOT)]


def test_a_lost_disk_comes_back_with_the_mirror(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim", project="아폴로")
        said, claim = stated(kim, KOREAN)
        memory.session(person="kim", project="아폴로", agent="bot").remember(
            "So it is Friday.", sources=[claim]
        )
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        before = [item.model_dump() for item in kim.claims()]
        source, key = kim.source(said.id), memory.signer.key
    old_key = (kept.store / "store.key").read_text()
    shutil.rmtree(kept.store)

    restoration = kept.restore(backup, "store")

    assert (restoration.keys_missing, restoration.lost) == (0, 0)
    with kept.open() as memory:
        kim = memory.session(person="kim", project="아폴로")
        assert [item.model_dump() for item in kim.claims()] == before
        assert kim.source(said.id) == source
        assert memory.signer.key == key
        assert [item.claim.words for item in kim.recall("배포").evidence] == [
            KOREAN,
            "So it is Friday.",
        ]
        assert findings(memory) == ()
    assert (kept.store / "store.key").read_text() != old_key


def test_the_keys_are_nowhere_in_clear(kept: Kept) -> None:
    with kept.open() as memory:
        stated(memory.session(person="kim"), CANARY)
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        secrets = [memory.store.keys.fingerprint, memory.store.keys.signing]
        secrets += [memory.store.keys.key(slot) for slot in range(memory.store.state.next_slot)]
    key = (kept.store / "store.key").read_text()
    secrets += [bytes.fromhex(key), key.encode()]

    for place in (kept.mirror, backup):
        held = [path.read_bytes() for path in place.rglob("*") if path.is_file()]
        assert not [secret for secret in secrets for raw in held if secret in raw]
        assert all(path.stat().st_mode & 0o077 == 0 for path in place.rglob("*.key*"))


def test_a_mirror_may_have_a_passphrase_of_its_own(kept: Kept) -> None:
    with kept.open() as memory:
        stated(memory.session(person="kim"), KOREAN)
        memory.keys_mirror(kept.mirror, passphrase="다른 암호 문구입니다")
        backup = kept.back_up(memory, "monday")

    with pytest.raises(InvalidError, match="passphrase does not open"):
        kept.restore(backup)
    assert kept.restore(backup, keys_passphrase="다른 암호 문구입니다").keys_missing == 0


def test_what_is_erased_leaves_a_mirror_in_reach_at_once(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        said, _ = stated(kim, CANARY)
        kept.mirror_keys(memory)
        before = slots_of(kept.mirror)

        erasure = kim.erase(said)

        destroyed = memory.store.state.destroyed
        after = slots_of(kept.mirror)
    assert erasure.mirrors == ()
    assert destroyed and all(any(before[slot]) and not any(after[slot]) for slot in destroyed)
    assert after == slots_of(kept.store)


def test_a_mirror_out_of_reach_is_named_until_it_is_brought_up(kept: Kept) -> None:
    away = kept.folder / "away"
    with kept.open() as memory:
        kim = memory.session(person="kim")
        said, _ = stated(kim, CANARY)
        other, _ = stated(kim, KOREAN)
        kept.mirror_keys(memory)
        shutil.move(kept.mirror, away)

        assert kim.erase(said).mirrors == (str(kept.mirror),)
        assert any(slots_of(away)[slot] != bytes(SLOT) for slot in memory.store.state.destroyed)
        assert (
            "could not be brought up"
            in memory.backup(kept.folder / "backup", passphrase=kept.passphrase).warnings[0]
        )
        shutil.move(away, kept.mirror)
        memory.keys_mirror(kept.mirror)  # it is there already, so no passphrase is needed
        assert not any(any(slots_of(kept.mirror)[slot]) for slot in memory.store.state.destroyed)
        assert kim.erase(other).mirrors == ()


def test_a_mirror_that_a_crash_left_behind_is_brought_up_at_opening(kept: Kept) -> None:
    away = kept.folder / "away"
    with kept.open() as memory:
        kim = memory.session(person="kim")
        said, _ = stated(kim, CANARY)
        kept.mirror_keys(memory)
        shutil.move(kept.mirror, away)
        kim.erase(said)
    shutil.move(away, kept.mirror)

    with kept.open() as memory:
        assert not any(any(slots_of(kept.mirror)[slot]) for slot in memory.store.state.destroyed)


def test_a_mirror_in_the_store_or_without_passphrase_is_refused(kept: Kept) -> None:
    with kept.open() as memory:
        with pytest.raises(InvalidError, match="elsewhere"):
            memory.keys_mirror(kept.store / "default" / "mirror", passphrase=kept.passphrase)
        with pytest.raises(InvalidError, match="passphrase"):
            memory.keys_mirror(kept.mirror)
        assert not kept.mirror.exists()
        assert any(
            "losing this disk loses the words" in line
            for line in memory.backup(kept.folder / "b", passphrase=kept.passphrase).warnings
        )
    with kept.open(read_only=True) as reader, pytest.raises(StorageError, match="read-only"):
        kept.mirror_keys(reader)


def verbs(kim: Session) -> list[Callable[[], object]]:
    """Return what somebody would try in a store."""
    return [
        lambda: kim.recall("deploy?"),
        lambda: list(kim.claims()),
        lambda: list(kim.export()),
        lambda: kim.message("hello"),
        lambda: kim.search_conversations("hello"),
    ]


def test_without_keys_everything_says_what_it_cannot_do(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim", project="apollo")
        said, claim = stated(kim, CANARY)
        derived = kim.remember("So there is a vault.", sources=[claim])
        kim.retract(derived)
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        shown = {item.id: item.standing for item in kim.claims()}

    restoration = kept.restore(backup, keys=None, newest=[kept.mirror])

    assert (restoration.keys, restoration.keys_missing > 0) == (0, True)
    with kept.open("restored") as memory:
        assert memory.keys_missing == restoration.keys_missing
        with pytest.raises(KeysError, match="INCOMPLETE.*cannot tell whether person 'kim'"):
            memory.session(person="kim", project="apollo")
        with pytest.raises(KeysError, match="INCOMPLETE"):
            memory.erase_person("kim")
        nobody = memory.session()
        for attempt in verbs(nobody):
            try:
                assert CANARY not in str(attempt())
            except MunimentError:
                continue
        statuses = {one.id: one for one in memory.statuses()}
        assert {name: one.standing for name, one in statuses.items()} == shown
        assert statuses[claim].grounds == ((said.id,),)
        assert statuses[derived.id].grounds == ((claim,),)
        assert statuses[derived.id].standing is Standing.RETRACTED
        assert memory.verify().soundness is Soundness.INCOMPLETE
        assert memory.rebuild()
    found = Memory.verify_files(kept.folder / "restored")
    assert [one.soundness for one in found.findings] == [Soundness.INCOMPLETE]
    assert "keys of the words of" in found.findings[0].message
    assert kept.restore(backup, "whole").keys_missing == 0


def test_keys_that_came_after_the_mirror_are_missed_and_the_others_read(kept: Kept) -> None:
    away = kept.folder / "away"
    with kept.open() as memory:
        kim = memory.session(person="kim")
        stated(kim, "We deploy on Fridays.")
        kept.mirror_keys(memory)
        shutil.move(kept.mirror, away)
    with kept.open() as memory:  # makes the keys anew that the mirror has ahead of any use
        kim = memory.session(person="kim")
        said, claim = stated(kim, CANARY)
        summary = kim.remember("There is a code.", sources=[claim])
        backup = kept.back_up(memory, "monday")

    restoration = kept.restore(backup, keys=away, accept_rollback=True)

    assert restoration.decision.rule == "ROLLBACK_ACCEPTED"
    assert restoration.keys_missing and restoration.keys
    with kept.open("restored") as memory:
        kim = memory.session(person="kim")
        words = words_of(kim)
        assert words[0] == "We deploy on Fridays." and words[-2:] == ["", ""]
        assert (kim.claim(claim).quote, kim.claim(claim).standing) == ("", Standing.ACTIVE)
        answer = kim.recall("deploy Fridays code", limit=1000)
        assert summary.id not in [item.claim.id for item in answer.evidence]
        with pytest.raises(KeysError, match="INCOMPLETE"):
            kim.source(said.id)
        with pytest.raises(KeysError, match="INCOMPLETE"):
            list(kim.export())
        assert kim.remember("We moved.", sources=[kim.message("We moved.")])
        assert kim.history(claim) and kim.trace(claim).nodes
    with Memory.open(
        kept.folder / "restored", embedder=flat_embedder(), clock=kept.clock, read_only=True
    ) as reader:
        answer = reader.session(person="kim").recall("deploy Fridays")
        assert [item.claim.words for item in answer.evidence] == ["We deploy on Fridays."]
    with kept.open("restored") as memory, pytest.raises(InvalidError, match="may hold keys"):
        memory.keys_mirror(away, passphrase=kept.passphrase)
