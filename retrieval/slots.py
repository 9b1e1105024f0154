"""Newer in the same slot, for claims: read from the words of what a recall picked, within one scope and integrity."""

from collections.abc import Iterable, Mapping, Sequence

from muniment.claims import UNREADABLE
from muniment.lineage import ClaimState, Store

from .evidence import Reason
from .question import Picked
from .succession import Said, newest_first, successors

OLDER_IN_SLOT = "older in the same slot"
NEWER_IN_SLOT = "newer in the same slot"
# So many are compared at least: what is newer further down matches too little to come first, and to compare all fifty
# that a recall looks at costs as much as the rest of it.
_COMPARED = 20


def newer_first(store: Store, query: str, ordered: Sequence[Picked], limit: int) -> list[Picked]:
    """Return what was picked in its order, but of two in one slot the newer before the older, each marked as such.

    The best are compared, twice as many as are wanted. Each level of integrity keeps its places: what is newer from
    outside comes before the older, not before the person.
    """
    first = ordered[: max(_COMPARED, 2 * limit)]
    try:
        newer = successors(query, (one for item in first for one in _said(store, item.claim)))
    except Exception:
        # where words cannot be taken apart, which the answer's notes tell, no slot is seen
        return list(ordered)
    names = {item.claim.seq: item.claim.id for item in ordered}
    reasons = slot_reasons(newer, names)
    marked = {
        item.claim.seq: item._replace(reasons=(*item.reasons, *reasons.get(item.claim.seq, ())))
        for item in ordered
    }
    levels = {item.claim.seq: item.claim.integrity for item in ordered}
    return [marked[seq] for seq in newest_first(list(marked), newer, levels.__getitem__)]


def slot_reasons(
    newer: Mapping[int, Sequence[int]], names: Mapping[int, str]
) -> dict[int, tuple[Reason, ...]]:
    """Return by number the reasons that say what is newest in its slot, and the newest of what is older in it."""
    found = dict[int, tuple[Reason, ...]]()
    replaced = dict[int, int]()
    for old, later in newer.items():
        found[old] = (Reason(code=OLDER_IN_SLOT, detail=names[later[-1]]),)
        for new in later:
            # The one that comes last of those it is newer than; a reason for each would be many in a receipt.
            known = replaced.get(new)
            if known is None or old in newer.get(known, ()):
                replaced[new] = old
    for new, old in replaced.items():
        newest = Reason(code=NEWER_IN_SLOT, detail=names[old])
        found[new] = (*found.get(new, ()), newest)
    return found


def _said(store: Store, claim: ClaimState) -> Iterable[Said]:
    """Yield a claim as it is compared, by the words it is shown in; one with a slot of its own is ordered by that."""
    try:
        words = store.words(claim.assertions[0])
    except UNREADABLE:
        return
    if not (words["subject"] and words["attribute"]):
        since = claim.recorded if claim.valid_from is None else claim.valid_from
        yield Said(
            claim.seq,
            words["quote"] or words["gist"],
            (since, claim.seq),
            (claim.scope, claim.integrity),
        )
