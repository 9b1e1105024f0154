"""What comes by its category, whatever words are asked: always, by its term, or by the tool in use."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from muniment.claims import SAID, UNREADABLE, Failure, Integrity, Verdict, canonical_text
from muniment.lineage import ClaimState, Store
from muniment.policy import CATEGORIES, speaks_of

from .evidence import Reason
from .judging import is_approved, judged
from .question import TERM, TOOL, Picked, Question
from .wording import is_named

_MOST_FAILURES = 5  # of the tools in use that come unasked; more come by likeness
_MOST_READ = 2_000  # failures read for the name of a tool, the newest


def always_on(claim: ClaimState) -> bool:
    """Return whether a claim comes whatever is asked; words from outside never do, whatever their category."""
    return (
        CATEGORIES[claim.category].recall == "always"
        and bool(claim.assertions)
        and claim.integrity > Integrity.EXTERNAL
    )


def always(store: Store, question: Question, withheld: dict[int, str]) -> Iterable[Picked]:
    """Yield the claims whose category comes whatever the question: all of them, or the newest where that is bounded."""
    for category, rule in CATEGORIES.items():
        if rule.recall != "always":
            continue
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
            elif not rule.most or kept < rule.most:
                kept += 1
                yield Picked(claim, 0.0, (Reason(code="always-on", detail=category.value),))


def terms(store: Store, question: Question) -> Iterable[Picked]:
    """Yield the claims whose term stands in the question: the person's own, and what she approved."""
    for claim in _ruled(store, question, "term in the question"):
        if not claim.assertions or not is_approved(store, claim):
            continue
        try:
            term = str(store.words(claim.assertions[0])["subject"])
        except UNREADABLE:
            continue
        if term and speaks_of(term, question.query):
            if judged(store, claim, question).verdict is not Verdict.REFUSE:
                yield Picked(claim, 0.0, (Reason(code=TERM, detail=term),))


def by_tool(
    store: Store, found: Mapping[int, Picked], question: Question, withheld: dict[int, str]
) -> Iterable[Picked]:
    """Yield the failures of the tools in use, the most alike first, then the newest; what is over only by likeness.

    A page cannot put its warnings before whoever uses a tool: words from outside come by likeness alone.
    """
    if not question.tools:
        return
    fit: list[Picked] = []
    newest = sorted(_ruled(store, question, "same tool"), key=lambda one: -one.seq)
    for claim in newest[:_MOST_READ]:
        if not claim.assertions or claim.integrity is Integrity.EXTERNAL:
            continue
        if not (tool := tool_named(store, claim, question)):
            continue
        decision = judged(store, claim, question)
        if decision.verdict is Verdict.REFUSE:
            withheld[claim.seq] = decision.rule
            continue
        fit.append(Picked(claim, 0.0, (Reason(code=TOOL, detail=tool),)))

    def alike(item: Picked) -> tuple[bool, float, int]:
        known = found.get(item.claim.seq)
        return known is None, 0.0 if known is None else -known.score, -item.claim.seq

    fit.sort(key=alike)
    yield from fit[:_MOST_FAILURES]
    over = (item.claim.seq for item in fit[_MOST_FAILURES:])
    withheld.update(dict.fromkeys((seq for seq in over if seq not in found), "OVER_LIMIT"))


def tool_named(store: Store, claim: ClaimState, question: Question) -> str:
    """Return the first of the tools in use that a claim names in its words, empty for none."""
    try:
        words = store.words(claim.assertions[0])
    except UNREADABLE:
        return ""
    told = Failure.model_validate_json(words.get("failure") or "{}").told
    held = (words[name] for name in SAID)
    text = canonical_text(" ".join((*held, told)))
    wanted = ((tool, _name_of(tool)) for tool in question.tools)
    return next((tool for tool, name in wanted if name and is_named(name, text)), "")


@lru_cache(maxsize=4_096)
def _name_of(tool: str) -> str:
    """Return a tool's name as it is compared: with every failure, so it is made once."""
    return canonical_text(tool)


def _ruled(store: Store, question: Question, recall: str) -> Iterable[ClaimState]:
    """Yield the claims in scope whose category is recalled by this rule."""
    for category, rule in CATEGORIES.items():
        if rule.recall == recall:
            for scope in question.readable:
                for seq in store.state.by_category.get((scope, category), ()):
                    yield store.state.claims[seq]
