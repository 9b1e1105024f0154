"""What waits for the person, one at a time: looked at whole, approved, edited or rejected."""

from collections.abc import Iterator

from muniment.claims import (
    Claim,
    ClaimRecord,
    Decision,
    Kind,
    Lifecycle,
    Relation,
    Right,
    Value,
    Verb,
    visible,
)
from muniment.lineage import ClaimState, write_change
from muniment.policy import authority_of, decide, is_asked, judge_settling

from .acting import Acting
from .given import Because
from .keeping import add_claim, keep_source, message_of, must_allow, passage_of
from .proving import must_prove
from .remembering import Wish, prepare
from .why import Line, explain

_REPLACED = {Relation.CORRECTS: Verb.CORRECT, Relation.SUPERSEDES: Verb.SUPERSEDE}
_LIFECYCLES = {Verb.CORRECT: Lifecycle.CORRECTED, Verb.SUPERSEDE: Lifecycle.SUPERSEDED}


class ReviewItem(Value):
    """A claim that waits: what it says with hidden characters made visible, where it came from, what it would do.

    `reach` is how far it would reach once approved, `replaces` are the claims it would take the place of.
    """

    claim: Claim
    shown: str
    line: Line
    reach: str
    replaces: tuple[str, ...] = ()


def waiting(acting: Acting) -> Iterator[ReviewItem]:
    """Yield the claims that wait for the person, oldest first."""
    readable = acting.readable()
    for state in list(acting.store.state.claims.values()):
        waits = state.lifecycle is Lifecycle.PENDING and state.scope in readable
        if waits and acting.may_see(state):
            acting.has_read(state.integrity)
            yield review_item(acting, state)


def review_item(acting: Acting, state: ClaimState) -> ReviewItem:
    """Return a claim as a person looks at it before she decides."""
    view = acting.view(state)
    told = explain(acting.store, view, "", now=acting.now(), readable=acting.readable())
    return ReviewItem(
        claim=view,
        shown=visible(view.words),
        line=told.lines[0],
        reach=authority_of(state.category, state.integrity).name,
        replaces=(*view.corrects, *view.supersedes),
    )


def approve_claim(
    acting: Acting, claim: Claim | str, *, text: str, version: int | None, because: Because
) -> ClaimState:
    """Let a claim that waits count, or in its place what the person writes herself."""
    state = acting.current(claim, version)
    decision = must_allow(acting, Verb.APPROVE.value, _settling(acting, state))
    first = acting.store.header(state.seq)
    if not (isinstance(first, ClaimRecord) and is_asked(first.decision.rule)):
        must_prove(acting, Verb.APPROVE.value)  # what she was only asked about she could say again
    if text:
        return _edited(acting, state, text, because)
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
    decision = must_allow(acting, Verb.REJECT.value, _settling(acting, state))
    with acting.store.group() as store:
        write_change(
            store, decision, acting.writer(Right.MANAGE), state, Verb.REJECT, Lifecycle.REJECTED,
            note=because.note, code=because.code,
        )  # fmt: skip
    return acting.store.state.claims[state.seq]


def _settling(acting: Acting, state: ClaimState) -> Decision:
    return judge_settling(
        alone=acting.alone, own_scope=acting.owns(state), lifecycle=state.lifecycle
    )
