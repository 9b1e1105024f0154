"""The graph as it was: the claims' own records up to a moment, labelled as they were then."""

from bisect import bisect_right
from collections.abc import Iterable

from muniment.claims import Access, ChangeRecord, ClaimRecord, Lifecycle

from .state import ClaimState, State, support_again
from .store import Store


def last_record(store: Store, at: int) -> int:
    """Return the number of the last record written at a moment or before it, 0 for none."""
    return bisect_right(range(1, store.state.seq + 1), at, key=lambda seq: store.header(seq).at)


def past_store(store: Store, upto: int, roots: Iterable[ClaimState]) -> Store:
    """Return the store as a reader finds it who knows the records up to `upto`, for these claims and their ancestors.

    Labels are those of then. What is revoked today stays unshown, and what is erased is gone.
    """
    now = store.state
    past = State()
    past.seq, past.at, past.policy = upto, now.at, now.policy
    past.positions, past.ids, past.names = now.positions, now.ids, now.names
    past.entity_types, past.scopes, past.sources = now.entity_types, now.scopes, now.sources
    past.destroyed = now.destroyed
    past.revoked = revoked_at(now, upto)
    for seq, first, second, kinship in now.kinships:
        if seq <= upto:
            past.add_kinship(seq, first, second, kinship)
    for old, versions in now.replaced.items():
        if versions[0] <= upto:
            past.replaced[old] = [new for new in versions if new <= upto]
    for seq in sorted(_closure(now, upto, roots)):
        past.add_claim(_as_it_was(store, now.claims[seq], upto))
    support_again(past, list(past.claims))
    past.revoked, past.holds, past.restraint = now.revoked, now.holds, now.restraint
    past.sensitive, past.corpora = now.sensitive, now.corpora
    return store.reading(past)


def revoked_at(state: State, upto: int) -> set[int]:
    """Return the sources whose access was revoked after the record `upto`."""
    last = {source: access for seq, source, access in state.accesses if seq <= upto}
    return {source for source, access in last.items() if access is Access.REVOKED}


def _closure(state: State, upto: int, roots: Iterable[ClaimState]) -> set[int]:
    """Return the claims of then that decide how the roots stood: what they rest on, and what bears on them."""
    found: set[int] = set()
    waiting = [claim.seq for claim in roots]
    while waiting:
        seq = waiting.pop()
        if seq in found or seq > upto or seq not in state.claims:
            continue
        found.add(seq)
        claim = state.claims[seq]
        waiting += claim.challengers
        waiting += [other for _, other in claim.relations]
        for assertion, nodes in zip(claim.assertions, claim.justifications, strict=True):
            if assertion <= upto:
                waiting += nodes
    return found


def _as_it_was(store: Store, claim: ClaimState, upto: int) -> ClaimState:
    """Return a claim with its records up to `upto` folded anew and no labels yet.

    What was destroyed since counts in its version and is gone all the same; of one that has no words left, all is.
    """
    first = store.header(claim.seq)
    assertions = tuple(seq for seq in claim.assertions if seq <= upto)
    erased = tuple(seq for seq in claim.erased if seq <= upto)
    changes = tuple(seq for seq in claim.changes if seq <= upto)
    was = ClaimState(
        seq=claim.seq,
        id=claim.id,
        kind=claim.kind,
        category=claim.category,
        integrity=claim.integrity,
        scope=claim.scope,
        lifecycle=claim.lifecycle,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        expires=claim.expires,
        recheck=claim.recheck,
        recorded=claim.recorded,
        head=max((*assertions, *erased, *changes)),
        version=len(assertions) + len(erased) + len(changes),
        assertions=assertions,
        justifications=claim.justifications[: len(assertions)],
        changes=changes,
        relations=claim.relations,
        erased=erased,
    )
    if isinstance(first, ClaimRecord):
        was.lifecycle, was.valid_to = first.lifecycle, first.valid_to
        was.expires, was.recheck = first.expires, first.recheck
    for seq in changes:
        header = store.header(seq)
        if isinstance(header, ChangeRecord):
            was.follow(header, store.state.number(header.other))
    if not assertions:
        was.lifecycle = Lifecycle.ERASED
    return was
