"""Pausing memory and resuming it: for a person herself, in one project or one conversation, or by the host."""

from muniment.claims import (
    Decision,
    Extent,
    InvalidError,
    PauseChange,
    Pausing,
    Right,
    Scope,
    ScopeField,
)
from muniment.lineage import HOST, Store, write_pause
from muniment.policy import decide, judge_own_memory

from .acting import Acting
from .keeping import must_allow


def pause_memory(acting: Acting, extent: Extent) -> PauseChange:
    """Pause a person's memory as far as she says; paused already, nothing is written."""
    decision = must_allow(acting, "pause", _hers(acting))
    scope = _reached(acting, extent)
    return _told(
        acting, Pausing.PAUSED, _written(acting.store, [scope], Pausing.PAUSED, decision, acting)
    )


def resume_memory(acting: Acting, extent: Extent | None) -> PauseChange:
    """Resume a person's memory as far as she says, or all that is paused here; what the host paused stays so."""
    decision = must_allow(acting, "resume", _hers(acting))
    names, state = acting.store.names, acting.store.state
    held = [names.scope(one) for one in acting.own_scopes() & state.restraint.paused]
    hers = [scope for scope in held if scope.person == acting.scope.person]
    if extent is not None:
        wanted = _reached(acting, extent)
        hers = [scope for scope in hers if scope == wanted]
    return _told(
        acting, Pausing.RESUMED, _written(acting.store, hers, Pausing.RESUMED, decision, acting)
    )


def pause_by_host(store: Store, scope: Scope, pausing: Pausing) -> PauseChange:
    """Pause or resume memory for everybody in a scope, as the host."""
    if not scope.named():
        raise InvalidError("name whom or what to pause, such as project=…")
    decision = decide("HOST_DECIDES")
    changed = _written(store, [scope], pausing, decision, None)
    named: list[ScopeField] = [*scope.named()]
    paused = named[-1:] if pausing is Pausing.PAUSED else ()
    return PauseChange(pausing=pausing, scopes=tuple(changed), paused=tuple(paused))


def _hers(acting: Acting) -> Decision:
    return judge_own_memory(alone=acting.alone, own_scope=True)


def _reached(acting: Acting, extent: Extent) -> Scope:
    """Return the scope that a pause reaches: of a project or conversation this session is in."""
    here = acting.scope
    if extent is Extent.PERSON:
        return Scope(person=here.person)
    if not getattr(here, extent.value):
        raise InvalidError(
            f"this session is in no {extent.value}; open it with {extent.value}=…, or pause the person"
        )
    if extent is Extent.PROJECT:
        return Scope(person=here.person, project=here.project)
    return here.model_copy(update={"agent": ""})


def _written(
    store: Store, scopes: list[Scope], pausing: Pausing, decision: Decision, acting: Acting | None
) -> list[Scope]:
    """Write down what changes, as one group, and return the scopes that did; `acting` is None for the host."""
    with store.lock:
        known, held = store.state.scope_numbers, store.state.restraint.paused
        numbers = {scope: known.get(store.names.key_of(scope), 0) for scope in scopes}
        changing = [
            scope
            for scope, number in numbers.items()
            if (pausing is Pausing.PAUSED) != (number in held)
        ]
        if changing:
            with store.group():
                writer = acting.writer(Right.MANAGE) if acting else HOST
                for scope in changing:
                    write_pause(store, decision, writer, store.names.register_scope(scope), pausing)
    return changing


def _told(acting: Acting, pausing: Pausing, scopes: list[Scope]) -> PauseChange:
    return PauseChange(pausing=pausing, scopes=tuple(scopes), paused=acting.circumstances().paused)
