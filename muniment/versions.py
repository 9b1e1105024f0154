"""New versions of a source: who may bring one, and what it changed."""

from collections.abc import Sequence
from difflib import unified_diff

from muniment.claims import (
    ConflictError,
    Decision,
    InvalidError,
    Medium,
    RefusedError,
    Source,
    SourceDifference,
    SourceRecord,
)
from muniment.lineage import (
    NewPart,
    SourceState,
    Store,
    is_restricted,
    newest_version,
    part_text,
)
from muniment.policy import decide, judge_version

from .acting import Acting, identifier_of

_VERSIONED = (Medium.MESSAGE, Medium.DOCUMENT)


def old_version(
    acting: Acting, replaces: Source | str, medium: Medium, origin: str
) -> SourceState | None:
    """Return the source that is to be replaced, None where none is named; InvalidError for one that cannot be."""
    identifier = identifier_of(replaces)
    if not identifier:
        return None
    node = acting.found(identifier)
    if not isinstance(node, SourceState):
        raise InvalidError(f"{identifier} is a claim; correct or supersede it")
    if node.medium is not medium or medium not in _VERSIONED:
        raise InvalidError(
            f"{identifier} is a {node.medium.value.replace('_', ' ')}; a message is replaced by a message, "
            "a document by a document, and a tool's result stands for its own time"
        )
    if acting.store.names.name(node.origin) != origin:
        raise InvalidError(
            f"{identifier} comes from elsewhere; a new version has the origin of the old"
        )
    if is_restricted(acting.store.state, node.seq):
        raise acting.refused("replace", decide("RESTRICTED"))
    return node


def said_before(store: Store, old: SourceState, parts: Sequence[NewPart]) -> bool:
    """Return whether a new version says nothing else than the old, part by part."""
    header, sealed = store.record(old.seq)
    kept = header.parts if isinstance(header, SourceRecord) else ()
    was = [(part.label, sealed[part.seal]["text"]) for part in kept]
    return was == [(part.label, part.text) for part in parts]


def judge_replacement(acting: Acting, old: SourceState | None) -> Decision:
    """Return whether this session may put a new version in a source's place; ConflictError where another did."""
    if old is None:
        return decide("RECORDED")
    store = acting.store
    newest = [seq for seq in store.state.replaced.get(old.seq, ()) if seq in store.state.sources]
    if newest:
        name = store.state.names[newest[-1]]
        raise ConflictError(
            f"{old.id} was replaced by {name}; look at it and replace that one", current=name
        )
    header, person = store.header(old.seq), acting.asker().person
    principal = store.names.find("agent", acting.scope.agent) if acting.scope.agent else person
    behalf = store.state.number(header.behalf)
    kept_for = old.medium is Medium.DOCUMENT and acting.alone and behalf == person
    scope = store.state.scope_numbers.get(store.names.key_of(acting.sources_scope()), 0)
    return judge_version(own=old.author == principal or kept_for, same_scope=old.scope == scope)


def difference_of(acting: Acting, source: Source | str) -> SourceDifference:
    """Return what changed between a source and its newest version, of the newest from the one before it.

    Both must be readable here; InvalidError where there is only one version.
    """
    node = acting.found(identifier_of(source))
    if not isinstance(node, SourceState):
        raise InvalidError(f"{node.id} is a claim; ask history what became of it")
    store = acting.store
    header, newest = store.header(node.seq), newest_version(store.state, node.seq)
    replaces = header.replaces if isinstance(header, SourceRecord) else ""
    if newest != node.seq:
        pair = (node.id, store.state.names[newest])
    elif replaces:
        pair = (replaces, node.id)
    else:
        raise InvalidError(f"there is only one version of {node.id}")
    texts: list[str] = []
    for one in pair:
        found = acting.found(one)
        if is_restricted(store.state, found.seq):
            raise RefusedError(decide("RESTRICTED"))
        acting.has_read(found.integrity)
        texts.append(part_text(store, found.seq))
    old, new = (text.splitlines() for text in texts)
    lines = unified_diff(old, new, fromfile=pair[0], tofile=pair[1], lineterm="")
    return SourceDifference(old=pair[0], new=pair[1], lines=tuple(lines))
