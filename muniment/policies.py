"""The policy over time and on trial: which were in force when, and what another would make of what is kept."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from muniment.claims import (
    Account,
    Assertion,
    ClaimRecord,
    Decision,
    Integrity,
    Kind,
    Medium,
    PartLabel,
    PolicyRecord,
    SourceRecord,
    Value,
    from_micros,
    is_whole,
    stands_in,
)
from muniment.lineage import (
    ClaimState,
    SourceState,
    Store,
    claim_words,
    part_text,
    registered_as,
    speaks_for,
)
from muniment.policy import (
    Ground,
    Policy,
    PolicyChange,
    Ruling,
    WriteRequest,
    fits,
    judge_approval,
    judge_claim,
)

from .collecting import Drawn, collection_refusal, login_in, names_account
from .retention import due_by_rule


class PolicyVersion(Value):
    """A policy that came into force, with the table of rules of its time bound into the digest."""

    id: str
    digest: str
    since: datetime
    until: datetime | None = None


class RuledOtherwise(Value):
    """A claim that another policy would rule otherwise if it came in today."""

    claim: str
    words: str
    kind: Kind
    integrity: Integrity
    rule: str
    kind_then: Kind
    integrity_then: Integrity
    rule_then: str


class AccountOtherwise(Value):
    """A person to whom another policy would allow something else: each change of her state, and her claims' number."""

    person: str
    account: Account
    changes: tuple[PolicyChange, ...]
    claims: int


class AgedOtherwise(Value):
    """A rule of retention by which another policy would let go of more or less today: how many things, now and then."""

    rule: str
    before: int
    after: int


class PolicyTrial(Value):
    """What another policy would make of what is kept; nothing was written, and labels once given stay."""

    digest: str
    changes: tuple[PolicyChange, ...] = ()
    claims: tuple[RuledOtherwise, ...] = ()
    accounts: tuple[AccountOtherwise, ...] = ()
    retention: tuple[AgedOtherwise, ...] = ()
    looked_at: int = 0

    def wordless(self) -> "PolicyTrial":
        """Return the trial without the words of the claims, for whoever reads no person's."""
        claims = tuple(one.model_copy(update={"words": ""}) for one in self.claims)
        return self.model_copy(update={"claims": claims})


def policy_versions(store: Store) -> tuple[PolicyVersion, ...]:
    """Return the policies that were in force, oldest first; the last is."""
    headers = [
        header
        for seq in store.state.policies
        if isinstance(header := store.header(seq), PolicyRecord)
    ]
    ends = [from_micros(header.at) for header in headers[1:]]
    return tuple(
        PolicyVersion(id=header.id, digest=header.digest, since=from_micros(header.at), until=until)
        for header, until in zip(headers, [*ends, None], strict=True)
    )


def try_policy(
    store: Store, before: Policy, after: Policy, changes: tuple[PolicyChange, ...], moment: int
) -> PolicyTrial:
    """Return what a policy would rule otherwise than the one in force, claim by claim and person by person.

    What would be over by its rules of retention is judged at that moment, in microseconds.
    """
    tools = {name for name in before.tools.keys() | after.tools.keys()
             if before.tools.get(name) != after.tools.get(name)}  # fmt: skip
    origins = {name for name in before.origins.keys() | after.origins.keys()
               if before.origins.get(name) != after.origins.get(name)}  # fmt: skip
    affected = sorted(
        _affected(store, tools)
        | _waiting_otherwise(store, before, after)
        | (_from_outside(store) if origins else set())
    )
    now, then = _rulings(store, before, affected), _rulings(store, after, affected)
    return PolicyTrial(
        digest=after.digest,
        changes=changes,
        claims=tuple(
            RuledOtherwise(
                claim=store.state.names[seq],
                words=_told(store, store.state.claims[seq]),
                kind=now[seq].kind,
                integrity=now[seq].integrity,
                rule=now[seq].decision.rule,
                kind_then=then[seq].kind,
                integrity_then=then[seq].integrity,
                rule_then=then[seq].decision.rule,
            )
            for seq in affected
            if now[seq] != then[seq]
        ),
        accounts=tuple(_accounts(store, changes)),
        retention=tuple(_aged(store, before, after, moment)),
        looked_at=sum(bool(claim.assertions) for claim in store.state.claims.values()),
    )


