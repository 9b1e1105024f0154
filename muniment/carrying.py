"""What an export carries of a person's own beside what is to be read: enough to write each record of it once more."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from muniment.claims import (
    AssertRecord,
    BlockLine,
    Category,
    ChangeRecord,
    ClaimRecord,
    EchoRef,
    Failure,
    ForgetRecord,
    Header,
    IntegrityError,
    Kind,
    Lifecycle,
    MuteRecord,
    Named,
    NamedIntegrity,
    Reasoning,
    Scope,
    SensitiveRecord,
    SourceRecord,
    SpanRef,
    Value,
    Verb,
)
from muniment.lineage import ANY_AGENT, ClaimState, SourceState, Store, lines_of, shown_assertions

Sort = Literal["", "person", "agent", "tool", "origin"]


class Name(Value):
    """An entity by what it is and is called; nobody where both are empty."""

    sort: Sort = ""
    name: str = ""


class _Written(TypedDict):
    n: int
    by: Name
    behalf: Name


class Carried(Value):
    """A record: its place `n` among all that the file carries, and who wrote it, for whom."""

    n: int
    by: Name = Name()
    behalf: Name = Name()


class CarriedField(Value):
    """A part of a tool result: the field's name and its value, nothing for free text."""

    field: str = ""
    value: str | int | bool | None = None


class CarriedSource(Carried):
    """A source, beside its view. `echoes_hidden` are repetitions of what the exporting session could not read."""

    zone: str = ""
    fields: tuple[CarriedField, ...] = ()
    echoes_hidden: int = 0


class CarriedWording(Carried):
    """One assertion of a claim with its words; `echoes_hidden` are repetitions of what could not be read."""

    id: str
    antecedents: tuple[str, ...]
    spans: tuple[SpanRef, ...] = ()
    activity: str
    asked: Kind
    mark: NamedIntegrity
    parents_complete: bool = False
    origins: tuple[Name, ...] = ()
    echo_of: tuple[EchoRef, ...] = ()
    echoes_hidden: int = 0
    quote: str = ""
    gist: str = ""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    task: str = ""
    failure: Failure = Failure()
    reasoning: Reasoning = Reasoning()
    recheck_when: str = ""
    zone: str = ""


class CarriedChange(Carried):
    """A change of a claim."""

    id: str
    verb: Verb
    lifecycle: Lifecycle
    other: str = ""
    antecedents: tuple[str, ...] = ()
    code: str = ""
    note: str = ""
    valid_to: int | None = None
    expires: int | None = None
    recheck: int | None = None


class CarriedClaim(Value):
    """A claim from its beginning: how it began, and all that was done to it since; times in microseconds."""

    kind: Kind
    category: Category
    integrity: NamedIntegrity
    lifecycle: Lifecycle
    valid_from: int | None = None
    valid_to: int | None = None
    expires: int | None = None
    recheck: int | None = None
    relations: tuple[Named, ...] = ()
    wordings: tuple[CarriedWording, ...]
    changes: tuple[CarriedChange, ...] = ()


class CarriedBlock(Carried):
    """A write of the block, beside its view: who wrote each line, and at which places those stood that need review."""

    authors: tuple[Name, ...]
    review: tuple[int, ...] = ()


class CarriedMute(Carried):
    """That a claim, a theme or a request to forget a claim keeps something from being brought up; `note` says why."""

    id: str
    claim: str = ""
    theme: str = ""
    note: str = ""


class CarriedSensitivity(Carried):
    """That a scope, or a claim in it, is sensitive; `agents` are those admitted, `by_host`: not she said so."""

    id: str
    scope: Scope
    claim: str = ""
    agents: tuple[str, ...] = ()
    by_host: bool = False


