"""From what a writer asks to what is written: grounds and spans are looked up, policy rules, the store keeps."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from pydantic import ConfigDict, ValidationError

from muniment.claims import (
    CLAIM_LIMIT,
    Category,
    Decision,
    Failure,
    Integrity,
    InvalidError,
    Kind,
    Lifecycle,
    Medium,
    PartLabel,
    Reasoning,
    SourceRecord,
    SpanRef,
    Value,
    Verdict,
    checked_text,
    from_micros,
    is_whole,
    spans_of,
    stands_in,
)
from muniment.lineage import ClaimState, NewClaim, SourceState, Store, registered_as, speaks_for
from muniment.policy import (
    CATEGORIES,
    Draft,
    Ground,
    Policy,
    Ruling,
    WriteRequest,
    decide,
    hygiene_hints,
    in_place,
    judge_approval,
    judge_claim,
    judge_credentials,
    judge_hygiene,
)

from .acting import Asker, speaker_of
from .collecting import Drawn, collection_refusal, names_account
from .given import moment_given


class Wish(Value):
    """What a writer asks to be remembered, before anything of it is believed."""

    text: str
    kind: Kind
    category: Category
    gist: str = ""
    field: str = ""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    task: str = ""
    failure: Failure = Failure()
    reasoning: Reasoning = Reasoning()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    recheck_at: datetime | None = None
    recheck_when: str = ""
    parents_complete: bool = False

    model_config = ConfigDict(strict=True)

    @classmethod
    def asked(cls, **wanted: object) -> "Wish":
        """Return the wish that a caller's arguments make, checked; InvalidError names the one that is wrong."""
        try:
            return cls.model_validate(wanted).checked()
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(step) for step in first["loc"])
            given = type(first["input"]).__name__
            raise InvalidError(f"{name}: {first['msg']}; it is of type {given}") from None

    def checked(self) -> "Wish":
        """Return itself, or raise InvalidError for the first thing wrong with it."""
        checked_text(self.text, "the claim", limit=CLAIM_LIMIT)
        for name in ("gist", "field", "subject", "attribute", "value", "task", "recheck_when"):
            if getattr(self, name):
                checked_text(getattr(self, name), name, limit=CLAIM_LIMIT)
        if any(not (one.plan and one.why) for one in self.reasoning.rejected):
            raise InvalidError("what was rejected names the plan and why; give Rejected(plan, why)")
        for name, details in (("failure", self.failure), ("reasoning", self.reasoning)):
            for text in details.texts:
                checked_text(text, f"a text in {name}", limit=CLAIM_LIMIT)
            if details.told:
                checked_text(details.told, name, limit=CLAIM_LIMIT)
        for name in ("valid_from", "valid_to", "expires_at", "recheck_at"):
            moment_given(getattr(self, name), name)
        if self.valid_from and self.valid_to and self.valid_to <= self.valid_from:
            raise InvalidError("valid_to must be after valid_from; the interval is half-open")
        return self

    def said(self) -> tuple[str, ...]:
        """Return everything it says, a value beside what it is the value of."""
        slot = f"{self.subject} {self.attribute}: {self.value}" if self.value else self.subject
        details = (*self.failure.texts, *self.reasoning.texts)
        return (self.text, self.gist, slot, self.attribute, self.recheck_when, self.task, *details)

    def request(self) -> object:
        """Return what a key stands for; fields that came later count only where they are filled."""
        asked = self.model_dump(mode="json")
        for name in ("task", "failure", "reasoning"):
            if getattr(self, name) == type(self).model_fields[name].default:
                del asked[name]
        return asked


class Prepared(NamedTuple):
    """A ruling and, unless it refuses, the claim to write (its scope still to be filled in).

    `waits` is the decision by which it is pending until the person has looked at it, `hints` what is worth knowing.
    """

    ruling: Ruling
    claim: NewClaim
    waits: Decision | None = None
    hints: tuple[Decision, ...] = ()

    @property
    def decision(self) -> Decision:
        """What is decided: that it waits for the person, or how it is kept."""
        return self.waits or self.ruling.decision


class _Place(NamedTuple):
    """Where a wish's words stand in a source, and what the parts they touch are worth."""

    integrity: Integrity
    whole: bool
    start: int
    end: int
    origin: str


class _Found(NamedTuple):
    ground: Ground
    span: SpanRef | None
    words: str
    origin: str


