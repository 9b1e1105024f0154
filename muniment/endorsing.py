"""Endorsement, the only way up: the person sees exactly what a claim says and where it came from, and makes it hers."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from muniment.claims import (
    Category,
    Claim,
    Decision,
    Integrity,
    InvalidError,
    Kind,
    Medium,
    Named,
    NotFoundError,
    PartLabel,
    Relation,
    Scope,
    SpanRef,
    Standing,
    Value,
    from_micros,
    hidden_characters,
    to_micros,
)
from muniment.lineage import (
    UNKEYED,
    ClaimState,
    NewClaim,
    NewPart,
    Passage,
    standing_of,
    words_passage,
    write_claim,
    write_source,
)
from muniment.policy import Hint, decide, endorsed_authority, judge_endorsement

from .acting import Acting
from .given import Because, moment_given
from .keeping import must_allow
from .proving import must_prove
from .reviewing import ReviewItem, decline_claim, digest_of, is_quotation, review_item

_MINUTE = 60_000_000
LIVES, _HOUR, _MOST = 10 * _MINUTE, 60 * _MINUTE, 5
_UNLESS_SAID, _AT_MOST = timedelta(days=30), timedelta(days=90)
_VERB = "endorse"


class EndorsementRequest(Value):
    """What a person is shown before she endorses a claim; `digest` binds her answer to exactly this.

    `item` holds the words with hidden characters visible, and the way they came; `reach` how far the endorsed claim
    would reach, `expires_at` until when.
    """

    nonce: str
    item: ReviewItem
    category: Category
    reach: str
    scope: Scope
    expires_at: datetime
    lapses_at: datetime
    digest: str


class OwnRequest(Value):
    """What a person is shown before she says that words are hers; `digest` binds her answer to exactly these.

    Of a source the sample is all lines, of an import some. Those with hidden characters are left out, and counted as
    `hidden`; `reach` is how far each would reach.
    """

    nonce: str
    origin: str = ""
    source: str = ""
    lines: int
    sample: tuple[str, ...]
    hidden: int = 0
    category: Category
    reach: str
    scope: Scope
    lapses_at: datetime
    digest: str


class Requests(NamedTuple):
    """The requests that live, by nonce, those to mark words as her own, and by scope and origin when it asked there.

    Counted over all scopes, the limit would tell each reader what others were asked.
    """

    open: dict[str, EndorsementRequest]
    own: dict[str, OwnRequest]
    asked: dict[tuple[Scope, str], list[int]]


def request_endorsement(
    acting: Acting,
    requests: Requests,
    claim: Claim | str,
    *,
    category: Category | None,
    expires_at: datetime | None,
    hints: Sequence[Hint],
) -> EndorsementRequest:
    """Return what the person is to be shown; asking changes nothing, so anybody in her scope may."""
    (state,) = acting.nodes([claim])
    if not isinstance(state, ClaimState):
        raise InvalidError(f"{state.id} is a source; a claim is endorsed")
    now = acting.now()
    wanted = category or state.category
    must_allow(acting, _VERB, _judged(acting, state, wanted, alone=True))
    if standing_of(acting.store, state, now) not in (Standing.ACTIVE, Standing.CONTESTED):
        raise acting.refused(_VERB, decide("NOT_CURRENT", state.lifecycle.value))
    nonce, ends = secrets.token_urlsafe(16), _ends(expires_at, now)
    request = _shown(acting, nonce, state, wanted, ends, now + LIVES, hints)
    shown = request.item.claim
    if any(map(hidden_characters, (shown.words, shown.subject, shown.attribute, shown.value))):
        raise acting.refused(_VERB, decide("HIDDEN_CHARACTERS"))
    if _is_too_often(requests, request.scope, request.item.claim.origins, now):
        raise acting.refused(_VERB, decide("TOO_MANY_REQUESTS"))
    requests.open[request.nonce] = request
    acting.has_read(state.integrity)
    return request


def _is_too_often(requests: Requests, scope: Scope, origins: Sequence[str], now: int) -> bool:
    """Return whether one of these origins has asked too often there of late; if none has, each has asked once more.

    What is of no known origin is as of one.
    """
    named = [(scope, origin) for origin in origins or ("",)]
    for asker in named:
        times = requests.asked.get(asker, ())
        requests.asked[asker] = [at for at in times if now - at < _HOUR]
    if any(len(requests.asked[asker]) >= _MOST for asker in named):
        return True
    for asker in named:
        requests.asked[asker].append(now)
    return False


def _judged(acting: Acting, state: ClaimState, category: Category, *, alone: bool) -> Decision:
    return judge_endorsement(
        alone=alone,
        own_scope=acting.owns(state),
        categories=(state.category, category),
        integrity=state.integrity,
        declined=is_quotation(acting, state) and not acting.alone,
    )


def _ends(expires_at: datetime | None, now: int) -> int:
    """Return until when an endorsed claim holds: thirty days unless said, ninety at most."""
    begins = from_micros(now)
    ends = moment_given(expires_at, "expires_at") or begins + _UNLESS_SAID
    if not begins < ends <= begins + _AT_MOST:
        raise InvalidError(
            f"expires_at must lie ahead and within {_AT_MOST.days} days; endorse it again after that"
        )
    return to_micros(ends)


def _shown(
    acting: Acting,
    nonce: str,
    state: ClaimState,
    category: Category,
    ends: int,
    lapses: int,
    hints: Sequence[Hint] = (),
) -> EndorsementRequest:
    """Return a request as it is now, with the digest of all that it shows and of where the claim came from."""
    item, scope = review_item(acting, state, hints), acting.claims_scope()
    reach = endorsed_authority(category).name
    bound: dict[str, object] = {
        "nonce": nonce,
        "category": category.value,
        "reach": reach,
        "scope": scope.named(),
        "expires": ends,
        "path": [step.citation.id for step in item.line.path],
    }
    return EndorsementRequest(
        nonce=nonce,
        item=item,
        category=category,
        reach=reach,
        scope=scope,
        expires_at=from_micros(ends),
        lapses_at=from_micros(lapses),
        digest=digest_of(acting, state, item.claim, bound),
    )


def endorse(acting: Acting, requests: Requests, nonce: str, digest: str) -> ClaimState:
    """Keep what was shown as the person's own claim and return it; the original keeps its label."""
    request, state = _open(acting, requests, nonce)
    decision = must_allow(
        acting, _VERB, _judged(acting, state, request.category, alone=acting.alone)
    )
    must_prove(acting, _VERB, needed=True)
    ends, lapses = to_micros(request.expires_at), to_micros(request.lapses_at)
    if acting.now() >= lapses:
        raise acting.refused(_VERB, decide("REQUEST_LAPSED"))
    now = _shown(acting, nonce, state, request.category, ends, lapses)
    if not now.digest == request.digest == digest:
        raise acting.refused(_VERB, decide("PAYLOAD_CHANGED"))
    seq = _write(acting, state, request, decision)
    del requests.open[nonce]
    return acting.store.state.claims[seq]


