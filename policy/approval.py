"""What waits for the person before it counts, and what only she herself may do."""

from collections.abc import Sequence
from typing import Literal

from muniment.claims import Authority, Category, Decision, Integrity, Kind, Lifecycle, Value

from .categories import CATEGORIES, authority_of
from .rules import decide

Preset = Literal["solo", "journal", "regulated", "reviewed"]


class Approval(Value):
    """One row: a claim this is true of waits under these presets, by this rule.

    `stated`: what the person said, or what she did not; `by_agent`: only what an agent keeps for her.
    """

    rule: str
    presets: tuple[Preset, ...]
    categories: tuple[Category, ...]
    stated: bool
    by_agent: bool = False


_DIRECTIVES = tuple(rule.category for rule in CATEGORIES.values() if rule.reach >= Authority.DIRECT)
APPROVALS = (
    Approval(
        rule="WAITS_INTERPRETATION",
        presets=("journal", "regulated", "reviewed"),
        categories=(Category.THEME,),
        stated=False,
    ),
    Approval(
        rule="WAITS_DEFINITION",
        presets=("regulated", "reviewed"),
        categories=(Category.DEFINITION,),
        stated=False,
    ),
    Approval(
        rule="WAITS_DIRECTIVE",
        presets=("regulated", "reviewed"),
        categories=_DIRECTIVES,
        stated=True,
    ),
    *(
        Approval(
            rule="WAITS_REVIEW",
            presets=("reviewed",),
            categories=tuple(Category),
            stated=stated,
            by_agent=True,
        )
        for stated in (False, True)
    ),
)
"""By impact: an interpretation of a person, a term others rely on, what directs. All else counts at once.

In `reviewed` everything waits that an agent keeps for a person.
"""


def judge_approval(
    preset: Preset, *, category: Category, kind: Kind, by_agent: bool
) -> Decision | None:
    """Return the decision that lets a new claim wait for the person, None where it counts at once.

    `by_agent`: an agent keeps it for her; what an agent keeps alone waits for nobody.
    """
    for row in APPROVALS:
        asked = preset in row.presets and category in row.categories
        if asked and row.stated == (kind is Kind.STATED) and by_agent >= row.by_agent:
            return decide(row.rule)
    return None


def reviews_block(preset: Preset, *, by_agent: bool) -> bool:
    """Return whether a write of the block waits for the person whatever it says."""
    return preset == "reviewed" and by_agent


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


def judge_settled(*, alone: bool, approved: bool) -> Decision:
    """Return whether somebody may withdraw or renew what was `approved`: then the person alone, no agent for her."""
    return decide("APPROVED_BY_HER" if approved and not alone else "SETTLED")


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
