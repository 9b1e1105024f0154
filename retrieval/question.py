"""What is asked of a recall, and what is picked for it on the way."""

from collections.abc import Mapping
from typing import NamedTuple

from muniment.claims import Purpose, Value
from muniment.lineage import ClaimState

from .evidence import Reason

TERM = "term"


class Question(Value):
    """What is asked, by whom and for what; `readable` are the numbers of the scopes the asker may read.

    `task` is the kind of task at hand: preferences for another kind stay away. `connect`: the person asks what else
    might have to do with it, so that links are offered.
    """

    query: str
    purpose: Purpose
    readable: frozenset[int]
    limit: int
    present: Mapping[str, str] = {}
    tools: tuple[str, ...] = ()
    need: str = ""
    task: str = ""
    connect: bool = False
    now: int


class Picked(NamedTuple):
    claim: ClaimState
    score: float
    reasons: tuple[Reason, ...]


def is_term(item: Picked) -> bool:
    return any(reason.code == TERM for reason in item.reasons)
