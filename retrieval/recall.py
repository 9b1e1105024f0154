"""Recall: the index proposes, the graph disposes, policy decides, and only then is anything worded."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from muniment.claims import (
    UNREADABLE,
    Category,
    ChangeRecord,
    Citation,
    Claim,
    Decision,
    Failure,
    Integrity,
    Kind,
    Purpose,
    Reasoning,
    Relation,
    Value,
    Verb,
    Verdict,
    canonical_text,
)
from muniment.lineage import (
    ClaimState,
    Store,
    challengers,
    claim_view,
    independent_origins,
    is_restricted,
    is_withheld,
    login_of,
    muted_by,
    registered_in,
    rivals,
)
from muniment.policy import (
    CATEGORIES,
    MEMORIES,
    RULES,
    Hint,
    Pressed,
    Readable,
    decide,
    is_settled,
    judge_read,
    judge_standing,
    judge_use,
    pressed,
    speaks_of,
)

from .evidence import Answer, Evidence, Reason, Withheld, shown_score
from .index import Index
from .ranking import KEYWORD_SHARE, Candidate, Found
from .tokens import WordsAndPairs

_ALWAYS = tuple(rule.category for rule in CATEGORIES.values() if rule.recall == "always")
_MOST_PREFERENCES = (
    20  # constraints have no cap; preferences beyond this many come by likeness only
)


_TERM = "term"
_ENVIRONMENT = ("environment", "환경", "실행 환경")  # as a request names where one works
_MOST_READ = 2_000  # claims read one by one when there is no index to ask


class Question(Value):
    """What is asked, by whom and for what; `readable` are the numbers of the scopes the asker may read.

    `task` is the kind of task at hand: preferences for another kind stay away.
    """

    query: str
    purpose: Purpose
    readable: frozenset[int]
    limit: int
    present: Mapping[str, str] = {}
    tools: tuple[str, ...] = ()
    need: str = ""
    task: str = ""
    now: int


class Recalled(NamedTuple):
    """A recall: the answer for whoever asked, and for an auditor by number which claims which rule kept back."""

    answer: Answer
    held: Mapping[int, str]


class _Picked(NamedTuple):
    claim: ClaimState
    score: float
    reasons: tuple[Reason, ...]


def recall(
    store: Store, index: Index | None, question: Question, hints: Sequence[Hint]
) -> Recalled:
    """Return the evidence in scope for a question; nothing is written and no claim changes."""
    withheld: dict[int, str] = {}
    picked, searched, notes, looked = _search(store, index, question, withheld)
    ordered = sorted(picked.values(), key=lambda item: (-item.score, item.claim.seq))
    kept = _with_rivals(
        store, _within_limit(ordered, question.limit, withheld), picked, question, withheld
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
) -> tuple[dict[int, _Picked], int, tuple[str, ...], bool]:
    always = (*_terms(store, question), *_always(store, question, withheld))
    picked = {item.claim.seq: item for item in always}
    if not question.readable or not question.query.strip():
        return picked, 0, (), True
    asked = max(50, question.limit * 4)
    while True:
        found = _proposed(store, index, question, asked)
        held: dict[int, str] = {}
        proposed: dict[int, _Picked] = {}
        for seq, item in _disposed(store, found.candidates, question, held):
            proposed.setdefault(seq, item)
        # What may direct is always recalled and has come already: to look further would read the whole scope in vain.
        directs = question.purpose is Purpose.INSTRUCT
        if directs or len(proposed) >= question.limit or len(found.candidates) < asked:
            break
        asked *= 4
    withheld.update(held)
    for seq, item in proposed.items():
        before = picked.get(seq)
        picked[seq] = (
            item if before is None else item._replace(reasons=(*before.reasons, *item.reasons))
        )
    return picked, found.searched, found.notes, could_look(found.notes)


def could_look(notes: Sequence[str]) -> bool:
    """Return whether a search was made at all: by keyword, by meaning, or by both."""
    words = any(note.startswith("tokeniser failed") for note in notes)
    meaning = any(note.startswith(("embedder failed", "no embedder")) for note in notes)
    return not (words and meaning) and not any(note.startswith("could not look") for note in notes)


def _proposed(store: Store, index: Index | None, question: Question, limit: int) -> Found:
    """Return what the index proposes, or where it cannot be used what reading the claims in scope finds."""
    trouble = "the index cannot be opened"
    if index is not None:
        try:
            found = index.claims(question.query, scopes=question.readable, limit=limit)
        except Exception as error:  # whatever breaks in the index, the journal still has the words
            trouble = f"the index failed ({type(error).__name__})"
        else:
            if could_look(found.notes):
                return found
            trouble = "; ".join(found.notes)
    return _read_through(store, question, limit, trouble)


def _read_through(store: Store, question: Question, limit: int, trouble: str) -> Found:
    tokeniser = WordsAndPairs()
    wanted = set(tokeniser.tokens(question.query))
    inside = [
        claim
        for claim in store.state.claims.values()
        if claim.assertions and claim.scope in question.readable and claim.category in MEMORIES
    ]
    scored: list[Candidate] = []
    for claim in inside[-_MOST_READ:]:
        try:
            words = store.words(claim.assertions[0])
        except UNREADABLE:
            continue
        text = " ".join(words[name] for name in ("quote", "gist", "subject", "attribute", "value"))
        share = len(wanted & set(tokeniser.tokens(text))) / max(len(wanted), 1)
        if share >= KEYWORD_SHARE:
            scored.append(Candidate(claim.seq, 0, share, {"keyword": share}, ("keyword",)))
    scored.sort(key=lambda item: (-item.score, -item.node))
    read = min(len(inside), _MOST_READ)
    note = f"{trouble}: the newest {read} claims were read one by one, by keyword only"
    return Found(tuple(scored[:limit]), read, (note.replace("could not look", "index"),))


def _disposed(
    store: Store, candidates: Iterable[Candidate], question: Question, withheld: dict[int, str]
) -> Iterable[tuple[int, _Picked]]:
    """Yield the candidates that the graph confirms: there, in scope, current, valid now and fit for the purpose."""
    for candidate in candidates:
        claim = store.state.claims.get(candidate.node)
        if claim is None or not claim.assertions or claim.scope not in question.readable:
            continue
        if claim.category not in MEMORIES:  # a task or a procedure, whatever the index says
            continue
        decision = _judged(store, claim, question)
        if decision.verdict is Verdict.REFUSE:
            if not _always_on(claim):
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
        yield claim.seq, _Picked(claim, candidate.score, _reasons(candidate))


def _judged(store: Store, claim: ClaimState, question: Question) -> Decision:
    """Return whether a claim may come as evidence: here every reading passes."""
    readable = readable_of(store, claim, now=question.now, readable=question.readable)
    muted = bool(muted_by(store, claim, question.readable))
    sensitive = not question.need and store.state.sensitive.holds_back(claim)
    if muted or sensitive:
        readable = readable.model_copy(update={"muted": muted, "sensitive": sensitive})
    decision = judge_read(readable, question.purpose, now=question.now)
    if decision.verdict is not Verdict.REFUSE and _for_another_task(store, claim, question):
        return decide("ANOTHER_TASK")
    return decision


def _for_another_task(store: Store, claim: ClaimState, question: Question) -> bool:
    """Return whether a preference is for another kind of task than the one at hand; of none named, none is another."""
    if not question.task or claim.category is not Category.PREFERENCE:
        return False
    try:
        own = canonical_text(store.words(claim.assertions[0]).get("task", ""))
    except UNREADABLE:
        return False
    asked = canonical_text(question.task)
    return bool(own) and own not in asked and asked not in own


def _instead(
    store: Store, claim: ClaimState, score: float, question: Question
) -> Iterable[tuple[int, _Picked]]:
    """Yield what contradicts a claim in its slot and is fit for the purpose: it is given for it, or beside it."""
    for rival in current_rivals(store, claim, question.now):
        if (
            rival.scope in question.readable
            and _judged(store, rival, question).verdict is not Verdict.REFUSE
        ):
            yield rival.seq, _Picked(rival, score, (Reason(code="same slot", detail=claim.id),))


def _with_rivals(
    store: Store,
    kept: Sequence[_Picked],
    picked: Mapping[int, _Picked],
    question: Question,
    withheld: dict[int, str],
) -> list[_Picked]:
    """Return what is kept with what contradicts it beside it, even beyond the limit: neither comes alone."""
    given = {item.claim.seq for item in kept}
    whole: list[_Picked] = []
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


def _always_on(claim: ClaimState) -> bool:
    # Words from outside never come unasked, whatever category their writer gave them.
    standing = claim.category in _ALWAYS and bool(claim.assertions)
    return standing and claim.integrity > Integrity.EXTERNAL


def _always(store: Store, question: Question, withheld: dict[int, str]) -> Iterable[_Picked]:
    """Yield the claims whose category comes whatever the question: constraints all, preferences the newest."""
    for category in _ALWAYS:
        own = [
            store.state.claims[seq]
            for scope in question.readable
            for seq in store.state.by_category.get((scope, category), ())
            if _always_on(store.state.claims[seq])
        ]
        kept = 0
        for claim in sorted(own, key=lambda one: -one.seq):
            decision = _judged(store, claim, question)
            if decision.verdict is Verdict.REFUSE:
                withheld[claim.seq] = decision.rule
            elif category is Category.CONSTRAINT or kept < _MOST_PREFERENCES:
                kept += 1
                yield _Picked(claim, 0.0, (Reason(code="always-on", detail=category.value),))


def _terms(store: Store, question: Question) -> Iterable[_Picked]:
    """Yield the definitions whose term stands in the question: the person's own, and what she approved."""
    for scope in question.readable:
        for seq in store.state.by_category.get((scope, Category.DEFINITION), ()):
            claim = store.state.claims[seq]
            if not claim.assertions or not _is_approved(store, claim):
                continue
            try:
                term = str(store.words(claim.assertions[0])["subject"])
            except UNREADABLE:
                continue
            if term and speaks_of(term, question.query):
                if _judged(store, claim, question).verdict is not Verdict.REFUSE:
                    yield _Picked(claim, 0.0, (Reason(code=_TERM, detail=term),))