class Carrier:
    """Makes what a file carries of the records that it is to hold, given by their numbers."""

    def __init__(self, store: Store, readable: frozenset[int], seqs: list[int]) -> None:
        self._store, self._readable = store, readable
        self._places = {seq: place for place, seq in enumerate(sorted(set(seqs)), 1)}

    def source(self, source: SourceState, echoes: int) -> CarriedSource:
        """Return what is carried of a source of which so many echoes are shown."""
        header, sealed = self._store.record(source.seq)
        if not isinstance(header, SourceRecord):
            raise IntegrityError(f"record {source.seq} is no source although the graph says so")
        fields = tuple(
            CarriedField(field=words.get("field", ""), value=words.get("value")) for words in sealed
        )
        return CarriedSource(
            zone=sealed[0]["zone"],
            fields=fields if any(one.field for one in fields) else (),
            echoes_hidden=len(header.echo_of) - echoes,
            **self._written(header),
        )

    def claim(self, claim: ClaimState) -> CarriedClaim:
        """Return what is carried of a claim: its wordings that may be shown, and its changes."""
        first = self._store.header(claim.seq)
        if not isinstance(first, ClaimRecord):
            raise IntegrityError(f"record {claim.seq} is no claim although the graph says so")
        state = self._store.state
        return CarriedClaim(
            kind=first.kind,
            category=first.category,
            integrity=first.integrity,
            lifecycle=first.lifecycle,
            valid_from=first.valid_from,
            valid_to=first.valid_to,
            expires=first.expires,
            recheck=first.recheck,
            relations=tuple(
                Named(relation=relation, claim=state.names[other])
                for relation, other in claim.relations
            ),
            wordings=tuple(self._wording(seq) for seq in shown_assertions(state, claim)),
            changes=tuple(
                self._change(header)
                for header in map(self._store.header, claim.changes)
                if isinstance(header, ChangeRecord)
            ),
        )

    def _wording(self, seq: int) -> CarriedWording:
        header, words = self._store.header(seq), self._store.words(seq)
        if not isinstance(header, ClaimRecord | AssertRecord):
            raise IntegrityError(f"record {seq} asserts nothing although the graph says so")
        echoes = tuple(echo for echo in header.echo_of if self._is_readable(echo.of))
        said = ("quote", "gist", "subject", "attribute", "value", "recheck_when", "zone")
        return CarriedWording(
            id=header.id,
            antecedents=header.antecedents,
            spans=header.spans,
            activity=header.activity,
            asked=header.asked,
            mark=header.mark,
            parents_complete=header.parents_complete,
            origins=tuple(self._name(origin) for origin in header.origins),
            echo_of=echoes,
            echoes_hidden=len(header.echo_of) - len(echoes),
            task=str(words.get("task", "")),
            failure=Failure.model_validate_json(words.get("failure") or "{}"),
            reasoning=Reasoning.model_validate_json(words.get("reasoning") or "{}"),
            **{name: str(words[name]) for name in said},
            **self._written(header),
        )

    def _change(self, header: ChangeRecord) -> CarriedChange:
        note = self._store.words(header.seq)["note"] if header.seals else ""
        return CarriedChange(
            id=header.id,
            verb=header.verb,
            lifecycle=header.lifecycle,
            other=header.other,
            antecedents=header.antecedents,
            code=header.reason,
            note=note,
            valid_to=header.valid_to,
            expires=header.expires,
            recheck=header.recheck,
            **self._written(header),
        )

    def block(self, seq: int, shown: Sequence[BlockLine]) -> CarriedBlock:
        """Return what is carried of a write of the block of which these lines need no review."""
        kept, review, at = lines_of(self._store, seq), list[int](), 0
        for place, (ref, text) in enumerate(kept):
            line = shown[at] if at < len(shown) else None
            if line and (line.text, line.source, line.claim) == (text, ref.source, ref.claim):
                at += 1
            else:
                review.append(place)
        return CarriedBlock(
            authors=tuple(self._name(ref.author) for ref, _ in kept),
            review=tuple(review),
            **self._written(self._store.header(seq)),
        )

    def mute(self, header: MuteRecord | ForgetRecord) -> CarriedMute:
        """Return what is carried of a mute or of a request to forget."""
        words = self._store.words(header.seq) if header.seals else {}
        return CarriedMute(
            id=header.id,
            claim=header.claim,
            theme=str(words.get("theme", "")),
            note=str(words.get("note", "")),
            **self._written(header),
        )

    def sensitivity(self, header: SensitiveRecord) -> CarriedSensitivity:
        """Return what is carried of a declaration that something is sensitive."""
        state, names = self._store.state, self._store.names
        return CarriedSensitivity(
            id=header.id,
            scope=names.scope(state.ids[header.scope]),
            claim=header.claim,
            agents=tuple(
                one if one == ANY_AGENT else names.name(state.ids[one]) for one in header.agents
            ),
            by_host=not header.by,
            **self._written(header),
        )

    def _written(self, header: Header) -> _Written:
        return {
            "n": self._places[header.seq],
            "by": self._name(header.by),
            "behalf": self._name(header.behalf),
        }

    def _is_readable(self, identifier: str) -> bool:
        state, seq = self._store.state, self._store.state.ids[identifier]
        node = state.claims.get(seq) or state.sources.get(seq)
        return node is not None and node.scope in self._readable

    def _name(self, identifier: str) -> Name:
        state, seq = self._store.state, self._store.state.number(identifier)
        sort = state.entity_types.get(seq, "")
        known: dict[str, Sort] = {one: one for one in ("person", "agent", "tool", "origin")}
        return Name(sort=known.get(sort, ""), name=self._store.names.name(seq)) if seq else Name()


def carried_records(
    store: Store, sources: list[SourceState], claims: list[ClaimState]
) -> list[int]:
    """Return the numbers of the records that make these sources and claims what they are."""
    found = [source.seq for source in sources]
    for claim in claims:
        found += [*shown_assertions(store.state, claim), *claim.changes]
    return found
