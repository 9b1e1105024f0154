"""Asking why: of a claim, a receipt, a line of its prompt, a host's trace id or a sentence of an answer."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from muniment.claims import (
    UNREADABLE,
    Claim,
    InvalidError,
    ReceiptRecord,
    canonical_text,
    from_micros,
    phrase_in,
    to_micros,
)
from muniment.lineage import attached_among, is_restricted, part_text, receipts_between, traced
from muniment.retrieval import Answer, Prompt

from .acting import Acting, identifier_of
from .answers import read_attached
from .attaching import ANSWER_LIMIT
from .echoing import read_out
from .given import count_given, text_given
from .hushing import must_see, seen_explanation, seen_text, sees
from .receipts import Receipt, receipt_of
from .resting import rests_on, said_by
from .why import Explanation, FromMemory, Line, Looked, explain

Around = date | datetime | None
AROUND_DAYS = 3
_BEST = (FromMemory.YES, FromMemory.MAYBE, FromMemory.UNKNOWN, FromMemory.NO)


def explained(
    acting: Acting,
    thing: Answer | Prompt | Claim | str,
    *,
    claim: Claim | str = "",
    line: int = 0,
    text: str = "",
    around: Around = None,
) -> Explanation:
    """Return why, as `Session.why` says it, and note what of it entered an agent's context."""
    about = thing.receipt if isinstance(thing, Answer | Prompt) else identifier_of(thing)
    wanted, sentence = identifier_of(claim), text_given(text, "the text", limit=ANSWER_LIMIT)
    if sentence and (about or wanted or line):
        raise InvalidError("a sentence is asked about by itself; give text, with around, alone")
    if around is not None and not sentence:
        raise InvalidError("around goes with text: it says when the sentence was answered")
    if line and wanted:
        raise InvalidError("give line or claim, not both")
    if not (about or sentence):
        raise InvalidError("name a claim, a receipt or a trace id, or give text")
    with acting.store.lock:
        if sentence:
            found = _of_sentence(acting, sentence, around)
        else:
            found = _of_thing(acting, about, wanted, line)
    return _entered(acting, found)


def _entered(acting: Acting, found: Explanation) -> Explanation:
    """Return an explanation as it may be seen, having noted that it was."""
    found = seen_explanation(acting, found)
    read: list[str] = []
    for line in found.lines:
        acting.has_read(line.claim.integrity)
        read.append(line.claim.id)
        for step in line.path:
            acting.has_read(step.citation.integrity)
            read.extend([step.citation.id] if step.citation.quote else [])
    read_out(acting, read)
    return found


def _of_thing(acting: Acting, about: str, wanted: str, line: int) -> Explanation:
    state = acting.store.state
    notes: tuple[str, ...] = ()
    if about not in state.ids:
        about, notes = _by_trace(acting, about)
    header = acting.store.header(state.ids[about]) if about in state.ids else None
    if about in state.ids and (line or state.ids[about] in state.claims):
        must_see(acting, about)
    found = _explain(acting, about, wanted)
    if line:
        receipt = receipt_of(acting.store, about, acting.readable())
        if receipt is None or header is None:
            raise InvalidError("line goes with a receipt: it counts the lines of its prompt")
        found = _of_line(acting, receipt, found, count_given(line, "line"))
    return found.model_copy(update={"notes": (*found.notes, *notes)})


def _explain(acting: Acting, about: str, wanted: str = "") -> Explanation:
    return explain(
        acting.store,
        about,
        wanted,
        now=acting.now(),
        readable=acting.readable(),
        owner=acting.asker().person if acting.alone else 0,
    )


def _by_trace(acting: Acting, trace: str) -> tuple[str, tuple[str, ...]]:
    """Return the newest receipt with a host's trace id, and what there is besides; without one, what was asked."""
    names = acting.store.state.names
    text_given(trace, "the trace id")
    readable = acting.readable()
    found = [names[seq] for seq in traced(acting.store, trace) if _may_read(acting, seq, readable)]
    if not found:
        return trace, ()
    others = ", ".join(found[:-1])
    return found[-1], ((f"the trace id names other recalls too: {others}",) if others else ())


def _may_read(acting: Acting, seq: int, readable: frozenset[int]) -> bool:
    """Return whether a receipt may be read here, with everything it gave."""
    header = acting.store.header(seq)
    if not isinstance(header, ReceiptRecord):
        return False
    inside = acting.store.state.number(header.scope) in readable
    return inside and all(sees(acting, claim) for claim in header.claims)


