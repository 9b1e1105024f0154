"""Replaying: what an answer gave, read from its receipt and the records of then, beside what would differ today."""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from pydantic import ValidationError

from muniment.claims import (
    Assertion,
    Claim,
    ErasedError,
    InvalidError,
    Kind,
    Lifecycle,
    PolicyRecord,
    Purpose,
    ReceiptRecord,
    Relation,
    SourceRecord,
    Use,
    Value,
    Verdict,
    from_micros,
)
from muniment.lineage import (
    ClaimState,
    Store,
    claim_view,
    day_of,
    history_view,
    is_stale,
    past_store,
    revoked_at,
    stale_view,
)
from muniment.policy import RULES, Policy, decide, is_loose, judge_read, judge_use
from muniment.retrieval import (
    Answer,
    Prompt,
    Reason,
    current_rivals,
    is_elsewhere,
    is_stated_now,
    readable_of,
    worded_for,
)

from .given import text_given
from .receipts import Given, Receipt

Gone = Literal["ERASED", "SUPPRESSED"]
GONE: Gone = "ERASED"  # what the person herself and the host are told of something erased
UNSAID: Gone = "SUPPRESSED"  # what an agent is told
_AGAINST = (Relation.CHALLENGES, Relation.CORRECTS, Relation.SUPERSEDES)
_OUT_OF_SCOPE = (
    "what the same question would find today besides is not part of a replay: ask it anew"
)


class Difference(Value):
    """One thing that is otherwise today: a rule's code, or version, use, rival, wording or policy, and why in words."""

    code: str
    detail: str


class Replayed(Value):
    """One claim an answer gave, as it stood then, and what would differ today; without a claim its words were erased.

    `use` is empty only where an older receipt was destroyed.
    """

    id: str
    version: int
    use: Use | None = None
    claim: Claim | None = None
    score: float = 0.0
    reasons: tuple[Reason, ...] = ()
    rules: tuple[str, ...] = ()
    today: tuple[Difference, ...] = ()


class PolicyThen(Value):
    """The policy an answer was judged by: its digest, its text where it can be read, and what of it is applied."""

    digest: str
    since: datetime
    policy: Policy | None
    applied: tuple[str, ...]


class Replay(Value):
    """An answer as it was given, in its order: drawn from the records up to `known`, judged at `moment`.

    The number `known` counts everybody's records, so only the host is told it; a session is told 0.
    """

    receipt: str
    purpose: Purpose
    question: str
    asked_at: datetime
    known: int
    moment: datetime
    policy: PolicyThen | None
    lines: tuple[Replayed, ...]
    withheld: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()


def receipt_named(receipt: Answer | Prompt | str) -> str:
    """Return the identifier of a receipt, given as itself or with the answer or prompt that left it."""
    named = text_given(
        receipt.receipt if isinstance(receipt, Answer | Prompt) else receipt, "the receipt"
    )
    if not named:
        raise InvalidError(
            "name a receipt, or an answer or prompt that left one: read-only and without memory none is left"
        )
    return named


def replay(store: Store, policy: Policy, receipt: Receipt, *, now: int, gone: Gone) -> Replay:
    """Return what a receipt gave, as of then; `policy` is today's."""
    state, header = store.state, receipt.header
    scope = state.number(header.scope)
    readable = state.readable(state.scopes[scope]) if scope else frozenset[int]()
    roots = [state.claims[state.ids[given.claim]] for given in receipt.given]
    then = past_store(store, receipt.known, roots)
    then.state.revoked = then.state.revoked | revoked_at(state, receipt.known)
    judged = _policy_then(store, policy, header.seq)
    lines = (
        _Line(store, then, receipt, given, readable, now, gone).shown(judged, policy)
        for given in receipt.given
    )
    return Replay(
        receipt=header.id,
        purpose=header.purpose,
        question=receipt.question,
        asked_at=from_micros(header.at),
        known=receipt.known,
        moment=from_micros(receipt.moment),
        policy=judged,
        lines=tuple(lines),
        withheld=receipt.withheld,
        notes=(*receipt.notes, _OUT_OF_SCOPE),
    )


