"""A bundle: what somebody elsewhere needs to check one claim or one answer, without the store and without its keys.

It holds every header of the journal, which hold no words, a checkpoint over them, and the words of the records that
the lineage consists of, each with the salt of its commitment; words the reader may not see are named as withheld.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterable
from datetime import datetime
from hashlib import sha256
from typing import Any

from muniment.claims import (
    Assertion,
    AssertRecord,
    ClaimRecord,
    EntityRecord,
    ErasedError,
    Header,
    KeysError,
    MutedBy,
    ReceiptRecord,
    SourceRecord,
    Value,
    from_micros,
)

from .access import shown_assertions
from .attaching import attachments
from .checkpoint import Signer
from .proofs import Tree
from .prov import prov_document
from .state import State
from .store import Store

BUNDLE = "muniment-bundle/1"


class Lineage:
    """The records one claim or receipt consists of: `shown` in full, `hidden` in scopes the reader may not read."""

    def __init__(self, store: Store, readable: frozenset[int]) -> None:
        self._store, self._readable = store, readable
        self.shown: set[int] = set()
        self.hidden: set[int] = set()
        self.spans: dict[int, list[tuple[int, int]]] = {}
        self.whole: set[int] = set()

    def add(self, seqs: Iterable[int]) -> "Lineage":
        """Take in claims, sources and receipts with everything below them and what became of them."""
        state, queue = self._store.state, list(seqs)
        for seq in queue:
            if seq in self.shown or seq in self.hidden:
                continue
            node = state.claims.get(seq) or state.sources.get(seq)
            if node is not None and node.scope not in self._readable:
                self.hidden.add(seq)
                continue
            self.shown.add(seq)
            claim = state.claims.get(seq)
            if claim:
                told = self._store.state.restraint.about.get(seq, ())
                records = [*claim.assertions, *claim.changes, *told]
                self.shown.update(records)
                queue.extend(other for _, other in claim.relations)
                queue.extend([claim.replaced_by] if claim.replaced_by else [])
                for record in records:
                    queue.extend(self._below(self._store.header(record)))
        return self

    def _below(self, header: Header) -> list[int]:
        """Return what an assertion rests on, its spans noted."""
        if not isinstance(header, Assertion):
            return []
        ids = self._store.state.ids
        spans = {ids[span.source]: (span.start, span.end) for span in header.spans}
        for seq, span in spans.items():
            self.spans.setdefault(seq, []).append(span)
        grounds = [ids[antecedent] for antecedent in header.antecedents]
        self.whole.update(seq for seq in grounds if seq not in spans)
        return grounds

    def entities(self) -> set[int]:
        """Return the names that the shown records use: who wrote and for whom, origins, scopes."""
        number, scopes = self._store.state.number, self._store.state.scopes
        found: set[int] = set()
        for seq in self.shown:
            header = self._store.header(seq)
            names = {header.by, header.behalf, getattr(header, "origin", "")}
            names |= set(getattr(header, "origins", ()))
            names |= {part.origin for part in getattr(header, "parts", ())}
            found |= {number(name) for name in names}
            scope = number(getattr(header, "scope", ""))
            found |= {scope, *scopes.get(scope, ())}
        return found - {0}

    def wants(self, seq: int, place: int, header: Header) -> bool:
        """Return whether a payload belongs to the lineage: of a source only the parts that were quoted."""
        if not isinstance(header, SourceRecord) or seq in self.whole or seq not in self.spans:
            return True
        return any(
            part.seal == place and part.start < end and start < part.end
            for part in header.parts
            for start, end in self.spans[seq]
        )


def bundle_of(
    store: Store,
    signer: Signer,
    subject: int,
    readable: frozenset[int],
    unsaid: Callable[[int], str],
) -> dict[str, Any]:
    """Return the bundle of a claim, a source or a receipt, as JSON will hold it.

    `unsaid` says of a record why its words are left out, and nothing where they are not.
    """
    header = store.header(subject)
    named, made = tuple[str, ...](), list[int]()
    if isinstance(header, ReceiptRecord):
        named = header.claims
        made = [one.seq for one in attachments(store) if one.receipt == header.id]
    claims = (store.state.ids[name] for name in named)
    lineage = Lineage(store, readable).add([subject, *claims, *made])
    headers = [raw.header for raw in store.journal.scan()][: store.state.seq]
    tree = Tree(headers)
    entities = lineage.entities()
    records = sorted(lineage.shown | entities | _declarations(store, entities))
    words, withheld = _words(store, lineage, records, unsaid)
    bundle: dict[str, Any] = {
        "format": BUNDLE,
        "subject": header.id,
        "key": signer.key,
        "checkpoint": signer.checkpoint(tree.size, tree.root(tree.size)),
        "headers": [raw.decode("utf-8") for raw in headers],
        "records": [
            {"seq": seq, "proof": [_base64(step) for step in tree.inclusion(seq - 1, tree.size)]}
            for seq in records
        ],
        "words": words,
        "withheld": withheld,
        "status": _status(store, lineage.shown),
        "origins": _origin_classes(store, entities),
        "prov": prov_document(store, sorted(lineage.shown)),
    }
    return {**bundle, "seal": signer.note(f"{BUNDLE}\n{bundle_digest(bundle)}\n")}


def bundle_digest(bundle: dict[str, Any]) -> str:
    """Return the SHA-256 of a bundle without its seal, over its JSON with sorted names and no spaces."""
    body = {name: value for name, value in bundle.items() if name != "seal"}
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("utf-8")).hexdigest()


def _words(
    store: Store, lineage: Lineage, records: list[int], unsaid: Callable[[int], str]
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    words: list[dict[str, object]] = []
    withheld: list[dict[str, object]] = [
        {"seq": seq, "place": 0, "why": "scope"} for seq in sorted(lineage.hidden)
    ]
    for seq in records:
        header = store.header(seq)
        for place in range(len(header.seals)):
            where = {"seq": seq, "place": place}
            if isinstance(header, ReceiptRecord) and place:
                withheld.append({**where, "why": "audit"})
                continue
            if not lineage.wants(seq, place, header):
                withheld.append({**where, "why": "not quoted"})
                continue
            if why := unsaid(seq):
                withheld.append({**where, "why": why})
                continue
            if _is_revoked(store.state, seq, header):
                withheld.append({**where, "why": "revoked"})
                continue
            try:
                salt, body = store.disclosed(seq, place)
                words.append({**where, "salt": _base64(salt), "body": body.decode("utf-8")})
            except ErasedError:
                withheld.append({**where, "why": "destroyed"})
            except KeysError:
                withheld.append({**where, "why": "key missing"})
    return words, withheld


def _is_revoked(state: State, seq: int, header: Header) -> bool:
    """Return whether access to a source was revoked, or to one that went into a wording of a claim."""
    if isinstance(header, SourceRecord):
        return seq in state.revoked
    if not isinstance(header, ClaimRecord | AssertRecord):
        return False
    claim = state.claims[seq if isinstance(header, ClaimRecord) else state.ids[header.claim]]
    return seq in claim.assertions and seq not in shown_assertions(state, claim)


def _status(store: Store, shown: set[int]) -> dict[str, dict[str, object]]:
    claims, names = store.state.claims, store.state.names
    return {
        names[seq]: {
            "lifecycle": claims[seq].lifecycle.value,
            "supported": claims[seq].supported,
            "fresh": claims[seq].fresh,
            "version": claims[seq].version,
            "replaced_by": names[claims[seq].replaced_by],
            "muted": _muted(store, seq),
        }
        for seq in sorted(shown)
        if seq in claims
    }


def _declarations(store: Store, entities: set[int]) -> set[int]:
    """Return the records that declare two of these origins to be one; those that name another stay out."""
    return {seq for pair, seq in store.state.kin.items() if entities.issuperset(pair)}


def _origin_classes(store: Store, entities: set[int]) -> list[list[str]]:
    """Return those of the origins that count as one, in their classes, by identifier."""
    classes: dict[int, list[str]] = {}
    for seq in sorted(entities):
        if store.state.entity_types.get(seq) == "origin":
            classes.setdefault(store.state.origin_class(seq), []).append(store.state.names[seq])
    return [origins for _, origins in sorted(classes.items()) if len(origins) > 1]


def _muted(store: Store, claim: int) -> list[str]:
    """Return what mutes a claim as far as the headers say it: a theme's words are sealed."""
    held = store.state.restraint
    return [
        *([MutedBy.ITSELF.value] if claim in held.muted else []),
        *([MutedBy.REQUEST.value] if claim in held.requests else []),
    ]


