"""Writing what a session hands in: sources as they came, claims as policy ruled them."""

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from muniment.claims import (
    SOURCE_LIMIT,
    Assertion,
    Decision,
    Integrity,
    InvalidError,
    Lifecycle,
    Medium,
    Named,
    PartLabel,
    RefusalRecord,
    RefusedError,
    Scope,
    Sensitivity,
    Value,
    Verdict,
    checked_text,
)
from muniment.lineage import (
    UNKEYED,
    ClaimState,
    KeyedWrite,
    NewPart,
    Passage,
    SourceState,
    Writer,
    claim_passage,
    decision_of,
    source_passage,
    withdrawn_before,
    write_claim,
    write_refusal,
    write_sensitive,
    write_source,
    written_before,
)
from muniment.policy import (
    REMOVED,
    decide,
    fits,
    judge_credentials,
    parts_without_credentials,
    split_own,
)

from .acting import Acting, Grounds
from .collecting import entry_refusal, login_in
from .echoing import echoes_of_claim, echoes_of_source, leaning
from .given import NAME_LIMIT, list_given, mapping_given, moment_given, text_given
from .remembering import Prepared, Wish, prepare
from .versions import judge_replacement, old_version, said_before

# It stands in the clear in the journal, so it can hold no words.
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,30}/[a-z0-9][a-z0-9.+-]{0,80}", re.ASCII | re.I)
_MOST_BITS = 1_024
IMPORT = "import"
"""The activity by which a file brought something in."""
PartGiven = tuple[str, str] | tuple[str, str, str]
FieldValue = str | int | bool


class Incoming(Value):
    """A source about to be kept; `parts` carry their words, `origins` the name of each part's origin or nothing."""

    medium: Medium
    parts: tuple[NewPart, ...]
    origins: tuple[str, ...] = ()
    origin: str = ""
    tool: str = ""
    asserted_source: str = ""
    said_at: datetime | None = None
    replaces: str = ""
    login: Mapping[str, Any] = {}
    removed: bool = False

    def without_credentials(self) -> "Incoming":
        """Return it with a mark in the place of each credential; such a field is not the tool's own any more."""
        texts = [part.text for part in self.parts]
        kept = parts_without_credentials(texts)
        if list(kept) == texts:
            return self
        parts = tuple(
            part if part.text == text else _marked(part, text)
            for part, text in zip(self.parts, kept, strict=True)
        )
        return self.model_copy(update={"parts": parts, "removed": True})

    def asked(self) -> object:
        """Return what a key stands for; fields that came later count only where they are filled."""
        asked = self.model_dump(mode="json", exclude={"removed", "login"})
        for thing in (asked, *asked["parts"]):
            for name in ("replaces", "receipt"):
                if not thing.get(name, True):
                    del thing[name]
        return asked


def _marked(part: NewPart, text: str) -> NewPart:
    """Return a part with its text after a credential was taken out of it."""
    changed: dict[str, object] = {"text": text}
    if part.label is PartLabel.FIELD:
        changed |= {"value": REMOVED, "integrity": Integrity.EXTERNAL}
    return part.model_copy(update=changed)


def message_of(
    acting: Acting,
    text: str,
    parts: Sequence[PartGiven],
    said_at: datetime | None,
    replaces: str = "",
) -> Incoming:
    """Return a message with its parts labelled: own words by who acts, everything passed on as from outside."""
    text_given(text, "the message", limit=SOURCE_LIMIT)
    if bool(text) == bool(list_given(parts, "parts")):
        raise InvalidError("give either text or parts, not both and not neither")
    pieces: list[tuple[PartLabel, str, str]] = []
    for label, words, *origin in [(PartLabel.OWN.value, text)] if text else _joined(parts):
        if label == PartLabel.OWN.value:
            pieces.extend((found, piece, "") for found, piece in split_own(words))
        elif label in ("quoted", "pasted", "attached", "recalled"):
            pieces.append((PartLabel(label), words, origin[0] if origin else ""))
        else:
            raise InvalidError(
                f"{label!r} is no part label; use one of own, quoted, pasted, attached, recalled"
            )
    own = (
        Integrity.USER if acting.integrity is Integrity.USER else min(acting.integrity, acting.mark)
    )
    return Incoming(
        medium=Medium.MESSAGE,
        parts=tuple(
            NewPart(
                text=words,
                label=label,
                integrity=own if label is PartLabel.OWN else Integrity.EXTERNAL,
                receipt=origin if label is PartLabel.RECALLED else "",
            )
            for label, words, origin in pieces
        ),
        origins=tuple("" if label is PartLabel.RECALLED else origin for label, _, origin in pieces),
        said_at=moment_given(said_at, "said_at"),
        replaces=replaces,
    )