# --- one line of a prompt --------------------------------------------------------------------------------------


def _of_line(acting: Acting, receipt: Receipt, found: Explanation, line: int) -> Explanation:
    """Return what one line of the prompt made of a receipt rests on."""
    thing = receipt.line_of(line)
    lines = tuple(one for one in found.lines if one.claim.id == thing)
    is_claim = acting.store.state.ids.get(thing, 0) in acting.store.state.claims
    if (
        is_claim and not lines and _is_shown(acting, thing)
    ):  # of a recall before, in a frozen prompt
        lines = _explain(acting, thing).lines
    if lines:
        lines = tuple(one.model_copy(update={"from_memory": FromMemory.YES}) for one in lines)
        return found.model_copy(update={"lines": lines, "from_memory": FromMemory.YES})
    if receipt.lost:
        verdict, note = FromMemory.UNKNOWN, "which lines its prompt had cannot be read any more"
    elif not receipt.prompt:
        verdict = FromMemory.UNKNOWN
        note = "no prompt was assembled from this recall here: what stood in its lines is not known"
    elif not thing:
        verdict, note = FromMemory.NO, f"line {line} is the host's own, or none"
    elif is_claim:
        verdict, note = FromMemory.YES, f"line {line} was a claim that cannot be shown any more"
    else:
        verdict = FromMemory.YES
        seen = acting.alone or sees(acting, thing)
        named = f", from {thing}" if seen and _is_readable(acting, thing) else ""
        note = f"line {line} is a line of the always-on block{named}"
    update = {"lines": (), "from_memory": verdict, "notes": (*found.notes, note)}
    return found.model_copy(update=update)


def _is_shown(acting: Acting, claim: str) -> bool:
    state = acting.store.state.claims[acting.store.state.ids[claim]]
    return bool(state.assertions) and state.scope in acting.readable() and sees(acting, claim)


def _is_readable(acting: Acting, identifier: str) -> bool:
    source = acting.store.state.sources.get(acting.store.state.ids.get(identifier, 0))
    return source is not None and source.scope in acting.readable()


# --- a sentence of an answer -----------------------------------------------------------------------------------


class _Time(NamedTuple):
    """A stretch of whole days, and the moments of it that are nearest, in microseconds."""

    first: int
    past: int
    since: int
    until: int

    def distance(self, at: int) -> int:
        return max(self.since - at, at - self.until, 0)


def _time_of(around: object, now: int) -> _Time:
    if isinstance(around, datetime):
        at = to_micros(around, "around")
        since = until = at
    elif isinstance(around, date):
        day = datetime.combine(around, time(), UTC)
        since, until = to_micros(day), to_micros(day) + 86_400_000_000 - 1
        at = since
    elif around is None:
        at = since = until = now
    else:
        raise InvalidError(f"around is of type {type(around).__name__}; give a date or a datetime")
    try:
        day = datetime.combine(from_micros(at).date(), time(), UTC)
        first = to_micros(day - timedelta(days=AROUND_DAYS))
        past = to_micros(day + timedelta(days=AROUND_DAYS + 1))
    except OverflowError:
        raise InvalidError("around lies outside the years that can be looked through") from None
    return _Time(first, past, since, until)


def _of_sentence(acting: Acting, sentence: str, around: Around) -> Explanation:
    """Return which answer of these days holds a sentence, and on which claims it rests, if on any."""
    wanted, when = canonical_text(sentence), _time_of(around, acting.now())
    if not wanted:
        raise InvalidError("the text holds no word; give a sentence of the answer")
    readable = acting.readable()
    inside = [
        seq
        for seq in receipts_between(acting.store, readable, when.first, when.past)
        if _may_read(acting, seq, readable)
    ]
    inside.sort(key=lambda seq: (when.distance(acting.store.header(seq).at), -seq))
    holders, looked = _holders(acting, inside, wanted, when)
    if not holders or not seen_text(acting, sentence):  # whether one says what is muted is not told
        return _nowhere(sentence, looked)
    found = [_rested(acting, seq, sentence) for seq in holders]
    best = min(found, key=lambda one: _BEST.index(one.from_memory or FromMemory.NO))
    others = [one.receipt for one in found if one is not best]
    note = (f"other answers hold it too: {', '.join(others)}",) if others else ()
    return best.model_copy(update={"looked": looked, "notes": (*best.notes, *note)})


