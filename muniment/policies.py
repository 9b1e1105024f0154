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
)
from muniment.lineage import ClaimState, Store, claim_words, part_text
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

from .remembering import stands_in


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


class PolicyTrial(Value):
    """What another policy would make of what is kept; nothing was written, and labels once given stay."""

    digest: str
    changes: tuple[PolicyChange, ...] = ()
    claims: tuple[RuledOtherwise, ...] = ()
    accounts: tuple[AccountOtherwise, ...] = ()
    looked_at: int = 0


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
    store: Store, before: Policy, after: Policy, changes: tuple[PolicyChange, ...]
) -> PolicyTrial:
    """Return what a policy would rule otherwise than the one in force, claim by claim and person by person."""
    tools = {name for name in before.tools.keys() | after.tools.keys()
             if before.tools.get(name) != after.tools.get(name)}  # fmt: skip
    affected = sorted(_affected(store, tools) | _waiting_otherwise(store, before, after))
    now, then = _rulings(store, before, affected), _rulings(store, after, affected)
    return PolicyTrial(
        digest=after.digest,
        changes=changes,
        claims=tuple(
            RuledOtherwise(
                claim=store.state.names[seq],
                words=claim_words(store, store.state.claims[seq]),
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
        looked_at=sum(bool(claim.assertions) for claim in store.state.claims.values()),
    )


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
        _ground(store, policy, header, state.ids[name], words["value"], person, ruled)
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
            beside=" ".join((beside, words["subject"], words["attribute"], words["value"])),
            grounds=tuple(grounds),
            mark=header.mark,
            parents_complete=header.parents_complete,
        )
    )
    waits = judge_approval(
        policy.preset, category=claim.category, kind=ruling.kind, by_agent=bool(header.behalf)
    )
    return ruling.model_copy(update={"decision": waits}) if waits and not ruling.refused else ruling


def _ground(
    store: Store,
    policy: Policy,
    header: Assertion,
    node: int,
    value: str,
    person: int,
    ruled: Mapping[int, Ruling],
) -> Ground:
    """Return what one antecedent is worth as a ground, a tool's fields labelled by the policy on trial."""
    claim = store.state.claims.get(node)
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
    )


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
