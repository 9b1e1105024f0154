"""L06: an old backup comes back without anything that was erased or revoked since, and says when it is out of date."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muniment import (
    IntegrityError,
    Memory,
    RefusedError,
    Restoration,
    Session,
    Soundness,
    Source,
    Witness,
)
from muniment.lineage import unseal
from muniment.testing import HandClock, findings, flat_embedder, word_findings

PASSPHRASE = "correct horse, 올바른 말"
CANARY = "The vault code is canary-4711."
카나리아 = "금고 번호는 카나리아-4711이다."


class Place:
    """A store with a place for its backups and one for the mirror of its keys, on a clock of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock = folder, HandClock()
        self.store, self.mirror = folder / "store", folder / "usb" / "mirror"
        self.anchor = folder / "anchor"

    def open(self, name: str = "store", **more: Any) -> Memory:
        return Memory.open(self.folder / name, clock=self.clock, embedder=flat_embedder(), **more)

    def backup(self, memory: Memory, name: str, **more: Any) -> Path:
        memory.backup(self.folder / "backups" / name, passphrase=PASSPHRASE, **more)
        return self.folder / "backups" / name

    def restore(self, backup: Path, name: str = "restored", **more: Any) -> Restoration:
        given: dict[str, Any] = {"keys": self.mirror, **more}
        return Memory.restore(
            backup, self.folder / name, passphrase=PASSPHRASE, clock=self.clock, **given
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "backups").mkdir()
    return Place(tmp_path)


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


def test_an_erased_canary_does_not_come_back_with_an_old_backup(place: Place) -> None:
    with place.open() as memory:
        kim = memory.session(person="kim", project="apollo")
        stated(kim, "We deploy on Fridays.")
        said, claim = stated(kim, CANARY)
        spoken, _ = stated(kim, 카나리아)
        bot = memory.session(person="kim", project="apollo", agent="bot")
        bot.remember("the canary code is known", sources=[claim])
        memory.keys_mirror(place.mirror, passphrase=PASSPHRASE)
        backup = place.backup(memory, "monday")
        assert "canary" in all_words(memory)

        erasures = [kim.erase(said), kim.erase(spoken)]

    restoration = place.restore(backup)

    assert restoration.erasures == tuple(erasure.id for erasure in erasures)
    assert (restoration.witness, restoration.decision.rule) == (Witness.MIRROR, "RESTORED")
    assert restoration.keys_missing == 0
    with place.open("restored") as memory:
        kim = memory.session(person="kim", project="apollo")
        assert words_of(kim) == ["We deploy on Fridays."]
        left = all_words(memory)
        assert "deploy" in left
        for word in ("canary", "카나리아", "vault", "금고"):
            assert word not in left
        assert findings(memory) == ()
        assert rule_of(lambda: kim.message(CANARY)) == "SUPPRESSED"
        assert rule_of(lambda: kim.message(카나리아)) == "SUPPRESSED"
        bot = memory.session(person="kim", project="apollo", agent="bot")
        fresh = kim.message("something else")
        assert rule_of(lambda: bot.remember(CANARY, sources=[fresh])) == "SUPPRESSED"
        assert "canary" not in str(kim.recall("vault canary 금고 카나리아").evidence)
        assert memory.verify().soundness is Soundness.OK
    assert word_findings(place.folder / "restored", ["4711", "카나리아"]) == ()
    assert word_findings(place.mirror, ["4711", "카나리아"]) == ()
    assert word_findings(backup, ["4711", "카나리아"]) == ()
