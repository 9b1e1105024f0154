"""Asking to forget: a model may ask, which mutes at once; only the person erases, or declines."""

from muniment.claims import (
    Asking,
    Claim,
    ForgetRecord,
    ForgetRequest,
    Header,
    InvalidError,
    NotFoundError,
    Right,
    from_micros,
)
from muniment.lineage import ClaimState, claim_words, found, write_forget
from muniment.policy import judge_own_memory, judge_request

from .acting import Acting, identifier_of
from .given import reason_given
from .keeping import must_allow


def request_forget(acting: Acting, claim: Claim | str, *, reason: str) -> ForgetRequest:
    """Ask to forget a claim, which is muted from now on; asked before, nothing is written."""
    note = reason_given(reason)
    node = _node(acting, claim)
    held = acting.store.state.restraint
    allowed = judge_request(
        own_scope=acting.owns(node), declined=node.seq in held.declined and not acting.alone
    )
    decision = must_allow(acting, "request_forget", allowed)
    before = held.requests.get(node.seq, 0)
    if before:
        return _shown(acting, acting.store.header(before))
    with acting.store.group() as store:
        writer = acting.writer(Right.MANAGE)
        header = write_forget(store, decision, writer, node.seq, Asking.ASKED, note=note)
    return _shown(acting, header)


def decline_forget(acting: Acting, claim: Claim | str, *, reason: str) -> ForgetRequest:
    """Decline to forget a claim, which is not muted by the request any more; an agent may not ask for it again."""
    note = reason_given(reason)
    node = _node(acting, claim)
    allowed = judge_own_memory(alone=acting.alone, own_scope=acting.owns(node))
    decision = must_allow(acting, "decline_forget", allowed)
    if node.seq not in acting.store.state.restraint.requests:
        raise NotFoundError(f"nobody asks to forget {node.id}; see `muniment requests`")
    with acting.store.group() as store:
        writer = acting.writer(Right.MANAGE)
        header = write_forget(store, decision, writer, node.seq, Asking.DECLINED, note=note)
    return _shown(acting, header)


def list_requests(acting: Acting) -> tuple[ForgetRequest, ...]:
    """Return the requests that wait for this session's person, oldest first."""
    readable, store = acting.readable(), acting.store
    waiting = [
        seq
        for node, seq in store.state.restraint.requests.items()
        if store.state.claims[node].scope in readable and acting.owns(store.state.claims[node])
    ]
    return tuple(_shown(acting, store.header(seq)) for seq in sorted(waiting))


def _node(acting: Acting, claim: Claim | str) -> ClaimState:
    """Return the claim that is named, though it be muted."""
    owner = acting.asker().person if acting.alone else 0
    node = found(acting.store, identifier_of(claim), acting.readable(), owner=owner)
    if not isinstance(node, ClaimState):
        raise InvalidError(f"{node.id} is a source; name the claim, or erase the source")
    return node


def _shown(acting: Acting, header: Header) -> ForgetRequest:
    if not isinstance(header, ForgetRecord):
        raise InvalidError(f"{header.id} asks to forget nothing")
    store = acting.store
    claim = store.state.claims[store.state.ids[header.claim]]
    note = str(store.words(header.seq)["note"]) if header.seals else ""
    return ForgetRequest(
        id=header.id,
        asking=header.asking,
        claim=header.claim,
        words=claim_words(store, claim) if acting.alone else "",
        reason=note if acting.alone else "",
        by=store.names.name(store.state.number(header.by)),
        at=from_micros(header.at),
    )
