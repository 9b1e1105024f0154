"""Collecting by origin: what the policy file lets in from where, in which categories, and until when."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from muniment.claims import (
    Assertion,
    Category,
    Decision,
    EchoSort,
    EntityType,
    Kind,
    SourceRecord,
    SpanRef,
)
from muniment.lineage import ClaimState, SourceState, Store
from muniment.policy import (
    NamedOrigin,
    OriginPolicy,
    Policy,
    decide,
    fits,
    judge_collection,
    judge_entry,
    origin_policy,
)

_DAY = 86_400_000_000


class Drawn(NamedTuple):
    """A ground of a claim, with the identifier of the origin of the words quoted from it and where they stand."""

    node: SourceState | ClaimState
    spoken: str = ""
    span: SpanRef | None = None


def entry_refusal(
    policy: Policy, *, origin: str, tool: str, parts: Iterable[str]
) -> Decision | None:
    """Return the refusal of a source about to be kept, by its origin, its tool and the origins of its parts."""
    if not policy.origins:
        return None
    named = [NamedOrigin("tool", tool), *(NamedOrigin("origin", one) for one in (origin, *parts))]
    return judge_entry(policy.origins, named)


def collection_refusal(
    store: Store,
    policy: Policy,
    grounds: Sequence[Drawn],
    category: Category,
    *,
    kind: Kind,
    quoted: bool,
    beside: bool,
    now: int,
) -> tuple[Decision | None, int | None]:
    """Return the refusal of a claim drawn from grounds, and until when it may be kept, each None where there is none.

    What a ground says again of something that was given out counts with the origins of that.
    """
    if not policy.origins or kind is Kind.STATED:
        return None, None
    rules: list[OriginPolicy] = []
    until: int | None = None
    for drawn in grounds:
        node = drawn.node
        found = [
            rule
            for one in dict.fromkeys(_origins(store, drawn))
            if (rule := origin_policy(policy.origins, one)) is not None
        ]
        rules += found
        ends = [node.recorded + rule.keep_days * _DAY for rule in found if rule.keep_days]
        if ends and isinstance(node, ClaimState) and node.expires is not None:
            ends.append(node.expires)
        until = min((end for end in (until, *ends) if end is not None), default=None)
    refusal = judge_collection(rules, category, kind=kind, quoted=quoted, beside=beside)
    if refusal is None and until is not None and until <= now:
        refusal = decide("ORIGIN_OVER")
    return refusal, until


def _origins(store: Store, drawn: Drawn) -> Iterator[NamedOrigin]:
    """Yield the origins behind a ground; of a source nothing is quoted from, those of all its parts and echoes."""
    state, header = store.state, store.header(drawn.node.seq)
    if isinstance(drawn.node, ClaimState):
        yield from _of_claim(store, drawn.node)
        return
    yield _named(store, drawn.node.origin or drawn.node.author)
    if not isinstance(header, SourceRecord):
        return
    for part in header.parts:
        if part.origin and (part.origin == drawn.spoken or not drawn.spoken):
            yield _named(store, state.ids[part.origin])
    for echo in header.echo_of:
        apart = drawn.span and not (echo.start < drawn.span.end and drawn.span.start < echo.end)
        claim = state.claims.get(state.ids[echo.of])
        source = state.sources.get(state.ids[echo.of])
        if echo.sort is EchoSort.ECHO and not apart and claim is not None:
            yield from _of_claim(store, claim)
        elif echo.sort is EchoSort.ECHO and not apart and source is not None:
            yield _named(store, source.origin or source.author)


def _of_claim(store: Store, claim: ClaimState) -> Iterator[NamedOrigin]:
    for seq in claim.assertions:
        assertion = store.header(seq)
        for name in assertion.origins if isinstance(assertion, Assertion) else ():
            yield _named(store, store.state.ids[name])


def _named(store: Store, entity: int) -> NamedOrigin:
    sort: EntityType = store.state.entity_types.get(entity, "person")  # type: ignore[assignment]
    return NamedOrigin(sort, store.names.name(entity) if entity else "")


def login_in(policy: Policy, tool: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a tool's fields say of an account, as its registration reads them; nothing where they say nothing.

    `field` is the one that names it, `asked` the login a look-up was asked for, empty for a who-am-I.
    """
    registered = policy.tools.get(tool)

    def held(field: str) -> str:
        value = fields.get(field, "")
        return str(value) if fits(value, "identifier") else ""

    if registered is None:
        return {}
    said = {"services": list(registered.services), "field": registered.who_am_i, "asked": ""}
    if registered.who_am_i and (login := held(registered.who_am_i)):
        return {**said, "login": login}
    names = registered.looked_up
    if names is not None and (asked := held(names.asked)):
        return {**said, "field": names.found, "asked": asked, "login": held(names.found)}
    return {}


def names_account(said: Mapping[str, Any], field: str) -> bool:
    """Return whether a result's field is the login of a who-am-I, or what an exact look-up found."""
    exact = not said.get("asked") or said["asked"] == said["login"]
    return bool(said) and said["field"] == field and exact
