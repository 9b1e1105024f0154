"""A person's request: what is about her in others' messages and claims, for a human to decide line by line.

The list is made for the operator and goes nowhere else: no session gives it, nothing of it is kept in the store.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal
from unicodedata import normalize

from pydantic import ValidationError

from muniment.claims import (
    Basis,
    ErasureSort,
    InvalidError,
    Naming,
    NotFoundError,
    Scope,
    Value,
    from_micros,
)
from muniment.lineage import (
    HOST,
    Certificate,
    ClaimState,
    Erasure,
    KeptLine,
    Opened,
    SourceState,
    Store,
    all_lines,
    erase,
    is_held,
    questions,
    reasons_of,
    said_of,
    taint,
)
from muniment.policy import judge_erasure

from .erasing import basis_of, of_person, refusing
from .given import list_given, reason_given, text_given

_SHOWN = 600  # code points of a text that are listed; of a longer one the sentences that name her
_TOLD = 20  # so many things that are wrong with a list are spelt out
ERASE, KEEP = "erase", "keep"


class RequestLine(Value):
    """One thing that names a person, to be decided: `decision` is to become `erase` or `keep`.

    `found` are the names it mentions, `whose` and `author` the persons whose scope it stands in and who said it,
    `takes` the claims that would go with it. Sort `person` is all of her own, `line` one of a block,
    `reason` why something was held, revoked, muted, erased or said to be of one origin.
    """

    line: int
    of: int
    sort: Literal["person", "source", "claim", "line", "reason"]
    id: str
    version: int = 0
    found: tuple[str, ...] = ()
    words: str = ""
    whose: str = ""
    where: str = ""
    author: str = ""
    medium: str = ""
    at: datetime | None = None
    takes: tuple[str, ...] = ()
    on_legal_hold: bool = False
    decision: str = ""


class Request(Value):
    """Everything of others that names a person, and what the list does not cover."""

    person: str
    aliases: tuple[str, ...]
    lines: tuple[RequestLine, ...]
    notes: tuple[str, ...] = ()


class Applied(Value):
    """What a decided request destroyed, or would; how many lines it had and kept; its certificate, none of nothing."""

    erasure: Erasure
    decided: int
    kept: int
    certificate: Certificate | None = None


def request_of(store: Store, person: str, aliases: Iterable[str]) -> Request:
    """Return what names a person, or one of her aliases, in what is not her own; nothing is written."""
    name = normalize("NFC", text_given(person, "the person"))
    if not name:
        raise InvalidError("name the person whose request it is")
    others = tuple(text_given(one, "an alias") for one in list_given(aliases, "aliases"))
    naming, own = Naming((name, *others)), store.names.find("person", name)
    lines = [*_own(store, own)]
    for each in (_sources, _claims, _blocks, _reasons):
        lines += each(store, naming, own)
    return Request(
        person=name,
        aliases=others,
        lines=tuple(
            one.model_copy(update={"line": place, "of": len(lines)})
            for place, one in enumerate(lines, 1)
        ),
        notes=_notes(store, naming, own),
    )


def _own(store: Store, person: int) -> Iterator[RequestLine]:
    if person:
        sources, claims = of_person(store, person)
        yield RequestLine(
            line=0,
            of=0,
            sort="person",
            id=store.state.names[person],
            words=f"everything of her own: {len(sources)} sources, {len(claims)} claims, her name",
            whose=store.names.name(person),
            on_legal_hold=is_held(store.state, person),
        )


def _sources(store: Store, naming: Naming, person: int) -> Iterator[RequestLine]:
    for source in list(store.state.sources.values()):
        if _is_looked_into(store, source, person) and (found := _named(store, naming, source)):
            yield _line(store, source, "source", naming, found)


def _claims(store: Store, naming: Naming, person: int) -> Iterator[RequestLine]:
    for claim in list(store.state.claims.values()):
        if claim.assertions and _is_looked_into(store, claim, person):
            if found := _named(store, naming, claim):
                yield _line(store, claim, "claim", naming, found)


def _blocks(store: Store, naming: Naming, person: int) -> Iterator[RequestLine]:
    for seq, line in all_lines(store):
        own = person != 0 and store.state.scopes[seq][1] == person
        if not own and seq not in store.state.sensitive.scopes:
            if found := naming.found_in(line.text):
                scope, ref = store.names.scope(seq), line.ref
                yield RequestLine(
                    line=0,
                    of=0,
                    sort="line",
                    id=f"{ref.record}/{ref.seal}",
                    found=found,
                    words=line.text,
                    whose=scope.person,
                    where=_where(scope),
                    author=store.names.name(store.state.number(ref.author)),
                    medium="block",
                    at=from_micros(store.header(store.state.ids[ref.record]).at),
                    on_legal_hold=is_held(store.state, store.state.scopes[seq][1]),
                )


def _reasons(store: Store, naming: Naming, person: int) -> Iterator[RequestLine]:
    names = store.state.names
    for seq, words in reasons_of(store):
        header, found = store.header(seq), naming.found_in(words)
        if found and not (person and names[person] in (header.by, header.behalf)):
            yield RequestLine(
                line=0,
                of=0,
                sort="reason",
                id=header.id,
                found=found,
                words=words,
                author=store.names.name(store.state.number(header.by)),
                medium=str(getattr(header, "op", "")),
                at=from_micros(header.at),
            )


def _where(scope: Scope) -> str:
    return ", ".join(f"{field} {name}" for field, name in scope.named().items())


def _is_own(store: Store, node: SourceState | ClaimState, person: int) -> bool:
    """Return whether something is the person's already: hers goes by the line of sort `person`."""
    spoken = isinstance(node, SourceState) and node.author == person
    return person != 0 and (spoken or store.state.scopes[node.scope][1] == person)