def seen_by_host(store: Store, found: Replay) -> Replay:
    """Return a replay as the host may see it: without the words of what is sensitive, and of a question asked there."""
    held, state = store.state.sensitive, store.state
    if not held:
        return found
    lines: list[Replayed] = []
    for line in found.lines:
        claim = state.claims[state.ids[line.id]]
        rule = "SENSITIVE_SCOPE" if claim.scope in held.scopes else "SENSITIVE"
        if claim.scope in held.scopes or claim.seq in held.reached:
            told = Difference(code=rule, detail=decide(rule).reason)
            line = line.model_copy(update={"claim": None, "today": (told,)})
        lines.append(line)
    header = store.header(state.ids[found.receipt])
    asked_apart = isinstance(header, ReceiptRecord) and state.number(header.scope) in held.scopes
    hidden = {"question": "", "notes": (decide("SENSITIVE_SCOPE").reason,)} if asked_apart else {}
    return found.model_copy(update={"lines": tuple(lines), **hidden})


class _Line:
    """One claim of a receipt: as it was in the store of then, and as it is."""

    def __init__(
        self,
        store: Store,
        then: Store,
        receipt: Receipt,
        given: Given,
        readable: frozenset[int],
        now: int,
        gone: Gone,
    ) -> None:
        seq = store.state.ids[given.claim]
        self._store, self._then, self._receipt, self._given = store, then, receipt, given
        self._readable, self._now, self._gone = readable, now, gone
        self._claim, self._was = store.state.claims[seq], then.state.claims[seq]

    def shown(self, judged: PolicyThen | None, policy: Policy) -> Replayed:
        """Return the line."""
        given, claim = self._given, None
        if self._was.assertions:
            claim = worded_for(
                claim_view(
                    self._then, self._was, now=self._receipt.moment, readable=self._readable
                ),
                self._receipt.header.purpose,
            )
        registered = () if judged is None else self._registered(judged.policy, policy)
        return Replayed(
            id=given.claim,
            version=given.version or self._was.version,
            use=given.use,
            claim=claim,
            score=given.score,
            reasons=given.reasons,
            rules=given.rules,
            today=(*self._differences(claim), *registered),
        )

    def _differences(self, was: Claim | None) -> Iterator[Difference]:
        """Yield what is otherwise today, the gravest first."""
        claim = self._claim
        if claim.lifecycle is Lifecycle.ERASED:
            yield self._erased(claim.head)
            return
        for seq in claim.erased:
            if seq <= self._receipt.known:
                day = day_of(self._store, self._store.state.erased[seq])
                told = f"a wording of then was destroyed on {day}" if self._gone == GONE else ""
                yield Difference(code="wording", detail=told or "a wording of then is not shown")
        today = claim_view(self._store, claim, now=self._now, readable=self._readable)
        readable = readable_of(self._store, claim, now=self._now, readable=self._readable)
        decision = judge_read(readable, self._receipt.header.purpose, now=self._now)
        if decision.verdict is Verdict.REFUSE:
            detail = "; ".join((decision.reason, *self._causes(today)))
            yield Difference(code=decision.rule, detail=detail)
        else:
            stated = is_stated_now(today, self._receipt.present)
            elsewhere = is_elsewhere(today, self._receipt.present)
            use, lowered = judge_use(
                readable,
                now=self._now,
                present_value=stated,
                elsewhere=elsewhere,
                # What tied it then, or was newer beside it, is not looked for anew.
                older_in_slot="NEWER_IN_SLOT" in self._given.rules,
                link=is_loose(self._given.rules),
            )
            for note in lowered:
                if self._given.rules and note.rule not in self._given.rules:
                    yield Difference(code=note.rule, detail=note.reason)
            if self._given.use not in (None, use):
                because = "; ".join((f"{use} today", *(note.reason for note in lowered)))
                yield Difference(code="use", detail=f"{self._given.use} then, {because}")
        yield from self._rivals()
        yield from self._changes()
        if was is not None and today.words and today.words != was.words:
            yield Difference(code="wording", detail="other words of it are shown today")

    def _erased(self, erasure: int) -> Difference:
        day = f" on {day_of(self._store, erasure)}" if self._gone == GONE else ""
        return Difference(code=self._gone, detail=f"{RULES[self._gone].reason}{day}")

    def _causes(self, today: Claim) -> Iterator[str]:
        """Yield what made a claim fall that is not given any more."""
        if today.replaced_by:
            yield f"{today.replaced_by} stands in its place"
        if is_stale(self._claim):
            found = stale_view(self._store, self._claim, now=self._now, readable=self._readable)
            for cause in found.causes:
                yield f"{cause.id} is {cause.standing}"
        ended = (self._claim.expires, self._claim.valid_to)
        if over := [at for at in ended if at is not None and at <= self._now]:
            yield f"it ended at {from_micros(min(over)).isoformat()}"

    def _rivals(self) -> Iterator[Difference]:
        """Yield what has come since that says something else."""
        known, claim, claims = self._receipt.known, self._claim, self._store.state.claims
        for other in current_rivals(self._store, claim, self._now):
            if other.seq > known and other.seq != claim.replaced_by:
                yield Difference(code="rival", detail=f"{other.id} gives another value")
        for seq in claim.challengers:
            if (
                seq > known
                and seq != claim.replaced_by
                and claims[seq].lifecycle is Lifecycle.ASSERTED
            ):
                verbs = [how for how, other in claims[seq].relations if other == claim.seq]
                how = next((one.value for one in verbs if one in _AGAINST), "challenges")
                yield Difference(code="rival", detail=f"{claims[seq].id} {how} it")

    def _changes(self) -> Iterator[Difference]:
        """Yield what was done to the claim since."""
        was = self._given.version or self._was.version
        if was < self._claim.version:
            since = history_view(self._store, self._claim)[was:]
            did = ", ".join(f"{one.verb} by {one.by or 'the host'}" for one in since)
            detail = f"version {was} then, {self._claim.version} today: {did}"
            yield Difference(code="version", detail=detail)

    def _registered(self, then: Policy | None, today: Policy) -> Iterator[Difference]:
        """Yield the fields of tools that the policy file registers otherwise today."""
        if then is None or self._was.kind is not Kind.OBSERVED:
            return
        for tool, field in dict.fromkeys(_fields_of(self._store, self._was)):
            was, now = then.types(tool, field), today.types(tool, field)
            if was != now:
                registered = f"as {now}" if now else "no more"
                detail = f"{tool}.{field} was registered as {was}, today {registered}"
                yield Difference(code="policy", detail=detail)


