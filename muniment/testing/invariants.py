"""What must hold of a live memory at any moment: each check returns findings, none when all is well."""

import mmap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from muniment import Memory
from muniment.claims import (
    AccessRecord,
    AccountRecord,
    AssertRecord,
    AttachRecord,
    BlockRecord,
    ChangeRecord,
    ClaimRecord,
    CorpusRecord,
    DiscloseRecord,
    EraseRecord,
    ForgetRecord,
    HoldRecord,
    Integrity,
    Kind,
    Lifecycle,
    MuteRecord,
    PartLabel,
    PauseRecord,
    ReceiptRecord,
    RefusalRecord,
    RestoreRecord,
    RetentionRecord,
    SameOriginRecord,
    SecretRecord,
    SensitiveRecord,
    SourceRecord,
)
from muniment.lineage import ClaimState, State, Store
from muniment.policy import RULES

_DECIDED = (
    SourceRecord,
    ClaimRecord,
    AssertRecord,
    ChangeRecord,
    AccessRecord,
    ReceiptRecord,
    RefusalRecord,
    EraseRecord,
    BlockRecord,
    SecretRecord,
    HoldRecord,
    RestoreRecord,
    SameOriginRecord,
    DiscloseRecord,
    PauseRecord,
    MuteRecord,
    ForgetRecord,
    AccountRecord,
    SensitiveRecord,
    RetentionRecord,
    CorpusRecord,
    AttachRecord,
)


def findings(memory: Memory) -> tuple[str, ...]:
    """Return everything that is wrong with a memory; rebuilding its graph is part of the check."""
    return (
        *label_findings(memory.store.state),
        *decision_findings(memory.store),
        *integrity_findings(memory.store),
        *quote_findings(memory.store),
        *map(str, memory.verify().findings),
        *graph_findings(memory),
    )


def labels_from_scratch(state: State) -> Mapping[str, frozenset[int]]:
    """Return which claims are supported and which fresh: least fixpoints, by trying all claims until nothing is added.

    Supported rests on grounds asserted or superseded, fresh on grounds asserted; sources carry both, but for an older
    version of one, which carries support alone.
    """
    carrying = {
        "supported": (Lifecycle.ASSERTED, Lifecycle.SUPERSEDED),
        "fresh": (Lifecycle.ASSERTED,),
    }
    return {label: _least(state, lifecycles) for label, lifecycles in carrying.items()}


def _least(state: State, carrying: tuple[Lifecycle, ...]) -> frozenset[int]:
    held: set[int] = set()
    while True:
        carries = {seq for seq in held if state.claims[seq].lifecycle in carrying}
        carries.update(state.sources.keys() - state.revoked)
        if Lifecycle.SUPERSEDED not in carrying:
            carries.difference_update(state.replaced)
        more = {
            claim.seq
            for claim in state.claims.values()
            if claim.seq not in held
            and any(carries.issuperset(justification) for justification in claim.justifications)
        }
        if not more:
            return frozenset(held)
        held |= more


def label_findings(state: State) -> tuple[str, ...]:
    """Return the claims whose kept labels are not the least fixpoint."""
    found: list[str] = []
    for label, held in labels_from_scratch(state).items():
        kept = {claim.seq for claim in state.claims.values() if getattr(claim, label)}
        found += [f"claim {seq} is kept as {label} and nothing holds it up" for seq in kept - held]
        found += [f"claim {seq} is not kept as {label} though it is" for seq in held - kept]
    return tuple(found)


def decision_findings(store: Store) -> tuple[str, ...]:
    """Return the records that lack the decision that let them in, or name a rule that is none."""
    found: list[str] = []
    for seq in range(1, store.state.seq + 1):
        header = store.header(seq)
        if isinstance(header, _DECIDED):
            rule = RULES.get(header.decision.rule)
            if rule is None or rule.verdict is not header.decision.verdict:
                found.append(f"record {seq} names no rule of the table: {header.decision.rule}")
            if not header.decision.policy:
                found.append(f"record {seq} names no policy")
    return tuple(found)


