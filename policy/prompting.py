"""What of memory enters a prompt: a loose link as an offer, and no budget that drops a constraint."""

from collections.abc import Collection, Sequence

from muniment.claims import Decision

from .rules import decide


def is_loose(rules: Collection[str]) -> bool:
    """Return whether evidence that passed these rules is a loose link: to be offered, never asserted."""
    return "THEMATIC_LINK" in rules


def judge_budget(size: int, budget: int, constraints: Sequence[str]) -> Decision | None:
    """Return what refuses a prompt that cannot be made smaller, or None where it fits; `constraints` are named."""
    if size <= budget:
        return None
    named = ", ".join(constraints) or "none"
    return decide(
        "CONSTRAINTS_OVER_BUDGET", f"{size:,} of {budget:,} counted; constraints: {named}"
    )