def _fields_of(store: Store, claim: ClaimState) -> Iterator[tuple[str, str]]:
    """Yield the tools and the fields that a claim's spans quote, as far as they are not erased."""
    for seq in claim.assertions:
        header = store.header(seq)
        for span in header.spans if isinstance(header, Assertion) else ():
            source = store.state.sources.get(store.state.ids[span.source])
            if source is None:
                continue
            try:
                quoted, sealed = store.record(source.seq)
            except ErasedError:
                continue
            for part in quoted.parts if isinstance(quoted, SourceRecord) else ():
                field = str(sealed[part.seal].get("field", ""))
                if field and part.start < span.end and span.start < part.end:
                    yield store.names.name(source.author), field


def _policy_then(store: Store, today: Policy, seq: int) -> PolicyThen | None:
    """Return the policy in force when a record was written, None before the first."""
    place = bisect_right(store.state.policies, seq) - 1
    if place < 0:
        return None
    header = store.header(store.state.policies[place])
    assert isinstance(header, PolicyRecord)
    then: Policy | None = None
    try:
        then = Policy.model_validate_json(str(store.words(header.seq)["text"]))
    except (ValidationError, ErasedError):
        pass
    return PolicyThen(
        digest=header.digest,
        since=from_micros(header.at),
        policy=then,
        applied=(
            "the choice, the order and the uses are those it gave",
            *_since(header.digest, then, today),
        ),
    )


def _since(digest: str, then: Policy | None, today: Policy) -> Iterator[str]:
    """Yield what of a policy of the past is the same today and what is not."""
    if digest == today.digest:
        yield "it is in force today"
    elif then is None:
        yield "its file cannot be read by this version"
    else:
        if then.digest == digest:
            yield "its rules are those of today"
        else:
            yield "its rules are not those of today, which are code: nothing of then is judged anew"
        names = sorted({*then.tools, *today.tools})
        changed = [name for name in names if then.tools.get(name) != today.tools.get(name)]
        if changed:
            yield f"its file registered other fields of: {', '.join(changed)}"
