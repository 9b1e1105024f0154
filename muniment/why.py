"""The answer to why something was remembered or recalled."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from muniment.claims import Citation, Claim, Decision, NotFoundError, Use, Value, from_micros
from muniment.lineage import ClaimState, Store, claim_view, found
from muniment.policy import judge_reasoning
from muniment.retrieval import Reason, Way

from .answers import Attached, answers_of
from .receipts import Receipt, receipt_of

_DEPTH = 32


class Step(Value):
    """One step down a claim's lineage: `depth` 1 is what it rests on directly."""

    depth: int
    citation: Citation


class FromMemory(StrEnum):
    """Whether words of a prompt or an answer come from memory, as far as its receipts tell."""

    YES = "from memory"
    MAYBE = "may rest on memory"
    NO = "not from memory"
    UNKNOWN = "could not look"


class Looked(Value):
    """Where a sentence was looked for: how many receipts of which time, and how many answers attached to them."""

    receipts: int
    answers: int
    unread: int = 0
    since: datetime
    until: datetime


class Line(Value):
    """One claim explained: why it came, its use, why it was kept, and what it rests on down to the sources.

    Of a sentence, `shared` is what it has in common with the claim, and `from_memory` what that amounts to.
    """

    claim: Claim
    reasons: tuple[Reason, ...] = ()
    use: Use | None = None
    decision: Decision
    path: tuple[Step, ...]
    shared: tuple[Reason, ...] = ()
    from_memory: FromMemory | None = None


class Explanation(Value):
    """Why: of a receipt with its question, or of a claim alone (then `receipt` is empty).

    Of one line of a prompt or a sentence of an answer, `from_memory` says whether it comes from memory at all, and of a
    sentence `looked` where it was looked for. `answers` were attached to the receipt by the host.
    """

    receipt: str = ""
    purpose: str = ""
    question: str = ""
    asked_at: datetime | None = None
    lines: tuple[Line, ...] = ()
    withheld: tuple[tuple[str, int], ...] = ()
    ways: tuple[Way, ...] = ()
    notes: tuple[str, ...] = ()
    from_memory: FromMemory | None = None
    text: str = ""
    looked: Looked | None = None
    answers: tuple[Attached, ...] = ()


def explain(
    store: Store,
    identifier: str,
    wanted: str,
    *,
    now: int,
    readable: frozenset[int],
    owner: int = 0,
) -> Explanation:
    """Return why a receipt's claims, or one claim, came to be; `owner` learns that hers was erased."""
    receipt = receipt_of(store, identifier, readable)
    if receipt is not None:
        explained = _of_receipt(store, receipt, wanted, now=now, readable=readable)
        answers = answers_of(store, receipt.header.seq, alone=owner != 0)
        return explained.model_copy(update={"answers": answers})
    node = found(store, identifier, readable, owner=owner)
    if not isinstance(node, ClaimState):
        raise NotFoundError(f"{identifier!r} is a source; ask why of a claim or a receipt")
    lines = (_line(store, node, (), None, now=now, readable=readable),)
    return Explanation(lines=lines, notes=_lacking(lines))


def _lacking(lines: Sequence[Line]) -> tuple[str, ...]:
    """Return which of the decisions explained do not say why, or what was rejected."""
    found = ((one.claim, judge_reasoning(one.claim.category, one.claim.reasoning)) for one in lines)
    return tuple(f"{claim.id}: {lacks.rule}: {lacks.reason}" for claim, lacks in found if lacks)


def _of_receipt(
    store: Store,
    receipt: Receipt,
    wanted: str,
    *,
    now: int,
    readable: frozenset[int],
) -> Explanation:
    lines: list[Line] = []
    for given in receipt.given:
        claim = store.state.claims[store.state.ids[given.claim]]
        if wanted in ("", claim.id) and claim.scope in readable and claim.assertions:
            lines.append(_line(store, claim, given.reasons, given.use, now=now, readable=readable))
    notes = (
        receipt.notes
        if lines or not wanted
        else (*receipt.notes, f"{wanted} was not in this answer")
    )
    return Explanation(
        receipt=receipt.header.id,
        purpose=receipt.header.purpose.value,
        question=receipt.question,
        asked_at=from_micros(receipt.header.at),
        lines=tuple(lines),
        withheld=receipt.withheld,
        ways=receipt.ways,
        notes=(*notes, *(_lacking(lines) if wanted else ())),
    )


def _line(
    store: Store,
    claim: ClaimState,
    reasons: tuple[Reason, ...],
    use: Use | None,
    *,
    now: int,
    readable: frozenset[int],
) -> Line:
    view = claim_view(store, claim, now=now, readable=readable)
    path: list[Step] = []
    seen = {claim.id}
    queue = [(1, citation) for citation in view.citations]
    for depth, citation in queue:
        if citation.id in seen or depth > _DEPTH:
            continue
        seen.add(citation.id)
        path.append(Step(depth=depth, citation=citation))
        below = store.state.claims.get(store.state.ids[citation.id])
        if below is not None and below.scope in readable:
            deeper = claim_view(store, below, now=now, readable=readable)
            queue.extend((depth + 1, step) for step in deeper.citations)
    return Line(claim=view, reasons=reasons, use=use, decision=view.decision, path=tuple(path))
