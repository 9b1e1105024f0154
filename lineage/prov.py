"""Lineage as PROV-JSON, a W3C member submission; attributes of ours say what PROV has no word for.

A claim or source is an entity, a record of the journal an activity, a person, agent or tool an agent. Several
derivations with one `muniment:justification` are an AND-group: the claim rests on all of them together.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from muniment.claims import (
    Assertion,
    AssertRecord,
    ChangeRecord,
    ClaimRecord,
    Header,
    Lifecycle,
    ReceiptRecord,
    Relation,
    SourceRecord,
    from_micros,
)

from .store import Store

_PLACE = "https://muniment.invalid/"
_PREFIXES = ("claim", "source", "record", "agent", "muniment")
_ENDED = (Lifecycle.CORRECTED, Lifecycle.SUPERSEDED, Lifecycle.RETRACTED, Lifecycle.REJECTED)
_REVISES = (Relation.CORRECTS, Relation.SUPERSEDES)


def prov_document(store: Store, records: Iterable[int]) -> dict[str, Any]:
    """Return the PROV-JSON document of some records, without words; names of persons are not in it either."""
    document = _Document(store)
    for seq in records:
        document.add(store.header(seq))
    return document.found


class _Document:
    def __init__(self, store: Store) -> None:
        self._store = store
        self.found: dict[str, Any] = {"prefix": {name: f"{_PLACE}{name}/" for name in _PREFIXES}}
        self._count = 0

    def add(self, header: Header) -> None:
        """Take in one record."""
        match header:
            case SourceRecord():
                self._node("source", header.id, {"muniment:medium": header.medium.value})
                self._made(header, f"source:{header.id}")
                if header.replaces:
                    revises = {
                        "prov:generatedEntity": f"source:{header.id}",
                        "prov:usedEntity": self._named(header.replaces),
                    }
                    self._relation(
                        "wasDerivedFrom", {**revises, "prov:type": _name("prov:Revision")}
                    )
            case ClaimRecord():
                self._claim(header)
                self._assertion(header, header.id)
            case AssertRecord():
                self._assertion(header, header.claim)
            case ChangeRecord():
                self._change(header)
            case ReceiptRecord():
                self._activity(header, {"muniment:purpose": header.purpose.value})
                for claim in header.claims:
                    self._relation(
                        "used",
                        {"prov:activity": f"record:{header.id}", "prov:entity": f"claim:{claim}"},
                    )
            case _:
                pass

    def _node(self, sort: str, identifier: str, attributes: dict[str, object]) -> None:
        place = self.found.setdefault("entity", {})
        place[f"{sort}:{identifier}"] = {"prov:type": _name(f"muniment:{sort}"), **attributes}

    def _claim(self, header: ClaimRecord) -> None:
        state = self._store.state.claims[header.seq]
        attributes: dict[str, object] = {
            "muniment:kind": header.kind.value,
            "muniment:category": header.category.value,
            "muniment:integrity": header.integrity.name,
            "muniment:lifecycle": state.lifecycle.value,
            "muniment:supported": state.supported,
            "muniment:fresh": state.fresh,
        }
        self._node("claim", header.id, attributes)
        for named in header.relations:
            attributes = {
                "prov:generatedEntity": f"claim:{header.id}",
                "prov:usedEntity": f"claim:{named.claim}",
                "muniment:relation": named.relation.value,
            }
            if named.relation in _REVISES:
                self._relation(
                    "wasDerivedFrom", {**attributes, "prov:type": _name("prov:Revision")}
                )
            else:
                influence = {
                    "prov:influencee": f"claim:{header.id}",
                    "prov:influencer": f"claim:{named.claim}",
                }
                self._relation(
                    "wasInfluencedBy", {**influence, "muniment:relation": named.relation.value}
                )

    def _assertion(self, header: Assertion, claim: str) -> None:
        self._made(header, f"claim:{claim}")
        spans = {span.source: span for span in header.spans}
        for antecedent in header.antecedents:
            node = self._named(antecedent)
            span = spans.get(antecedent)
            self._relation("used", {"prov:activity": f"record:{header.id}", "prov:entity": node})
            derived: dict[str, object] = {
                "prov:generatedEntity": f"claim:{claim}",
                "prov:usedEntity": node,
                "prov:activity": f"record:{header.id}",
                "muniment:justification": header.id,
            }
            if span:
                quotes = {"muniment:start": span.start, "muniment:end": span.end}
                derived |= {"prov:type": _name("prov:Quotation"), **quotes}
            self._relation("wasDerivedFrom", derived)

    def _change(self, header: ChangeRecord) -> None:
        attributes: dict[str, object] = {
            "muniment:verb": header.verb.value,
            "muniment:lifecycle": header.lifecycle.value,
            "muniment:rule": header.decision.rule,
            "muniment:lost": header.lost.count,
            "muniment:rescued": header.rescued.count,
        }
        if header.reason:
            attributes["muniment:reason"] = header.reason
        self._activity(header, attributes)
        about = {"prov:activity": f"record:{header.id}", "prov:entity": f"claim:{header.claim}"}
        if header.lifecycle in _ENDED:
            self._relation(
                "wasInvalidatedBy", {**about, "prov:time": _time(header.at), **attributes}
            )
        else:
            self._relation("used", about)

    def _made(self, header: Header | Assertion, entity: str) -> None:
        decision = getattr(header, "decision", None)
        self._activity(header, {"muniment:rule": decision.rule} if decision else {})
        about = {"prov:entity": entity, "prov:activity": f"record:{header.id}"}
        self._relation("wasGeneratedBy", {**about, "prov:time": _time(header.at)})
        if header.by:
            self._relation(
                "wasAttributedTo", {"prov:entity": entity, "prov:agent": f"agent:{header.by}"}
            )

    def _activity(self, header: Header | Assertion, attributes: dict[str, object]) -> None:
        when = {"prov:startTime": _time(header.at), "prov:endTime": _time(header.at)}
        activity = {
            **when,
            "prov:type": _name(f"muniment:{getattr(header, 'op', '')}"),
            **attributes,
        }
        self.found.setdefault("activity", {})[f"record:{header.id}"] = activity
        for name in (header.by, header.behalf):
            if name:
                sort = self._store.state.entity_types[self._store.state.ids[name]]
                kind = "prov:Person" if sort == "person" else "prov:SoftwareAgent"
                self.found.setdefault("agent", {})[f"agent:{name}"] = {"prov:type": _name(kind)}
        if header.by:
            about = {"prov:activity": f"record:{header.id}", "prov:agent": f"agent:{header.by}"}
            self._relation("wasAssociatedWith", about)
        if header.behalf:
            behalf = {
                "prov:delegate": f"agent:{header.by}",
                "prov:responsible": f"agent:{header.behalf}",
            }
            self._relation("actedOnBehalfOf", {**behalf, "prov:activity": f"record:{header.id}"})

    def _named(self, identifier: str) -> str:
        state = self._store.state
        sort = "claim" if state.ids[identifier] in state.claims else "source"
        if f"{sort}:{identifier}" not in self.found.setdefault("entity", {}):
            self._node(sort, identifier, {})
        return f"{sort}:{identifier}"

    def _relation(self, sort: str, attributes: Mapping[str, object]) -> None:
        self._count += 1
        self.found.setdefault(sort, {})[f"_:r{self._count}"] = dict(attributes)


def _name(qualified: str) -> dict[str, str]:
    return {"$": qualified, "type": "prov:QUALIFIED_NAME"}


def _time(micros: int) -> str:
    return from_micros(micros).isoformat()
