"""Export: everything readable, one JSON object a line."""

import json
from collections.abc import Callable, Iterator

from muniment.lineage import ClaimState, SourceState, Store, claim_view, source_view


def export_lines(
    store: Store,
    *,
    now: int,
    readable: frozenset[int],
    sees: Callable[[SourceState | ClaimState], bool],
) -> Iterator[str]:
    """Yield a first line that names the format, then sources and claims in the order they were written.

    `sees` says of a source or a claim whether whoever exports may see it.
    """
    yield json.dumps({"type": "muniment", "format": 1})
    for source in list(store.state.sources.values()):
        shown = source.scope in readable and source.seq not in store.state.revoked
        if shown and sees(source):
            yield _line("source", source_view(store, source).model_dump(mode="json"))
    for claim in list(store.state.claims.values()):
        if claim.assertions and claim.scope in readable and sees(claim):
            yield _line(
                "claim",
                claim_view(store, claim, now=now, readable=readable).model_dump(mode="json"),
            )


def _line(sort: str, value: dict[str, object]) -> str:
    return json.dumps({"type": sort, **value}, ensure_ascii=False, sort_keys=True)
