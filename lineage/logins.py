"""Accounts and who confirms them: a who-am-I of the service, or its look-up by the exact full login."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from unicodedata import normalize

from muniment.claims import UNREADABLE, Category, Kind, LoginCheck, Medium, canonical_text

from .access import shown_assertions
from .state import ClaimState
from .store import Store

_SEALED = b'"login":{'
_PARTICLE = "[\uac00-\ud7af]{0,4}"


class LoginSeen(NamedTuple):
    """How an account stands: `by` is the tool result that says so, `found` the login it names."""

    check: LoginCheck
    by: str = ""
    found: str = ""


class _Told(NamedTuple):
    """What a tool result says: at which services, whose session it is; or for which login it was asked."""

    seq: int
    services: tuple[str, ...]
    login: str
    asked: str
    person: str


def login_of(store: Store, claim: ClaimState, readable: frozenset[int]) -> LoginSeen | None:
    """Return how an account that was said or observed stands, by the results readable here; None for anything else.

    The newest who-am-I of each service named beside it counts, and the newest look-up by its exact login.
    """
    if claim.category is not Category.ACCOUNT or claim.kind not in (Kind.STATED, Kind.OBSERVED):
        return None
    words = _words(store, claim)
    value = normalize("NFC", str(words.get("value", ""))).removeprefix("@")
    beside = canonical_text(" ".join(str(words.get(name, "")) for name in _BESIDE))
    newest: dict[tuple[tuple[str, ...], bool], _Told] = {}
    person = store.state.names[store.state.scopes[claim.scope][1]]
    for told in _told(store, readable):
        same = told.person == person and any(_names(one, beside) for one in told.services)
        if value and same and told.asked in ("", value):
            newest[(told.services, bool(told.asked))] = told
    seen = LoginSeen(LoginCheck.UNVERIFIED)
    for told in sorted(newest.values()):
        by = store.state.names[told.seq]
        if told.login != value:
            return LoginSeen(LoginCheck.MISMATCH, by, told.login)
        seen = LoginSeen(LoginCheck.CONFIRMED, by, told.login)
    return seen


_BESIDE = ("quote", "subject", "attribute")


def _words(store: Store, claim: ClaimState) -> Mapping[str, Any]:
    for seq in shown_assertions(store.state, claim):
        try:
            return store.words(seq)
        except UNREADABLE:
            continue
    return {}


def _names(service: str, beside: str) -> bool:
    """Return whether a service is named in words, a Korean particle after it or not."""
    wanted = re.escape(canonical_text(service))
    return re.search(rf"(?<!\w){wanted}{_PARTICLE}(?!\w)", beside) is not None


def _told(store: Store, readable: frozenset[int]) -> Iterator[_Told]:
    """Yield what results in these scopes say of accounts, oldest first, as far as they stand."""
    state = store.state
    found = (told for scope in readable for told in _of_scope(store, scope))
    for told in sorted(found):
        if told.seq <= state.seq and told.seq in state.sources and told.seq not in state.revoked:
            yield told


def _of_scope(store: Store, scope: int) -> list[_Told]:
    """Return what the results of a scope say of accounts, read once."""
    if scope not in store.logins:
        seqs = sorted(
            source.seq
            for source in store.state.sources.values()
            if source.scope == scope and source.medium is Medium.TOOL_RESULT
        )
        store.logins[scope] = [
            (seq, json.loads(body)["login"]) for seq, body in store.bodies(seqs) if _SEALED in body
        ]
    return [
        _Told(seq, tuple(said["services"]), said["login"], said["asked"], said["person"])
        for seq, said in store.logins[scope]
    ]


def enter_login(store: Store, scope: int, seq: int, said: Mapping[str, Any]) -> None:
    """Take what a result says of an account into the list of its scope, where there is one."""
    if said and scope in store.logins:
        store.logins[scope].append((seq, said))
