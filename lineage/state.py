"""The graph's present state in memory: the fold of the journal's headers, which every gate reads."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from muniment.claims import (
    SCOPE_FIELDS,
    Access,
    AccessRecord,
    AccountRecord,
    Assertion,
    AssertRecord,
    AttachRecord,
    BlockRecord,
    Category,
    ChangeRecord,
    ClaimRecord,
    CorpusRecord,
    DiscloseRecord,
    EchoRef,
    EntityRecord,
    EraseRecord,
    ForgetRecord,
    Header,
    HoldRecord,
    Integrity,
    IntegrityError,
    Kind,
    Kinship,
    Lifecycle,
    Medium,
    MuteRecord,
    PauseRecord,
    PolicyRecord,
    ReceiptRecord,
    RefusalRecord,
    Relation,
    RestoreRecord,
    RetentionRecord,
    SameOriginRecord,
    ScopeRecord,
    SecretRecord,
    SensitiveRecord,
    SourceRecord,
    Verb,
    Vouching,
)

from .merkle import Frontier
from .restraint import Restraint
from .sensitive import Apart, Sensitive


@dataclass(slots=True)
class SourceState:
    """A source: `author`, `origin`, `conversation` are sequence numbers of entities, 0 for none."""

    seq: int
    id: str
    medium: Medium
    scope: int
    author: int
    origin: int
    conversation: int
    integrity: Integrity
    said: int | None
    recorded: int


class BlockState(NamedTuple):
    """A write of a block; `held` while it waits for the person, `settles` the number of a write that waited."""

    seq: int
    held: bool
    settles: int


@dataclass(slots=True)
class ClaimState:
    """A claim as of now; numbers are sequence numbers, times microseconds since 1970 UTC.

    `assertions` are the renderings that survive, `erased` those that were destroyed. What most claims have none of is
    the same empty tuple in all of them: one object a claim is what a million claims can afford.
    """

    seq: int
    id: str
    kind: Kind
    category: Category
    integrity: Integrity
    scope: int
    lifecycle: Lifecycle
    valid_from: int | None
    valid_to: int | None
    expires: int | None
    recheck: int | None
    recorded: int
    head: int
    version: int = 1
    confirmed: int | None = None
    replaced_by: int = 0
    supported: bool = False
    fresh: bool = False
    assertions: tuple[int, ...] = ()
    justifications: tuple[tuple[int, ...], ...] = ()
    changes: tuple[int, ...] = ()
    relations: tuple[tuple[Relation, int], ...] = ()
    challengers: tuple[int, ...] = ()
    erased: tuple[int, ...] = ()

    def follow(self, header: ChangeRecord, other: int) -> None:
        """Take over the lifecycle and the times that a change set; `other` is the claim that took this one's place."""
        self.lifecycle = header.lifecycle
        self.replaced_by = other or self.replaced_by
        self.valid_to = header.valid_to if header.valid_to is not None else self.valid_to
        self.expires = header.expires if header.expires is not None else self.expires
        if header.verb is Verb.REINSTATE:
            self.replaced_by, self.valid_to = 0, header.valid_to
        if header.verb is Verb.CONFIRM:
            self.recheck, self.confirmed = header.recheck, header.at


# What replaced a claim contradicts it, should the claim be reinstated.
_AGAINST = (Relation.CHALLENGES, Relation.CORRECTS, Relation.SUPERSEDES)

ScopeKey = tuple[int, int, int, int, int, int]
Value = TypeVar("Value")
_PERSON, _AGENT = SCOPE_FIELDS.index("person"), SCOPE_FIELDS.index("agent")


