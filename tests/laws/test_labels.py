"""Support and freshness are least fixpoints, whatever the graph and whatever happens to it."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.claims import (
    AssertRecord,
    Category,
    ChangeRecord,
    ClaimRecord,
    Integrity,
    Kind,
    Lifecycle,
    Medium,
    PartLabel,
    PartRef,
    ScopeRecord,
    SourceRecord,
    Stamp,
    Verb,
    Verdict,
)
from muniment.lineage import State
from muniment.testing import label_findings, labels_from_scratch

STAMP = Stamp(verdict=Verdict.ALLOW, rule="DERIVED", policy="p")
ENDS = (
    (Verb.CORRECT, Lifecycle.CORRECTED),
    (Verb.SUPERSEDE, Lifecycle.SUPERSEDED),
    (Verb.RETRACT, Lifecycle.RETRACTED),
    (Verb.REINSTATE, Lifecycle.ASSERTED),
    (Verb.CONFIRM, Lifecycle.ASSERTED),
)


class Ledger:
    """A journal in miniature: what is written is folded at once."""

    def __init__(self) -> None:
        self.state = State()
        self.state.apply(ScopeRecord(id="scope", seq=1, at=0))

    def _next(self) -> int:
        return self.state.seq + 1

    def source(self) -> str:
        """Add a source and return its name."""
        name = f"s{self._next()}"
        part = PartRef(start=0, end=1, label=PartLabel.OWN, integrity=Integrity.USER, seal=0)
        self.state.apply(
            SourceRecord(
                id=name, seq=self._next(), at=0, medium=Medium.MESSAGE, scope="scope",
                parts=(part,), decision=STAMP,
            )
        )  # fmt: skip
        return name

    def claim(self, grounds: Sequence[str]) -> str:
        """Add a claim that rests on all of these together and return its name."""
        name = f"c{self._next()}"
        self.state.apply(
            ClaimRecord(
                id=name, seq=self._next(), at=0, antecedents=tuple(grounds), asked=Kind.INFERRED,
                mark=Integrity.AGENT, decision=STAMP, kind=Kind.INFERRED, category=Category.FACT,
                integrity=Integrity.AGENT, scope="scope", readers=("scope",),
            )
        )  # fmt: skip
        return name

    def again(self, claim: str, grounds: Sequence[str]) -> None:
        """Assert a claim once more, on other grounds: later ones too, so that loops come about."""
        self.state.apply(
            AssertRecord(
                id=f"a{self._next()}", seq=self._next(), at=0, antecedents=tuple(grounds),
                asked=Kind.INFERRED, mark=Integrity.AGENT, decision=STAMP, claim=claim,
            )
        )  # fmt: skip

    def change(self, claim: str, verb: Verb, lifecycle: Lifecycle) -> tuple[set[str], set[str]]:
        """Change a claim and return which claims that took a label from, and which of them got it back."""
        before = self.held()
        self.state.apply(
            ChangeRecord(
                id=f"x{self._next()}", seq=self._next(), at=0, verb=verb, claim=claim,
                previous=claim, lifecycle=lifecycle, decision=STAMP,
            )
        )  # fmt: skip
        after = self.held()
        return before - after, after - before

    def held(self) -> set[str]:
        """Return the labels in force, as words."""
        return {
            f"{label} {claim.id}"
            for claim in self.state.claims.values()
            for label in ("supported", "fresh")
            if getattr(claim, label)
        }


@dataclass
class Step:
    """One step of a random history; numbers choose among what there is."""

    sort: str
    whom: int
    grounds: tuple[int, ...]
    end: int


steps = st.builds(
    Step,
    sort=st.sampled_from(("claim", "claim", "again", "again", "change")),
    whom=st.integers(0, 30),
    grounds=st.lists(st.integers(0, 30), min_size=1, max_size=3).map(tuple),
    end=st.integers(0, len(ENDS) - 1),
)
histories = st.lists(steps, min_size=3, max_size=24)


def lived(history: Sequence[Step]) -> Ledger:
    """Return the ledger of a history, held to the law after each step."""
    ledger = Ledger()
    nodes, claims = [ledger.source(), ledger.source()], list[str]()
    for step in history:
        grounds = [nodes[number % len(nodes)] for number in step.grounds]
        if step.sort == "claim" or not claims:
            claims.append(ledger.claim(grounds))
            nodes.append(claims[-1])
        elif step.sort == "again":
            ledger.again(claims[step.whom % len(claims)], grounds)
        else:
            ledger.change(claims[step.whom % len(claims)], *ENDS[step.end])
        assert label_findings(ledger.state) == ()
    return ledger


@pytest.mark.slow
@settings(max_examples=2_000, deadline=None)
@given(histories)
def test_labels_are_the_least_fixpoint_after_every_step(history: list[Step]) -> None:
    lived(history)


@pytest.mark.exhaustive
@settings(max_examples=40_000, deadline=None)
@given(histories)
def test_labels_are_the_least_fixpoint_in_tens_of_thousands_of_histories(
    history: list[Step],
) -> None:
    lived(history)


@settings(max_examples=200, deadline=None)
@given(histories)
def test_what_is_fresh_is_supported(history: list[Step]) -> None:
    labels = labels_from_scratch(lived(history).state)

    assert labels["fresh"] <= labels["supported"]


def test_a_loop_does_not_hold_itself_up() -> None:
    ledger = Ledger()
    ground = ledger.claim([ledger.source()])
    one = ledger.claim([ground])
    two = ledger.claim([one])
    ledger.again(one, [two])

    ledger.change(ground, Verb.RETRACT, Lifecycle.RETRACTED)

    assert ledger.held() == {f"supported {ground}", f"fresh {ground}"}


def test_a_second_ground_rescues_what_the_first_dropped() -> None:
    ledger = Ledger()
    first, second = ledger.claim([ledger.source()]), ledger.claim([ledger.source()])
    both = ledger.claim([first])
    ledger.again(both, [second])
    further = ledger.claim([both])

    lost, _ = ledger.change(first, Verb.CORRECT, Lifecycle.CORRECTED)
    assert lost == set()

    lost, _ = ledger.change(second, Verb.CORRECT, Lifecycle.CORRECTED)
    assert lost == {
        f"{label} {name}" for label in ("supported", "fresh") for name in (both, further)
    }


def test_supersession_keeps_support_and_takes_freshness() -> None:
    ledger = Ledger()
    old = ledger.claim([ledger.source()])
    resting = ledger.claim([old])

    lost, _ = ledger.change(old, Verb.SUPERSEDE, Lifecycle.SUPERSEDED)

    assert lost == {f"fresh {resting}"}


def test_the_check_itself_sees_a_wrong_label() -> None:
    ledger = Ledger()
    name = ledger.claim([ledger.source()])
    claim = ledger.state.claims[ledger.state.ids[name]]

    claim.fresh = False
    assert label_findings(ledger.state) == (f"claim {claim.seq} is not kept as fresh though it is",)
    claim.fresh, claim.lifecycle = True, Lifecycle.RETRACTED
    resting = ledger.claim([name])
    ledger.state.claims[ledger.state.ids[resting]].supported = True
    assert len(label_findings(ledger.state)) == 1
