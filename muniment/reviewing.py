"""What waits for the person, one at a time: looked at whole, approved, edited or rejected."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Literal

from muniment.claims import (
    Assertion,
    ChangeRecord,
    Claim,
    ClaimRecord,
    ConflictError,
    Decision,
    Integrity,
    Kind,
    Lifecycle,
    Relation,
    Right,
    Standing,
    Value,
    Verb,
    canonical_bytes,
    visible,
)
from muniment.lineage import ClaimState, claim_view, rivals, write_change
from muniment.policy import Hint, authority_of, decide, is_asked, judge_settling

from .acting import Acting
from .given import Because
from .hushing import seen_explanation
from .keeping import IMPORT, add_claim, keep_source, message_of, must_allow, passage_of
from .proving import must_prove
from .remembering import Wish, prepare
from .why import Line, explain

How = Literal["corrects", "supersedes", "challenges", "same slot"]
"""How a claim bears on a current one: it would take its place, or stand beside it."""
_HOW: dict[Relation, How] = {
    Relation.CORRECTS: "corrects",
    Relation.SUPERSEDES: "supersedes",
    Relation.CHALLENGES: "challenges",
}
_REPLACED = {Relation.CORRECTS: Verb.CORRECT, Relation.SUPERSEDES: Verb.SUPERSEDE}
_LIFECYCLES = {Verb.CORRECT: Lifecycle.CORRECTED, Verb.SUPERSEDE: Lifecycle.SUPERSEDED}


class Replaced(Value):
    """A current claim that another would take the place of, or stand beside with another value: `how` says which."""

    claim: str
    shown: str
    kind: Kind
    integrity: Integrity
    standing: Standing
    how: How


class ReviewItem(Value):
    """A claim that waits: what it says with hidden characters made visible, where it came from, what it would do.

    `by` asked for it, `reach` is how far it would reach once approved, `replaces` what it would take the place of or
    stand beside. `hints` are what detectors found in the words: they decide nothing. `digest` binds an answer to
    exactly this.
    """

    claim: Claim
    shown: str
    by: str
    line: Line
    reach: str
    replaces: tuple[Replaced, ...] = ()
    hints: tuple[str, ...] = ()
    digest: str


def waiting_states(acting: Acting) -> Iterator[ClaimState]:
    """Yield the claims that wait for the person, oldest first; what she keeps as a quotation does not wait."""
    readable = acting.readable()
    for state in list(acting.store.state.claims.values()):
        waits = state.lifecycle is Lifecycle.PENDING and state.scope in readable
        if waits and not is_quotation(acting, state) and acting.may_see(state):
            yield state


def is_quotation(acting: Acting, state: ClaimState) -> bool:
    """Return whether the person was asked about a claim and kept it as a quotation."""
    headers = (acting.store.header(seq) for seq in state.changes)
    return any(isinstance(one, ChangeRecord) and one.verb is Verb.DECLINE for one in headers)


def waiting(acting: Acting, hints: Sequence[Hint], origin: str = "") -> Iterator[ReviewItem]:
    """Yield the claims that wait for the person, oldest first; of imports only those of the origin that is named."""
    for state in waiting_states(acting):
        if import_origin(acting, state) == origin:
            acting.has_read(state.integrity)
            yield review_item(acting, state, hints)


def import_origin(acting: Acting, state: ClaimState) -> str:
    """Return the origin by which an import brought a claim, empty for a claim that came in by another way."""
    header = acting.store.header(state.assertions[0]) if state.kind is Kind.EXTERNAL else None
    if not isinstance(header, Assertion) or header.activity != IMPORT or not header.origins:
        return ""
    return acting.store.names.name(acting.store.state.number(header.origins[0]))


def review_item(
    acting: Acting,
    state: ClaimState,
    hints: Sequence[Hint] = (),
    *,
    readable: frozenset[int] = frozenset(),
) -> ReviewItem:
    """Return a claim as somebody looks at it before she decides; `readable` where not what the session reads."""
    store, readable = acting.store, readable or acting.readable()
    view = claim_view(store, state, now=acting.now(), readable=readable)
    told = explain(store, view.id, "", now=acting.now(), readable=readable)
    told = seen_explanation(acting, told)
    reach = authority_of(state.category, state.integrity).name
    bound = {"scope": view.scope.named(), "reach": reach, "expires": state.expires}
    header = store.header(state.seq)
    said = "\n".join((view.words, view.gist, view.subject, view.attribute, view.value))
    return ReviewItem(
        claim=view,
        shown=visible(view.words),
        by=store.names.name(store.state.number(header.by)),
        line=told.lines[0],
        reach=reach,
        replaces=tuple(
            _replaced(acting, other, how, readable)
            for other, how in _before(acting, state)
            if other.scope in readable and acting.may_see(other)
        ),
        digest=digest_of(acting, state, view, bound),
        hints=tuple(dict.fromkeys(hint for detect in hints for hint in detect(said))),
    )


def _before(acting: Acting, state: ClaimState) -> Iterator[tuple[ClaimState, How]]:
    """Yield the current claims that a claim would take the place of, or says otherwise of the same than."""
    seen = {state.seq}
    for relation, seq in state.relations:
        other = acting.store.state.claims[seq]
        how = _HOW.get(relation)
        if how and other.lifecycle is Lifecycle.ASSERTED:
            seen.add(seq)
            yield other, how
    for other in rivals(acting.store, state):
        if other.lifecycle is Lifecycle.ASSERTED and other.seq not in seen:
            yield other, "same slot"


def _replaced(
    acting: Acting,
    state: ClaimState,
    how: How,
    readable: frozenset[int],
) -> Replaced:
    view = claim_view(acting.store, state, now=acting.now(), readable=readable)
    return Replaced(
        claim=view.id,
        shown=visible(view.words),
        kind=view.kind,
        integrity=view.integrity,
        standing=view.standing,
        how=how,
    )


def digest_of(acting: Acting, state: ClaimState, view: Claim, more: Mapping[str, object]) -> str:
    """Return the digest of all that is shown of a claim: its words, where they came from, what they would replace."""
    names = acting.store.state.names
    bound = {
        "text": view.words,
        "gist": view.gist,
        "slot": [view.subject, view.attribute, view.value],
        "category": view.category.value,
        "lineage": [names[seq] for seq in (state.seq, state.head, *state.assertions)],
        "grounds": [one.id for one in view.citations],
        "replaces": [names[other.head] for other, _ in _before(acting, state)],
        **more,
    }
    return sha256(canonical_bytes(bound)).hexdigest()


def approve_claim(
    acting: Acting,
    claim: Claim | str,
    *,
    text: str,
    digest: str,
    version: int | None,
    because: Because,
) -> ClaimState:
    """Let a claim that waits count, exactly as it was shown, or in its place what the person writes herself."""
    state = acting.current(claim, version)
    decision = must_allow(acting, Verb.APPROVE.value, _settling(acting, state))
    if text or not _was_asked(acting, state):
        must_prove(acting, Verb.APPROVE.value)  # what she was only asked about she could say again
    if digest and review_item(acting, state).digest != digest:
        raise acting.refused(Verb.APPROVE.value, decide("PAYLOAD_CHANGED"))
    return (
        _edited(acting, state, text, because)
        if text
        else let_count(acting, state, decision, because)
    )


def _was_asked(acting: Acting, state: ClaimState) -> bool:
    first = acting.store.header(state.seq)
    return isinstance(first, ClaimRecord) and is_asked(first.decision.rule)


def let_count(
    acting: Acting, state: ClaimState, decision: Decision, because: Because
) -> ClaimState:
    """Let a claim that waits count from now on, in the place of what it replaces."""
    for relation, seq in state.relations:
        if relation in _REPLACED:
            _must_be_as_proposed(acting, state, acting.store.state.claims[seq])
    with acting.store.group() as store:
        writer = acting.writer()
        write_change(
            store, decision, writer, state, Verb.APPROVE, Lifecycle.ASSERTED,
            note=because.note, code=because.code,
        )  # fmt: skip
        for relation, seq in state.relations:
            other, verb = store.state.claims[seq], _REPLACED.get(relation)
            if verb and other.lifecycle is Lifecycle.ASSERTED:
                write_change(
                    store, decision, writer, other, verb, _LIFECYCLES[verb], other=state.id,
                    valid_to=acting.now() if verb is Verb.SUPERSEDE else None,
                )  # fmt: skip
    return acting.store.state.claims[state.seq]


def _must_be_as_proposed(acting: Acting, state: ClaimState, other: ClaimState) -> None:
    """Raise ConflictError where what a claim would take the place of was changed after that was proposed."""
    if max(other.changes, default=0) > state.seq:
        raise ConflictError(
            f"{other.id}, which this would replace, was changed since; approve it with words of your own, or reject it",
            current=acting.view(other) if other.assertions else None,
        )


def _edited(acting: Acting, state: ClaimState, text: str, because: Because) -> ClaimState:
    """Keep what the person wrote instead as her own, and reject what waited."""
    wish = Wish.asked(text=text, kind=Kind.STATED, category=state.category)
    with acting.store.group() as store:
        said = keep_source(acting, message_of(acting, text, (), None), "")
        source = store.state.sources[said]
        prepared = prepare(store, acting.policy, acting.asker(), wish, [source])
        # It is her own and she has it before her, so it does not wait again.
        new = prepared.claim.model_copy(update={"lifecycle": Lifecycle.ASSERTED})
        prepared = prepared._replace(claim=new, waits=None)
        must_allow(acting, Verb.APPROVE.value, prepared.ruling.decision)
        scope = store.names.scope(state.scope)
        passage = passage_of(acting, Verb.APPROVE.value, prepared, scope)
        writer = acting.writer()
        seq = add_claim(
            acting, writer, prepared, prepared.ruling.decision, passage, scope=state.scope
        )
        write_change(
            store, decide("SETTLED"), writer, state, Verb.REJECT, Lifecycle.REJECTED,
            note=because.note, code=because.code, other=store.state.names[seq],
        )  # fmt: skip
    return acting.store.state.claims[seq]


def reject_claim(
    acting: Acting, claim: Claim | str, *, version: int | None, because: Because
) -> ClaimState:
    """Let a claim that waits never count; the same, said again by a machine, is refused."""
    state = acting.current(claim, version)
    return let_never_count(
        acting, state, must_allow(acting, Verb.REJECT.value, _settling(acting, state)), because
    )


def let_never_count(
    acting: Acting, state: ClaimState, decision: Decision, because: Because
) -> ClaimState:
    """Let a claim that waits never count."""
    with acting.store.group() as store:
        write_change(
            store, decision, acting.writer(Right.MANAGE), state, Verb.REJECT, Lifecycle.REJECTED,
            note=because.note, code=because.code,
        )  # fmt: skip
    return acting.store.state.claims[state.seq]


def quote_claim(
    acting: Acting, claim: Claim | str, *, version: int | None, because: Because
) -> ClaimState:
    """Keep a claim that waits as the quotation it is: it stays out of use, and nobody is asked about it again."""
    state = acting.current(claim, version)
    decision = must_allow(acting, "keep_as_quotation", _settling(acting, state))
    return decline_claim(acting, decision, state, because)


def decline_claim(
    acting: Acting, decision: Decision, state: ClaimState, because: Because
) -> ClaimState:
    """Write down that the person was asked about a claim and keeps it as a quotation."""
    with acting.store.group() as store:
        write_change(
            store, decision, acting.writer(Right.MANAGE), state, Verb.DECLINE, state.lifecycle,
            note=because.note, code=because.code,
        )  # fmt: skip
    return acting.store.state.claims[state.seq]


def _settling(acting: Acting, state: ClaimState) -> Decision:
    return judge_settling(
        alone=acting.alone, own_scope=acting.owns(state), lifecycle=state.lifecycle
    )
