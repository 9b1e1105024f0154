"""Why a claim was not in an answer: which step of that recall dropped it, by its receipt and the records of then."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from muniment.claims import Claim, ErasedError, Standing, Value
from muniment.lineage import ClaimState, claim_view, past_store
from muniment.policy import CATEGORIES, MEMORIES, RULES
from muniment.retrieval import Answer, Prompt

from .acting import Acting, identifier_of
from .hushing import seen_receipt
from .receipts import Receipt, held_by


class RecallStep(StrEnum):
    """What became of a claim in one recall, in the order in which a recall goes."""

    NOT_YET = "not there yet"
    OUT_OF_SCOPE = "out of its scope"
    NO_MEMORY = "no memory"
    NOT_FOUND = "not found"
    HELD_BACK = "held back"
    OVER_LIMIT = "over the limit"
    NOT_IN_PROMPT = "given, not in the prompt"
    GIVEN = "given"
    NOT_GIVEN = "not given"
    ERASED = "erased since"
    UNKNOWN = "could not look"


_TOLD = {
    RecallStep.NOT_YET: "it was not recorded yet when this answer was given",
    RecallStep.OUT_OF_SCOPE: "this recall did not look where it is kept",
    RecallStep.NO_MEMORY: "tasks and procedures are no memory: no recall brings them up",
    RecallStep.NOT_FOUND: "the search did not propose it: neither words nor meaning were near enough to the question",
    RecallStep.NOT_IN_PROMPT: "it was given, and the prompt made of it has no line of it",
    RecallStep.GIVEN: "it was given",
    RecallStep.NOT_GIVEN: "it was not given; which step dropped it is told to the person herself and to an auditor",
    RecallStep.ERASED: "it was erased since",
}


class WhyNot(Value):
    """Why a claim is not in an answer: the step that dropped it, by which `rule` if one did, and why in words.

    `place` is its place in the answer, `line` that in the prompt, 0 for none; `stood` is how it stood at that moment.
    """

    claim: str
    receipt: str
    step: RecallStep
    rule: str = ""
    reason: str
    place: int = 0
    line: int = 0
    words: str = ""
    stood: Standing | None = None
    notes: tuple[str, ...] = ()


def why_not(acting: Acting, claim: Claim | str, receipt: Answer | Prompt | str) -> WhyNot:
    """Return which step dropped a claim from the answer of a receipt, or that it was given after all."""
    kept = seen_receipt(acting, receipt)
    named = identifier_of(claim)
    try:
        state = acting.claim(named)
    except ErasedError as error:  # raised for the person whose it was, and for nobody else
        return _erased(named, kept, str(error))
    found = dropped(acting, state, kept)
    acting.has_read(state.integrity)
    return found.model_copy(update={"words": acting.view(state).words})


def dropped(acting: Acting, claim: ClaimState, kept: Receipt) -> WhyNot:
    """Return what became of a claim that may be read here in the recall of a receipt."""
    found = _step(acting, claim, kept)
    stood = None if found.step is RecallStep.NOT_YET else _stood(acting, claim, kept)
    if acting.scope.agent and found.step in _UNTOLD:
        found = _Found(RecallStep.NOT_GIVEN)
        stood = None
    notes = found.notes if found.step not in _LOOKED else (*found.notes, *kept.notes)
    return WhyNot(
        claim=claim.id,
        receipt=kept.header.id,
        step=found.step,
        rule=found.rule,
        reason=found.reason or _TOLD[found.step],
        place=found.place,
        line=found.line,
        stood=stood,
        notes=notes,
    )


class _Found(NamedTuple):
    step: RecallStep
    rule: str = ""
    reason: str = ""
    place: int = 0
    line: int = 0
    notes: tuple[str, ...] = ()


_LOOKED = (RecallStep.NOT_FOUND, RecallStep.UNKNOWN)
# Of what was held back an agent learns how many by which rule, never which; nor by whether it was found at all.
_UNTOLD = (RecallStep.HELD_BACK, RecallStep.OVER_LIMIT, RecallStep.NOT_FOUND, RecallStep.UNKNOWN)


def _step(acting: Acting, claim: ClaimState, kept: Receipt) -> _Found:
    header, state = kept.header, acting.store.state
    if claim.id in header.claims:
        return _given(claim.id, kept)
    if claim.seq > kept.known:
        return _Found(RecallStep.NOT_YET)
    scope = state.number(header.scope)
    if not scope or claim.scope not in state.readable(state.scopes[scope]):
        return _Found(RecallStep.OUT_OF_SCOPE)
    if header.behalf and not state.sensitive.admits(claim.scope, header.by):
        rule = "SENSITIVE_SCOPE"
        return _Found(
            RecallStep.HELD_BACK, rule, RULES[rule].reason, notes=("as it is declared today",)
        )
    if claim.category not in MEMORIES:
        return _Found(RecallStep.NO_MEMORY)
    if kept.lost:
        return _Found(RecallStep.UNKNOWN, reason=kept.lost)
    held = held_by(acting.store, header)
    rule = held.get(claim.id, "")
    if rule:
        step = RecallStep.OVER_LIMIT if rule == "OVER_LIMIT" else RecallStep.HELD_BACK
        return _Found(step, rule, RULES[rule].reason if rule in RULES else rule)
    return _unnamed(claim, kept, held)


def _given(claim: str, kept: Receipt) -> _Found:
    place = kept.header.claims.index(claim) + 1
    line = next((number for number, one in kept.prompt if one == claim), 0)
    step = RecallStep.NOT_IN_PROMPT if kept.prompt and not line else RecallStep.GIVEN
    return _Found(step, place=place, line=line)


def _unnamed(claim: ClaimState, kept: Receipt, held: Mapping[str, str]) -> _Found:
    """Return what is known of a claim that was neither given nor is named as held back."""
    unnamed = kept.header.withheld - len(held)
    if unnamed > 0:
        return _Found(
            RecallStep.UNKNOWN,
            reason=f"of {unnamed} claims that were held back the receipt does not say which; it may be one",
        )
    return _Found(RecallStep.NOT_FOUND, notes=tuple(_of_search(claim, kept)))


def _of_search(claim: ClaimState, kept: Receipt) -> Iterator[str]:
    if CATEGORIES[claim.category].recall == "same tool" and kept.tools:
        yield f"failures come for the tools in use, which were: {', '.join(kept.tools)}"
    yield f"searched: {kept.searched} claims"


def _stood(acting: Acting, claim: ClaimState, kept: Receipt) -> Standing | None:
    """Return how a claim stood when a recall was judged."""
    then = past_store(acting.store, kept.known, (claim,))
    was = then.state.claims.get(claim.seq)
    if was is None:
        return None
    return claim_view(then, was, now=kept.moment, readable=acting.readable()).standing


def _erased(claim: str, kept: Receipt, told: str) -> WhyNot:
    given = _given(claim, kept) if claim in kept.header.claims else None
    notes = (f"it had been given, in place {given.place}",) if given else ("it had not been given",)
    return WhyNot(
        claim=claim,
        receipt=kept.header.id,
        step=RecallStep.ERASED,
        reason=f"{_TOLD[RecallStep.ERASED]}: {told}",
        place=given.place if given else 0,
        notes=notes,
    )
