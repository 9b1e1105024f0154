"""L06: an old backup comes back without anything that was erased or revoked since, and says when it is out of date."""

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import pytest

from muniment import (
    ErasedError,
    IntegrityError,
    InvalidError,
    Memory,
    RefusedError,
    Session,
    Soundness,
    Source,
    Standing,
    Witness,
)
from muniment.claims import EraseRecord, RestoreRecord
from muniment.lineage import unseal
from muniment.testing import findings, word_findings

from .conftest import Kept

CANARY = "The vault code is canary-47118352."
KOREAN = "금고 번호는 카나리아이다."


def stated(session: Session, text: str) -> tuple[Source, str]:
    """Let a person say and remember something; return the message and the claim's identifier."""
    said = session.message(text)
    return said, session.remember(text, kind="stated", sources=[said]).id


def words_of(session: Session) -> list[str]:
    """Return the words of all claims of a session."""
    return [claim.words for claim in session.claims()]


def rule_of(attempt: Callable[[], object]) -> str:
    """Return the rule an attempt is refused by."""
    with pytest.raises(RefusedError) as caught:
        attempt()
    return caught.value.decision.rule


def all_words(memory: Memory) -> str:
    """Return everything that any surviving key opens in the journal: each is tried on every payload."""
    store, found = memory.store, list[str]()
    keys = [store.keys.key(at) for at in range(store.state.next_slot) if store.keys.is_alive(at)]
    for raw in store.journal.scan():
        identifier = json.loads(raw.header)["id"].encode()
        for number, payload in enumerate(raw.payloads):
            for key in keys:
                try:
                    context = identifier + number.to_bytes(2, "big")
                    found.append(unseal(key, payload, context)[16:].decode())
                except IntegrityError:
                    continue
    return "\n".join(found)