def prepare(
    store: Store,
    policy: Policy,
    asker: Asker,
    wish: Wish,
    nodes: Sequence[SourceState | ClaimState],
    *,
    replaces: bool = False,
) -> Prepared:
    """Return what policy makes of a wish that rests on these sources and claims; nothing is written.

    `replaces`: it takes the place of a claim or stands beside it, so it stays of that claim's category.
    """
    if wish.category is Category.TASK:
        wish = _as_task(wish, asker.now)
    found = [_found(store, policy, asker, wish, node) for node in nodes]
    ruling = judge_claim(
        WriteRequest(
            identified=asker.identified,
            by_agent=asker.by_agent,
            asked=wish.kind,
            category=wish.category,
            words=wish.text,
            value=wish.value,
            beside=" ".join((wish.gist, wish.subject, wish.attribute, wish.value)),
            grounds=tuple(item.ground for item in found),
            mark=asker.mark,
            parents_complete=wish.parents_complete,
        )
    )
    if asker.identified and (refused := judge_credentials(wish.said())):
        ruling = ruling.model_copy(update={"decision": refused})
    waits, until = None, None
    if not ruling.refused:
        refusal, until = collection_refusal(
            store,
            policy,
            [Drawn(node, item.origin, item.span) for node, item in zip(nodes, found, strict=True)],
            wish.category,
            kind=ruling.kind,
            quoted=bool(_spoken(ruling, found)),
            beside=bool(_gist(wish, _spoken(ruling, found))),
            now=store.now()[0],
        )
        if refusal is not None:
            ruling = ruling.model_copy(update={"decision": refusal})
    draft = _draft(wish, ruling.kind)
    hints: tuple[Decision, ...] = ()
    if not ruling.refused:
        hints = hygiene_hints(draft, preset=policy.preset, by_agent=asker.by_agent)
        waits = judge_approval(
            policy.preset,
            category=wish.category,
            kind=ruling.kind,
            by_agent=asker.by_agent and asker.for_person,
        )
        clean = judge_hygiene(draft, preset=policy.preset, by_agent=asker.by_agent)
        if ruling.decision.rule == "BARE_CONFIRMATION":  # which says already what it is worth
            clean = None
        if clean and asker.by_agent:  # its labels stay: hygiene decides none
            if replaces and clean.verdict is Verdict.LOWER:
                clean = decide(in_place(clean.rule))
            ruling = ruling.model_copy(update={"decision": clean})
            if clean.verdict is Verdict.LOWER:
                waits, wish = None, _as_task(wish, asker.now)
        elif clean:
            waits = waits or clean
    spoken = _spoken(ruling, found)
    return Prepared(
        ruling,
        NewClaim(
            kind=ruling.kind,
            asked=wish.kind,
            category=wish.category,
            integrity=ruling.integrity,
            scope=0,
            quote=spoken,
            gist=_gist(wish, spoken),
            subject=wish.subject,
            attribute=wish.attribute,
            value=wish.value,
            task=wish.task,
            failure=wish.failure,
            reasoning=wish.reasoning,
            antecedents=tuple(dict.fromkeys(node.id for node in nodes)),
            spans=tuple(item.span for item in found if item.span is not None),
            origins=_origins(store, nodes, [item.origin for item in found]),
            mark=asker.mark,
            parents_complete=wish.parents_complete,
            valid_from=wish.valid_from,
            valid_to=wish.valid_to,
            expires_at=_earlier(wish.expires_at, until),
            recheck_at=wish.recheck_at,
            recheck_when=wish.recheck_when or _recheck_of(wish),
            lifecycle=Lifecycle.PENDING if waits else Lifecycle.ASSERTED,
        ),
        waits,
        hints,
    )


def _spoken(ruling: Ruling, found: Sequence[_Found]) -> str:
    """Return the words that are quoted, none where the claim is a model's."""
    quoting = ruling.kind is not Kind.INFERRED
    return next((item.words for item in found if item.span is not None), "") if quoting else ""


def _earlier(asked: datetime | None, until: int | None) -> datetime | None:
    """Return the earlier of two ends, None where neither is set."""
    ends = [end for end in (asked, from_micros(until) if until is not None else None) if end]
    return min(ends, default=None)


def _draft(wish: Wish, kind: Kind) -> Draft:
    """Return a wish as hygiene reads it, with the kind it was ruled."""
    return Draft(
        text="\n".join(text for text in (wish.text, wish.gist) if text),
        category=wish.category,
        kind=kind,
        ends=wish.expires_at is not None or wish.valid_to is not None,
        subject=wish.subject,
        task=wish.task,
        failure=wish.failure,
        reasoning=wish.reasoning,
    )


def _as_task(wish: Wish, now: int) -> Wish:
    """Return a wish as what goes to the task ledger, living for whole days, so that the same is one task."""
    days = timedelta(days=CATEGORIES[Category.TASK].days + 1)
    today = from_micros(now).replace(hour=0, minute=0, second=0, microsecond=0)
    ends = wish.expires_at or today + days
    return wish.model_copy(update={"category": Category.TASK, "expires_at": ends})


