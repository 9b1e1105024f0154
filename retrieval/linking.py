"""What is tied to a question by no more than a theme, a faint likeness or its date: a link, offered and never asserted.

Measured with the default embedder (docs/decisions/0028): of what answers a question or says the same, next to nothing
lies below both floors.
"""

import re
from collections.abc import Iterable, Mapping

from muniment.claims import UNREADABLE, Category, Integrity, Purpose, Verdict, canonical_text
from muniment.lineage import ClaimState, Store
from muniment.policy import CATEGORIES

from .evidence import Reason, shown_score
from .index import Index
from .judging import is_approved, judged
from .question import Picked, Question
from .ranking import KEYWORD_SHARE, Candidate
from .ways import QueryWords

# A claim that carries less of the weight of the question's words shares a common word with it and no more.
WORDS_FLOOR = 0.1
# Where everything speaks of one thing its words weigh little; so many of the question's words are no coincidence.
PLAIN_FLOOR = 0.2
_FIRM = frozenset({"keyword", "semantic", "always-on", "term", "same tool"})
_LOOSE = frozenset({"weak meaning", "few words", "theme", "approved overlap", "only recent"})
_MOST_THEMES = 3  # themes in one question that are followed to what else they speak of
_MOST_TIED = 10  # claims one theme is followed to
_MOST_RECENT = 3  # claims offered for their date alone
_RECENT = 30 * 86_400_000_000  # microseconds
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_LATIN = re.compile(r"[a-zA-Z]")


def is_link(reasons: Iterable[Reason]) -> bool:
    """Return whether a claim came for nothing but reasons that make no connection by themselves."""
    codes = {reason.code for reason in reasons}
    return bool(codes & _LOOSE) and not codes & _FIRM


def may_connect(question: Question) -> bool:
    """Return whether links are offered: where the person asks for them, and never to act on or to be directed by."""
    return question.connect and question.purpose in (Purpose.ANSWER, Purpose.PERSONALISE)


def reasons_of(
    store: Store, claim: ClaimState, candidate: Candidate, question: Question, firm: float
) -> tuple[Reason, ...]:
    """Return why the index proposed a claim; `firm` is the similarity that ties by itself.

    Between languages no word can be shared, and there the likeness that finds a claim is enough.
    """
    found = tuple(
        Reason(code=code, score=shown_score(candidate.parts.get(code, 0.0)))
        for code in candidate.reasons
    )
    alike = "semantic" in candidate.reasons
    if candidate.words >= WORDS_FLOOR or (alike and candidate.meaning >= firm):
        return found
    words = _words(store, claim)
    if alike and not _share_a_script(words, question.query):
        return found
    if QueryWords(question.query).share_in(words) >= PLAIN_FLOOR:
        return found
    return tuple(_loose(store, claim, candidate))


def _loose(store: Store, claim: ClaimState, candidate: Candidate) -> Iterable[Reason]:
    """Yield what a link rests on."""
    if "semantic" in candidate.reasons:
        detail = f"resembles in meaning only ({candidate.meaning:.2f})"
        yield Reason(code="weak meaning", detail=detail, score=shown_score(candidate.meaning))
    if "keyword" in candidate.reasons:
        share = f"{100 * candidate.words:.0f} % of the weight of the question's words"
        code, told = "few words", f"shares {share}"
        if is_approved(store, claim):
            code, told = "approved overlap", f"approved, and shares {share}"
        yield Reason(code=code, detail=told, score=shown_score(candidate.words))


def _words(store: Store, claim: ClaimState) -> str:
    try:
        words = store.words(claim.assertions[0])
    except UNREADABLE:
        return ""
    return f"{words['quote']} {words['gist']}"


def _share_a_script(one: str, other: str) -> bool:
    """Return whether two texts are written mostly in the same script, Hangul or another."""

    def korean(text: str) -> bool:
        text = canonical_text(text)
        # A syllable of Hangul stands for about two letters.
        return 2 * len(_HANGUL.findall(text)) >= max(len(_LATIN.findall(text)), 1)

    return korean(one) == korean(other)


def tied_by_theme(
    store: Store, index: Index | None, found: Mapping[int, Picked], question: Question
) -> Iterable[tuple[int, Picked]]:
    """Yield what the themes a question touches speak of besides: what they rest on, and what shares their words."""
    if question.purpose not in (Purpose.ANSWER, Purpose.PERSONALISE):
        return
    themes = [item for item in found.values() if item.claim.category is Category.THEME]
    for theme in sorted(themes, key=lambda item: (-item.score, item.claim.seq))[:_MOST_THEMES]:
        reason = Reason(code="theme", detail=theme.claim.id)
        for seq in dict.fromkeys((*_grounds(theme.claim), *_alike(store, index, theme, question))):
            claim = store.state.claims.get(seq)
            if claim is None or seq in found or not _may_be_tied(store, claim, question):
                continue
            yield seq, Picked(claim, theme.score, (reason,))


def _grounds(theme: ClaimState) -> Iterable[int]:
    return (seq for grounds in theme.justifications for seq in grounds)


def _alike(store: Store, index: Index | None, theme: Picked, question: Question) -> Iterable[int]:
    words = _words(store, theme.claim)
    if index is None or not words.strip():
        return ()
    try:
        found = index.claims(words, scopes=question.readable, limit=_MOST_TIED + 1)
    except Exception:  # what breaks in the index was told of the question itself
        return ()
    return (one.node for one in found.candidates if one.words >= KEYWORD_SHARE)


def _may_be_tied(store: Store, claim: ClaimState, question: Question) -> bool:
    """Return whether a claim may be offered unasked of its own: readable, and no words from outside."""
    return (
        bool(claim.assertions)
        and claim.scope in question.readable
        and claim.integrity > Integrity.EXTERNAL
        and CATEGORIES[claim.category].recall in ("similar", "similar and recent")
        and judged(store, claim, question).verdict is not Verdict.REFUSE
    )


def only_recent(
    store: Store, found: Mapping[int, Picked], question: Question
) -> Iterable[tuple[int, Picked]]:
    """Yield the newest themes and facts of the last thirty days that nothing else ties to the question."""
    if not may_connect(question):
        return
    newest = sorted(
        (
            seq
            for scope in question.readable
            for category, rule in CATEGORIES.items()
            if category is Category.THEME or rule.recall == "similar and recent"
            for seq in store.state.by_category.get((scope, category), ())
        ),
        reverse=True,
    )
    given = 0
    for seq in newest:
        claim = store.state.claims[seq]
        age = question.now - claim.recorded
        if given == _MOST_RECENT or age > _RECENT:
            return
        if seq not in found and _may_be_tied(store, claim, question):
            given += 1
            days = f"kept {age // 86_400_000_000} days ago, and nothing else ties it"
            yield seq, Picked(claim, 0.0, (Reason(code="only recent", detail=days),))
