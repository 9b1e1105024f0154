"""Assembling a prompt: one recall, the block and the host's own texts made one text, with a receipt of what it held."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from muniment.claims import (
    Block,
    RefusedError,
    Right,
    canonical_bytes,
    from_micros,
)
from muniment.lineage import Opened
from muniment.policy import Definition, Hint, definitions_for, judge_budget
from muniment.retrieval import (
    Answer,
    Evidence,
    Fitted,
    Frame,
    Index,
    Item,
    Mode,
    Prompt,
    PromptLine,
    Question,
    Recalled,
    Way,
    counted,
    defined,
    fitted,
    items_of,
    judged_anew,
    recall,
)

from .acting import Acting
from .blocking import block_in_prompt
from .echoing import given_out
from .receipts import keep_receipt
from .replaying import GONE, UNSAID
from .sensitivity import not_admitted
from .wanted import Wanted, zone_given

_ALL = 1_000_000  # what is always on comes whatever the limit


class Means(NamedTuple):
    """What memory is looked up with: the index to look in, or where there is none why, and the hints to show."""

    lookup: Index | None
    trouble: str
    hints: Sequence[Hint]


class _Memory(NamedTuple):
    """What memory gives a prompt: what is always on, what a question found, the block, the definitions."""

    always: tuple[Evidence, ...]
    evidence: tuple[Evidence, ...]
    block: Block
    held_lines: Mapping[str, str]
    definitions: tuple[Definition, ...]
    held: Mapping[int, str]
    looked: bool
    ways: tuple[Way, ...]
    searched: int
    notes: tuple[str, ...]


class _Snapshot(NamedTuple):
    """What a frozen prompt keeps, when it was taken and what was asked then."""

    memory: _Memory
    taken: int
    asked: tuple[object, ...]
    restraint: tuple[object, ...]


class Frozen:
    """What a session's frozen prompts hold: kept with the session, in memory only, so another one takes its own."""

    def __init__(self) -> None:
        self.snapshot: _Snapshot | None = None
        self.thawed_by = ""

    def thaw(self, rule: str) -> None:
        """Let go of what was held, by that rule."""
        if self.snapshot is not None:
            self.snapshot, self.thawed_by = None, rule


def assemble(
    acting: Acting,
    means: Means,
    frozen: Frozen,
    question: Question,
    wanted: Wanted,
) -> Prompt:
    """Return the prompt for a question and leave its receipt; without a right to memory the host's texts alone."""
    if not (usable := acting.permit(Right.PROMPT)):
        frozen.thaw(usable.decision.rule)
        return _without_memory(question, wanted, usable.told)
    memory, snapshot, thawed_by = _memory(acting, means, frozen, question, wanted)
    known = acting.store.state.seq
    frame = _frame(question, wanted, memory.block, snapshot)
    items = (*defined(memory.definitions), *items_of(memory.always, memory.evidence))
    found = fitted(frame, items, _mark(acting, frame, items), wanted.measure, wanted.budget)
    _must_fit(found, wanted)
    held = {acting.store.state.ids[one.claim]: one.rule for one in found.left_out if one.claim}
    recalled = _given(acting, question, memory, found.items, {**memory.held, **held})
    notes = (*recalled.answer.notes, *_told(snapshot, thawed_by))
    recalled = recalled._replace(answer=recalled.answer.model_copy(update={"notes": notes}))
    receipt, notes = _receipt(acting, question, recalled, known, found.laid.lines)
    _enters(acting, recalled.answer, memory.block)
    return Prompt(
        text=found.laid.text,
        sections=found.laid.sections,
        lines=found.laid.lines,
        mode=wanted.mode,
        taken_at=from_micros(snapshot.taken) if snapshot else None,
        thawed_by=thawed_by,
        count=found.size,
        budget=wanted.budget,
        left_out=found.left_out,
        withheld=recalled.answer.withheld,
        looked=memory.looked,
        notes=notes,
        receipt=receipt,
    )


def _without_memory(question: Question, wanted: Wanted, why: str) -> Prompt:
    frame = _frame(question, wanted, Block(), None)
    found = fitted(frame, (), "", wanted.measure, wanted.budget)
    _must_fit(found, wanted)
    return Prompt(
        text=found.laid.text,
        sections=found.laid.sections,
        mode=wanted.mode,
        count=found.size,
        budget=wanted.budget,
        looked=False,
        notes=(why,),
    )


# --- what memory gives ---------------------------------------------------------------------------------------------