def _told(store: Store, claim: ClaimState) -> str:
    """Return a claim's words as the host may see them: none of what is sensitive."""
    held = store.state.sensitive
    apart = claim.scope in held.scopes or claim.seq in held.reached
    return "" if apart else claim_words(store, claim)


def _affected(store: Store, tools: set[str]) -> set[int]:
    """Return the claims that rest, in the end, on a result of one of the tools."""
    state = store.state
    waiting = [
        source.seq
        for source in state.sources.values()
        if source.medium is Medium.TOOL_RESULT and store.names.name(source.author) in tools
    ]
    found: set[int] = set()
    while waiting:
        for seq in state.dependants.get(waiting.pop(), ()):
            if seq not in found and state.claims[seq].assertions:
                found.add(seq)
                waiting.append(seq)
    return found


def _from_outside(store: Store) -> set[int]:
    """Return the claims that do not stand on a person's own words alone: the policy of an origin may bear on them."""
    return {
        claim.seq
        for claim in store.state.claims.values()
        if claim.assertions and claim.kind is not Kind.STATED
    }


def _waiting_otherwise(store: Store, before: Policy, after: Policy) -> set[int]:
    """Return the claims of which one policy would let the person decide first, and the other not."""
    return {
        claim.seq
        for claim in store.state.claims.values()
        if claim.assertions and _waits(store, before, claim) != _waits(store, after, claim)
    }


def _waits(store: Store, policy: Policy, claim: ClaimState) -> Decision | None:
    # Whether an agent kept it, for a person, is read only where that matters.
    by_agent = policy.preset == "reviewed" and bool(store.header(claim.seq).behalf)
    return judge_approval(
        policy.preset, category=claim.category, kind=claim.kind, by_agent=by_agent
    )


def _rulings(store: Store, policy: Policy, affected: Sequence[int]) -> dict[int, Ruling]:
    """Return how a policy rules these claims, each from its oldest wording, lower numbers first."""
    ruled: dict[int, Ruling] = {}
    for seq in affected:
        claim = store.state.claims[seq]
        header, (words, *_) = store.record(claim.assertions[0])
        first = store.header(claim.seq)
        if isinstance(header, Assertion) and isinstance(first, ClaimRecord):
            ruled[seq] = _ruling(store, policy, claim, header, words, ruled)
    return ruled


def _ruling(
    store: Store,
    policy: Policy,
    claim: ClaimState,
    header: Assertion,
    words: Mapping[str, str],
    ruled: Mapping[int, Ruling],
) -> Ruling:
    state = store.state
    person = state.number(header.behalf or header.by)
    grounds = [
        _ground(store, policy, header, state.ids[name], words, person, ruled)
        for name in header.antecedents
    ]
    gist, _, beside = words["gist"].partition(" · ")
    said = words["quote"] or gist
    ruling = judge_claim(
        WriteRequest(
            identified=True,
            asked=header.asked,
            category=claim.category,
            words=said,
            value=words["value"],
            beside=" ".join((beside, words["subject"], words["attribute"], words["value"])),
            grounds=tuple(grounds),
            mark=header.mark,
            parents_complete=header.parents_complete,
        )
    )
    if ruling.refused:
        return ruling
    spans = {span.source: span for span in header.spans}
    nodes = [_node(store, state.ids[name]) for name in header.antecedents]
    refusal, _ = collection_refusal(
        store,
        policy,
        [Drawn(node, span=spans.get(node.id)) for node in nodes if node is not None],
        claim.category,
        kind=ruling.kind,
        quoted=words["quote"] != "",
        beside=bool(gist if words["quote"] else beside),
        now=claim.recorded,
    )
    waits = judge_approval(
        policy.preset, category=claim.category, kind=ruling.kind, by_agent=bool(header.behalf)
    )
    decision = refusal or waits
    return ruling.model_copy(update={"decision": decision}) if decision else ruling


def _node(store: Store, seq: int) -> SourceState | ClaimState | None:
    return store.state.claims.get(seq) or store.state.sources.get(seq)


