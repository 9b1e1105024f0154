"""Retention: what is over is shown first, destroyed by a run, and reported after, by exactly one plan."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime

from muniment.claims import (
    Basis,
    ConflictError,
    Decision,
    ErasureSort,
    InvalidError,
    Layer,
    RetentionCount,
    Right,
    Value,
    from_micros,
    to_micros,
)
from muniment.lineage import (
    HOST,
    BackupKept,
    Erasure,
    RetentionRun,
    Store,
    Writer,
    erase,
    read_copies,
    retention_runs,
    write_retention,
)
from muniment.policy import (
    OUTSIDE,
    Policy,
    RetentionRule,
    decide,
    judge_erasure,
    judge_retention,
)

from .acting import Acting
from .aging import Ages, Thing, weigh_ages
from .given import moment_given
from .keeping import must_allow
from .proving import must_prove

AT_ONCE = 500
"""So many things are destroyed by one record; a crash between two loses nothing, the next run goes on."""

UNDETERMINED = (
    "whether the clock is right now, and was when something was recorded: under a clock that was behind then, or is "
    "ahead now, it is over too early",
    "what repeats destroyed words in a message, a block or a question of its own: it has its own time",
    "prompts and answers that hosts and models keep, and copies of the store that others made",
)


class Aged(Value):
    """A thing whose time is over: by which rule, counted from when, over since when, and what becomes of it.

    `thing` is a source, a claim, a line of a block (record and payload) or a reader's day of receipts (scope and day);
    `person` whose it is, empty for nobody's. `until` is when the minimum of her account ends, where that keeps it.
    """

    thing: str
    layer: Layer
    category: str = ""
    person: str = ""
    rule: str
    since: datetime
    over: datetime
    until: datetime | None = None
    decision: Decision


class RuleAged(Value):
    """One rule of retention that sets an end: how many things go by it now, are over and stay, and are still to come.

    `next` is when the first of those is over.
    """

    rule: RetentionRule
    due: int = 0
    kept: int = 0
    coming: int = 0
    next: datetime | None = None


class Retention(Value):
    """A run of retention, or with `dry_run` the plan of one, judged at `moment`: what went or would, and what stays.

    `erasures` say what is destroyed with it and what becomes of the rest, one for each record. `backups` are past the
    lifetime they state, to be removed by hand; `outside` is what no run destroys.
    """

    id: str = ""
    dry_run: bool = False
    moment: datetime
    person: str = ""
    rules: tuple[RuleAged, ...] = ()
    due: tuple[Aged, ...] = ()
    kept: tuple[Aged, ...] = ()
    erasures: tuple[Erasure, ...] = ()
    backups: tuple[BackupKept, ...] = ()
    outside: tuple[str, ...] = ()
    undetermined: tuple[str, ...] = UNDETERMINED

    @property
    def plan(self) -> tuple[object, ...]:
        """What a run and its preview have in common: all that goes, thing by thing and record by record."""
        same = {"id", "dry_run", "erased_at", "mirrors", "backups"}
        return self.due, self.kept, tuple(one.model_dump(exclude=same) for one in self.erasures)


class _Run:
    """One run or preview over one store at one moment."""

    def __init__(
        self, store: Store, policy: Policy, moment: int, own: Collection[int] | None, person: int
    ) -> None:
        self.store, self.policy, self.moment, self.person = store, policy, moment, person
        weighed = weigh_ages(store, policy, moment, own)
        self._stopped: list[tuple[Thing, str]] = []
        self.batches, self.foreseen = self._batches(weighed.due)
        gone = {one.name for batch in self.batches for one in batch}
        self.due = [one for one in weighed.due if one.name in gone]
        self.weighed = weighed

    def _batches(self, due: Sequence[Thing]) -> tuple[list[list[Thing]], list[Erasure]]:
        """Return what goes by each record, and what that destroys, each after the ones before it."""
        ordered = sorted(due, key=lambda one: (one.owner, one.rule.name, one.target, one.name))
        batches: list[list[Thing]] = []
        foreseen: list[Erasure] = []
        with ExitStack() as ahead:
            waiting = [ordered[at : at + AT_ONCE] for at in range(0, len(ordered), AT_ONCE)][::-1]
            while waiting:
                batch = waiting.pop()
                with ExitStack() as tried:
                    erasure = self.erased(batch, HOST, 0, ahead=tried)
                    if not erasure.held:
                        ahead.push(tried.pop_all())
                        batches.append(batch)
                        foreseen.append(erasure)
                        continue
                if len(batch) == 1:
                    self._stopped.append((batch[0], ", ".join(erasure.held)))
                else:  # only what reaches something on legal hold stays
                    half = len(batch) // 2
                    waiting += [batch[half:], batch[:half]]
        return batches, foreseen

    def erased(
        self, batch: Sequence[Thing], writer: Writer, scope: int, *, ahead: ExitStack | None = None
    ) -> Erasure:
        """Destroy what is in a batch, or with `ahead` say what that would be."""
        state = self.store.state
        nodes = [one.node for one in batch if one.node]
        return erase(
            self.store,
            decide("TIME_OVER"),
            writer,
            sort=ErasureSort.RETENTION,
            targets=list(dict.fromkeys(one.target for one in batch)),
            sources=[seq for seq in nodes if seq in state.sources],
            claims=[seq for seq in nodes if seq in state.claims],
            scope=scope,
            basis=Basis.PURPOSE,
            reason="",
            lines=[one.line for one in batch if one.line],
            days=[one.slot for one in batch if one.slot >= 0],
            dry_run=ahead is not None,
            ahead=ahead,
        )

    def told(self, erasures: Sequence[Erasure], identifier: str, *, dry_run: bool) -> Retention:
        """Return what went, or would, with everything that stays and why."""
        kept = sorted(self._kept(), key=lambda one: (one.over, one.thing))
        return Retention(
            id=identifier,
            dry_run=dry_run,
            moment=from_micros(self.moment),
            person=self.store.names.name(self.person),
            rules=tuple(self._rules()),
            due=tuple(self._aged(one, judge_retention(one.rule)) for one in self.due),
            kept=tuple(kept),
            erasures=tuple(erasures),
            backups=tuple(
                one
                for one in read_copies(self.store.folder).backups
                if not self.person and to_micros(one.keep_until) <= self.moment
            ),
            outside=tuple(f"{name}: {why}" for name, why in OUTSIDE.items()),
        )

    def _kept(self) -> Iterator[Aged]:
        for one, floor in self.weighed.by_account:
            until = from_micros(floor)
            decision = judge_retention(one.rule, kept_until=until)
            yield self._aged(one, decision).model_copy(update={"until": until})
        for one, by in self.weighed.needed:
            yield self._aged(one, judge_retention(one.rule, needed_by=by))
        for one, by in (*self.weighed.held, *self._stopped):
            yield self._aged(one, judge_retention(one.rule, held=by))

    def _aged(self, thing: Thing, decision: Decision) -> Aged:
        return Aged(
            thing=thing.name,
            layer=thing.layer,
            category=thing.category.value if thing.category else "",
            person=self.store.names.name(thing.owner),
            rule=thing.rule.name,
            since=from_micros(thing.since),
            over=from_micros(thing.over),
            decision=decision,
        )

    def _rules(self) -> Iterator[RuleAged]:
        due = Counter(one.rule.name for one in self.due)
        kept = Counter(one.rule for one in self._kept())
        coming: dict[str, list[int]] = {}
        for one in self.weighed.coming:
            coming.setdefault(one.rule.name, []).append(one.ends)
        for rule in self.policy.retention_rules.values():
            if rule.days:
                later = coming.get(rule.name, [])
                yield RuleAged(
                    rule=rule,
                    due=due[rule.name],
                    kept=kept[rule.name],
                    coming=len(later),
                    next=from_micros(min(later)) if later else None,
                )

    def counts(self) -> tuple[RetentionCount, ...]:
        """Return the counts of each rule by which something was over."""
        return tuple(
            RetentionCount(rule=one.rule.name, destroyed=one.due, kept=one.kept)
            for one in self._rules()
            if one.due or one.kept
        )


def retain_by_host(
    store: Store, policy: Policy, plan: Retention | None, *, now: int, dry_run: bool, at: object
) -> Retention:
    """Destroy everybody's that is over, or say what would go, as the host."""
    moment = _moment(plan, now, dry_run=dry_run, at=at)
    run = _Run(store, policy, moment, None, 0)
    decision = judge_erasure(alone=True, own_scope=True)
    return _carried_out(run, plan, decision, HOST, 0, dry_run=dry_run)


