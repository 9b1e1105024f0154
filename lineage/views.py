"""What the graph knows, put back into words: sources, claims, their history and their lineage."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from muniment.claims import (
    UNREADABLE,
    Assertion,
    AssertRecord,
    Authority,
    Category,
    Change,
    ChangeRecord,
    Citation,
    Claim,
    ClaimRecord,
    Decision,
    Echo,
    ErasedError,
    EraseRecord,
    ErasureSort,
    Failure,
    ForgetRecord,
    Hold,
    HoldRecord,
    Integrity,
    IntegrityError,
    Kind,
    Lifecycle,
    LoginCheck,
    MuteRecord,
    NotFoundError,
    Part,
    PartLabel,
    PartRef,
    Reasoning,
    Relation,
    Source,
    SourceRecord,
    SpanRef,
    Stamp,
    Standing,
    Value,
    Verb,
    from_micros,
)
from muniment.policy import RULES, authority_of

from .access import is_restricted, shown_assertions
from .corpora import registered_in
from .holds import is_held
from .logins import login_of
from .muting import muted_by
from .state import ClaimState, SourceState
from .store import Store

_RENDERED = ("quote", "gist", "subject", "attribute", "value", "zone", "recheck_when")
_STANDING = {
    Lifecycle.ERASED: Standing.ERASED,
    Lifecycle.PENDING: Standing.PENDING,
    Lifecycle.REJECTED: Standing.REJECTED,
    Lifecycle.RETRACTED: Standing.RETRACTED,
    Lifecycle.CORRECTED: Standing.CORRECTED,
    Lifecycle.SUPERSEDED: Standing.SUPERSEDED,
}


def found(
    store: Store, identifier: str, readable: frozenset[int], *, owner: int = 0
) -> SourceState | ClaimState:
    """Return the source or claim behind an identifier; NotFoundError alike for what is not there and not readable.

    What was erased raises ErasedError for the person whose it was, by number as `owner`; nobody else learns of it.
    """
    seq = store.state.ids.get(identifier, 0)
    node = store.state.claims.get(seq) or store.state.sources.get(seq)
    gone: SourceState | ClaimState | None = store.state.erased_sources.get(seq)
    if isinstance(node, ClaimState) and node.lifecycle is Lifecycle.ERASED:
        gone = node
    if gone is not None and gone.scope in readable:
        if owner and store.state.scopes[gone.scope][1] == owner:
            raise _erased_error(store, gone)
        node = None
    if node is None or node.scope not in readable:
        raise NotFoundError(
            f"there is no {identifier!r} here; look it up with `muniment claims` or recall"
        )
    return node


def _erased_error(store: Store, gone: SourceState | ClaimState) -> ErasedError:
    erasure = gone.head if isinstance(gone, ClaimState) else store.state.erased[gone.seq]
    tombstone, day = store.state.names[erasure], day_of(store, erasure)
    header = store.header(erasure)
    aged = isinstance(header, EraseRecord) and header.sort is ErasureSort.RETENTION
    what = f"the time of {gone.id} was over on {day}" if aged else f"you erased {gone.id} on {day}"
    return ErasedError(f"{what}; tombstone {tombstone} is all that is left", tombstone=tombstone)


def day_of(store: Store, seq: int) -> str:
    """Return the day a record was written, in UTC."""
    return from_micros(store.header(seq).at).date().isoformat()


def standing_of(store: Store, claim: ClaimState, now: int) -> Standing:
    """Return the one word a claim is shown with at the moment `now`."""
    if claim.lifecycle is not Lifecycle.ERASED and is_restricted(store.state, claim.seq):
        return Standing.RESTRICTED
    if claim.lifecycle in _STANDING:
        return _STANDING[claim.lifecycle]
    if not claim.fresh:
        return Standing.STALE
    ended = any(end is not None and now >= end for end in (claim.expires, claim.valid_to))
    if ended or (claim.valid_from is not None and now < claim.valid_from):
        return Standing.EXPIRED
    return Standing.CONTESTED if challengers(store, claim) else Standing.ACTIVE


def challengers(store: Store, claim: ClaimState) -> tuple[ClaimState, ...]:
    """Return the claims that challenge this one, or replaced it before it was reinstated, and stand themselves."""
    others = (store.state.claims[seq] for seq in claim.challengers)
    return tuple(other for other in others if other.lifecycle is Lifecycle.ASSERTED and other.fresh)


def decision_of(stamp: Stamp) -> Decision:
    """Return a decision with its reason, from the stamp the journal keeps."""
    rule = RULES.get(stamp.rule)
    return Decision(
        verdict=stamp.verdict,
        rule=stamp.rule,
        reason=rule.reason if rule else "a rule of an older version",
    )


def part_text(store: Store, seq: int) -> str:
    """Return the raw text of a source."""
    return "".join(words["text"] for words in store.record(seq)[1])


def spoken_text(store: Store, seq: int) -> str:
    """Return the text of a message without what a recall had put before its writer."""
    return "".join(
        text for part, text in _parts_of(store, seq) if part.label is not PartLabel.RECALLED
    )


def own_words(store: Store, seq: int) -> tuple[str, Integrity]:
    """Return what the writer of a message wrote, nothing quoted, pasted or attached, and the integrity of that."""
    own = [(part, text) for part, text in _parts_of(store, seq) if part.label is PartLabel.OWN]
    level = min((part.integrity for part, _ in own), default=Integrity.EXTERNAL)
    return "".join(text for _, text in own), level


def _parts_of(store: Store, seq: int) -> Iterator[tuple[PartRef, str]]:
    header, sealed = store.record(seq)
    for part in header.parts if isinstance(header, SourceRecord) else ():
        yield part, sealed[part.seal]["text"]


def source_view(store: Store, source: SourceState, readable: frozenset[int]) -> Source:
    """Return a source with its words and parts, and as far as it may be read here what it says again."""
    header, sealed = store.record(source.seq)
    if not isinstance(header, SourceRecord):
        raise IntegrityError(f"record {source.seq} is no source although the graph says so")
    names = store.names
    return Source(
        id=source.id,
        medium=source.medium,
        author=names.name(source.author),
        origin=names.name(source.origin),
        scope=names.scope(source.scope),
        conversation=names.name(source.conversation),
        text="".join(words["text"] for words in sealed),
        parts=tuple(
            Part(
                start=part.start,
                end=part.end,
                label=part.label,
                integrity=part.integrity,
                origin=names.name(store.state.number(part.origin)),
                media_type=part.media_type,
            )
            for part in header.parts
        ),
        integrity=source.integrity,
        asserted_source=sealed[0]["asserted_source"],
        replaces=header.replaces,
        replaced_by=store.state.names[store.state.replaced.get(source.seq, [0])[-1]],
        echoes=tuple(_echoes(store, header, readable)),
        said_at=_moment(source.said),
        recorded_at=from_micros(source.recorded),
        on_legal_hold=is_held(store.state, source.seq),
    )


class Status(Value):
    """How a claim stands, without its words: `grounds` are its justifications, each the sources and claims it names."""

    id: str
    kind: Kind
    category: Category
    integrity: Integrity
    standing: Standing
    version: int
    grounds: tuple[tuple[str, ...], ...]
    recorded_at: datetime


def statuses_view(store: Store, now: int) -> Iterator[Status]:
    """Yield how every claim stands and what it rests on, oldest first: no key is needed for it."""
    names = store.state.names
    for claim in list(store.state.claims.values()):
        yield Status(
            id=claim.id,
            kind=claim.kind,
            category=claim.category,
            integrity=claim.integrity,
            standing=standing_of(store, claim, now),
            version=claim.version,
            grounds=tuple(tuple(names[seq] for seq in one) for one in claim.justifications),
            recorded_at=from_micros(claim.recorded),
        )


def _echoes(store: Store, header: SourceRecord, readable: frozenset[int]) -> Iterator[Echo]:
    state = store.state
    for echo in header.echo_of:
        node = state.ids[echo.of]
        known = state.claims.get(node) or state.sources.get(node)
        if known is not None and known.scope in readable:
            seq = state.given_out(node)
            yield Echo(
                of=echo.of,
                sort=echo.sort,
                start=echo.start,
                end=echo.end,
                given_at=from_micros(store.header(seq).at) if seq else None,
            )


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


_SETTLING = (Verb.APPROVE, Verb.REJECT, Verb.DECLINE)


def claim_view(store: Store, claim: ClaimState, *, now: int, readable: frozenset[int]) -> Claim:
    """Return a claim with its words and what it rests on, as a session reading these scopes may see it."""
    renderings: list[tuple[Assertion, dict[str, str]]] = []
    for seq in claim.assertions:
        header = store.header(seq)
        if isinstance(header, ClaimRecord | AssertRecord):
            renderings.append((header, _words_here(store, seq)))
    first = renderings[0][0]
    words = _shown_words(store, claim, renderings)
    related: dict[Relation, list[str]] = {}
    for relation, other in claim.relations:
        related.setdefault(relation, []).append(store.state.names[other])
    origins = sorted(
        {store.state.number(origin) for header, _ in renderings for origin in header.origins}
    )
    return Claim(
        id=claim.id,
        version=claim.version,
        kind=claim.kind,
        asked_kind=first.asked,
        category=claim.category,
        quote=words["quote"],
        gist=words["gist"],
        subject=words["subject"],
        attribute=words["attribute"],
        value=words["value"],
        task=words.get("task", ""),
        failure=Failure.model_validate_json(words.get("failure") or "{}"),
        reasoning=Reasoning.model_validate_json(words.get("reasoning") or "{}"),
        citations=_citations(store, [header for header, _ in renderings], readable),
        scope=store.names.scope(claim.scope),
        integrity=claim.integrity,
        authority=authority_now(claim),
        origins=tuple(
            f"{store.state.entity_types[origin]}:{store.names.name(origin)}" for origin in origins
        ),
        valid_from=_moment(claim.valid_from),
        valid_to=_moment(claim.valid_to),
        zone=words["zone"],
        expires_at=_moment(claim.expires),
        recheck_at=_moment(claim.recheck),
        recheck_when=words["recheck_when"],
        confirmed_at=_moment(claim.confirmed),
        confirmed_by=_confirmations(store, claim),
        quoted_at=_quoted_at(store, claim),
        supersedes=tuple(related.get(Relation.SUPERSEDES, ())),
        corrects=tuple(related.get(Relation.CORRECTS, ())),
        challenges=tuple(related.get(Relation.CHALLENGES, ())),
        replaced_by=store.state.names[claim.replaced_by],
        seen_count=len(claim.assertions),
        standing=standing_of(store, claim, now),
        muted=muted_by(store, claim, readable),
        decision=decision_of(first.decision),
        recorded_at=from_micros(claim.recorded),
        **_vouched_for(store, claim, readable),
        on_legal_hold=is_held(store.state, claim.seq),
        sensitive=store.state.sensitive.holds_back(claim),
    )


def _vouched_for(store: Store, claim: ClaimState, readable: frozenset[int]) -> dict[str, Any]:
    """Return who stands behind a claim beside its source: the service of an account, the operator of a corpus."""
    seen = login_of(store, claim, readable)
    corpus = registered_in(store, claim)
    return {
        "login": seen.check if seen else None,
        "login_by": seen.by if seen else "",
        "login_found": seen.found if seen and seen.check is LoginCheck.MISMATCH else "",
        "registered": store.state.names[corpus],
    }


def _shown_words(
    store: Store, claim: ClaimState, renderings: list[tuple[Assertion, dict[str, str]]]
) -> dict[str, str]:
    """Return the oldest rendering that may be shown; of none, nothing but empty words."""
    shown = shown_assertions(store.state, claim)
    for header, words in renderings:
        if header.seq in shown and words:
            return words
    return dict.fromkeys(_RENDERED, "")


def _words_here(store: Store, seq: int) -> dict[str, str]:
    """Return what is sealed in a record, nothing where its key is gone."""
    try:
        return store.words(seq)
    except UNREADABLE:
        return {}


def authority_now(claim: ClaimState) -> Authority:
    """Return what a claim may do now: nothing unless it is asserted."""
    return (
        authority_of(claim.category, claim.integrity)
        if claim.lifecycle is Lifecycle.ASSERTED
        else Authority.NONE
    )


def _confirmations(store: Store, claim: ClaimState) -> tuple[str, ...]:
    """Return what the last confirmation named."""
    for seq in reversed(claim.changes):
        header = store.header(seq)
        if isinstance(header, ChangeRecord) and header.verb is Verb.CONFIRM:
            return header.antecedents
    return ()


def _quoted_at(store: Store, claim: ClaimState) -> datetime | None:
    """Return when a claim was last kept as a quotation; one that counts since is none."""
    headers = [store.header(seq) for seq in claim.changes]
    settled = [one for one in headers if isinstance(one, ChangeRecord) and one.verb in _SETTLING]
    declined = settled and settled[-1].verb is Verb.DECLINE
    return from_micros(settled[-1].at) if declined else None


def _citations(
    store: Store, headers: list[Assertion], readable: frozenset[int]
) -> tuple[Citation, ...]:
    seen: dict[tuple[str, int], Citation] = {}
    for header in headers:
        spans = {span.source: span for span in header.spans}
        for antecedent in header.antecedents:
            span = spans.get(antecedent)
            key = (antecedent, span.start if span else -1)
            if key not in seen:
                seen[key] = citation(store, antecedent, span, readable)
    return tuple(seen.values())


def citation(
    store: Store, antecedent: str, span: SpanRef | None, readable: frozenset[int]
) -> Citation:
    """Return one ground of a claim with the words quoted from it; out of the reader's scope only that it exists."""
    seq = store.state.ids[antecedent]
    if seq in store.state.claims:
        claim = store.state.claims[seq]
        words = claim_words(store, claim) if claim.scope in readable else ""
        return Citation(
            id=antecedent,
            integrity=claim.integrity,
            quote=words,
            recorded_at=from_micros(claim.recorded),
        )
    source = store.state.sources[seq]
    if source.scope not in readable:
        return Citation(
            id=antecedent, integrity=source.integrity, recorded_at=from_micros(source.recorded)
        )
    start, end = (span.start, span.end) if span else (0, 0)
    return Citation(
        id=antecedent,
        medium=source.medium,
        author=store.names.name(source.author),
        origin=store.names.name(source.origin),
        integrity=quoted_integrity(store, seq, start, end) if span else source.integrity,
        start=start,
        end=end,
        quote=quoted(store, seq, start, end) if span else "",
        said_at=_moment(source.said),
        recorded_at=from_micros(source.recorded),
    )


