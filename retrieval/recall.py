"""Recall: the index proposes, the graph disposes, policy decides, and only then is anything worded."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from muniment.claims import UNREADABLE, Integrity, Purpose, Verdict, canonical_text
from muniment.lineage import ClaimState, Store, claim_view, independent_origins, is_withheld
from muniment.policy import CATEGORIES, MEMORIES, RULES, Hint, decide, judge_use

from .always import always, always_on, terms
from .evidence import Answer, Evidence, Reason, Withheld, shown_score
from .index import Index
from .judging import current_rivals, judged, readable_of
from .limits import within_limit
from .proposing import could_look, proposed
from .question import Picked, Question
from .ranking import Candidate
from .wording import cited, is_elsewhere, is_stated_now, worded_for


class Recalled(NamedTuple):
    """A recall: the answer for whoever asked, and for an auditor by number which claims which rule kept back."""

    answer: Answer
    held: Mapping[int, str]


def recall(
    store: Store, index: Index | None, question: Question, hints: Sequence[Hint]
) -> Recalled:
    """Return the evidence in scope for a question; nothing is written and no claim changes."""
    withheld: dict[int, str] = {}
    picked, searched, notes, looked = _search(store, index, question, withheld)
    ordered = sorted(picked.values(), key=lambda item: (-item.score, item.claim.seq))
    kept = _with_rivals(
        store, within_limit(ordered, question.limit, withheld), picked, question, withheld
    )
    evidence = tuple(_evidence(store, item, question, hints) for item in kept)
    answer = Answer(
        query=question.query,
        purpose=question.purpose,
        evidence=evidence,
        withheld=tuple(
            Withheld(rule=rule, reason=RULES[rule].reason, count=count)
            for rule, count in sorted(Counter(withheld.values()).items())
        ),
        looked=looked,
        searched=searched,
        notes=notes,
    )
    return Recalled(answer, withheld)


def _search(
    store: Store, index: Index | None, question: Question, withheld: dict[int, str]
) -> tuple[dict[int, Picked], int, tuple[str, ...], bool]:
    standing = (*terms(store, question), *always(store, question, withheld))
    picked = {item.claim.seq: item for item in standing}
    if not question.readable or not question.query.strip():
        return picked, 0, (), True
    asked = max(50, question.limit * 4)
    while True:
        found = proposed(store, index, question, asked)
        held: dict[int, str] = {}
        fit: dict[int, Picked] = {}
        for seq, item in _disposed(store, found.candidates, question, held):
            fit.setdefault(seq, item)
        # What may direct is always recalled and has come already: to look further would read the whole scope in vain.
        directs = question.purpose is Purpose.INSTRUCT
        if directs or len(fit) >= question.limit or len(found.candidates) < asked:
            break
        asked *= 4
    withheld.update(held)
    for seq, item in fit.items():
        before = picked.get(seq)
        picked[seq] = (
            item if before is None else item._replace(reasons=(*before.reasons, *item.reasons))
        )
    return picked, found.searched, found.notes, could_look(found.notes)


def _disposed(
    store: Store, candidates: Iterable[Candidate], question: Question, withheld: dict[int, str]
) -> Iterable[tuple[int, Picked]]:
    """Yield the candidates that the graph confirms: there, in scope, current, valid now and fit for the purpose."""
    for candidate in candidates:
        claim = store.state.claims.get(candidate.node)
        if claim is None or not claim.assertions or claim.scope not in question.readable:
            continue
        if claim.category not in MEMORIES:  # a task or a procedure, whatever the index says
            continue
        decision = judged(store, claim, question)
        if decision.verdict is Verdict.REFUSE:
            if not always_on(claim):
                withheld[claim.seq] = decision.rule
            if decision.rule == "OWN_WORDS_FIRST":
                yield from _instead(store, claim, candidate.score, question)
            continue
        if (
            CATEGORIES[claim.category].recall == "same tool"
            and question.tools
            and not _names_tool(store, claim, question)
        ):
            continue
        yield claim.seq, Picked(claim, candidate.score, _reasons(candidate))


def _instead(
    store: Store, claim: ClaimState, score: float, question: Question
) -> Iterable[tuple[int, Picked]]:
    """Yield what contradicts a claim in its slot and is fit for the purpose: it is given for it, or beside it."""
    for rival in current_rivals(store, claim, question.now):
        if (
            rival.scope in question.readable
            and judged(store, rival, question).verdict is not Verdict.REFUSE
        ):
            yield rival.seq, Picked(rival, score, (Reason(code="same slot", detail=claim.id),))


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
        for seq, rival in _instead(store, item.claim, item.score, question):
            if seq not in given:
                given.add(seq)
                withheld.pop(seq, None)
                whole.append(picked.get(seq, rival))
    return whole


def _reasons(candidate: Candidate) -> tuple[Reason, ...]:
    return tuple(
        Reason(code=code, score=shown_score(candidate.parts.get(code, 0.0)))
        for code in candidate.reasons
    )


def _names_tool(store: Store, claim: ClaimState, question: Question) -> bool:
    try:
        words = store.words(claim.assertions[0])
    except UNREADABLE:
        return False
    text = canonical_text(f"{words['quote']} {words['gist']} {words['subject']}")
    return any(canonical_text(tool) in text for tool in question.tools)


def _evidence(store: Store, item: Picked, question: Question, hints: Sequence[Hint]) -> Evidence:
    readable = readable_of(store, item.claim, now=question.now, readable=question.readable)
    claim = claim_view(store, item.claim, now=question.now, readable=question.readable)
    claim = claim.model_copy(
        update={"citations": tuple(cited(store, one, question) for one in claim.citations)}
    )
    present = is_stated_now(claim, question.present)
    elsewhere = is_elsewhere(claim, question.present)
    claim = worded_for(claim, question.purpose)
    use, lowered = judge_use(readable, now=question.now, present_value=present, elsewhere=elsewhere)
    due = elsewhere or (readable.recheck is not None and question.now >= readable.recheck)
    own, registered = item.claim.integrity >= Integrity.USER, readable.registered
    origins, independent = independent_origins(store, item.claim, question.readable)
    reasons = (
        *item.reasons,
        *(Reason(code="authored by you") for _ in range(own)),
        *(Reason(code="registered source") for _ in range(registered)),
    )
    registers = (decide("REGISTERED_SOURCE").rule,) if registered else ()
    return Evidence(
        claim=claim,
        use=use,
        score=shown_score(item.score),
        reasons=reasons,
        freshness="check again" if due else "fresh",
        approval=_approval(own=own, registered=registered),
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


def _approval(*, own: bool, registered: bool) -> str:
    if registered:
        return "registered by the operator"
    return "said by the person" if own else "not asked"