def retain(acting: Acting, plan: Retention | None, *, dry_run: bool, at: object) -> Retention:
    """Destroy what is over of the person who asks herself, or say what would go."""
    decision = must_allow(acting, "retention", judge_erasure(alone=acting.alone, own_scope=True))
    if not dry_run:
        must_prove(acting, "retention")
    moment = _moment(plan, acting.now(), dry_run=dry_run, at=at)
    person, scopes = acting.asker().person, acting.store.state.scopes
    own = frozenset(seq for seq in acting.readable() if person and scopes[seq][1] == person)
    run = _Run(acting.store, acting.policy, moment, own, person)
    writer, scope = HOST, 0
    if not dry_run:
        with acting.store.group() as store:
            writer = acting.writer(Right.MANAGE)
            scope = store.names.register_scope(acting.claims_scope())
    return _carried_out(run, plan, decision, writer, scope, dry_run=dry_run)


def runs_of(acting: Acting) -> tuple[RetentionRun, ...]:
    """Return the runs of retention that the person of this session ran herself, oldest first."""
    acting.must_look()
    return retention_runs(acting.store, acting.asker().person) if acting.alone else ()


def _moment(plan: object, now: int, *, dry_run: bool, at: object) -> int:
    """Return the moment at which is judged: now, that of the plan that is carried out, or any that is previewed."""
    given = moment_given(at, "at")
    if plan is not None and not isinstance(plan, Retention):
        raise InvalidError("the plan is none; take the one that retention(dry_run=True) gave")
    if given is not None and (plan is not None or not dry_run):
        raise InvalidError("only a preview looks at another moment; give at with dry_run")
    if plan is None:
        return to_micros(given) if given is not None else now
    moment = to_micros(plan.moment)
    if moment > now:
        raise InvalidError(
            f"the plan is for {plan.moment.isoformat()}, which has not come; make one for now"
        )
    return moment


def _carried_out(
    run: _Run,
    plan: Retention | None,
    decision: Decision,
    writer: Writer,
    scope: int,
    *,
    dry_run: bool,
) -> Retention:
    found = run.told(run.foreseen, "", dry_run=True)
    if plan is not None and plan.plan != found.plan:
        raise ConflictError(
            "what would go is not what was shown any more; nothing was destroyed, look at the plan again"
        )
    if dry_run:
        return found
    erasures: list[Erasure] = []
    for batch in run.batches:
        erasures.append(run.erased(batch, writer, scope))
        run.store.reach("retention.batch")
    with run.store.group() as store:
        header = write_retention(
            store,
            decision,
            writer,
            moment=run.moment,
            person=run.person,
            erasures=[one.id for one in erasures],
            counts=run.counts(),
        )
    return found.model_copy(update={"id": header.id, "dry_run": False, "erasures": tuple(erasures)})


def due_by_rule(store: Store, policy: Policy, now: int) -> Counter[str]:
    """Return how many things would go by each rule of a policy, or be kept by a legal hold that they reach."""
    weighed: Ages = weigh_ages(store, policy, now, None)
    return Counter(one.rule.name for one in weighed.due)
