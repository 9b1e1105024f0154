"""What may be shown for a purpose, and how it may be used."""

from muniment.claims import (
    Authority,
    Category,
    Decision,
    Integrity,
    Kind,
    Lifecycle,
    LoginCheck,
    Purpose,
    Use,
    Value,
)

from .categories import CATEGORIES, authority_of
from .rules import decide

_GONE = {
    Lifecycle.ERASED: "ERASED",
    Lifecycle.PENDING: "PENDING",
    Lifecycle.REJECTED: "REJECTED",
    Lifecycle.RETRACTED: "RETRACTED",
    Lifecycle.CORRECTED: "CORRECTED",
    Lifecycle.SUPERSEDED: "SUPERSEDED",
}


_TOLD = {
    LoginCheck.UNVERIFIED: "ACCOUNT_UNVERIFIED",
    LoginCheck.MISMATCH: "ACCOUNT_MISMATCH",
}
_TENTATIVE = ("ENVIRONMENT_CHANGED", "RECHECK_DUE", "CONFLICT", "THEMATIC_LINK", *_TOLD.values())


class Readable(Value):
    """What reading needs to know of a claim; times in microseconds since 1970 UTC.

    `registered`: its words are those of a file an operator vouches for; `login`: how an account stands. Beside others
    that say otherwise, what is registered counts as a tool's, among `challenged_by` too.
    """

    lifecycle: Lifecycle
    fresh: bool
    integrity: Integrity
    category: Category
    valid_from: int | None = None
    valid_to: int | None = None
    expires: int | None = None
    recheck: int | None = None
    challenged_by: tuple[Integrity, ...] = ()
    restricted: bool = False
    keyless: bool = False
    said_otherwise: bool = False
    muted: bool = False
    sensitive: bool = False
    registered: bool = False
    login: LoginCheck | None = None


def judge_read(claim: Readable, purpose: Purpose, *, now: int) -> Decision:
    """Return whether a claim in scope may come as evidence for a purpose at the moment `now`."""
    held = judge_standing(claim, now=now) or (decide("MUTED") if claim.muted else None)
    return held or _judge_need(claim) or _judge_purpose(claim, purpose) or decide("READABLE")


def _judge_need(claim: Readable) -> Decision | None:
    if claim.sensitive and comes_on_need(category=claim.category, integrity=claim.integrity):
        return decide("SENSITIVE")
    return None


def comes_on_need(*, category: Category, integrity: Integrity) -> bool:
    """Return whether a sensitive claim comes on explicit need only: all but the person's own constraints do.

    What would harm her were it forgotten, such as an allergy, is always on.
    """
    return not (category is Category.CONSTRAINT and integrity >= Integrity.USER)


def judge_standing(claim: Readable, *, now: int) -> Decision | None:
    """Return the decision that keeps a claim back whatever the purpose, or None when it stands."""
    if claim.restricted and claim.lifecycle is not Lifecycle.ERASED:
        return decide("RESTRICTED")
    if claim.lifecycle in _GONE:
        return decide(_GONE[claim.lifecycle])
    if not claim.fresh:
        return decide("STALE")
    if claim.keyless:
        return decide("KEY_MISSING")
    if (claim.expires is not None and now >= claim.expires) or (
        claim.valid_to is not None and now >= claim.valid_to
    ):
        return decide("EXPIRED")
    if claim.valid_from is not None and now < claim.valid_from:
        return decide("NOT_YET_VALID")
    return decide("OWN_WORDS_FIRST") if claim.said_otherwise else None


def is_settled(claim: Kind, against: Kind) -> bool:
    """Return whether the first of two that disagree wins: the person's own words before a guess or hearsay."""
    return claim is Kind.STATED and against in (Kind.INFERRED, Kind.EXTERNAL)


def _judge_purpose(claim: Readable, purpose: Purpose) -> Decision | None:
    critical = CATEGORIES[claim.category].critical
    match purpose:
        case Purpose.ANSWER:
            return None
        case Purpose.PERSONALISE:
            if claim.integrity < Integrity.AGENT:
                return decide("OUTSIDE_WORDS")
            return decide("CRITICAL_SLOT") if critical else None
        case Purpose.ACT:
            return _judge_value(claim) if critical else None
        case Purpose.INSTRUCT:
            if claim.integrity < Integrity.AGENT:
                return decide("OUTSIDE_WORDS")
            directs = authority_of(claim.category, claim.integrity) >= Authority.DIRECT
            return None if directs else decide("NOT_DIRECTIVE")


def _judge_value(claim: Readable) -> Decision | None:
    """Return what keeps a value from being acted on, or None: a registered file stands for its values by itself."""
    if claim.registered:
        return None
    if claim.integrity < Integrity.TOOL:
        return decide("UNTRUSTED_VALUE")
    if claim.category is Category.ACCOUNT and claim.login is not LoginCheck.CONFIRMED:
        return decide("ACCOUNT_NOT_CONFIRMED")
    return None


def judge_use(
    claim: Readable,
    *,
    now: int,
    present_value: bool,
    elsewhere: bool = False,
    older_in_slot: bool = False,
    link: bool = False,
) -> tuple[Use, tuple[Decision, ...]]:
    """Return how evidence may be used and every rule that lowered it; `elsewhere`: it failed in another environment.

    `older_in_slot`: by its wording something newer stands in its slot. That is a guess, so it lowers nothing that comes
    whatever is asked: of two allergies the older is no less one. `link`: nothing firm ties it to what was asked.
    """
    notes: list[Decision] = []
    older = older_in_slot and CATEGORIES[claim.category].recall != "always"
    if older:
        notes.append(decide("NEWER_IN_SLOT"))
    if link:
        notes.append(decide("THEMATIC_LINK"))
    if elsewhere:
        notes.append(decide("ENVIRONMENT_CHANGED"))
    if claim.recheck is not None and now >= claim.recheck:
        notes.append(decide("RECHECK_DUE"))
    if claim.challenged_by:
        stands = max(claim.integrity, Integrity.TOOL) if claim.registered else claim.integrity
        equal = max(claim.challenged_by) >= stands
        notes.append(decide("CONFLICT" if equal else "CHALLENGED_BY_LOWER_INTEGRITY"))
    if claim.login is not None and claim.login in _TOLD:
        notes.append(decide(_TOLD[claim.login]))
    if present_value:
        return Use.BACKGROUND, (*notes, decide("PRESENT_VALUE"))
    if any(note.rule in _TENTATIVE for note in notes):
        return Use.TENTATIVE, tuple(notes)
    if older or (claim.integrity < Integrity.TOOL and not claim.registered):
        return Use.BACKGROUND, tuple(notes)
    directs = authority_of(claim.category, claim.integrity) >= Authority.DIRECT
    return Use.DIRECTIVE if directs else Use.APPLICABLE, tuple(notes)
