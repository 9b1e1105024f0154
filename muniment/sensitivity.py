"""Sensitive scopes and claims: declared by the policy or by the person, never guessed, and lifted by her alone."""

from collections.abc import Sequence
from unicodedata import normalize

from muniment.claims import (
    Claim,
    Decision,
    Header,
    InvalidError,
    RefusedError,
    Right,
    Scope,
    SensitiveChange,
    SensitiveRecord,
    Sensitivity,
)
from muniment.lineage import ANY_AGENT, Store, Writer, write_sensitive
from muniment.policy import judge_sensitivity

from .acting import Acting
from .apart import admitted, registered
from .given import NAME_LIMIT, list_given, text_given
from .keeping import must_allow


def declare(
    acting: Acting, claim: Claim | str, agents: Sequence[str], sensitivity: Sensitivity
) -> SensitiveChange:
    """Declare a claim, or the scope of this session, sensitive or ordinary again; so already, nothing is written."""
    named = [
        normalize("NFC", text_given(one, "an agent", limit=NAME_LIMIT))
        for one in list_given(agents, "agents")
    ]
    if claim and named:
        raise InvalidError("agents are admitted to a scope; leave out the claim, or the agents")
    with acting.store.lock:
        if claim:
            return _claim(acting, claim, sensitivity)
        return _scope(acting, named, sensitivity)


def _verb(sensitivity: Sensitivity) -> str:
    return "declare_sensitive" if sensitivity is Sensitivity.SENSITIVE else "lift_sensitive"


def _claim(acting: Acting, claim: Claim | str, sensitivity: Sensitivity) -> SensitiveChange:
    store, node = acting.store, acting.claim(claim)
    allowed = judge_sensitivity(alone=acting.alone, own_scope=acting.owns(node))
    decision = must_allow(acting, _verb(sensitivity), allowed)
    held = store.state.sensitive
    is_declared = node.seq in held.declared
    if sensitivity is Sensitivity.ORDINARY and node.seq in held.reached and not is_declared:
        raise InvalidError(
            f"{node.id} is sensitive because it rests on what is; lift that, or leave it as it is"
        )
    if is_declared == (sensitivity is Sensitivity.SENSITIVE):
        return SensitiveChange(
            sensitivity=sensitivity,
            scope=store.names.scope(node.scope),
            claim=node.id,
            changed=False,
        )
    with store.group():
        header = write_sensitive(
            store,
            decision,
            acting.writer(Right.MANAGE),
            node.scope,
            sensitivity,
            claim=node.seq,
        )
    return shown(store, header)


def _scope(acting: Acting, agents: Sequence[str], sensitivity: Sensitivity) -> SensitiveChange:
    store, scope = acting.store, acting.claims_scope()
    if scope.channel and sensitivity is Sensitivity.SENSITIVE and acting.alone:
        raise InvalidError(
            "what is said in a channel is everybody's there; open the session without channel=…"
        )
    by_policy = sensitivity is Sensitivity.ORDINARY and acting.policy.admitted(scope) is not None
    allowed = judge_sensitivity(alone=acting.alone, own_scope=True, by_policy=by_policy)
    decision = must_allow(acting, _verb(sensitivity), allowed)
    seq = store.state.scope_numbers.get(store.names.key_of(scope), 0)
    apart = store.state.sensitive.scopes.get(seq)
    same = (
        apart is None
        if sensitivity is Sensitivity.ORDINARY
        else (apart is not None and not apart.by_host and apart.agents == admitted(store, agents))
    )
    if same:
        return SensitiveChange(
            sensitivity=sensitivity, scope=scope, agents=tuple(agents), changed=False
        )
    with store.group():
        writer = acting.writer(Right.MANAGE)
        header = _written(store, decision, writer, scope, agents, sensitivity)
    return shown(store, header)


def _written(
    store: Store,
    decision: Decision,
    writer: Writer,
    scope: Scope,
    agents: Sequence[str],
    sensitivity: Sensitivity,
) -> Header:
    return write_sensitive(
        store,
        decision,
        writer,
        store.names.register_scope(scope),
        sensitivity,
        agents=registered(store, agents) if sensitivity is Sensitivity.SENSITIVE else (),
    )


def shown(store: Store, header: Header) -> SensitiveChange:
    """Return what a record says was declared."""
    if not isinstance(header, SensitiveRecord):
        raise InvalidError(f"{header.id} declares nothing")
    state = store.state
    return SensitiveChange(
        sensitivity=header.sensitivity,
        scope=store.names.scope(state.ids[header.scope]),
        claim=header.claim,
        agents=tuple(
            one if one == ANY_AGENT else store.names.name(state.ids[one]) for one in header.agents
        ),
        by=store.names.name(state.number(header.by)),
    )


def list_sensitive(acting: Acting) -> tuple[SensitiveChange, ...]:
    """Return the sensitive scopes and the claims declared so that this session may see, oldest first."""
    store, readable = acting.store, acting.readable()
    held = store.state.sensitive
    records = [apart.record for scope, apart in held.scopes.items() if scope in readable]
    for claim, record in held.declared.items():
        node = store.state.claims[claim]
        if node.scope in readable and node.assertions and acting.may_see(node):
            records.append(record)
    return tuple(shown(store, store.header(seq)) for seq in sorted(records))


def not_admitted(acting: Acting) -> tuple[str, ...]:
    """Return a note where this session's own scope answers only its owner: it was not looked into."""
    try:
        acting.must_be_admitted(acting.claims_scope(), acting.sources_scope())
    except RefusedError as error:
        return (f"not looked into: {error.decision.reason}",)
    return ()


def must_declare(acting: Acting) -> Decision:
    """Return the decision by which what this session keeps is sensitive; RefusedError where it may not say so."""
    return must_allow(
        acting, "declare_sensitive", judge_sensitivity(alone=acting.alone, own_scope=True)
    )
