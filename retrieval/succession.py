"""Which of two plain sentences is the newer value of one thing, told from their wording at the time of reading.

Pure functions over words. What is found here orders and marks what was found anyway: nothing is written, nothing is
left out, and no claim changes. Two sentences are in the same slot when they agree in all but one stretch, the value,
and what the question asks about stands before it. A list ("Kim likes tea", "Kim likes coffee") reads the same way, so a
mark says "newer", never "replaced".
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from .tokens import WordsAndPairs, matching_form

_TOKENISER = WordsAndPairs()
_WORD = re.compile(r"[^\W_]+(?:['’.@:/_+-][^\W_]+)*")
# Where a form of "to be" follows a stretch, or the particle of a topic ends it, it is what is spoken of, not the value.
_IS = frozenset(("am", "is", "are", "was", "were", "been", "be"))
_TOPIC = re.compile("[\uac00-\ud7af][은는]$")
# A value is at most this many times as long as what the two agree in: beyond that they are two sentences.
_LONGEST_VALUE = 2


class Said(NamedTuple):
    """A sentence as it is compared: its name, its words, when it was said, and among what it may be ordered.

    A greater `at` is newer. Sentences of one `group` only are compared: one scope and one level of integrity.
    """

    name: int
    words: str
    at: tuple[int, ...]
    group: Hashable


class _Cut(NamedTuple):
    said: Said
    words: tuple[str, ...]
    tokens: tuple[frozenset[str], ...]  # of each word


def successors(query: str, said: Iterable[Said]) -> dict[int, tuple[int, ...]]:
    """Return by the name of a sentence those that give a newer value in its slot, oldest first; none for the newest."""
    asked = frozenset(_TOKENISER.query(query))
    # Two in one slot begin alike up to the first word that the question asks about, so only those are compared.
    alike: dict[tuple[Hashable, tuple[str, ...]], list[_Cut]] = {}
    for one in said:
        cut = _cut(one)
        first = next((at for at, held in enumerate(cut.tokens) if held & asked), None)
        if first is not None:
            alike.setdefault((one.group, cut.words[: first + 1]), []).append(cut)
    found: dict[int, tuple[int, ...]] = {}
    for members in alike.values():
        members.sort(key=lambda cut: (cut.said.at, cut.said.name))
        for place, old in enumerate(members):
            later = (new for new in members[place + 1 :] if new.said.at > old.said.at)
            if newer := tuple(new.said.name for new in later if _in_one_slot(asked, old, new)):
                found[old.said.name] = newer
    return found


def newest_first(order: Sequence[int], newer: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the names in their order, each with what is newer in its slot before it; every name exactly once."""
    inside, given = set(order), dict[int, None]()
    waiting = list(reversed(order))
    while waiting:
        name = waiting.pop()
        before = [one for one in newer.get(name, ()) if one in inside and one not in given]
        if before:
            waiting += [name, *before]
        else:
            given[name] = None
    return list(given)


def _cut(said: Said) -> _Cut:
    words = tuple(_WORD.findall(matching_form(said.words)))
    return _Cut(said, words, tuple(frozenset(_TOKENISER.tokens(word)) for word in words))


def _in_one_slot(asked: frozenset[str], one: _Cut, other: _Cut) -> bool:
    """Return whether two sentences give two values of one thing, and the question asks about what they agree in."""
    before = _agree(one.words, other.words)
    shortest = min(len(one.words), len(other.words)) - before
    after = min(_agree(one.words[::-1], other.words[::-1]), shortest)
    if not before or one.words == other.words:
        return False
    ends = [len(cut.words) - after for cut in (one, other)]
    starts = [_past_is(cut.words, before, end) for cut, end in zip((one, other), ends, strict=True)]
    values = [cut.words[at:end] for cut, at, end in zip((one, other), starts, ends, strict=True)]
    if not all(values) or any(_spoken_of(value, one.words[ends[0] :]) for value in values):
        return False
    head, tail = _held(one.tokens[:before]), _held(one.tokens[ends[0] :])
    told = [_held(cut.tokens[at:end]) - head - tail for cut, at, end in zip((one, other), starts, ends, strict=True)]
    if any(asked & value or len(value) > _LONGEST_VALUE * len(head | tail) for value in told):
        return False
    return 2 * len(asked & head) >= len(asked & (head | tail)) > 0


def _agree(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words two sentences begin with alike."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _past_is(words: Sequence[str], start: int, end: int) -> int:
    """Return where a value begins: "is Friday" and "was Monday" differ in the day."""
    while start < end and words[start] in _IS:
        start += 1
    return start


def _spoken_of(value: Sequence[str], tail: Sequence[str]) -> bool:
    """Return whether a stretch holds or is what is spoken of: another subject, not another value."""
    return any(word in _IS or _TOPIC.search(word) for word in value) or tail[:1] and tail[0] in _IS


def _held(tokens: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*tokens)