def test_an_erased_canary_does_not_come_back_with_an_old_backup(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim", project="apollo")
        stated(kim, "We deploy on Fridays.")
        said, claim = stated(kim, CANARY)
        spoken, _ = stated(kim, KOREAN)
        bot = memory.session(person="kim", project="apollo", agent="bot")
        bot.remember("the canary code is known", sources=[claim])
        kim.recall("vault?")
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        assert "47118352" in all_words(memory)

        erasures = [kim.erase(said), kim.erase(spoken)]

    restoration = kept.restore(backup)

    assert restoration.erasures == tuple(erasure.id for erasure in erasures)
    assert (restoration.witness, restoration.decision.rule) == (Witness.MIRROR, "RESTORED")
    assert (restoration.keys_missing, restoration.lost > 0) == (0, True)
    with kept.open("restored") as memory:
        kim = memory.session(person="kim", project="apollo")
        assert words_of(kim) == ["We deploy on Fridays."]
        left = all_words(memory)
        assert "deploy" in left
        assert [word for word in ("47118352", "canary", "카나리아", "금고") if word in left] == []
        assert findings(memory) == ()
        assert rule_of(lambda: kim.message(CANARY)) == "SUPPRESSED"
        assert rule_of(lambda: kim.message(KOREAN)) == "SUPPRESSED"
        bot = memory.session(person="kim", project="apollo", agent="bot")
        other = kim.message("something else")
        assert rule_of(lambda: bot.remember(CANARY, sources=[other])) == "SUPPRESSED"
        assert "canary" not in str(kim.recall("vault canary 금고 카나리아").evidence)
        again = [memory.store.header(seq) for seq in memory.store.state.erasures]
        assert [one.decision.rule for one in again if isinstance(one, EraseRecord)] == [
            "REPLAYED",
            "REPLAYED",
        ]
        (restore,) = (memory.store.header(seq) for seq in memory.store.state.restores)
        assert isinstance(restore, RestoreRecord)
        assert (restore.records, restore.newest) == (restoration.records, restoration.newest)
        assert memory.verify().soundness is Soundness.OK
    for place in (kept.folder / "restored", kept.mirror, backup):
        assert word_findings(place, ["47118352", "카나리아"]) == ()


def test_no_file_of_a_backup_opens_a_word(kept: Kept) -> None:
    with kept.open() as memory:
        stated(memory.session(person="kim"), CANARY)
        backup = kept.back_up(memory, "monday")
        slots = [(kept.store / "default" / "keys" / "payload-000000.keys").read_bytes()[:60]]
    key = (kept.store / "store.key").read_bytes()

    files = {path.name: path.read_bytes() for path in backup.rglob("*") if path.is_file()}

    assert not [name for name in files if name.startswith("payload")]
    assert not [name for name, held in files.items() if slots[0] in held or key in held]
    assert not [name for name, held in files.items() if bytes.fromhex(key.decode()) in held]
    assert {"lineage.duckdb", "policy.toml", "store.toml", "head", "manifest.json"} <= set(files)
    seen = Memory.verify_files(backup)
    assert seen.soundness is Soundness.INCOMPLETE
    assert {one.soundness for one in seen.findings} == {Soundness.INCOMPLETE}


def test_what_was_revoked_since_is_revoked_first(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        (one, _), (two, _), (three, _) = (stated(kim, f"Fact number {n}.") for n in range(3))
        kim.revoke(two)
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        kim.revoke(one)
        kim.give_back(two)
        kim.revoke(three)
        kim.give_back(three)
        kept.mirror_keys(memory)

    assert kept.restore(backup).accesses == 2

    with kept.open("restored") as memory:
        kim = memory.session(person="kim")
        standings = [claim.standing for claim in kim.claims()]
        assert standings == [Standing.RESTRICTED, Standing.ACTIVE, Standing.ACTIVE]
        assert findings(memory) == ()


def test_what_was_put_out_of_use_since_stays_out_of_use(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim", project="apollo")
        (_, muted), (_, asked), (_, left) = (stated(kim, f"사실 number {n}.") for n in range(3))
        kim.mute(left)
        backup = kept.back_up(memory, "monday")
        kim.mute(muted)
        kim.unmute(left)
        memory.session(person="kim", project="apollo", agent="bot").request_forget(asked)
        kim.pause("project")
        memory.session(person="park").message("hello")
        memory.session(person="park").pause()
        memory.set_account("kim", "lapsed")
        kept.mirror_keys(memory)

    kept.restore(backup)

    with kept.open("restored") as memory:
        kim = memory.session(person="kim", project="apollo")
        assert not kim.may("prompt") and not memory.session(person="kim").may("accumulate")
        memory.set_account("kim", "active")
        assert memory.session(person="kim").may("prompt") and not kim.may("prompt")
        kim.resume("project")
        assert [one.claim for one in kim.mutes()] == [muted]
        assert [one.claim for one in kim.forget_requests()] == [asked]
        assert {one.claim.id for one in kim.recall("사실 number").evidence} == {left}
        assert memory.rebuild() and findings(memory) == ()


def test_what_was_put_on_legal_hold_since_is_held_and_what_was_released_is_not(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        (_, first), (_, second), (_, third) = (stated(kim, f"사실 number {n}.") for n in range(3))
        memory.hold(first, "court")
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        memory.release(first)
        held = memory.hold(second, "court")
        memory.hold(third, "court")
        memory.release(third)
        kept.mirror_keys(memory)

    kept.restore(backup)

    with kept.open("restored") as memory:
        kim = memory.session(person="kim")
        assert [(one.id, one.target) for one in memory.holds()] == [(held.id, second)]
        assert rule_of(lambda: kim.erase(second)) == "ON_LEGAL_HOLD"
        kim.erase(first)
        kim.erase(third)
        memory.release(second)
        assert findings(memory) == ()


def test_a_backup_without_anybody_who_knows_more_is_refused(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        said, _ = stated(kim, CANARY)
        backup = kept.back_up(memory, "monday")
        kim.erase(said)

    assert rule_of(lambda: kept.restore(backup, keys=None)) == "ROLLBACK"
    assert not (kept.folder / "restored").exists()

    accepted = kept.restore(backup, keys=None, accept_rollback=True)

    assert (accepted.decision.rule, accepted.witness) == ("ROLLBACK_ACCEPTED", Witness.NOTHING)
    with kept.open("restored") as memory:
        (restore,) = (memory.store.header(seq) for seq in memory.store.state.restores)
        assert isinstance(restore, RestoreRecord)
        assert restore.decision.rule == "ROLLBACK_ACCEPTED"


def test_the_store_itself_is_witness_and_has_the_keys(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        stated(kim, "We deploy on Fridays.")
        said, _ = stated(kim, CANARY)
        backup = kept.back_up(memory, "monday")
        kim.erase(said)
        stated(kim, "A mistake that is to be undone.")

        restoration = kept.restore(backup, keys=kept.store)

    assert (restoration.witness, len(restoration.erasures)) == (Witness.STORE, 1)
    with kept.open("restored") as memory:
        assert words_of(memory.session(person="kim")) == ["We deploy on Fridays."]
        assert "47118352" not in all_words(memory)


def test_a_mirror_that_is_older_than_the_backup_is_no_proof(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        stated(kim, "We deploy on Fridays.")
        kept.mirror_keys(memory)
        shutil.move(kept.mirror, kept.folder / "away")
        stated(kim, CANARY)
        backup = kept.back_up(memory, "monday")

    with pytest.raises(RefusedError, match="is older than the backup's") as caught:
        kept.restore(backup, keys=kept.folder / "away")
    assert caught.value.decision.rule == "ROLLBACK"


def test_an_anchor_shows_that_the_mirror_does_not_know_everything(kept: Kept) -> None:
    anchor = kept.folder / "anchor"
    with kept.open() as memory:
        kim = memory.session(person="kim")
        said, _ = stated(kim, CANARY)
        memory.checkpoint(anchor=anchor)
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        shutil.move(kept.mirror, kept.folder / "away")
        away = kept.folder / "away"
        assert kept.restore(backup, "early", keys=away, newest=[anchor]).decision.rule == "RESTORED"
        kim.erase(said)
        memory.checkpoint(anchor=anchor)

    assert rule_of(lambda: kept.restore(backup, keys=away, newest=[anchor])) == "ROLLBACK"
    with kept.open() as memory:
        kept.mirror_keys(memory)
    assert len(kept.restore(backup, newest=[anchor, kept.folder / "away"]).erasures) == 1


def test_an_anchor_alone_is_enough_where_nothing_came_later(kept: Kept) -> None:
    anchor = kept.folder / "anchor"
    with kept.open() as memory:
        stated(memory.session(person="kim"), CANARY)
        memory.checkpoint(anchor=anchor)
        backup = kept.back_up(memory, "monday")

    restoration = kept.restore(backup, keys=None, newest=[anchor])

    assert (restoration.witness, restoration.decision.rule) == (Witness.ANCHOR, "RESTORED")


def test_another_history_is_refused_even_where_a_rollback_is_accepted(kept: Kept) -> None:
    with kept.open() as memory:
        stated(memory.session(person="kim"), "We deploy on Fridays.")
    shutil.copytree(kept.store, kept.folder / "fork")
    with kept.open() as memory, kept.open("fork") as fork:
        stated(memory.session(person="kim"), CANARY)
        backup = kept.back_up(memory, "monday")
        for number in range(3):
            stated(fork.session(person="kim"), f"Another history {number}.")
        fork.keys_mirror(kept.mirror, passphrase=kept.passphrase)

    for witness in (kept.folder / "fork", kept.mirror):
        attempt = {"keys": None, "newest": [witness], "accept_rollback": True}
        assert rule_of(lambda given=attempt: kept.restore(backup, **given)) == "DIVERGED"  # type: ignore[misc]
    with kept.open("stranger") as stranger:
        stated(stranger.session(person="kim"), CANARY)
        stranger.keys_mirror(kept.folder / "other", passphrase=kept.passphrase)
    with pytest.raises(IntegrityError, match="DIVERGED"):
        kept.restore(backup, keys=kept.folder / "other")
    assert not (kept.folder / "restored").exists()


def test_what_was_said_and_erased_after_the_backup_stays_out_too(kept: Kept) -> None:
    with kept.open() as memory:
        stated(memory.session(person="kim"), "We deploy on Fridays.")
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        later = memory.session(person="kim", project="later")
        said, _ = stated(later, CANARY)
        stranger = memory.session(person="lee")
        theirs, _ = stated(stranger, KOREAN)
        later.erase(said)
        stranger.erase(theirs)

    assert len(kept.restore(backup).erasures) == 2

    with kept.open("restored") as memory:
        for text, fields in (
            (CANARY, {"person": "kim", "project": "later"}),
            (KOREAN, {"person": "lee"}),
        ):
            session = memory.session(**fields)
            assert rule_of(lambda here=session, said=text: here.message(said)) == "SUPPRESSED"  # type: ignore[misc]
        assert memory.session(person="kim", project="new").message(KOREAN)  # hers is another's
        assert findings(memory) == ()


def test_a_wording_that_came_after_the_backup_does_not_save_the_claim(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        said, claim = stated(kim, CANARY)
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        _, same = stated(kim, CANARY)
        assert same == claim
        erasure = kim.erase(said)
        assert erasure.survivors

    kept.restore(backup)

    with kept.open("restored") as memory:
        kim = memory.session(person="kim")
        assert words_of(kim) == []
        with pytest.raises(ErasedError, match=erasure.id):
            kim.claim(claim)
        assert "47118352" not in all_words(memory)
        assert findings(memory) == ()


def test_a_person_erased_since_is_gone_with_her_name(kept: Kept) -> None:
    with kept.open() as memory:
        stated(memory.session(person="kim"), CANARY)
        stated(memory.session(person="lee"), "We deploy on Fridays.")
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        memory.erase_person("kim")

    kept.restore(backup)

    with kept.open("restored") as memory:
        assert "kim" not in all_words(memory)
        assert words_of(memory.session(person="lee")) == ["We deploy on Fridays."]
        assert findings(memory) == ()


def test_a_block_that_was_cleared_since_stays_clear(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        kim.rewrite_block(f"{CANARY}\n{KOREAN}")
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        erasure = kim.clear_block()
        assert (erasure.mirrors, len(erasure.backups), erasure.lines) == ((), 1, 2)

    kept.restore(backup)

    with kept.open("restored") as memory:
        assert memory.session(person="kim").block().text == ""
        left = all_words(memory)
        assert "47118352" not in left and "카나리아" not in left
        (again,) = (memory.store.header(seq) for seq in memory.store.state.erasures)
        assert isinstance(again, EraseRecord) and (again.id, again.lines) == (erasure.id, 2)
        assert findings(memory) == ()


def test_a_changed_backup_is_not_restored(kept: Kept) -> None:
    with kept.open() as memory:
        stated(memory.session(person="kim"), CANARY)
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
    (segment,) = (backup / "default" / "journal").iterdir()
    before, manifest = segment.read_bytes(), (backup / "manifest.json").read_text()

    segment.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
    with pytest.raises(IntegrityError, match="was changed"):
        kept.restore(backup)
    segment.write_bytes(before)
    (backup / "manifest.json").write_text(manifest.replace('"keep_days": 90', '"keep_days": 91'))
    with pytest.raises(IntegrityError, match="bears no seal"):
        kept.restore(backup)
    (backup / "manifest.json").write_text(manifest)
    with pytest.raises(InvalidError, match="passphrase"):
        Memory.restore(backup, kept.folder / "restored", passphrase="another one", keys=kept.mirror)
    assert kept.restore(backup).keys_missing == 0


def test_a_backup_states_until_when_it_is_to_be_kept(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        early = kept.back_up(memory, "early", keep_days=30)
        said, _ = stated(kim, CANARY)
        kept.back_up(memory, "monday", keep_days=30)
        kept.back_up(memory, "tuesday", keep_days=60)
        told = kim.erase(said, dry_run=True).backups
        assert [Path(one.place).name for one in told] == ["monday", "tuesday"]
        assert kim.erase(said).backups == told
        assert told[0].keep_until - kept.clock() == timedelta(days=30)
        for days in (0, -1, True):
            with pytest.raises(InvalidError, match="keep_days"):
                kept.back_up(memory, "never", keep_days=days)
    kept.clock.move(timedelta(days=31))

    seen = Memory.backups(early.parent, clock=kept.clock)

    assert [(Path(one.place).name, one.past) for one in seen] == [
        ("early", True),
        ("monday", True),
        ("tuesday", False),
    ]
    (early / "manifest.json").write_text("{}")
    assert "cannot be read" in Memory.backups(early, clock=kept.clock)[0].fault


def test_a_place_that_is_taken_is_left_alone(kept: Kept) -> None:
    with kept.open() as memory:
        stated(memory.session(person="kim"), CANARY)
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
        with pytest.raises(InvalidError, match="there is something"):
            kept.back_up(memory, "monday")
        with pytest.raises(InvalidError, match="store's own folder"):
            memory.backup(kept.store / "backup", passphrase=kept.passphrase)
        with pytest.raises(InvalidError, match="too short"):
            memory.backup(kept.folder / "backups" / "x", passphrase="short")
        with pytest.raises(InvalidError, match="never overwrites"):
            kept.restore(backup, "store")
    (kept.folder / "full").mkdir()
    (kept.folder / "full" / "file").touch()
    with pytest.raises(InvalidError, match="there is something"):
        kept.restore(backup, "full")


def test_a_tenant_is_restored_into_a_store_that_has_others(kept: Kept) -> None:
    with kept.open() as memory:
        stated(memory.session(person="kim"), "We deploy on Fridays.")
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "monday")
    with kept.open("house", tenant="others") as memory:
        stated(memory.session(person="lee"), KOREAN)

    kept.restore(backup, "house")

    for tenant, person, words in (
        ("default", "kim", "We deploy on Fridays."),
        ("others", "lee", KOREAN),
    ):
        with kept.open("house", tenant=tenant) as memory:
            assert words_of(memory.session(person=person)) == [words]
            assert findings(memory) == ()


def test_a_reader_backs_up_and_writes_no_byte(kept: Kept) -> None:
    with kept.open() as memory:
        stated(memory.session(person="kim"), "We deploy on Fridays.")
        kept.mirror_keys(memory)
    before = {path: path.read_bytes() for path in kept.store.rglob("*") if path.is_file()}

    with kept.open(read_only=True) as reader:
        backup = kept.back_up(reader, "monday")

    assert {path: path.read_bytes() for path in kept.store.rglob("*") if path.is_file()} == before
    assert kept.restore(backup).keys_missing == 0


def test_a_restored_store_is_backed_up_and_restored_in_turn(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        said, _ = stated(kim, CANARY)
        stated(kim, "We deploy on Fridays.")
        kept.mirror_keys(memory)
        first = kept.back_up(memory, "monday")
        kim.erase(said)
    kept.restore(first)
    with kept.open("restored") as memory:
        kim = memory.session(person="kim")
        stated(kim, KOREAN)
        kept.mirror_keys(memory)  # the same place: it was restored knowing that very head
        second = kept.back_up(memory, "tuesday")

    with kept.open() as memory, pytest.raises(IntegrityError, match="DIVERGED"):
        stated(memory.session(person="kim"), "The old store goes on.")
        kept.mirror_keys(memory)
    kept.restore(first, "again")
    kept.restore(second, "later")

    for name, words in (("again", []), ("later", [KOREAN])):
        with kept.open(name) as memory:
            kim = memory.session(person="kim")
            assert words_of(kim) == ["We deploy on Fridays.", *words]
            assert rule_of(lambda here=kim: here.message(CANARY)) == "SUPPRESSED"  # type: ignore[misc]
            assert findings(memory) == ()


def test_a_backup_is_of_one_moment_while_others_write(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim")
        stated(kim, "We deploy on Fridays.")
        kept.mirror_keys(memory)
        stop, written = Event(), list[str]()

        def write() -> None:
            lee = memory.session(person="lee")
            while not stop.is_set():
                written.append(lee.message(f"Word number {len(written)}.").text)

        writer = Thread(target=write)
        writer.start()
        backups = [kept.back_up(memory, f"number {number}") for number in range(3)]
        stop.set()
        writer.join()
        kept.mirror_keys(memory)

    counts = list[int]()
    for number, backup in enumerate(backups):
        assert kept.restore(backup, f"restored {number}").keys_missing == 0
        with kept.open(f"restored {number}") as memory:
            said = [json.loads(line) for line in memory.session(person="lee").export()]
            texts = [line["text"] for line in said if line["type"] == "source"]
            assert texts == written[: len(texts)]
            counts.append(len(texts))
            assert findings(memory) == ()
    assert counts == sorted(counts) and counts[-1] > 0
