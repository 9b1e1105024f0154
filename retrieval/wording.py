"""In which words a claim is given, and what the present request says about it."""

import re
from collections.abc import Mapping

from muniment.claims import (
    Citation,
    Claim,
    Failure,
    Kind,
    Purpose,
    Reasoning,
    canonical_text,
)
from muniment.lineage import Store, muted_by

from .question import Question

_ENVIRONMENT = ("environment", "환경", "실행 환경")  # as a request names where one works


def worded_for(claim: Claim, purpose: Purpose) -> Claim:
    """Return a claim in the words it is given in: what directs is the person's own sentence, never a model's of it.

    To act, the words of a source from outside come without a model's too.
    """
    acts = purpose is Purpose.ACT and claim.kind is Kind.EXTERNAL and claim.quote != ""
    if not acts and purpose is not Purpose.INSTRUCT:
        return claim
    return claim.model_copy(update={"gist": "", "failure": Failure(), "reasoning": Reasoning()})


def cited(store: Store, citation: Citation, question: Question) -> Citation:
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
        if wanted and (
            wanted in (slot, canonical_text(claim.attribute)) or is_named(wanted, words)
        ):
            return True
    return False


def is_elsewhere(claim: Claim, present: Mapping[str, str]) -> bool:
    """Return whether what failed did so in another environment than the one the present request names."""
    failed = canonical_text(claim.failure.environment)
    here = [
        canonical_text(at) for name, at in present.items() if canonical_text(name) in _ENVIRONMENT
    ]
    return bool(failed) and any(at and at != failed for at in here)


def is_named(wanted: str, words: str) -> bool:
    """Return whether a name stands in words as words of their own, with the particle Korean writes onto it."""
    particle = "[\uac00-\ud7af]{0,3}" if len(wanted) > 1 else ""
    if wanted not in words:  # a pattern for each of many names would be made anew each time
        return False
    return re.search(rf"(?<!\w){re.escape(wanted)}{particle}(?!\w)", words) is not None
