"""Who acts in a session, where, and what its context has seen."""

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import normalize

from muniment.claims import (
    SCOPE_FIELDS,
    Account,
    Claim,
    Clock,
    ConflictError,
    Decision,
    EntityType,
    Integrity,
    InvalidError,
    Medium,
    RefusedError,
    Right,
    Scope,
    Source,
    canonical_bytes,
    checked_text,
    to_micros,
)
from muniment.lineage import (
    HOST,
    UNKEYED,
    ClaimState,
    KeyedWrite,
    Passage,
    SourceState,
    Store,
    Writer,
    claim_view,
    conversation_mark,
    day_of,
    found,
    history_view,
    hush_of,
    is_restricted,
    is_withheld,
    keyed_write,
    muted_by,
    part_text,
    write_refusal,
)
from muniment.policy import (
    VERBS,
    Circumstances,
    Permit,
    Policy,
    decide,
    judge_right,
    right_to_look,
)

from .apart import set_apart
from .given import NAME_LIMIT, list_given, text_given

Grounds = Sequence[Source | Claim | str]


class Asker(NamedTuple):
    """Who asks, when, and what entered the context: `person` is the number of the person, 0 for nobody known.

    `for_person`: a person is named, known here or not.
    """

    identified: bool
    person: int
    mark: Integrity
    by_agent: bool
    now: int
    for_person: bool = False


