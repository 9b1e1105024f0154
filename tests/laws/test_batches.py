"""Batches of revocations, changes and erasures over random cyclic histories: the least fixpoint, at its edges' cost.

A proposition may rest on itself by way of others: it is asserted again, on grounds that came later.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from typing import TypeVar

import pytest

from muniment.claims import (
    Access,
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
from muniment.lineage import State, set_access, take_away
from muniment.testing import label_findings, labels_from_scratch

STAMP = Stamp(verdict=Verdict.ALLOW, rule="DERIVED", policy="p")
ENDS = {
    Lifecycle.CORRECTED: Verb.CORRECT,
    Lifecycle.SUPERSEDED: Verb.SUPERSEDE,
    Lifecycle.RETRACTED: Verb.RETRACT,
    Lifecycle.ASSERTED: Verb.REINSTATE,
}
Item = TypeVar("Item")
Effects = tuple[frozenset[int], frozenset[int]]
Batch = tuple[list[int], list[int], list[tuple[int, int]]]
Shape = Callable[["History", int], tuple[int, int]]


class History:
    """A graph that is written to at random; `seq` numbers stand for the sources and claims."""

    def __init__(self) -> None:
        self.state = State()
        self.state.apply(ScopeRecord(id="1", seq=1, at=0))

    @property
    def _next(self) -> int:
        return self.state.seq + 1

    def source(self) -> int:
        """Add a source."""
        part = PartRef(start=0, end=1, label=PartLabel.OWN, integrity=Integrity.USER, seal=0)
        self.state.apply(
            SourceRecord(
                id=str(self._next), seq=self._next, at=0, medium=Medium.MESSAGE, scope="1",
                parts=(part,), decision=STAMP,
            )
        )  # fmt: skip
        return self.state.seq

    def claim(self, grounds: Iterable[int]) -> int:
        """Add a claim that rests on all of these together."""
        self.state.apply(
            ClaimRecord(
                id=str(self._next), seq=self._next, at=0, asked=Kind.INFERRED, kind=Kind.INFERRED,
                antecedents=_named(grounds), mark=Integrity.AGENT, decision=STAMP, scope="1",
                category=Category.FACT, integrity=Integrity.AGENT, readers=("1",),
            )
        )  # fmt: skip
        return self.state.seq

    def again(self, claim: int, grounds: Iterable[int]) -> None:
        """Assert a claim once more, on other grounds."""
        self.state.apply(
            AssertRecord(
                id=str(self._next), seq=self._next, at=0, antecedents=_named(grounds),
                asked=Kind.INFERRED, mark=Integrity.AGENT, decision=STAMP, claim=str(claim),
            )
        )  # fmt: skip

    def change(self, claim: int, lifecycle: Lifecycle) -> Effects:
        """Change a claim and return what that took a label from for good, and what kept it by other grounds."""
        effect = self.state.change(
            ChangeRecord(
                id="x", seq=self._next, at=0, verb=ENDS[lifecycle], claim=str(claim),
                previous=str(claim), lifecycle=lifecycle, decision=STAMP,
            )
        )  # fmt: skip
        return effect.lost, effect.rescued


def _named(grounds: Iterable[int]) -> tuple[str, ...]:
    return tuple(str(ground) for ground in dict.fromkeys(grounds))


def some(choose: random.Random, things: Sequence[Item], most: int) -> list[Item]:
    """Return one to some of the things."""
    return choose.sample(things, min(len(things), choose.randint(1, most)))


def grown(choose: random.Random) -> History:
    """Return a random history of some sources and claims, with loops."""
    history = History()
    sources = [history.source() for _ in range(choose.randint(1, 4))]
    claims: list[int] = []
    for _ in range(choose.randint(4, 14)):
        if claims and choose.random() < 0.5:
            history.again(choose.choice(claims), some(choose, sources + claims, 3))
        else:
            claims.append(history.claim(some(choose, sources + claims, 3)))
    return history


def held(state: State) -> dict[str, frozenset[int]]:
    """Return the claims that have each label, as the state keeps them."""
    return {
        label: frozenset(seq for seq, claim in state.claims.items() if getattr(claim, label))
        for label in ("supported", "fresh")
    }


def batch(
    state: State, choose: random.Random
) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """Return sources, claims and single renderings to be erased together."""
    living = [seq for seq, claim in state.claims.items() if claim.assertions]
    sources = some(choose, list(state.sources), 2) if state.sources else []
    whole = some(choose, living, 2) if living and choose.random() < 0.6 else []
    single = [
        (seq, choose.choice(state.claims[seq].assertions))
        for seq in living
        if seq not in whole and choose.random() < 0.3
    ]
    return sources, whole, single


def foreseen(before: State, after: State, seeds: set[int], besides: set[int]) -> Effects:
    """Return by definition what an edit at the seeds took a label from, and what it reached that kept it.

    `besides` lost grounds of their own.
    """
    lost, reached = set[int](), set[int]()
    for label, had in labels_from_scratch(before).items():
        lost |= had - labels_from_scratch(after)[label]
        waiting, own = list(seeds), besides & had
        while waiting:
            for seq in before.dependants.get(waiting.pop(), ()):
                if seq in had and seq not in own:
                    own.add(seq)
                    waiting.append(seq)
        reached |= own
    return frozenset(lost), frozenset(reached - lost)


def lived(number: int) -> None:
    """Live one history through, held to the law and to the sets it tells after each step."""
    choose = random.Random(number)
    history = grown(choose)
    state = history.state
    for _ in range(6):
        before = deepcopy(state)
        match choose.randrange(4):
            case 0:
                seq = choose.choice(list(state.claims))
                if state.claims[seq].lifecycle is Lifecycle.ERASED:
                    continue
                lost, rescued = history.change(seq, choose.choice(list(ENDS)))
                fell = labels_from_scratch(before), labels_from_scratch(state)
                assert lost == frozenset(
                    one for label in fell[0] for one in fell[0][label] - fell[1][label]
                ), number
                assert not rescued & lost
            case 1 if state.sources:
                seq = choose.choice(list(state.sources))
                again = seq in state.revoked
                effect = set_access(state, seq, Access.GIVEN if again else Access.REVOKED)
                if not again:
                    wanted = foreseen(before, state, {seq}, set())
                    assert (effect.lost, effect.rescued) == wanted, number
            case 2:
                choose.choice([lambda: None, history.source])()
                history.again(choose.choice(list(state.claims)), some(choose, [
                    *state.sources, *(seq for seq, one in state.claims.items() if one.assertions)
                ] or [history.source()], 3))  # fmt: skip
            case _:
                doomed = batch(state, choose)
                effect = take_away(state, *doomed)
                changed = {*doomed[0], *doomed[1], *(seq for seq, _ in doomed[2])}
                lost, rescued = foreseen(
                    before, state, changed, {seq for seq in changed if seq in state.claims}
                )
                whole = frozenset(doomed[1])
                assert (effect.lost, effect.rescued) == (lost - whole, rescued - whole), number
        assert label_findings(state) == (), number


@pytest.mark.slow
def test_what_a_batch_takes_and_leaves_is_the_least_fixpoint(
    request: pytest.FixtureRequest,
) -> None:
    histories = 20_000 if request.config.getoption("--exhaustive") else 1_000
    for number in range(histories):
        lived(number)


def test_the_order_in_a_batch_and_batches_one_by_one_make_no_difference() -> None:
    for number in range(300):
        choose = random.Random(number)
        state = grown(choose).state
        sources, whole, single = batch(state, choose)
        shuffled, parted = deepcopy(state), deepcopy(state)
        effect = take_away(state, sources, whole, single)
        other = take_away(
            shuffled,
            choose.sample(sources, len(sources)),
            choose.sample(whole, len(whole)),
            choose.sample(single, len(single)),
        )
        steps: list[Batch] = [
            *(([seq], [], []) for seq in sources),
            *(([], [seq], []) for seq in whole),
            *(([], [], [one]) for one in single),
        ]
        choose.shuffle(steps)
        told = [take_away(parted, *step) for step in steps]

        assert (effect.lost, effect.rescued) == (other.lost, other.rescued), number
        assert held(state) == held(shuffled) == held(parted), number
        assert effect.lost == frozenset().union(*(one.lost for one in told)) - set(whole), number


# --- cost ------------------------------------------------------------------------------------------------------


class Edges:
    """Counts the edges that are looked at: from a node to what rests on it, from a claim to what it rests on."""

    def __init__(self, state: State) -> None:
        self.seen = 0
        state.dependants = _Counted(state.dependants, self)
        for claim in state.claims.values():
            claim.justifications = _Grounds.of(claim.justifications, self)


class _Counted(dict[int, list[int]]):
    def __init__(self, found: dict[int, list[int]], edges: Edges) -> None:
        super().__init__(found)
        self._edges = edges

    def get(self, key: int, default: object = ()) -> list[int]:
        """Return what rests on a node and count it."""
        found = super().get(key, [])
        self._edges.seen += len(found)
        return found


class _Grounds(tuple[tuple[int, ...], ...]):
    _edges: Edges

    @classmethod
    def of(cls, found: tuple[tuple[int, ...], ...], edges: Edges) -> "_Grounds":
        """Return justifications that count what is read of them."""
        counted = cls(found)
        counted._edges = edges
        return counted

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for justification in super().__iter__():
            self._edges.seen += len(justification)
            yield justification


def neighbourhood(history: History, length: int) -> tuple[int, int]:
    """Add a source and a ladder of claims on it, every rung with a second ground; return the source and the edges."""
    first, other = history.source(), history.source()
    rungs = [history.claim([first])]
    for number in range(length):
        rungs.append(history.claim([rungs[-1]]))
        if number % 3 == 0:
            history.again(rungs[-1], [rungs[number // 2], other])
    history.again(rungs[0], [rungs[-1]])
    edges = sum(len(one) for seq in rungs for one in history.state.claims[seq].justifications)
    return first, edges


def joint(history: History, length: int) -> tuple[int, int]:
    """Add a claim that rests on many together; return the source of all and the edges."""
    source = history.source()
    history.claim([history.claim([source]) for _ in range(length)])
    return source, 2 * length


def repeated(history: History, length: int) -> tuple[int, int]:
    """Add a claim said many times, each time beside what is revoked; return the source of all and the edges."""
    source, revoked = history.source(), history.source()
    set_access(history.state, revoked, Access.REVOKED)
    grounds = [history.claim([source]) for _ in range(length)]
    top = history.claim([grounds[0], revoked])
    for ground in grounds[1:]:
        history.again(top, [ground, revoked])
    return source, 3 * length


SHAPES = (neighbourhood, joint, repeated)


def cost(strangers: int, length: int, shape: Shape = neighbourhood) -> tuple[int, int]:
    """Return how many edges revoking, giving back and erasing a source touch, and how many there are around it."""
    history = History()
    for _ in range(strangers):
        ground = history.source()
        history.again(history.claim([ground]), [ground, history.claim([ground])])
    source, there = shape(history, length)
    edges = Edges(history.state)
    set_access(history.state, source, Access.REVOKED)
    set_access(history.state, source, Access.GIVEN)
    take_away(history.state, [source], [], [])
    touched = edges.seen
    assert label_findings(history.state) == ()
    return touched, there


def test_the_cost_does_not_depend_on_what_else_there_is() -> None:
    costs = {cost(strangers, 30)[0] for strangers in (0, 10, 1_000)}

    assert len(costs) == 1
    assert costs != {0}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@pytest.mark.parametrize("length", [10, 100, 1_000])
def test_the_cost_is_in_proportion_to_the_edges_reached(shape: Shape, length: int) -> None:
    touched, there = cost(5, length, shape)

    # Three edits, two labels each; an edge is looked at when a claim is taken out and when it is tried again.
    assert touched <= 3 * 2 * 4 * there
