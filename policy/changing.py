"""Who may change a claim that exists."""

from collections.abc import Sequence

from muniment.claims import Decision, Integrity, Lifecycle

from .rules import decide

CURRENT = (Lifecycle.PENDING, Lifecycle.ASSERTED)
_NAMED = 5  # so many identifiers are spelt out in a reason
WITHDRAWN = (Lifecycle.RETRACTED, Lifecycle.CORRECTED, Lifecycle.SUPERSEDED)


def judge_change(
    *,
    actor: Integrity,
    target: Integrity,
    lifecycle: Lifecycle,
    replaces: bool,
    own_scope: bool = True,
) -> Decision:
    """Return whether somebody of integrity `actor` may change a claim of integrity `target`.

    `replaces`: the change brings a new claim, which then stands beside the old one as a challenge
    instead of being refused. `own_scope`: whoever acts has authority over the scope of the claim.
    """
    if not own_scope:
        return decide("NOT_YOUR_SCOPE")
    if lifecycle not in CURRENT:
        return decide("NOT_CURRENT", lifecycle.value)
    if actor < target:
        return decide("LOWER_INTEGRITY" if replaces else "LOWER_CHANGE")
    return decide("ENOUGH_STANDING")


def judge_version(*, own: bool, same_scope: bool) -> Decision:
    """Return whether somebody may bring a new version of a source: `own`, she kept it, or it was kept for her."""
    return decide("NEW_VERSION" if own and same_scope else "NOT_YOUR_SOURCE")


def judge_erasure(*, alone: bool, own_scope: bool, held: Sequence[str] = ()) -> Decision:
    """Return whether somebody may erase: `alone`, no agent acts; `own_scope`, what is erased is hers.

    `held` are the identifiers of what it would reach on legal hold; why they are held is not told.
    """
    if not alone:
        return decide("ONLY_THE_PERSON")
    if own_scope and held:
        more = f" and {len(held) - _NAMED} more" if len(held) > _NAMED else ""
        return decide("ON_LEGAL_HOLD", ", ".join(held[:_NAMED]) + more)
    return decide("MAY_ERASE" if own_scope else "NOT_YOUR_SCOPE")


def judge_reinstatement(
    *, actor: Integrity, target: Integrity, lifecycle: Lifecycle, own_scope: bool = True
) -> Decision:
    """Return whether somebody of integrity `actor` may let a withdrawn claim stand again.

    `target` is what she must not stand below: the claim, and whoever withdrew it.
    """
    if not own_scope:
        return decide("NOT_YOUR_SCOPE")
    if lifecycle not in WITHDRAWN:
        return decide("NOT_WITHDRAWN", lifecycle.value)
    return decide("LOWER_CHANGE" if actor < target else "ENOUGH_STANDING")


def judge_restore(*, diverged: bool, newest: bool, accepted: bool, detail: str = "") -> Decision:
    """Return whether a backup may be restored and written on.

    `diverged`: some head that is known is of another history; `newest`: everything done after the backup is known;
    `accepted`: an operator takes the consequences where it is not. Another history is never accepted.
    """
    if diverged:
        return decide("DIVERGED", detail)
    if newest:
        return decide("RESTORED", detail)
    return decide("ROLLBACK_ACCEPTED" if accepted else "ROLLBACK", detail)


def judge_regeneration(*, fresh: bool, lifecycle: Lifecycle, grounds_fresh: bool) -> Decision:
    """Return whether a claim may be made anew: it is stale itself, and what it is to rest on is not."""
    if lifecycle not in CURRENT:
        return decide("NOT_CURRENT", lifecycle.value)
    if fresh:
        return decide("NOT_STALE")
    return decide("ENOUGH_STANDING" if grounds_fresh else "STALE")