def quoted(store: Store, source: int, start: int, end: int) -> str:
    """Return the words of a span; of erased parts and revoked sources there is nothing to quote."""
    if source in store.state.revoked:
        return ""
    try:
        return part_text(store, source)[start:end]
    except UNREADABLE:
        return ""


def quoted_integrity(store: Store, source: int, start: int, end: int) -> Integrity:
    """Return the lowest integrity of the parts that a span touches."""
    header = store.header(source)
    if not isinstance(header, SourceRecord):
        return Integrity.EXTERNAL
    touched = [part.integrity for part in header.parts if part.start < end and start < part.end]
    return Integrity(min(touched, default=Integrity.EXTERNAL))


def claim_words(store: Store, claim: ClaimState) -> str:
    """Return the words of a claim's oldest surviving rendering, empty where none survives."""
    for seq in shown_assertions(store.state, claim):
        try:
            words = store.words(seq)
        except UNREADABLE:
            continue
        return str(words["quote"] or words["gist"])
    return ""


def reasons_of(store: Store) -> Iterator[tuple[int, str]]:
    """Yield the records that hold a reason or a muted theme and nothing else, each with its words.

    Those of changes of a claim go with the claim: `said_of`.
    """
    state = store.state
    records = {
        *(seq for seq, _, _ in state.accesses),
        *(seq for seq, _ in state.holdings),
        *(kinship[0] for kinship in state.kinships),
        *state.restraint.records,
        *state.erasures,
    }
    for seq in sorted(records):
        if store.header(seq).seals:
            try:
                words = store.words(seq)
            except ErasedError:
                continue
            yield seq, " ".join(str(words[name]) for name in ("note", "theme") if words.get(name))


