"""Taking away access to a source, and giving it back."""

from muniment.claims import (
    Access,
    AccessChange,
    Integrity,
    InvalidError,
    Lifecycle,
    Right,
    Source,
)
from muniment.lineage import SourceState, write_access
from muniment.policy import judge_change

from .acting import Acting, identifier_of
from .given import reason_given
from .keeping import must_allow


def change_access(
    acting: Acting, source: Source | str, access: Access, *, reason: str
) -> AccessChange:
    """Revoke a source or give it back; of one that is so already nothing is written.

    Only a person may, of her own: a source of low integrity may carry claims of high.
    """
    reason_given(reason)
    node = acting.found(identifier_of(source))
    if not isinstance(node, SourceState):
        raise InvalidError(f"{node.id} is a claim; retract it, or name the source it rests on")
    decision = judge_change(
        actor=acting.integrity,
        target=Integrity.USER,
        lifecycle=Lifecycle.ASSERTED,
        replaces=False,
        own_scope=_own(acting, node),
    )
    must_allow(acting, "revoke" if access is Access.REVOKED else "give back", decision)
    if (access is Access.REVOKED) == (node.seq in acting.store.state.revoked):
        return AccessChange(source=node.id, access=access)
    with acting.store.group() as store:
        effect = write_access(
            store, decision, acting.writer(Right.MANAGE), node.seq, access, note=reason
        )
    return AccessChange(
        source=node.id,
        access=access,
        blocked=len(effect.lost),
        restored=len(effect.rescued) if access is Access.GIVEN else 0,
    )


def _own(acting: Acting, source: SourceState) -> bool:
    """Return whether a source is this person's: in a scope of hers, or said by herself in a channel."""
    names = acting.store.names
    if names.scope(source.scope).person == acting.scope.person:
        return True
    return source.author != 0 and source.author == names.find("person", acting.scope.person)
