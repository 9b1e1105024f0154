"""Writing into the journal: nothing goes in without the decision of policy that let it."""

from collections.abc import Container, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from types import MappingProxyType

from muniment.claims import (
    Access,
    AccessRecord,
    AssertRecord,
    Category,
    ChangeRecord,
    ClaimRecord,
    ConflictError,
    Decision,
    EchoRef,
    Failure,
    Header,
    HoldRecord,
    Integrity,
    InvalidError,
    Kind,
    Kinship,
    Lifecycle,
    Medium,
    Named,
    PartLabel,
    PartRef,
    PolicyRecord,
    Purpose,
    ReasonCode,
    Reasoning,
    ReceiptRecord,
    RefusalRecord,
    Relation,
    SameOriginRecord,
    SecretRecord,
    SetStamp,
    SourceRecord,
    SpanRef,
    Stamp,
    Use,
    Value,
    Verb,
    canonical_bytes,
    canonical_text,
    to_micros,
    zone_of,
)

from .graph import collecting_later
from .independence import whole_fingerprint
from .keys import encoded
from .logins import enter_login
from .news import News
from .prints import RUN, prints_of
from .slots import SIGNS, enter, slot_key
from .state import (
    ClaimState,
    Effect,
    receipt_day,
    replace_source,
    set_access,
    set_lifecycle,
)
from .store import Sealable, Store
from .tombstones import Passage

_PROPOSITION = b'"proposition":"'
_WITHDRAWN = (
    Lifecycle.CORRECTED,
    Lifecycle.SUPERSEDED,
    Lifecycle.RETRACTED,
    Lifecycle.REJECTED,
)
_STANDS = (Lifecycle.ASSERTED, Lifecycle.PENDING)


class Writer(Value):
    """Who writes: numbers of entities; `behalf` is the person an agent acts for, 0 for nobody."""

    by: int
    behalf: int = 0


HOST = Writer(by=0)
"""The host itself, which no session names."""


class NewPart(Value):
    """A part of a source to be written, with its words; `receipt` names the recall that put them before the writer."""

    text: str
    label: PartLabel
    integrity: Integrity
    origin: int = 0
    media_type: str = "text/plain"
    field: str = ""
    value: str | int | bool | None = None
    receipt: str = ""


class NewClaim(Value):
    """A claim to be written, as policy ruled it; `antecedents` and `spans` name sources and claims by identifier.

    `leans_on` was recalled into its sources: it rests on that too, unless that is the claim itself.
    """

    kind: Kind
    asked: Kind
    category: Category
    integrity: Integrity
    scope: int
    quote: str = ""
    gist: str = ""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    task: str = ""
    failure: Failure = Failure()
    reasoning: Reasoning = Reasoning()
    antecedents: tuple[str, ...]
    leans_on: tuple[str, ...] = ()
    spans: tuple[SpanRef, ...] = ()
    origins: tuple[str, ...] = ()
    mark: Integrity
    parents_complete: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    recheck_at: datetime | None = None
    recheck_when: str = ""
    relations: tuple[Named, ...] = ()
    lifecycle: Lifecycle = Lifecycle.ASSERTED
    echo_of: tuple[EchoRef, ...] = ()
    activity: str = "remember"

    @property
    def beside(self) -> tuple[str, ...]:
        """Everything it says beside its quote and its gist, each by itself."""
        slot = (self.subject, self.attribute, self.value, self.recheck_when, self.task)
        return (*filter(None, slot), *self.failure.texts, *self.reasoning.texts)


class KeyedWrite(Value):
    """What makes a write the same write when it is sent again; empty for a write without a key."""

    key: str = ""
    request: str = ""


UNKEYED = KeyedWrite()
NOTHING_SAID: Mapping[str, object] = MappingProxyType({})


def keyed_write(store: Store, writer: Writer, key: str, request: object) -> KeyedWrite:
    """Return the keyed digests of an idempotency key, per writer, and of what was asked with it."""
    if not key:
        return UNKEYED
    return KeyedWrite(
        key=store.keys.fingerprint_of(f"{writer.by}|{key}", b"idempotency"),
        request=store.keys.fingerprint_of(canonical_bytes(request).decode("utf-8"), b"request"),
    )


