"""Erasing: who may, what is meant, and what was destroyed."""

from collections.abc import Generator
from contextlib import contextmanager
from unicodedata import normalize

from muniment.claims import (
    Basis,
    Claim,
    Decision,
    ErasureSort,
    InvalidError,
    NotFoundError,
    RefusedError,
    Right,
    Source,
)
from muniment.lineage import (
    HOST,
    UNKEYED,
    ClaimState,
    Erasure,
    SourceState,
    Store,
    Writer,
    erase,
    write_refusal,
)
from muniment.policy import judge_erasure

from .acting import Acting, identifier_of
from .given import reason_given, text_given
from .keeping import must_allow
from .proving import must_prove


def basis_of(basis: Basis | str) -> Basis:
    """Return the ground of an erasure; a request where none is named, InvalidError for an unknown one."""
    given = text_given(basis, "basis") or Basis.REQUEST
    if given not in tuple(Basis):
        raise InvalidError(f"{given!r} is no basis; use one of {', '.join(Basis)}")
    return Basis(given)


def own_share(erasure: Erasure) -> Erasure:
    """Return an erasure as its person may see it: which names went with it tells whether others use them too."""
    return erasure.model_copy(update={"names": 0, "keys": erasure.keys - erasure.names})


def erase_thing(
    acting: Acting,
    thing: Claim | Source | str,
    *,
    basis: Basis | str,
    reason: str,
    dry_run: bool,
    version: int | None,
) -> Erasure:
    """Destroy a claim or a source of the person who asks herself."""
    ground, note = basis_of(basis), reason_given(reason)
    node = acting.found(identifier_of(thing))
    seen = thing.version if isinstance(thing, Claim) and version is None else version
    if isinstance(node, ClaimState) and seen is not None:
        acting.must_have_seen(node, seen)
    own = acting.store.names.scope(node.scope).person == acting.scope.person
    decision = must_allow(acting, "erase", judge_erasure(alone=acting.alone, own_scope=own))
    if not dry_run:
        must_prove(acting, "erase")
    writer, scope = (HOST, 0) if dry_run else _registered(acting)
    return _erase(acting.store, node, decision, writer, scope, ground, note, dry_run)


def _registered(acting: Acting) -> tuple[Writer, int]:
    """Return who erases and where, by number."""
    with acting.store.group() as store:
        return acting.writer(Right.MANAGE), store.names.register_scope(acting.claims_scope())


@contextmanager
def refusing(store: Store, writer: Writer) -> Generator[None]:
    """Write down that an erasure was refused before whoever asked learns of it."""
    try:
        yield
    except RefusedError as error:
        with store.group():
            write_refusal(store, error.decision, writer, "erase", UNKEYED)
        raise


def erase_by_host(
    store: Store, identifier: str, *, basis: Basis | str, reason: str, dry_run: bool
) -> Erasure:
    """Destroy a claim or a source of anybody, as the host."""
    ground, note = basis_of(basis), reason_given(reason)
    seq = store.state.ids.get(identifier_of(identifier), 0)
    claim = store.state.claims.get(seq)
    node = claim if claim and claim.assertions else store.state.sources.get(seq)
    if node is None:
        raise NotFoundError(f"there is no claim and no source {identifier!r} to erase")
    decision = judge_erasure(alone=True, own_scope=True)
    return _erase(store, node, decision, HOST, node.scope, ground, note, dry_run)


def _erase(
    store: Store,
    node: SourceState | ClaimState,
    decision: Decision,
    writer: Writer,
    scope: int,
    basis: Basis,
    note: str,
    dry_run: bool,
) -> Erasure:
    is_claim = isinstance(node, ClaimState)
    with refusing(store, writer):
        return erase(
            store,
            decision,
            writer,
            sort=ErasureSort.CLAIM if is_claim else ErasureSort.SOURCE,
            targets=(node.seq,),
            sources=() if is_claim else (node.seq,),
            claims=(node.seq,) if is_claim else (),
            scope=scope,
            basis=basis,
            reason=note,
            dry_run=dry_run,
        )


