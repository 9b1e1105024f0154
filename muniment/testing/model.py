"""A reference model: what sessions did, folded in memory by the written rules, with nothing kept between questions.

It is slow and plain on purpose, and shares only the vocabulary with the store: labels are worked out from scratch at
each question, spans by trying every stretch, readability field by field. `tests/laws` holds the store against it.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from muniment.claims import (
    SCOPE_FIELDS,
    Authority,
    Category,
    Integrity,
    Kind,
    Lifecycle,
    Medium,
    Purpose,
    Scope,
    Standing,
    Use,
    canonical_text,
    hidden_characters,
)

_MOMENT = timedelta(microseconds=1)
_CONFIRMING = ("ok", "yes", "네", "맞아요", "응")
_ENDING = ".!?。！？…:;\n"
_CRITICAL = (Category.ACCOUNT, Category.CONTACT)
_REACH = {
    Category.CONSTRAINT: Authority.DIRECT,
    Category.PREFERENCE: Authority.PREFER,
    Category.DECISION: Authority.PREFER,
}


class ModelError(Exception):
    """What a session must answer instead of a value: the `kind` of its error and, of a refusal, the rule."""

    def __init__(self, kind: str, rule: str = "") -> None:
        super().__init__(f"{kind} {rule}".strip())
        self.kind = kind
        self.rule = rule


@dataclass(eq=False)
class ModelPart:
    """A stretch of a source; `field` names a tool's field."""

    text: str
    label: str
    integrity: Integrity
    origin: str = ""
    field: str = ""


@dataclass(eq=False)
class ModelSource:
    """A source; `author` is its sort and name, as `person:kim`."""

    medium: Medium
    scope: Scope
    author: str
    origin: str
    parts: list[ModelPart]
    order: int = 0
    erased: bool = False
    key: object = None

    @property
    def text(self) -> str:
        """The raw text."""
        return "".join(part.text for part in self.parts)

    @property
    def integrity(self) -> Integrity:
        """The lowest of its parts."""
        return min(part.integrity for part in self.parts)

    def touched(self, start: int, end: int) -> list[ModelPart]:
        """Return the parts that a span touches."""
        return [part for _, part in self._placed(start, end)]

    def is_whole(self, start: int, end: int) -> bool:
        """Return whether a span is whole sentences or lines of the parts it touches."""
        touched = self._placed(start, end)
        first, last = touched[0][0], touched[-1][0] + len(touched[-1][1].text)
        before, after = self.text[first:start].rstrip(" -*>"), self.text[end:last].lstrip(" ")
        begins = not before or before[-1] in _ENDING
        ends = not after or after[0] in _ENDING or self.text[start:end].rstrip()[-1] in _ENDING
        return begins and ends

    def _placed(self, start: int, end: int) -> list[tuple[int, ModelPart]]:
        found: list[tuple[int, ModelPart]] = []
        place = 0
        for part in self.parts:
            if place < end and start < place + len(part.text):
                found.append((place, part))
            place += len(part.text)
        return found


@dataclass(eq=False)
class ModelRendering:
    """One wording of a claim, with what it was written from."""

    asked: Kind
    rule: str
    quote: str
    gist: str
    origins: set[str]
    grounds: tuple["ModelSource | ModelClaim", ...]
    order: int = 0
    erased: bool = False


@dataclass
class ModelStone:
    """What an erasure keeps out: a sort and a text or original, of one scope."""

    sort: str
    said: object
    scope: Scope
    order: int


@dataclass(eq=False)
class ModelClaim:
    """A claim with everything that was ever said for it: each justification is a set of grounds used together."""

    kind: Kind
    asked: Kind
    category: Category
    integrity: Integrity
    rule: str
    scope: Scope
    quote: str
    gist: str
    said: tuple[object, ...]
    identity: tuple[object, ...]
    origins: set[str]
    justifications: list[tuple["ModelSource | ModelClaim", ...]]
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    recheck_at: datetime | None = None
    lifecycle: Lifecycle = Lifecycle.ASSERTED
    version: int = 1
    seen: int = 1
    confirmed: bool = False
    order: int = 0
    stated_to: datetime | None = None
    withdrawn_by: Integrity = Integrity.EXTERNAL
    changed: int = 0
    corrects: "ModelClaim | None" = None
    supersedes: "ModelClaim | None" = None
    challenges: "ModelClaim | None" = None
    replaced_by: "ModelClaim | None" = None
    changes: list[str] = field(default_factory=lambda: ["remember"])
    renderings: list[ModelRendering] = field(default_factory=list[ModelRendering])

    @property
    def erased(self) -> bool:
        """Whether nothing of it is left."""
        return self.lifecycle is Lifecycle.ERASED


