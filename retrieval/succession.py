"""Which of two plain sentences is the newer value of one thing, told from their wording at the time of reading.

Pure functions over words. What is found here orders and marks what was found anyway: nothing is written, nothing is
left out, and no claim changes. Two sentences are in the same slot when they agree in all but one stretch, the value,
and what the question asks about stands before it. A list ("Kim likes tea", "Kim likes coffee") reads the same way, so a
mark says "newer", never "replaced".
"""

import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from .tokens import WordsAndPairs, matching_form, stem

_TOKENISER = WordsAndPairs()
_WORD = re.compile(r"[^\W_]+(?:['’.@:/_+-][^\W_]+)*")
# Where a form of "to be" follows a stretch, or the particle of a topic ends it, it is what is spoken of, not the value.
_IS = frozenset(("am", "is", "are", "was", "were", "been", "be"))
_TOPIC = re.compile(r"\w[은는]$")
# A number that follows none of these and is not the end of a sentence tells things apart: "crane 3 stands by the gate".
_BEFORE_A_NUMBER = _IS | frozenset(
    "about around at by costs for from had has have in of on over takes till to under until weighs with".split()
)
# A value is at most this many times as long as what the two agree in: beyond that they are two sentences.
_LONGEST_VALUE = 2
_MOST_LATER = 16  # sentences a claim is compared with, the newest of those that begin like it


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


class Spoken(NamedTuple):
    """A turn as it is compared: its name, its speaker's own words, when they were said, and how well it matched.

    A greater `at` is newer. Turns of one `group` only are compared: one speaker, one scope and one level of integrity.
    """

    name: int
    text: str
    at: tuple[int, ...]
    group: Hashable
    score: float


class _Best(NamedTuple):
    spoken: Spoken
    said: frozenset[str]  # what its best sentence says of the question
    values: Mapping[str, frozenset[str]]


# A question that asks for one value as it stands now. What it was, or what lies between two, is no such question.
_ASKS_VALUE = re.compile(
    r"^\W*(?:how (?:many|much|long|often|far|old|big)|what|which|when)\b|몇|얼마|언제|무엇|뭐"
)
_PAST = re.compile(r"\b(?:did|was|were|had|took|passed|ago|between)\b|사이")
# Measured on the dev halves, wide plateaus: two turns share at least two words of the question and half of what
# either says of it; of several, those count that share nearly as much as the best; none matches less than half as well.
_LEAST_SHARED = 2
_FAIR = 3.0  # a score, as a sum of standard scores, from which on one that is half as good counts as much worse
_MOST_OF = 0.75
_LONGEST_SENTENCE = 300  # characters; code and formulas have no ends of sentences
_NEAR = 3  # words between a number and what is counted: "12 conditional probability problems"
_SENTENCE = re.compile(r"(?<=[.!?。！？…])\s+|\n+")
_NUMBER = re.compile(r"\d(?:[\d.,:/-]*\d)?")
_LETTERS = re.compile(r"[^\W\d_]+")
_MONEY = tuple("$€£¥₩")
_CLOCK = re.compile(r"\s*(?:am|pm|a\.m|p\.m)(?![a-z])")
_MONTHS = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
_MONTH = re.compile(rf"\b{_MONTHS}\.?\s*$")
_MONTH_AFTER = re.compile(rf"(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTHS}\b")
_HANGUL_UNIT = re.compile("\\s?(시간|개월|[\uac00-\ud7af])")
_UNITS = frozenset(map(stem, "ms second minute hour day week month year".split())) | frozenset(
    "초 분 시 시간 일 주 월 개월 년 원 만 억 천".split()
)


def successors(query: str, said: Iterable[Said]) -> dict[int, tuple[int, ...]]:
    """Return by the name of a sentence those that give a newer value in its slot, oldest first; none for the newest.

    Of more than sixteen that begin alike the newest sixteen are looked at.
    """
    asked, named = frozenset(_TOKENISER.query(query)), frozenset(_TOKENISER.tokens(query))
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
            # The newest alone where there are many: to compare all would let who repeats himself stop a recall.
            nearest = members[max(place + 1, len(members) - _MOST_LATER) :]
            later = (new for new in nearest if new.said.at > old.said.at)
            if newer := tuple(
                new.said.name for new in later if _in_one_slot(asked, named, old, new)
            ):
                found[old.said.name] = newer
    return found


def newest_first(
    order: Sequence[int],
    newer: Mapping[int, Sequence[int]],
    level: Callable[[int], Hashable],
) -> list[int]:
    """Return the names in their order, each with what is newer in its slot before it; every name exactly once.

    `level` is how much the words of a name count: each level keeps its places, so that nobody climbs by writing last.
    """
    inside, given = set(order), dict[int, None]()
    waiting = list(reversed(order))
    while waiting:
        name = waiting.pop()
        before = [one for one in newer.get(name, ()) if one in inside and one not in given]
        if before:
            waiting += [name, *before]
        else:
            given[name] = None
    levels: dict[Hashable, deque[int]] = {}
    for name in given:
        levels.setdefault(level(name), deque()).append(name)
    return [levels[level(name)].popleft() for name in dict.fromkeys(order)]


