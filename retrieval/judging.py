"""Whether a claim may come as evidence: everything policy needs to know of it, beside what contradicts it."""

from muniment.claims import (
    UNREADABLE,
    Category,
    ChangeRecord,
    Decision,
    Integrity,
    Relation,
    Verb,
    Verdict,
    canonical_text,
)
from muniment.lineage import (
    ClaimState,
    Store,
    challengers,
    is_restricted,
    login_of,
    muted_by,
    registered_in,
    rivals,
)
from muniment.policy import Readable, decide, is_settled, judge_read, judge_standing

from .question import Question


def judged(store: Store, claim: ClaimState, question: Question) -> Decision:
    """Return whether a claim may come as evidence: here every reading passes."""
    readable = readable_of(store, claim, now=question.now, readable=question.readable)
    muted = bool(muted_by(store, claim, question.readable))
    sensitive = not question.need and store.state.sensitive.holds_back(claim)
    if muted or sensitive:
        readable = readable.model_copy(update={"muted": muted, "sensitive": sensitive})
    decision = judge_read(readable, question.purpose, now=question.now)
    if decision.verdict is not Verdict.REFUSE and _for_another_task(store, claim, question):
        return decide("ANOTHER_TASK")
    return decision


def _for_another_task(store: Store, claim: ClaimState, question: Question) -> bool:
    """Return whether a preference is for another kind of task than the one at hand; of none named, none is another."""
    if not question.task or claim.category is not Category.PREFERENCE:
        return False
    try:
        own = canonical_text(store.words(claim.assertions[0]).get("task", ""))
    except UNREADABLE:
        return False
    asked = canonical_text(question.task)
    return bool(own) and own not in asked and asked not in own


def current_rivals(store: Store, claim: ClaimState, now: int) -> tuple[ClaimState, ...]:
    """Return the claims that say another value in the same slot and stand at the moment `now`."""
    return tuple(
        other
        for other in rivals(store, claim)
        if judge_standing(_alone(store, other), now=now) is None
    )


def contradicted(store: Store, claim: ClaimState, now: int) -> tuple[ClaimState, ...]:
    """Return the claims of no lower standing that challenge this one, or that it challenges, and that stand at `now`.

    What stands lower comes by its own likeness: nobody gets into an answer by contradicting what is in it.
    """
    challenged = (
        store.state.claims[seq]
        for relation, seq in claim.relations
        if relation is Relation.CHALLENGES
    )
    return tuple(
        other
        for other in (*challengers(store, claim), *challenged)
        if other.integrity >= claim.integrity
        and judge_standing(_alone(store, other), now=now) is None
    )


def readable_of(store: Store, claim: ClaimState, *, now: int, readable: frozenset[int]) -> Readable:
    """Return what policy needs to know of a claim to let it be read, with what contradicts it in its slot.

    `readable` are the scopes whose tool results may confirm an account.
    """
    alone = _alone(store, claim)
    if judge_standing(alone, now=now) is not None:
        return alone
    seen = login_of(store, claim, readable)
    alone = alone.model_copy(
        update={
            "registered": registered_in(store, claim) != 0,
            "login": seen.check if seen else None,
        }
    )
    equals = [
        other
        for other in contradicted(store, claim, now)
        if other.integrity is claim.integrity and other.seq not in claim.challengers
    ]
    if equals:
        by = (*alone.challenged_by, *(_beside(store, other) for other in equals))
        alone = alone.model_copy(update={"challenged_by": by})
    against = current_rivals(store, claim, now)
    if not against:
        return alone
    equal = [other for other in against if not is_settled(claim.kind, other.kind)]
    return alone.model_copy(
        update={
            "challenged_by": (*alone.challenged_by, *(_beside(store, other) for other in equal)),
            "said_otherwise": any(is_settled(other.kind, claim.kind) for other in against),
        }
    )


def is_approved(store: Store, claim: ClaimState) -> bool:
    """Return whether a claim is the person's own, or she approved it."""
    if claim.integrity >= Integrity.USER:
        return True
    headers = (store.header(seq) for seq in claim.changes)
    return any(isinstance(one, ChangeRecord) and one.verb is Verb.APPROVE for one in headers)


def _beside(store: Store, other: ClaimState) -> Integrity:
    """Return as what a claim counts against another: in the words of a registered file as a tool's."""
    return Integrity.TOOL if registered_in(store, other) else other.integrity


def _alone(store: Store, claim: ClaimState) -> Readable:
    """Return what policy needs to know of a claim, whatever else stands in its slot."""
    return Readable(
        lifecycle=claim.lifecycle,
        fresh=claim.fresh,
        integrity=claim.integrity,
        category=claim.category,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        expires=claim.expires,
        recheck=claim.recheck,
        challenged_by=tuple(_beside(store, other) for other in challengers(store, claim)),
        restricted=is_restricted(store.state, claim.seq),
        keyless=claim.seq in store.keyless,
    )
