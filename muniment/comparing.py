"""Two receipts side by side: what was asked, what each gave and in which place, and why the other did not."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from muniment.claims import Use, Value, from_micros
from muniment.lineage import claim_view
from muniment.policy import RULES
from muniment.retrieval import Answer, Prompt

from .acting import Acting
from .dropping import WhyNot, dropped
from .echoing import read_out
from .hushing import seen_receipt, seen_text
from .receipts import Given, Receipt


class Asked(Value):
    """One of two receipts: what was asked, when, what for, what the request stated itself, and by which policy."""

    receipt: str
    asked_at: datetime
    purpose: str
    question: str
    present: Mapping[str, str] = {}
    tools: tuple[str, ...] = ()
    task: str = ""
    connect: bool = False
    policy: str
    lost: str = ""


class GivenAs(Value):
    """How an answer gave a claim: in which place, version and use, with which score."""

    place: int
    version: int
    use: Use | None = None
    score: float = 0.0


class Compared(Value):
    """One claim in two answers: how each gave it, what differs, and where one did not, why, as far as it is known."""

    claim: str
    words: str = ""
    first: GivenAs | None = None
    second: GivenAs | None = None
    differs: tuple[str, ...] = ()
    why_not: WhyNot | None = None


class HeldInBoth(Value):
    """How many claims a rule held back from each of two answers."""

    rule: str
    reason: str
    first: int = 0
    second: int = 0


class Comparison(Value):
    """Two receipts compared: `same` and `differs` name what was asked alike and not, `unknown` what cannot be told."""

    first: Asked
    second: Asked
    same: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    claims: tuple[Compared, ...] = ()
    withheld: tuple[HeldInBoth, ...] = ()


_SEALED = (
    "question",
    "present",
    "tools",
    "task",
    "connect",
)  # what goes with the words of a receipt


def compared(
    acting: Acting, first: Answer | Prompt | str, second: Answer | Prompt | str
) -> Comparison:
    """Return two receipts side by side, each readable here with everything it gave."""
    one, other = seen_receipt(acting, first), seen_receipt(acting, second)
    asked = _asked(one), _asked(other)
    lost = tuple(name for name in _SEALED if one.lost or other.lost)
    names = [name for name in ("purpose", *_SEALED, "policy") if name not in lost]
    same = {name: getattr(asked[0], name) == getattr(asked[1], name) for name in names}
    claims = tuple(_claims(acting, one, other))
    read_out(acting, (line.claim for line in claims if line.words))
    return Comparison(
        first=_seen(acting, asked[0]),
        second=_seen(acting, asked[1]),
        same=tuple(name for name in names if same[name]),
        differs=tuple(name for name in names if not same[name]),
        unknown=lost,
        claims=claims,
        withheld=tuple(_withheld(one, other)),
    )


def _asked(kept: Receipt) -> Asked:
    return Asked(
        receipt=kept.header.id,
        asked_at=from_micros(kept.header.at),
        purpose=kept.header.purpose.value,
        question=kept.question,
        present=kept.present,
        tools=kept.tools,
        task=kept.task,
        connect=kept.connect,
        policy=kept.header.decision.policy,
        lost=kept.lost,
    )


def _seen(acting: Acting, asked: Asked) -> Asked:
    """Return what was asked as whoever compares may see it: an agent not what speaks of the muted."""
    stated = {name: seen_text(acting, value) for name, value in asked.present.items()}
    return asked.model_copy(
        update={"question": seen_text(acting, asked.question), "present": stated}
    )


def _claims(acting: Acting, one: Receipt, other: Receipt) -> Iterator[Compared]:
    """Yield every claim that either gave: in the order of the first, then what only the second gave."""
    sides = _given(one), _given(other)
    for claim in dict.fromkeys((*sides[0], *sides[1])):
        first, second = sides[0].get(claim), sides[1].get(claim)
        state = acting.store.state.claims[acting.store.state.ids[claim]]
        shown = (
            bool(state.assertions) and state.scope in acting.readable() and acting.may_see(state)
        )
        words, why = "", None
        if shown:
            acting.has_read(state.integrity)
            view = claim_view(acting.store, state, now=acting.now(), readable=acting.readable())
            words = view.words
            if first is None or second is None:
                why = dropped(acting, state, one if first is None else other)
        yield Compared(
            claim=claim,
            words=words,
            first=first,
            second=second,
            differs=tuple(_differs(first, second)),
            why_not=why,
        )


def _given(kept: Receipt) -> dict[str, GivenAs]:
    return {one.claim: _as(place, one) for place, one in enumerate(kept.given, 1)}


def _as(place: int, one: Given) -> GivenAs:
    return GivenAs(place=place, version=one.version, use=one.use, score=one.score)


def _differs(first: GivenAs | None, second: GivenAs | None) -> Iterator[str]:
    if first is not None and second is not None:
        for name in ("place", "version", "use", "score"):
            if getattr(first, name) != getattr(second, name):
                yield name


def _withheld(one: Receipt, other: Receipt) -> Iterator[HeldInBoth]:
    """Yield how many claims each rule held back from either."""
    first, second = dict(one.withheld), dict(other.withheld)
    for rule in sorted({*first, *second}):
        reason = RULES[rule].reason if rule in RULES else ""
        counts = {"first": first.get(rule, 0), "second": second.get(rule, 0)}
        yield HeldInBoth(rule=rule, reason=reason, **counts)
