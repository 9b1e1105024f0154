"""Legal holds: the operator keeps something from being destroyed, and lets go of it again."""

from unicodedata import normalize

from muniment.claims import Claim, Hold, InvalidError, NotFoundError, Source
from muniment.lineage import HOST, Store, hold_view, write_hold
from muniment.policy import decide

from .acting import identifier_of
from .given import reason_given, text_given


def hold(store: Store, thing: Claim | Source | str, *, person: str, reason: str) -> Hold:
    """Put a claim, a source or everything of a person on legal hold; each hold is released by itself."""
    note = reason_given(reason)
    if not note:
        raise InvalidError("a legal hold needs its reason; it is sealed, and shown to operators")
    target = _target(store, thing, person)
    with store.group():
        header = write_hold(store, decide("MAY_HOLD"), HOST, target, note=note)
    return hold_view(store, header.seq)


def release(store: Store, thing: Claim | Source | Hold | str, *, person: str, reason: str) -> Hold:
    """Let go of a hold, named by itself or by what it holds where that is under one hold alone."""
    note = reason_given(reason)
    seq = _hold(store, thing.id if isinstance(thing, Hold) else thing, person)
    with store.group():
        target = store.state.holds[seq]
        write_hold(store, decide("MAY_HOLD"), HOST, target, releases=seq, note=note)
    return hold_view(store, seq)


def holds(store: Store) -> tuple[Hold, ...]:
    """Return the holds in force, oldest first."""
    return tuple(hold_view(store, seq) for seq in store.state.holds)


def _hold(store: Store, thing: Claim | Source | str, person: str) -> int:
    """Return the one hold in force that is meant."""
    if not person:
        seq = store.state.ids.get(identifier_of(thing), 0)
        if seq in store.state.holds:
            return seq
    target = _target(store, thing, person)
    found = [seq for seq, held in store.state.holds.items() if held == target]
    if not found:
        raise NotFoundError(
            "nothing of that name is on legal hold by itself; `muniment hold` lists the holds in force"
        )
    if len(found) > 1:
        named = ", ".join(store.state.names[seq] for seq in found)
        raise InvalidError(f"{len(found)} holds are in force on it; release one of {named}")
    return found[0]


def _target(store: Store, thing: Claim | Source | str, person: str) -> int:
    """Return the number of the claim, source or person that is meant."""
    name = text_given(person, "the person")
    given = identifier_of(thing)
    if bool(name) == bool(given):
        raise InvalidError("name either a claim or a source by its identifier, or a person")
    if name:
        seq = store.names.find("person", normalize("NFC", name))
        if not seq:
            raise NotFoundError(f"there is no person {name!r} here")
        return seq
    seq, state = store.state.ids.get(given, 0), store.state
    claim = state.claims.get(seq)
    if not (claim and claim.assertions) and seq not in state.sources:
        raise NotFoundError(
            f"there is no claim and no source {given!r} here; what was erased is gone"
        )
    return seq
