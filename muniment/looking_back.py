"""Which moment is asked about, and the store as it stood then."""

from datetime import datetime
from typing import NamedTuple

from muniment.claims import AsOf, InvalidError, to_micros
from muniment.lineage import ClaimState, Store, last_record, past_store

from .acting import Acting
from .given import moment_given

Moment = datetime | AsOf | None


class Then(NamedTuple):
    """A store to read from and the moment whose validity is asked about."""

    store: Store
    now: int


def then_of(acting: Acting, as_of: Moment, *, only: str = "") -> Then:
    """Return the store of a moment: what was recorded by then, judged at the time asked about, by today's policy.

    A plain time means both. `only` is the one claim that is wanted, empty for all that may be read.
    """
    now = acting.now()
    if as_of is None:
        return Then(acting.store, now)
    if isinstance(as_of, AsOf):
        recorded, valid = as_of.recorded, as_of.valid
    else:
        recorded = valid = as_of
    recorded, valid = moment_given(recorded, "as_of"), moment_given(valid, "as_of")
    asked = to_micros(valid) if valid else now
    if recorded is None:
        return Then(acting.store, asked)
    known = to_micros(recorded)
    if known > now:
        raise InvalidError("as_of lies ahead: what will be recorded by then is not known yet")
    state = acting.store.state
    one = state.claims.get(state.ids.get(only, 0))
    readable = acting.readable()
    roots: list[ClaimState] = (
        [one for one in state.claims.values() if one.scope in readable]
        if not only
        else [one]
        if one
        else []
    )
    return Then(past_store(acting.store, last_record(acting.store, known), roots), asked)


def told_of(as_of: Moment) -> tuple[str, ...]:
    """Return the note that an answer about another moment carries."""
    if as_of is None:
        return ()
    whole = as_of if isinstance(as_of, AsOf) else AsOf(recorded=as_of, valid=as_of)
    recorded, valid = (at.isoformat() if at else "now" for at in (whole.recorded, whole.valid))
    return (f"as of another moment: recorded by {recorded}, valid at {valid}",)
