"""Canonical forms: of text for matching, and of values for hashing."""

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import cast

from .errors import InvalidError

_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"))
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_PLAIN = frozenset((str, int, bool, type(None)))  # most values, told by one look
_NON_WORD = re.compile(r"[\W_]+")
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
_ENDS_ANYWHERE = re.compile(f"{_UNSPACED.pattern}|[\uac00-\ud7af]")
_SPACED = re.compile(r"\S+")


def canonical_text(text: str) -> str:
    """Return the form two texts share when they say the same in the same words.

    NFKC, zero-width characters dropped, casefolded, runs of non-word characters made one space.
    Used for comparing and keyed fingerprints only, never for showing.
    """
    folded = unicodedata.normalize("NFKC", text.translate(_ZERO_WIDTH)).casefold()
    return _NON_WORD.sub(" ", unicodedata.normalize("NFKC", folded)).strip()


def phrase_in(wanted: str, held: str) -> bool:
    """Return whether a canonical text stands in another as words of its own.

    After Hangul a particle may follow; in scripts without spaces words begin and end anywhere.
    """
    place = held.find(wanted) if wanted else -1
    while place >= 0:
        end = place + len(wanted)
        begun = _goes_on(held[place - 1 : place] if place else "", wanted[0], _UNSPACED)
        if not begun and not _goes_on(wanted[-1], held[end : end + 1], _ENDS_ANYWHERE):
            return True
        place = held.find(wanted, place + 1)
    return False


def _goes_on(left: str, right: str, free: re.Pattern[str]) -> bool:
    """Return whether two neighbouring characters belong to one word of a script that has spaces."""
    return all(mark.isalnum() and not free.match(mark) for mark in (left, right))


def canonical_words(text: str) -> list[tuple[str, int, int]]:
    """Return the words of the canonical form in order, each with its stretch of the text in code points.

    What holds no word, such as a dash or a picture, belongs to the word after it, at the end to the last.
    """
    found: list[tuple[str, int, int]] = []
    first = -1
    for match in _SPACED.finditer(text):
        start, end = match.span()
        first = start if first < 0 else first
        words = canonical_text(match.group()).split()
        if words:
            found.extend((word, first, end) for word in words)
            first = -1
    if found and first >= 0:
        found[-1] = (*found[-1][:2], len(text.rstrip()))
    return found


def canonical_bytes(value: object) -> bytes:
    """Return the RFC 8785 JSON bytes of a value made of objects, arrays, strings, integers, booleans and null.

    Floats are refused with TypeError, so that every implementation writes the same bytes.
    """
    _refuse_floats(value)
    text = _SORTED.encode(value)
    if (
        not text.isascii() and max(text) > "\uffff"
    ):  # only then does the order of UTF-16 differ from that of code points
        text = json.dumps(_ordered(value), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8")


def _refuse_floats(value: object) -> None:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            held: Iterable[object] = cast(dict[str, object], item).values()
        elif isinstance(item, list | tuple):
            held = cast(list[object], item)
        elif item is None or isinstance(item, str | int):
            continue
        else:
            raise TypeError(f"{type(item).__name__} has no canonical form")
        waiting.extend([one for one in held if type(one) not in _PLAIN])


def _ordered(value: object) -> object:
    """Return a value with its names in the order of RFC 8785: by UTF-16 code units."""
    if isinstance(value, dict):
        names = cast(dict[str, object], value)
        order = sorted(names, key=lambda name: name.encode("utf-16-be"))
        return {name: _ordered(names[name]) for name in order}
    if isinstance(value, list | tuple):
        return [_ordered(item) for item in cast(list[object], value)]
    return value


def checked_text(text: str, what: str, *, limit: int) -> str:
    """Return the text unchanged, or raise InvalidError saying what is wrong with it.

    Refused: nothing but white space, NUL, lone surrogates, more than `limit` code points.
    """
    if not text.strip():
        raise InvalidError(f"{what} is empty; give at least one visible character")
    if "\0" in text:
        raise InvalidError(f"{what} holds a NUL character at {text.index(chr(0))}; remove it")
    if len(text) > limit:
        raise InvalidError(
            f"{what} has {len(text):,} code points; the most is {limit:,}: split it or keep it as a source"
        )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidError(
            f"{what} holds a lone surrogate at {error.start}; decode the input as UTF-8 or UTF-16 before passing it"
        ) from None
    return text
