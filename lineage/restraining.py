"""The records that keep memory out of use: pauses, mutes, requests to forget, states of accounts, sensitivity."""

import hmac
from collections.abc import Sequence
from hashlib import sha256

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
    SensitiveRecord,
    Sensitivity,
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


def write_sensitive(
    store: Store,
    decision: Decision,
    writer: Writer,
    scope: int,
    sensitivity: Sensitivity,
    *,
    claim: int = 0,
    agents: Sequence[str] = (),
    identifier: str = "",
) -> Header:
    """Add to the open group that a scope, or a claim in it, is sensitive or ordinary again, and return the record.

    A sensitive scope gets a key of its own, or keeps the one it has.
    """
    names, words = store.state.names, list[Sealable]()
    if not claim and sensitivity is Sensitivity.SENSITIVE:
        apart = store.state.sensitive.scopes.get(scope)
        kept = apart is not None and apart.slot >= 0 and store.keys.is_alive(apart.slot)
        words.append(Sealable({"key": "of this scope"}, apart.slot if apart and kept else -1))
    return store.add(
        SensitiveRecord,
        words,
        id=identifier,
        scope=names[scope],
        claim=names[claim],
        sensitivity=sensitivity,
        agents=tuple(sorted(agents)),
        decision=stamp(store, decision),
        **who(store, writer),
    )


def scope_has_key(store: Store, scope: int) -> bool:
    """Return whether a sensitive scope has a key to seal its index with."""
    apart = store.state.sensitive.scopes.get(scope)
    return apart is not None and apart.slot >= 0 and store.keys.is_alive(apart.slot)


def index_key(store: Store, scope: int) -> bytes | None:
    """Return the 32-byte key under which a sensitive scope's index lies; None for an ordinary scope.

    Empty where the key is not here: erased, or not restored.
    """
    with store.lock:  # a group that is open may be taken back, and its keys with it
        apart = store.state.sensitive.scopes.get(scope)
        if apart is None:
            return None
        return (
            hmac.digest(store.keys.key(apart.slot), b"index", sha256)
            if scope_has_key(store, scope)
            else b""
        )
