"""Changing a claim that exists: confirmed, withdrawn, or replaced by another."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from muniment.claims import (
    ChangeRecord,
    Claim,
    Decision,
    Failure,
    Integrity,
    InvalidError,
    Kind,
    Lifecycle,
    Muting,
    Named,
    Reasoning,
    Relation,
    Right,
    Verb,
    Verdict,
    to_micros,
)
from muniment.lineage import ClaimState, write_change, write_mute
from muniment.policy import decide, judge_change, judge_settled

from .acting import Acting, Grounds
from .given import Because, moment_given
from .keeping import add_claim, must_allow, passage_of
from .remembering import Wish, prepare

Replacing = Literal[Verb.CORRECT, Verb.SUPERSEDE]


class Details(NamedTuple):
    """What a claim carries beside its words: how something failed, why something was decided."""

    failure: Failure = Failure()
    reasoning: Reasoning = Reasoning()


NO_DETAILS = Details()


def may_change(
    acting: Acting, verb: Verb, state: ClaimState, actor: Integrity, *, replaces: bool = False
) -> Decision:
    """Return the decision that lets somebody of that integrity change a claim; a refusal is written down and raised."""
    decision = judge_change(
        actor=actor,
        target=state.integrity,
        lifecycle=state.lifecycle,
        replaces=replaces,
        own_scope=acting.owns(state),
    )
    return must_allow(acting, verb.value, decision)


def was_approved(acting: Acting, state: ClaimState) -> bool:
    """Return whether the person approved a claim that waited for her."""
    headers = (acting.store.header(seq) for seq in state.changes)
    return any(isinstance(one, ChangeRecord) and one.verb is Verb.APPROVE for one in headers)


def _must_be_open(acting: Acting, verb: Verb, state: ClaimState) -> None:
    """Raise RefusedError for an agent where the person approved the claim: then it is settled."""
    if not acting.alone:
        settled = judge_settled(alone=False, approved=was_approved(acting, state))
        must_allow(acting, verb.value, settled)


def confirm_claim(
    acting: Acting,
    claim: Claim | str,
    grounds: Grounds,
    *,
    expires_at: datetime | None,
    recheck_at: datetime | None,
    version: int | None,
    because: Because,
) -> ClaimState:
    """Renew a claim, naming what confirmed it; its recheck moves to `recheck_at`."""
    state, nodes = acting.current(claim, version), acting.nodes(grounds)
    expires_at, recheck_at = (
        moment_given(expires_at, "expires_at"),
        moment_given(recheck_at, "recheck_at"),
    )
    expires = to_micros(expires_at) if expires_at else None
    recheck = to_micros(recheck_at) if recheck_at else None
    if any(node.id == state.id for node in nodes):
        raise InvalidError("a claim does not confirm itself; name in sources=[…] what confirmed it")
    if not nodes and acting.integrity is not Integrity.USER:
        raise acting.refused(Verb.CONFIRM.value, decide("NO_EVIDENCE"))
    decision = may_change(acting, Verb.CONFIRM, state, acting.integrity_to_change(nodes))
    _must_be_open(acting, Verb.CONFIRM, state)
    with acting.store.group() as store:
        write_change(
            store,
            decision,
            acting.writer(),
            state,
            Verb.CONFIRM,
            state.lifecycle,
            note=because.note,
            code=because.code,
            antecedents=[node.id for node in nodes],
            expires=expires,
            recheck=recheck,
        )
    return acting.store.state.claims[state.seq]


def retract_claim(
    acting: Acting, claim: Claim | str, grounds: Grounds, *, version: int | None, because: Because
) -> ClaimState:
    """Withdraw a claim; it stays in history, and what rests on it alone becomes stale."""
    state, nodes = acting.current(claim, version), acting.nodes(grounds)
    decision = may_change(acting, Verb.RETRACT, state, acting.integrity_to_change(nodes))
    _must_be_open(acting, Verb.RETRACT, state)
    with acting.store.group() as store:
        antecedents: Sequence[str] = [node.id for node in nodes]
        write_change(
            store,
            decision,
            acting.writer(Right.MANAGE),
            state,
            Verb.RETRACT,
            Lifecycle.RETRACTED,
            note=because.note,
            code=because.code,
            antecedents=antecedents,
        )
    return acting.store.state.claims[state.seq]


def asked_kind(acting: Acting, state: ClaimState) -> Kind:
    """Return as what kind a newcomer is asked to be kept: what the person herself says of a guess is no guess."""
    return Kind.STATED if acting.alone or state.kind is Kind.STATED else Kind.INFERRED


def replace_claim(
    acting: Acting,
    verb: Replacing,
    claim: Claim | str,
    text: str,
    grounds: Grounds,
    *,
    gist: str,
    value: str,
    valid_from: datetime | None,
    version: int | None,
    because: Because,
    details: Details = NO_DETAILS,
) -> ClaimState:
    """Put a new claim in the place of an old one, as one group; a newcomer of lower standing becomes a challenge."""
    state = acting.current(claim, version)
    words = acting.view(state)
    nodes = acting.nodes(grounds)
    wish = Wish.asked(
        text=text,
        kind=asked_kind(acting, state),
        category=state.category,
        gist=gist,
        subject=words.subject,
        attribute=words.attribute,
        value=value,
        task=words.task,
        failure=details.failure,
        reasoning=details.reasoning,
        valid_from=valid_from,
    )
    nodes = acting.nodes(grounds)
    prepared = prepare(acting.store, acting.policy, acting.asker(), wish, nodes, replaces=True)
    must_allow(acting, verb.value, prepared.ruling.decision)
    # Whose words they are is one thing, that they replace this claim another: an agent's reading of them.
    actor = min(prepared.claim.integrity, acting.integrity_to_change(nodes))
    decision = may_change(acting, verb, state, actor, replaces=True)
    challenge, waits = decision.verdict is Verdict.CHALLENGE, prepared.waits is not None
    relation = Relation.CORRECTS if verb is Verb.CORRECT else Relation.SUPERSEDES
    named = Named(relation=Relation.CHALLENGES if challenge else relation, claim=state.id)
    ended = to_micros(valid_from) if valid_from else acting.now()
    if verb is Verb.SUPERSEDE and state.valid_from is not None and ended <= state.valid_from:
        if valid_from:
            raise InvalidError(
                "valid_from lies before the claim it ends began; give a later one, or correct the claim"
            )
        ended = state.valid_from + 1
    scope = acting.store.names.scope(state.scope)
    passage = passage_of(acting, verb.value, prepared, scope)
    with acting.store.group() as store:
        writer = acting.writer()
        kept = decision if challenge and not waits else prepared.decision
        seq = add_claim(
            acting, writer, prepared, kept, passage, scope=state.scope, relations=(named,)
        )
        # What takes the place of a muted claim is as little to be brought up.
        if not challenge and state.seq in store.state.restraint.muted:
            write_mute(store, decision, writer, Muting.MUTED, scope=state.scope, claim=seq)
        if not challenge and not waits:  # what waits takes the place when it is approved
            write_change(
                store,
                decision,
                writer,
                state,
                verb,
                Lifecycle.CORRECTED if verb is Verb.CORRECT else Lifecycle.SUPERSEDED,
                note=because.note,
                code=because.code,
                other=store.state.names[seq],
                valid_to=ended if verb is Verb.SUPERSEDE else None,
            )
    return acting.store.state.claims[seq]


def view_of_replacing(acting: Acting, state: ClaimState) -> Claim:
    """Return a claim that took another's place, with what it does not say any more as hints."""
    view, store = acting.view(state), acting.store
    before = (
        store.state.claims[store.state.ids[name]] for name in (*view.corrects, *view.supersedes)
    )
    lost = [
        one
        for old in before
        if old.assertions
        for one in acting.view(old).reasoning.lost_in(view.reasoning)
    ]
    hints = [decide("REASON_LOST", "; ".join(lost))] if lost else []
    return view.model_copy(update={"hints": tuple(hints)})
