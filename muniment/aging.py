"""What is over by the rules of retention: every thing with its rule and its times, and what keeps it nevertheless."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import NamedTuple

from muniment.claims import (
    Account,
    Category,
    ChangeRecord,
    Layer,
    Lifecycle,
    Medium,
    PartLabel,
    Relation,
    SourceRecord,
)
from muniment.lineage import ClaimState, KeptLine, Store, all_lines, is_held, needed_lines, taint
from muniment.policy import DAY, Policy, RetentionRule, over_at, rule_for

_LAYERS = {
    Medium.MESSAGE: Layer.MESSAGE,
    Medium.DOCUMENT: Layer.DOCUMENT,
    Medium.TOOL_RESULT: Layer.TOOL_RESULT,
}
_OVER = (Lifecycle.SUPERSEDED, Lifecycle.CORRECTED, Lifecycle.RETRACTED, Lifecycle.REJECTED)
_PERSON = 1  # the place of the person among the fields of a scope


class Thing(NamedTuple):
    """One thing that a rule of retention is about; times in microseconds since 1970 UTC.

    `node` is the number of a source or a claim, `line` a line of a block, `slot` the key of a reader's day of receipts.
    `floor` is the end of what its account's state keeps at least, 0 for none.
    """

    name: str
    layer: Layer
    category: Category | None
    rule: RetentionRule
    owner: int
    target: int
    since: int
    over: int
    floor: int
    node: int = 0
    line: KeptLine | None = None
    slot: int = -1

    @property
    def ends(self) -> int:
        """When it may go: its time is over, and so is what its account keeps it at least."""
        return max(self.over, self.floor)


class Ages(NamedTuple):
    """Everything that has an end at one moment: what may go, what is over and stays with why, what is still to come.

    Of what stays: the end of the minimum of an account, what was made of it, or who or what is on legal hold.
    """

    due: tuple[Thing, ...]
    by_account: tuple[tuple[Thing, int], ...]
    needed: tuple[tuple[Thing, str], ...]
    held: tuple[tuple[Thing, str], ...]
    coming: tuple[Thing, ...]


class _Aging:
    """The rules over one store at one moment."""

    def __init__(self, store: Store, policy: Policy, now: int, own: Collection[int] | None) -> None:
        self.store, self.now, self.own = store, now, own
        self.rules: Mapping[str, RetentionRule] = policy.retention_rules
        self.states = policy.states
        self.layers = {rule.layer for rule in self.rules.values() if rule.days}
        self.goes = policy.retention.needed == "goes"
        self._since: dict[int, tuple[Account | None, int]] = {}

    def account(self, owner: int) -> tuple[Account | None, int]:
        """Return the state of a person's account and when it began, nothing for nobody's."""
        if owner not in self._since:
            held = self.store.state.restraint.accounts
            account, seq = held.get(owner, (Account.ACTIVE, owner))
            self._since[owner] = (account, self.store.header(seq).at) if owner else (None, 0)
        return self._since[owner]

    def floor(self, owner: int) -> int:
        """Return until when the state of a person's account keeps what there is at least, 0 for no minimum."""
        account, since = self.account(owner)
        days = self.states[account].keep_days if account else 0
        return since + days * DAY if days else 0

    def owner(self, scope: int) -> int:
        """Return the person whose scope it is, 0 for nobody."""
        return self.store.state.scopes[scope][_PERSON]

    def is_mine(self, scope: int) -> bool:
        """Return whether the run is about what is in a scope."""
        return self.own is None or scope in self.own

    def aged(
        self,
        name: str,
        scope: int,
        times: Iterable[tuple[Layer, int]],
        *,
        target: int,
        category: Category | None = None,
        node: int = 0,
        line: KeptLine | None = None,
        slot: int = -1,
    ) -> Iterator[Thing]:
        """Yield a thing by the rule by which it is over first, nothing where no end is set."""
        owner = self.owner(scope)
        account, began = self.account(owner)
        found: list[Thing] = []
        for layer, since in times:
            rule = rule_for(self.rules, layer, account=account, category=category)
            if rule:
                over = over_at(rule, since=since, state_since=began)
                counted = max(since, began) if rule.account else since
                found.append(
                    Thing(
                        name, layer, category, rule, owner, target, counted, over, self.floor(owner),
                        node, line, slot,
                    )
                )  # fmt: skip
        yield from sorted(found, key=lambda one: (one.over, one.rule.name))[:1]