class Acting:
    """The principal of one session over a store: everything a verb needs besides its arguments."""

    def __init__(
        self,
        store: Store,
        policy: Policy,
        clock: Clock,
        scope: Scope,
        *,
        off_the_record: bool = False,
    ) -> None:
        for field, name in scope.named().items():
            checked_text(name, f"the {field}", limit=NAME_LIMIT)
        scope = composed(scope)
        for field in SCOPE_FIELDS:
            store.names.must_tell(field, getattr(scope, field))
        self.store = store
        self.policy = policy
        self.scope = scope
        self.off_the_record = off_the_record
        self._states = policy.states
        self._mark = Integrity.USER
        self.proven_until = 0
        agent = "" if scope.person else scope.agent
        self._claims_scope = scope.model_copy(update={"agent": agent, "session": ""})
        channel = {"person": "", "agent": ""} if scope.channel else {}
        self._sources_scope = self._claims_scope.model_copy(update=channel)
        place = scope.model_copy(update={"session": ""}).named()
        self._place = canonical_bytes(place).decode("utf-8")
        self._clock = clock

    @property
    def identified(self) -> bool:
        """Whether the host named somebody."""
        return bool(self.scope.person or self.scope.agent)

    @property
    def known(self) -> bool:
        """Whether anything is kept that names the person, or the agent where none is named."""
        sort: EntityType = "person" if self.scope.person else "agent"
        return self.store.names.find(sort, getattr(self.scope, sort)) != 0

    @property
    def alone(self) -> bool:
        """Whether the person herself acts, no agent for her."""
        return bool(self.scope.person) and not self.scope.agent

    @property
    def integrity(self) -> Integrity:
        """What the principal's own words and changes are worth: a person's when no agent acts for her."""
        return Integrity.USER if self.alone else Integrity.AGENT

    @property
    def mark(self) -> Integrity:
        """The lowest integrity of anything that entered the context, in any session of this name."""
        kept = conversation_mark(self.store, self.sources_scope(), self.scope.session)
        return min(self._mark, kept, self.store.heard.get(self.scope, Integrity.USER))

    def lower_mark(self, level: Integrity) -> None:
        """Note that something of that integrity entered the context."""
        self._mark = min(self._mark, level)
        if (
            self.scope.agent and self.scope.session
        ):  # another session of this name goes on from here
            heard = self.store.heard.get(self.scope, Integrity.USER)
            self.store.heard[self.scope] = min(heard, level)

    def has_read(self, level: Integrity) -> None:
        """Note that the principal looked at something: into an agent's context it enters, a person just sees it."""
        if self.scope.agent:
            self.lower_mark(level)

    def has_heard(self, source: SourceState) -> None:
        """Note that the principal looked at a source: what another member said comes from outside."""
        speaker = speaker_of(self.store, source)
        own = speaker in (0, self.asker().person)
        self.has_read(source.integrity if own else Integrity.EXTERNAL)

    def now(self) -> int:
        """Return the present moment in microseconds since 1970 UTC."""
        return to_micros(self._clock())

    def readable(self) -> frozenset[int]:
        """Return the numbers of the scopes that may be read, none without an identity.

        RefusedError while memory is paused and the like, for an agent: what it reads is in a prompt.
        """
        if not self.identified:
            return frozenset()
        self.must_look()
        return self.own_scopes()

    def must_look(self) -> None:
        """Raise RefusedError where this session may not look anything up now."""
        self.must_have(right_to_look(agent=bool(self.scope.agent)))

    def own_scopes(self) -> frozenset[int]:
        """Return the numbers of the scopes this session reads as far as it may read at all."""
        return self._reached() - self.closed()

    def _reached(self) -> frozenset[int]:
        return self.store.state.readable(self.store.names.key_of(self.scope))

    def closed(self) -> frozenset[int]:
        """Return the sensitive scopes that answer the person of this session, but not the agent that acts for her."""
        held = self.store.state.sensitive
        if not (held.scopes and self.scope.agent):
            return frozenset()
        agent = self.store.state.names[self.store.names.find("agent", self.scope.agent)]
        return self._reached() & held.closed_to(agent)

    def must_be_admitted(self, *scopes: Scope) -> None:
        """Raise RefusedError for an agent that may not act for the person in one of these scopes."""
        if not self.scope.agent:
            return
        closed = self.closed()
        for scope in scopes:
            known = self.store.state.scope_numbers.get(self.store.names.key_of(scope), 0)
            admitted = (
                self.policy.admitted(scope)
                if known not in self.store.state.sensitive.scopes
                else None
            )
            unwelcome = admitted is not None and not {"*", self.scope.agent} & {*admitted}
            if known in closed or unwelcome:
                raise RefusedError(decide("SENSITIVE_SCOPE"))

    def circumstances(self) -> Circumstances:
        """Return what decides over the use of memory here and now."""
        state = self.store.state
        paused = self._reached() & state.restraint.paused if state.restraint.paused else ()
        person = self.store.names.find("person", self.scope.person)
        account, _ = state.restraint.accounts.get(person, (Account.ACTIVE, 0))
        narrowest = {[*self.store.names.scope(scope).named()][-1] for scope in paused}
        return Circumstances(
            identified=self.identified,
            off_the_record=self.off_the_record,
            paused=tuple(field for field in SCOPE_FIELDS if field in narrowest),
            account=account,
        )

    def permit(self, right: Right) -> Permit:
        """Return whether this session has a right, and why."""
        decision = judge_right(right, self.circumstances(), self._states)
        return Permit(right=right, decision=decision)

    def must_have(self, right: Right) -> None:
        """Raise RefusedError where this session lacks a right; that leaves no trace."""
        permit = self.permit(right)
        if not permit:
            raise RefusedError(permit.decision)

    def must_write(self, right: Right = Right.ACCUMULATE) -> None:
        """Raise RefusedError where this session may not write; one off the record never may."""
        if self.off_the_record:
            raise RefusedError(decide("OFF_THE_RECORD"))
        self.must_have(right)

    def must_write_for(self, verb: str) -> None:
        """Raise RefusedError where a verb may not write here; one nobody gave a right needs that to accumulate."""
        self.must_write(VERBS.get(verb.replace(" ", "_"), Right.ACCUMULATE))
        self.must_be_admitted(self._claims_scope, self._sources_scope)

    def asker(self) -> Asker:
        """Return what policy needs to know of the principal."""
        person = self.store.names.find("person", self.scope.person)
        return Asker(
            self.identified,
            person,
            self.mark,
            by_agent=bool(self.scope.agent),
            now=self.now(),
            for_person=bool(self.scope.person),
        )

    def claims_scope(self) -> Scope:
        """Return the scope of what is remembered: everything named but the session, and the agent of a person."""
        return self._claims_scope

    def sources_scope(self) -> Scope:
        """Return the scope of what is said: in a channel it is the channel's, otherwise the person's."""
        return self._sources_scope

    def writer(self, right: Right = Right.ACCUMULATE) -> Writer:
        """Return the principal by number, registered in the open group where it is new.

        Every write passes here: RefusedError where the session lacks the right to it.
        """
        self.must_write(right)
        person = self.store.names.register("person", self.scope.person)
        agent = self.store.names.register("agent", self.scope.agent)
        for scope in dict.fromkeys((self._claims_scope, self._sources_scope)):
            self.set_apart(scope)
        return Writer(by=agent or person, behalf=person if agent else 0)

    def set_apart(self, scope: Scope) -> None:
        """Give a scope that is written to a key of its own, in the open group, where it is sensitive and has none."""
        set_apart(self.store, self.policy, scope)

    def known_writer(self) -> Writer:
        """Return the principal by number as far as it is known: where nothing is kept, nothing names anybody anew."""
        person = self.store.names.find("person", self.scope.person)
        agent = self.store.names.find("agent", self.scope.agent)
        return Writer(by=agent or person, behalf=person if agent else 0)

    def keyed(self, key: str, request: object, place: str = "") -> KeyedWrite:
        """Return what makes a write the same when it is sent again, by this principal in this place only.

        Another `place` is that of whoever may write the same as well.
        """
        named = f"{place or self._place}|{key}" if text_given(key, "key") else ""
        return keyed_write(self.store, HOST, named, request)

    def refused(self, verb: str, decision: Decision) -> RefusedError:
        """Write down that something was refused, where anything may be, and return the error to raise."""
        if self.identified and not self.off_the_record and self.permit(Right.ACCUMULATE):
            with self.store.group() as store:
                write_refusal(store, decision, self.known_writer(), verb, UNKEYED)
        return RefusedError(decision)

    def nodes(self, grounds: Grounds) -> list[SourceState | ClaimState]:
        """Return the sources and claims that are named, each readable here and none of them restricted."""
        nodes = [self.found(identifier_of(item)) for item in list_given(grounds, "sources")]
        if any(is_restricted(self.store.state, node.seq) for node in nodes):
            raise self.refused("draw on", decide("RESTRICTED"))
        return nodes

    def found(self, identifier: str) -> SourceState | ClaimState:
        """Return the source or claim that is named, readable here; ErasedError for what this person had erased."""
        owner = self.asker().person if self.alone else 0
        node = found(self.store, identifier, self.readable(), owner=owner)
        if isinstance(node, ClaimState):
            self.must_see(node)
        return node

    def must_see(self, node: SourceState | ClaimState) -> None:
        """Raise RefusedError for what may not be shown here, with the rule."""
        if rule := self.hidden_by(node):
            raise RefusedError(decide(rule))

    def may_see(self, node: SourceState | ClaimState) -> bool:
        """Return whether something may be shown here beyond a recall; the person herself sees all of hers."""
        return not self.hidden_by(node)

    def hidden_by(self, node: SourceState | ClaimState) -> str:
        """Return the rule by which something is not shown here beyond a recall, empty where it is.

        Muted and sensitive claims, and what says the same, are shown only to the person herself.
        """
        if not self.scope.agent:
            return ""
        readable = self.own_scopes()
        if isinstance(node, ClaimState):
            if muted_by(self.store, node, readable):
                return "MUTED"
            return "SENSITIVE" if is_withheld(self.store.state, node) else ""
        hush = hush_of(self.store, readable, sensitive=True)
        return hush.rule_for(part_text(self.store, node.seq)) if any(hush) else ""

    def suppressed(self, verb: str, passage: Passage) -> RefusedError:
        """Write down that something erased was kept out, and return the error; why, only the person herself learns."""
        day = day_of(self.store, passage.erased_by)
        detail = f"you erased this on {day}; say it anew on purpose with anew" if self.alone else ""
        return self.refused(verb, decide("SUPPRESSED", detail))

    def claim(self, claim: Claim | str) -> ClaimState:
        """Return the claim that is named, readable here."""
        identifier = identifier_of(claim)
        node = self.found(identifier)
        if not isinstance(node, ClaimState):
            raise InvalidError(f"{identifier} is a source; this needs a claim")
        return node

    def current(self, claim: Claim | str, version: int | None) -> ClaimState:
        """Return the claim to change; ConflictError when its version is not the one that was seen."""
        seen = claim.version if isinstance(claim, Claim) and version is None else version
        state = self.claim(claim)
        if not isinstance(seen, int) or isinstance(seen, bool):
            raise InvalidError("name the version you saw: pass the claim itself, or version=…")
        self.must_have_seen(state, seen)
        return state

    def must_have_seen(self, state: ClaimState, seen: int) -> None:
        """Raise ConflictError with the current claim and what was done since, where a claim has another version."""
        if seen != state.version:
            since = [
                f"version {change.version}: {change.verb} by {change.by}, now {change.standing}"
                for change in history_view(self.store, state)
                if change.version > seen
            ]
            raise ConflictError(
                f"{state.id} is at version {state.version}, you saw {seen}; look at `difference` and try again",
                current=self.shown(state),
                difference=since,
            )

    def view(self, claim: ClaimState) -> Claim:
        """Return a claim as it may be seen here and now."""
        return claim_view(self.store, claim, now=self.now(), readable=self.readable())

    def shown(self, claim: ClaimState) -> Claim:
        """Return a claim that somebody named and did not write just now: into an agent's context it enters."""
        self.has_read(claim.integrity)
        return self.view(claim)

    def owns(self, claim: ClaimState) -> bool:
        """Return whether a claim is this session's person's alone, or nobody's where no person is named."""
        return self.store.names.scope(claim.scope).person == self.scope.person

    def integrity_to_change(self, grounds: Sequence[SourceState | ClaimState]) -> Integrity:
        """Return what a change is asked with: an agent stands no higher than what its context and its grounds hold.

        No message of the person lifts an agent to her: that it speaks of this claim would be the agent's own reading.
        """
        if self.integrity is Integrity.USER:
            return self.integrity
        return min(self.integrity, self.mark, *(node.integrity for node in grounds))


def composed(scope: Scope) -> Scope:
    """Return a scope with one name for one principal, however its letters are composed."""
    return Scope(**{field: normalize("NFC", name) for field, name in scope.named().items()})


def speaker_of(store: Store, source: SourceState) -> int:
    """Return the number of the person who said something or for whom it was said or looked up, 0 for nobody.

    What a document says, its origin says, whoever handed it in.
    """
    if source.medium is Medium.DOCUMENT:
        return 0
    told = (store.state.number(store.header(source.seq).behalf), source.author)
    return next((one for one in told if store.state.entity_types.get(one) == "person"), 0)


def identifier_of(thing: object) -> str:
    """Return the identifier of a source or a claim, given as itself or as its identifier."""
    if isinstance(thing, Source | Claim):
        return thing.id
    if isinstance(thing, str):
        return thing
    raise InvalidError(
        f"{type(thing).__name__} names nothing; give a source, a claim or an identifier"
    )