@dataclass(eq=False)
class ModelSession:
    """Who acts, and the lowest integrity of what entered the context."""

    scope: Scope
    marks: dict[tuple[Scope, str], Integrity] = field(
        default_factory=dict[tuple[Scope, str], Integrity]
    )
    heard: dict[Scope, Integrity] = field(default_factory=dict[Scope, Integrity])
    own_mark: Integrity = Integrity.USER

    @property
    def mark(self) -> Integrity:
        """The lowest integrity of what entered the context, in any session of this name."""
        named = (self.sources_scope, self.scope.session)
        heard = self.heard.get(self.scope, Integrity.USER)
        return min(self.own_mark, heard, self.marks.get(named, Integrity.USER))

    def lower(self, level: Integrity) -> None:
        """Note that something of that integrity entered the context."""
        self.own_mark = min(self.own_mark, level)
        if self.scope.agent and self.scope.session:
            self.heard[self.scope] = min(self.heard.get(self.scope, Integrity.USER), level)

    def has_read(self, thing: "ModelSource | ModelClaim") -> None:
        """Note that something was looked at: it enters an agent's context, a person just sees it."""
        if self.scope.agent:
            self.lower(thing.integrity)

    @property
    def principal(self) -> str:
        """The agent that acts, or the person herself."""
        named = "agent" if self.scope.agent else "person"
        return f"{named}:{getattr(self.scope, named)}"

    @property
    def place(self) -> Scope:
        """Who and where, whichever the session: what an idempotency key belongs to."""
        return self.scope.model_copy(update={"session": ""})

    @property
    def acting(self) -> Integrity:
        """What the session's own words are worth: a person's when no agent acts for her."""
        alone = self.scope.person and not self.scope.agent
        return Integrity.USER if alone else Integrity.AGENT

    @property
    def claims_scope(self) -> Scope:
        """Everything named but the session, and the agent of a person."""
        agent = "" if self.scope.person else self.scope.agent
        return self.scope.model_copy(update={"agent": agent, "session": ""})

    @property
    def sources_scope(self) -> Scope:
        """What is said in a channel is the channel's."""
        wide = self.claims_scope
        return wide.model_copy(update={"person": "", "agent": ""}) if wide.channel else wide

    def reads(self, thing: "ModelSource | ModelClaim") -> bool:
        """Return whether every field its scope names is the session's own; an agent's alone is no person's."""
        if not (self.scope.person or self.scope.agent):
            return False
        if thing.scope.agent and not thing.scope.person and self.scope.person:
            return False
        return all(
            getattr(thing.scope, name) in ("", getattr(self.scope, name)) for name in SCOPE_FIELDS
        )


@dataclass
class Asked:
    """What a claim is asked to be, as `Session.remember` takes it."""

    text: str
    kind: Kind = Kind.INFERRED
    category: Category = Category.FACT
    gist: str = ""
    field: str = ""
    value: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    recheck_at: datetime | None = None
    parents_complete: bool = False


@dataclass
class _Ground:
    integrity: Integrity
    medium: Medium | None
    origins: set[str]
    quoted: Integrity | None = None
    quote: str = ""
    by_person: bool = False
    typed: bool = False
    registered: bool = False
    whole: bool = False


