"""The records of runs of retention, and what is read from them: who ran it when, what went by which rule."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from muniment.claims import (
    Decision,
    EraseRecord,
    ErasureSort,
    Header,
    RetentionCount,
    RetentionRecord,
    Value,
    from_micros,
)

from .store import Store
from .writing import Writer, stamp, who

_AGAIN = "REPLAYED"  # what a restore did again belongs to a run that the backup does not know


class RetentionRun(Value):
    """A run of retention that was carried out: judged at `moment`, by whom, whose, its erasures, its counts by rule.

    One that did not end has no `id`: what it destroyed is destroyed, and the next run goes on with the rest. `by` and
    `person` are names, empty for the host and for everybody's.
    """

    id: str = ""
    ended_at: datetime | None = None
    moment: datetime | None = None
    by: str = ""
    person: str = ""
    erasures: tuple[str, ...] = ()
    counts: tuple[RetentionCount, ...] = ()


def write_retention(
    store: Store,
    decision: Decision,
    writer: Writer,
    *,
    moment: int,
    person: int,
    erasures: Iterable[str],
    counts: Sequence[RetentionCount],
) -> Header:
    """Add to the open group that a run of retention ended, and return the record; it holds counts and no words."""
    return store.add(
        RetentionRecord,
        (),
        moment=moment,
        person=store.state.names[person],
        erasures=tuple(erasures),
        counts=tuple(counts),
        decision=stamp(store, decision),
        **who(store, writer),
    )


def retention_runs(store: Store, person: int | None = None) -> tuple[RetentionRun, ...]:
    """Return the runs of retention, oldest first, one that did not end last; with `person` those she ran herself."""
    names, state = store.names, store.state
    found: list[RetentionRun] = []
    told: set[str] = set()
    for seq in state.retentions:
        header = store.header(seq)
        if isinstance(header, RetentionRecord):
            told.update(header.erasures)
            found.append(
                RetentionRun(
                    id=header.id,
                    ended_at=from_micros(header.at),
                    moment=from_micros(header.moment),
                    by=names.name(state.number(header.by)),
                    person=names.name(state.number(header.person)),
                    erasures=header.erasures,
                    counts=header.counts,
                )
            )
    for by, erasures in _unended(store, told).items():
        name = names.name(state.number(by))
        found.append(RetentionRun(by=name, person=name, erasures=tuple(erasures)))
    if person is None:
        return tuple(found)
    own = names.name(person)
    return tuple(run for run in found if own and run.by == run.person == own)


def _unended(store: Store, told: set[str]) -> dict[str, list[str]]:
    """Return the erasures of runs that did not end, by who ran them."""
    left: dict[str, list[str]] = {}
    for seq in store.state.erasures:
        header = store.header(seq)
        if isinstance(header, EraseRecord) and header.sort is ErasureSort.RETENTION:
            if header.id not in told and header.decision.rule != _AGAIN:
                left.setdefault(header.by, []).append(header.id)
    return left
