"""Taking over what a person's own sealed export carries: each record is written as it was, once, where nothing bars it.

A record keeps its identifier, so that whatever is here already, or was destroyed here, is known by it. Nothing is
raised: every label is the one that the sealing store stamped. The whole file is one group: all of it, or nothing.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from muniment.claims import (
    Asking,
    AssertRecord,
    Block,
    BlockVerb,
    Claim,
    EchoRef,
    InvalidError,
    Lifecycle,
    Muting,
    Named,
    ReasonCode,
    Scope,
    Sensitivity,
    Source,
    Value,
    from_micros,
)
from muniment.lineage import (
    BAR,
    UNKEYED,
    ClaimState,
    NewClaim,
    NewLine,
    NewPart,
    Progress,
    Writer,
    claim_passage,
    current_block,
    source_passage,
    withdrawn_before,
    words_passage,
    write_block,
    write_change,
    write_claim,
    write_forget,
    write_mute,
    write_sensitive,
    write_source,
)
from muniment.policy import decide, judge_credentials, without_credentials

from .acting import Acting
from .apart import registered
from .carrying import (
    CarriedBlock,
    CarriedChange,
    CarriedClaim,
    CarriedMute,
    CarriedSensitivity,
    CarriedSource,
    CarriedWording,
    Name,
)
from .collecting import entry_refusal

_STEP = 400  # records between two looks at how far it has come


class LeftOut(Value):
    """A line of which something was not taken in, by its number: which thing, by which rule, why; never its words."""

    line: int
    id: str
    rule: str
    reason: str


class FileLine(NamedTuple):
    """A line of a sealed export: its number, what it shows and what it carries; `carried` is none in shared scopes."""

    number: int
    sort: str
    view: Source | Claim | Block | None
    person: str
    carried: CarriedSource | CarriedClaim | CarriedBlock | CarriedMute | CarriedSensitivity | None


class _Event(NamedTuple):
    n: int
    write: Callable[[], None]


class TakingOver:
    """One run over one file."""

    def __init__(self, acting: Acting, progress: Progress | None) -> None:
        self._acting, self._store, self._progress = acting, acting.store, progress
        self._decision = decide("OWN_EXPORT")
        self.accepted, self.known = set[int](), set[int]()
        self._left: dict[tuple[int, str], LeftOut] = {}
        self._claims: dict[str, str] = {}  # claims that are another's here: that said the same
        self._tips: dict[
            str, str
        ] = {}  # by claim, what the file and this store agree was done last
        self._before: frozenset[str] = frozenset()
        self._of_file: set[int] = set()
        self.given: list[int] = []

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What was not taken in, by line."""
        return tuple(sorted(self._left.values(), key=lambda one: (one.line, one.id)))

    def take(self, lines: Sequence[FileLine]) -> None:
        """Write what the lines carry and is not here, in the order in which it was written there."""
        events = sorted(
            (event for line in lines for event in self._events(line)), key=lambda one: one.n
        )
        state = self._store.state
        carried = {line.view.id for line in lines if line.view is not None}
        self._before = frozenset(one for one in carried if one in state.ids)
        self._of_file = {state.ids[one] for one in self._before}
        with self._store.group():
            for done, event in enumerate(events, 1):
                event.write()
                if self._progress and (done % _STEP == 0 or done == len(events)):
                    self._progress(done, len(events))

    def _events(self, line: FileLine) -> list[_Event]:
        view, carried, number = line.view, line.carried, line.number
        if isinstance(view, Source | Claim) and not self._is_own(view.scope):
            if not self._is_known(number, view.id):
                self._leave(number, view.id, "NOT_YOUR_SCOPE")
            return []
        match carried:
            case CarriedSource() if isinstance(view, Source):
                return [_Event(carried.n, lambda: self._source(number, view, carried))]
            case CarriedClaim() if isinstance(view, Claim):
                return self._history(number, view, carried)
            case CarriedBlock() if isinstance(view, Block) and line.person == self._person:
                return [_Event(carried.n, lambda: self._block(number, view, carried))]
            case CarriedMute():
                return [_Event(carried.n, lambda: self._mute(number, line.sort, carried))]
            case CarriedSensitivity() if self._is_own(carried.scope):
                return [_Event(carried.n, lambda: self._sensitivity(number, carried))]
            case _:
                self._leave(number, view.id if view else "", "NOT_YOUR_SCOPE")
                return []

    def _history(self, number: int, view: Claim, carried: CarriedClaim) -> list[_Event]:
        if not carried.wordings:
            self._leave(number, view.id, "GROUND_MISSING")

        def say(wording: CarriedWording) -> Callable[[], None]:
            return lambda: self._wording(number, view, carried, wording)

        def change(one: CarriedChange) -> Callable[[], None]:
            return lambda: self._change(number, view.id, one)

        return [
            *(_Event(one.n, say(one)) for one in carried.wordings),
            *(_Event(one.n, change(one)) for one in carried.changes),
        ]

    @property
    def _person(self) -> str:
        return self._acting.scope.person

    def _is_own(self, scope: Scope) -> bool:
        """Return whether something of that scope is taken in here: hers alone, and no wider than this session."""
        return scope.person == self._person and scope.readable_in(self._acting.scope)

    # --- what is here -------------------------------------------------------------------------------------------

    def _leave(self, line: int, identifier: str, rule: str) -> None:
        reason = decide(rule, "it was erased here" if rule == "SUPPRESSED" else "").reason
        self._left.setdefault(
            (line, identifier), LeftOut(line=line, id=identifier, rule=rule, reason=reason)
        )

    def _is_known(self, line: int, identifier: str) -> bool:
        """Return whether a record is here, or was; of what was destroyed it is said that it stays out."""
        state = self._store.state
        seq = state.ids.get(identifier, 0)
        if not seq:
            return False
        if seq in state.erased:
            self._leave(line, identifier, "SUPPRESSED")
        else:
            self.known.add(line)
        return True

    def _here(self, identifier: str) -> str:
        """Return by which identifier a source or a claim of the file is here, empty where it is not."""
        state = self._store.state
        name = self._claims.get(identifier, identifier)
        seq = state.ids.get(name, 0)
        header = self._store.header(seq) if seq and name not in self._claims else None
        if isinstance(header, AssertRecord):
            name, seq = header.claim, state.ids[header.claim]
        claim = state.claims.get(seq)
        stands = claim.lifecycle is not Lifecycle.ERASED if claim else seq in state.sources
        return name if stands else ""

    def _all_here(self, identifiers: Sequence[str]) -> tuple[str, ...] | None:
        found = tuple(self._here(one) for one in identifiers)
        return found if all(found) else None

    def _echoes(self, refs: Sequence[EchoRef], hidden: int) -> tuple[EchoRef, ...] | None:
        """Return what something repeats; None where some of it is not here: then it would count as news."""
        found = self._all_here([ref.of for ref in refs])
        if hidden or found is None:
            return None
        return tuple(
            ref.model_copy(update={"of": name}) for ref, name in zip(refs, found, strict=True)
        )

    def _number(self, name: Name) -> int:
        return self._store.names.register(name.sort, name.name) if name.sort else 0

    def _writer(self, by: Name, behalf: Name) -> Writer:
        own = self._acting.writer()
        return Writer(by=self._number(by) or own.by, behalf=self._number(behalf))

    # --- what is written ----------------------------------------------------------------------------------------

    def _source(self, line: int, view: Source, carried: CarriedSource) -> None:
        if self._is_known(line, view.id):
            return
        refs = [
            EchoRef(of=one.of, sort=one.sort, start=one.start, end=one.end)
            for one in view.echoes
            if view.text[one.start : one.end].strip(BAR)  # what was erased there repeats nothing
        ]
        echoes = self._echoes(refs, carried.echoes_hidden)
        if echoes is None:
            return self._leave(line, view.id, "GROUND_MISSING")
        if barred := self._barred(view, carried):
            return self._leave(line, view.id, barred)
        store, author = self._store, carried.by.name if carried.by.sort == "tool" else ""
        passage = source_passage(
            store, view.scope, medium=view.medium, origin=author or view.origin, key="",
            text=view.text, by_person=True, anew=False,
        )  # fmt: skip
        if passage.is_closed:
            return self._leave(line, view.id, "SUPPRESSED")
        names = store.names
        self._acting.set_apart(view.scope)
        old = self._here(view.replaces) if view.replaces else ""
        seq = write_source(
            store, self._decision, self._writer(carried.by, carried.behalf),
            medium=view.medium,
            scope=names.register_scope(view.scope),
            parts=self._parts(view, carried),
            origin=names.register("origin", view.origin),
            conversation=names.register("session", view.conversation),
            said_at=in_zone(view.said_at, carried.zone),
            asserted_source=view.asserted_source,
            replaces=store.state.ids[old] if old else 0,
            echo_of=echoes,
            write=UNKEYED,
            passage=passage,
            identifier=view.id,
        )  # fmt: skip
        self.accepted.add(line)
        self.given.append(seq)

    def _barred(self, view: Source, carried: CarriedSource) -> str:
        """Return the rule by which nobody brings in such a source here, empty where none bars it."""
        tool, parts = carried.by.name if carried.by.sort == "tool" else "", view.parts
        shut = entry_refusal(
            self._acting.policy, origin=view.origin, tool=tool, parts=[one.origin for one in parts]
        )
        said = (view.text, view.origin, view.asserted_source, tool, *(one.origin for one in parts))
        refused = shut or judge_credentials(said)
        return refused.rule if refused else ""

    def _parts(self, view: Source, carried: CarriedSource) -> list[NewPart]:
        parts: list[NewPart] = []
        for place, part in enumerate(view.parts):
            field = carried.fields[place] if place < len(carried.fields) else None
            parts.append(
                NewPart(
                    text=view.text[part.start : part.end],
                    label=part.label,
                    integrity=part.integrity,
                    origin=self._store.names.register("origin", part.origin),
                    media_type=part.media_type,
                    field=field.field if field else "",
                    value=field.value if field else None,
                )
            )
        return parts

    def _wording(
        self, line: int, view: Claim, carried: CarriedClaim, wording: CarriedWording
    ) -> None:
        if self._is_known(line, wording.id):
            self._tips[view.id] = wording.id
            return
        grounds = self._all_here(wording.antecedents)
        echoes = self._echoes(wording.echo_of, wording.echoes_hidden)
        if not grounds or echoes is None:
            return self._leave(line, view.id, "GROUND_MISSING")
        new = self._new_claim(view, carried, wording, grounds, echoes)
        said = (new.quote, new.gist, *new.beside, f"{new.attribute}: {new.value}")
        if refused := judge_credentials(said):
            return self._leave(line, view.id, refused.rule)
        passage = claim_passage(
            self._store, view.scope, quote=new.quote, gist=new.gist, beside=new.beside, spans=(),
            key="", by_person=True, anew=False,
        )  # fmt: skip
        if passage.is_closed:
            return self._leave(line, view.id, "SUPPRESSED")
        state = self._store.state
        name = self._here(view.id)
        if not name and view.id in state.ids:
            return self._leave(line, view.id, "SUPPRESSED")
        same_words = self._says(state.claims[state.ids[name]], new) if name else ""
        if same_words and view.id in self._before:
            self._tips[view.id] = same_words
            self.known.add(line)
            return
        if name and not self._is_at_tip(name, view.id):
            return self._leave(line, view.id, "CHANGED_HERE")
        if not name and self._was_withdrawn(view, new):
            return self._leave(line, view.id, "WITHDRAWN")
        apart = carried.changes or new.relations
        same = state.ids[name] if name else 0 if apart else None
        identifier = wording.id if name else view.id
        self._acting.set_apart(view.scope)
        seq = write_claim(
            self._store, self._decision, self._writer(wording.by, wording.behalf), new, UNKEYED,
            passage, identifier=identifier, same=same,
        )  # fmt: skip
        self._of_file.add(seq)
        self._claims[view.id] = state.names[seq]
        self._tips[view.id] = identifier
        self.accepted.add(line)
        self.given.append(seq)

    def _new_claim(
        self,
        view: Claim,
        carried: CarriedClaim,
        wording: CarriedWording,
        grounds: tuple[str, ...],
        echoes: tuple[EchoRef, ...],
    ) -> NewClaim:
        names = self._store.names
        related = ((one.relation, self._here(one.claim)) for one in carried.relations)
        origins = [self._store.state.names[self._number(one)] for one in wording.origins]
        zone = wording.zone
        return NewClaim(
            kind=carried.kind,
            asked=wording.asked,
            category=carried.category,
            integrity=carried.integrity,
            scope=names.register_scope(view.scope),
            quote=wording.quote,
            gist=wording.gist,
            subject=wording.subject,
            attribute=wording.attribute,
            value=wording.value,
            task=wording.task,
            failure=wording.failure,
            reasoning=wording.reasoning,
            antecedents=grounds,
            spans=wording.spans,
            origins=tuple(one for one in origins if one),
            mark=wording.mark,
            parents_complete=wording.parents_complete,
            valid_from=_zoned(carried.valid_from, zone),
            valid_to=_zoned(carried.valid_to, zone),
            expires_at=_zoned(carried.expires, zone),
            recheck_at=_zoned(carried.recheck, zone),
            recheck_when=wording.recheck_when,
            relations=tuple(
                Named(relation=relation, claim=claim) for relation, claim in related if claim
            ),
            lifecycle=carried.lifecycle,
            echo_of=echoes,
            activity=wording.activity,
        )

    def _says(self, claim: ClaimState, new: NewClaim) -> str:
        """Return the record by which a claim has this very wording under another identifier, empty for none."""
        for header in map(self._store.header, claim.assertions):
            said = (getattr(header, "antecedents", ()), getattr(header, "spans", ()))
            if said == (new.antecedents, new.spans):
                return header.id
        return ""

    def _was_withdrawn(self, view: Claim, new: NewClaim) -> bool:
        """Return whether a claim stands in the file that was corrected, replaced or withdrawn here by other means."""
        stands = view.standing.value not in ("corrected", "superseded", "retracted", "rejected")
        return stands and 0 != withdrawn_before(self._store, new, new.scope, (), but=self._of_file)

    def _is_at_tip(self, name: str, claim: str) -> bool:
        """Return whether nothing was done to a claim here since what the file knows of it."""
        state = self._store.state
        return state.names[state.claims[state.ids[name]].head] == self._tips.get(claim)

    def _change(self, line: int, claim: str, change: CarriedChange) -> None:
        if self._is_known(line, change.id):
            self._tips[claim] = change.id
            return
        name = self._here(claim)
        if not name:
            return  # the claim was left out, which is said already
        if not self._is_at_tip(name, claim):
            return self._leave(line, claim, "CHANGED_HERE")
        state = self._store.state
        write_change(
            self._store, self._decision, self._writer(change.by, change.behalf),
            state.claims[state.ids[name]], change.verb, change.lifecycle,
            code=ReasonCode(change.code) if change.code else None,
            note=without_credentials(change.note),
            other=self._here(change.other) if change.other else "",
            antecedents=[one for one in map(self._here, change.antecedents) if one],
            valid_to=change.valid_to, expires=change.expires, recheck=change.recheck,
            identifier=change.id,
        )  # fmt: skip
        self._tips[claim] = change.id
        self.accepted.add(line)

    def _block(self, line: int, view: Block, carried: CarriedBlock) -> None:
        if self._is_known(line, view.id):
            return
        store, scope = self._store, Scope(person=self._person)
        number = store.names.register_scope(scope)
        if current_block(store, number):
            return self._leave(line, view.id, "CHANGED_HERE")
        shown, review, lines = iter(view.lines), iter(view.review), list[NewLine]()
        for place, author in enumerate(carried.authors):
            one = next(review if place in carried.review else shown)
            named = [name for name in (one.source, one.claim, *one.grounds) if name]
            passage = words_passage(store, scope, [one.text], by_person=True, anew=False)
            if passage.is_closed:
                self._leave(line, view.id, "SUPPRESSED")
            elif refused := judge_credentials((one.text,)):
                self._leave(line, view.id, refused.rule)
            elif self._all_here(named) is None:
                self._leave(line, view.id, "GROUND_MISSING")
            else:
                lines.append(
                    NewLine(
                        text=one.text,
                        integrity=one.integrity,
                        author=self._number(author),
                        source=self._here(one.source),
                        claim=self._here(one.claim),
                        grounds=tuple(map(self._here, one.grounds)),
                    )
                )
        if any(one.text for one in lines):
            self._acting.set_apart(scope)
            write_block(
                store, self._decision, self._writer(carried.by, carried.behalf), scope=number,
                verb=BlockVerb.REWRITE, lines=lines, identifier=view.id,
                passage=words_passage(
                    store, scope, [one.text for one in lines], by_person=True, anew=False
                ),
            )  # fmt: skip
            self.accepted.add(line)

    def _mute(self, line: int, sort: str, carried: CarriedMute) -> None:
        if self._is_known(line, carried.id):
            return
        state, name = self._store.state, self._here(carried.claim) if carried.claim else ""
        seq = state.ids[name] if name else 0
        if carried.claim and not name:
            return  # the claim was left out, which is said already
        writer = self._writer(carried.by, carried.behalf)
        if sort == "forget":
            if seq not in state.restraint.requests:
                write_forget(
                    self._store, self._decision, writer, seq, Asking.ASKED,
                    note=without_credentials(carried.note),
                    identifier=carried.id,
                )  # fmt: skip
                self.accepted.add(line)
            return
        if seq and seq in state.restraint.muted:
            self.known.add(line)
            return
        own = state.claims[seq].scope if seq else 0
        scope = own or self._store.names.register_scope(Scope(person=self._person))
        write_mute(
            self._store, self._decision, writer, Muting.MUTED, scope=scope, claim=seq,
            words=without_credentials(carried.theme), identifier=carried.id,
        )  # fmt: skip
        self.accepted.add(line)

    def _sensitivity(self, line: int, carried: CarriedSensitivity) -> None:
        """Declare sensitive here what was there: a scope admits whom she admitted, and nobody whom a policy did."""
        if self._is_known(line, carried.id):
            return
        store, scope = self._store, carried.scope
        held, name = store.state.sensitive, self._here(carried.claim) if carried.claim else ""
        seq = store.state.ids[name] if name else 0
        if carried.claim and not name:
            return  # the claim was left out, which is said already
        writer = self._writer(carried.by, carried.behalf)
        if carried.by_host:
            self._acting.set_apart(scope)
        number = store.names.register_scope(scope)
        apart = held.scopes.get(number)
        if seq in held.declared or (not seq and apart and (carried.by_host or not apart.by_host)):
            self.known.add(line)
            return
        agents = () if carried.by_host else registered(store, carried.agents)
        write_sensitive(
            store, self._decision, writer, store.state.claims[seq].scope if seq else number,
            Sensitivity.SENSITIVE, claim=seq, agents=agents, identifier=carried.id,
        )  # fmt: skip
        self.accepted.add(line)


def in_zone(at: datetime | None, zone: str) -> datetime | None:
    """Return a moment in the zone it was stated in, by its name or as an offset."""
    if at is None or not zone:
        return at
    if zone[0] in "+-":
        try:
            offset = datetime.fromisoformat(f"2000-01-01T00:00:00{zone}").utcoffset()
        except ValueError:
            raise InvalidError(f"{zone!r} is no zone") from None
        return at.astimezone(timezone(offset or timedelta()))
    try:
        return at.astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError):
        return at


def _zoned(micros: int | None, zone: str) -> datetime | None:
    return in_zone(from_micros(micros), zone) if micros is not None else None
