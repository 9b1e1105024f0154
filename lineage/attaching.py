"""What was made of a recall: answers attached to its receipt, found by receipt, by trace and by what they say."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import cast

from muniment.claims import (
    UNREADABLE,
    AttachRecord,
    Decision,
    Header,
    Integrity,
    ReceiptRecord,
    canonical_words,
    phrase_in,
)

from .files import Opened
from .state import receipt_day
from .store import Sealable, Store
from .tombstones import compared
from .writing import Writer, stamp, who

_RUNS = range(3, 13)  # words: a shorter run is said of many things, a longer one is looked up whole
_ENDINGS, _HANGUL = range(1, 5), re.compile(r"^[\uac00-\ud7af]{2,}$")
_ESCAPED = re.compile(r"(?:\\+u[0-9a-fA-F]{4})+|\\+[^u]")
_ATTACH, _RECEIPT = b'"op":"attach"', b'"op":"receipt"'


def write_attachment(
    store: Store,
    decision: Decision,
    writer: Writer,
    receipt: int,
    words: Mapping[str, object],
    *,
    trace: str = "",
    mark: Integrity,
) -> Header:
    """Add to the open group what was made of a recall, sealed under a key of its own, and return its header."""
    return store.add(
        AttachRecord,
        [Sealable(words)],
        receipt=store.state.names[receipt],
        trace=trace_digest(store, trace) if trace else "",
        mark=mark,
        decision=stamp(store, decision),
        **who(store, writer),
    )


def trace_digest(store: Store, trace: str) -> str:
    """Return by what a host's trace id is known again: its digest under the tenant's own key."""
    return store.keys.fingerprint_of(trace, b"trace")


def attached_among(store: Store, receipts: Collection[int]) -> dict[int, list[int]]:
    """Return by receipt the records of what was attached to it, by number, oldest first."""
    if store.access is Opened.READ:
        ids, wanted = store.state.ids, frozenset(receipts)
        every = ((one.seq, ids[one.receipt]) for one in attachments(store))
        rows = [(seq, receipt) for seq, receipt in every if receipt in wanted]
    else:
        store.post()
        rows = [(seq, receipt) for seq, receipt, _ in store.graph.attachments(to=receipts)]
    found: dict[int, list[int]] = {}
    for seq, receipt in rows:
        found.setdefault(receipt, []).append(seq)
    return found


def attached_to(store: Store, receipt: int) -> list[int]:
    """Return the records of what was attached to a receipt, by number, oldest first."""
    return attached_among(store, (receipt,)).get(receipt, [])


def traced(store: Store, trace: str) -> list[int]:
    """Return the receipts to which something with this trace id was attached, each once, the oldest first."""
    digest, ids = trace_digest(store, trace), store.state.ids
    if store.access is Opened.READ:
        found = [ids[one.receipt] for one in attachments(store) if one.trace == digest]
    else:
        store.post()
        found = [receipt for _, receipt, _ in store.graph.attachments(trace=digest)]
    return sorted(set(found))


def receipts_between(store: Store, scopes: frozenset[int], first: int, past: int) -> list[int]:
    """Return the receipts asked in these scopes from one moment to before another, in microseconds, oldest first."""
    if store.access is Opened.READ:
        found = [seq for seq, raw in enumerate(_headers(store), 1) if _RECEIPT in raw]
    else:
        store.post()
        days = (receipt_day("", at)[1] for at in (first, past))
        found = store.graph.receipts_between(scopes, *days)
    return [seq for seq in found if _is_asked(store, seq, scopes, first, past)]


def _is_asked(store: Store, seq: int, scopes: frozenset[int], first: int, past: int) -> bool:
    header = store.header(seq)
    inside = isinstance(header, ReceiptRecord) and store.state.number(header.scope) in scopes
    return inside and first <= header.at < past


def attachments(store: Store) -> Iterator[AttachRecord]:
    """Yield everything that was ever attached, oldest first, read from the journal alone."""
    for seq, raw in enumerate(_headers(store), 1):
        if _ATTACH in raw:
            header = store.header(seq)
            if isinstance(header, AttachRecord):
                yield header


def _headers(store: Store) -> Iterator[bytes]:
    for place, raw in enumerate(store.journal.scan()):
        if place == store.state.seq:
            return
        yield raw.header


def answer_slots(
    store: Store,
    *,
    under: Iterable[int],
    asked_in: Iterable[int],
    readers: Iterable[int],
    wanted: Sequence[str],
) -> set[int]:
    """Return the keys of the answers that go with an erasure.

    Those are of receipts that go, by the key of their day, of whole scopes, and of readers where they say again what
    is erased.
    """
    gone = store.graph.attachments(under=under, asked_in=asked_in)
    slots = {slot for _, _, slot in gone}
    for seq, _, slot in store.graph.attachments(asked_in=readers) if wanted else ():
        if slot not in slots and slot not in store.state.destroyed and _says(store, seq, wanted):
            slots.add(slot)
    return slots - store.state.destroyed


def _says(store: Store, seq: int, wanted: Sequence[str]) -> bool:
    """Return whether an attachment says one of these texts, each in the form in which they are compared."""
    try:
        words = store.words(seq)
    except UNREADABLE:
        return False
    said = [compared(text) for text in spoken_in(words)]
    return any(phrase_in(text, one) for text in wanted for one in said)


def spoken_in(words: Mapping[str, object]) -> Iterator[str]:
    """Yield the texts of what is attached, of parameters every name and text on lines of its own.

    A text with JSON escapes in it, such as a tool call that a model wrote, comes once more without them.
    """
    for name, value in words.items():
        text = str(value)
        if name == "parameters" and text:
            text = "\n".join(_texts(json.loads(text)))
        yield text
        plain = _ESCAPED.sub(_unescaped, text)
        if plain != text:
            yield plain


def _texts(value: object) -> Iterator[str]:
    """Yield the names and the texts of a value as JSON holds it, numbers as they are written."""
    if isinstance(value, dict):
        for name, one in cast("dict[str, object]", value).items():
            yield name
            yield from _texts(one)
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _texts(one)
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def _unescaped(found: re.Match[str]) -> str:
    """Return what JSON escapes stand for: characters by their number, and the end of a line for every other one."""
    codes = re.findall("u(.{4})", found[0])
    return bytes.fromhex("".join(codes)).decode("utf-16-be", "replace") if codes else "\n"


def said_in(text: str) -> Iterator[str]:
    """Yield everything of a text that is held against what was erased: its lines, sentences and runs of words.

    The last word of a sentence comes without its Korean ending too.
    """
    words = [word for word, _, _ in canonical_words(text)]
    pieces = dict.fromkeys(map(compared, (text, *text.splitlines(), *_sentences(text))))
    for piece in pieces:
        if piece:
            yield piece
            ends = (cut for cut in _ENDINGS if len(piece) > cut)
            yield from (piece[:-cut] for cut in ends if _HANGUL.match(piece[-cut - 1 :]))
    for length in _RUNS:
        for first in range(len(words) - length + 1):
            yield " ".join(words[first : first + length])


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, and every two and three that follow each other."""
    found: list[str] = []
    start = 0
    for place, mark in enumerate(text):
        if mark in ".!?。！？…\n" or place == len(text) - 1:
            found.append(text[start : place + 1])
            start = place + 1
    for count in (1, 2, 3):
        for first in range(len(found) - count + 1):
            yield "".join(found[first : first + count])