class Model:
    """The whole store, as plain objects. `tools` maps registered tools to the types of their fields."""

    def __init__(self, tools: Mapping[str, Mapping[str, type]] | None = None) -> None:
        self.tools = tools or {}
        self.sources: list[ModelSource] = []
        self.claims: list[ModelClaim] = []
        self.named: set[tuple[str, str]] = set()
        self.revoked: set[ModelSource] = set()
        self.marks: dict[tuple[Scope, str], Integrity] = {}
        self.heard: dict[Scope, Integrity] = {}
        self._order = 0
        self._keys: dict[tuple[Scope, str], tuple[object, object, object]] = {}
        self._stones: list[ModelStone] = []

    def session(self, scope: Scope) -> ModelSession:
        """Return a session of this store."""
        return ModelSession(scope, self.marks, self.heard)

    def restart(self) -> None:
        """Forget what agents only read: it is nowhere written down."""
        self.heard.clear()

    # --- sources -----------------------------------------------------------------------------------------------

    def message(
        self, session: ModelSession, parts: Sequence[tuple[str, str, str]], key: str = ""
    ) -> ModelSource:
        """Keep a message given as (label, text, origin)."""
        own = (
            session.acting
            if session.acting is Integrity.USER
            else min(session.acting, session.mark)
        )
        made: list[ModelPart] = []
        for label, text, origin in parts:
            for found, piece in _own_and_quoted(text) if label == "own" else [(label, text)]:
                integrity = own if found == "own" else Integrity.EXTERNAL
                made.append(ModelPart(piece, found, integrity, "" if label == "own" else origin))
        source = ModelSource(Medium.MESSAGE, session.sources_scope, session.principal, "", made)
        content = ("message", tuple((part.label, part.text, part.origin) for part in made))
        return self._source(session, source, key, content)

    def tool_result(
        self,
        session: ModelSession,
        tool: str,
        fields: Mapping[str, str | int | bool],
        text: str = "",
        key: str = "",
    ) -> ModelSource:
        """Keep what a tool returned; only registered fields of the registered type are the tool's own."""
        made: list[ModelPart] = []
        for name, value in fields.items():
            expected = self.tools.get(tool, {}).get(name)
            level = Integrity.TOOL if type(value) is expected else Integrity.EXTERNAL
            shown = {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
            made.append(ModelPart(f"{name}: {shown}\n", "field", level, field=name))
        if text:
            made.append(ModelPart(text, "text", Integrity.EXTERNAL))
        source = ModelSource(Medium.TOOL_RESULT, session.sources_scope, f"tool:{tool}", "", made)
        content = ("tool_result", tool, tuple(fields.items()), text)
        return self._source(session, source, key, content)

    def document(self, session: ModelSession, text: str, origin: str, key: str = "") -> ModelSource:
        """Keep a document from outside."""
        made = [ModelPart(text, "text", Integrity.EXTERNAL)]
        source = ModelSource(
            Medium.DOCUMENT, session.sources_scope, session.principal, origin, made
        )
        return self._source(session, source, key, ("document", origin, text))

    def _source(
        self, session: ModelSession, source: ModelSource, key: str, content: object
    ) -> ModelSource:
        if not (session.scope.person or session.scope.agent):
            raise ModelError("refused", "NO_IDENTITY")
        before = self._before(session, key, content)
        if before is None:
            stones = self._source_stones(source, (session.place, key) if key else None)
            if self._is_of_erased(session, key) or any(
                self._stone(sort, said, source.scope) for sort, said in stones
            ):
                raise ModelError("refused", "SUPPRESSED")
            source.key = (session.place, key) if key else None
            self.sources.append(source)
            self.named |= {("person", session.scope.person), ("agent", session.scope.agent)}
            source.order = self._next()
            if session.scope.session:
                named = (source.scope, session.scope.session)
                self.marks[named] = min(self.marks.get(named, Integrity.USER), source.integrity)
            self._keep_key(session, key, content, source, source)
            before = source
        if not isinstance(before, ModelSource):
            raise ModelError("conflict")
        session.lower(before.integrity)
        return before

    def _next(self) -> int:
        self._order += 1
        return self._order

    def _before(self, session: ModelSession, key: str, content: object) -> object:
        """Return what an earlier write with the key made; a conflict when it asked for something else."""
        place = (session.place, key)
        if not key or place not in self._keys:
            return None
        asked, made, written = self._keys[place]
        if getattr(written, "erased", False):
            return None
        if asked != content:
            raise ModelError("conflict")
        return made

    def _keep_key(
        self, session: ModelSession, key: str, content: object, made: object, written: object
    ) -> None:
        if key:
            self._keys[(session.place, key)] = (content, made, written)

    def _is_of_erased(self, session: ModelSession, key: str) -> bool:
        held = self._keys.get((session.place, key)) if key else None
        return held is not None and bool(getattr(held[2], "erased", False))

    # --- claims ------------------------------------------------------------------------------------------------

    def remember(
        self,
        session: ModelSession,
        asked: Asked,
        grounds: Sequence[ModelSource | ModelClaim],
        key: str = "",
    ) -> ModelClaim:
        """Keep a claim as policy rules it, or one more justification of it where it stands already."""
        if not (session.scope.person or session.scope.agent):
            raise ModelError("refused", "NO_IDENTITY")
        self._may_draw_on(session, grounds)
        claim, refusal = self._ruled(session, asked, grounds, session.claims_scope)
        content = ("claim", tuple(vars(asked).items()), tuple(grounds))
        before = self._before(session, key, content)
        if before is None:
            refusal = refusal or ("WITHDRAWN" if self._said_no_more(claim, grounds) else "")
            if not refusal:
                kept_out = self._is_of_erased(session, key)
                if kept_out or self._suppressed(session, claim, grounds, asked):
                    raise ModelError("refused", "SUPPRESSED")
            before = refusal or self._asserted(claim)
            written = claim.renderings[0]
            self._keep_key(session, key, content, before, written)
        if isinstance(before, str):
            raise ModelError("refused", before)
        if not isinstance(before, ModelClaim):
            raise ModelError("conflict")
        return before

    def _said_no_more(self, claim: ModelClaim, grounds: Sequence[ModelSource | ModelClaim]) -> bool:
        """Return whether the same was withdrawn after everything this rests on, and nothing that stands says it."""
        same = [one for one in self.claims if one.said == claim.said]
        if any(one.lifecycle is Lifecycle.ASSERTED for one in same):
            return False
        return any(
            one.lifecycle in (Lifecycle.CORRECTED, Lifecycle.SUPERSEDED, Lifecycle.RETRACTED)
            and not any(self._is_news(ground, one.changed, claim, set()) for ground in grounds)
            for one in same
        )

    def _is_news(
        self,
        thing: ModelSource | ModelClaim,
        since: int,
        claim: ModelClaim,
        seen: set[ModelSource | ModelClaim],
    ) -> bool:
        """Return whether something came since and is, or rests on, more than a document that says the same again."""
        if thing.order < since or thing in seen:
            return False
        seen.add(thing)
        if isinstance(thing, ModelClaim):
            return any(
                self._is_news(ground, since, claim, seen)
                for grounds in thing.justifications
                for ground in grounds
            )
        if thing.medium is not Medium.DOCUMENT:
            return True
        earlier = [
            one
            for one in self.sources
            if one.order < thing.order
            and one.medium is Medium.DOCUMENT
            and (one.scope, one.erased) == (thing.scope, False)
        ]
        versions = [one for one in earlier if one.origin == thing.origin][-1:]
        words = canonical_text(claim.quote or claim.gist)
        same = canonical_text(thing.text)
        repeated = [
            one
            for one in versions or earlier
            if (same and canonical_text(one.text) == same)
            or (one in versions and f" {words} " in f" {canonical_text(one.text)} ")
        ]
        return not repeated or self._is_news(repeated[-1], since, claim, seen)

    def _asserted(self, claim: ModelClaim, only: ModelClaim | None = None) -> ModelClaim:
        for same in self.claims:
            if only is not None and same.challenges is not only:
                continue
            if same.identity == claim.identity and same.lifecycle is Lifecycle.ASSERTED:
                same.justifications.extend(claim.justifications)
                same.renderings.extend(claim.renderings)
                same.origins |= claim.origins
                same.version += 1
                same.seen += 1
                same.changes.append("remember again")
                same.changed = claim.renderings[0].order = self._next()
                return same
        self._add(claim)
        return claim

    def _add(self, claim: ModelClaim) -> None:
        self.claims.append(claim)
        claim.order = claim.changed = claim.renderings[0].order = self._next()
        claim.stated_to = claim.valid_to

    def _must_read(self, session: ModelSession, things: Iterable[ModelSource | ModelClaim]) -> None:
        for thing in things:
            if not session.reads(thing):
                raise ModelError("not_found")
            if thing.erased:
                own = session.scope.person and thing.scope.person == session.scope.person
                raise ModelError("erased" if own and not session.scope.agent else "not_found")

    def _may_draw_on(
        self, session: ModelSession, grounds: Sequence[ModelSource | ModelClaim]
    ) -> None:
        self._must_read(session, grounds)
        if any(self.restricted(thing) for thing in grounds):
            raise ModelError("refused", "RESTRICTED")

    def _ruled(
        self,
        session: ModelSession,
        asked: Asked,
        grounds: Sequence[ModelSource | ModelClaim],
        scope: Scope,
    ) -> tuple[ModelClaim, str]:
        """Return the claim that the asked one becomes, and the rule that refuses it, if one does."""
        found = [self._ground(session, asked, ground) for ground in grounds]
        kind, integrity, rule = self._kind(session, asked, found)
        refusal = ""
        if not (session.scope.person or session.scope.agent):
            refusal = "NO_IDENTITY"
        elif not grounds:
            refusal = "NO_EVIDENCE"
        elif _directs(asked.category, integrity) and hidden_characters(
            f"{asked.text} {asked.value}"
        ):
            refusal = "HIDDEN_CHARACTERS"
        elif asked.category is Category.ACCOUNT and kind is not Kind.STATED:
            refusal = "ACCOUNT_GUESSED"  # the model knows no who-am-I and no registered file
        elif asked.category is Category.ACCOUNT:
            rule = "ACCOUNT_UNVERIFIED"
        quote = next((one.quote for one in found if one.quote), "")
        quote = quote if kind is not Kind.INFERRED else ""
        reworded = asked.kind is Kind.OBSERVED and asked.text != quote
        said = asked.text if not quote or reworded else ""
        gist = " · ".join(dict.fromkeys(words for words in (said, asked.gist) if words))
        words = quote or gist
        times = (asked.valid_from, asked.valid_to, asked.expires_at)
        proposition = (scope, canonical_text(words), _signs(words), asked.value)
        claim = ModelClaim(
            kind=kind,
            asked=asked.kind,
            category=asked.category,
            integrity=integrity,
            rule=rule,
            scope=scope,
            quote=quote,
            gist=gist,
            said=proposition,
            identity=(kind, asked.category, integrity, *times, *proposition),
            origins={origin for one in found for origin in one.origins},
            justifications=[tuple(dict.fromkeys(grounds))],
            valid_from=asked.valid_from,
            valid_to=asked.valid_to,
            expires_at=asked.expires_at,
            recheck_at=asked.recheck_at,
        )
        claim.renderings = [
            ModelRendering(
                asked.kind, rule, quote, gist, set(claim.origins), tuple(dict.fromkeys(grounds))
            )
        ]
        return claim, refusal

    def _ground(
        self, session: ModelSession, asked: Asked, thing: ModelSource | ModelClaim
    ) -> _Ground:
        if isinstance(thing, ModelClaim):
            return _Ground(thing.integrity, None, set(thing.origins))
        origin = {f"origin:{thing.origin}" if thing.origin else thing.author}
        if asked.kind is Kind.OBSERVED and thing.medium is Medium.TOOL_RESULT:
            return self._tool_ground(asked, thing, origin)
        best: tuple[Integrity, bool, str, str] | None = None
        for start, end in spans_by_trying(asked.text, thing.text):
            lowest = min(thing.touched(start, end), key=lambda part: part.integrity)
            place = (lowest.integrity, thing.is_whole(start, end))
            if best is None or place > best[:2]:
                best = (*place, thing.text[start:end], lowest.origin)
        message = thing.medium is Medium.MESSAGE
        by_person = bool(session.scope.person) and message
        by_person = by_person and thing.author == f"person:{session.scope.person}"
        integrity = best[0] if best and by_person else thing.integrity
        if message and thing.author.startswith("person:") and not by_person:
            integrity = Integrity.EXTERNAL
        if best and best[3]:
            origin = {f"origin:{best[3]}"}
        return _Ground(
            integrity,
            thing.medium,
            origin,
            quoted=best[0] if best else None,
            quote=best[2] if best else "",
            by_person=by_person,
            whole=best is not None and best[1],
        )

    def _tool_ground(self, asked: Asked, thing: ModelSource, origin: set[str]) -> _Ground:
        registered = thing.author.removeprefix("tool:") in self.tools
        named = [part for part in thing.parts if part.field and part.field == asked.field]
        if named:
            part = named[0]
            return _Ground(
                part.integrity,
                thing.medium,
                origin,
                quote=part.text.rstrip("\n"),
                typed=part.integrity is Integrity.TOOL,
                registered=registered,
            )
        span = next(spans_by_trying(asked.text, thing.text), None)
        quote = thing.text[span[0] : span[1]] if span else ""
        return _Ground(thing.integrity, thing.medium, origin, quote=quote, registered=registered)

    def _kind(
        self, session: ModelSession, asked: Asked, found: Sequence[_Ground]
    ) -> tuple[Kind, Integrity, str]:
        """Return kind, integrity and rule: policy.md, Labels and Statements."""
        floor = min([Integrity.AGENT, *(one.integrity for one in found)])
        if not asked.parents_complete:
            floor = min(floor, session.mark)
        quoted = [one for one in found if one.quoted is not None]
        outside = (Kind.EXTERNAL, Integrity.EXTERNAL)
        if asked.kind is Kind.STATED:
            own = [one for one in quoted if one.by_person and one.quoted is Integrity.USER]
            if own:
                if set(canonical_text(asked.text).split()) <= set(_CONFIRMING):
                    return Kind.INFERRED, floor, "BARE_CONFIRMATION"
                cut = asked.category is Category.CONSTRAINT or session.scope.agent
                if cut and not any(one.whole for one in own):
                    return Kind.INFERRED, floor, "PART_OF_A_SENTENCE"
                return Kind.STATED, Integrity.USER, "OWN_WORDS"
            if quoted:
                return *outside, "NOT_OWN_PART"
            return Kind.INFERRED, floor, "NO_USER_SPAN"
        if asked.kind is Kind.OBSERVED:
            results = [one for one in found if one.medium is Medium.TOOL_RESULT]
            if any(one.typed for one in results):
                return Kind.OBSERVED, Integrity.TOOL, "TYPED_FIELD"
            if any(one.registered for one in results):
                return *outside, "FREE_TEXT"
            if results:
                return *outside, "UNREGISTERED_TOOL"
            return Kind.INFERRED, floor, "NO_TOOL_RESULT"
        if asked.kind is Kind.EXTERNAL:
            return (*outside, "TAKEN_AS_IS") if quoted else (Kind.INFERRED, floor, "REWORDED")
        rule = "EXTERNAL_LINEAGE" if floor is Integrity.EXTERNAL else "DERIVED"
        return Kind.INFERRED, floor, rule

    # --- changes -----------------------------------------------------------------------------------------------

    def _seen(self, session: ModelSession, claim: ModelClaim, version: int) -> None:
        self._must_read(session, [claim])
        if claim.version != version:
            session.has_read(claim)
            raise ModelError("conflict")

    def _standing_of(
        self, session: ModelSession, grounds: Sequence[ModelSource | ModelClaim]
    ) -> Integrity:
        """Return what a change is asked with: of an agent, no more than its context and what it names."""
        if session.acting is Integrity.USER:
            return session.acting
        return min([session.acting, session.mark, *(one.integrity for one in grounds)])

    def _may_change(self, session: ModelSession, claim: ModelClaim) -> None:
        if claim.scope.person != session.scope.person:
            raise ModelError("refused", "NOT_YOUR_SCOPE")
        if claim.lifecycle is not Lifecycle.ASSERTED:
            raise ModelError("refused", "NOT_CURRENT")

    def _stands_high_enough(
        self,
        session: ModelSession,
        claim: ModelClaim,
        grounds: Sequence[ModelSource | ModelClaim],
    ) -> None:
        actor = self._standing_of(session, grounds)
        self._may_change(session, claim)
        if actor < claim.integrity:
            raise ModelError("refused", "LOWER_CHANGE")

    def confirm(
        self,
        session: ModelSession,
        claim: ModelClaim,
        version: int,
        grounds: Sequence[ModelSource | ModelClaim] = (),
        *,
        expires_at: datetime | None = None,
        recheck_at: datetime | None = None,
    ) -> ModelClaim:
        """Renew a claim; it does not confirm itself, and an agent names what did."""
        self._seen(session, claim, version)
        self._may_draw_on(session, grounds)
        if claim in grounds:
            raise ModelError("invalid")
        if not grounds and session.acting is not Integrity.USER:
            raise ModelError("refused", "NO_EVIDENCE")
        self._stands_high_enough(session, claim, grounds)
        claim.expires_at = expires_at or claim.expires_at
        claim.recheck_at, claim.confirmed = recheck_at, True
        self._changed(claim, "confirm", claim.lifecycle)
        session.has_read(claim)
        return claim

    def retract(
        self,
        session: ModelSession,
        claim: ModelClaim,
        version: int,
        grounds: Sequence[ModelSource | ModelClaim] = (),
    ) -> ModelClaim:
        """Withdraw a claim."""
        self._seen(session, claim, version)
        self._may_draw_on(session, grounds)
        self._stands_high_enough(session, claim, grounds)
        self._changed(claim, "retract", Lifecycle.RETRACTED)
        claim.withdrawn_by = session.acting
        session.has_read(claim)
        return claim

    def reinstate(
        self,
        session: ModelSession,
        claim: ModelClaim,
        version: int,
        grounds: Sequence[ModelSource | ModelClaim] = (),
    ) -> ModelClaim:
        """Let a withdrawn claim stand again; nobody below it, or below whoever withdrew it, may."""
        self._seen(session, claim, version)
        self._may_draw_on(session, grounds)
        if claim.scope.person != session.scope.person:
            raise ModelError("refused", "NOT_YOUR_SCOPE")
        if claim.lifecycle is Lifecycle.ASSERTED:
            raise ModelError("refused", "NOT_WITHDRAWN")
        if self._standing_of(session, grounds) < max(claim.integrity, claim.withdrawn_by):
            raise ModelError("refused", "LOWER_CHANGE")
        self._changed(claim, "reinstate", Lifecycle.ASSERTED)
        claim.replaced_by, claim.valid_to = None, claim.stated_to
        return claim

    def _asked_kind(self, session: ModelSession, claim: ModelClaim) -> Kind:
        herself = session.acting is Integrity.USER
        return Kind.STATED if herself or claim.kind is Kind.STATED else Kind.INFERRED

    def challenge(
        self,
        session: ModelSession,
        claim: ModelClaim,
        asked: Asked,
        grounds: Sequence[ModelSource | ModelClaim],
    ) -> ModelClaim:
        """Keep a claim that contradicts another, which stays as it is."""
        self._must_read(session, [claim])
        asked.kind = self._asked_kind(session, claim)
        asked.category = claim.category
        self._may_draw_on(session, grounds)
        new, refusal = self._ruled(session, asked, grounds, claim.scope)
        if refusal:
            raise ModelError("refused", refusal)
        self._may_change(session, claim)
        if self._suppressed(session, new, grounds, asked):
            raise ModelError("refused", "SUPPRESSED")
        return self._challenging(new, claim)

    def _challenging(self, new: ModelClaim, claim: ModelClaim) -> ModelClaim:
        """Keep what contradicts a claim, or once more where it contradicts it already."""
        new.challenges = claim
        return self._asserted(new, only=claim)

    def change_access(
        self, session: ModelSession, source: ModelSource, *, revoke: bool
    ) -> ModelSource:
        """Revoke a source or give it back: only the person herself may, of her own."""
        self._must_read(session, [source])
        person = session.scope.person
        if source.scope.person != person and source.author != f"person:{person}":
            raise ModelError("refused", "NOT_YOUR_SCOPE")
        if session.acting is not Integrity.USER:
            raise ModelError("refused", "LOWER_CHANGE")
        (self.revoked.add if revoke else self.revoked.discard)(source)
        return source

    # --- what may be shown while sources are revoked -----------------------------------------------------------

    def restricted(self, thing: ModelSource | ModelClaim) -> bool:
        """Return whether a source is revoked, or every wording of a claim was made from one that is."""
        if isinstance(thing, ModelSource):
            return thing in self.revoked
        return all(self._from_revoked(one) for one in thing.renderings if not one.erased)

    def words(self, claim: ModelClaim) -> tuple[str, str]:
        """Return the quote and the gist of the oldest wording that no revoked source went into."""
        for one in claim.renderings:
            if not one.erased and not self._from_revoked(one):
                return one.quote, one.gist
        return "", ""

    def _from_revoked(self, rendering: ModelRendering) -> bool:
        """Return whether a revoked source went into a wording, or into one its grounds had by then."""
        return bool(self.revoked) and any(
            ground in self.revoked
            if isinstance(ground, ModelSource)
            else any(
                self._from_revoked(one)
                for one in ground.renderings
                if one.order < rendering.order and not one.erased
            )
            for ground in rendering.grounds
        )

    def _changed(self, claim: ModelClaim, verb: str, lifecycle: Lifecycle) -> None:
        claim.lifecycle = lifecycle
        claim.version += 1
        claim.changed = self._next()
        claim.changes.append(verb)

    def replace(
        self,
        session: ModelSession,
        claim: ModelClaim,
        version: int,
        asked: Asked,
        grounds: Sequence[ModelSource | ModelClaim],
        *,
        correct: bool,
        now: datetime,
    ) -> ModelClaim:
        """Correct or supersede a claim, or challenge it when the newcomer stands lower."""
        self._seen(session, claim, version)
        asked.kind = self._asked_kind(session, claim)
        asked.category = claim.category
        self._may_draw_on(session, grounds)
        new, refusal = self._ruled(session, asked, grounds, claim.scope)
        if refusal:
            raise ModelError("refused", refusal)
        self._may_change(session, claim)
        if self._suppressed(session, new, grounds, asked):
            raise ModelError("refused", "SUPPRESSED")
        actor = min(new.integrity, self._standing_of(session, grounds))
        if actor < claim.integrity:
            new.rule = new.renderings[0].rule = "LOWER_INTEGRITY"
            return self._challenging(new, claim)
        self._add(new)
        claim.replaced_by, claim.withdrawn_by = new, session.acting
        if correct:
            new.corrects = claim
            self._changed(claim, "correct", Lifecycle.CORRECTED)
        else:
            new.supersedes = claim
            began = claim.valid_from
            ended = asked.valid_from or now
            claim.valid_to = began + _MOMENT if began and ended <= began else ended
            self._changed(claim, "supersede", Lifecycle.SUPERSEDED)
        return new

    # --- erasing -----------------------------------------------------------------------------------------------

    def erase(
        self, session: ModelSession, thing: ModelSource | ModelClaim
    ) -> tuple[set[ModelSource], set[ModelClaim], set[ModelClaim]]:
        """Destroy a thing and all that was written from it; return the sources and claims gone, and those that stay.

        A claim stays by what was written without any of it.
        """
        self._must_read(session, [thing])
        if not session.scope.person or session.scope.agent:
            raise ModelError("refused", "ONLY_THE_PERSON")
        if thing.scope.person != session.scope.person:
            raise ModelError("refused", "NOT_YOUR_SCOPE")
        tainted = self._tainted(thing)
        touched = {
            claim for claim in self.claims if any(one in tainted for one in claim.renderings)
        }
        gone = {
            claim
            for claim in touched
            if all(one in tainted or one.erased for one in claim.renderings)
        }
        order = self._next()
        sources = {thing} if isinstance(thing, ModelSource) else set[ModelSource]()
        for source in sources:
            self._stones += [
                ModelStone(sort, said, source.scope, order)
                for sort, said in self._source_stones(source, source.key)
            ]
            source.erased = True
        for claim in gone:
            self._stones += [
                ModelStone("claim", _compared(text), claim.scope, order)
                for one in claim.renderings
                if not one.erased
                for text in _texts(one.quote, one.gist)
            ]
        for one in tainted:
            one.erased = True
        for claim in touched:
            self._without(claim, claim in gone)
        return sources, gone, touched - gone

    def _without(self, claim: ModelClaim, gone: bool) -> None:
        left = [one for one in claim.renderings if not one.erased]
        claim.version += 1
        claim.changes.append("erase")
        claim.seen = len(left)
        claim.justifications = [one.grounds for one in left]
        if gone:
            claim.lifecycle = Lifecycle.ERASED
            return
        first = left[0]
        claim.asked, claim.rule, claim.quote, claim.gist = (
            first.asked,
            first.rule,
            first.quote,
            first.gist,
        )
        claim.origins = {origin for one in left for origin in one.origins}

    def _tainted(self, thing: ModelSource | ModelClaim) -> set[ModelRendering]:
        """Return the renderings written from a thing, by trying all until nothing is added."""
        tainted: set[ModelRendering] = set()
        if isinstance(thing, ModelClaim):
            tainted = {one for one in thing.renderings if not one.erased}
        while True:
            more = {
                one
                for claim in self.claims
                for one in claim.renderings
                if one not in tainted and not one.erased and self._used(one, thing, tainted)
            }
            if not more:
                return tainted
            tainted |= more

    def _used(
        self,
        rendering: ModelRendering,
        thing: ModelSource | ModelClaim,
        tainted: set[ModelRendering],
    ) -> bool:
        for ground in rendering.grounds:
            if isinstance(ground, ModelSource):
                if ground is thing:
                    return True
            elif any(one in tainted and one.order < rendering.order for one in ground.renderings):
                return True
        return False

    def _source_stones(self, source: ModelSource, key: object) -> list[tuple[str, object]]:
        stones: list[tuple[str, object]] = [("text", _compared(source.text))]
        if key or source.medium is Medium.DOCUMENT:
            by_tool = source.medium is Medium.TOOL_RESULT
            origin = source.author if by_tool else source.origin
            stones.append(("original", (source.medium, origin, key)))
        return stones

    def _stone(self, sort: str, said: object, scope: Scope) -> int:
        """Return when this was last erased where some session reads both scopes, 0 for never."""
        return max(
            (
                stone.order
                for stone in self._stones
                if (stone.sort, stone.said, stone.scope.person) == (sort, said, scope.person)
                and all(
                    getattr(stone.scope, name) in ("", getattr(scope, name))
                    or not getattr(scope, name)
                    for name in SCOPE_FIELDS
                )
            ),
            default=0,
        )

    def _suppressed(
        self,
        session: ModelSession,
        claim: ModelClaim,
        grounds: Sequence[ModelSource | ModelClaim],
        asked: Asked,
    ) -> bool:
        """Return whether a claim repeats erased words that its person has not said since, herself."""
        alone = session.scope.person and not session.scope.agent
        for text in _texts(claim.quote, claim.gist):
            erased = self._stone("claim", _compared(text), claim.scope)
            if erased and not (
                alone
                and any(
                    self._says(session, ground, asked, text)
                    for ground in grounds
                    if ground.order > erased
                )
            ):
                return True
        return False

    def _says(
        self, session: ModelSession, ground: ModelSource | ModelClaim, asked: Asked, text: str
    ) -> bool:
        if not isinstance(ground, ModelSource) or ground.medium is not Medium.MESSAGE:
            return False
        found = self._ground(session, asked, ground)
        own = found.by_person and found.quoted is Integrity.USER
        return own and _compared(found.quote) == _compared(text)

    # --- what is believed now ----------------------------------------------------------------------------------

    def supported(self) -> set[ModelClaim]:
        """Return the claims still believed: the least fixpoint, by trying all claims until nothing is added."""
        return self._fixpoint((Lifecycle.ASSERTED, Lifecycle.SUPERSEDED))

    def fresh(self) -> set[ModelClaim]:
        """Return the claims that need not be made anew: superseded and corrected grounds carry nothing."""
        return self._fixpoint((Lifecycle.ASSERTED,))

    def _fixpoint(self, carrying: Sequence[Lifecycle]) -> set[ModelClaim]:
        held: set[ModelClaim] = set()
        while True:
            more = {
                claim
                for claim in self.claims
                if claim not in held
                and any(
                    all(
                        ground not in self.revoked
                        if isinstance(ground, ModelSource)
                        else ground in held and ground.lifecycle in carrying
                        for ground in justification
                    )
                    for justification in claim.justifications
                )
            }
            if not more:
                return held
            held |= more

    def standing(self, claim: ModelClaim, now: datetime) -> Standing:
        """Return the one word a claim is shown with."""
        if self.restricted(claim):
            return Standing.RESTRICTED
        if claim.lifecycle is not Lifecycle.ASSERTED:
            return Standing(claim.lifecycle.value)
        fresh = self.fresh()
        if claim not in fresh:
            return Standing.STALE
        if _outside_its_time(claim, now):
            return Standing.EXPIRED
        return Standing.CONTESTED if self._challengers(claim, fresh) else Standing.ACTIVE

    def _challengers(self, claim: ModelClaim, fresh: set[ModelClaim]) -> list[ModelClaim]:
        return [
            other
            for other in fresh
            if claim in (other.challenges, other.corrects, other.supersedes)
            and other.lifecycle is Lifecycle.ASSERTED
        ]

    def readable(self, session: ModelSession) -> list[ModelClaim]:
        """Return the claims a session may see, whatever became of them."""
        return [claim for claim in self.claims if session.reads(claim) and not claim.erased]

    def knows(self, session: ModelSession) -> bool:
        """Return whether anything is kept that names the person, or the agent where none is named."""
        field = "person" if session.scope.person else "agent"
        name = getattr(session.scope, field)
        kept = any(getattr(claim.scope, field) == name for claim in self.claims)
        return name != "" and (kept or (field, name) in self.named)

    def withheld(
        self, session: ModelSession, purpose: Purpose, now: datetime
    ) -> dict[ModelClaim, str]:
        """Return the readable claims that may not come as evidence for a purpose, each with its rule."""
        fresh = self.fresh()
        found: dict[ModelClaim, str] = {}
        for claim in self.readable(session):
            rule = self._kept_back(claim, purpose, now, claim in fresh)
            if rule:
                found[claim] = rule
        return found

    def _kept_back(self, claim: ModelClaim, purpose: Purpose, now: datetime, fresh: bool) -> str:
        if self.restricted(claim):
            return "RESTRICTED"
        if claim.lifecycle is not Lifecycle.ASSERTED:
            return claim.lifecycle.value.upper()
        if not fresh:
            return "STALE"
        if _outside_its_time(claim, now):
            early = claim.valid_from is not None and now < claim.valid_from
            over = any(end is not None and now >= end for end in (claim.expires_at, claim.valid_to))
            return "NOT_YET_VALID" if early and not over else "EXPIRED"
        critical = claim.category in _CRITICAL
        match purpose:
            case Purpose.ANSWER:
                return ""
            case Purpose.ACT:
                low = claim.integrity < Integrity.TOOL
                if critical and low:
                    return "UNTRUSTED_VALUE"
                return "ACCOUNT_NOT_CONFIRMED" if claim.category is Category.ACCOUNT else ""
            case Purpose.PERSONALISE:
                if claim.integrity is Integrity.EXTERNAL:
                    return "OUTSIDE_WORDS"
                return "CRITICAL_SLOT" if critical else ""
            case Purpose.INSTRUCT:
                if claim.integrity is Integrity.EXTERNAL:
                    return "OUTSIDE_WORDS"
                directs = claim.category is Category.CONSTRAINT
                return "" if directs and claim.integrity >= Integrity.USER else "NOT_DIRECTIVE"

    def use(self, claim: ModelClaim, now: datetime) -> Use:
        """Return how a claim that came as evidence may be used."""
        fresh = self.fresh()
        against = [other.integrity for other in self._challengers(claim, fresh)]
        other = claim.challenges
        if other is not None and other.integrity is claim.integrity:
            if not self._kept_back(other, Purpose.ANSWER, now, other in fresh):
                against.append(other.integrity)
        due = claim.recheck_at is not None and now >= claim.recheck_at
        unverified = claim.category is Category.ACCOUNT
        if due or unverified or any(level >= claim.integrity for level in against):
            return Use.TENTATIVE
        if claim.integrity < Integrity.TOOL:
            return Use.BACKGROUND
        own = claim.integrity >= Integrity.USER
        directs = own and claim.category is Category.CONSTRAINT
        return Use.DIRECTIVE if directs else Use.APPLICABLE

    def authority(self, claim: ModelClaim) -> Authority:
        """Return what a claim may do: only a person's own reaches beyond informing, and only while it stands."""
        if claim.lifecycle is not Lifecycle.ASSERTED:
            return Authority.NONE
        if claim.integrity < Integrity.USER:
            return Authority.INFORM
        return _REACH.get(claim.category, Authority.INFORM)


def _texts(quote: str, gist: str) -> set[str]:
    return {text for text in (quote, gist, *gist.split(" · ")) if text}


def _compared(text: str) -> str:
    return canonical_text(text) or unicodedata.normalize("NFKC", text).strip()


def _signs(words: str) -> str:
    """Return what tells +5 % from -5 %, and C++ from C#."""
    return "".join(
        char
        for char in words
        if char in "+-#%&@/*=<>~^|\\" or unicodedata.category(char) in ("Sm", "Sc")
    )


def _outside_its_time(claim: ModelClaim, now: datetime) -> bool:
    over = any(end is not None and now >= end for end in (claim.expires_at, claim.valid_to))
    return over or (claim.valid_from is not None and now < claim.valid_from)


def _directs(category: Category, integrity: Integrity) -> bool:
    own = integrity >= Integrity.USER and category is Category.CONSTRAINT
    return own or category in _CRITICAL


def _own_and_quoted(text: str) -> list[tuple[str, str]]:
    """Return runs of lines, those that begin with a quote mark as quoted."""
    runs: list[tuple[str, str]] = []
    for line in text.splitlines(keepends=True):
        label = "quoted" if line.lstrip(" \t").startswith(">") else "own"
        if runs and runs[-1][0] == label:
            runs[-1] = (label, runs[-1][1] + line)
        else:
            runs.append((label, line))
    return runs


def spans_by_trying(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a quote stands in a text: the very characters, or else every stretch that composes to the same.

    A stretch neither begins nor is followed by a character that joins the one before it.
    """
    exact = [at for at in range(len(text)) if quote and text.startswith(quote, at)]
    if exact:
        yield from ((at, at + len(quote)) for at in exact)
        return
    wanted = unicodedata.normalize("NFC", quote)
    edges = [at for at in range(len(text)) if at == 0 or not _joins(text[at])] + [len(text)]
    for number, start in enumerate(edges):
        for end in edges[number + 1 :]:
            if quote and unicodedata.normalize("NFC", text[start:end]) == wanted:
                yield start, end


def _joins(character: str) -> bool:
    mark = unicodedata.combining(character) or unicodedata.category(character) == "Mn"
    return bool(mark) or 0x1160 <= ord(character) <= 0x11FF
