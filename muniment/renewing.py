"""Bringing back what was withdrawn, contradicting what stands, making anew what is stale."""

from muniment.claims import (
    CLAIM_LIMIT,
    ChangeRecord,
    Claim,
    ClaimRecord,
    Integrity,
    Lifecycle,
    Named,
    Relation,
    Verb,
    checked_text,
)
from muniment.lineage import ClaimState, passes, write_change
from muniment.policy import judge_regeneration, judge_reinstatement

from .acting import Acting, Grounds
from .changing import (
    NO_DETAILS,
    Details,
    asked_kind,
    may_change,
    replace_claim,
    was_approved,
)
from .given import Because, text_given
from .keeping import add_claim, must_allow, passage_of
from .remembering import Wish, prepare


def reinstate_claim(
    acting: Acting, claim: Claim | str, grounds: Grounds, *, version: int | None, because: Because
) -> ClaimState:
    """Let a claim stand again that was withdrawn, corrected or replaced; what it carried is labelled again."""
    state, nodes = acting.current(claim, version), acting.nodes(grounds)
    decision = judge_reinstatement(
        actor=acting.integrity_to_change(nodes),
        target=max(state.integrity, _withdrawn_by(acting, state)),
        lifecycle=state.lifecycle,
        own_scope=acting.owns(state),
    )
    must_allow(acting, Verb.REINSTATE.value, decision)
    first = acting.store.header(state.seq)
    with acting.store.group() as store:
        write_change(
            store,
            decision,
            acting.writer(),
            state,
            Verb.REINSTATE,
            _stood(acting, state),
            note=because.note,
            code=because.code,
            antecedents=[node.id for node in nodes],
            valid_to=first.valid_to if isinstance(first, ClaimRecord) else None,
        )
    return acting.store.state.claims[state.seq]


def _stood(acting: Acting, state: ClaimState) -> Lifecycle:
    """Return how a claim stood before it was withdrawn: what waits for the person does not get round her this way."""
    first = acting.store.header(state.seq)
    waited = isinstance(first, ClaimRecord) and first.lifecycle is Lifecycle.PENDING
    approved = was_approved(acting, state)
    return Lifecycle.PENDING if waited and not approved else Lifecycle.ASSERTED


def _withdrawn_by(acting: Acting, state: ClaimState) -> Integrity:
    """Return how high whoever changed a claim last stood: what a person withdrew no agent brings back."""
    for seq in reversed(state.changes):
        header = acting.store.header(seq)
        if isinstance(header, ChangeRecord):  # else an erasure, which withdraws nothing that stays
            by = acting.store.state.entity_types.get(acting.store.state.number(header.by))
            return Integrity.USER if by == "person" else Integrity.AGENT
    return Integrity.EXTERNAL


def challenge_claim(
    acting: Acting, claim: Claim | str, text: str, grounds: Grounds, *, gist: str, value: str
) -> ClaimState:
    """Keep a claim that contradicts another, which stays as it is; a read gives both."""
    state = acting.claim(claim)
    words = acting.view(state)
    wish = Wish.asked(
        text=text,
        kind=asked_kind(acting, state),
        category=state.category,
        gist=gist,
        subject=words.subject,
        attribute=words.attribute,
        value=value,
        task=words.task,
    )
    nodes = acting.nodes(grounds)
    prepared = prepare(acting.store, acting.policy, acting.asker(), wish, nodes, replaces=True)
    must_allow(acting, Verb.CHALLENGE.value, prepared.ruling.decision)
    # Contradicting takes nothing away, so nobody stands too low for it.
    may_change(acting, Verb.CHALLENGE, state, state.integrity, replaces=True)
    named = Named(relation=Relation.CHALLENGES, claim=state.id)
    scope = acting.store.names.scope(state.scope)
    passage = passage_of(acting, Verb.CHALLENGE.value, prepared, scope)
    with acting.store.group():
        seq = add_claim(
            acting,
            acting.writer(),
            prepared,
            prepared.decision,
            passage,
            scope=state.scope,
            relations=(named,),
        )
    return acting.store.state.claims[seq]


def regenerate_claim(
    acting: Acting,
    claim: Claim | str,
    text: str,
    grounds: Grounds,
    *,
    gist: str,
    value: str,
    version: int | None,
    because: Because,
    details: Details = NO_DETAILS,
) -> ClaimState:
    """Make a stale claim anew from what stands now; the old one is superseded by it."""
    checked_text(text_given(text, "the claim", limit=CLAIM_LIMIT), "the claim", limit=CLAIM_LIMIT)
    state, nodes = acting.current(claim, version), acting.nodes(grounds)
    decision = judge_regeneration(
        fresh=state.fresh,
        lifecycle=state.lifecycle,
        grounds_fresh=all(passes(acting.store.state, node.seq, "fresh") for node in nodes),
    )
    must_allow(acting, "regenerate", decision)
    return replace_claim(
        acting,
        Verb.SUPERSEDE,
        claim,
        text,
        grounds,
        gist=gist,
        value=value,
        valid_from=None,
        version=version,
        because=because,
        details=details,
    )
