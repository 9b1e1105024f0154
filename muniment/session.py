"""One authenticated session: every verb there is, with scope and author fixed by it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypeVar

from muniment.claims import (
    SOURCE_LIMIT,
    Category,
    Change,
    Claim,
    ConflictError,
    Decision,
    Integrity,
    InvalidError,
    Kind,
    Lifecycle,
    Medium,
    Named,
    PartLabel,
    Purpose,
    RefusalRecord,
    RefusedError,
    Relation,
    Scope,
    Source,
    Standing,
    Verb,
    Verdict,
    checked_text,
    to_micros,
)
from muniment.conversations import Turns, search_turns
from muniment.lineage import (
    ClaimState,
    KeyedWrite,
    NewPart,
    SourceState,
    Trace,
    Writer,
    claim_view,
    found,
    history_view,
    keyed_write,
    source_view,
    trace_view,
    write_change,
    write_claim,
    write_refusal,
    write_source,
    written_before,
)
from muniment.policy import decide, fits, judge_change, split_own
from muniment.retrieval import Answer, Question, recall

from .exporting import export_lines
from .remembering import Asker, Prepared, Wish, prepare
from .why import Explanation, explain, keep_receipt

if TYPE_CHECKING:
    from .memory import Memory

Grounds = Sequence[Source | Claim | str]
PartGiven = tuple[str, str] | tuple[str, str, str]
Choice = TypeVar("Choice", bound=StrEnum)
QUESTION_LIMIT = 40_000


class Session:
    """What one authenticated person or agent may do; made by `Memory.session`."""

    def __init__(self, memory: "Memory", scope: Scope) -> None:
        for field, name in scope.named().items():
            checked_text(name, f"the {field}", limit=2_000)
        self._memory = memory
        self._store = memory.store
        self.scope = scope
        self._mark = Integrity.USER

    # --- who and where -----------------------------------------------------------------------------------------

    @property
    def identified(self) -> bool:
        """Whether the host named somebody; without, nothing is found and nothing is kept."""
        return bool(self.scope.person or self.scope.agent)

    @property
    def mark(self) -> Integrity:
        """The lowest integrity of anything that entered this session's context."""
        return self._mark

    def lower_mark(self, level: Integrity) -> None:
        """Lower the session's mark: the host knows that something of that integrity entered the context."""
        self._mark = min(self._mark, Integrity(level))

    def _acting(self) -> Integrity:
        return Integrity.USER if self.scope.person and not self.scope.agent else Integrity.AGENT

    def _readable(self) -> frozenset[int]:
        return (
            self._store.state.readable(self._store.names.key_of(self.scope))
            if self.identified
            else frozenset()
        )

    def _asker(self) -> Asker:
        return Asker(
            self.identified, self._store.names.find("person", self.scope.person), self._mark
        )

    def _claims_scope(self) -> Scope:
        """The scope of what is remembered: everything named but the agent and the session."""
        return self.scope.model_copy(
            update={"agent": "" if self.scope.person else self.scope.agent, "session": ""}
        )

    def _sources_scope(self) -> Scope:
        """The scope of what is said: in a channel it is the channel's, otherwise the person's."""
        wide = self._claims_scope()
        return wide.model_copy(update={"person": "", "agent": ""}) if wide.channel else wide

    def _writer(self) -> Writer:
        names = self._store.names
        person = names.register("person", self.scope.person)
        agent = names.register("agent", self.scope.agent)
        return Writer(by=agent or person, behalf=person if agent else 0)

    def _refuse(self, verb: str, decision: Decision) -> RefusedError:
        """Write down that something was refused, and return the error to raise."""
        if self.identified:
            with self._store.group():
                write_refusal(self._store, decision, self._writer(), verb, KeyedWrite())
        return RefusedError(decision)

    def _now(self) -> int:
        return to_micros(self._memory.clock())

    # --- sources -----------------------------------------------------------------------------------------------

    def message(
        self,
        text: str = "",
        *,
        parts: Sequence[PartGiven] = (),
        said_at: datetime | None = None,
        key: str = "",
    ) -> Source:
        """Keep a message as a source and return it.

        `parts` are (label, text) or (label, text, origin) with label own, quoted, pasted or attached; give either text
        or parts. Quote marks, code fences and forwards inside own words count as quoted.
        """
        if bool(text) == bool(parts):
            raise InvalidError("give either text or parts, not both and not neither")
        given: list[tuple[PartLabel, str, str]] = []
        for label, words, *origin in [(PartLabel.OWN.value, text)] if text else parts:
            chosen = _chosen(PartLabel, label, "part label", but=("field", "text"))
            if chosen is PartLabel.OWN:
                given.extend((found_label, piece, "") for found_label, piece in split_own(words))
            else:
                given.append((chosen, words, origin[0] if origin else ""))
        own = min(self._acting(), self._mark) if self.scope.agent else Integrity.USER
        build = [
            lambda label=label, words=words, origin=origin: NewPart(
                text=words,
                label=label,
                integrity=own if label is PartLabel.OWN else Integrity.EXTERNAL,
                origin=self._store.names.register("origin", origin),
            )
            for label, words, origin in given
        ]
        return self._keep_source(
            Medium.MESSAGE, build, "".join(words for _, words, _ in given), said_at, key, given
        )

    def tool_result(
        self,
        tool: str,
        fields: Mapping[str, str | int | bool] = {},
        text: str = "",
        *,
        said_at: datetime | None = None,
        key: str = "",
    ) -> Source:
        """Keep what a tool returned as a source and return it.

        Fields registered for the tool in policy.toml, of the registered type, count as the tool's own; everything else,
        and all free text, counts as from outside.
        """
        checked_text(tool, "the tool's name", limit=2_000)
        if not fields and not text:
            raise InvalidError("the tool result is empty; give fields or text")
        parts: list[NewPart] = []
        for field, value in fields.items():
            expected = self._memory.policy.types(tool, field)
            typed = expected is not None and fits(value, expected)
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            parts.append(
                NewPart(
                    text=f"{field}: {shown}\n",
                    label=PartLabel.FIELD,
                    integrity=Integrity.TOOL if typed else Integrity.EXTERNAL,
                    field=field,
                    value=value,
                )
            )
        if text:
            parts.append(NewPart(text=text, label=PartLabel.TEXT, integrity=Integrity.EXTERNAL))
        build = [lambda part=part: part for part in parts]
        whole = "".join(part.text for part in parts)
        return self._keep_source(
            Medium.TOOL_RESULT, build, whole, said_at, key, [tool, dict(fields), text], tool=tool
        )

    def document(
        self,
        text: str,
        *,
        origin: str,
        media_type: str = "text/plain",
        asserted_source: str = "",
        said_at: datetime | None = None,
        key: str = "",
    ) -> Source:
        """Keep a page, mail or file as a source from outside and return it.

        `asserted_source`, what it says of itself, is kept and decides nothing.
        """
        checked_text(origin, "the origin", limit=2_000)
        build = [
            lambda: NewPart(
                text=text, label=PartLabel.TEXT, integrity=Integrity.EXTERNAL, media_type=media_type
            )
        ]
        request = [origin, media_type, asserted_source, text]
        return self._keep_source(
            Medium.DOCUMENT,
            build,
            text,
            said_at,
            key,
            request,
            origin=origin,
            asserted_source=asserted_source,
        )

    def _keep_source(
        self,
        medium: Medium,
        build: Sequence[Callable[[], NewPart]],
        text: str,
        said_at: datetime | None,
        key: str,
        request: object,
        *,
        origin: str = "",
        tool: str = "",
        asserted_source: str = "",
    ) -> Source:
        checked_text(text, f"the {medium.value.replace('_', ' ')}", limit=SOURCE_LIMIT)
        if said_at is not None:
            to_micros(said_at, "said_at")
        if not self.identified:
            raise self._refuse(medium.value, decide("NO_IDENTITY"))
        with self._store.group() as store:
            writer = self._writer()
            write = keyed_write(store, writer, key, [medium.value, request])
            seq = written_before(store, write, key)
            if not seq:
                by_tool = (
                    Writer(by=store.names.register("tool", tool), behalf=writer.by)
                    if tool
                    else writer
                )
                seq = write_source(
                    store,
                    decide("RECORDED"),
                    by_tool,
                    medium=medium,
                    scope=store.names.register_scope(self._sources_scope()),
                    parts=[make() for make in build],
                    origin=store.names.register("origin", origin),
                    conversation=store.names.register("session", self.scope.session),
                    said_at=said_at,
                    asserted_source=asserted_source,
                    write=write,
                )
        source = source_view(self._store, self._store.state.sources[seq])
        self.lower_mark(source.integrity)
        return source

    # --- claims ------------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        kind: Kind | str = Kind.INFERRED,
        category: Category | str = Category.FACT,
        gist: str = "",
        sources: Grounds = (),
        field: str = "",
        subject: str = "",
        attribute: str = "",
        value: str = "",
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        expires_at: datetime | None = None,
        recheck_at: datetime | None = None,
        recheck_when: str = "",
        parents_complete: bool = False,
        key: str = "",
    ) -> Claim:
        """Keep a claim and return it as the store ruled it; `claim.decision` says what kind it became and why.

        `kind` is asked, not given: `stated` needs the text verbatim in a message the session's person wrote, `observed`
        a typed `field` of a registered tool's result. `sources` are sources and claims it rests on together.
        A refusal raises RefusedError and is written down without the words.
        """
        wish = Wish(
            text=text,
            kind=_chosen(Kind, kind, "kind"),
            category=_chosen(Category, category, "category"),
            gist=gist,
            field=field,
            subject=subject,
            attribute=attribute,
            value=value,
            valid_from=valid_from,
            valid_to=valid_to,
            expires_at=expires_at,
            recheck_at=recheck_at,
            recheck_when=recheck_when,
            parents_complete=parents_complete,
        ).checked()
        prepared = prepare(
            self._store, self._memory.policy, self._asker(), wish, self._nodes(sources)
        )
        if not self.identified:
            raise RefusedError(prepared.ruling.decision)
        return self._keep_claim(prepared, key, wish)

    def _nodes(self, sources: Grounds) -> list[SourceState | ClaimState]:
        if isinstance(sources, str):
            raise InvalidError("sources is a list; write sources=[…]")
        readable = self._readable()
        return [
            found(self._store, item if isinstance(item, str) else item.id, readable)
            for item in sources
        ]

    def _keep_claim(self, prepared: Prepared, key: str, wish: Wish) -> Claim:
        """Write what policy ruled, a refusal too, and return the claim; the same key again adds nothing."""
        with self._store.group() as store:
            writer = self._writer()
            request = [wish.model_dump(mode="json"), list(prepared.claim.antecedents)]
            write = keyed_write(store, writer, key, request)
            record = written_before(store, write, key)
            if not record and prepared.ruling.refused:
                write_refusal(store, prepared.ruling.decision, writer, "remember", write)
            elif not record:
                scope = store.names.register_scope(self._claims_scope())
                new = prepared.claim.model_copy(update={"scope": scope})
                _, record = write_claim(store, prepared.ruling.decision, writer, new, write)
        header = self._store.header(record) if record else None
        if header is None or isinstance(header, RefusalRecord):
            raise RefusedError(prepared.ruling.decision)
        return self._view(
            self._store.state.claims[self._store.state.ids[getattr(header, "claim", header.id)]]
        )

    def _view(self, claim: ClaimState) -> Claim:
        return claim_view(self._store, claim, now=self._now(), readable=self._readable())

    def _current(self, claim: Claim | str, version: int | None) -> ClaimState:
        """Return the claim to change, or raise ConflictError when its version is not the one that was seen."""
        seen = claim.version if isinstance(claim, Claim) and version is None else version
        state = self._claim_state(claim)
        if seen is None:
            raise InvalidError("name the version you saw: pass the claim itself, or version=…")
        if seen != state.version:
            since = [
                f"version {change.version}: {change.verb} by {change.by}, now {change.standing}"
                for change in history_view(self._store, state)
                if change.version > seen
            ]
            raise ConflictError(
                f"{state.id} is at version {state.version}, you saw {seen}; look at `difference` and try again",
                current=self._view(state),
                difference=since,
            )
        return state

    def _claim_state(self, claim: Claim | str) -> ClaimState:
        identifier = claim if isinstance(claim, str) else claim.id
        node = found(self._store, identifier, self._readable())
        if not isinstance(node, ClaimState):
            raise InvalidError(f"{identifier} is a source; this needs a claim")
        return node

    def _standing_of(self, sources: Sequence[SourceState | ClaimState]) -> Integrity:
        """Return the integrity a change is asked with: the person's own message lifts an agent to it."""
        person = self._asker().person
        said = any(
            isinstance(node, SourceState)
            and node.medium is Medium.MESSAGE
            and node.author == person
            and node.integrity >= Integrity.USER
            for node in sources
        )
        return Integrity.USER if said and person else self._acting()

    def confirm(
        self,
        claim: Claim | str,
        *,
        sources: Grounds = (),
        expires_at: datetime | None = None,
        recheck_at: datetime | None = None,
        version: int | None = None,
        reason: str = "",
    ) -> Claim:
        """Renew a claim, naming what confirmed it, and return it; its recheck moves to `recheck_at`."""
        state, nodes = self._current(claim, version), self._nodes(sources)
        expires = to_micros(expires_at, "expires_at") if expires_at else None
        recheck = to_micros(recheck_at, "recheck_at") if recheck_at else None
        decision = self._may_change("confirm", state, self._standing_of(nodes))
        with self._store.group() as store:
            write_change(
                store, decision, self._writer(), state, Verb.CONFIRM, state.lifecycle, note=reason,
                antecedents=[node.id for node in nodes], expires=expires, recheck=recheck,
            )  # fmt: skip
        return self._view(self._store.state.claims[state.seq])

    def retract(
        self,
        claim: Claim | str,
        *,
        sources: Grounds = (),
        version: int | None = None,
        reason: str = "",
    ) -> Claim:
        """Withdraw a claim and return it; it stays in history and what rests on it alone becomes stale."""
        state, nodes = self._current(claim, version), self._nodes(sources)
        decision = self._may_change("retract", state, self._standing_of(nodes))
        with self._store.group() as store:
            write_change(
                store,
                decision,
                self._writer(),
                state,
                Verb.RETRACT,
                Lifecycle.RETRACTED,
                note=reason,
            )
        return self._view(self._store.state.claims[state.seq])

    def _may_change(self, verb: str, state: ClaimState, actor: Integrity) -> Decision:
        decision = judge_change(
            actor=actor, target=state.integrity, lifecycle=state.lifecycle, replaces=False
        )
        if decision.verdict is Verdict.REFUSE:
            raise self._refuse(verb, decision)
        return decision

    def correct(
        self,
        claim: Claim | str,
        text: str,
        *,
        sources: Grounds = (),
        gist: str = "",
        value: str = "",
        version: int | None = None,
        reason: str = "",
    ) -> Claim:
        """Replace a claim that was never true and return the new one; what rests on the old one becomes stale.

        When the newcomer stands lower than the old claim it is kept as a challenge and the old claim stays current.
        """
        return self._replace(Verb.CORRECT, claim, text, sources, gist, value, version, reason, None)

    def supersede(
        self,
        claim: Claim | str,
        text: str,
        *,
        sources: Grounds = (),
        gist: str = "",
        value: str = "",
        valid_from: datetime | None = None,
        version: int | None = None,
        reason: str = "",
    ) -> Claim:
        """Replace a claim that was true until the world changed and return the new one.

        The old one stays true of the past; what rests on it becomes stale.
        """
        return self._replace(
            Verb.SUPERSEDE, claim, text, sources, gist, value, version, reason, valid_from
        )

    def _replace(
        self,
        verb: Literal[Verb.CORRECT, Verb.SUPERSEDE],
        claim: Claim | str,
        text: str,
        sources: Grounds,
        gist: str,
        value: str,
        version: int | None,
        reason: str,
        valid_from: datetime | None,
    ) -> Claim:
        state = self._current(claim, version)
        words = self._view(state)
        kind = Kind.STATED if state.kind is Kind.STATED else Kind.INFERRED
        wish = Wish(
            text=text,
            kind=kind,
            category=state.category,
            gist=gist,
            subject=words.subject,
            attribute=words.attribute,
            value=value,
            valid_from=valid_from,
        ).checked()
        prepared = prepare(
            self._store, self._memory.policy, self._asker(), wish, self._nodes(sources)
        )
        if prepared.ruling.refused:
            raise self._refuse(verb.value, prepared.ruling.decision)
        decision = judge_change(
            actor=prepared.claim.integrity,
            target=state.integrity,
            lifecycle=state.lifecycle,
            replaces=True,
        )
        if decision.verdict is Verdict.REFUSE:
            raise self._refuse(verb.value, decision)
        challenge = decision.verdict is Verdict.CHALLENGE
        relation = Relation.CORRECTS if verb is Verb.CORRECT else Relation.SUPERSEDES
        named = Named(relation=Relation.CHALLENGES if challenge else relation, claim=state.id)
        lifecycle = Lifecycle.CORRECTED if verb is Verb.CORRECT else Lifecycle.SUPERSEDED
        ended = to_micros(valid_from) if valid_from else self._now()
        with self._store.group() as store:
            writer = self._writer()
            scope = store.names.register_scope(self._claims_scope())
            new = prepared.claim.model_copy(update={"scope": scope, "relations": (named,)})
            kept = decision if challenge else prepared.ruling.decision
            seq, _ = write_claim(store, kept, writer, new, keyed_write(store, writer, "", None))
            if not challenge:
                write_change(
                    store, decision, writer, state, verb, lifecycle, note=reason, other=store.state.names[seq],
                    valid_to=ended if verb is Verb.SUPERSEDE else None,
                )  # fmt: skip
        return self._view(self._store.state.claims[seq])

    # --- reading -----------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        purpose: Purpose | str = Purpose.ANSWER,
        limit: int = 10,
        present: Mapping[str, str] = {},
        tools: Sequence[str] = (),
    ) -> Answer:
        """Return evidence for a question with reasons, use and a receipt; what the present request states goes first.

        `present` maps attributes to the values stated now. Without an identity the answer is empty and nothing is kept.
        """
        chosen = _chosen(Purpose, purpose, "purpose")
        checked_text(query, "the question", limit=QUESTION_LIMIT)
        if limit < 1:
            raise InvalidError("limit must be at least 1")
        if not self.identified:
            return Answer(
                query=query,
                purpose=chosen,
                looked=False,
                notes=("no identity: nothing is looked up",),
            )
        index = self._memory.index_now
        with self._store.lock:
            question = Question(
                query=query,
                purpose=chosen,
                readable=self._readable(),
                limit=limit,
                present=dict(present),
                tools=tuple(tools),
                now=self._now(),
            )
            answer = recall(self._store, index, question, self._memory.hints)
            receipt = keep_receipt(
                self._store, self._writer, self._claims_scope(), question, answer
            )
        for item in answer.evidence:
            self.lower_mark(item.claim.integrity)
        return answer.model_copy(update={"receipt": receipt})

    def search_conversations(self, query: str, *, limit: int = 10) -> Turns:
        """Return the turns in scope that match a query; what was said never comes back by `recall`."""
        checked_text(query, "the question", limit=QUESTION_LIMIT)
        if not self.identified:
            return Turns(query=query, looked=False, notes=("no identity: nothing is looked up",))
        index = self._memory.index_now
        with self._store.lock:
            turns = search_turns(
                self._store,
                index,
                query,
                readable=self._readable(),
                limit=limit,
                hints=self._memory.hints,
            )
        for hit in turns.hits:
            self.lower_mark(hit.integrity)
        return turns

    def why(self, thing: Answer | Claim | str, *, claim: Claim | str = "") -> Explanation:
        """Return why a claim is remembered, or why a receipt's answer gave it, down to the words it rests on."""
        wanted = claim if isinstance(claim, str) else claim.id
        return explain(self._store, thing, wanted, now=self._now(), readable=self._readable())

    def trace(self, claim: Claim | str) -> Trace:
        """Return a claim's lineage both ways: what it rests on and what rests on it, with the quoted spans."""
        return trace_view(
            self._store, self._claim_state(claim), now=self._now(), readable=self._readable()
        )

    def history(self, claim: Claim | str) -> tuple[Change, ...]:
        """Return what happened to a claim, oldest first."""
        return history_view(self._store, self._claim_state(claim))

    def claim(self, identifier: str) -> Claim:
        """Return a claim by its identifier."""
        return self._view(self._claim_state(identifier))

    def source(self, identifier: str) -> Source:
        """Return a source by its identifier."""
        node = found(self._store, identifier, self._readable())
        if not isinstance(node, SourceState):
            raise InvalidError(f"{identifier} is a claim; this needs a source")
        return source_view(self._store, node)

    def claims(
        self, *, category: Category | str | None = None, standing: Standing | str | None = None
    ) -> Iterator[Claim]:
        """Yield the claims this session may read, oldest first."""
        only = _chosen(Category, category, "category") if category else None
        shown = _chosen(Standing, standing, "standing") if standing else None
        readable = self._readable()
        for state in list(self._store.state.claims.values()):
            if state.scope in readable and only in (None, state.category):
                view = self._view(state)
                if shown in (None, view.standing):
                    yield view

    def export(self) -> Iterator[str]:
        """Yield everything this session may read as JSON lines: sources, then claims, with all their fields."""
        yield from export_lines(self._store, now=self._now(), readable=self._readable())


def _chosen(words: type[Choice], given: str, what: str, *, but: Sequence[str] = ()) -> Choice:
    """Return the word of a closed list, or raise InvalidError naming the list."""
    allowed = [word for word in words if word.value not in but]
    for word in allowed:
        if given == word.value:
            return word
    raise InvalidError(
        f"{given!r} is no {what}; use one of {', '.join(word.value for word in allowed)}"
    )