def _things(aging: _Aging) -> Iterator[Thing]:
    """Yield every thing that has an end; what no rule is about is not even looked at."""
    for layers, found in _LOOKED.items():
        if not aging.layers.isdisjoint(layers):
            yield from found(aging)


def _sources(aging: _Aging) -> Iterator[Thing]:
    for source in aging.store.state.sources.values():
        layer = _LAYERS.get(source.medium)
        if layer and aging.is_mine(source.scope):
            times = [(layer, source.recorded)]
            yield from aging.aged(
                source.id, source.scope, times, target=source.seq, node=source.seq
            )


def _claims(aging: _Aging) -> Iterator[Thing]:
    for claim in aging.store.state.claims.values():
        if claim.assertions and aging.is_mine(claim.scope):
            times = [(Layer.CLAIM, max(claim.recorded, claim.confirmed or 0))]
            if Layer.ENDED in aging.layers and (ended := ended_at(aging.store, claim, aging.now)):
                times.append((Layer.ENDED, ended))
            yield from aging.aged(
                claim.id, claim.scope, times,
                target=claim.seq, category=claim.category, node=claim.seq,
            )  # fmt: skip


def ended_at(store: Store, claim: ClaimState, now: int) -> int:
    """Return since when a claim does not stand any more, in microseconds since 1970 UTC, 0 where it does."""
    if claim.lifecycle in _OVER:
        found, before = 0, Lifecycle.ASSERTED
        for seq in claim.changes:
            header = store.header(seq)
            if isinstance(header, ChangeRecord):
                if header.lifecycle is claim.lifecycle is not before:
                    found = header.at
                before = header.lifecycle
        return found or claim.recorded
    over = [at for at in (claim.expires, claim.valid_to) if at is not None and at <= now]
    return max(claim.recorded, min(over)) if over else 0


def _lines(aging: _Aging) -> Iterator[Thing]:
    store = aging.store
    for scope, line in all_lines(store):
        if aging.is_mine(scope):
            record = store.state.ids[line.ref.record]
            times = [(Layer.BLOCK, store.header(record).at)]
            name = line_name(line)
            yield from aging.aged(name, scope, times, target=record, line=line)


def line_name(line: KeptLine) -> str:
    """Return what a line of a block is called: its record and its payload."""
    return f"{line.ref.record}/{line.ref.seal}"


def _receipts(aging: _Aging) -> Iterator[Thing]:
    state = aging.store.state
    for (name, day), slot in state.receipt_slots.items():
        scope = state.number(name)
        if scope and slot not in state.destroyed and aging.is_mine(scope):
            times = [(Layer.RECEIPT, (day + 1) * DAY)]
            named = f"{name}/{date.fromordinal(_EPOCH + day).isoformat()}"
            yield from aging.aged(named, scope, times, target=scope, slot=slot)


_LOOKED: dict[tuple[Layer, ...], Callable[[_Aging], Iterator[Thing]]] = {
    tuple(_LAYERS.values()): _sources,
    (Layer.CLAIM, Layer.ENDED): _claims,
    (Layer.BLOCK,): _lines,
    (Layer.RECEIPT,): _receipts,
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).toordinal()


# --- what stays nevertheless ----------------------------------------------------------------------------------