def said_of(store: Store, node: SourceState | ClaimState) -> tuple[str, ...]:
    """Return every text that goes when a source or a claim is erased: its words, its slot, its names, its notes.

    What was destroyed already is left out, what is revoked is not: this is for the operator.
    """
    if isinstance(node, SourceState):
        _, sealed = store.record(node.seq)
        names = (store.names.name(one) for one in (node.origin, node.conversation))
        return ("".join(words["text"] for words in sealed), sealed[0]["asserted_source"], *names)
    found: list[str] = []
    for seq in node.assertions:
        words = store.words(seq)
        parts = ("quote", "gist", "subject", "attribute", "value", "recheck_when", "task")
        found += [str(words.get(part, "")) for part in parts]
    for seq in node.changes:
        header = store.header(seq)
        if isinstance(header, ChangeRecord) and header.seals:
            found.append(_words_here(store, seq).get("note", ""))
    return tuple(text for text in found if text)


def questions(store: Store, person: int) -> Iterator[str]:
    """Yield the questions that others than a person asked, as far as their keys are there."""
    readers = [seq for seq, key in store.state.scopes.items() if not person or key[1] != person]
    store.post()
    for seq, slot in store.graph.receipts_of((), readers):
        if slot not in store.state.destroyed:
            yield str(store.words(seq)["question"])


