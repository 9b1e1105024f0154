"""Keeping sensitive scopes apart: those in use are declared as the policy says, each with a key of its own."""

from collections.abc import Iterable

from muniment.claims import Scope, Sensitivity
from muniment.lineage import ANY_AGENT, HOST, Store, scope_has_key, write_sensitive
from muniment.policy import Policy, decide


def keep_apart(store: Store, policy: Policy) -> None:
    """Declare the scopes in use sensitive that the policy says are, and give those a key that have none any more.

    What was declared once stays sensitive, whatever the policy says later: only its owner lifts that.
    """
    state = store.state
    if not (policy.keeps_apart or state.sensitive.scopes):
        return
    used = {source.scope for source in state.sources.values()}
    used |= {scope for scope, _ in state.by_category} | set(state.blocks)
    with store.lock:
        changing = [
            seq for seq in sorted(used) if _lacks(store, policy, seq, store.names.scope(seq))
        ]
        if changing:
            with store.group():
                for seq in changing:
                    _declare(store, policy, seq, store.names.scope(seq))


def set_apart(store: Store, policy: Policy, scope: Scope) -> None:
    """Give a scope about to be written to a key of its own, in the open group, where it is sensitive and has none."""
    if not (policy.keeps_apart or store.state.sensitive.scopes) or not scope.person:
        return
    known = store.state.scope_numbers.get(store.names.key_of(scope), 0)
    if _lacks(store, policy, known, scope):
        _declare(store, policy, store.names.register_scope(scope), scope)


def _lacks(store: Store, policy: Policy, seq: int, scope: Scope) -> bool:
    """Return whether a scope is to be sensitive and is not, has no key, or admits others than the policy does."""
    apart, wanted = store.state.sensitive.scopes.get(seq), policy.admitted(scope)
    if apart is None:
        return wanted is not None
    return not scope_has_key(store, seq) or (
        apart.by_host and wanted is not None and apart.agents != admitted(store, wanted)
    )


def _declare(store: Store, policy: Policy, seq: int, scope: Scope) -> None:
    """Declare a scope sensitive as the policy says, in the open group; what its owner declared stays as she did."""
    apart, wanted = store.state.sensitive.scopes.get(seq), policy.admitted(scope)
    agents = registered(store, wanted) if wanted is not None else ()
    if apart is not None and (not apart.by_host or wanted is None):
        agents = apart.agents
    write_sensitive(store, decide("KEPT_APART"), HOST, seq, Sensitivity.SENSITIVE, agents=agents)


def admitted(store: Store, agents: Iterable[str]) -> tuple[str, ...]:
    """Return the identifiers of agents as far as they are known."""
    found = (
        ANY_AGENT if agent == ANY_AGENT else store.state.names[store.names.find("agent", agent)]
        for agent in agents
    )
    return tuple(sorted(dict.fromkeys(found)))


def registered(store: Store, agents: Iterable[str]) -> tuple[str, ...]:
    """Return the identifiers of agents, registered in the open group where they are new."""
    agents = tuple(agents)
    for agent in agents:
        if agent != ANY_AGENT:
            store.names.register("agent", agent)
    return admitted(store, agents)