def weigh_ages(store: Store, policy: Policy, now: int, own: Collection[int] | None) -> Ages:
    """Return what is over at the moment `now` and what becomes of it; `own` are the only scopes that are meant."""
    aging = _Aging(store, policy, now, own)
    things = list(_things(aging))
    over = [one for one in things if one.over <= now]
    held = [one for one in over if _is_held(store, one)]
    left = [one for one in over if not _is_held(store, one)]
    due, needed, minimum = _free(aging, [one for one in left if one.floor <= now])
    kept = [*((one, one.floor) for one in left if one.floor > now), *minimum]
    return Ages(
        due=tuple(due),
        by_account=tuple(kept),
        needed=tuple(needed),
        held=tuple((one, store.state.names[one.node or one.owner]) for one in held),
        coming=tuple(one for one in things if one.over > now),
    )


def _is_held(store: Store, thing: Thing) -> bool:
    return is_held(store.state, thing.node) or (
        thing.owner != 0 and is_held(store.state, thing.owner)
    )


def _free(
    aging: _Aging, due: list[Thing]
) -> tuple[list[Thing], list[tuple[Thing, str]], list[tuple[Thing, int]]]:
    """Return what may go, without what something that stays was made from; then that with why it stays."""
    state = aging.store.state
    needed: list[tuple[Thing, str]] = []
    minimum: list[tuple[Thing, int]] = []
    lines = _needing(aging, {one.name for one in due if one.line}) if due else {}
    while True:
        nodes = {one.node for one in due if one.node}
        doomed = taint(
            aging.store, nodes & state.sources.keys(), sorted(nodes & state.claims.keys())
        )
        blocked = {
            seq: (state.names[seq], aging.floor(aging.owner(state.claims[seq].scope)))
            for seq in doomed.claims
            if seq not in nodes
        }
        for seq in (*doomed.sources, *doomed.claims):
            if seq in lines:
                blocked.setdefault(seq, lines[seq])
        if aging.goes:
            blocked = {seq: why for seq, why in blocked.items() if why[1] > aging.now}
        if not blocked:
            return due, needed, minimum
        grounds = _grounds(aging.store, blocked)
        if grounds.keys().isdisjoint(
            nodes
        ):  # by no way that is known here: then nothing of it goes
            grounds = dict.fromkeys(nodes, next(iter(blocked.values())))
        for one in due:
            if one.node in grounds:
                by, floor = grounds[one.node]
                if aging.goes:
                    minimum.append((one, floor))
                else:
                    needed.append((one, by))
        due = [one for one in due if one.node not in grounds]


_Why = tuple[str, int]
"""What keeps a thing by its identifier, and until when its own account does at least."""


def _needing(aging: _Aging, due: Collection[str]) -> dict[int, _Why]:
    """Return the sources and claims that lines of blocks name which stand and whose own time is not over."""
    found: dict[int, _Why] = {}
    state = aging.store.state
    for scope in state.blocks:
        for line in needed_lines(aging.store, scope, aging.now):
            if line_name(line) not in due:
                for name in (line.ref.source, line.ref.claim, *line.ref.grounds):
                    if name:
                        why = (line_name(line), aging.floor(aging.owner(scope)))
                        found.setdefault(state.ids[name], why)
    return found


def _grounds(store: Store, nodes: Mapping[int, _Why]) -> dict[int, _Why]:
    """Return these nodes and everything they were made from, each with why the first of them stays."""
    found = dict(nodes)
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        for one in _below(store, node):
            if one not in found:
                found[one] = found[node]
                waiting.append(one)
    return found


def _below(store: Store, node: int) -> Iterator[int]:
    """Yield what a source or a claim goes with: its grounds, what was endorsed, what a recall put into it."""
    state = store.state
    if claim := state.claims.get(node):
        for grounds in claim.justifications:
            yield from grounds
    source = state.sources.get(node)
    if source is None:
        return
    if source.medium is Medium.ENDORSEMENT:
        for one in state.dependants.get(node, ()):
            if any(how is Relation.ENDORSES for how, _ in state.claims[one].relations):
                yield one
    header = store.header(node)
    if isinstance(header, SourceRecord):
        if any(part.label is PartLabel.RECALLED for part in header.parts):
            yield from (state.ids[echo.of] for echo in header.echo_of)