def hold_view(store: Store, seq: int) -> Hold:
    """Return a legal hold by the number of its record, with its reason; of an erased reason there is none."""
    header = store.header(seq)
    if not isinstance(header, HoldRecord):
        raise IntegrityError(f"record {seq} is no hold although the graph says so")
    try:
        reason = str(store.words(seq)["note"]) if header.seals else ""
    except ErasedError:
        reason = ""
    return Hold(
        id=header.id,
        target=header.target,
        reason=reason,
        held_at=from_micros(header.at),
        released=seq not in store.state.holds,
    )


def history_view(store: Store, claim: ClaimState) -> tuple[Change, ...]:
    """Return what happened to a claim, oldest first, each entry naming who, when, why and by which rule."""
    entries: list[Change] = []
    for version, seq in enumerate(sorted((*claim.assertions, *claim.erased, *claim.changes)), 1):
        header = store.header(seq)
        by = store.names.name(store.state.number(header.by))
        if isinstance(header, ChangeRecord):
            entries.append(
                Change(
                    verb=header.verb.value,
                    by=by,
                    version=version,
                    standing=header.lifecycle.value,
                    reason=_words_here(store, seq).get("note", "") if header.seals else "",
                    code=header.reason,
                    other=header.other,
                    lost=header.lost.count,
                    rescued=header.rescued.count,
                    decision=decision_of(header.decision),
                    recorded_at=from_micros(header.at),
                )
            )
        elif isinstance(header, EraseRecord):
            entries.append(
                Change(
                    verb="erase",
                    by=by,
                    version=version,
                    standing=Lifecycle.ASSERTED.value,
                    lost=header.lost.count,
                    rescued=header.rescued.count,
                    decision=decision_of(header.decision),
                    recorded_at=from_micros(header.at),
                )
            )
        elif isinstance(header, ClaimRecord | AssertRecord):
            entries.append(
                Change(
                    verb="remember" if isinstance(header, ClaimRecord) else "remember again",
                    by=by,
                    version=version,
                    standing=Lifecycle.ASSERTED.value,
                    decision=decision_of(header.decision),
                    recorded_at=from_micros(header.at),
                )
            )
    entries += [
        _restrained(store, claim, seq) for seq in store.state.restraint.about.get(claim.seq, ())
    ]
    return tuple(sorted(entries, key=lambda entry: entry.recorded_at))


def _restrained(store: Store, claim: ClaimState, seq: int) -> Change:
    """Return that a claim was muted, let in again, asked or declined to be forgotten; that changes no version."""
    header = store.header(seq)
    if not isinstance(header, MuteRecord | ForgetRecord):
        raise IntegrityError(f"record {seq} mutes nothing although the graph says so")
    before = [one for one in (*claim.assertions, *claim.erased, *claim.changes) if one < seq]
    verb = {"asked": "request forget", "declined": "decline to forget", "muted": "mute"}
    said = header.muting if isinstance(header, MuteRecord) else header.asking
    return Change(
        verb=verb.get(said.value, "unmute"),
        by=store.names.name(store.state.number(header.by)),
        version=len(before),
        standing=claim.lifecycle.value,
        reason=str(store.words(seq)["note"]) if header.seals else "",
        decision=decision_of(header.decision),
        recorded_at=from_micros(header.at),
    )