def _joined(parts: Sequence[PartGiven]) -> list[PartGiven]:
    """Return the parts, own ones that follow each other made one: a quotation may begin in the one before."""
    joined: list[PartGiven] = []
    for part in map(_part, parts):
        if joined and part[0] == joined[-1][0] == PartLabel.OWN.value:
            joined[-1] = (part[0], joined[-1][1] + part[1])
        else:
            joined.append(part)
    return joined


def _part(given: PartGiven) -> PartGiven:
    """Return a part whose label, words and origin are text."""
    if len(list_given(given, "a part")) not in (2, 3):
        raise InvalidError(
            "a part is (label, text) or (label, text, origin), and of a recalled one (label, text, receipt)"
        )
    text_given(given[0], "a part's label")
    text_given(given[1], "a part's text", limit=SOURCE_LIMIT)
    for origin in given[2:]:
        text_given(origin, "a part's origin")
    return given


def tool_result_of(
    acting: Acting, tool: str, fields: Mapping[str, FieldValue], text: str, said_at: datetime | None
) -> Incoming:
    """Return a tool's result: registered fields of the registered type are the tool's own, the rest is from outside."""
    checked_text(text_given(tool, "the tool's name"), "the tool's name", limit=NAME_LIMIT)
    text_given(text, "the tool's text", limit=SOURCE_LIMIT)
    given = mapping_given(fields, "fields")
    if not given and not text:
        raise InvalidError("the tool result is empty; give fields or text")
    parts: list[NewPart] = []
    for field, value in given.items():
        checked_text(text_given(field, "a field's name"), "a field's name", limit=NAME_LIMIT)
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            raise InvalidError(f"field {field!r} is a number of too many digits; give it as text")
        if not isinstance(value, str | int):
            raise InvalidError(
                f"field {field!r} is of type {type(value).__name__}; give text, a whole number, true or false"
            )
        expected = acting.policy.types(tool, field)
        typed = expected is not None and fits(value, expected)
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        parts.append(
            NewPart(
                text=f"{field}: {shown}\n",
                label=PartLabel.FIELD,
                integrity=Integrity.TOOL if typed else Integrity.EXTERNAL,
                field=field,
                value=value,
            )
        )
    if text:
        parts.append(NewPart(text=text, label=PartLabel.TEXT, integrity=Integrity.EXTERNAL))
    return Incoming(
        medium=Medium.TOOL_RESULT,
        parts=tuple(parts),
        tool=tool,
        said_at=moment_given(said_at, "said_at"),
        login=login_in(acting.policy, tool, given),
    )


def document_of(
    text: str,
    origin: str,
    media_type: str,
    asserted_source: str,
    said_at: datetime | None,
    replaces: str = "",
) -> Incoming:
    """Return a page, mail or file: all of it from outside."""
    text_given(text, "the document", limit=SOURCE_LIMIT)
    checked_text(text_given(origin, "the origin"), "the origin", limit=NAME_LIMIT)
    if not _MEDIA_TYPE.fullmatch(text_given(media_type, "media_type")):
        raise InvalidError(f"{media_type!r} is no media type; write it as in text/html")
    text_given(asserted_source, "asserted_source")
    part = NewPart(
        text=text, label=PartLabel.TEXT, integrity=Integrity.EXTERNAL, media_type=media_type
    )
    return Incoming(
        medium=Medium.DOCUMENT,
        parts=(part,),
        origin=origin,
        asserted_source=asserted_source,
        said_at=moment_given(said_at, "said_at"),
        replaces=replaces,
    )


