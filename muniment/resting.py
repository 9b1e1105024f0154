"""Whether a sentence of an answer rests on what a recall gave: what it has in common with each claim, and no guess."""

import re
from collections.abc import Iterable, Iterator, Mapping
from os.path import commonprefix
from typing import Any, NamedTuple

from muniment.claims import UNREADABLE, canonical_text, phrase_in
from muniment.lineage import ClaimState, Store, shown_assertions
from muniment.retrieval import Reason, WordsAndPairs, is_common, shown_score

from .why import FromMemory

_TELLING = 2  # words, or
_LONG = 6  # characters: what is shorter is said word for word of many things
_SHARE = 0.5
_MOST_NAMED = 8
_PARTICLE = re.compile("[\uac00-\ud7af]{0,3}")
_LIGHT = frozenset(
    """
    합니다 했습니다 한다 했다 해요 했어요 하고 해서 하며 한 할 하기 입니다 이다 이에요 예요 였습니다 이었습니다
    있습니다 있다 있어요 없습니다 없다 없어요 됩니다 된다 돼요 되었습니다 그래서 그러나 하지만 네 예 아니요 더 잘 안
    """.split()
)
_TOKENS = WordsAndPairs()


class Rests(NamedTuple):
    """What a sentence has in common with a claim or a line, and what that amounts to."""

    amounts_to: FromMemory
    shared: tuple[Reason, ...]
    share: float


def rests_on(sentence: str, said: Iterable[Mapping[str, Any]]) -> Rests | None:
    """Return how a sentence rests on what was said, in one of its wordings, None where nothing shows that it does.

    It comes from memory where one holds the other word for word. Where only a part of the words, a number or a name is
    shared it may. A common word, or an ending, is no sign.
    """
    text = canonical_text(sentence)
    found = [rest for words in said if (rest := _rests(text, words)) is not None]
    order = (FromMemory.MAYBE, FromMemory.YES)
    return max(found, key=lambda one: (order.index(one.amounts_to), one.share), default=None)


def said_by(store: Store, claim: ClaimState, upto: int) -> Iterator[Mapping[str, Any]]:
    """Yield the wordings a claim had at the record `upto`, as far as they may be shown and read."""
    for assertion in shown_assertions(store.state, claim):
        if assertion <= upto:
            try:
                yield store.words(assertion)
            except UNREADABLE:
                continue


def _rests(sentence: str, words: Mapping[str, Any]) -> Rests | None:
    texts = [canonical_text(str(words.get(name, ""))) for name in ("quote", "gist")]
    texts = [text for text in texts if text]
    whole = any(_word_for_word(sentence, text) for text in texts)
    found = [_compared(sentence, text, words) for text in texts]
    best = max(found, key=lambda one: one.share, default=None)
    if best is None:
        return None
    if whole:
        reason = Reason(code="word for word", score=1.0)
        return Rests(FromMemory.YES, (reason, *best.shared), 1.0)
    return best if best.share else None


def _word_for_word(sentence: str, text: str) -> bool:
    """Return whether one of two canonical texts holds the other, and that says something."""
    shorter, longer = sorted((sentence, text), key=len)
    telling = [word for word in shorter.split() if not _is_light(word)]
    long = len(telling) >= _TELLING or len("".join(telling)) >= _LONG
    return long and phrase_in(shorter, longer)


def _compared(sentence: str, text: str, words: Mapping[str, Any]) -> Rests:
    """Return what two texts share word by word; a share of 0 where that is no sign."""
    mine = [word for word in sentence.split() if not _is_light(word)]
    theirs = [word for word in text.split() if not _is_light(word)]
    same = [word for word in mine if any(_is_same(word, other) for other in theirs)]
    back = [word for word in theirs if any(_is_same(word, other) for other in mine)]
    numbers = [word for word in same if any(mark.isdecimal() for mark in word)]
    names = [
        name
        for name in (str(words.get(field, "")) for field in ("value", "subject"))
        if name and phrase_in(canonical_text(name), sentence)
    ]
    share = max(len(same) / len(mine), len(back) / len(theirs)) if same and mine else 0.0
    all_of_it = share == 1.0
    several = len(same) >= _TELLING
    told = any(sum(mark.isdecimal() for mark in word) > 1 for word in numbers) or names
    if not (all_of_it or (several and (share >= _SHARE or told))):
        return Rests(FromMemory.NO, (), 0.0)
    listed = ", ".join(dict.fromkeys(same[:_MOST_NAMED]))
    reasons = (
        Reason(code="same words", detail=listed, score=shown_score(share)),
        *(Reason(code="same number", detail=one) for one in dict.fromkeys(numbers)),
        *(Reason(code="same name", detail=one) for one in dict.fromkeys(names)),
    )
    return Rests(FromMemory.MAYBE, reasons, share)


def _is_light(word: str) -> bool:
    return word in _LIGHT or is_common(word)


def _is_same(one: str, other: str) -> bool:
    """Return whether two canonical words are one, but for an English ending or Korean particles."""
    if one == other:
        return True
    if one.isascii() and other.isascii():
        return one.isalpha() and other.isalpha() and _TOKENS.tokens(one) == _TOKENS.tokens(other)
    stem = commonprefix((one, other))
    rests = (one[len(stem) :], other[len(stem) :])
    return len(stem) > 1 and all(_PARTICLE.fullmatch(rest) for rest in rests)
