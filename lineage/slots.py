"""Slots: which claims of one scope say something of the same attribute of the same subject."""

import re
from collections.abc import Mapping

from muniment.claims import UNREADABLE, canonical_text

from .state import ClaimState
from .store import Store

SIGNS = re.compile(r"[-+#%&@/*=<>~^|\\$€£¥₩±×÷≤≥≠√°]|(?<=\d)[.,:](?=\d)")
"""What tells two values or sentences apart that have the same canonical text: +5 % and -5 %, C++ and C#."""


def rivals(store: Store, claim: ClaimState) -> tuple[ClaimState, ...]:
    """Return the claims in the same slot with another value, whatever became of them, oldest first.

    The map of a scope is made when it is first needed, and only for a claim that has a slot.
    """
    slot, value = _slot(store, claim)
    if not slot or not value:
        return ()
    found = filled(store, claim.scope).get(slot, {})
    others = (store.state.claims.get(seq) for seq, said in found.items() if said != value)
    return tuple(other for other in others if other is not None)


def filled(store: Store, scope: int) -> Mapping[str, Mapping[int, str]]:
    """Return by slot the claims of a scope that have one, each with the keyed fingerprint of its value."""
    if scope not in store.slots:
        store.slots[scope] = {}
        for one in store.state.claims.values():
            if one.scope == scope:
                enter(store, one)
    return store.slots[scope]


def slot_key(store: Store, subject: str, attribute: str) -> str:
    """Return the keyed fingerprint of a slot."""
    named = f"{canonical_text(subject)}|{canonical_text(attribute)}"
    return store.keys.fingerprint_of(named, b"slot")


def enter(store: Store, claim: ClaimState) -> None:
    """Take a claim into the map of its scope, where there is one."""
    if claim.scope in store.slots:
        slot, value = _slot(store, claim)
        if slot and value:
            store.slots[claim.scope].setdefault(slot, {})[claim.seq] = value


def _slot(store: Store, claim: ClaimState) -> tuple[str, str]:
    """Return the keyed fingerprints of a claim's slot and of its value, empty where it has none or was erased."""
    if not claim.assertions:
        return "", ""
    try:
        words = store.words(claim.assertions[0])
    except UNREADABLE:
        return "", ""
    value = str(words["value"])
    if not words["slot"] or not value.strip():
        return "", ""
    said = f"{canonical_text(value)}|{''.join(SIGNS.findall(value))}"
    return str(words["slot"]), store.keys.fingerprint_of(said, b"value")
