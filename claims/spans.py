"""Finding a quote in a source: exactly, or but for Unicode composition, never looser."""

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
    if not found and not (quote.isascii() and text.isascii()):
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
