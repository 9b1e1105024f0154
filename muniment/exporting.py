"""Export: everything readable, one JSON object a line."""

import json
from collections.abc import Iterator

from muniment.lineage import block_view, current_block, source_view

from .acting import Acting
from .hushing import seen_claim


def exported(acting: Acting) -> list[int]:
    """Return the sources and claims that an export gives out, by number."""
    state, readable = acting.store.state, acting.readable()
    sources = (
        seq
        for seq, source in state.sources.items()
        if source.scope in readable and seq not in state.revoked and acting.may_see(source)
    )
    claims = (
        seq
        for seq, claim in state.claims.items()
        if claim.assertions and claim.scope in readable and acting.may_see(claim)
    )
    return [*sources, *claims]


def export_lines(acting: Acting) -> Iterator[str]:
    """Yield a first line that names the format, then sources and claims in the order they were written, then blocks."""
    store, readable = acting.store, acting.readable()
    yield json.dumps({"type": "muniment", "format": 1})
    for source in list(store.state.sources.values()):
        shown = source.scope in readable and source.seq not in store.state.revoked
        if shown and acting.may_see(source):
            yield _line("source", source_view(store, source, readable).model_dump(mode="json"))
    for claim in list(store.state.claims.values()):
        if claim.assertions and claim.scope in readable and acting.may_see(claim):
            view = seen_claim(acting, acting.view(claim))
            yield _line("claim", view.model_dump(mode="json"))
    for scope in store.state.blocks:
        if scope in readable and (block := current_block(store, scope)):
            person = store.names.scope(scope).person
            written = block_view(store, block, now=acting.now()).model_dump(mode="json")
            yield _line("block", {"person": person, **written})


def _line(sort: str, value: dict[str, object]) -> str:
    return json.dumps({"type": sort, **value}, ensure_ascii=False, sort_keys=True)
