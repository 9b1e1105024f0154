"""Finding a quote in a source: exactly, or but for Unicode composition, never looser."""

import re
import unicodedata
from collections.abc import Iterator


def spans_of(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in code points of `text` wherever `quote` stands, composed or decomposed alike.

    The offsets are those of the raw text; a quote whose edge would cut a character and its marks apart does not match.
    """
    if not quote:
        return
    found = False
    start = text.find(quote)
    while start >= 0:
        found = True
        yield start, start + len(quote)
        start = text.find(quote, start + 1)
    # Where both are composed already, looking at them composed finds nothing more.
    if not found and not all(unicodedata.is_normalized("NFC", one) for one in (quote, text)):
        yield from _composed(quote, text)


def _composed(quote: str, text: str) -> Iterator[tuple[int, int]]:
    starts = [place for place, char in enumerate(text) if place == 0 or not _continues(char)]
    pieces = [
        unicodedata.normalize("NFC", text[here:there])
        for here, there in zip(starts, [*starts[1:], len(text)], strict=True)
    ]
    raw = [place for place, piece in zip(starts, pieces, strict=True) for _ in piece]
    first = [index == 0 for piece in pieces for index in range(len(piece))]
    whole, wanted = "".join(pieces), unicodedata.normalize("NFC", quote)
    start = whole.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if first[start] and (end == len(whole) or first[end]):
            yield raw[start], raw[end] if end < len(whole) else len(text)
        start = whole.find(wanted, start + 1)


def _continues(char: str) -> bool:
    """Return whether a character joins the one before it: a mark, or a Hangul vowel or final of its own."""
    return (
        unicodedata.combining(char) != 0
        or unicodedata.category(char) == "Mn"
        or 0x1160 <= ord(char) <= 0x11FF
    )


_ENDS = frozenset(".!?。！？…\n\r\u2028\u2029:;")
_BESIDE = frozenset(" \t\"'“”‘’「」『』()[]*-•·>0123456789")

_OPENING = re.compile(
    "(?:^|[.!?。！？…\\n\\r\u2028\u2029:;])"
    r"\s*(?:(?:yes|yeah|ok|okay|well|so|and|oh|please|네|넵|예|응|아|음|참|그리고|그러면|그럼)[,，]?\s*)*$",
    re.IGNORECASE,
)


def is_whole(text: str, start: int, end: int) -> bool:
    """Return whether a span is one or more whole sentences of a text: "send it" cut from "never send it" is not.

    A sentence ends at a full stop, a question or exclamation mark, a colon, a semicolon or a line's end; quotation
    marks, list marks and white space beside it do not count, nor does a "yes," or "네," before it.
    """
    before = text[:start].rstrip("".join(_BESIDE))
    after = text[end:].lstrip(" \t\"'”’」』)]*")
    opened = _OPENING.search(before) is not None or "\n" in text[len(before) : start]
    span = text[start:end].rstrip(" \t\"'”’」』)]*")
    closed = not after or after[0] in _ENDS or (span != "" and span[-1] in _ENDS)
    return opened and closed


def stands_in(value: str, words: str) -> bool:
    """Return whether a value stands in words whole and letter by letter, but for case and composition.

    A piece of an address is another address: nothing of one may touch the value. A Korean particle may.
    """
    wanted, held = (unicodedata.normalize("NFC", text).casefold() for text in (value, words))
    whole = rf"(?<![a-z0-9_@.+\-/]){re.escape(wanted)}(?![a-z0-9_@+\-/]|\.[a-z0-9])"
    return not wanted or re.search(whole, held) is not None