def written_before(store: Store, write: KeyedWrite, key: str) -> int:
    """Return the record an earlier write with this key made, 0 for none.

    0 too where its words were erased: the tombstones answer for it. ConflictError when it asked for something else.
    """
    seq = store.state.keys.get(write.key, 0) if write.key else 0
    if seq in store.state.erased:
        return 0
    if seq and store.words(seq).get("request") != write.request:
        raise ConflictError(
            f"the key {key!r} was used before for something else; use a new key, or send the same again",
            current=store.state.names[seq],
        )
    return seq


def stamp(store: Store, decision: Decision) -> Stamp:
    """Return a decision as the journal keeps it, bound to the policy in force."""
    return Stamp(verdict=decision.verdict, rule=decision.rule, policy=store.state.policy[:16])


def who(store: Store, writer: Writer) -> dict[str, str]:
    """Return who writes, and for whom, as a header names them."""
    return {"by": store.state.names[writer.by], "behalf": store.state.names[writer.behalf]}


def write_secret(
    store: Store, decision: Decision, writer: Writer, person: int, check: Mapping[str, object]
) -> None:
    """Add to the open group what checks a person's secret, sealed; it takes the place of what stood before."""
    store.add(
        SecretRecord,
        [Sealable(check)],
        person=store.state.names[person],
        decision=stamp(store, decision),
        **who(store, writer),
    )


def write_policy(store: Store, digest: str, text: str) -> None:
    """Add the policy now in force to the open group."""
    store.add(PolicyRecord, [Sealable({"text": text})], digest=digest)


def write_source(
    store: Store,
    decision: Decision,
    writer: Writer,
    *,
    medium: Medium,
    scope: int,
    parts: Sequence[NewPart],
    origin: int = 0,
    conversation: int = 0,
    said_at: datetime | None = None,
    asserted_source: str = "",
    replaces: int = 0,
    echo_of: Sequence[EchoRef] = (),
    login: Mapping[str, object] = NOTHING_SAID,
    write: KeyedWrite,
    passage: Passage,
    identifier: str = "",
) -> int:
    """Add a source with its parts to the open group and return its number; each part has a key of its own.

    `login` is what a tool's result says of an account. What rests on the source it replaces, by number, becomes stale
    unless something else holds it up. `identifier` is the one it had in the store that it was carried over from.
    """
    must_be_open(passage)
    names, place = store.state.names, 0
    references: list[PartRef] = []
    sealables: list[Sealable] = []
    for number, part in enumerate(parts):
        references.append(
            PartRef(
                start=place,
                end=place + len(part.text),
                label=part.label,
                integrity=part.integrity,
                origin=names[part.origin],
                media_type=part.media_type,
                seal=number,
            )
        )
        place += len(part.text)
        words: dict[str, object] = {"text": part.text}
        if part.field:
            words |= {"field": part.field, "value": part.value}
        if number == 0:
            words |= {"request": write.request, "asserted_source": asserted_source}
            words["zone"] = zone_of(said_at) if said_at else ""
            words["whole"] = whole_fingerprint(store, "".join(one.text for one in parts))
            words |= {"login": login} if login else {}
        sealables.append(Sealable(words))
    # Labelled before the record, because the record carries the digests of the sets.
    effect = replace_source(store.state, replaces, store.state.seq + 1) if replaces else Effect()
    header = store.add(
        SourceRecord,
        sealables,
        id=identifier,
        medium=medium,
        origin=names[origin],
        scope=names[scope],
        session=names[conversation],
        parts=tuple(references),
        said_at=to_micros(said_at, "said_at") if said_at else None,
        replaces=names[replaces],
        echo_of=tuple(echo_of),
        anew=passage.anew,
        lost=set_stamp(store, effect.lost),
        rescued=set_stamp(store, effect.rescued),
        key=write.key,
        decision=stamp(store, decision),
        **who(store, writer),
    )
    enter_login(store, scope, header.seq, login)
    return header.seq


