"""What waits for the person before it counts, and what only she herself may do."""

from collections.abc import Sequence
from typing import Literal

from muniment.claims import Authority, Category, Decision, Integrity, Kind, Lifecycle, Value

from .categories import CATEGORIES, authority_of
from .rules import decide

Preset = Literal["solo", "journal", "regulated"]


class Approval(Value):
    """One row: a claim this is true of waits under these presets, by this rule."""

    rule: str
    presets: tuple[Preset, ...]
    categories: tuple[Category, ...]
    stated: bool


_DIRECTIVES = tuple(rule.category for rule in CATEGORIES.values() if rule.reach >= Authority.DIRECT)
APPROVALS = (
    Approval(
        rule="WAITS_INTERPRETATION",
        presets=("journal", "regulated"),
        categories=(Category.THEME,),
        stated=False,
    ),
    Approval(
        rule="WAITS_DEFINITION",
        presets=("regulated",),
        categories=(Category.DEFINITION,),
        stated=False,
    ),
    Approval(rule="WAITS_DIRECTIVE", presets=("regulated",), categories=_DIRECTIVES, stated=True),
)
"""By impact: an interpretation of a person, a term others rely on, what directs. All else counts at once."""


def judge_approval(preset: Preset, *, category: Category, kind: Kind) -> Decision | None:
    """Return the decision that lets a new claim wait for the person, None where it counts at once."""
    for row in APPROVALS:
        asked = preset in row.presets and category in row.categories
        if asked and row.stated == (kind is Kind.STATED):
            return decide(row.rule)
    return None


def judge_settling(*, alone: bool, own_scope: bool, lifecycle: Lifecycle) -> Decision:
    """Return whether somebody may approve or reject a claim that waits."""
    if not alone:
        return decide("ONLY_SHE_APPROVES")
    if not own_scope:
        return decide("NOT_YOUR_SCOPE")
    return decide("SETTLED" if lifecycle is Lifecycle.PENDING else "NOT_WAITING")


def judge_approver(*, in_scope: bool, lifecycle: Lifecycle) -> Decision:
    """Return whether an approver may settle a claim; `in_scope`, it is no person's and of the approver's scope."""
    if not in_scope:
        return decide("NOT_YOUR_SCOPE")
    return decide("SETTLED_BY_APPROVER" if lifecycle is Lifecycle.PENDING else "NOT_WAITING")


def judge_endorsement(
    *,
    alone: bool,
    own_scope: bool,
    categories: Sequence[Category],
    integrity: Integrity,
    declined: bool,
) -> Decision:
    """Return whether a claim may be endorsed by somebody: the only way up there is, and never to a critical value.

    `categories` are the claim's own and the one it is endorsed as.
    """
    if not alone:
        return decide("ONLY_SHE_APPROVES")
    if not own_scope:
        return decide("NOT_YOUR_SCOPE")
    if any(CATEGORIES[category].critical for category in categories):
        return decide("NEVER_ENDORSED")
    if integrity >= Integrity.USER:
        return decide("HERS_ALREADY")
    return decide("DECLINED_BEFORE" if declined else "ENDORSED")


def judge_owner(*, alone: bool) -> Decision:
    """Return whether somebody may set or prove a person's secret: she alone, no agent for her."""
    return decide("PROVEN" if alone else "ONLY_SHE_APPROVES")


def judge_secret(*, kept: bool, proven: bool, needed: bool) -> Decision:
    """Return whether a person has proven that it is she; `kept`, she has a secret; `needed`, she must have one."""
    if proven:
        return decide("PROVEN")
    if kept:
        return decide("SECRET_NEEDED")
    return decide("NO_SECRET" if needed else "PROVEN")


def endorsed_authority(category: Category) -> Authority:
    """Return how far an endorsed claim of a category reaches."""
    return min(authority_of(category, Integrity.USER), Authority.DIRECT)
