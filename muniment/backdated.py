"""What was recorded later than the time it claims: nobody knew it then, whatever it says."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Literal

from muniment.claims import Integrity, InvalidError, Value, from_micros, to_micros
from muniment.lineage import ClaimState, SourceState, Store, claim_words, is_restricted, part_text

from .given import moment_given

A_DAY = timedelta(days=1)
Says = Literal["said_at", "valid_from", "clock"]
_SAID_AT: Says = "said_at"
_VALID_FROM: Says = "valid_from"
_CLOCK: Says = "clock"


class Backdated(Value):
    """A source or claim that was recorded later than the time it claims.

    `says` is what names the earlier time: `said_at` of a source, `valid_from` of a claim. It is `clock` where the
    machine's clock stood before the record before it: then `claimed` is empty, and `recorded_at` is that record's time.
    """

    id: str
    sort: Literal["source", "claim"]
    words: str
    says: Says
    claimed: datetime | None
    recorded_at: datetime
    integrity: Integrity
    effect: str


def backdated_given(since: object, by: object) -> tuple[int, timedelta]:
    """Return from which moment on records are looked at, in microseconds, and how late is late."""
    moment = moment_given(since, "since")
    if not isinstance(by, timedelta) or by <= timedelta(0):
        raise InvalidError("by is no span of time longer than nothing; give a timedelta")
    return to_micros(moment) if moment else -(2**62), by


def backdated(
    store: Store, readable: frozenset[int], *, since: int, by: timedelta
) -> Iterator[Backdated]:
    """Yield what was recorded from a moment on and later by more than `by` than it claims, in the order of writing."""
    state, least = store.state, by // timedelta(microseconds=1)
    nodes: list[SourceState | ClaimState] = [*state.sources.values(), *state.claims.values()]
    for node in sorted(nodes, key=lambda one: one.seq):
        if node.scope not in readable or node.recorded < since:
            continue
        if isinstance(node, ClaimState):
            claimed, says = node.valid_from, _VALID_FROM
            if not node.assertions:
                continue
        else:
            claimed, says = node.said, _SAID_AT
        if claimed is not None and node.recorded - claimed > least:
            yield _told(store, node, says, claimed)
        elif store.header(node.seq).nudged:
            yield _told(store, node, _CLOCK, None)


def _told(
    store: Store, node: SourceState | ClaimState, says: Says, claimed: int | None
) -> Backdated:
    is_claim, words, at = isinstance(node, ClaimState), "", from_micros(node.recorded)
    if isinstance(node, ClaimState):
        words = claim_words(store, node)
    elif not is_restricted(store.state, node.seq):
        words = part_text(store, node.seq)
    then = None if claimed is None else from_micros(claimed)
    if then is None:
        effect = f"the clock stood before the record before it, so its time is that one's: {at.isoformat()}"
    else:
        effect = f"as of {then.isoformat()} it was not known: it is from {at.isoformat()} on"
    return Backdated(
        id=node.id,
        sort="claim" if is_claim else "source",
        words=words,
        says=says,
        claimed=then,
        recorded_at=at,
        integrity=node.integrity,
        effect=effect,
    )
