"""Receipts, and the answer to why something was remembered or recalled."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from muniment.claims import (
    UNREADABLE,
    Citation,
    Claim,
    Decision,
    ErasedError,
    NotFoundError,
    ReceiptRecord,
    Scope,
    Use,
    Value,
    from_micros,
)
from muniment.lineage import ClaimState, Store, Writer, claim_view, found, write_receipt
from muniment.policy import decide
from muniment.retrieval import Answer, Question, Reason

_DEPTH = 32


class Step(Value):
    """One step down a claim's lineage: `depth` 1 is what it rests on directly."""

    depth: int
    citation: Citation


class Line(Value):
    """One claim explained: why it came, its use, why it was kept, and what it rests on down to the sources."""

    claim: Claim
    reasons: tuple[Reason, ...] = ()
    use: Use | None = None
    decision: Decision
    path: tuple[Step, ...]


class Explanation(Value):
    """Why: of a receipt with its question, or of a claim alone (then `receipt` is empty)."""

    receipt: str = ""
    purpose: str = ""
    question: str = ""
    asked_at: datetime | None = None
    lines: tuple[Line, ...] = ()
    withheld: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()


def keep_receipt(
    store: Store, writer: Callable[[], Writer], scope: Scope, question: Question, answer: Answer
) -> str:
    """Write down what a recall gave and return the receipt's identifier; the question and the scores are sealed."""
    words: dict[str, object] = {
        "question": question.query,
        "present": dict(question.present),
        "tools": list(question.tools),
        "limit": question.limit,
        "searched": answer.searched,
        "notes": list(answer.notes),
        "withheld": {item.rule: item.count for item in answer.withheld},
        "evidence": [
            {
                "claim": item.claim.id,
                "version": item.claim.version,
                "use": item.use.value,
                "score": round(item.score * 1000),
                "reasons": [
                    [reason.code, reason.detail, round(reason.score * 1000)]
                    for reason in item.reasons
                ],
            }
            for item in answer.evidence
        ],
    }
    with store.group():
        header = write_receipt(
            store,
            decide("READABLE"),
            writer(),
            purpose=question.purpose,
            scope=store.names.register_scope(scope),
            claims=[store.state.ids[item.claim.id] for item in answer.evidence],
            withheld=sum(item.count for item in answer.withheld),
            words=words,
        )
    return header.id


def explain(
    store: Store,
    thing: Answer | Claim | str,
    wanted: str,
    *,
    now: int,
    readable: frozenset[int],
    owner: int = 0,
) -> Explanation:
    """Return why a receipt's claims, or one claim, came to be; `owner` learns that hers was erased."""
    identifier = (
        thing
        if isinstance(thing, str)
        else thing.receipt
        if isinstance(thing, Answer)
        else thing.id
    )
    seq = store.state.ids.get(identifier, 0)
    header = store.header(seq) if seq else None
    if isinstance(header, ReceiptRecord):
        if store.state.number(header.scope) not in readable:
            raise NotFoundError(
                f"there is no {identifier!r} here; look it up with `muniment claims` or recall"
            )
        return _of_receipt(store, header, seq, wanted, now=now, readable=readable)
    node = found(store, identifier, readable, owner=owner)
    if not isinstance(node, ClaimState):
        raise NotFoundError(f"{identifier!r} is a source; ask why of a claim or a receipt")
    return Explanation(lines=(_line(store, node, (), None, now=now, readable=readable),))


def _of_receipt(
    store: Store,
    header: ReceiptRecord,
    seq: int,
    wanted: str,
    *,
    now: int,
    readable: frozenset[int],
) -> Explanation:
    words = _receipt_words(store, header, seq)
    lines: list[Line] = []
    for item in words["evidence"]:
        claim = store.state.claims[store.state.ids[item["claim"]]]
        if wanted in ("", claim.id) and claim.scope in readable and claim.assertions:
            reasons = tuple(
                Reason(code=code, detail=detail, score=score / 1000)
                for code, detail, score in item["reasons"]
            )
            use = Use(item["use"]) if item["use"] else None
            lines.append(_line(store, claim, reasons, use, now=now, readable=readable))
    notes = (
        words["notes"]
        if lines or not wanted
        else [*words["notes"], f"{wanted} was not in this answer"]
    )
    return Explanation(
        receipt=header.id,
        purpose=header.purpose.value,
        question=words["question"],
        asked_at=from_micros(header.at),
        lines=tuple(lines),
        withheld=tuple(sorted(words["withheld"].items())),
        notes=tuple(notes),
    )


def _receipt_words(store: Store, header: ReceiptRecord, seq: int) -> dict[str, Any]:
    """Return what a receipt holds; where its key is gone only which claims it gave, from its header."""
    try:
        return store.words(seq)
    except UNREADABLE as error:
        erased = isinstance(error, ErasedError)
        why = "were destroyed by an erasure" if erased else "cannot be read without their key"
        return {
            "question": "",
            "withheld": {},
            "notes": [f"the question and the scores of that day {why}"],
            "evidence": [{"claim": one, "use": "", "reasons": []} for one in header.claims],
        }


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
