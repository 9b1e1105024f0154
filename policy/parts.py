"""Which stretches of a message its writer did not write: found here only ever to lower them."""

import re

from muniment.claims import PartLabel

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"(?:^[ \t]*>.*(?:\n|\Z))+", re.MULTILINE)
_FORWARDED = re.compile(
    r"^-{2,}[ \t]*(forwarded message|original message|전달된 메시지|원본 메시지)[ \t]*-{2,}.*\Z",
    re.I | re.M | re.S,
)


def split_own(text: str) -> tuple[tuple[PartLabel, str], ...]:
    """Return a message's text in order as own and quoted stretches.

    Quote marks, code fences and forwards are quoted.
    """
    taken = sorted(
        match.span()
        for pattern in (_FENCE, _QUOTED, _FORWARDED)
        for match in pattern.finditer(text)
    )
    parts: list[tuple[PartLabel, str]] = []
    place = 0
    for start, end in taken:
        start = max(start, place)
        if end <= start:
            continue
        if start > place:
            parts.append((PartLabel.OWN, text[place:start]))
        parts.append((PartLabel.QUOTED, text[start:end]))
        place = end
    if place < len(text):
        parts.append((PartLabel.OWN, text[place:]))
    return tuple(parts)