def _holders(
    acting: Acting, receipts: Sequence[int], wanted: str, when: _Time
) -> tuple[list[int], Looked]:
    """Return the receipts of which an attached answer holds a canonical text, in order, and what was looked at."""
    attached = attached_among(acting.store, receipts)
    holders: list[int] = []
    with_answer = unread = 0
    for seq in receipts:
        read = [read_attached(acting.store, one) for one in attached.get(seq, ())]
        answers = [canonical_text(one.answer) for one in read if one.answer]
        with_answer += bool(answers)
        unread += not answers and any(one.notes for one in read)
        if any(phrase_in(wanted, answer) for answer in answers):
            holders.append(seq)
    looked = Looked(
        receipts=len(receipts),
        answers=with_answer,
        unread=unread,
        since=from_micros(when.first),
        until=from_micros(when.past),
    )
    return holders, looked


def _nowhere(sentence: str, looked: Looked) -> Explanation:
    """Return that no answer holds a sentence: not from memory only where every recall has its answer beside it."""
    lacking = looked.receipts - looked.answers
    verdict = FromMemory.UNKNOWN if lacking or not looked.receipts else FromMemory.NO
    days = f"from {looked.since.date()} to before {looked.until.date()}"
    if not looked.receipts:
        note = f"no recall of these days can be read here, {days}; ask around another day"
    elif not looked.answers:
        note = f"no answer that can be read is attached to any of the {looked.receipts} recalls, {days}"
    elif lacking:
        note = (
            f"none of {looked.answers} answers holds it, {days}; {lacking} recalls have none that can be read, "
            "so it may stand in one of those"
        )
    else:
        note = f"none of the {looked.answers} answers that a recall fed holds it, {days}"
    return Explanation(text=sentence, from_memory=verdict, looked=looked, notes=(note,))


def _rested(acting: Acting, seq: int, sentence: str) -> Explanation:
    """Return an explanation of a receipt with those of its claims that a sentence of its answer rests on."""
    store = acting.store
    receipt = receipt_of(store, store.state.names[seq], acting.readable())
    assert receipt is not None  # it was looked up as one
    found = _explain(acting, receipt.header.id)
    lines: list[tuple[float, Line]] = []
    unread = 0
    for given in receipt.given:
        claim = store.state.claims[store.state.ids[given.claim]]
        said = tuple(said_by(store, claim, receipt.known))
        unread += not said
        rests = rests_on(sentence, said)
        line = next((one for one in found.lines if one.claim.id == given.claim), None)
        if rests is not None and line is not None:
            update = {"shared": rests.shared, "from_memory": rests.amounts_to}
            rank = rests.share + (rests.amounts_to is FromMemory.YES)
            lines.append((rank, line.model_copy(update=update)))
    lines.sort(key=lambda one: -one[0])
    verdicts = [one.from_memory for _, one in lines]
    notes = list(_block_lines(acting, receipt, sentence))
    verdicts += [verdict for verdict, _ in notes]
    if unread:
        verdicts.append(FromMemory.UNKNOWN)
        notes.append(
            (FromMemory.UNKNOWN, f"of {unread} claims it gave the words cannot be read any more")
        )
    verdict = next((one for one in _BEST if one in verdicts), FromMemory.NO)
    if not receipt.given:
        notes.append((FromMemory.NO, "the recall gave no claim"))
    return found.model_copy(
        update={
            "text": sentence,
            "lines": tuple(line for _, line in lines),
            "from_memory": verdict,
            "notes": (*found.notes, *(note for _, note in notes)),
        }
    )


def _block_lines(
    acting: Acting, receipt: Receipt, sentence: str
) -> Iterator[tuple[FromMemory, str]]:
    """Yield the lines of the always-on block in the prompt that a sentence rests on."""
    store, given = acting.store, {one.claim for one in receipt.given}
    for number, thing in receipt.prompt:
        seq = store.state.ids.get(thing, 0)
        if thing in given or not _is_readable(acting, thing) or not sees(acting, thing):
            continue
        try:
            said = {"quote": "" if is_restricted(store.state, seq) else part_text(store, seq)}
        except UNREADABLE:
            continue
        rests = rests_on(sentence, (said,))
        if rests is not None:
            amounts = rests.amounts_to
            yield amounts, f"line {number} of the prompt, of the always-on block: {amounts.value}"