def keep_source(
    acting: Acting, incoming: Incoming, key: str, *, anew: bool = False, place: str = ""
) -> int:
    """Write a source and return its number; sent again with the same key, in this place or that, nothing is added."""
    incoming = incoming.without_credentials()
    text = "".join(part.text for part in incoming.parts)
    checked_text(text, f"the {incoming.medium.value.replace('_', ' ')}", limit=SOURCE_LIMIT)
    for origin in incoming.origins:
        if origin:
            checked_text(origin, "a part's origin", limit=NAME_LIMIT)
    acting.must_write_for(incoming.medium.value)
    names = (incoming.origin, *incoming.origins, incoming.tool, incoming.asserted_source)
    if refused := judge_credentials(names):
        raise acting.refused(incoming.medium.value, refused)
    store = acting.store
    # A conflict is found before the group begins: one that fails inside another group would undo that one too.
    with store.lock:
        write = acting.keyed(key, _as_asked(acting, incoming).asked(), place)
        seq, old = written_before(store, write, key), None
        if not seq:
            old = old_version(acting, incoming.replaces, incoming.medium, incoming.origin)
            seq = old.seq if old and said_before(store, old, incoming.parts) else 0
        if not seq:
            shut = entry_refusal(
                acting.policy, origin=incoming.origin, tool=incoming.tool, parts=incoming.origins
            )
            if shut is not None:
                raise acting.refused(incoming.medium.value, shut)
            passage = source_passage(
                store,
                acting.sources_scope(),
                medium=incoming.medium,
                origin=incoming.tool or incoming.origin,
                key=write.key,
                text=text,
                by_person=acting.alone,
                anew=anew,
            )
            if passage.is_closed:
                raise acting.suppressed(incoming.medium.value, passage)
            decision = must_allow(acting, "replace", judge_replacement(acting, old))
            decision = decide("CREDENTIAL_REMOVED") if incoming.removed else decision
            seq = _add_source(acting, incoming, write, passage, decision, old.seq if old else 0)
    acting.lower_mark(store.state.sources[seq].integrity)
    return seq


def _as_asked(acting: Acting, incoming: Incoming) -> Incoming:
    """Return what was asked for: sent again from a context that fell meanwhile it is the same."""
    parts = tuple(
        part.model_copy(update={"integrity": acting.integrity})
        if part.label is PartLabel.OWN
        else part
        for part in incoming.parts
    )
    return incoming.model_copy(update={"parts": parts})


def _add_source(
    acting: Acting,
    incoming: Incoming,
    write: KeyedWrite,
    passage: Passage,
    decision: Decision,
    replaces: int,
) -> int:
    """Write a source in one group and return its number."""
    with acting.store.group() as store:
        writer, names = acting.writer(), store.names
        # For whom it was looked up: in a channel nothing else tells whose it is.
        person = writer.behalf or writer.by
        by_tool = Writer(by=names.register("tool", incoming.tool), behalf=person)
        origins = incoming.origins or ("",) * len(incoming.parts)
        scope = names.register_scope(acting.sources_scope())
        origin = names.register("origin", incoming.origin)
        parts = [
            part.model_copy(update={"origin": names.register("origin", named)})
            for part, named in zip(incoming.parts, origins, strict=True)
        ]
        return write_source(
            store,
            decision,
            by_tool if incoming.tool else writer,
            medium=incoming.medium,
            scope=scope,
            parts=parts,
            origin=origin,
            conversation=names.register("session", acting.scope.session),
            said_at=incoming.said_at,
            asserted_source=incoming.asserted_source,
            replaces=replaces,
            echo_of=echoes_of_source(acting, parts, origin, 0 if writer.behalf else writer.by),
            login=_of_person(acting, incoming.login),
            write=write,
            passage=passage,
        )