def _memory(
    acting: Acting,
    means: Means,
    frozen: Frozen,
    question: Question,
    wanted: Wanted,
) -> tuple[_Memory, _Snapshot | None, str]:
    """Return what memory gives: as it is now, or as the session's first frozen prompt had it."""
    if wanted.mode is Mode.LIVE:
        return _looked_up(acting, means, question), None, ""
    asked = (question.purpose, question.tools, question.need, question.task, question.connect)
    if (kept := frozen.snapshot) is not None:
        given = (*kept.memory.always, *kept.memory.evidence)
        again = judged_anew(acting.store, question, given, means.hints)
        if rule := _thaws(acting, kept, asked, again, question):
            frozen.thaw(rule)
        else:
            return _as_now(kept.memory, again), kept, ""
    memory = _looked_up(acting, means, question)
    taken = _Snapshot(memory, question.now, asked, _restraint(acting))
    rule = frozen.thawed_by
    if memory.looked:  # what could not look is not what stays
        frozen.snapshot, frozen.thawed_by = taken, ""
    return memory, taken, rule


def _looked_up(acting: Acting, means: Means, question: Question) -> _Memory:
    """Return what memory gives now: what is always on does not depend on the question, so that its bytes stay."""
    store = acting.store
    unasked = {"query": "", "tools": (), "connect": False, "limit": _ALL}
    standing = recall(store, None, question.model_copy(update=unasked), means.hints)
    constraints = [one for one in standing.answer.evidence if _is_constraint(one)]
    more = question.limit + len(constraints)  # which take no room of what the question finds
    asked = question.model_copy(update={"limit": more})
    found = recall(store, means.lookup, asked, means.hints, trouble=means.trouble)
    always = {one.claim.id: one for one in standing.answer.evidence}
    evidence = tuple(one for one in found.answer.evidence if one.claim.id not in always)
    always.update((one.claim.id, one) for one in found.answer.evidence if one.claim.id in always)
    ordered = sorted(
        always.values(), key=lambda one: (not _is_constraint(one), store.state.ids[one.claim.id])
    )
    block, lines = block_in_prompt(acting, sensitive=bool(question.need))
    return _Memory(
        always=tuple(ordered),
        evidence=evidence,
        block=block,
        held_lines=lines,
        definitions=definitions_for(
            acting.policy.definitions,
            question.query,
            org=acting.scope.org,
            project=acting.scope.project,
        ),
        held={**standing.held, **found.held},
        looked=found.answer.looked,
        ways=found.answer.ways,
        searched=found.answer.searched,
        notes=(*found.answer.notes, *not_admitted(acting), *_lines_told(acting, lines)),
    )


def _is_constraint(one: Evidence) -> bool:
    return one.claim.category == "constraint"


def _lines_told(acting: Acting, held: Mapping[str, str]) -> list[str]:
    seen = Counter(_seen_as(acting, rule) for rule in held.values())
    return [f"{count} lines of the block kept back: {rule}" for rule, count in sorted(seen.items())]


# --- frozen --------------------------------------------------------------------------------------------------------


def _restraint(acting: Acting) -> tuple[object, ...]:
    """Return how often memory was paused here and how the account came to stand: either thaws."""
    held = acting.store.state.restraint
    person = acting.store.names.find("person", acting.scope.person)
    account = held.accounts.get(person) if person else None
    return sum(held.pauses[scope] for scope in acting.own_scopes()), account


def _thaws(
    acting: Acting,
    kept: _Snapshot,
    asked: tuple[object, ...],
    again: Mapping[str, Evidence | str],
    question: Question,
) -> str:
    """Return the rule by which something of a snapshot would not be given now as it was, empty where all would be."""
    paused, account = _restraint(acting)
    if paused != kept.restraint[0]:
        return "PAUSED"
    if account != kept.restraint[1]:
        return "ACCOUNT_STATE"
    for one in (*kept.memory.always, *kept.memory.evidence):
        now = again[one.claim.id]
        if isinstance(now, str):
            return _seen_as(acting, now)
        if items_of((one,), ()) != items_of((now,), ()):
            rules = [rule for rule in now.rules if rule not in one.rules]
            lifted = [rule for rule in one.rules if rule not in now.rules]
            return next(iter((*rules, *lifted)), "the wording changed")
    block, held = block_in_prompt(acting, sensitive=bool(question.need))
    if block.prompt != kept.memory.block.prompt:
        return _block_changed(acting, kept.memory.block, block, held)
    return "" if asked == kept.asked else "asked otherwise"


def _block_changed(acting: Acting, was: Block, block: Block, held: Mapping[str, str]) -> str:
    lost = {line.text for line in was.lines} - {line.text for line in block.lines}
    for text in sorted(lost):
        if text in held:
            return _seen_as(acting, held[text])
    return _seen_as(acting, GONE) if lost and block.id in ("", was.id) else "BLOCK_WRITTEN"


