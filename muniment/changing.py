"""Changing a claim that exists: confirmed, withdrawn, or replaced by another."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from muniment.claims import (
    CLAIM_LIMIT,
    Claim,
    Integrity,
    InvalidError,
    Kind,
    Lifecycle,
    Muting,
    Named,
    Relation,
    Right,
    Verb,
    Verdict,
    to_micros,
)
from muniment.lineage import ClaimState, write_change, write_mute
from muniment.policy import decide, judge_change

from .acting import Acting, Grounds
from .given import moment_given, text_given
from .keeping import add_claim, must_allow, passage_of
from .remembering import Wish, prepare

Replacing = Literal[Verb.CORRECT, Verb.SUPERSEDE]


def confirm_claim(
    acting: Acting,
    claim: Claim | str,
    grounds: Grounds,
    *,
    expires_at: datetime | None,
    recheck_at: datetime | None,
    version: int | None,
    reason: str,
) -> ClaimState:
    """Renew a claim, naming what confirmed it; its recheck moves to `recheck_at`."""
    state, nodes = acting.current(claim, version), acting.nodes(grounds)
    expires_at, recheck_at = (
        moment_given(expires_at, "expires_at"),
        moment_given(recheck_at, "recheck_at"),
    )
    expires = to_micros(expires_at) if expires_at else None
    recheck = to_micros(recheck_at) if recheck_at else None
    text_given(reason, "reason", limit=CLAIM_LIMIT)
    if any(node.id == state.id for node in nodes):
        raise InvalidError("a claim does not confirm itself; name in sources=[…] what confirmed it")
    if not nodes and acting.integrity is not Integrity.USER:
        raise acting.refused(Verb.CONFIRM.value, decide("NO_EVIDENCE"))
    decision = judge_change(
        actor=acting.integrity_to_change(nodes),
        target=state.integrity,
        lifecycle=state.lifecycle,
        replaces=False,
        own_scope=acting.owns(state),
    )
    must_allow(acting, Verb.CONFIRM.value, decision)
    with acting.store.group() as store:
        write_change(
            store,
            decision,
            acting.writer(),
            state,
            Verb.CONFIRM,
            state.lifecycle,
            note=reason,
            antecedents=[node.id for node in nodes],
            expires=expires,
            recheck=recheck,
        )
    return acting.store.state.claims[state.seq]


def retract_claim(
    acting: Acting, claim: Claim | str, grounds: Grounds, *, version: int | None, reason: str
) -> ClaimState:
    """Withdraw a claim; it stays in history, and what rests on it alone becomes stale."""
    text_given(reason, "reason", limit=CLAIM_LIMIT)
    state, nodes = acting.current(claim, version), acting.nodes(grounds)
    decision = judge_change(
        actor=acting.integrity_to_change(nodes),
        target=state.integrity,
        lifecycle=state.lifecycle,
        replaces=False,
        own_scope=acting.owns(state),
    )
    must_allow(acting, Verb.RETRACT.value, decision)
    with acting.store.group() as store:
        antecedents: Sequence[str] = [node.id for node in nodes]
        write_change(
            store,
            decision,
            acting.writer(Right.MANAGE),
            state,
            Verb.RETRACT,
            Lifecycle.RETRACTED,
            note=reason,
            antecedents=antecedents,
        )
    return acting.store.state.claims[state.seq]


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
    reason: str,
) -> ClaimState:
    """Put a new claim in the place of an old one, as one group; a newcomer of lower standing becomes a challenge."""
    text_given(reason, "reason", limit=CLAIM_LIMIT)
    state = acting.current(claim, version)
    words = acting.view(state)
    wish = Wish.asked(
        text=text,
        kind=Kind.STATED if state.kind is Kind.STATED else Kind.INFERRED,
        category=state.category,
        gist=gist,
        subject=words.subject,
        attribute=words.attribute,
        value=value,
        valid_from=valid_from,
    )
    nodes = acting.nodes(grounds)
    prepared = prepare(acting.store, acting.policy, acting.asker(), wish, nodes)
    must_allow(acting, verb.value, prepared.ruling.decision)
    decision = must_allow(
        acting,
        verb.value,
        judge_change(
            # Whose words they are is one thing, that they replace this claim another: an agent's reading of them.
            actor=min(prepared.claim.integrity, acting.integrity_to_change(nodes)),
            target=state.integrity,
            lifecycle=state.lifecycle,
            replaces=True,
            own_scope=acting.owns(state),
        ),
    )
    challenge = decision.verdict is Verdict.CHALLENGE
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
        kept = decision if challenge else prepared.ruling.decision
        seq = add_claim(
            acting, writer, prepared, kept, passage, scope=state.scope, relations=(named,)
        )
        if not challenge:
            # What takes the place of a muted claim is as little to be brought up.
            if state.seq in store.state.restraint.muted:
                write_mute(store, decision, writer, Muting.MUTED, scope=state.scope, claim=seq)
            write_change(
                store,
                decision,
                writer,
                state,
                verb,
                Lifecycle.CORRECTED if verb is Verb.CORRECT else Lifecycle.SUPERSEDED,
                note=reason,
                other=store.state.names[seq],
                valid_to=ended if verb is Verb.SUPERSEDE else None,
            )
    return acting.store.state.claims[seq]