def _is_looked_into(store: Store, node: SourceState | ClaimState, person: int) -> bool:
    """Return whether something is another's that may name her: what is sensitive answers only its owner."""
    return not _is_own(store, node, person) and node.scope not in store.state.sensitive.scopes


def _named(store: Store, naming: Naming, node: SourceState | ClaimState) -> tuple[str, ...]:
    found = dict.fromkeys(name for text in said_of(store, node) for name in naming.found_in(text))
    return tuple(found)


def _line(
    store: Store,
    node: SourceState | ClaimState,
    sort: Literal["source", "claim"],
    naming: Naming,
    found: tuple[str, ...],
) -> RequestLine:
    texts = [text for text in said_of(store, node) if naming.found_in(text)]
    words = " · ".join(naming.passages(text, limit=_SHOWN) for text in dict.fromkeys(texts))
    scope = store.names.scope(node.scope)
    is_source = isinstance(node, SourceState)
    doomed = taint(store, (node.seq,) if is_source else (), () if is_source else (node.seq,))
    return RequestLine(
        line=0,
        of=0,
        sort=sort,
        id=node.id,
        version=node.version if isinstance(node, ClaimState) else 0,
        found=found,
        words=words,
        whose=scope.person,
        where=_where(scope),
        author=store.names.name(node.author) if isinstance(node, SourceState) else "",
        medium=node.medium.value if isinstance(node, SourceState) else "",
        at=from_micros(node.recorded),
        takes=tuple(store.state.names[seq] for seq in doomed.claims if seq != node.seq),
        on_legal_hold=is_held(store.state, node.seq),
    )


def _notes(store: Store, naming: Naming, person: int) -> tuple[str, ...]:
    notes = [
        "this list holds the words of others: keep it from every model, and destroy it when it is decided",
        "who is meant by a name, and where she is meant without her name, no search can tell",
    ]
    apart = [
        scope for scope in store.state.sensitive.scopes if store.state.scopes[scope][1] != person
    ]
    if apart:
        notes.append(
            f"{len(apart)} sensitive scopes of others were not looked into: they answer only their owners"
        )
    if store.access is Opened.READ:
        notes.append(
            "the questions others asked were not looked through: the store is open read-only"
        )
    elif count := sum(bool(naming.found_in(text)) for text in questions(store, person)):
        notes.append(
            f"{count} questions that others asked name her: they are not decided one by one, and go where they repeat "
            "erased words or were answered with an erased claim"
        )
    return tuple(notes)


# --- deciding -------------------------------------------------------------------------------------------------


def apply_request(
    store: Store, lines: Iterable[object], *, basis: Basis | str, reason: str, dry_run: bool
) -> Applied:
    """Destroy in one go what was decided so; InvalidError names every line that is undecided or unknown.

    Then, and where something is on legal hold, nothing is changed.
    """
    ground, note = basis_of(basis), reason_given(reason)
    decided = _decided(store, lines)
    doomed = [line for line in decided if line.decision == ERASE]
    kept = len(decided) - len(doomed)
    if not doomed:
        nothing = Erasure(sort=ErasureSort.REQUEST, basis=ground, dry_run=dry_run)
        return Applied(erasure=nothing, decided=len(decided), kept=kept)
    ids = store.state.ids
    person = next((ids[line.id] for line in doomed if line.sort == "person"), 0)
    sources, claims = of_person(store, person) if person else ([], [])
    blocks = _block_lines(store)
    sources += [ids[line.id] for line in doomed if line.sort == "source"]
    claims += [ids[line.id] for line in doomed if line.sort == "claim"]
    with refusing(store, HOST):
        erasure = erase(
            store,
            judge_erasure(alone=True, own_scope=True),
            HOST,
            sort=ErasureSort.REQUEST,
            targets=list(dict.fromkeys(ids[line.id.partition("/")[0]] for line in doomed)),
            sources=sources,
            claims=claims,
            scope=0,
            basis=ground,
            reason=note,
            person=person,
            lines=[blocks[line.id] for line in doomed if line.sort == "line"],
            reasons=[ids[line.id] for line in doomed if line.sort == "reason"],
            dry_run=dry_run,
        )
    return Applied(erasure=erasure, decided=len(decided), kept=kept)