def must_be_open(passage: Passage) -> None:
    """Raise InvalidError for what the tombstones keep out; whoever wrote it should have asked before."""
    if passage.is_closed:
        raise InvalidError(
            "it was erased and may not come back; ask for its passage before writing it"
        )


def write_claim(
    store: Store,
    decision: Decision,
    writer: Writer,
    new: NewClaim,
    write: KeyedWrite,
    passage: Passage,
    *,
    identifier: str = "",
    same: int | None = None,
) -> int:
    """Add a claim, or one more assertion of it where it stands already, and return its number.

    The same claim is the same canonical text of one kind, category, integrity, scope and validity. What challenges
    another is the same only where it challenges that; what replaces another is always a claim of its own. Of what is
    carried over from another store, `identifier` is the one its record had there, and `same` the claim it asserts, 0
    for a new.
    """
    must_be_open(passage)
    proposition = _proposition(store, new)
    sealables = [Sealable(_rendering(store, new, proposition, write))]
    fields = dict(
        id=identifier,
        antecedents=tuple(dict.fromkeys((*new.antecedents, *new.leans_on))),
        spans=new.spans,
        origins=new.origins,
        echo_of=new.echo_of,
        activity=new.activity,
        asked=new.asked,
        mark=new.mark,
        parents_complete=new.parents_complete,
        anew=passage.anew,
        key=write.key,
        decision=stamp(store, decision),
        **who(store, writer),
    )
    times = [to_micros(at, what) if at else None for what, at in _times(new).items()]
    if same is None:
        repeats = all(named.relation is Relation.CHALLENGES for named in new.relations)
        same = _same_claim(store, new, times, proposition) if repeats else 0
    if same:
        name = store.state.names[same]
        others = (one for one in new.leans_on if one != name)  # what it repeats is itself
        fields["antecedents"] = tuple(dict.fromkeys((*new.antecedents, *others)))
        store.add(AssertRecord, sealables, claim=name, **fields)
        return same
    scope = store.state.names[new.scope]
    header = store.add(
        ClaimRecord,
        sealables,
        kind=new.kind,
        category=new.category,
        integrity=new.integrity,
        scope=scope,
        readers=(scope,),
        lifecycle=new.lifecycle,
        relations=new.relations,
        **dict(zip(("valid_from", "valid_to", "expires", "recheck"), times, strict=True)),
        **fields,
    )
    if new.scope in store.propositions:
        known = store.propositions[new.scope]
        known[proposition] = (*known.get(proposition, ()), header.seq)
    enter(store, store.state.claims[header.seq])
    return header.seq


def _times(new: NewClaim) -> dict[str, datetime | None]:
    times = {
        "valid_from": new.valid_from,
        "valid_to": new.valid_to,
        "expires_at": new.expires_at,
        "recheck_at": new.recheck_at,
    }
    if new.valid_from and new.valid_to and to_micros(new.valid_to) <= to_micros(new.valid_from):
        raise InvalidError("valid_to must be after valid_from; the interval is half-open")
    return times


def _rendering(
    store: Store, new: NewClaim, proposition: str, write: KeyedWrite
) -> dict[str, object]:
    words: dict[str, object] = {
        "quote": new.quote,
        "gist": new.gist,
        "subject": new.subject,
        "attribute": new.attribute,
        "value": new.value,
        "recheck_when": new.recheck_when,
        "zone": next((zone_of(at) for at in _times(new).values() if at), ""),
        "proposition": proposition,
        "slot": "",
        "shingles": _shingles(store, canonical_text(new.quote or new.gist)),
        "request": write.request,
    }
    # Only where there are any: what was sealed before there were details reads the same.
    for name, details in (("failure", new.failure), ("reasoning", new.reasoning)):
        if details.told:
            words[name] = details.model_dump_json()
    if new.task:
        words["task"] = new.task
    if new.attribute:
        words["slot"] = slot_key(store, new.subject, new.attribute)
    return words


def _shingles(store: Store, canonical: str) -> str:
    """Return the keyed 8-byte fingerprints of all runs of five words, packed; of a shorter text its one."""
    words = canonical.split(" ")
    return encoded(prints_of(store.keys.fingerprint, words, min(RUN, len(words))))