def erase_conversation(
    acting: Acting, conversation: str, *, basis: Basis | str, reason: str, dry_run: bool
) -> Erasure:
    """Destroy everything said in one conversation of the person who asks herself."""
    ground, note = basis_of(basis), reason_given(reason)
    store, readable = acting.store, acting.readable()
    number = store.names.find("session", text_given(conversation, "the conversation"))
    person = acting.asker().person
    said = [
        seq
        for seq, source in store.state.sources.items()
        if number and source.conversation == number and source.scope in readable
    ]
    if not said:
        raise NotFoundError(f"there is no conversation {conversation!r} here")
    own = [seq for seq in said if store.state.scopes[store.state.sources[seq].scope][1] == person]
    allowed = judge_erasure(alone=acting.alone, own_scope=bool(own))
    decision = must_allow(acting, "erase", allowed)
    if not dry_run:
        must_prove(acting, "erase")
    writer, scope = (HOST, 0) if dry_run else _registered(acting)
    with refusing(store, writer):
        return erase(
            store,
            decision,
            writer,
            sort=ErasureSort.CONVERSATION,
            targets=(number,),
            sources=own,
            claims=(),
            scope=scope,
            basis=ground,
            reason=note,
            dry_run=dry_run,
        )


def erase_scope(acting: Acting, *, basis: Basis | str, reason: str, dry_run: bool) -> Erasure:
    """Destroy everything kept in the scope of the session, of the person who asks herself, with the scope's own key."""
    ground, note = basis_of(basis), reason_given(reason)
    store, where = acting.store, acting.claims_scope()
    number = store.state.scope_numbers.get(store.names.key_of(where), 0)
    if number not in acting.readable():
        raise NotFoundError("there is nothing in this scope; `muniment claims` shows what is kept")
    allowed = judge_erasure(alone=acting.alone, own_scope=True)
    decision = must_allow(acting, "erase", allowed)
    if not dry_run:
        must_prove(acting, "erase")
    state = store.state
    writer, scope = (HOST, 0) if dry_run else _registered(acting)
    with refusing(store, writer):
        return erase(
            store,
            decision,
            writer,
            sort=ErasureSort.SCOPE,
            targets=(number,),
            sources=[seq for seq, one in state.sources.items() if one.scope == number],
            claims=[
                seq for seq, one in state.claims.items() if one.scope == number and one.assertions
            ],
            scope=scope,
            basis=ground,
            reason=note,
            scopes=(number,),
            dry_run=dry_run,
        )


def erase_person(
    store: Store, name: str, *, basis: Basis | str, reason: str, dry_run: bool
) -> Erasure:
    """Destroy everything of a person: what is in her scopes, what she said in shared ones, and her name."""
    ground, note = basis_of(basis), reason_given(reason)
    composed = normalize("NFC", text_given(name, "the person"))
    store.names.must_tell("person", composed)
    person = store.names.find("person", composed)
    if not person:
        raise NotFoundError(f"there is no person {name!r} here")
    sources, claims = of_person(store, person)
    with refusing(store, HOST):
        return erase(
            store,
            judge_erasure(alone=True, own_scope=True),
            HOST,
            sort=ErasureSort.PERSON,
            targets=(person,),
            sources=sources,
            claims=claims,
            scope=0,
            basis=ground,
            reason=note,
            person=person,
            dry_run=dry_run,
        )


def of_person(store: Store, person: int) -> tuple[list[int], list[int]]:
    """Return the sources and the claims of a person: what is in her scopes, and what she said in shared ones."""
    state = store.state
    own = {seq for seq, key in state.scopes.items() if key[1] == person}
    sources = [
        seq
        for seq, source in state.sources.items()
        if source.scope in own or source.author == person
    ]
    claims = [seq for seq, claim in state.claims.items() if claim.scope in own and claim.assertions]
    return sources, claims