def _decided(store: Store, lines: Iterable[object]) -> list[RequestLine]:
    """Return the lines of a request, all of them and each decided."""
    found: dict[int, RequestLine] = {}
    wrong: list[str] = []
    blocks = _block_lines(store)
    for place, given in enumerate(lines, 1):
        if isinstance(given, str) and not given.strip():
            continue
        try:
            line = _read(given)
            _must_be_decided(line)
            _must_be_listed(store, line, blocks)
            if found and line.of != next(iter(found.values())).of:
                raise InvalidError("it is of another request")
            if line.line in found:
                raise InvalidError(
                    f"it is line {line.line} of the request, which stands here twice"
                )
            found[line.line] = line
        except (InvalidError, NotFoundError) as error:
            wrong.append(f"line {place}: {error}")
    if not found and not wrong:
        raise InvalidError("there is no line to apply; make the list with `muniment request`")
    if not wrong:
        count = next(iter(found.values())).of
        missing = sorted(set(range(1, count + 1)) - found.keys())
        wrong += [f"line {one} of {count} is missing: put it back and decide it" for one in missing]
    if wrong:
        more = f"; and {len(wrong) - _TOLD} more" if len(wrong) > _TOLD else ""
        raise InvalidError(f"nothing was changed. {'; '.join(wrong[:_TOLD])}{more}")
    return [found[one] for one in sorted(found)]


def _read(given: object) -> RequestLine:
    if isinstance(given, RequestLine):
        return given
    try:
        value: Any = json.loads(given) if isinstance(given, str | bytes) else given
        if not isinstance(value, Mapping):
            raise InvalidError("it is no line of a request: a JSON object is wanted")
        return RequestLine.model_validate(value)
    except ValidationError as error:
        places = ", ".join(sorted({".".join(map(str, one["loc"])) for one in error.errors()}))
        raise InvalidError(f"it is no line of a request any more: look at {places}") from None
    except ValueError as error:
        if isinstance(error, InvalidError):
            raise
        raise InvalidError(f"it is no JSON: {error}") from None


def _must_be_decided(line: RequestLine) -> None:
    if line.decision in (ERASE, KEEP):
        return
    if not line.decision.strip():
        raise InvalidError("it is undecided: write erase or keep into its decision")
    if line.decision == "redact":
        raise InvalidError("redact is not offered, words are not cut out: write erase or keep")
    raise InvalidError(f"{line.decision!r} is no decision: write erase or keep")


def _must_be_listed(store: Store, line: RequestLine, blocks: Mapping[str, KeptLine]) -> None:
    """Raise where a line does not name what it named when it was listed."""
    state = store.state
    seq, gone = state.ids.get(line.id, 0), f"there is no {line.sort} {line.id!r} here (any more)"
    if line.sort == "person":
        if state.entity_types.get(seq) != "person" or store.names.name(seq) != line.whose:
            raise NotFoundError(f"{gone}; make the list anew")
        return
    naming, said = Naming(line.found), tuple[str, ...]()
    if line.sort == "line" and line.id in blocks:
        said = naming.found_in(blocks[line.id].text)
    elif line.sort == "reason" and seq:
        said = naming.found_in(dict(reasons_of(store)).get(seq, ""))
    elif line.sort == "source" and seq in state.sources:
        said = _named(store, naming, state.sources[seq])
    elif line.sort == "claim" and seq in state.claims and state.claims[seq].assertions:
        claim = state.claims[seq]
        if claim.version != line.version:
            raise InvalidError(
                f"{line.id} is at version {claim.version}, listed was {line.version}; make the list anew"
            )
        said = _named(store, naming, claim)
    else:
        raise NotFoundError(f"{gone}; make the list anew")
    if not line.found or set(line.found) - set(said):
        raise InvalidError(f"{line.id} does not mention {', '.join(line.found) or 'anybody'}")


def _block_lines(store: Store) -> dict[str, KeptLine]:
    """Return the lines of all blocks by the identifier a request gives them: record and payload."""
    return {f"{line.ref.record}/{line.ref.seal}": line for _, line in all_lines(store)}
