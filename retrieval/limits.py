"""What of the evidence fits where only so much may come."""

from collections.abc import Sequence

from muniment.claims import Category, Integrity, Relation
from muniment.policy import Pressed, pressed

from .question import Picked, is_term


def within_limit(ordered: Sequence[Picked], limit: int, withheld: dict[int, str]) -> list[Picked]:
    """Return what fits: constraints always, the rest by score, words from outside at most half while others wait.

    Half of the room is for preferences and corrections before anything else, half of what is left for the environment.
    """
    terms = [item for item in ordered if is_term(item)]
    constraints = [item for item in ordered if item.claim.category is Category.CONSTRAINT]
    first = {item.claim.seq for item in (*terms, *constraints)}
    others = [item for item in ordered if item.claim.seq not in first]
    outside = [item for item in others if item.claim.integrity is Integrity.EXTERNAL]
    inside = [item for item in others if item.claim.integrity is not Integrity.EXTERNAL]
    room = max(limit - len(first), 0)
    inside = _by_pressure(inside, room)
    quota = max(room - len(inside), (room + 1) // 2)
    chosen = {*first, *(item.claim.seq for item in outside[:quota])}
    free = room - min(len(outside), quota)
    chosen |= {item.claim.seq for item in inside[:free]}
    left = [item.claim.seq for item in ordered if item.claim.seq not in chosen]
    withheld.update(dict.fromkeys(left, "OVER_LIMIT"))
    kept = [item for item in ordered if item.claim.seq in chosen and not is_term(item)]
    return [*terms, *kept]  # what a word means stands before what is said with it


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
