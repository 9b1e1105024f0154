"""Export: everything readable, one JSON object a line."""

import json
from collections.abc import Iterator

from muniment.lineage import Store, block_view, claim_view, current_block, source_view


def exported(store: Store, readable: frozenset[int]) -> list[int]:
    """Return the sources and claims that an export gives out, by number."""
    state = store.state
    sources = (
        seq
        for seq, source in state.sources.items()
        if source.scope in readable and seq not in state.revoked
    )
    claims = (
        seq for seq, claim in state.claims.items() if claim.assertions and claim.scope in readable
    )
    return [*sources, *claims]


def export_lines(store: Store, *, now: int, readable: frozenset[int]) -> Iterator[str]:
    """Yield a first line that names the format, then sources and claims in the order they were written, then blocks."""
    yield json.dumps({"type": "muniment", "format": 1})
    for source in list(store.state.sources.values()):
        if source.scope in readable and source.seq not in store.state.revoked:
            yield _line("source", source_view(store, source, readable).model_dump(mode="json"))
    for claim in list(store.state.claims.values()):
        if claim.assertions and claim.scope in readable:
            yield _line(
                "claim",
                claim_view(store, claim, now=now, readable=readable).model_dump(mode="json"),
            )
    for scope in store.state.blocks:
        if scope in readable and (block := current_block(store, scope)):
            person = store.names.scope(scope).person
            view = block_view(store, block, now=now).model_dump(mode="json")
            yield _line("block", {"person": person, **view})


def _line(sort: str, value: dict[str, object]) -> str:
    return json.dumps({"type": sort, **value}, ensure_ascii=False, sort_keys=True)
