"""What of the evidence fits where only so much may come."""

from collections.abc import Sequence

from muniment.claims import Category, Integrity, Relation
from muniment.policy import Pressed, pressed

from .linking import is_link
from .question import TERM, TOOL, Picked, came_by

_MOST_LINKS = 3  # an offer, not a list


def within_limit(ordered: Sequence[Picked], limit: int, withheld: dict[int, str]) -> list[Picked]:
    """Return what fits: constraints always, the rest by score, words from outside at most half while others wait.

    Half of the room is for preferences and corrections before anything else, half of what is left for the environment.
    The failures of the tools in use find room before likeness does; links, where they are offered, come last.
    """
    terms = [item for item in ordered if came_by(item, TERM)]
    constraints = [item for item in ordered if item.claim.category is Category.CONSTRAINT]
    links = [item for item in ordered if is_link(item.reasons)]
    room = max(limit - len({item.claim.seq for item in (*terms, *constraints)}), 0)
    offered = links[: min(_MOST_LINKS, room)]
    failures = [
        item
        for item in ordered
        if came_by(item, TOOL) and item.claim.integrity > Integrity.EXTERNAL
    ][: (room - len(offered) + 1) // 2]
    first = {item.claim.seq for item in (*terms, *constraints, *failures, *offered)}
    apart = {*first, *(item.claim.seq for item in links)}
    others = [item for item in ordered if item.claim.seq not in apart]
    chosen = first | _by_score(others, max(limit - len(first), 0))
    left = [item.claim.seq for item in ordered if item.claim.seq not in chosen]
    withheld.update(dict.fromkeys(left, "OVER_LIMIT"))
    last = {item.claim.seq for item in offered}
    kept = [item for item in ordered if item.claim.seq in chosen - last and not came_by(item, TERM)]
    return [*terms, *kept, *offered]  # what a word means stands before what is said with it


def _by_score(others: Sequence[Picked], room: int) -> set[int]:
    """Return the numbers of what finds room by its score."""
    outside = [item for item in others if item.claim.integrity is Integrity.EXTERNAL]
    inside = [item for item in others if item.claim.integrity is not Integrity.EXTERNAL]
    inside = _by_pressure(inside, room)
    quota = max(room - len(inside), (room + 1) // 2)
    free = room - min(len(outside), quota)
    return {item.claim.seq for item in (*outside[:quota], *inside[:free])}


def _by_pressure(items: Sequence[Picked], room: int) -> list[Picked]:
    """Return what is to find room, in the order in which it does: the rest by score."""
    chosen: list[Picked] = []
    for place in (Pressed.FIRST, Pressed.SECOND):
        half = (room - len(chosen)) // 2
        chosen += [item for item in items if _pressed(item) is place][:half]
    kept = {item.claim.seq for item in chosen}
    return [*chosen, *(item for item in items if item.claim.seq not in kept)]


def _pressed(item: Picked) -> Pressed:
    corrects = any(relation is Relation.CORRECTS for relation, _ in item.claim.relations)
    return pressed(item.claim.category, item.claim.integrity, corrects=corrects)
