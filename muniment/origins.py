"""Origins that copy each other: what the operator declares, and what is proposed to be declared."""

from muniment.claims import InvalidError, Kinship, NotFoundError
from muniment.lineage import (
    HOST,
    OriginClass,
    Store,
    origin_classes,
    write_same_origin,
)
from muniment.policy import decide

from .given import reason_given, text_given


def declare(store: Store, first: str, second: str, kinship: Kinship, *, reason: str) -> OriginClass:
    """Record that two origins are one, or take that back, and return the class of the first; nothing is said twice."""
    pair = (_number(store, first), _number(store, second))
    note = reason_given(reason)
    if pair[0] == pair[1]:
        raise InvalidError(f"{first!r} is one origin with itself; name two")
    declared = (min(pair), max(pair)) in store.state.kin
    if kinship is Kinship.APART and not declared:
        raise InvalidError(_not_declared(store, first, second, pair))
    if declared == (kinship is Kinship.APART):
        with store.group():
            write_same_origin(store, decide("OPERATOR_KNOWS"), HOST, pair, kinship, note=note)
    return origin_classes(store, pair[:1])[0]


def _number(store: Store, origin: str) -> int:
    number = store.names.find("origin", text_given(origin, "the origin"))
    if not number:
        raise NotFoundError(
            f"there is no origin {origin!r} here; `muniment origins` lists those there are"
        )
    return number


def _not_declared(store: Store, first: str, second: str, pair: tuple[int, int]) -> str:
    """Return why there is nothing to take back, with what to take back instead."""
    one, other = (store.state.origin_class(number) for number in pair)
    if one != other:
        return f"{first!r} and {second!r} were not declared to be one, so there is nothing to take back"
    between = "; ".join(
        f"{told.first!r} and {told.second!r}"
        for told in origin_classes(store, pair[:1])[0].declared
    )
    return f"{first!r} and {second!r} are one by way of others; take back one of: {between}"


def every_class(store: Store) -> tuple[OriginClass, ...]:
    """Return every origin there is, in its class."""
    entities = store.state.entity_types.items()
    return origin_classes(store, (number for number, sort in entities if sort == "origin"))