class State:
    """Everything a gate asks about; `apply` folds one header into it."""

    def __init__(self) -> None:
        self.seq: int = 0
        self.at: int = 0
        self.next_slot: int = 0
        self.policy = ""
        self.policies: list[int] = []
        self.frontier = Frontier()
        self.positions: array[int] = array("q", [0])
        self.ids: dict[str, int] = {}
        self.names: list[str] = [""]
        self.entity_types: dict[int, str] = {}
        self.scopes: dict[int, ScopeKey] = {}
        self.scope_numbers: dict[ScopeKey, int] = {}
        self.sources: dict[int, SourceState] = {}
        self.authors: dict[int, set[int]] = {}
        self.marks: dict[tuple[int, int], Integrity] = {}
        self.claims: dict[int, ClaimState] = {}
        self.dependants: dict[int, list[int]] = {}
        self.revoked: set[int] = set()
        self.accesses: list[tuple[int, int, Access]] = []
        self.tainted: dict[int, bool] = {}
        self.replaced: dict[int, list[int]] = {}
        self.disclosed: dict[int, dict[int, int]] = {}
        self.echoed: dict[int, list[int]] = {}
        self.restraint = Restraint()
        self.sensitive = Sensitive(self)
        self.by_category: dict[tuple[int, Category], list[int]] = {}
        self.keys: dict[str, int] = {}
        self.receipt_slots: dict[tuple[str, int], int] = {}
        self.touched: set[int] = set()
        self.erased_sources: dict[int, SourceState] = {}
        self.erased: dict[int, int] = {}
        self.erasures: list[int] = []
        self.destroyed: set[int] = set()
        self.holds: dict[int, int] = {}
        self.holdings: list[tuple[int, int]] = []
        self.restores: list[int] = []
        self.retentions: list[int] = []
        self.tombstones: dict[str, list[tuple[int, int]]] = {}
        self.secrets: dict[int, int] = {}
        self.blocks: dict[int, list[BlockState]] = {}
        self.corpora: dict[int, int] = {}
        self.vouchings: list[tuple[int, int, Vouching]] = []
        self.kinships: list[tuple[int, int, int, Kinship]] = []
        self.kin: dict[tuple[int, int], int] = {}
        self._above: dict[int, int] = {}
        self._last: tuple[tuple[int, ...], ...] = ()
        self._readable: dict[ScopeKey, tuple[int, frozenset[int]]] = {}

    def number(self, identifier: str) -> int:
        """Return the sequence number behind an identifier, 0 for the empty one."""
        return self.ids[identifier] if identifier else 0

    def apply(self, header: Header) -> None:
        """Fold a header in; IntegrityError when it does not follow from what came before."""
        if header.seq != self.seq + 1:
            raise IntegrityError(
                f"record {header.seq} follows record {self.seq}: one is missing or stands twice"
            )
        self.seq, self.at = header.seq, header.at
        for seal in header.seals:
            self.next_slot = max(self.next_slot, seal.slot + 1)
        self.remember_id(header.id, header.seq)
        if header.key:
            self.keys[header.key] = header.seq
        match header:
            case EntityRecord():
                self.entity_types[header.seq] = header.type
            case ScopeRecord():
                self.add_scope(header.seq, scope_key(header, self))
            case PolicyRecord():
                self.policy = header.digest
                self.policies.append(header.seq)
            case SourceRecord():
                self.add_source(self._source(header))
                self.add_echoes(header.seq, header.echo_of)
                if header.replaces:
                    replace_source(self, self.ids[header.replaces], header.seq)
            case ClaimRecord():
                self._claim(header)
            case AssertRecord():
                claim = self.claims[self.ids[header.claim]]
                self._assertion(claim, header)
                support_again(self, (claim.seq,))
            case ChangeRecord():
                self.change(header)
            case AccessRecord():
                source = self.ids[header.source]
                self.accesses.append((header.seq, source, header.access))
                set_access(self, source, header.access)
            case ReceiptRecord():
                if header.seals:
                    self.receipt_slots[receipt_day(header.scope, header.at)] = header.seals[0].slot
                for given in header.claims:
                    self.disclose(self.ids[given], header.seq)
            case RefusalRecord() | AttachRecord():
                pass  # answers are looked up in the graph: there may be as many as there were recalls
            case EraseRecord():
                self._erase(header)
            case SecretRecord():
                self.secrets[self.ids[header.person]] = header.seq
            case BlockRecord():
                settles = self.number(header.settles)
                self.add_block(self.ids[header.scope], BlockState(header.seq, header.held, settles))
            case HoldRecord():
                self.add_hold(header.seq, self.ids[header.target], self.number(header.releases))
            case RestoreRecord():
                self.restores.append(header.seq)
            case SameOriginRecord():
                first, second = (self.ids[origin] for origin in header.origins)
                self.add_kinship(header.seq, first, second, header.kinship)
            case DiscloseRecord():
                for thing in header.things:
                    self.disclose(self.ids[thing], header.seq)
            case PauseRecord():
                self.restraint.pause(self.ids[header.scope], header.pausing)
            case MuteRecord():
                self.restraint.mute(
                    header.seq,
                    self.number(header.claim),
                    self.ids[header.scope],
                    self.number(header.theme),
                    header.muting,
                )
            case ForgetRecord():
                self.restraint.ask(header.seq, self.ids[header.claim], header.asking)
            case AccountRecord():
                person = self.ids[header.person]
                self.restraint.set_account(header.seq, person, header.account)
            case SensitiveRecord():
                slot = header.seals[0].slot if header.seals else -1
                apart = Apart(header.seq, slot, header.agents, not header.by)
                place, about = self.ids[header.scope], self.number(header.claim)
                self.sensitive.declare(place, about, header.sensitivity, apart)
            case RetentionRecord():
                self.retentions.append(header.seq)
            case CorpusRecord():
                self.vouch(header.seq, self.number(header.corpus), header.vouching)

    def disclose(self, node: int, seq: int) -> None:
        """Take in that a record gave out a claim or a source; only the first time counts."""
        known = self.claims.get(node) or self.sources.get(node) or self.erased_sources.get(node)
        if known is not None:
            self.disclosed.setdefault(known.scope, {}).setdefault(node, seq)

    def given_out(self, node: int) -> int:
        """Return the record that first gave out a claim or a source, 0 where none did."""
        known = self.claims.get(node) or self.sources.get(node) or self.erased_sources.get(node)
        return self.disclosed.get(known.scope, {}).get(node, 0) if known is not None else 0

    def add_echoes(self, seq: int, echoes: Iterable[EchoRef]) -> None:
        """Take in what the words of a source or of an assertion say again."""
        for node in dict.fromkeys(self.ids[echo.of] for echo in echoes):
            self.echoed.setdefault(node, []).append(seq)

    def remember_id(self, identifier: str, seq: int) -> None:
        """Take in the identifier of the record `seq`, which is the next."""
        if identifier in self.ids:
            raise IntegrityError(
                f"identifier {identifier} stands twice, at records {self.ids[identifier]} and {seq}"
            )
        self.ids[identifier] = seq
        self.names.append(identifier)

    def add_scope(self, seq: int, key: ScopeKey) -> None:
        """Take in a scope."""
        self.scopes[seq] = key
        self.scope_numbers[key] = seq

    def add_source(self, source: SourceState) -> None:
        """Take in a source."""
        self.sources[source.seq] = source
        if source.conversation:
            place = (source.scope, source.conversation)
            self.marks[place] = min(self.marks.get(place, Integrity.USER), source.integrity)
        if source.author:
            self.authors.setdefault(source.scope, set()).add(source.author)

    def add_block(self, scope: int, block: "BlockState") -> None:
        """Take in a write of the block in a scope."""
        self.blocks.setdefault(scope, []).append(block)

    def shared(self, grounds: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        """Return justifications, the object returned before where it is equal: many claims rest on one message."""
        if grounds != self._last:
            self._last = grounds
        return self._last

    def add_claim(self, claim: ClaimState) -> None:
        """Take in a claim with the edges to what it rests on."""
        self.claims[claim.seq] = claim
        self.by_category.setdefault((claim.scope, claim.category), []).append(claim.seq)
        for justification in claim.justifications:
            for antecedent in justification:
                self.dependants.setdefault(antecedent, []).append(claim.seq)
        for relation, other in claim.relations:
            if relation in _AGAINST:
                challenged = self.claims[other]
                challenged.challengers = (*challenged.challengers, claim.seq)

    def _source(self, header: SourceRecord) -> SourceState:
        return SourceState(
            seq=header.seq,
            id=header.id,
            medium=header.medium,
            scope=self.ids[header.scope],
            author=self.number(header.by),
            origin=self.number(header.origin),
            conversation=self.number(header.session),
            integrity=Integrity(min(part.integrity for part in header.parts)),
            said=header.said_at,
            recorded=header.at,
        )

    def _claim(self, header: ClaimRecord) -> None:
        claim = ClaimState(
            seq=header.seq,
            id=header.id,
            kind=header.kind,
            category=header.category,
            integrity=header.integrity,
            scope=self.ids[header.scope],
            lifecycle=header.lifecycle,
            valid_from=header.valid_from,
            valid_to=header.valid_to,
            expires=header.expires,
            recheck=header.recheck,
            recorded=header.at,
            head=header.seq,
            relations=tuple((named.relation, self.ids[named.claim]) for named in header.relations),
        )
        self.add_claim(claim)
        self._assertion(claim, header)
        claim.version = 1
        support_again(self, (claim.seq,))

    def _assertion(self, claim: ClaimState, header: Assertion) -> None:
        justification = tuple(self.ids[antecedent] for antecedent in header.antecedents)
        self.add_echoes(header.seq, header.echo_of)
        claim.assertions = (*claim.assertions, header.seq)
        claim.justifications = self.shared((*claim.justifications, justification))
        for antecedent in justification:
            self.dependants.setdefault(antecedent, []).append(claim.seq)
        claim.head = header.seq
        claim.version += 1
        self.touched.add(claim.seq)
        self.sensitive.follow(claim, justification)

    def change(self, header: ChangeRecord) -> "Effect":
        """Fold a change of a claim in and return what lost support or freshness and what was rescued."""
        claim = self.claims[self.ids[header.claim]]
        effect = set_lifecycle(self, claim, header.lifecycle)
        claim.changes = (*claim.changes, header.seq)
        claim.head = header.seq
        claim.version += 1
        claim.follow(header, self.number(header.other))
        self.touched.add(claim.seq)
        return effect

    def _erase(self, header: EraseRecord) -> None:
        whole = [self.ids[claim] for claim in header.claims]
        parts = [(self.ids[one.claim], self.ids[one.rendering]) for one in header.renderings]
        sources = [self.ids[source] for source in header.sources]
        take_away(self, sources, whole, parts)
        for seq in dict.fromkeys((*whole, *(seq for seq, _ in parts))):
            claim = self.claims[seq]
            claim.version += 1
            if (
                claim.lifecycle is Lifecycle.ERASED
            ):  # of one that stays, what it said last is as old as it was
                claim.head = header.seq
            claim.changes = (*claim.changes, header.seq)
            self.touched.add(seq)
        self.restraint.let_go(whole)
        self.sensitive.look_again()
        gone = (*sources, *(one for seq in whole for one in self.claims[seq].erased))
        for seq in (*gone, *(rendering for _, rendering in parts)):
            self.erased.setdefault(seq, header.seq)
        self.add_erasure(header.seq, [(run.first, run.count) for run in header.slots])
        for stone in header.tombstones:
            self.add_tombstone(header.seq, stone.digest, self.ids[stone.scope])

    def add_erasure(self, seq: int, slots: Iterable[tuple[int, int]]) -> None:
        """Take in that the keys in these runs of slots are no more, receipts' among them."""
        self.erasures.append(seq)
        for first, count in slots:
            self.destroyed.update(range(first, first + count))
        for day in [day for day, slot in self.receipt_slots.items() if slot in self.destroyed]:
            del self.receipt_slots[day]

    def add_hold(self, seq: int, target: int, releases: int) -> None:
        """Take in that something is on legal hold, or that the hold `releases` on it is no longer in force."""
        self.holdings.append((seq, target))
        if releases:
            self.holds.pop(releases, None)
        else:
            self.holds[seq] = target

    def add_tombstone(self, seq: int, digest: str, scope: int) -> None:
        """Take in what an erasure keeps out, and where."""
        self.tombstones.setdefault(digest, []).append((seq, scope))

    def vouch(self, seq: int, corpus: int, vouching: Vouching) -> None:
        """Take in that an operator vouches for a corpus, in the files that the record `seq` seals, or no more."""
        self.vouchings.append((seq, corpus or seq, vouching))
        if vouching is Vouching.REVOKED:
            self.corpora.pop(corpus, None)
        else:
            self.corpora[corpus or seq] = seq

    def add_kinship(self, seq: int, first: int, second: int, kinship: Kinship) -> None:
        """Take in that two origins were declared to be one, or that this was taken back: then all is joined anew."""
        self.kinships.append((seq, first, second, kinship))
        pair = (min(first, second), max(first, second))
        if kinship is Kinship.SAME:
            self.kin.setdefault(pair, seq)
            self._join(*pair)
        else:
            self.kin.pop(pair, None)
            self._above.clear()
            for one, other in self.kin:
                self._join(one, other)

    def _join(self, first: int, second: int) -> None:
        low, high = sorted((self.origin_class(first), self.origin_class(second)))
        if low != high:
            self._above[high] = low

    def origin_class(self, origin: int) -> int:
        """Return the lowest of the origins that are known to be one with this one."""
        while above := self._above.get(origin):
            self._above[origin] = self._above.get(above, above)
            origin = above
        return origin

    def readable(self, reader: ScopeKey) -> frozenset[int]:
        """Return the numbers of the scopes that a session with these fields may read."""
        known = self._readable.get(reader)
        if known is None or known[0] != len(self.scopes):
            scopes = frozenset(
                seq
                for seq, key in self.scopes.items()
                if all(own in (0, theirs) for own, theirs in zip(key, reader, strict=True))
                and not (key[_AGENT] and not key[_PERSON] and reader[_PERSON])
            )
            known = self._readable[reader] = (len(self.scopes), scopes)
        return known[1]


def scope_key(header: ScopeRecord, state: State) -> ScopeKey:
    """Return a scope's six entity numbers, 0 for any."""
    org, person, project, channel, agent, session = (
        state.number(getattr(header, name)) for name in SCOPE_FIELDS
    )
    return (org, person, project, channel, agent, session)


def receipt_day(scope: str, at: int) -> tuple[str, int]:
    """Return the unit whose receipts share a key: a reader's scope and a day in UTC."""
    return scope, at // 86_400_000_000


@dataclass(slots=True)
class Effect:
    """What a change did to the claims that rest on it."""

    lost: frozenset[int] = frozenset()
    rescued: frozenset[int] = frozenset()


def set_lifecycle(state: State, claim: ClaimState, lifecycle: Lifecycle) -> Effect:
    """Change a claim's lifecycle and label anew everything that rests on it."""
    before = _gives(claim)
    claim.lifecycle = lifecycle
    after = _gives(claim)
    lost: set[int] = set()
    rescued: set[int] = set()
    for label in ("supported", "fresh"):
        if before[label] and not after[label]:
            fell, stood = _take_out(state, (claim.seq,), label)
            lost |= fell
            rescued |= stood
    if any(after[label] and not before[label] for label in after):
        support_again(state, state.dependants.get(claim.seq, ()))
    return Effect(frozenset(lost), frozenset(rescued - lost))


def set_access(state: State, source: int, access: Access) -> Effect:
    """Revoke a source or give it back, and label anew everything that rests on it."""
    if (access is Access.REVOKED) == (source in state.revoked):
        return Effect()
    state.tainted.clear()
    if access is Access.GIVEN:
        state.revoked.discard(source)
        return Effect(rescued=frozenset(support_again(state, state.dependants.get(source, ()))))
    state.revoked.add(source)
    lost: set[int] = set()
    rescued: set[int] = set()
    for label in ("supported", "fresh"):
        fell, stood = _take_out(state, (source,), label)
        lost |= fell
        rescued |= stood
    return Effect(frozenset(lost), frozenset(rescued - lost))


def replace_source(state: State, old: int, new: int) -> Effect:
    """Put a new version in the place of a source and label anew what rests on the old one: it is believed, not fresh.

    A second time it changes nothing. What becomes of the new version later does not bring the old one back.
    """
    versions = state.replaced.setdefault(old, [])
    if new in versions:
        return Effect()
    versions.append(new)
    lost, rescued = _take_out(state, (old,), "fresh")
    return Effect(frozenset(lost), frozenset(rescued))


def newest_version(state: State, source: int) -> int:
    """Return the newest version of a source, whatever became of it: the source itself where nothing replaced it."""
    while source in state.replaced:
        source = state.replaced[source][-1]
    return source


def _gives(claim: ClaimState) -> dict[str, bool]:
    """Return which labels a claim passes on to what rests on it."""
    believed = claim.lifecycle in (Lifecycle.ASSERTED, Lifecycle.SUPERSEDED)
    return {
        "supported": claim.supported and believed,
        "fresh": claim.fresh and claim.lifecycle is Lifecycle.ASSERTED,
    }


def passes(state: State, node: int, label: str) -> bool:
    """Return whether a source or claim passes a label on to what rests on it."""
    claim = state.claims.get(node)
    if claim:
        return _gives(claim)[label]
    stands = node in state.sources and node not in state.revoked
    return stands and (label == "supported" or node not in state.replaced)


def take_away(
    state: State,
    sources: Iterable[int],
    claims: Iterable[int],
    renderings: Iterable[tuple[int, int]],
) -> Effect:
    """Take sources, claims and single (claim, rendering) out for good, and label anew what rested on them.

    A second time it changes nothing.
    """
    whole, changed = tuple(claims), set[int]()
    for seq in sources:
        if seq in state.sources:
            state.erased_sources[seq] = state.sources.pop(seq)
            changed.add(seq)
    every = [(seq, one) for seq in whole for one in state.claims[seq].assertions]
    for seq, rendering in (*every, *renderings):
        claim = state.claims[seq]
        if rendering in claim.assertions:
            place = claim.assertions.index(rendering)
            claim.assertions = _but(claim.assertions, place)
            claim.justifications = _but(claim.justifications, place)
            claim.erased = tuple(sorted((*claim.erased, rendering)))
            changed.add(seq)
    for seq in whole:
        state.claims[seq].lifecycle = Lifecycle.ERASED
    lost: set[int] = set()
    rescued: set[int] = set()
    for label in ("supported", "fresh"):
        fell, stood = _take_out(
            state, changed, label, {seq for seq in changed if seq in state.claims}
        )
        lost |= fell
        rescued |= stood
    gone = lost | set(whole)
    return Effect(frozenset(lost - set(whole)), frozenset(rescued - gone))


def _but(values: tuple[Value, ...], place: int) -> tuple[Value, ...]:
    return (*values[:place], *values[place + 1 :])


def _take_out(
    state: State, seeds: Iterable[int], label: str, besides: Iterable[int] = ()
) -> tuple[set[int], set[int]]:
    """Take a label from all that stood on the seeds, give it back where something else still carries it.

    `besides`: claims that lost a justification of their own.

    Returns (lost, rescued). The result is the least fixpoint, so a loop cannot hold itself up; reference counts would
    be wrong on loops. The cost is the number of edges reached.
    """
    reached = {seq for seq in besides if getattr(state.claims[seq], label)}
    for seq in reached:
        setattr(state.claims[seq], label, False)
    stack = list(seeds)
    while stack:
        for seq in state.dependants.get(stack.pop(), ()):
            claim = state.claims[seq]
            if getattr(claim, label) and seq not in reached:
                reached.add(seq)
                setattr(claim, label, False)
                stack.append(seq)
    state.touched |= reached
    _put_in(state, reached, label)
    lost = {seq for seq in reached if not getattr(state.claims[seq], label)}
    return lost, reached - lost


def _put_in(state: State, seqs: Iterable[int], label: str) -> set[int]:
    """Give a label to these claims and to what rests on them, wherever it is carried; each edge is looked at once."""
    awaiting, given = _Awaiting(state, label), set[int]()
    queue, ready = sorted(seqs), list[int]()
    while queue or ready:
        known = bool(ready)
        seq = ready.pop() if known else queue.pop()
        claim = state.claims[seq]
        if getattr(claim, label) or not (known or awaiting.carries(claim)):
            continue
        setattr(claim, label, True)
        given.add(seq)
        if _gives(claim)[label]:
            ready.extend(awaiting.came(seq))
            queue.extend(
                one for one in state.dependants.get(seq, ()) if one not in awaiting.lacking
            )
    state.touched |= given
    return given


class _Awaiting:
    """Which justifications wait for which nodes; `lacking` counts those of each claim that was looked at."""

    def __init__(self, state: State, label: str) -> None:
        self._state, self._label = state, label
        self.lacking: dict[int, list[int]] = {}
        self._waiting: dict[int, list[tuple[int, int]]] = {}

    def carries(self, claim: ClaimState) -> bool:
        """Look at a claim for the first time and return whether some justification lacks nothing."""
        if claim.seq in self.lacking:
            return False  # looked at before, and not come since
        counts = self.lacking[claim.seq] = list[int]()
        for place, justification in enumerate(claim.justifications):
            lacking = [one for one in justification if not passes(self._state, one, self._label)]
            counts.append(len(lacking))
            for node in lacking:
                self._waiting.setdefault(node, []).append((claim.seq, place))
        return 0 in counts

    def came(self, node: int) -> list[int]:
        """Return the claims of which a justification lacks nothing now that a node carries the label."""
        found: list[int] = []
        for seq, place in self._waiting.pop(node, ()):
            self.lacking[seq][place] -= 1
            if not self.lacking[seq][place]:
                found.append(seq)
        return found


def support_again(state: State, seqs: Iterable[int]) -> set[int]:
    """Give both labels to these claims, and to what rests on them, wherever a justification carries them now.

    Returns the claims that got one.
    """
    given: set[int] = set()
    for label in ("supported", "fresh"):
        given |= _put_in(state, seqs, label)
    return given