def _of_person(acting: Acting, login: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a result says of an account, with the person in whose session it came."""
    number = acting.store.names.find("person", acting.scope.person)
    return {**login, "person": acting.store.state.names[number]} if login else {}


def keep_claim(
    acting: Acting,
    wish: Wish,
    grounds: Grounds,
    key: str,
    *,
    anew: bool = False,
    sensitive: Decision | None = None,
    waits: Decision | None = None,
    activity: str = "remember",
    place: str = "",
) -> tuple[int, Decision, tuple[Decision, ...]]:
    """Write a claim as policy rules it and return its number, the ruling and what is worth knowing of it.

    A refusal is written too, and raised. The same key again adds nothing. A claim that stands already has its first
    ruling beside this one. `sensitive` is the decision by which it is declared so with it; `waits` why it is pending
    until its person has looked at it, where that is not for policy's table to say.
    """
    acting.must_write_for("remember")
    nodes = acting.nodes(grounds)
    prepared = prepare(acting.store, acting.policy, acting.asker(), wish, nodes)
    pending = {"lifecycle": Lifecycle.PENDING} if waits else {}
    new = prepared.claim.model_copy(update={"activity": activity, **pending})
    prepared = prepared._replace(claim=new, waits=waits or prepared.waits)
    store, decision = acting.store, prepared.decision
    with store.lock:
        news = () if activity == IMPORT else nodes  # a file says nothing anew
        if not prepared.ruling.refused and _said_no_more(acting, prepared, news):
            decision = decide("WITHDRAWN")
        asked = [wish.request(), list(prepared.claim.antecedents)]
        write = acting.keyed(key, [*asked, "sensitive"] if sensitive else asked, place)
        record = written_before(store, write, key)
        if record:
            header = store.header(record)
            refused = isinstance(header, RefusalRecord)
            seq = 0 if refused else store.state.ids[getattr(header, "claim", header.id)]
            if isinstance(header, Assertion | RefusalRecord):
                decision = decision_of(header.decision)
        elif decision.verdict is Verdict.REFUSE:
            with store.group():
                write_refusal(store, decision, acting.known_writer(), "remember", write)
            seq = 0
        else:
            scope = acting.claims_scope()
            passage = passage_of(acting, "remember", prepared, scope, key=write.key, anew=anew)
            with store.group():
                writer = acting.writer()
                seq = add_claim(acting, writer, prepared, decision, passage, write=write)
                if sensitive and seq not in store.state.sensitive.declared:
                    scope_of = store.state.claims[seq].scope
                    write_sensitive(
                        store, sensitive, writer, scope_of, Sensitivity.SENSITIVE, claim=seq
                    )
    if not seq:
        raise RefusedError(decision)
    return seq, decision, prepared.hints


def _said_no_more(
    acting: Acting, prepared: Prepared, nodes: Sequence[SourceState | ClaimState]
) -> bool:
    """Return whether a claim that said the same was withdrawn after everything this one rests on."""
    store = acting.store
    scope = store.state.scope_numbers.get(store.names.key_of(acting.claims_scope()), 0)
    grounds = [node.seq for node in nodes]
    return scope != 0 and withdrawn_before(store, prepared.claim, scope, grounds) != 0


def add_claim(
    acting: Acting,
    writer: Writer,
    prepared: Prepared,
    decision: Decision,
    passage: Passage,
    *,
    write: KeyedWrite = UNKEYED,
    scope: int = 0,
    relations: tuple[Named, ...] = (),
) -> int:
    """Add a prepared claim to the open group, in a scope by number or else the session's, and return its number."""
    scope = scope or acting.store.names.register_scope(acting.claims_scope())
    claim = leaning(acting, prepared.claim)
    echoes = echoes_of_claim(acting, claim)
    new = claim.model_copy(update={"scope": scope, "relations": relations, "echo_of": echoes})
    seq = write_claim(acting.store, decision, writer, new, write, passage)
    _as_sensitive(acting, writer, seq, [echo.of for echo in echoes])
    return seq


def _as_sensitive(acting: Acting, writer: Writer, claim: int, says_again: Sequence[str]) -> None:
    """Declare a claim sensitive that says again what is, though it does not name it as its ground."""
    store = acting.store
    held, said = store.state.sensitive, store.state.claims[claim]
    if not (held and says_again) or said.scope in held.scopes or claim in held.reached:
        return
    told = [store.state.claims.get(store.state.ids[name]) for name in says_again]
    if any(one and (one.seq in held.reached or one.scope in held.scopes) for one in told):
        decision = decide("SENSITIVE_AGAIN")
        write_sensitive(store, decision, writer, said.scope, Sensitivity.SENSITIVE, claim=claim)


def passage_of(
    acting: Acting,
    verb: str,
    prepared: Prepared,
    scope: Scope,
    *,
    key: str = "",
    anew: bool = False,
) -> Passage:
    """Return leave to write a prepared claim, or write down that it was kept out and raise RefusedError."""
    passage = claim_passage(
        acting.store,
        scope,
        quote=prepared.claim.quote,
        gist=prepared.claim.gist,
        beside=prepared.claim.beside,
        spans=prepared.claim.spans,
        key=key,
        by_person=acting.alone,
        anew=anew,
    )
    if passage.is_closed:
        raise acting.suppressed(verb, passage)
    return passage


@contextmanager
def whole(acting: Acting, verb: str) -> Generator[None]:
    """Write several things as one group; where one of them is refused nothing is kept but the refusal."""
    try:
        with acting.store.group():
            yield
    except RefusedError as error:
        raise acting.refused(verb, error.decision) from None


def must_allow(acting: Acting, verb: str, decision: Decision) -> Decision:
    """Return the decision, or write the refusal down and raise it; of a session that may not write, nothing is."""
    acting.must_write_for(verb)
    if decision.verdict is Verdict.REFUSE:
        raise acting.refused(verb, decision)
    return decision
