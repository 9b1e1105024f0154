"""Imports reviewed by origin: all that waits of one, with a sample, settled at once, or marked as the person's own."""

import secrets
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from muniment.claims import (
    CLAIM_LIMIT,
    Category,
    Claim,
    Decision,
    Integrity,
    InvalidError,
    Kind,
    Lifecycle,
    Medium,
    NotFoundError,
    PartLabel,
    RefusedError,
    Relation,
    Right,
    Source,
    SourceRecord,
    Value,
    Verb,
    canonical_bytes,
    from_micros,
    hidden_characters,
    to_micros,
    visible,
)
from muniment.lineage import (
    ClaimState,
    SourceState,
    claim_words,
    part_text,
    words_passage,
    write_change,
)
from muniment.policy import authority_of, decide, judge_marking, judge_settling

from .acting import Acting
from .echoing import read_out
from .endorsing import LIVES, OwnRequest, Requests, make_hers
from .given import MOST, NAME_LIMIT, Because, text_given
from .keeping import keep_claim, must_allow
from .proving import must_prove
from .remembering import Wish
from .reviewing import import_origin

SAMPLE = 10
_PASSED_ON = (PartLabel.PASTED, PartLabel.ATTACHED, PartLabel.TEXT)


class OriginReview(Value):
    """All that an import brought from one origin and that waits: how much it is, and a sample of it.

    The sample shows hidden characters, and first what has any; which lines it takes nobody outside can foresee. `seen`
    names exactly these claims, to be handed back when they are settled. `reach` is how far each would reach.
    """

    origin: str
    claims: int
    sample: tuple[str, ...]
    hidden: int
    reach: str
    seen: str
    recorded_at: datetime


class OriginSettled(Value):
    """What became of all that waited from one origin: how many claims, by which decision."""

    origin: str
    claims: int
    decision: Decision


class OwnMarked(Value):
    """What a person marked as her own: the claims that are hers now, and how many lines were left out as erased."""

    claims: tuple[str, ...]
    left_out: int = 0


def review_origins(acting: Acting) -> Iterator[OriginReview]:
    """Yield what imports brought and what waits for the person, one item for each origin, oldest first."""
    for origin, claims in list(_waiting(acting).items()):
        acting.has_read(Integrity.EXTERNAL)
        sample, hidden = _sample(acting, claims)
        read_out(acting, [claim.id for claim in sample])
        yield OriginReview(
            origin=origin,
            claims=len(claims),
            sample=tuple(visible(_words(acting, claim)) for claim in sample),
            hidden=hidden,
            reach=authority_of(Category.FACT, Integrity.EXTERNAL).name,
            seen=_seen(origin, claims),
            recorded_at=from_micros(claims[0].recorded),
        )


def _waiting(acting: Acting) -> dict[str, list[ClaimState]]:
    readable, found = acting.readable(), dict[str, list[ClaimState]]()
    for state in list(acting.store.state.claims.values()):
        waits = state.lifecycle is Lifecycle.PENDING and state.scope in readable
        if waits and acting.may_see(state) and (origin := import_origin(acting, state)):
            found.setdefault(origin, []).append(state)
    return found


def _words(acting: Acting, state: ClaimState) -> str:
    return claim_words(acting.store, state)


def _sample(acting: Acting, claims: Sequence[ClaimState]) -> tuple[list[ClaimState], int]:
    """Return some of the claims, first what has hidden characters, and how many do: the rest by a key of the store."""
    keys = acting.store.keys
    hidden = {claim.seq for claim in claims if hidden_characters(_words(acting, claim))}
    mixed = sorted(
        claims,
        key=lambda one: (one.seq not in hidden, keys.fingerprint_of(one.id, b"sample")),
    )
    return sorted(mixed[:SAMPLE], key=lambda one: one.seq), len(hidden)


def _seen(origin: str, claims: Sequence[ClaimState]) -> str:
    what = [origin, *(f"{claim.id}@{claim.version}" for claim in claims)]
    return sha256(canonical_bytes(what)).hexdigest()[:16]


def approve_origin(acting: Acting, origin: str, seen: str, because: Because) -> OriginSettled:
    """Let all that waits of an origin count, as from outside as before."""
    claims, decision = _to_settle(acting, Verb.APPROVE, origin, seen)
    must_prove(acting, Verb.APPROVE.value)
    return _settle(acting, decision, Verb.APPROVE, origin, claims, because)


def reject_origin(acting: Acting, origin: str, seen: str, because: Because) -> OriginSettled:
    """Let all that waits of an origin never count."""
    claims, decision = _to_settle(acting, Verb.REJECT, origin, seen)
    return _settle(acting, decision, Verb.REJECT, origin, claims, because)


