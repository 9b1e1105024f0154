"""Hidden and confusable characters: found, shown, and left out on the way to a prompt."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_TAG = range(0xE0000, 0xE0080)
_VARIATION = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), 0x180B, 0x180C, 0x180D, 0x180F)
_JOINERS = (0x200C, 0x200D)
_INVISIBLE = (
    0x00AD,
    0x034F,
    0x061C,
    0x180E,
    0x200B,
    *range(0x2060, 0x2065),
    *range(0x206A, 0x2070),
    0xFEFF,
)
_FILLERS = (0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)
_BIDI = (0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = frozenset(
    (*range(0x00, 0x09), *range(0x0B, 0x0D), *range(0x0E, 0x20), *range(0x7F, 0xA0))
)

# A flag of a region is a black flag, tag letters and a cancel tag (UTS #51).
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
_JOINING_SCRIPTS = ("ARABIC", "SYRIAC", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU",
                    "KANNADA", "MALAYALAM", "SINHALA", "MONGOLIAN", "NKO", "KHMER", "MYANMAR", "TIBETAN")  # fmt: skip

_SUSPECTS = (*_TAG, *_VARIATION, *_JOINERS, *_INVISIBLE, *_FILLERS, *_BIDI, *_CONTROLS)
_SUSPECT = re.compile("[" + "".join(re.escape(chr(code)) for code in _SUSPECTS) + "]")


class Hidden(NamedTuple):
    """One character that a reader would not see: its place, code point and sort."""

    position: int
    code: int
    sort: str


def hidden_characters(text: str) -> tuple[Hidden, ...]:
    """Return every hidden character of a text that has no honest use where it stands.

    Joiners inside emoji, Persian, Arabic and Indic text, variation selectors with a base, bidi controls in
    right-to-left text and well-formed flag sequences are left alone.
    """
    return tuple(_found(text)) if _SUSPECT.search(text) else ()


def _found(text: str) -> Iterator[Hidden]:
    flags = {place for match in _FLAG.finditer(text) for place in range(*match.span())}
    right_to_left = any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)
    for place, char in enumerate(text):
        code = ord(char)
        if code in _TAG and place not in flags:
            yield Hidden(place, code, "tag")
        elif code in _VARIATION and not _has_base(text, place):
            yield Hidden(place, code, "variation selector")
        elif code in _JOINERS and not _joins(text, place):
            yield Hidden(place, code, "joiner")
        elif code in _INVISIBLE:
            yield Hidden(place, code, "invisible")
        elif code in _FILLERS:
            yield Hidden(place, code, "filler")
        elif code in _BIDI and not right_to_left:
            yield Hidden(place, code, "direction control")
        elif code in _CONTROLS:
            yield Hidden(place, code, "control")


def _has_base(text: str, place: int) -> bool:
    return place > 0 and unicodedata.category(text[place - 1]) in (
        "So",
        "Sk",
        "Sm",
        "Po",
        "Nd",
        "Lo",
        "Sc",
    )


def _joins(text: str, place: int) -> bool:
    if not 0 < place < len(text) - 1:
        return False
    before, after = text[place - 1], text[place + 1]
    if unicodedata.category(before) in ("So", "Sk", "Mn", "Me") and unicodedata.category(after) in (
        "So",
        "Sk",
    ):
        return True
    return unicodedata.name(before, "").startswith(_JOINING_SCRIPTS)


def visible(text: str) -> str:
    """Return a text for a person's eyes: each hidden character written as its code, such as ‹U+200B›."""
    marks = {item.position: f"‹U+{item.code:04X}›" for item in hidden_characters(text)}
    return "".join(marks.get(place, char) for place, char in enumerate(text)) if marks else text


def cleaned(text: str) -> str:
    """Return a text for a prompt: hidden characters left out, the rest composed (NFC)."""
    places = {item.position for item in hidden_characters(text)}
    kept = (
        "".join(char for place, char in enumerate(text) if place not in places) if places else text
    )
    return unicodedata.normalize("NFC", kept)
