"""What kind a new claim is: asked by the writer, decided here from what it rests on."""

from muniment.claims import (
    Authority,
    Category,
    Decision,
    Integrity,
    Kind,
    Medium,
    Value,
    Verdict,
    canonical_text,
    hidden_characters,
    lookalikes,
)

from .categories import CATEGORIES
from .rules import decide

# A confirming word creates nothing (policy.md, Statements). The list may only lower.
_CONFIRMATIONS = frozenset(
    "yes yep yup yeah y ok okay k sure right correct exactly fine great good agreed agree please "
    "do it go ahead thanks thank you that s is i no nope "
    "네 넵 넹 네네 예 응 응응 ㅇㅇ ㅇㅋ 그래 그래요 맞아 맞아요 맞습니다 좋아 좋아요 좋습니다 아니 아니요 아뇨 "
    "알겠어 알겠어요 알겠습니다 확인 확인했어요 동의 동의해요 동의합니다 고마워 고마워요 감사 감사합니다 "
    "그렇게 해 해줘 해주세요".split()
)


class Ground(Value):
    """One thing a new claim names as its ground, as the store knows it.

    `integrity` is the lowest of its parts; `quoted` the highest integrity of a part that holds the claim's words
    verbatim, with `by_person` telling whether the session's own person wrote that part; `value_said` whether the
    claim's value, if it has one, stands in those words too. `of_another`: another person said it, or it was said or
    looked up for her. `names_account`: the field is the login of a who-am-I, or of a look-up by it; `registered`: the
    words are those of a file an operator vouches for, and say all that is beside.
    """

    integrity: Integrity
    medium: Medium | None = None
    quoted: Integrity | None = None
    by_person: bool = False
    whole: bool = False
    typed_field: bool = False
    value_said: bool = True
    tool_registered: bool = False
    of_another: bool = False
    names_account: bool = False
    registered: bool = False


class WriteRequest(Value):
    """What somebody asks to be remembered, in the shape (principal, action, resource, context).

    `words` are what is claimed, `beside` a model's own words put beside them: gist, subject, attribute, `value`.
    `by_agent`: an agent asks, so where the words are cut out of a message is a model's choice.
    """

    identified: bool
    by_agent: bool = False
    asked: Kind
    category: Category
    words: str
    beside: str = ""
    value: str = ""
    grounds: tuple[Ground, ...]
    mark: Integrity
    parents_complete: bool = False


class Ruling(Value):
    """What the claim becomes, or that it is refused."""

    decision: Decision
    kind: Kind
    integrity: Integrity

    @property
    def refused(self) -> bool:
        """Whether nothing may be written."""
        return self.decision.verdict is Verdict.REFUSE


def judge_claim(request: WriteRequest) -> Ruling:
    """Return the kind, integrity and decision for a new claim; depends on channels and spans, never on wording."""
    if not request.identified:
        return _ruling("NO_IDENTITY", Kind.INFERRED, Integrity.EXTERNAL)
    if not request.grounds:
        return _ruling("NO_EVIDENCE", Kind.INFERRED, Integrity.EXTERNAL)
    if request.by_agent and any(ground.of_another for ground in request.grounds):
        return _ruling("ANOTHERS_WORDS", Kind.EXTERNAL, Integrity.EXTERNAL)
    match request.asked:
        case Kind.STATED:
            ruling = _stated(request)
        case Kind.OBSERVED:
            ruling = _observed(request)
        case Kind.EXTERNAL:
            ruling = _external(request)
        case Kind.INFERRED:
            ruling = _inferred(request, "DERIVED")
    if request.category is Category.ACCOUNT:
        ruling = _account(request, ruling)
    if _directs(request.category, ruling.integrity) and (
        hidden_characters(request.words) or hidden_characters(request.beside)
    ):
        return _ruling("HIDDEN_CHARACTERS", ruling.kind, ruling.integrity)
    if not ruling.refused and _directs(request.category, ruling.integrity) and _passes(request):
        return _ruling("LOOKALIKE", ruling.kind, ruling.integrity)
    return ruling


