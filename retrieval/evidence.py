"""What a recall gives back: claims with the reasons they came and how they may be used."""

from collections import Counter
from collections.abc import Mapping

from muniment.claims import Claim, Purpose, Use, Value
from muniment.policy import RULES, Definition

from .ranking import Way


class Reason(Value):
    """Why a claim came: a code, a detail in words, and its share of the score where it has one."""

    code: str
    detail: str = ""
    score: float = 0.0


class Evidence(Value):
    """A claim fit for a purpose, with its reasons, its use and the rules it passed.

    Its origins are `origins_count`; at least `independent` of them are not known to share one or a speaker.
    """

    claim: Claim
    use: Use
    score: float
    reasons: tuple[Reason, ...]
    freshness: str
    approval: str
    origins_count: int
    independent: int
    rules: tuple[str, ...]
    hints: tuple[str, ...] = ()


class Withheld(Value):
    """How many claims that matched one rule kept back."""

    rule: str
    reason: str
    count: int


class Answer(Value):
    """The evidence of one recall; `looked` is false when no search could be made: not the same as finding nothing.

    `ways` are those in which it was looked: keyword and semantic where all is well, one of them, or "one by one" where
    there was no index to ask; `notes` say what failed. There is none where nothing was there to be searched.
    `definitions` are the terms in the question that the organisation approved; they go before it.
    """

    query: str
    purpose: Purpose
    definitions: tuple[Definition, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    looked: bool = True
    ways: tuple[Way, ...] = ()
    searched: int = 0
    notes: tuple[str, ...] = ()
    receipt: str = ""


def shown_score(score: float) -> float:
    """Return a score as it is shown, to four digits; nothing has no sign, which would tell in which order was added."""
    return round(float(score), 4) + 0.0


def counted(held: Mapping[int, str]) -> tuple[Withheld, ...]:
    """Return how many claims each rule kept back; `held` gives the rule by the number of a claim."""
    return tuple(
        Withheld(rule=rule, reason=RULES[rule].reason, count=count)
        for rule, count in sorted(Counter(held.values()).items())
    )
