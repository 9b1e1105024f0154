"""The records that keep memory out of use: pauses, mutes, requests to forget, states of accounts."""

from muniment.claims import (
    Account,
    AccountRecord,
    Asking,
    Decision,
    ForgetRecord,
    Header,
    MuteRecord,
    Muting,
    PauseRecord,
    Pausing,
)

from .store import Sealable, Store
from .writing import Writer, stamp, who


def write_pause(
    store: Store, decision: Decision, writer: Writer, scope: int, pausing: Pausing
) -> Header:
    """Add to the open group that memory is paused or resumed in a scope, and return the record."""
    return store.add(
        PauseRecord,
        (),
        scope=store.state.names[scope],
        pausing=pausing,
        decision=stamp(store, decision),
        **who(store, writer),
    )


def write_mute(
    store: Store,
    decision: Decision,
    writer: Writer,
    muting: Muting,
    *,
    scope: int,
    claim: int = 0,
    theme: int = 0,
    words: str = "",
    identifier: str = "",
) -> Header:
    """Add to the open group that a claim or a theme is muted or let in again, and return the record.

    `words` are those of a theme that is muted, `theme` is the record that muted it.
    """
    return store.add(
        MuteRecord,
        [Sealable({"theme": words})] if words else [],
        id=identifier,
        scope=store.state.names[scope],
        claim=store.state.names[claim],
        theme=store.state.names[theme],
        muting=muting,
        decision=stamp(store, decision),
        **who(store, writer),
    )


def write_forget(
    store: Store,
    decision: Decision,
    writer: Writer,
    claim: int,
    asking: Asking,
    *,
    note: str = "",
    identifier: str = "",
) -> Header:
    """Add to the open group that somebody asked to forget a claim, or that its person declined to."""
    return store.add(
        ForgetRecord,
        [Sealable({"note": note})] if note else [],
        id=identifier,
        claim=store.state.names[claim],
        asking=asking,
        decision=stamp(store, decision),
        **who(store, writer),
    )


def write_account(
    store: Store, decision: Decision, writer: Writer, person: int, account: Account
) -> Header:
    """Add to the open group in which state a person's account is, and return the record."""
    return store.add(
        AccountRecord,
        (),
        person=store.state.names[person],
        account=account,
        decision=stamp(store, decision),
        **who(store, writer),
    )
