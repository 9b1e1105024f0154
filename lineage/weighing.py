"""The values of a slot, weighed: one vote for each origin class, and no winner where there is none."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from muniment.claims import Integrity, Standing, Value, WeighedBy

from .access import shown_assertions
from .copying import Chances, chances_of, copies
from .independence import (
    Ancestry,
    Label,
    Named,
    ancestry_of,
    classes_of,
    count_support,
    leaves_of,
    root_of,
)
from .slots import filled
from .state import ClaimState
from .store import Store
from .views import standing_of

_CURRENT = (Standing.ACTIVE, Standing.CONTESTED)
_EVEN = 1e-9

Values = dict[str, list[ClaimState]]
"""By the keyed fingerprint of a value the claims that give it, oldest first."""


class Weighed(Value):
    """One value of a slot with what stands behind it.

    `independent` origins give it that are not known to share one or a speaker; at least so many where not `exact`.
    `likely` is how likely it is right, 0 to 1, where the values are ranked by accuracy.
    """

    value: str
    independent: int
    exact: bool
    mentions: int
    origins: tuple[str, ...]
    claims: tuple[str, ...]
    integrity: Integrity
    likely: float | None = None


class Weighing(Value):
    """The values of a slot in their order; `leading` are those that no other goes before: several where they tie."""

    subject: str
    attribute: str
    by: WeighedBy
    values: tuple[Weighed, ...] = ()
    leading: tuple[str, ...] = ()


class _Slot(NamedTuple):
    values: Values
    ancestry: Ancestry
    classes: list[frozenset[Label]]

    def part(self, value: str) -> Ancestry:
        return self.ancestry.below([claim.seq for claim in self.values[value]])


def current_slots(
    store: Store, scopes: Iterable[int], now: int, only: str = ""
) -> dict[str, Values]:
    """Return the slots of these scopes, or one of them, with the current claims that give each of their values."""
    found: dict[str, Values] = {}
    for scope in scopes:
        slots = filled(store, scope)
        for slot in (only,) if only else slots:
            for seq, value in slots.get(slot, {}).items():
                claim = store.state.claims[seq]
                if claim.assertions and standing_of(store, claim, now) in _CURRENT:
                    found.setdefault(slot, {}).setdefault(value, []).append(claim)
    return found


def weighings(
    store: Store, readable: frozenset[int], now: int, by: WeighedBy, only: str = ""
) -> Iterator[Weighing]:
    """Yield the slots a reader may read, or one of them by its key, each with its values in their order.

    How accurate an origin is shows in all slots, so by accuracy all of them are read, also for one.
    """
    wanted = only if by is WeighedBy.COUNT else ""
    slots = {
        slot: _slot(store, values, readable)
        for slot, values in current_slots(store, sorted(readable), now, wanted).items()
    }
    chances: Chances = {}
    if by is WeighedBy.ACCURACY:
        chances, _ = chances_of({slot: _votes(store, one) for slot, one in slots.items()})
    for slot, one in slots.items():
        if only in ("", slot):
            yield _weighing(store, one, readable, by, chances.get(slot, {}))


def _slot(store: Store, values: Values, readable: frozenset[int]) -> _Slot:
    claims = [claim for claims in values.values() for claim in claims]
    ancestry = ancestry_of(store, claims, readable)
    return _Slot(values, ancestry, classes_of(store, ancestry))


def _votes(store: Store, slot: _Slot) -> Mapping[int, Mapping[str, float]]:
    """Return one vote for each class that gives a value by itself, shared out where its origins differ."""
    counted: dict[int, Counter[str]] = defaultdict(Counter)
    given = {value: slot.part(value).alone() for value in slot.values}
    for labels in slot.classes:
        voice = min(root_of(store.state, label) for label in labels)
        for value, alone in given.items():
            counted[voice][value] += len(labels & alone)
    return {
        voice: {value: count / values.total() for value, count in values.items() if count}
        for voice, values in counted.items()
        if values.total()
    }


def _weighing(
    store: Store,
    slot: _Slot,
    readable: frozenset[int],
    by: WeighedBy,
    chances: Mapping[str, float],
) -> Weighing:
    weighed = [_weighed(store, slot, value, readable, by, chances) for value in slot.values]
    weight = {one.value: one.independent if one.likely is None else one.likely for one in weighed}
    weighed.sort(key=lambda one: (-weight[one.value], -one.independent, one.value))
    first = weight[weighed[0].value]
    words = _words(store, next(iter(slot.values.values()))[0])
    return Weighing(
        subject=words["subject"],
        attribute=words["attribute"],
        by=by,
        values=tuple(weighed),
        leading=tuple(
            one.value for one in weighed if first > 0 and weight[one.value] >= first - _EVEN
        ),
    )


def _weighed(
    store: Store,
    slot: _Slot,
    value: str,
    readable: frozenset[int],
    by: WeighedBy,
    chances: Mapping[str, float],
) -> Weighed:
    claims, part = slot.values[value], slot.part(value)
    leaves = leaves_of(part, slot.classes)
    count = count_support(0, part.grounds, leaves)
    named = Named(store, part, readable)
    return Weighed(
        value=_words(store, claims[0])["value"],
        independent=count.independent,
        exact=count.exact,
        mentions=len(leaves),
        origins=named.each(),
        claims=tuple(claim.id for claim in claims),
        integrity=max(claim.integrity for claim in claims),
        likely=chances.get(value, 0.0) if by is WeighedBy.ACCURACY else None,
    )


def _words(store: Store, claim: ClaimState) -> dict[str, str]:
    return store.words(shown_assertions(store.state, claim)[0])


# --- copies --------------------------------------------------------------------------------------------------------


class CopiedPair(Value):
    """Two origins that seem to copy each other: of `shared` slots both speak of they agree in `agreed`.

    In about `wrong` of those both are wrong, in the same words. `because` says what betrays them: that they agree in
    nearly everything, or that they err alike more often than chance allows.
    """

    first: str
    second: str
    shared: int
    agreed: int
    wrong: float
    because: str


class CopiedOrigins(Value):
    """Origins that seem to be one, and the pairs that say so, most shared errors first: a proposal, nothing more."""

    origins: tuple[str, ...]
    pairs: tuple[CopiedPair, ...]


def copied_origins(store: Store, now: int) -> tuple[CopiedOrigins, ...]:
    """Return the groups of origins that seem to copy each other and are not recorded as one, largest first."""
    said: dict[Hashable, dict[int, str]] = {}
    everywhere = frozenset(store.state.scopes)
    for scope in store.state.scopes:
        for slot, values in current_slots(store, (scope,), now).items():
            if voices := _voices(_slot(store, values, everywhere)):
                said[scope, slot] = voices
    spoken = {origin for values in said.values() for origin in values}
    known = {origin: store.state.origin_class(origin) for origin in spoken}
    found, name = copies(said, known), store.names.name
    return tuple(
        CopiedOrigins(
            origins=tuple(map(name, group)),
            pairs=tuple(
                CopiedPair(
                    first=name(one.first),
                    second=name(one.second),
                    shared=one.shared,
                    agreed=one.agreed,
                    wrong=round(one.wrong, 1),
                    because="they agree" if one.agreeing else "they err alike",
                )
                for one in found
                if one.first in group
            ),
        )
        for group in _groups([(one.first, one.second) for one in found])
    )


def _voices(slot: _Slot) -> dict[int, str]:
    """Return the one value each origin gives in a slot by itself; of several it gives none."""
    given: dict[int, list[str]] = {}
    for value in slot.values:
        for sort, origin in slot.part(value).alone():
            if sort == "origin":
                given.setdefault(origin, []).append(value)
    return {origin: values[0] for origin, values in given.items() if len(values) == 1}


def _groups(pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the numbers that the pairs connect, largest group first."""
    groups: list[set[int]] = []
    for pair in pairs:
        met = [group for group in groups if group & {*pair}]
        groups = [group for group in groups if not group & {*pair}]
        groups.append({*pair}.union(*met))
    return sorted(map(sorted, groups), key=lambda group: (-len(group), group))