def _open(acting: Acting, requests: Requests, nonce: str) -> tuple[EndorsementRequest, ClaimState]:
    request = requests.open.get(nonce)
    if request is None or request.scope != acting.claims_scope():
        raise NotFoundError("there is no such request here; ask for one, and look at what it shows")
    return request, acting.claim(request.item.claim.id)


def _write(
    acting: Acting, state: ClaimState, request: EndorsementRequest, decision: Decision
) -> int:
    words, scope = request.item.claim.words, acting.claims_scope()
    passage = words_passage(acting.store, scope, [words], by_person=True, anew=False)
    if passage.is_closed:
        raise acting.suppressed(_VERB, passage)
    shown, ends = request.item.claim, request.expires_at
    with acting.store.group():
        return make_hers(acting, decision, state, shown, request.category, passage, expires_at=ends)


def make_hers(
    acting: Acting,
    decision: Decision,
    state: ClaimState,
    shown: Claim,
    category: Category,
    passage: Passage,
    *,
    expires_at: datetime | None = None,
) -> int:
    """Add to the open group what the person was shown of a claim, and the claim of her own that rests on both."""
    store, words = acting.store, shown.words
    writer, number = acting.writer(), store.names.register_scope(acting.claims_scope())
    seen = write_source(
        store,
        decision,
        writer,
        medium=Medium.ENDORSEMENT,
        scope=number,
        parts=[NewPart(text=words, label=PartLabel.OWN, integrity=Integrity.USER)],
        write=UNKEYED,
        passage=passage,
    )
    source = store.state.names[seen]
    origins = [store.header(seq) for seq in state.assertions]
    return write_claim(
        store,
        decision,
        writer,
        NewClaim(
            kind=Kind.STATED,
            asked=Kind.STATED,
            category=category,
            integrity=Integrity.USER,
            scope=number,
            quote=words,
            subject=shown.subject,
            attribute=shown.attribute,
            value=shown.value,
            antecedents=(source, state.id),
            spans=(SpanRef(source=source, start=0, end=len(words)),),
            origins=tuple(
                dict.fromkeys(one for header in origins for one in getattr(header, "origins", ()))
            ),
            mark=Integrity.USER,
            parents_complete=True,
            expires_at=expires_at,
            relations=(Named(relation=Relation.ENDORSES, claim=state.id),),
            activity="endorse",
        ),
        UNKEYED,
        passage,
    )


def decline_endorsement(acting: Acting, requests: Requests, nonce: str) -> ClaimState:
    """Keep the claim as a quotation, as it was; no agent asks for it again."""
    request, state = _open(acting, requests, nonce)
    decision = must_allow(
        acting, _VERB, _judged(acting, state, request.category, alone=acting.alone)
    )
    decline_claim(acting, decision, state, Because("", None))
    del requests.open[nonce]
    return acting.store.state.claims[state.seq]
