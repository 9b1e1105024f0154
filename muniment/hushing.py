"""What an agent may look up beyond a recall: nothing that is muted; the person herself sees all of it."""

from collections.abc import Sequence

from muniment.claims import (
    AssertRecord,
    AttachRecord,
    ChangeRecord,
    Citation,
    Claim,
    ForgetRecord,
    InvalidError,
    ReceiptRecord,
)
from muniment.lineage import ClaimState, Hush, SourceState, Trace, Weighing, hush_of
from muniment.retrieval import Answer, Prompt

from .acting import Acting
from .receipts import Receipt, receipt_of
from .replaying import receipt_named
from .why import Explanation


def must_see(acting: Acting, identifier: str) -> None:
    """Raise RefusedError for a claim that is muted for whoever looks, and for a receipt that gave one.

    Of what may not be read here nothing is said: whoever looks it up does not find it.
    """
    state, readable = acting.store.state, acting.own_scopes()
    seq = state.ids.get(identifier, 0)
    header = acting.store.header(seq) if seq else None
    of_receipt = isinstance(header, ReceiptRecord)
    named: tuple[str, ...] = (identifier,)
    if isinstance(header, ReceiptRecord):
        named = header.claims if state.number(header.scope) in readable else ()
    for name in named:
        node = _node(acting, name)
        if node is not None and (of_receipt or node.scope in readable):
            acting.must_see(node)


def seen_receipt(acting: Acting, receipt: Answer | Prompt | str) -> Receipt:
    """Return the receipt that is named, readable here with everything it gave; InvalidError for what is no receipt."""
    named = receipt_named(receipt)
    must_see(acting, named)
    kept = receipt_of(acting.store, named, acting.readable())
    if kept is None:
        raise InvalidError(f"{acting.found(named).id} is no receipt; recall gives one")
    return kept


def seen_claim(acting: Acting, claim: Claim) -> Claim:
    """Return a claim, to an agent without the words of muted ones that it rests on."""
    return claim.model_copy(update={"citations": _cited(acting, claim.citations)})


def seen_explanation(acting: Acting, explained: Explanation) -> Explanation:
    """Return an explanation, to an agent without what is muted."""
    lines = [
        line.model_copy(
            update={
                "claim": seen_claim(acting, line.claim),
                "path": tuple(
                    step.model_copy(update={"citation": _cited(acting, (step.citation,))[0]})
                    for step in line.path
                ),
            }
        )
        for line in explained.lines
        if sees(acting, line.claim.id)
    ]
    answers = (
        one.model_copy(
            update={"model": seen_text(acting, one.model), "trace": seen_text(acting, one.trace)}
        )
        for one in explained.answers
    )
    return explained.model_copy(
        update={
            "lines": tuple(lines),
            "answers": tuple(answers),
            "question": seen_text(acting, explained.question),
            "notes": seen_notes(acting, explained.notes),
        }
    )


def seen_text(acting: Acting, text: str) -> str:
    """Return what was asked once, to an agent empty where it speaks of what is muted or says what is sensitive."""
    return "" if text and _hush(acting).covers(text) else text


def seen_notes(acting: Acting, notes: Sequence[str]) -> tuple[str, ...]:
    """Return what is noted of a recall, to an agent without what speaks of the muted: a note holds the need it had."""
    hush = _hush(acting)
    return tuple(note for note in notes if not hush.covers(note))


def seen_trace(acting: Acting, trace: Trace) -> Trace:
    """Return a lineage, to an agent without the words of what is muted in it."""
    hush = _hush(acting)
    nodes = [
        node.model_copy(update={"words": ""}) if _hides(acting, hush, node.id, node.words) else node
        for node in trace.nodes
    ]
    return trace.model_copy(update={"nodes": tuple(nodes)})


def _cited(acting: Acting, citations: Sequence[Citation]) -> tuple[Citation, ...]:
    hush = _hush(acting)
    return tuple(
        one.model_copy(update={"quote": ""}) if _hides(acting, hush, one.id, one.quote) else one
        for one in citations
    )


def _hides(acting: Acting, hush: Hush, identifier: str, words: str) -> bool:
    """Return whether words are hidden: a muted claim's, and what a source says of it."""
    return bool(words) and (hush.covers(words) or not sees(acting, identifier))


def _hush(acting: Acting) -> Hush:
    if not acting.scope.agent:
        return Hush((), ())
    return hush_of(acting.store, acting.own_scopes(), sensitive=True)


def seen_weighing(acting: Acting, weighing: Weighing) -> Weighing:
    """Return the values of a slot, to an agent without those that muted claims give."""
    values = tuple(
        one for one in weighing.values if all(sees(acting, claim) for claim in one.claims)
    )
    if values == weighing.values:
        return weighing
    left = {one.value for one in values}
    leading = tuple(value for value in weighing.leading if value in left)
    return weighing.model_copy(update={"values": values, "leading": leading})


def sees(acting: Acting, identifier: str) -> bool:
    """Return whether a claim or a source may be shown here: what is muted or sensitive only to the person herself."""
    node = _node(acting, identifier)
    return node is None or acting.may_see(node)


def _node(acting: Acting, identifier: str) -> SourceState | ClaimState | None:
    state = acting.store.state
    seq = state.ids.get(identifier, 0)
    return state.claims.get(seq) or state.sources.get(seq)


def unsaid(acting: Acting, record: int) -> str:
    """Return why the words of a record are not for an agent that looks: muted, asking to forget, or an answer."""
    if not acting.scope.agent:
        return ""
    header = acting.store.header(record)
    if isinstance(header, AttachRecord):
        return "answer"
    if isinstance(header, ForgetRecord):
        return "muted"
    if isinstance(header, ReceiptRecord):
        return "muted" if _asks_of_muted(acting, header.id) else ""
    about = header.claim if isinstance(header, AssertRecord | ChangeRecord) else header.id
    return "" if sees(acting, about) else "muted"


def _asks_of_muted(acting: Acting, receipt: str) -> bool:
    """Return whether the words of a receipt speak of what no agent brings up."""
    kept = receipt_of(acting.store, receipt, None)
    hush = _hush(acting)
    return kept is not None and any(
        hush.covers(text) for text in (kept.question, *kept.present.values(), *kept.notes)
    )