def _recheck_of(wish: Wish) -> str:
    """Return when a failure is to be checked again: as soon as its environment is another."""
    return f"the environment is not {wish.failure.environment}" if wish.failure.environment else ""


def _gist(wish: Wish, quote: str) -> str:
    """Return the writer's words: its gist beside a quote, otherwise all it said, and all that its details say."""
    details = (wish.failure.told, wish.reasoning.told)
    own = wish.text if not quote or (wish.text != quote and wish.kind is Kind.OBSERVED) else ""
    return " · ".join(dict.fromkeys(text for text in (own, wish.gist, *details) if text))


def _found(
    store: Store, policy: Policy, asker: Asker, wish: Wish, node: SourceState | ClaimState
) -> _Found:
    if isinstance(node, ClaimState):
        return _Found(Ground(integrity=node.integrity), None, "", "")
    header, sealed = store.source(node.seq)
    if not isinstance(header, SourceRecord):
        raise InvalidError(f"{node.id} is no source")
    text = "".join(words["text"] for words in sealed)
    of_another = speaker_of(store, node) not in (0, asker.person)
    if wish.kind is Kind.OBSERVED and node.medium is Medium.TOOL_RESULT:
        fields = [words.get("field", "") for words in sealed]
        login = sealed[0].get("login", {})
        found = _observed(store, policy, wish, node, header, fields, text, login)
        ground = found.ground.model_copy(update={"of_another": of_another})
        return found._replace(ground=ground)
    best: _Place | None = None
    for start, end in spans_of(wish.text, text):
        touched = [part for part in header.parts if part.start < end and start < part.end]
        lowest = min(touched, key=lambda part: part.integrity)
        part = text[touched[0].start : touched[-1].end]
        whole = is_whole(part, start - touched[0].start, end - touched[0].start)
        place = _Place(lowest.integrity, whole, start, end, lowest.origin)
        if best is None or (place.integrity, place.whole) > (best.integrity, best.whole):
            best = place
    by_person = node.medium is Medium.MESSAGE and node.author == asker.person != 0
    another = (
        not by_person
        and store.state.entity_types.get(node.author) == "person"
        and node.medium is Medium.MESSAGE
    )
    integrity = best.integrity if best and by_person else node.integrity
    registered = (
        best is not None
        and registered_as(store, node.seq) != 0
        and speaks_for(
            text,
            best.start,
            best.end,
            subject=wish.subject,
            attribute=wish.attribute,
            value=wish.value,
        )
    )
    ground = Ground(
        integrity=Integrity.EXTERNAL if another else integrity,
        medium=node.medium,
        quoted=best.integrity if best else None,
        by_person=by_person,
        whole=best is not None and best.whole,
        value_said=stands_in(wish.value, wish.text),
        of_another=of_another,
        registered=registered,
    )
    if best is None:
        return _Found(ground, None, "", "")
    span = SpanRef(source=node.id, start=best.start, end=best.end)
    return _Found(ground, span, text[best.start : best.end], best.origin)


def _observed(
    store: Store,
    policy: Policy,
    wish: Wish,
    node: SourceState,
    header: SourceRecord,
    fields: list[str],
    text: str,
    sealed_login: Mapping[str, Any],
) -> _Found:
    """Return the ground a tool result is for the named field; the quote is the store's own line, not the caller's."""
    tool = store.names.name(node.author)
    place = fields.index(wish.field) if wish.field in fields and wish.field else -1
    part = header.parts[place] if place >= 0 else None
    typed = part is not None and part.label is PartLabel.FIELD and part.integrity is Integrity.TOOL
    ground = Ground(
        integrity=part.integrity if part else node.integrity,
        medium=node.medium,
        typed_field=typed,
        tool_registered=tool in policy.tools,
        names_account=typed and names_account(sealed_login, wish.field),
        value_said=part is not None and stands_in(wish.value, text[part.start : part.end]),
    )
    if part is None:
        match = next(spans_of(wish.text, text), None)
        span = SpanRef(source=node.id, start=match[0], end=match[1]) if match else None
        return _Found(ground, span, text[match[0] : match[1]] if match else "", "")
    line = text[part.start : part.end].rstrip("\n")
    return _Found(
        ground, SpanRef(source=node.id, start=part.start, end=part.start + len(line)), line, ""
    )


def _origins(
    store: Store, nodes: Sequence[SourceState | ClaimState], quoted: list[str]
) -> tuple[str, ...]:
    """Return the identifiers of the origin principals behind these grounds, each once."""
    found: dict[str, None] = {}
    for node, origin in zip(nodes, quoted, strict=True):
        if isinstance(node, SourceState):
            found.setdefault(origin or store.state.names[node.origin or node.author])
        else:
            for assertion in node.assertions:
                header = store.header(assertion)
                found.update(dict.fromkeys(getattr(header, "origins", ())))
    return tuple(name for name in found if name)
