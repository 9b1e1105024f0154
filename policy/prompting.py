"""What of memory enters a prompt: no loose link unasked, and no budget that drops a constraint."""

from collections.abc import Collection, Sequence

from muniment.claims import Decision

from .rules import decide

LOOSE_LINKS = frozenset({"THEMATIC_LINK"})
"""The rules by which evidence is a loose link: to be offered where somebody asked to connect, never asserted."""


def is_loose(rules: Collection[str]) -> bool:
    """Return whether evidence that passed these rules is a loose link."""
    return not LOOSE_LINKS.isdisjoint(rules)


def judge_link(rules: Collection[str], *, connect: bool) -> Decision | None:
    """Return what keeps evidence out of a prompt as a loose link, or None; `connect`: the person asked to connect."""
    return decide("NOT_ASKED_TO_CONNECT") if is_loose(rules) and not connect else None


def judge_budget(size: int, budget: int, constraints: Sequence[str]) -> Decision | None:
    """Return what refuses a prompt that cannot be made smaller, or None where it fits; `constraints` are named."""
    if size <= budget:
        return None
    named = ", ".join(constraints) or "none"
    return decide(
        "CONSTRAINTS_OVER_BUDGET", f"{size:,} of {budget:,} counted; constraints: {named}"
    )