def _proposition(store: Store, new: NewClaim) -> str:
    """Return the keyed fingerprint of what a claim says: its canonical text, its signs, and its slot with the value.

    Signs count, because "+5 %" is not "-5 %" and C++ is not C#, though their canonical text is.
    """
    words = new.quote or new.gist
    signs = "".join(SIGNS.findall(words))
    slot: tuple[str, ...] = (canonical_text(new.subject), canonical_text(new.attribute), new.value)
    if new.task:  # what is wanted of one kind of task is not wanted of another
        slot = (*slot, canonical_text(new.task))
    return store.keys.fingerprint_of(
        "|".join((canonical_text(words), signs, *slot)), b"proposition"
    )


def _same_claim(store: Store, new: NewClaim, times: Sequence[int | None], proposition: str) -> int:
    for seq in propositions(store, new.scope).get(proposition, ()):
        claim, header = store.state.claims[seq], store.header(seq)
        if claim.lifecycle in _STANDS and isinstance(header, ClaimRecord):
            was = (header.kind, header.category, header.integrity)
            when = (header.valid_from, header.valid_to, header.expires)
            if new.relations and header.relations != new.relations:
                continue
            if was == (new.kind, new.category, new.integrity) and when == tuple(times[:3]):
                return seq
    return 0


def withdrawn_before(
    store: Store,
    new: NewClaim,
    scope: int,
    grounds: Sequence[int],
    *,
    but: Container[int] = frozenset(),
) -> int:
    """Return the claim that said the same in this scope and was corrected, replaced or withdrawn after all the grounds.

    0 when there is none: something that brings news since then, or a claim that stands, says it anew. The claims in
    `but` are not looked at.
    """
    found = 0
    for seq in propositions(store, scope).get(_proposition(store, new), ()):
        if seq in but:
            continue
        claim = store.state.claims[seq]
        if claim.lifecycle in _STANDS:
            return 0
        if claim.lifecycle in _WITHDRAWN:
            news = News(store, claim.head, new.quote or new.gist)
            if not any(news.brought_by(ground) for ground in grounds):
                found = seq
    return found


def propositions(store: Store, scope: int) -> dict[str, tuple[int, ...]]:
    """Return a scope's claims by what each says, opened from the sealed renderings at the first write there."""
    if scope not in store.propositions:
        claims = (
            store.state.claims[seq]
            for (where, _), seqs in store.state.by_category.items()
            if where == scope
            for seq in seqs
        )
        oldest = {claim.assertions[0]: claim.seq for claim in claims if claim.assertions}
        found: dict[str, list[int]] = {}
        with collecting_later():
            for rendering, body in store.bodies(sorted(oldest)):
                found.setdefault(_said_in(body), []).append(oldest[rendering])
            store.propositions[scope] = {said: tuple(sorted(seqs)) for said, seqs in found.items()}
    return store.propositions[scope]


def _said_in(body: bytes) -> str:
    """Return the proposition that a rendering's canonical JSON names; in a text its quote marks would be escaped."""
    start = body.index(_PROPOSITION) + len(_PROPOSITION)
    return body[start : body.index(b'"', start)].decode("ascii")


def write_change(
    store: Store,
    decision: Decision,
    writer: Writer,
    claim: ClaimState,
    verb: Verb,
    lifecycle: Lifecycle,
    *,
    code: ReasonCode | None = None,
    note: str = "",
    other: str = "",
    antecedents: Sequence[str] = (),
    valid_to: int | None = None,
    expires: int | None = None,
    recheck: int | None = None,
    identifier: str = "",
) -> Effect:
    """Add a change of a claim to the open group and return what lost its support or freshness and what was rescued."""
    # The labels are computed before the record, because the record carries the digests of the sets;
    # folding it in then finds nothing left to do.
    effect = set_lifecycle(store.state, claim, lifecycle)
    store.add(
        ChangeRecord,
        [Sealable({"note": note, "request": ""})] if note else [],
        id=identifier,
        verb=verb,
        claim=claim.id,
        previous=store.state.names[claim.head],
        lifecycle=lifecycle,
        other=other,
        antecedents=tuple(antecedents),
        reason=code or "",
        valid_to=valid_to,
        expires=expires,
        recheck=recheck,
        lost=set_stamp(store, effect.lost),
        rescued=set_stamp(store, effect.rescued),
        decision=stamp(store, decision),
        **who(store, writer),
    )
    return effect


