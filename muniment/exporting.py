"""Export: everything readable, one JSON object a line; a person's own is sealed, so that it comes in again as hers."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from muniment.claims import UNREADABLE, ForgetRecord, MuteRecord, Scope, SensitiveRecord, Value
from muniment.lineage import (
    ClaimState,
    Signer,
    SourceState,
    block_view,
    current_block,
    source_view,
)

from .acting import Acting
from .carrying import CarriedClaim, Carrier, carried_records
from .hushing import seen_claim

SEALED = "muniment-export/1"


class Sensitive(Value):
    """What a line says is sensitive: a scope, or a claim in it."""

    scope: Scope
    claim: str = ""


class _Exported(NamedTuple):
    """What an export gives out: sources, claims, the scopes with a block, what mutes the person's own.

    `sensitive` are the declarations of the scopes that are read here, and to the person herself of her claims.
    """

    sources: list[SourceState]
    claims: list[ClaimState]
    blocks: list[tuple[int, int]]
    mutes: list[int]
    sensitive: list[int]


def exported(acting: Acting) -> list[int]:
    """Return the sources and claims that an export gives out, by number."""
    given = _exported(acting)
    return [
        *(source.seq for source in given.sources),
        *(claim.seq for claim in given.claims),
    ]


def _exported(acting: Acting) -> _Exported:
    store, readable = acting.store, acting.readable()
    state = store.state
    sources = [
        source
        for source in list(state.sources.values())
        if source.scope in readable and source.seq not in state.revoked and acting.may_see(source)
    ]
    claims = [
        claim
        for claim in list(state.claims.values())
        if claim.assertions and claim.scope in readable and acting.may_see(claim)
    ]
    blocks = [
        (scope, block)
        for scope in list(state.blocks)
        if scope in readable and (block := current_block(store, scope))
    ]
    mutes = _mutes(acting, claims) if acting.alone else []
    return _Exported(sources, claims, blocks, mutes, _sensitive(acting, claims))


def _sensitive(acting: Acting, claims: list[ClaimState]) -> list[int]:
    held, readable = acting.store.state.sensitive, acting.readable()
    found = [apart.record for scope, apart in held.scopes.items() if scope in readable]
    if acting.alone:
        own = {claim.seq for claim in claims if acting.owns(claim)}
        found += [record for claim, record in held.declared.items() if claim in own]
    return sorted(found)


def _mutes(acting: Acting, claims: list[ClaimState]) -> list[int]:
    held = acting.store.state.restraint
    own = {claim.seq for claim in claims if acting.owns(claim)}
    themes = [seq for seq, scope in held.themes.items() if scope in acting.readable()]
    found = [seq for one in (held.muted, held.requests) for node, seq in one.items() if node in own]
    return sorted((*found, *themes))


def export_lines(acting: Acting, signer: Signer) -> Iterator[str]:
    """Yield a first line that names the format, then sources and claims in the order they were written, then blocks.

    Then what scopes are sensitive. To the person herself also what else is, what is muted, what it takes to carry her
    own over, and a last line that seals the file.
    """
    if not acting.alone:
        yield from _lines(acting, {})
        return
    digest, count = sha256(), 0
    for line in _lines(acting, {"person": acting.scope.person, "store": signer.name}):
        digest.update(sealed_bytes(line))
        count += 1
        yield line
    yield _line("seal", seal_of(signer, digest.hexdigest(), count))


def sealed_bytes(line: str) -> bytes:
    """Return what is sealed of a line, which is the same however lines end where it was kept."""
    return line.encode("utf-8", "surrogatepass") + b"\n"


def seal_of(signer: Signer, digest: str, count: int) -> dict[str, object]:
    """Return what the last line says: the signature over the digest of the lines before it, and whose it is."""
    return {"lines": count, "key": signer.key, "note": signer.note(f"{SEALED}\n{digest}\n")}


def _lines(acting: Acting, head: dict[str, object]) -> Iterator[str]:
    given, store, readable = _exported(acting), acting.store, acting.readable()
    seqs = carried_records(store, given.sources, given.claims)
    carrier = Carrier(
        store,
        readable,
        [*seqs, *(block for _, block in given.blocks), *given.mutes, *given.sensitive],
    )
    yield json.dumps({"type": "muniment", "format": 1, **head}, ensure_ascii=False)
    for source in given.sources:
        view = source_view(store, source, readable)
        own = _is_own(acting, source.scope)
        yield _line(
            "source", _with(view, carrier.source(source, len(view.echoes)) if own else None)
        )
    for claim in given.claims:
        seen = seen_claim(acting, acting.view(claim))
        own = _is_own(acting, claim.scope)
        yield _line("claim", _with(seen, _carried(carrier, claim) if own else None))
    for scope, block in given.blocks:
        written = block_view(store, block, now=acting.now())
        own = _is_own(acting, scope)
        line = _with(written, carrier.block(block, written.lines) if own else None)
        yield _line("block", {"person": store.names.scope(scope).person, **line})
    for header in map(store.header, given.mutes):
        if isinstance(header, MuteRecord | ForgetRecord):
            sort = "mute" if isinstance(header, MuteRecord) else "forget"
            yield _line(sort, {"record": _record(carrier.mute(header))})

    for header in map(store.header, given.sensitive):
        if isinstance(header, SensitiveRecord):
            carried = carrier.sensitivity(header)
            own = _is_own(acting, store.state.ids[header.scope])
            yield _line(
                "sensitive",
                _with(
                    Sensitive(scope=carried.scope, claim=carried.claim), carried if own else None
                ),
            )


def _is_own(acting: Acting, scope: int) -> bool:
    """Return whether what stands in a scope is carried over: the person's own, to herself."""
    return acting.alone and acting.store.names.scope(scope).person == acting.scope.person


def _with(view: Value, carried: Value | None) -> dict[str, object]:
    """Return a line's fields: what is to read, and as `record` what is carried, without what is at its default."""
    shown = view.model_dump(mode="json")
    return {**shown, "record": _record(carried)} if carried else shown


def _record(carried: Value) -> dict[str, object]:
    return carried.model_dump(mode="json", exclude_defaults=True)


def _carried(carrier: Carrier, claim: ClaimState) -> CarriedClaim | None:
    """Return what is carried of a claim, nothing where the key of some word of it is not here."""
    try:
        return carrier.claim(claim)
    except UNREADABLE:
        return None


def _line(sort: str, value: dict[str, object]) -> str:
    return json.dumps({"type": sort, **value}, ensure_ascii=False, sort_keys=True)
