"""Origins declared to be one: the edge `same_origin`, and the classes that the declarations in force make."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from muniment.claims import SameOriginRecord, Value, from_micros

from .state import State
from .store import Store


class Declared(Value):
    """Two origins that somebody declared to be one; `by` is empty for the operator."""

    first: str
    second: str
    by: str = ""
    reason: str = ""
    recorded_at: datetime


class OriginClass(Value):
    """Origins that count as one, in the order they were first named, and the declarations that make them one."""

    origins: tuple[str, ...]
    declared: tuple[Declared, ...] = ()


def origin_classes(store: Store, origins: Iterable[int]) -> tuple[OriginClass, ...]:
    """Return these origins in their classes, each with all that was declared one with them."""
    state = store.state
    members: dict[int, set[int]] = {}
    for one in origins:
        members.setdefault(state.origin_class(one), set()).add(one)
    declared: dict[int, list[int]] = {}
    for (first, second), seq in state.kin.items():
        root = state.origin_class(first)
        if root in members:
            members[root] |= {first, second}
            declared.setdefault(root, []).append(seq)
    return tuple(
        OriginClass(
            origins=tuple(store.names.name(one) for one in sorted(members[root])),
            declared=tuple(_declared(store, seq) for seq in sorted(declared.get(root, ()))),
        )
        for root in sorted(members)
    )


def _declared(store: Store, seq: int) -> Declared:
    header, number = store.header(seq), store.state.number
    assert isinstance(header, SameOriginRecord)  # only such records are kept as kin
    first, second = (store.names.name(number(origin)) for origin in header.origins)
    return Declared(
        first=first,
        second=second,
        by=store.names.name(number(header.by)),
        reason=str(store.words(seq)["note"]) if _has_words(store, header) else "",
        recorded_at=from_micros(header.at),
    )


def _has_words(store: Store, header: SameOriginRecord) -> bool:
    """Return whether the reason of a declaration was given and is still there."""
    return bool(header.seals) and header.seals[0].slot not in store.state.destroyed


def declarations_between(state: State, present: Iterable[int]) -> list[int]:
    """Return the records that make these origins one with each other, also by way of others, oldest first.

    Declarations that lead to none of them are left out, end by end.
    """
    wanted = set(present)
    reached = Counter(state.origin_class(one) for one in wanted)
    kept = {
        pair: seq for pair, seq in state.kin.items() if reached[state.origin_class(pair[0])] > 1
    }
    while True:
        ends = Counter(one for pair in kept for one in pair)
        loose = [pair for pair in kept if any(ends[one] == 1 and one not in wanted for one in pair)]
        if not loose:
            return sorted(kept.values())
        for pair in loose:
            del kept[pair]