class ReceiptSeen(Value):
    """A receipt in which a claim appeared: when it was given out, for what."""

    id: str
    at: datetime
    purpose: str


def receipts_of(store: Store, claim: str, readable: frozenset[int]) -> tuple[ReceiptSeen, ...]:
    """Return the receipts a claim appeared in that the reader may read, oldest first."""
    mark = b'"op":"receipt"'
    found: list[ReceiptSeen] = []
    for seq, raw in enumerate(store.journal.scan(), 1):
        if mark in raw.header and claim.encode("ascii") in raw.header:
            header = store.header(seq)
            if isinstance(header, ReceiptRecord) and store.state.number(header.scope) in readable:
                found.append(
                    ReceiptSeen(
                        id=header.id, at=from_micros(header.at), purpose=header.purpose.value
                    )
                )
    return tuple(found)


def everything(store: Store, readable: frozenset[int]) -> list[int]:
    """Return the records of all claims and sources that may be read."""
    state = store.state
    state = store.state
    nodes = [(one.seq, one.scope) for one in state.claims.values()]
    nodes += [(one.seq, one.scope) for one in state.sources.values()]
    lineage = Lineage(store, readable).add(seq for seq, scope in nodes if scope in readable)
    return sorted(seq for seq in lineage.shown if not isinstance(store.header(seq), EntityRecord))


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode("ascii")