def _seen_as(acting: Acting, rule: str) -> str:
    """Return a rule as whoever asks is told it: that something was erased only the person herself learns."""
    return UNSAID if rule == GONE and not acting.alone else rule


def _as_now(memory: _Memory, again: Mapping[str, Evidence | str]) -> _Memory:
    """Return what a snapshot holds with each claim's version of now; what was kept back then is not counted again."""

    def renewed(found: Sequence[Evidence]) -> tuple[Evidence, ...]:
        return tuple(now for one in found if isinstance(now := again[one.claim.id], Evidence))

    return memory._replace(
        always=renewed(memory.always), evidence=renewed(memory.evidence), held={}, searched=0
    )


def _told(snapshot: _Snapshot | None, thawed_by: str) -> list[str]:
    """Return what the receipt says of a frozen prompt."""
    if snapshot is None:
        return []
    told = f"frozen: what is remembered was taken at {from_micros(snapshot.taken).isoformat()}"
    return [told, *([f"thawed and taken anew: {thawed_by}"] if thawed_by else [])]


# --- the text ------------------------------------------------------------------------------------------------------


def _frame(question: Question, wanted: Wanted, block: Block, snapshot: _Snapshot | None) -> Frame:
    zone = zone_given(wanted.zone)
    day = from_micros(question.now).astimezone(zone).date()
    told = f"Date: {day.isoformat()} ({wanted.zone})"
    if snapshot is not None:
        taken = from_micros(snapshot.taken).astimezone(zone).date()
        told += f"; what is remembered here is as of {taken.isoformat()}"
    return Frame(**wanted.texts, block=block, day=told)


def _mark(acting: Acting, frame: Frame, items: Sequence[Item]) -> str:
    """Return what quotations stand between: no text can guess it, none has it, and a session keeps it."""
    said = "\n".join(
        (
            frame.stable,
            frame.context,
            frame.volatile,
            frame.block.text,
            *(one.text for one in items),
        )
    )
    place = canonical_bytes(acting.scope.named()).decode("utf-8")
    number = 0
    while True:
        token = acting.store.keys.fingerprint_of(f"{number}|{place}", b"prompt quotation")
        if token not in said:
            return f"quotation {token}"
        number += 1


def _must_fit(found: Fitted, wanted: Wanted) -> None:
    """Raise RefusedError where what is never dropped is over the budget, with the constraints named."""
    constraints = [item.claim for item in found.items if item.kept]
    if wanted.budget and (refused := judge_budget(found.size, wanted.budget, constraints)):
        raise RefusedError(refused)


# --- what it leaves ------------------------------------------------------------------------------------------------


def _given(
    acting: Acting,
    question: Question,
    memory: _Memory,
    items: Sequence[Item],
    held: Mapping[int, str],
) -> Recalled:
    """Return as one recall exactly what a prompt holds, and what was kept back from it by which rule."""
    kept = {item.claim for item in items}
    evidence = [one for one in (*memory.always, *memory.evidence) if one.claim.id in kept]
    ids = acting.store.state.ids
    given = {ids[one.claim.id] for one in evidence}
    back = {seq: rule for seq, rule in held.items() if seq not in given}
    answer = Answer(
        query=question.query,
        purpose=question.purpose,
        definitions=tuple(
            one for one in memory.definitions if one.term in {item.term for item in items}
        ),
        evidence=tuple(evidence),
        withheld=counted(back),
        looked=memory.looked,
        ways=memory.ways,
        searched=memory.searched,
        notes=memory.notes,
    )
    return Recalled(answer, back)


def _receipt(
    acting: Acting,
    question: Question,
    recalled: Recalled,
    known: int,
    lines: Sequence[PromptLine],
) -> tuple[str, tuple[str, ...]]:
    notes = recalled.answer.notes
    if acting.store.access is Opened.READ:
        return "", (*notes, "opened read-only: no receipt is kept")
    told = [(line.number, line.of) for line in lines if line.of]
    return keep_receipt(acting, question, recalled, known=known, prompt=told), notes


def _enters(acting: Acting, answer: Answer, block: Block) -> None:
    """Lower the mark by what entered the prompt, and write down what of the block was given out."""
    ids = acting.store.state.ids
    for one in answer.evidence:
        acting.lower_mark(one.claim.integrity)
    taken: list[str] = []
    for line in block.lines:
        acting.lower_mark(line.integrity)
        taken += [name for name in (line.claim, line.source, *line.grounds) if name]
    given_out(acting, "read", [ids[name] for name in dict.fromkeys(taken) if name in ids])