def integrity_findings(store: Store) -> tuple[str, ...]:
    """Return the claims that stand higher than what they were made from allows."""
    found: list[str] = []
    ceilings = {
        Kind.STATED: Integrity.USER,
        Kind.OBSERVED: Integrity.TOOL,
        Kind.INFERRED: Integrity.AGENT,
        Kind.EXTERNAL: Integrity.EXTERNAL,
    }
    for claim in store.state.claims.values():
        if claim.integrity > ceilings[claim.kind]:
            found.append(f"claim {claim.seq} is {claim.kind.value} and {claim.integrity.name}")
        if claim.kind is Kind.INFERRED:
            found += _above_its_grounds(store, claim)
    return tuple(found)


def _above_its_grounds(store: Store, claim: ClaimState) -> Iterator[str]:
    for assertion in claim.assertions:
        header = store.header(assertion)
        if not isinstance(header, ClaimRecord | AssertRecord):
            continue
        if not header.parents_complete and claim.integrity > header.mark:
            yield f"claim {claim.seq} stands above the mark of record {assertion}"
        spans = {span.source: (span.start, span.end) for span in header.spans}
        for antecedent in header.antecedents:
            level = _level(store, antecedent, spans.get(antecedent))
            if claim.integrity > level:
                yield f"claim {claim.seq} stands above {antecedent} that it was made from"


def _level(store: Store, identifier: str, span: tuple[int, int] | None) -> Integrity:
    """Return the integrity of a claim or source; of a source that is quoted, the highest the quoted parts allow."""
    seq = store.state.ids[identifier]
    claim = store.state.claims.get(seq)
    if claim:
        return claim.integrity
    header = store.header(seq)
    parts = header.parts if isinstance(header, SourceRecord) else ()
    touched = [
        part.integrity
        for part in parts
        if span is None or (part.start < span[1] and span[0] < part.end)
    ]
    return min(touched, default=Integrity.EXTERNAL)


def quote_findings(store: Store) -> tuple[str, ...]:
    """Return the stated claims without a span that lies wholly in their person's own part, saying the very words."""
    return tuple(
        f"claim {claim.seq} is stated, yet assertion {assertion} quotes no part its person wrote"
        for claim in store.state.claims.values()
        if claim.kind is Kind.STATED
        for assertion in claim.assertions
        if not _quotes_own_words(store, assertion)
    )


def _quotes_own_words(store: Store, assertion: int) -> bool:
    header, sealed = store.record(assertion)
    if not isinstance(header, ClaimRecord | AssertRecord):
        return False
    for span in header.spans:
        source, words = store.record(store.state.ids[span.source])
        if not isinstance(source, SourceRecord) or source.by not in (header.by, header.behalf):
            continue
        text = "".join(part["text"] for part in words)
        own = all(
            part.label is PartLabel.OWN and part.integrity >= Integrity.USER
            for part in source.parts
            if part.start < span.end and span.start < part.end
        )
        if own and span.start < span.end and len(text[span.start : span.end]) > 0:
            return bool(sealed[0]["quote"])
    return False


def graph_findings(memory: Memory) -> tuple[str, ...]:
    """Return a finding when the graph made anew from the journal differs from the one that stands."""
    return () if memory.rebuild() else ("the graph is not what the journal says",)


def word_findings(folder: Path, words: Iterable[str]) -> tuple[str, ...]:
    """Return each file under a folder that holds one of the words as they are, in UTF-8 or UTF-16."""
    wanted = [
        (word, form)
        for word in words
        for form in (word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be"))
    ]
    found: list[str] = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or not path.stat().st_size:
            continue
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
            names = {word for word, form in wanted if held.find(form) >= 0}
        found += [f"{path.relative_to(folder)} holds {word!r}" for word in sorted(names)]
    return tuple(found)
