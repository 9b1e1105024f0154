"""The person's secret: set once, proven in a session before what only she may do."""

import hmac
import secrets
from hashlib import scrypt
from unicodedata import normalize

from muniment.claims import ErasedError, InvalidError, Right
from muniment.lineage import write_secret
from muniment.policy import decide, judge_owner, judge_secret

from .acting import Acting
from .given import text_given
from .keeping import must_allow

_SHORTEST = 8
_COST = {"n": 2**14, "r": 8, "p": 1}
_MINUTES = 60_000_000
_PROVEN_FOR, _TRIES, _PAUSE = 10 * _MINUTES, 5, 10 * _MINUTES

Tries = dict[int, list[int]]
"""By person, when a wrong secret was given of late."""


def set_secret(acting: Acting, tries: Tries, secret: str, former: str) -> None:
    """Keep what checks the person's secret; where she has one already, `former` must be it."""
    must_allow(acting, "set_secret", judge_owner(alone=acting.alone))
    if len(text_given(secret, "the secret")) < _SHORTEST:
        raise InvalidError(f"the secret is too short; use at least {_SHORTEST} characters")
    if has_secret(acting):
        prove(acting, tries, former)
    salt = secrets.token_bytes(16)
    check = {"salt": salt.hex(), "digest": _digest(secret, salt).hex(), **_COST}
    with acting.store.group() as store:
        writer = acting.writer(Right.MANAGE)
        write_secret(store, decide("PROVEN"), writer, writer.by, check)
    acting.proven_until = acting.now() + _PROVEN_FOR


def has_secret(acting: Acting) -> bool:
    """Return whether the person of a session has set a secret."""
    return acting.asker().person in acting.store.state.secrets


def prove(acting: Acting, tries: Tries, secret: str) -> None:
    """Take the person's secret; for ten minutes this session may then do what needs it."""
    must_allow(acting, "prove", judge_owner(alone=acting.alone))
    person, now = acting.asker().person, acting.now()
    if not has_secret(acting):
        raise acting.refused("prove", decide("NO_SECRET"))
    late = tries[person] = [at for at in tries.get(person, ()) if now - at < _PAUSE]
    if len(late) >= _TRIES:
        raise acting.refused("prove", decide("TOO_MANY_TRIES"))
    if not _is_right(acting, person, text_given(secret, "the secret")):
        late.append(now)
        raise acting.refused("prove", decide("WRONG_SECRET"))
    tries.pop(person)
    acting.proven_until = now + _PROVEN_FOR


def _is_right(acting: Acting, person: int, secret: str) -> bool:
    try:
        check = acting.store.words(acting.store.state.secrets[person])
    except ErasedError:
        return False
    cost = {name: int(check[name]) for name in _COST}
    made = _digest(secret, bytes.fromhex(check["salt"]), cost)
    return hmac.compare_digest(made, bytes.fromhex(check["digest"]))


def _digest(secret: str, salt: bytes, cost: dict[str, int] = _COST) -> bytes:
    """Return the scrypt digest (RFC 7914) of a secret, however its letters are composed."""
    words = normalize("NFKC", secret).encode("utf-8")
    return scrypt(words, salt=salt, n=cost["n"], r=cost["r"], p=cost["p"], dklen=32)


def must_prove(acting: Acting, verb: str, *, needed: bool = False) -> None:
    """Refuse what the person has not proven to be her own doing; `needed`: also where she has set no secret."""
    proven = acting.now() < acting.proven_until
    must_allow(acting, verb, judge_secret(kept=has_secret(acting), proven=proven, needed=needed))