def _is_approved(store: Store, claim: ClaimState) -> bool:
    if claim.integrity >= Integrity.USER:
        return True
    headers = (store.header(seq) for seq in claim.changes)
    return any(isinstance(one, ChangeRecord) and one.verb is Verb.APPROVE for one in headers)


def _is_term(item: _Picked) -> bool:
    return any(reason.code == _TERM for reason in item.reasons)


def _within_limit(
    ordered: Sequence[_Picked], limit: int, withheld: dict[int, str]
) -> list[_Picked]:
    """Return what fits: constraints always, the rest by score, words from outside at most half while others wait.

    Half of the room is for preferences and corrections before anything else, half of what is left for the environment.
    """
    terms = [item for item in ordered if _is_term(item)]
    constraints = [item for item in ordered if item.claim.category is Category.CONSTRAINT]
    first = {item.claim.seq for item in (*terms, *constraints)}
    others = [item for item in ordered if item.claim.seq not in first]
    outside = [item for item in others if item.claim.integrity is Integrity.EXTERNAL]
    inside = [item for item in others if item.claim.integrity is not Integrity.EXTERNAL]
    room = max(limit - len(first), 0)
    inside = _by_pressure(inside, room)
    quota = max(room - len(inside), (room + 1) // 2)
    chosen = {*first, *(item.claim.seq for item in outside[:quota])}
    free = room - min(len(outside), quota)
    chosen |= {item.claim.seq for item in inside[:free]}
    left = [item.claim.seq for item in ordered if item.claim.seq not in chosen]
    withheld.update(dict.fromkeys(left, "OVER_LIMIT"))
    kept = [item for item in ordered if item.claim.seq in chosen and not _is_term(item)]
    return [*terms, *kept]  # what a word means stands before what is said with it


def _by_pressure(items: Sequence[_Picked], room: int) -> list[_Picked]:
    """Return what is to find room, in the order in which it does: the rest by score."""
    chosen: list[_Picked] = []
    for place in (Pressed.FIRST, Pressed.SECOND):
        half = (room - len(chosen)) // 2
        chosen += [item for item in items if _pressed(item) is place][:half]
    kept = {item.claim.seq for item in chosen}
    return [*chosen, *(item for item in items if item.claim.seq not in kept)]


def _pressed(item: _Picked) -> Pressed:
    corrects = any(relation is Relation.CORRECTS for relation, _ in item.claim.relations)
    return pressed(item.claim.category, item.claim.integrity, corrects=corrects)


def current_rivals(store: Store, claim: ClaimState, now: int) -> tuple[ClaimState, ...]:
    """Return the claims that say another value in the same slot and stand at the moment `now`."""
    return tuple(
        other
        for other in rivals(store, claim)
        if judge_standing(_alone(store, other), now=now) is None
    )


def readable_of(store: Store, claim: ClaimState, *, now: int, readable: frozenset[int]) -> Readable:
    """Return what policy needs to know of a claim to let it be read, with what contradicts it in its slot.

    `readable` are the scopes whose tool results may confirm an account.
    """
    alone = _alone(store, claim)
    if judge_standing(alone, now=now) is not None:
        return alone
    seen = login_of(store, claim, readable)
    alone = alone.model_copy(
        update={
            "registered": registered_in(store, claim) != 0,
            "login": seen.check if seen else None,
        }
    )
    against = current_rivals(store, claim, now)
    if not against:
        return alone
    equal = [other for other in against if not is_settled(claim.kind, other.kind)]
    return alone.model_copy(
        update={
            "challenged_by": (*alone.challenged_by, *(_beside(store, other) for other in equal)),
            "said_otherwise": any(is_settled(other.kind, claim.kind) for other in against),
        }
    )


def _beside(store: Store, other: ClaimState) -> Integrity:
    """Return as what a claim counts against another: in the words of a registered file as a tool's."""
    return Integrity.TOOL if registered_in(store, other) else other.integrity


def _alone(store: Store, claim: ClaimState) -> Readable:
    """Return what policy needs to know of a claim, whatever else stands in its slot."""
    return Readable(
        lifecycle=claim.lifecycle,
        fresh=claim.fresh,
        integrity=claim.integrity,
        category=claim.category,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        expires=claim.expires,
        recheck=claim.recheck,
        challenged_by=tuple(_beside(store, other) for other in challengers(store, claim)),
        restricted=is_restricted(store.state, claim.seq),
        keyless=claim.seq in store.keyless,
    )


def _evidence(store: Store, item: _Picked, question: Question, hints: Sequence[Hint]) -> Evidence:
    readable = readable_of(store, item.claim, now=question.now, readable=question.readable)
    claim = claim_view(store, item.claim, now=question.now, readable=question.readable)
    claim = claim.model_copy(
        update={"citations": tuple(_cited(store, one, question) for one in claim.citations)}
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


def _approval(*, own: bool, registered: bool) -> str:
    if registered:
        return "registered by the operator"
    return "said by the person" if own else "not asked"


def worded_for(claim: Claim, purpose: Purpose) -> Claim:
    """Return a claim in the words it is given in: what directs is the person's own sentence, never a model's of it.

    To act, the words of a source from outside come without a model's too.
    """
    acts = purpose is Purpose.ACT and claim.kind is Kind.EXTERNAL and claim.quote != ""
    if not acts and purpose is not Purpose.INSTRUCT:
        return claim
    return claim.model_copy(update={"gist": "", "failure": Failure(), "reasoning": Reasoning()})


def _cited(store: Store, citation: Citation, question: Question) -> Citation:
    """Return a citation as a prompt may carry it: of a muted claim without its words."""
    claim = store.state.claims.get(store.state.ids[citation.id])
    if claim is None or not muted_by(store, claim, question.readable):
        return citation
    return citation.model_copy(update={"quote": ""})


def is_stated_now(claim: Claim, present: Mapping[str, str]) -> bool:
    """Return whether the present request states a value for what this claim is about."""
    slot = canonical_text(f"{claim.subject} {claim.attribute}")
    words = canonical_text(claim.words)
    for name in present:
        wanted = canonical_text(name)
        if claim.failure.environment and wanted in _ENVIRONMENT:
            continue  # where one works states no value of what failed there
        if wanted and (wanted in (slot, canonical_text(claim.attribute)) or _named(wanted, words)):
            return True
    return False


def is_elsewhere(claim: Claim, present: Mapping[str, str]) -> bool:
    """Return whether what failed did so in another environment than the one the present request names."""
    failed = canonical_text(claim.failure.environment)
    here = [
        canonical_text(at) for name, at in present.items() if canonical_text(name) in _ENVIRONMENT
    ]
    return bool(failed) and any(at and at != failed for at in here)


def _named(wanted: str, words: str) -> bool:
    """Return whether a name stands in words as words of their own, with a particle where it ends in Hangul."""
    particle = (
        "[\uac00-\ud7af]{0,3}" if len(wanted) > 1 and "\uac00" <= wanted[-1] <= "\ud7af" else ""
    )
    return re.search(rf"(?<!\w){re.escape(wanted)}{particle}(?!\w)", words) is not None
