"""Recall: the index proposes, the graph disposes, policy decides, and only then is anything worded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from muniment.claims import Integrity, Purpose, Verdict
from muniment.lineage import ClaimState, Store, claim_view, independent_origins, is_withheld
from muniment.policy import CATEGORIES, Hint, decide, judge_use

from .always import always, always_on, by_tool, terms, tool_named
from .evidence import Answer, Evidence, Reason, counted, shown_score
from .index import Index
from .judging import contradicted, current_rivals, is_approved, judged, readable_of
from .limits import within_limit
from .linking import is_link, may_connect, only_recent, reasons_of, tied_by_theme
from .ordering import in_order
from .proposing import proposed
from .question import TOOL, Picked, Question
from .ranking import Candidate, Found
from .slots import OLDER_IN_SLOT, newer_first
from .wording import cited, is_elsewhere, is_stated_now, worded_for


class Recalled(NamedTuple):
    """A recall: the answer for whoever asked, and for an auditor by number which claims which rule kept back."""

    answer: Answer
    held: Mapping[int, str]


def recall(
    store: Store,
    index: Index | None,
    question: Question,
    hints: Sequence[Hint],
    *,
    trouble: str = "the index cannot be opened",
) -> Recalled:
    """Return the evidence in scope for a question; nothing is written and no claim changes.

    Where there is no index, `trouble` says why.
    """
    withheld: dict[int, str] = {}
    picked, found = _search(store, index, question, withheld, trouble)
    ordered = in_order(store, picked, question.now)
    ordered = newer_first(store, question.query, ordered, question.limit)
    kept = _with_rivals(
        store, within_limit(ordered, question.limit, withheld), picked, question, withheld
    )
    evidence = tuple(_evidence(store, item, question, hints) for item in kept)
    answer = Answer(
        query=question.query,
        purpose=question.purpose,
        evidence=evidence,
        withheld=counted(withheld),
        looked=found.looked,
        ways=found.ways,
        searched=found.searched,
        notes=found.notes,
    )
    return Recalled(answer, withheld)


def _search(
    store: Store,
    index: Index | None,
    question: Question,
    withheld: dict[int, str],
    trouble: str,
) -> tuple[dict[int, Picked], Found]:
    standing = (*terms(store, question), *always(store, question, withheld))
    picked = {item.claim.seq: item for item in standing}
    fit: dict[int, Picked] = {}
    found = Found()
    if question.readable and question.query.strip():
        fit, found = _looked_up(store, index, question, withheld, trouble)
        for seq, item in tied_by_theme(store, index, fit, question):
            fit.setdefault(seq, item)
    if question.readable:
        for item in by_tool(store, fit, question, withheld):
            _join(picked, item.claim.seq, item)
        for seq, item in only_recent(store, {**picked, **fit}, question):
            fit.setdefault(seq, item)
    for seq, item in fit.items():
        _join(picked, seq, item)
    for seq in [seq for seq, item in picked.items() if is_link(item.reasons)]:
        if not may_connect(question):
            del picked[seq]
            withheld[seq] = "THEMATIC_LINK"
    return picked, found


def _looked_up(
    store: Store,
    index: Index | None,
    question: Question,
    withheld: dict[int, str],
    trouble: str,
) -> tuple[dict[int, Picked], Found]:
    """Return what was proposed and is fit, looking further until enough that is no mere link was found."""
    notes: dict[str, None] = {}
    asked = max(50, question.limit * 4)
    while True:
        found = proposed(store, index, question, asked, trouble)
        notes |= dict.fromkeys(found.notes)
        firm = index.firm if index is not None else 0.0
        held: dict[int, str] = {}
        fit: dict[int, Picked] = {}
        for seq, item in _disposed(store, found.candidates, question, firm, held):
            if seq not in fit or (is_link(fit[seq].reasons) and not is_link(item.reasons)):
                fit[seq] = item
        enough = sum(not is_link(item.reasons) for item in fit.values()) >= question.limit
        # What may direct is always recalled and has come already: to look further would read the whole scope in vain.
        directs = question.purpose is Purpose.INSTRUCT
        if directs or enough or len(found.candidates) < asked:
            withheld.update(held)
            return fit, replace(found, notes=tuple(notes))
        asked *= 4


def _join(picked: dict[int, Picked], seq: int, item: Picked) -> None:
    """Take in a claim, with every reason it came for: a score by likeness goes before none."""
    before = picked.get(seq)
    picked[seq] = (
        item
        if before is None
        else item._replace(reasons=tuple(dict.fromkeys((*before.reasons, *item.reasons))))
    )


def _disposed(
    store: Store,
    candidates: Iterable[Candidate],
    question: Question,
    firm: float,
    withheld: dict[int, str],
) -> Iterable[tuple[int, Picked]]:
    """Yield the candidates that the graph confirms: there, in scope, current, valid now and fit for the purpose."""
    for candidate in candidates:
        claim = store.state.claims.get(candidate.node)
        if claim is None or not claim.assertions or claim.scope not in question.readable:
            continue
        rule = CATEGORIES[claim.category].recall
        if rule == "never":  # a task or a procedure, whatever the index says
            continue
        reasons = reasons_of(store, claim, candidate, question, firm)
        item = Picked(claim, candidate.score, reasons)
        decision = judged(store, claim, question)
        if decision.verdict is Verdict.REFUSE:
            if not always_on(claim):
                withheld[claim.seq] = decision.rule
            if decision.rule == "OWN_WORDS_FIRST":
                yield from _instead(store, item, question)
            continue
        if rule == "same tool" and not (reasons := _of_tool(store, item, question)):
            withheld[claim.seq] = "OTHER_TOOL"
            continue
        yield claim.seq, item._replace(reasons=reasons)


def _of_tool(store: Store, item: Picked, question: Question) -> tuple[Reason, ...]:
    """Return why a failure came, nothing where it stays away: its tool is not in use.

    Who asks what was tried before names no tool: then the answer, and nothing but an answer, takes it by likeness.
    """
    if not question.tools:
        return item.reasons if question.purpose is Purpose.ANSWER else ()
    tool = tool_named(store, item.claim, question)
    return (*item.reasons, Reason(code=TOOL, detail=tool)) if tool else ()


def _instead(store: Store, item: Picked, question: Question) -> Iterable[tuple[int, Picked]]:
    """Yield what says another value in a claim's slot: it is given for it, or beside it."""
    slot = Reason(code="same slot", detail=item.claim.id)
    return _fit(store, current_rivals(store, item.claim, question.now), item, slot, question)


