"""Investigating: everything there is to say about one claim or one answer, and a bundle that proves it elsewhere."""

import json
from collections.abc import Callable

from muniment.claims import Change, Medium, Source, Value
from muniment.lineage import (
    ReceiptSeen,
    Signer,
    Store,
    Verification,
    bundle_of,
    found,
    history_view,
    receipts_of,
    source_view,
)

from .why import Explanation, Line


class Told(Value):
    """One claim of an investigation: why it is kept, what happened to it, the sources it quotes, where it appeared."""

    line: Line
    history: tuple[Change, ...]
    sources: tuple[Source, ...] = ()
    receipts: tuple[ReceiptSeen, ...] = ()


class Investigation(Value):
    """What became known of a claim or a receipt, what could not be determined and why, and the bundle as JSON."""

    subject: str
    explanation: Explanation
    claims: tuple[Told, ...]
    verification: Verification
    undetermined: tuple[str, ...]
    checkpoint: str
    key: str
    bundle: str


def investigate(
    store: Store,
    signer: Signer,
    explanation: Explanation,
    verification: Verification,
    readable: frozenset[int],
    unsaid: Callable[[int], str],
) -> Investigation:
    """Return the investigation of what was explained, but for words that are `unsaid`, which gives the reason."""
    subject = explanation.receipt or explanation.lines[0].claim.id
    bundle = bundle_of(store, signer, store.state.ids[subject], readable, unsaid)
    told = tuple(_told(store, line, readable) for line in explanation.lines)
    return Investigation(
        subject=subject,
        explanation=explanation,
        claims=told,
        verification=verification,
        undetermined=(*_open_questions(explanation, bundle), *verification.undetermined),
        checkpoint=bundle["checkpoint"],
        key=signer.key,
        bundle=json.dumps(bundle, ensure_ascii=False, indent=1),
    )


def _told(store: Store, line: Line, readable: frozenset[int]) -> Told:
    claim = found(store, line.claim.id, readable)
    cited = dict.fromkeys(
        step.citation.id
        for step in line.path
        if step.citation.medium is not None and step.citation.quote
    )
    return Told(
        line=line,
        history=history_view(store, store.state.claims[claim.seq]),
        sources=tuple(
            source_view(store, store.state.sources[store.state.ids[name]], readable)
            for name in cited
        ),
        receipts=receipts_of(store, line.claim.id, readable),
    )


def _open_questions(explanation: Explanation, bundle: dict[str, list[dict[str, str]]]) -> list[str]:
    """Return what the lineage leaves open."""
    open_questions = list(explanation.notes)
    whys = [item["why"] for item in bundle["withheld"]]
    if count := whys.count("scope"):
        open_questions.append(
            f"what {count} records of the lineage say: they are not this reader's to read"
        )
    if count := whys.count("destroyed"):
        open_questions.append(
            f"what {count} payloads of the lineage said: their keys were destroyed"
        )
    if count := whys.count("revoked"):
        open_questions.append(
            f"what {count} payloads of the lineage say: access to their source is revoked"
        )
    if count := whys.count("muted"):
        open_questions.append(
            f"what {count} payloads of the lineage say: the person does not want it brought up"
        )
    cited = [step.citation for line in explanation.lines for step in line.path]
    if any(one.medium in (Medium.DOCUMENT, Medium.TOOL_RESULT) for one in cited):
        open_questions.append(
            "whether what came from outside is true: only that it came in, and how, is recorded"
        )
    if any(one.medium is Medium.MESSAGE for one in cited):
        open_questions.append(
            "who typed a message: the host said who it was, and that is what is recorded"
        )
    if count := whys.count("answer"):
        open_questions.append(f"what {count} answers say: they are shown to the person herself")
    open_questions.append(
        "how the model came to what it answered: what is attached is what the host says it was"
        if explanation.answers
        else "what the model did with the evidence: the store sees what it gave, not what became of it"
    )
    return open_questions
