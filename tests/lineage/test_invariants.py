"""The invariants of `muniment.testing` find what they are for: each is shown a store that breaks it."""

from pathlib import Path

import pytest

from muniment import Memory
from muniment.claims import Integrity, Kind, Lifecycle
from muniment.testing import (
    decision_findings,
    findings,
    graph_findings,
    integrity_findings,
    label_findings,
    quote_findings,
)


@pytest.fixture
def told(memory: Memory) -> Memory:
    """A store with a stated claim (the first) and one made from it by an agent."""
    kim = memory.session(person="kim")
    said = kim.message(parts=[("own", "We deploy on Fridays."), ("pasted", "and never on Mondays")])
    claim = kim.remember("We deploy on Fridays.", kind="stated", sources=[said])
    memory.session(person="kim", agent="helper").remember("Avoid Friday meetings.", sources=[claim])
    return memory


def test_a_sound_store_has_no_findings(told: Memory) -> None:
    assert findings(told) == ()


def test_a_label_nothing_holds_up_is_found(told: Memory) -> None:
    stated, _ = told.store.state.claims.values()
    stated.lifecycle = Lifecycle.RETRACTED

    assert len(label_findings(told.store.state)) == 2


def test_a_claim_above_its_grounds_is_found(told: Memory) -> None:
    _, made = told.store.state.claims.values()
    made.integrity = Integrity.USER

    assert any("is inferred and USER" in one for one in integrity_findings(told.store))


def test_a_stated_claim_without_its_persons_words_is_found(told: Memory) -> None:
    _, made = told.store.state.claims.values()
    made.kind = Kind.STATED

    assert len(quote_findings(told.store)) == 1


def test_a_graph_that_differs_is_found(told: Memory) -> None:
    stated, _ = told.store.state.claims.values()
    stated.version = 7
    told.store.state.touched.add(stated.seq)

    assert len(graph_findings(told)) == 1
    assert graph_findings(told) == ()


def test_a_rule_that_is_none_is_found(told: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment.policy import RULES

    monkeypatch.delitem(RULES, "OWN_WORDS")

    assert len(decision_findings(told.store)) == 1


def test_a_journal_that_was_changed_is_found(told: Memory, tmp_path: Path) -> None:
    (segment,) = (tmp_path / "store" / "default" / "journal").iterdir()
    raw = bytearray(segment.read_bytes())
    raw[-1] ^= 1
    segment.write_bytes(raw)

    assert told.verify().findings != ()