def write_access(
    store: Store, decision: Decision, writer: Writer, source: int, access: Access, *, note: str = ""
) -> Effect:
    """Add to the open group that a source was revoked or given back and return what that blocked and restored."""
    effect = set_access(store.state, source, access)
    store.add(
        AccessRecord,
        [Sealable({"note": note, "request": ""})] if note else [],
        source=store.state.names[source],
        access=access,
        lost=set_stamp(store, effect.lost),
        rescued=set_stamp(store, effect.rescued),
        decision=stamp(store, decision),
        **who(store, writer),
    )
    return effect


def write_hold(
    store: Store, decision: Decision, writer: Writer, target: int, *, releases: int = 0, note: str
) -> Header:
    """Add to the open group that something is on legal hold, or that the hold `releases` on it is over."""
    names = store.state.names
    return store.add(
        HoldRecord,
        [Sealable({"note": note})] if note else [],
        target=names[target],
        releases=names[releases],
        decision=stamp(store, decision),
        **who(store, writer),
    )


def write_same_origin(
    store: Store,
    decision: Decision,
    writer: Writer,
    pair: tuple[int, int],
    kinship: Kinship,
    *,
    note: str = "",
) -> None:
    """Add to the open group that two origins are one, or that a declaration of that is taken back."""
    first, second = pair
    store.add(
        SameOriginRecord,
        [Sealable({"note": note, "request": ""})] if note else [],
        origins=(store.state.names[first], store.state.names[second]),
        kinship=kinship,
        decision=stamp(store, decision),
        **who(store, writer),
    )


def set_stamp(store: Store, claims: frozenset[int]) -> SetStamp:
    """Return the size of a set of claims and the SHA-256 of its sorted identifiers."""
    if not claims:
        return SetStamp()
    names = sorted(store.state.names[seq] for seq in claims)
    return SetStamp(
        count=len(names), digest=encoded(sha256("\n".join(names).encode("ascii")).digest())
    )


def write_receipt(
    store: Store,
    decision: Decision,
    writer: Writer,
    *,
    purpose: Purpose,
    scope: int = 0,
    given: Sequence[tuple[str, int, Use]] = (),
    known: int,
    moment: int,
    withheld: int = 0,
    words: dict[str, object] | None = None,
    held: Mapping[str, Sequence[str]] = {},
) -> Header:
    """Add the receipt of one recall to the open group; a reader's receipts of one day share a key.

    `given` are claim, version and use; without words nothing is sealed. `held` names by rule the claims that were kept
    back; it is sealed by itself, for whoever reads the receipt does not read that.
    """
    names = store.state.names
    day = receipt_day(names[scope], store.now()[0])
    sealables: list[Sealable] = []
    if words is not None:
        slot = store.state.receipt_slots.get(day, -1)
        slot = slot if slot >= 0 else store.keys.take()[0]
        sealed: list[dict[str, object]] = [
            words,
            {rule: list(claims) for rule, claims in held.items()},
        ]
        sealables = [Sealable(one, slot) for one in sealed if one]
    return store.add(
        ReceiptRecord,
        sealables,
        purpose=purpose,
        scope=names[scope],
        claims=tuple(claim for claim, _, _ in given),
        versions=tuple(version for _, version, _ in given),
        uses=tuple(use for *_, use in given),
        known=known,
        moment=moment,
        withheld=withheld,
        decision=stamp(store, decision),
        **who(store, writer),
    )


def write_refusal(
    store: Store, decision: Decision, writer: Writer, verb: str, write: KeyedWrite
) -> None:
    """Add to the open group that something was refused, by which rule, without what it said."""
    sealables = [Sealable({"request": write.request})] if write.key else []
    store.add(
        RefusalRecord,
        sealables,
        verb=verb,
        key=write.key,
        decision=stamp(store, decision),
        **who(store, writer),
    )