def _passes(request: WriteRequest) -> bool:
    """Return whether an identifier or an address in what is asked holds a letter that passes for another."""
    critical = CATEGORIES[request.category].critical
    said = (request.words, request.beside)
    return any(map(lookalikes, said)) or lookalikes(request.value, value=critical) != ()


def _directs(category: Category, integrity: Integrity) -> bool:
    rule = CATEGORIES[category]
    return rule.critical or (rule.reach >= Authority.DIRECT and integrity >= Integrity.USER)


def _account(request: WriteRequest, ruling: Ruling) -> Ruling:
    """Return what becomes of an account: said by the person it waits for its service, and nobody guesses one."""
    results = [one for one in request.grounds if one.medium is Medium.TOOL_RESULT]
    known = {
        Kind.STATED: True,
        Kind.OBSERVED: any(one.names_account and one.value_said for one in results),
        Kind.EXTERNAL: any(one.registered for one in request.grounds),
    }
    if not known.get(ruling.kind, False):
        return _ruling("ACCOUNT_GUESSED", ruling.kind, ruling.integrity)
    if ruling.kind is Kind.STATED:
        return _ruling("ACCOUNT_UNVERIFIED", ruling.kind, ruling.integrity)
    if ruling.kind is Kind.EXTERNAL:
        return _ruling("REGISTERED_SOURCE", ruling.kind, ruling.integrity)
    return ruling


def _stated(request: WriteRequest) -> Ruling:
    own = [
        ground for ground in request.grounds if ground.quoted is Integrity.USER and ground.by_person
    ]
    # Nothing but confirming words, or no word at all: it says what somebody else put before it.
    if own and _CONFIRMATIONS.issuperset(canonical_text(request.words).split()):
        return _inferred(request, "BARE_CONFIRMATION")
    if own and not _value_said(request, own):
        return _inferred(request, "VALUE_NOT_SAID")
    directs = CATEGORIES[request.category].reach >= Authority.DIRECT
    if own and (directs or request.by_agent) and not any(ground.whole for ground in own):
        return _inferred(request, "PART_OF_A_SENTENCE")
    if own:
        return _ruling("OWN_WORDS", Kind.STATED, Integrity.USER)
    if any(ground.quoted is not None for ground in request.grounds):
        return _ruling("NOT_OWN_PART", Kind.EXTERNAL, Integrity.EXTERNAL)
    return _inferred(request, "NO_USER_SPAN")


def _value_said(request: WriteRequest, grounds: list[Ground]) -> bool:
    """Return whether a value that would be acted on is the source's own and not put beside it by a model."""
    critical = CATEGORIES[request.category].critical
    return not critical or any(ground.value_said for ground in grounds)


def _observed(request: WriteRequest) -> Ruling:
    results = [ground for ground in request.grounds if ground.medium is Medium.TOOL_RESULT]
    typed = [ground for ground in results if ground.typed_field]
    if typed and not _value_said(request, typed):
        return _inferred(request, "VALUE_NOT_SAID")
    if typed:
        return _ruling("TYPED_FIELD", Kind.OBSERVED, Integrity.TOOL)
    if results:
        known = any(ground.tool_registered for ground in results)
        return _ruling(
            "FREE_TEXT" if known else "UNREGISTERED_TOOL", Kind.EXTERNAL, Integrity.EXTERNAL
        )
    return _inferred(request, "NO_TOOL_RESULT")


def _external(request: WriteRequest) -> Ruling:
    if any(ground.quoted is not None for ground in request.grounds):
        return _ruling("TAKEN_AS_IS", Kind.EXTERNAL, Integrity.EXTERNAL)
    return _inferred(request, "REWORDED")


def _inferred(request: WriteRequest, code: str) -> Ruling:
    floor = min(Integrity.AGENT, *(ground.integrity for ground in request.grounds))
    integrity = floor if request.parents_complete else min(floor, request.mark)
    if integrity is Integrity.EXTERNAL and code == "DERIVED":
        code = "EXTERNAL_LINEAGE"
    return _ruling(code, Kind.INFERRED, Integrity(integrity))


def _ruling(code: str, kind: Kind, integrity: Integrity) -> Ruling:
    return Ruling(decision=decide(code), kind=kind, integrity=integrity)