def _contradicting(store: Store, item: Picked, question: Question) -> Iterable[tuple[int, Picked]]:
    """Yield what was kept to contradict a claim, or what it contradicts, of equal standing: neither comes alone."""
    against = Reason(code="contradicts", detail=item.claim.id)
    return _fit(store, contradicted(store, item.claim, question.now), item, against, question)


def _fit(
    store: Store,
    others: Iterable[ClaimState],
    item: Picked,
    reason: Reason,
    question: Question,
) -> Iterable[tuple[int, Picked]]:
    """Yield those fit for the purpose, for the reason that brings them; beside a link they are links too."""
    because = item.reasons if is_link(item.reasons) else ()
    for other in others:
        if (
            other.scope in question.readable
            and judged(store, other, question).verdict is not Verdict.REFUSE
        ):
            yield other.seq, Picked(other, item.score, (*because, reason))


def _with_rivals(
    store: Store,
    kept: Sequence[Picked],
    picked: Mapping[int, Picked],
    question: Question,
    withheld: dict[int, str],
) -> list[Picked]:
    """Return what is kept with what contradicts it beside it, even beyond the limit: neither comes alone."""
    given = {item.claim.seq for item in kept}
    whole: list[Picked] = []
    for item in kept:
        whole.append(item)
        for seq, rival in (
            *_instead(store, item, question),
            *_contradicting(store, item, question),
        ):
            if seq not in given:
                given.add(seq)
                withheld.pop(seq, None)
                known = picked.get(seq, rival)
                whole.append(rival if is_link(known.reasons) else known)
    return whole


def _evidence(store: Store, item: Picked, question: Question, hints: Sequence[Hint]) -> Evidence:
    readable = readable_of(store, item.claim, now=question.now, readable=question.readable)
    claim = claim_view(store, item.claim, now=question.now, readable=question.readable)
    claim = claim.model_copy(
        update={"citations": tuple(cited(store, one, question) for one in claim.citations)}
    )
    present = is_stated_now(claim, question.present)
    elsewhere = is_elsewhere(claim, question.present)
    claim = worded_for(claim, question.purpose)
    use, lowered = judge_use(
        readable,
        now=question.now,
        present_value=present,
        elsewhere=elsewhere,
        older_in_slot=any(reason.code == OLDER_IN_SLOT for reason in item.reasons),
        link=is_link(item.reasons),
    )
    due = elsewhere or (readable.recheck is not None and question.now >= readable.recheck)
    registered = readable.registered
    origins, independent = independent_origins(store, item.claim, question.readable)
    reasons = (
        *item.reasons,
        *(Reason(code="registered source") for _ in range(registered)),
    )
    registers = (decide("REGISTERED_SOURCE").rule,) if registered else ()
    return Evidence(
        claim=claim,
        use=use,
        score=shown_score(item.score),
        reasons=reasons,
        freshness="check again" if due else "fresh",
        approval=_approval(store, item.claim, registered=registered),
        origins_count=origins,
        independent=independent,
        rules=(
            "SCOPE",
            decide("READABLE").rule,
            *(["NEEDED"] if is_withheld(store.state, item.claim) else []),
            *registers,
            *(note.rule for note in lowered),
        ),
        hints=tuple(hint for detect in hints for hint in detect(claim.words)),
    )


def judged_anew(
    store: Store, question: Question, given: Iterable[Evidence], hints: Sequence[Hint]
) -> dict[str, Evidence | str]:
    """Return by claim what was given once as it would be given now, or the rule that keeps it back."""
    found: dict[str, Evidence | str] = {}
    for one in given:
        claim = store.state.claims[store.state.ids[one.claim.id]]
        if not claim.assertions:
            found[one.claim.id] = "ERASED"
        elif claim.scope not in question.readable:
            found[one.claim.id] = "SENSITIVE_SCOPE"  # what else would close one's own scope
        elif (decision := judged(store, claim, question)).verdict is Verdict.REFUSE:
            found[one.claim.id] = decision.rule
        else:
            now = _evidence(store, Picked(claim, one.score, one.reasons), question, hints)
            same = {"reasons": one.reasons, "score": one.score}  # why it came does not change
            found[one.claim.id] = now.model_copy(update=same)
    return found


def _approval(store: Store, claim: ClaimState, *, registered: bool) -> str:
    if registered:
        return "registered by the operator"
    if claim.integrity >= Integrity.USER:
        return "said by the person"
    return "approved by the person" if is_approved(store, claim) else "not asked"