def _ground(
    store: Store,
    policy: Policy,
    header: Assertion,
    node: int,
    words: Mapping[str, str],
    person: int,
    ruled: Mapping[int, Ruling],
) -> Ground:
    """Return what one antecedent is worth as a ground, a tool's fields labelled by the policy on trial."""
    claim, value = store.state.claims.get(node), words["value"]
    if claim is not None:
        return Ground(integrity=ruled[node].integrity if node in ruled else claim.integrity)
    source, record = store.state.sources[node], store.header(node)
    if not isinstance(record, SourceRecord):
        return Ground(integrity=Integrity.EXTERNAL)
    levels = _levels(store, policy, record, node)
    span = next((one for one in header.spans if one.source == record.id), None)
    touched = [
        (part, level)
        for part, level in zip(record.parts, levels, strict=True)
        if span is not None and part.start < span.end and span.start < part.end
    ]
    text = part_text(store, node)
    if span is None or not touched:
        return Ground(integrity=min(levels), medium=source.medium, value_said=stands_in(value, ""))
    said = text[span.start : span.end]
    lowest, by_person = min(level for _, level in touched), source.author == person != 0
    if source.medium is Medium.TOOL_RESULT:
        part, level = touched[0]
        return Ground(
            integrity=level,
            medium=source.medium,
            quoted=lowest,
            typed_field=part.label is PartLabel.FIELD and level is Integrity.TOOL,
            tool_registered=store.names.name(source.author) in policy.tools,
            names_account=_names_account(store, policy, node, said),
            value_said=stands_in(value, said),
        )
    first, last = touched[0][0].start, touched[-1][0].end
    return Ground(
        integrity=lowest,
        medium=source.medium,
        quoted=lowest,
        by_person=by_person,
        whole=is_whole(text[first:last], span.start - first, span.end - first),
        value_said=stands_in(value, said),
        registered=registered_as(store, node) != 0
        and speaks_for(
            text,
            span.start,
            span.end,
            subject=words["subject"],
            attribute=words["attribute"],
            value=value,
        ),
    )


def _names_account(store: Store, policy: Policy, node: int, said: str) -> bool:
    """Return whether what is quoted of a result is the login of a who-am-I or an exact look-up, by this policy."""
    fields = {
        words["field"]: words["value"] for words in store.record(node)[1] if words.get("field")
    }
    told = login_in(policy, store.names.name(store.state.sources[node].author), fields)
    return names_account(told, said.partition(":")[0])


def _levels(store: Store, policy: Policy, record: SourceRecord, node: int) -> list[Integrity]:
    """Return what each part of a source is worth: a tool's fields by the policy on trial, the rest as labelled."""
    if record.medium is not Medium.TOOL_RESULT:
        return [part.integrity for part in record.parts]
    tool = store.names.name(store.state.sources[node].author)
    levels: list[Integrity] = []
    for words in store.record(node)[1]:
        expected = policy.types(tool, words["field"]) if words.get("field") else None
        typed = expected is not None and fits(words["value"], expected)
        levels.append(Integrity.TOOL if typed else Integrity.EXTERNAL)
    return levels


def _accounts(store: Store, changes: Sequence[PolicyChange]) -> Iterator[AccountOtherwise]:
    """Yield the persons whose account is in a state that the other policy answers otherwise."""
    state = store.state
    owned: dict[int, int] = {}
    for claim in state.claims.values():
        person = state.scopes[claim.scope][1]
        owned[person] = owned.get(person, 0) + bool(claim.assertions)
    for person, sort in state.entity_types.items():
        account, _ = state.restraint.accounts.get(person, (Account.ACTIVE, 0))
        own = tuple(one for one in changes if one.name.startswith(f"accounts.{account.value}."))
        if sort == "person" and own and store.names.name(person):
            yield AccountOtherwise(
                person=store.names.name(person),
                account=account,
                changes=own,
                claims=owned.get(person, 0),
            )


def _aged(store: Store, before: Policy, after: Policy, now: int) -> Iterator[AgedOtherwise]:
    """Yield the rules of retention by which another number of things would go today."""
    own, other = due_by_rule(store, before, now), due_by_rule(store, after, now)
    for rule in sorted(own.keys() | other.keys()):
        if own[rule] != other[rule]:
            yield AgedOtherwise(rule=rule, before=own[rule], after=other[rule])
