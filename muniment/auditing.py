"""The auditor's eye on a store: journal, decisions, receipts, what was withheld; no word is read, no byte written."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from muniment.claims import (
    UNREADABLE,
    Claim,
    ErasedError,
    InvalidError,
    NotFoundError,
    ReceiptRecord,
    Source,
    Use,
    Value,
    Verdict,
    from_micros,
    header_bytes,
    to_micros,
)
from muniment.lineage import (
    Status,
    Verification,
    attachments,
    bundle_of,
    receipts_of,
    statuses_view,
)
from muniment.policy import RULES
from muniment.retrieval import Answer, Prompt

from .acting import identifier_of
from .given import text_given
from .policies import PolicyVersion, policy_versions
from .receipts import DESTROYED, KEYLESS
from .replaying import receipt_named

if TYPE_CHECKING:
    from .memory import Memory

_UNSAID = "audit"


class JournalEntry(Value):
    """One record of the journal without its words: `header` is its JSON, `rule` that of its decision if it has one.

    `by` and `behalf` are opaque identifiers of principals, as everywhere in a header.
    """

    seq: int
    id: str
    at: datetime
    op: str
    by: str = ""
    behalf: str = ""
    verdict: str = ""
    rule: str = ""
    reason: str = ""
    policy: str = ""
    header: str


class GivenOut(Value):
    """One claim an answer gave: in which version, for which use, by which rules."""

    claim: str
    version: int
    use: Use | None = None
    rules: tuple[str, ...] = ()


class HeldBack(Value):
    """What one rule held back from an answer: how many claims, and which, as far as the receipt names them."""

    rule: str
    reason: str
    count: int
    claims: tuple[str, ...] = ()


class AuditedAnswer(Value):
    """Something the host attached to a receipt, without its words: when, and by whom, by identifier."""

    id: str
    at: datetime
    by: str
    behalf: str = ""


class AuditedReceipt(Value):
    """One recall without its question: who asked and where, by identifier, what was given and what was held back.

    `attached` are the answers attached to it, of which an auditor reads nothing.
    """

    id: str
    seq: int
    at: datetime
    purpose: str
    by: str
    behalf: str = ""
    scope: str = ""
    policy: str
    given: tuple[GivenOut, ...] = ()
    withheld: tuple[HeldBack, ...] = ()
    notes: tuple[str, ...] = ()
    attached: tuple[AuditedAnswer, ...] = ()


class Audit(Value):
    """An investigation without words: the records of a lineage, how its claims stand, which answers gave them.

    `bundle` is checked offline by `tools/verify_bundle.py` like any other; every payload in it is withheld.
    """

    subject: str
    records: tuple[JournalEntry, ...]
    statuses: tuple[Status, ...]
    receipts: tuple[AuditedReceipt, ...]
    verification: Verification
    undetermined: tuple[str, ...]
    key: str
    bundle: str


class _Unsealed(NamedTuple):
    """What a receipt seals besides words: counts and claims by the rule that held them, rules by claim, notes."""

    counts: Mapping[str, int] = {}
    held: Mapping[str, list[str]] = {}
    rules: Mapping[str, tuple[str, ...]] = {}
    notes: tuple[str, ...] = ()


class Auditor:
    """Somebody who may look at everything but words, and changes nothing; made by `Memory.auditor`."""

    def __init__(self, memory: "Memory", name: str) -> None:
        if not text_given(name, "the auditor").strip():
            raise InvalidError("name the auditor: the host has authenticated somebody")
        self._memory = memory
        self._store = memory.store
        self.name = name

    def journal(self, *, since: int = 1) -> Iterator[JournalEntry]:
        """Yield the records of the journal from number `since` on, in order."""
        if type(since) is not int or since < 1:
            raise InvalidError(f"since is the number of a record, from 1 on; it is {since!r}")
        self._store.check_open()
        for seq in range(since, self._store.state.seq + 1):
            with self._store.lock:
                yield self._entry(seq)

    def decisions(self, *, rule: str = "", verdict: Verdict | str = "") -> Iterator[JournalEntry]:
        """Yield the records that carry a decision, in order, of one rule or one verdict where that is named."""
        if rule and rule not in RULES:
            raise InvalidError(f"there is no rule {rule!r}; `muniment rules` lists them")
        if verdict and verdict not in tuple(Verdict):
            raise InvalidError(f"{verdict!r} is no verdict; use one of {', '.join(Verdict)}")
        for entry in self.journal():
            if entry.rule and rule in ("", entry.rule) and verdict in ("", entry.verdict):
                yield entry

    def receipts(self) -> Iterator[AuditedReceipt]:
        """Yield every recall there was, oldest first, with what was withheld from it by which rule."""
        self._store.check_open()
        made = self._attached()
        for seq in range(1, self._store.state.seq + 1):
            with self._store.lock:
                header = self._store.header(seq)
                if isinstance(header, ReceiptRecord):
                    yield self._receipt(header, made)

    def receipt(self, receipt: Answer | Prompt | str) -> AuditedReceipt:
        """Return one recall by its receipt; NotFoundError where there is none of that identifier."""
        named = receipt_named(receipt)
        with self._store.lock:
            self._store.check_open()
            seq = self._store.state.ids.get(named, 0)
            header = self._store.header(seq) if seq else None
            if not isinstance(header, ReceiptRecord):
                raise NotFoundError(f"there is no receipt {named!r} here; `receipts` lists them")
            return self._receipt(header, self._attached())

    def statuses(self) -> Iterator[Status]:
        """Yield how every claim stands and what it rests on."""
        self._store.check_open()
        yield from statuses_view(self._store, self._now())

    def policy_versions(self) -> tuple[PolicyVersion, ...]:
        """Return the policies that were in force, oldest first, with their dates and digests."""
        with self._store.lock:
            return policy_versions(self._store)

    def verify(self) -> Verification:
        """Return how the store's files stand, read as they are; no key is taken and nothing is brought up."""
        return self._memory.verify_files(self._memory.path, tenant=self._store.tenant)

    def investigate(self, thing: Answer | Prompt | Claim | Source | str) -> Audit:
        """Return everything but the words of a claim, a source or a receipt, with a bundle that proves it elsewhere."""
        about = receipt_named(thing) if isinstance(thing, Answer | Prompt) else identifier_of(thing)
        verification = self.verify()
        with self._store.lock:
            self._store.check_open()
            state = self._store.state
            seq = state.ids.get(about, 0)
            header = self._store.header(seq) if seq else None
            if not (
                seq in state.claims or seq in state.sources or isinstance(header, ReceiptRecord)
            ):
                raise NotFoundError(
                    f"there is no claim, no source and no receipt {about!r} here; the journal lists them"
                )
            everywhere = frozenset(state.scopes)
            signer = self._memory.signer
            bundle = bundle_of(self._store, signer, seq, everywhere, lambda _: _UNSAID)
            records = [int(one["seq"]) for one in bundle["records"]]
            inside = {state.names[one] for one in records}
            seen = receipts_of(self._store, about, everywhere)
            unread = sum(1 for one in bundle["withheld"] if one["why"] == _UNSAID)
            return Audit(
                subject=about,
                records=tuple(self._entry(one) for one in records),
                statuses=tuple(
                    one for one in statuses_view(self._store, self._now()) if one.id in inside
                ),
                receipts=tuple(self.receipt(one.id) for one in seen),
                verification=verification,
                undetermined=(
                    f"what {unread} payloads of the lineage say: an auditor reads no words",
                    *verification.undetermined,
                ),
                key=signer.key,
                bundle=json.dumps(bundle, ensure_ascii=False, indent=1),
            )

    def _now(self) -> int:
        return to_micros(self._memory.clock())

    def _entry(self, seq: int) -> JournalEntry:
        header = self._store.header(seq)
        decided = getattr(header, "decision", None)
        rule = decided.rule if decided else ""
        return JournalEntry(
            seq=seq,
            id=header.id,
            at=from_micros(header.at),
            op=header.op,
            by=header.by,
            behalf=header.behalf,
            verdict=decided.verdict.value if decided else "",
            rule=rule,
            reason=RULES[rule].reason if rule in RULES else "",
            policy=decided.policy if decided else "",
            header=header_bytes(header).decode("utf-8"),
        )

    def _attached(self) -> Mapping[str, list[AuditedAnswer]]:
        """Return by receipt what was attached to it, oldest first."""
        found: dict[str, list[AuditedAnswer]] = {}
        with self._store.lock:
            for one in attachments(self._store):
                seen = AuditedAnswer(
                    id=one.id, at=from_micros(one.at), by=one.by, behalf=one.behalf
                )
                found.setdefault(one.receipt, []).append(seen)
        return found

    def _receipt(
        self, header: ReceiptRecord, made: Mapping[str, list[AuditedAnswer]]
    ) -> AuditedReceipt:
        sealed = self._sealed(header)
        versions = header.versions or (0,) * len(header.claims)
        uses = header.uses or (None,) * len(header.claims)
        given = zip(header.claims, versions, uses, strict=True)
        return AuditedReceipt(
            id=header.id,
            seq=header.seq,
            at=from_micros(header.at),
            purpose=header.purpose.value,
            by=header.by,
            behalf=header.behalf,
            scope=header.scope,
            policy=header.decision.policy,
            given=tuple(
                GivenOut(claim=claim, version=version, use=use, rules=sealed.rules.get(claim, ()))
                for claim, version, use in given
            ),
            withheld=tuple(
                HeldBack(
                    rule=rule,
                    reason=RULES[rule].reason if rule in RULES else "",
                    count=count,
                    claims=tuple(sealed.held.get(rule, ())),
                )
                for rule, count in sorted(sealed.counts.items())
            ),
            notes=sealed.notes,
            attached=tuple(made.get(header.id, ())),
        )

    def _sealed(self, header: ReceiptRecord) -> _Unsealed:
        """Return of what is sealed in a receipt what holds no words."""
        if not header.seals:
            return _Unsealed()
        try:
            words = self._store.words(header.seq)
            held = self._store.words(header.seq, 1) if len(header.seals) > 1 else {}
        except UNREADABLE as error:
            why = DESTROYED if isinstance(error, ErasedError) else KEYLESS
            return _Unsealed(notes=(f"{header.withheld} claims were withheld; {why}",))
        rules = {one["claim"]: tuple(one.get("rules", ())) for one in words["evidence"]}
        unnamed = header.withheld - sum(map(len, held.values()))
        notes = (
            (f"of {unnamed} claims that were withheld it does not say which",) if unnamed else ()
        )
        return _Unsealed(words["withheld"], held, rules, notes)