def _to_settle(
    acting: Acting, verb: Verb, origin: str, seen: str
) -> tuple[list[ClaimState], Decision]:
    """Return what waits of an origin and whether somebody may settle it, it being what was shown."""
    decision = must_allow(
        acting,
        verb.value,
        judge_settling(alone=acting.alone, own_scope=True, lifecycle=Lifecycle.PENDING),
    )
    claims = _waiting(acting).get(text_given(origin, "the origin"), [])
    if not claims:
        raise NotFoundError(f"nothing waits from {origin!r} here; see what does with `review`")
    if not all(acting.owns(claim) for claim in claims):
        raise acting.refused(verb.value, decide("NOT_YOUR_SCOPE"))
    if text_given(seen, "seen") != _seen(origin, claims):
        raise acting.refused(verb.value, decide("PAYLOAD_CHANGED"))
    return claims, decision


def _settle(
    acting: Acting,
    decision: Decision,
    verb: Verb,
    origin: str,
    claims: Sequence[ClaimState],
    because: Because,
) -> OriginSettled:
    right = Right.ACCUMULATE if verb is Verb.APPROVE else Right.MANAGE
    lifecycle = Lifecycle.ASSERTED if verb is Verb.APPROVE else Lifecycle.REJECTED
    with acting.store.group() as store:
        writer = acting.writer(right)
        for claim in claims:
            write_change(
                store, decision, writer, claim, verb, lifecycle,
                note=because.note, code=because.code,
            )  # fmt: skip
    return OriginSettled(origin=origin, claims=len(claims), decision=decision)


# --- these are my words ---------------------------------------------------------------------------------------------


class _Words(NamedTuple):
    """What is to be marked: claims that an import brought, or lines of a source; how many have hidden characters."""

    claims: tuple[ClaimState, ...] = ()
    lines: tuple[str, ...] = ()
    hidden: int = 0

    @property
    def named(self) -> list[str]:
        """What an answer is bound to."""
        return [*(f"{one.id}@{one.version}" for one in self.claims), *self.lines]


def request_own(
    acting: Acting, requests: Requests, source: Source | str, origin: str, category: Category
) -> OwnRequest:
    """Return what the person is to be shown before she says that a source's or an import's words are hers."""
    if bool(source) == bool(text_given(origin, "the origin", limit=NAME_LIMIT)):
        raise InvalidError(
            "name either a source or the origin of an import, not both and not neither"
        )
    _must_mark(acting, category)
    node = _source(acting, source) if source else None
    request = _shown(
        acting, secrets.token_urlsafe(16), node, origin, category, acting.now() + LIVES
    )
    requests.own[request.nonce] = request
    return request


def _must_mark(acting: Acting, category: Category) -> Decision:
    judged = judge_marking(alone=acting.alone, own_scope=True, categories=(Category.FACT, category))
    return must_allow(acting, "mark_own", judged)


def _source(acting: Acting, source: Source | str) -> SourceState:
    """Return a message or a document of this person's."""
    (node,) = acting.nodes([source])
    if not isinstance(node, SourceState) or node.medium not in (Medium.MESSAGE, Medium.DOCUMENT):
        raise InvalidError(f"{node.id} is neither a message nor a document; those are marked")
    if acting.store.names.scope(node.scope).person != acting.scope.person:
        raise acting.refused("mark_own", decide("NOT_YOUR_SCOPE"))
    return node


def _shown(
    acting: Acting,
    nonce: str,
    node: SourceState | None,
    origin: str,
    category: Category,
    lapses: int,
) -> OwnRequest:
    """Return a request as it is now, with the digest of all that it stands for."""
    words = _lines(acting, node) if node else _imported(acting, origin)
    if not words.claims and not words.lines:
        raise NotFoundError("there is nothing there that could be marked; look at it with `show`")
    scope, reach = acting.claims_scope(), authority_of(category, Integrity.USER).name
    if words.lines:
        sample = words.lines  # of a paste she sees all: nothing may hide below what is shown
    else:
        sample = tuple(_words(acting, one) for one in _sample(acting, words.claims)[0])
    bound: dict[str, object] = {
        "nonce": nonce,
        "category": category.value,
        "reach": reach,
        "scope": scope.named(),
        "source": node.id if node else "",
        "origin": origin,
        "words": words.named,
    }
    return OwnRequest(
        nonce=nonce,
        origin=origin,
        source=node.id if node else "",
        lines=len(words.claims) + len(words.lines),
        sample=tuple(map(visible, sample)),
        hidden=words.hidden,
        category=category,
        reach=reach,
        scope=scope,
        lapses_at=from_micros(lapses),
        digest=sha256(canonical_bytes(bound)).hexdigest(),
    )


