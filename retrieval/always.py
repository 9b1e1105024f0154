"""What comes whatever is asked: constraints, preferences, and the terms that stand in the question."""

from collections.abc import Iterable

from muniment.claims import UNREADABLE, Category, ChangeRecord, Integrity, Verb, Verdict
from muniment.lineage import ClaimState, Store
from muniment.policy import CATEGORIES, speaks_of

from .evidence import Reason
from .judging import judged
from .question import TERM, Picked, Question

_ALWAYS = tuple(rule.category for rule in CATEGORIES.values() if rule.recall == "always")
_MOST_PREFERENCES = (
    20  # constraints have no cap; preferences beyond this many come by likeness only
)


def always_on(claim: ClaimState) -> bool:
    # Words from outside never come unasked, whatever category their writer gave them.
    standing = claim.category in _ALWAYS and bool(claim.assertions)
    return standing and claim.integrity > Integrity.EXTERNAL


def always(store: Store, question: Question, withheld: dict[int, str]) -> Iterable[Picked]:
    """Yield the claims whose category comes whatever the question: constraints all, preferences the newest."""
    for category in _ALWAYS:
        own = [
            store.state.claims[seq]
            for scope in question.readable
            for seq in store.state.by_category.get((scope, category), ())
            if always_on(store.state.claims[seq])
        ]
        kept = 0
        for claim in sorted(own, key=lambda one: -one.seq):
            decision = judged(store, claim, question)
            if decision.verdict is Verdict.REFUSE:
                withheld[claim.seq] = decision.rule
            elif category is Category.CONSTRAINT or kept < _MOST_PREFERENCES:
                kept += 1
                yield Picked(claim, 0.0, (Reason(code="always-on", detail=category.value),))


def terms(store: Store, question: Question) -> Iterable[Picked]:
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
                if judged(store, claim, question).verdict is not Verdict.REFUSE:
                    yield Picked(claim, 0.0, (Reason(code=TERM, detail=term),))


def _is_approved(store: Store, claim: ClaimState) -> bool:
    if claim.integrity >= Integrity.USER:
        return True
    headers = (store.header(seq) for seq in claim.changes)
    return any(isinstance(one, ChangeRecord) and one.verb is Verb.APPROVE for one in headers)
