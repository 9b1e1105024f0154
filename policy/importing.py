"""What comes in by a file: the person's own sealed export as what it was, everything else as from outside."""

from collections.abc import Sequence

from muniment.claims import Authority, Category, Decision

from .categories import CATEGORIES
from .rules import decide


def judge_import(*, alone: bool, own: bool, sealed_by: str, known: Sequence[str]) -> Decision:
    """Return whether a file is taken in as what it says, or as from outside, to wait for the person.

    `alone`: she herself takes it in, `own`: she is the one who exported it; `sealed_by` is the key of the store whose
    seal holds, empty where none does; `known` are the keys of this store and of those that the policy names.
    """
    if not sealed_by:
        return decide("IMPORTED", "no seal of a store holds for it")
    if sealed_by not in known:
        return decide("IMPORTED", "this store does not know the store that sealed it")
    if not own:
        return decide("IMPORTED", "it is another person's export")
    return decide("OWN_EXPORT") if alone else decide("IMPORTED", "an agent brought it")


def judge_marking(*, alone: bool, own_scope: bool, categories: Sequence[Category]) -> Decision:
    """Return whether somebody may mark words as her own: up to a preference, and never what acts or directs.

    `categories` are those the words had and the one they are marked as.
    """
    if not alone:
        return decide("ONLY_SHE_APPROVES")
    if not own_scope:
        return decide("NOT_YOUR_SCOPE")
    if any(CATEGORIES[category].critical for category in categories):
        return decide("NEVER_ENDORSED")
    if any(CATEGORIES[category].reach > Authority.PREFER for category in categories):
        return decide("MARKED_TOO_HIGH")
    return decide("MARKED_OWN")