def _lines(acting: Acting, node: SourceState) -> _Words:
    """Return the lines of what was passed on in a source: pasted, attached, or all of a document."""
    header, text = acting.store.header(node.seq), part_text(acting.store, node.seq)
    parts = header.parts if isinstance(header, SourceRecord) else ()
    passed = [text[part.start : part.end] for part in parts if part.label in _PASSED_ON]
    lines = [line.strip() for words in passed for line in words.splitlines()]
    whole = dict.fromkeys(line for line in lines if 0 < len(line) <= CLAIM_LIMIT)
    if len(whole) > MOST:
        raise InvalidError(
            f"it has more than {MOST:,} lines; import it as a file and mark its origin"
        )
    clean = tuple(line for line in whole if not hidden_characters(line))
    return _Words(lines=clean, hidden=len(whole) - len(clean))


def _imported(acting: Acting, origin: str) -> _Words:
    """Return the claims that an import brought from an origin, that wait or stand, and that she has not made hers."""
    state, readable = acting.store.state, acting.readable()
    hers = {
        other
        for claim in list(state.claims.values())
        for relation, other in claim.relations
        if relation is Relation.ENDORSES and claim.lifecycle is Lifecycle.ASSERTED
    }
    found = [
        claim
        for claim in list(state.claims.values())
        if claim.kind is Kind.EXTERNAL
        and claim.category is Category.FACT
        and claim.lifecycle in (Lifecycle.PENDING, Lifecycle.ASSERTED)
        and claim.scope in readable
        and claim.seq not in hers
        and acting.owns(claim)
        and import_origin(acting, claim) == origin
    ]
    clean = tuple(claim for claim in found if not hidden_characters(_words(acting, claim)))
    return _Words(claims=clean, hidden=len(found) - len(clean))


def mark_own(acting: Acting, requests: Requests, nonce: str, digest: str) -> OwnMarked:
    """Keep what was shown as the person's own words, each line a claim; what it rests on keeps its label."""
    request = requests.own.get(text_given(nonce, "the nonce"))
    if request is None or request.scope != acting.claims_scope():
        raise NotFoundError("there is no such request here; ask for one, and look at what it shows")
    decision = _must_mark(acting, request.category)
    must_prove(acting, "mark_own", needed=True)
    if acting.now() >= to_micros(request.lapses_at):
        raise acting.refused("mark_own", decide("REQUEST_LAPSED"))
    node = _source(acting, request.source) if request.source else None
    now = _shown(
        acting, nonce, node, request.origin, request.category, to_micros(request.lapses_at)
    )
    if not now.digest == request.digest == digest:
        raise acting.refused("mark_own", decide("PAYLOAD_CHANGED"))
    words = _lines(acting, node) if node else _imported(acting, request.origin)
    made, left = list[str](), 0
    with acting.store.group():
        claims = [*words.claims, *_taken(acting, node, words.lines)]
        for claim in claims:
            seq = _mark(acting, decision, claim, request.category)
            made += [acting.store.state.names[seq]] if seq else []
            left += not seq
    del requests.own[nonce]
    return OwnMarked(
        claims=tuple(made), left_out=left + len(words.lines) + len(words.claims) - len(claims)
    )


def _taken(acting: Acting, node: SourceState | None, lines: Sequence[str]) -> Iterator[ClaimState]:
    """Yield what each line of a source says as from outside, which her own claim then rests on."""
    for line in lines if node else ():
        wish = Wish.asked(text=line, kind=Kind.EXTERNAL, category=Category.FACT)
        try:
            seq, _, _ = keep_claim(acting, wish, [node.id] if node else [], "")
        except RefusedError:  # erased or withdrawn: it stays out
            continue
        yield acting.store.state.claims[seq]


def _mark(acting: Acting, decision: Decision, state: ClaimState, category: Category) -> int:
    """Make a claim hers in the open group and return the new one, 0 where its words were erased."""
    shown: Claim = acting.view(state)
    passage = words_passage(
        acting.store, acting.claims_scope(), [shown.words], by_person=True, anew=False
    )
    if passage.is_closed:
        return 0
    if state.lifecycle is Lifecycle.PENDING:
        write_change(
            acting.store, decision, acting.writer(), state, Verb.APPROVE, Lifecycle.ASSERTED
        )
    return make_hers(acting, decision, state, shown, category, passage)
