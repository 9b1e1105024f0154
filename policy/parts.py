"""Which stretches of a message its writer did not write: found here only ever to lower them."""

import re

from muniment.claims import PartLabel

# Looked for in a copy of equal length where every line end is "\n" and every look-alike its plain form,
# so that a quote mark after U+2028 or a zero-width space is still a quote mark.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\n"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u3164\u2800", " "),
        "\uff1e": ">",
        "\u203a": ">",
    }
)
_LIST = r"[^\S\n]*(?:(?:[-*+]|\d{1,9}[.)])[^\S\n]+)?"
_FENCE = re.compile(
    rf"^{_LIST}(`{{3,}}|~{{3,}}).*?(^[^\S\n]*\1[`~]*[^\S\n]*$|\Z)", re.MULTILINE | re.DOTALL
)
_QUOTED = re.compile(r"(?:^[^\S\n]*(?:>|&gt;).*(?:\n|\Z))+", re.MULTILINE)
_BLOCK = re.compile(r"<blockquote\b.*?(?:</blockquote\s*>|\Z)", re.I | re.S)
_FORWARDED = re.compile(
    r"^[^\S\n]*(?:"
    r"-{2,}[^\S\n]*(?:forwarded message|original message|전달된 메시지|원본 메시지|원본 메일)[^\S\n]*-{2,}"
    r"|begin forwarded message:"
    r"|(?:from|보낸 ?사람|발신)[^\S\n]*:.*\n+(?:.*\n+)?"
    r"[^\S\n]*(?:sent|date|to|subject|받는 ?사람|수신|날짜|보낸 ?날짜|제목)[^\S\n]*:"
    r")[\s\S]*\Z",
    re.I | re.M,
)


def split_own(text: str) -> tuple[tuple[PartLabel, str], ...]:
    """Return a message's text in order as own and quoted stretches.

    Quote marks, block quotes, code fences and forwards are quoted.
    """
    plain = text.replace("\r\n", " \n").translate(_PLAIN)
    taken = sorted(
        match.span()
        for pattern in (_FENCE, _QUOTED, _BLOCK, _FORWARDED)
        for match in pattern.finditer(plain)
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
