"""Receipts: what is written down of one recall, and what is read from one later."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from muniment.claims import UNREADABLE, ErasedError, NotFoundError, ReceiptRecord, Use
from muniment.lineage import Store, write_receipt
from muniment.policy import REMOVED, decide, judge_credentials, without_credentials
from muniment.retrieval import Question, Reason, Recalled, Way

from .acting import Acting

KEYLESS = "the question and the scores of that day cannot be read without their key"
DESTROYED = "the question and the scores of that day were destroyed by an erasure"


class Given(NamedTuple):
    """One claim an answer gave; version 0, no use and no rules where an older receipt was destroyed or held none."""

    claim: str
    version: int
    use: Use | None
    score: float
    reasons: tuple[Reason, ...]
    rules: tuple[str, ...]


_MOST_HELD = 500  # claims kept back that one receipt names; the count beside them is whole


class Receipt(NamedTuple):
    """A receipt read back: from which records it was drawn, at which moment it was judged, what it gave in order.

    `prompt` are the lines of the prompt assembled from it that are not the host's own: (line, claim or source of the
    block); `lost` says why its words cannot be read.
    """

    header: ReceiptRecord
    known: int
    moment: int
    question: str
    present: Mapping[str, str]
    given: tuple[Given, ...]
    withheld: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]
    ways: tuple[Way, ...] = ()
    tools: tuple[str, ...] = ()
    task: str = ""
    connect: bool = False
    searched: int = 0
    prompt: tuple[tuple[int, str], ...] = ()
    lost: str = ""

    def line_of(self, number: int) -> str:
        """Return what a line of the prompt was taken from: a claim, a source or a write of the block, else empty."""
        return dict(self.prompt).get(number, "")


def keep_receipt(
    acting: Acting,
    question: Question,
    recalled: Recalled,
    *,
    known: int,
    prompt: Sequence[tuple[int, str]] = (),
) -> str:
    """Write down what a recall gave and return the receipt's identifier; the question and the scores are sealed.

    So is, apart, which claims were kept back by which rule. `known` is the number of the last record the answer was
    drawn from, `prompt` what each line of the prompt it fed was taken from. Of somebody of whom nothing is kept it is
    only written that there was a recall, and the identifier is empty: nobody could read it.
    """
    store, answer = acting.store, recalled.answer
    if not (acting.known or answer.evidence):
        with store.group():
            write_receipt(
                store,
                decide("READABLE"),
                acting.known_writer(),
                purpose=question.purpose,
                known=known,
                moment=question.now,
            )
        return ""
    words: dict[str, object] = {
        "question": without_credentials(question.query),
        "present": _kept(question.present),
        "tools": list(question.tools),
        "limit": question.limit,
        **({"need": without_credentials(question.need)} if question.need else {}),
        **({"task": question.task} if question.task else {}),
        **({"connect": True} if question.connect else {}),
        **({"prompt": [list(line) for line in prompt]} if prompt else {}),
        "searched": answer.searched,
        "ways": list(answer.ways),
        "notes": list(answer.notes),
        "withheld": {item.rule: item.count for item in answer.withheld},
        "evidence": [
            {
                "claim": item.claim.id,
                "score": round(item.score * 1000),
                "reasons": [
                    [reason.code, reason.detail, round(reason.score * 1000)]
                    for reason in item.reasons
                ],
                "rules": list(item.rules),
            }
            for item in answer.evidence
        ],
    }
    with store.group():
        header = write_receipt(
            store,
            decide("READABLE"),
            acting.writer(),
            purpose=question.purpose,
            scope=store.names.register_scope(acting.claims_scope()),
            given=[(item.claim.id, item.claim.version, item.use) for item in answer.evidence],
            known=known,
            moment=question.now,
            withheld=sum(item.count for item in answer.withheld),
            words=words,
            held=_held(store, recalled.held),
        )
    return header.id


def _held(store: Store, held: Mapping[int, str]) -> dict[str, list[str]]:
    """Return the claims that were kept back by the rule that did, by identifier, the oldest first."""
    found: dict[str, list[str]] = {}
    for seq in sorted(held)[:_MOST_HELD]:
        found.setdefault(held[seq], []).append(store.state.names[seq])
    return found


def _kept(present: Mapping[str, str]) -> dict[str, str]:
    """Return what was stated, as it is written down: a credential beside its name is none the less one."""
    return {
        name: REMOVED if judge_credentials((f"{name}: {value}", value)) else value
        for name, value in present.items()
    }


def receipt_of(store: Store, identifier: str, readable: frozenset[int] | None) -> Receipt | None:
    """Return the receipt of that identifier, None where it names something else or nothing.

    One outside the scopes that may be read raises NotFoundError; the host reads all of them with `readable` None.
    """
    seq = store.state.ids.get(identifier, 0)
    header = store.header(seq) if seq else None
    if not isinstance(header, ReceiptRecord):
        return None
    if readable is not None and store.state.number(header.scope) not in readable:
        raise NotFoundError(
            f"there is no {identifier!r} here; look it up with `muniment claims` or recall"
        )
    words = _words(store, header)
    need = words.get("need", "")
    return Receipt(
        header=header,
        known=header.known or header.seq - 1,
        moment=header.at if header.moment is None else header.moment,
        question=words["question"],
        present=words["present"],
        given=tuple(_given(header, place, item) for place, item in enumerate(words["evidence"])),
        withheld=tuple(sorted(words["withheld"].items())),
        notes=(*words["notes"], *([f"asked with a need: {need}"] if need else [])),
        ways=tuple(words.get("ways", ())),  # an older receipt does not say
        tools=tuple(words.get("tools", ())),
        task=words.get("task", ""),
        connect=words.get("connect", False),
        searched=words.get("searched", 0),
        prompt=tuple((line, thing) for line, thing in words.get("prompt", ())),
        lost=words.get("lost", ""),
    )


def held_by(store: Store, header: ReceiptRecord) -> Mapping[str, str]:
    """Return the claims that a receipt names as kept back, by identifier, with the rule of each."""
    try:
        held = store.words(header.seq, 1) if len(header.seals) > 1 else {}
    except UNREADABLE:
        return {}
    return {claim: rule for rule, claims in held.items() for claim in claims}


def _given(header: ReceiptRecord, place: int, item: Mapping[str, Any]) -> Given:
    """Return what was given in one place of an answer; receipts of older versions sealed the use and the version."""
    uses, versions = header.uses, header.versions
    sealed = item.get("use", "")
    return Given(
        claim=item["claim"],
        version=versions[place] if versions else item.get("version", 0),
        use=uses[place] if uses else Use(sealed) if sealed else None,
        score=item.get("score", 0) / 1000,
        reasons=tuple(
            Reason(code=code, detail=detail, score=score / 1000)
            for code, detail, score in item.get("reasons", ())
        ),
        rules=tuple(item.get("rules", ())),
    )


def _words(store: Store, header: ReceiptRecord) -> dict[str, Any]:
    """Return what a receipt holds; where its key was destroyed only which claims it gave, from its header."""
    try:
        if header.seals:
            return store.words(header.seq)
        notes: list[str] = []
    except UNREADABLE as error:
        notes = [DESTROYED if isinstance(error, ErasedError) else KEYLESS]
    return {
        "question": "",
        "present": {},
        "withheld": {},
        "notes": notes,
        "lost": "; ".join(notes),
        "evidence": [{"claim": claim} for claim in header.claims],
    }