def newer_values(query: str, spoken: Sequence[Spoken]) -> dict[int, tuple[int, ...]]:
    """Return by the name of a turn those that give a newer value of what is asked, oldest first; best first come in.

    Only where it asks for one value as it stands now. Two turns are compared by the sentence of each that says most of
    the question: they give a value of one kind, differ in it, and what one says of the question the other says too.
    """
    if not asks_for_a_value(query):
        return {}
    asked, form = frozenset(_TOKENISER.query(query)), matching_form(query)
    best = [_best_sentence(asked, form, one) for one in spoken]
    found: dict[int, tuple[int, ...]] = {}
    taken: set[int] = set()
    for place, old in enumerate(best):
        if old.spoken.name in taken:
            continue
        near = [new for new in best[place + 1 :] if new.spoken.name not in taken]
        shared = {new.spoken.name: len(old.said & new.said) for new in near if _compares(old, new)}
        most = max(shared.values(), default=0)
        group = {name for name, count in shared.items() if count >= _MOST_OF * most}
        later = [
            one.spoken for one in near if one.spoken.name in group and one.spoken.at > old.spoken.at
        ]
        taken |= {old.spoken.name, *(one.name for one in later)}
        if later:
            found[old.spoken.name] = tuple(
                one.name for one in sorted(later, key=lambda one: (one.at, one.name))
            )
    return found


def asks_for_a_value(query: str) -> bool:
    """Return whether a question asks how much, how many, when or what something is now, not what it was."""
    form = matching_form(query)
    past = _PAST.search(form) or any(_is_past(mark) for mark in form)
    return bool(_ASKS_VALUE.search(form)) and not past


def _is_past(mark: str) -> bool:
    # A Hangul syllable that ends in a double s is of the past, but for those of "to be there" and "will".
    return "\uac00" <= mark <= "\ud7a3" and (ord(mark) - 0xAC00) % 28 == 20 and mark not in "있겠"


def _compares(old: _Best, new: _Best) -> bool:
    """Return whether two turns of one speaker say different values of one thing, and match comparably well."""
    if old.spoken.group != new.spoken.group or old.spoken.score > 2 * max(new.spoken.score, _FAIR):
        return False
    shared = len(old.said & new.said)
    if shared < _LEAST_SHARED or 2 * shared < min(len(old.said), len(new.said)):
        return False
    kinds = old.values.keys() & new.values.keys()
    return any(
        old.values[kind] - new.values[kind] and new.values[kind] - old.values[kind]
        for kind in kinds
    )


def _best_sentence(asked: frozenset[str], form: str, spoken: Spoken) -> _Best:
    most, chosen = frozenset[str](), ""
    for sentence in _sentences(matching_form(spoken.text)):
        said = asked & frozenset(_TOKENISER.tokens(sentence))
        if len(said) > len(most):
            most, chosen = said, sentence
    return _Best(spoken, most, _values(chosen, asked, form))


def _sentences(text: str) -> Iterable[str]:
    for sentence in _SENTENCE.split(text):
        while len(sentence) > _LONGEST_SENTENCE:
            cut = sentence.rfind(" ", _LONGEST_SENTENCE // 2, _LONGEST_SENTENCE)
            cut = cut if cut > 0 else _LONGEST_SENTENCE
            yield sentence[:cut]
            sentence = sentence[cut:]
        yield sentence


def _values(text: str, asked: frozenset[str], form: str) -> dict[str, frozenset[str]]:
    """Return the numbers in a sentence by what they measure: money, a share, a time, a date, or what is counted."""
    found: dict[str, set[str]] = {}
    for match in _NUMBER.finditer(text):
        before, after = text[max(match.start() - 12, 0) : match.start()], text[match.end() :][:40]
        for kind in _kinds(match.group(), before, after, asked, form):
            found.setdefault(kind, set()).add(match.group())
    return {kind: frozenset(numbers) for kind, numbers in found.items()}


def _kinds(number: str, before: str, after: str, asked: frozenset[str], form: str) -> Iterable[str]:
    """Yield what a number measures, told from its neighbours; what is counted only where the question names it."""
    if before.rstrip()[-1:] in _MONEY:
        yield "money"
    elif after.lstrip()[:1] == "%":
        yield "share"
    elif _CLOCK.match(after) or re.fullmatch(r"\d{1,2}:\d\d", number):
        yield "time"
    elif (
        _MONTH.search(before)
        or _MONTH_AFTER.match(after)
        or re.fullmatch(r"\d{4}-\d\d?-\d\d?", number)
    ):
        yield "date"
    elif unit := _HANGUL_UNIT.match(after):
        if unit.group(1) in _UNITS or unit.group(1) in form:
            yield unit.group(1)
    else:
        for word in _LETTERS.findall(after)[:_NEAR]:
            if stem(word) in _UNITS or stem(word) in asked:
                yield stem(word)


def _cut(said: Said) -> _Cut:
    words = tuple(_WORD.findall(matching_form(said.words)))
    return _Cut(said, words, tuple(frozenset(_TOKENISER.tokens(word)) for word in words))


def _in_one_slot(asked: frozenset[str], named: frozenset[str], one: _Cut, other: _Cut) -> bool:
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
    if any(_is_name(one.words[before - 1], value, one.words[ends[0] :]) for value in values):
        return False
    head, tail = _held(one.tokens[:before]), _held(one.tokens[ends[0] :])
    told = [
        _held(cut.tokens[at:end]) - head - tail
        for cut, at, end in zip((one, other), starts, ends, strict=True)
    ]
    if any(asked & value or (value and value <= named) for value in told):
        return False
    if any(len(value) > _LONGEST_VALUE * len(head | tail) for value in told):
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
    return any(word in _IS or _TOPIC.search(word) for word in value) or any(
        word in _IS for word in tail[:1]
    )


def _is_name(before: str, value: Sequence[str], tail: Sequence[str]) -> bool:
    """Return whether a stretch is a number that tells two things apart, and what is said of them follows."""
    number = all(word.isdecimal() for word in value)
    return number and bool(tail) and before not in _BEFORE_A_NUMBER and stem(tail[0]) not in _UNITS


def _held(tokens: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*tokens)
