"""Turn text into search tokens, and tokens into keyed digests that hold no words."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Digests = npt.NDArray[np.uint64]

_DIGEST_BYTES = 8

# Joined identifiers stay findable whole and in their pieces: "v2.0", "kim@example.com", "release-7".
_WORD = re.compile(r"[^\W_]+(?:['’.@:/_+-][^\W_]+)*")
_PIECE = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’](?:s|d|m|t|ll|re|ve)(?=$|[^\w])")
_IDENTIFIER = re.compile(r"[@_]|\d")
# Scripts whose words carry particles or have no spaces between them: matched by two characters.
_PAIRED = re.compile(
    "([\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]+)"  # Hangul
    "|([\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
    "|([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)"  # Thai, Lao, Burmese, Khmer
)
_VOWEL = re.compile("[aeiouy]")


# Words that say how something is asked, not what about. A query is searched without them while others remain: they
# would make any question a hit, and their postings are the longest.
_COMMON = """
a an the and or but if so as than then of in on at to for from by with about into over under
is are was were be been being am do does did doing done has have had having will would can could shall should may might
what when where who whom whose which why how that this these those there here it its
i me my mine myself we us our ours you your yours he him his she her hers they them their theirs
please tell know not no yes any some all also just very much many more most
무엇 무엇을 무엇이 무엇인가 무슨 뭐 뭐야 뭘 뭔가 어디 어디에 어디서 어디에서 언제 누구 누가
어떤 어떻게 왜 얼마나 얼마야 어느
알려줘 알려줄래 알려주세요 말해줘 말해주세요 보여줘 있어 있나 있나요
있는 했어 했나 했나요 하는 하나 하나요 인가요 이야 인지
그 이 저 것 수 좀 때 및 또는 그리고
"""
_COMMON_WORDS = frozenset(_COMMON.split())


class Tokeniser(Protocol):
    """Cuts text into the tokens that keyword search compares."""

    @property
    def name(self) -> str:
        """The name and version recorded beside an index; a change of it is a rebuild."""
        ...

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of `text` in order, repeated as often as they stand in it."""
        ...

    def query(self, text: str) -> list[str]:
        """Return the tokens of a question worth looking for: all of them, unless some say only that it is one."""
        ...


class WordsAndPairs:
    """Words with light English stems; pairs of characters for Hangul, Han, Kana and unspaced scripts."""

    __slots__ = ()

    name = "words-and-pairs/1"

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of `text`; equal for NFC and NFD, upper and lower case, full and half width."""
        found: list[str] = []
        for match in _WORD.finditer(matching_form(text)):
            word = match.group()
            if word.isascii() and word.isalpha():
                found.append(stem(word))
            else:
                found.extend(_joined(word))
        return found

    def query(self, text: str) -> list[str]:
        """Return the tokens of the words of `text` that are not common ones; of all words if all are common."""
        words = matching_form(text).split()
        asked = " ".join(word for word in words if word.strip("?!.,;:'\"()") not in _COMMON_WORDS)
        return self.tokens(asked) or self.tokens(text)


def is_common(word: str) -> bool:
    """Return whether a word in matching form says how something is said rather than what about."""
    return word in _COMMON_WORDS


def matching_form(text: str) -> str:
    """Return `text` as it is compared: NFKC, case folded, without invisible characters."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if folded.isascii():
        return folded
    return "".join(mark for mark in folded if unicodedata.category(mark) != "Cf")


def stem(word: str) -> str:
    """Return a lower-case English word without its regular ending; the same for "deploys" and "deployed"."""
    if len(word) < 4:
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y" if len(word) > 4 else word[:-1]
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        bare = word.removesuffix(ending)
        if len(bare) > 2 and bare != word and _VOWEL.search(bare):
            word = bare
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 2 and word.endswith("y") and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    return word


def digests(tokens: Sequence[str], key: bytes) -> Digests:
    """Return the keyed digest of each token, shape (tokens,), the same under the same key only."""
    seed = hashlib.blake2b(digest_size=_DIGEST_BYTES, key=key)
    raw = bytearray()
    for token in tokens:
        state = seed.copy()
        state.update(token.encode("utf-8", "surrogatepass"))
        raw += state.digest()
    return np.frombuffer(bytes(raw), dtype="<u8").astype(np.uint64)


def _joined(word: str) -> list[str]:
    """Return the tokens of a word that is more than plain letters: its pieces, and itself if it is an identifier."""
    word = _POSSESSIVE.sub("", word)
    pieces = _PIECE.findall(word)
    found: list[str] = []
    for piece in pieces:
        found.extend(_piece(piece))
    if len(pieces) > 1 and _IDENTIFIER.search(word):
        found.append(word)
    return found


def _piece(piece: str) -> list[str]:
    """Return the tokens of one unbroken run of letters and digits, cut where the script changes."""
    if piece.isascii():
        return [stem(piece) if piece.isalpha() else piece]
    runs = [run for run in _PAIRED.split(piece) if run]
    if len(runs) == 1 and len(piece) == 1:
        return [piece]
    found: list[str] = []
    before = ""
    for run in runs:
        if not _PAIRED.match(run):
            found.append(stem(run) if run.isascii() and run.isalpha() else run)
        elif len(run) > 1:
            found.extend(run[at : at + 2] for at in range(len(run) - 1))
        elif not before or _is_han(run):
            found.append(run)
        if before.isdecimal() and _PAIRED.match(run):
            found.append(before + run[0])  # a count with its unit: "3월", "5層"
        before = run
    return found


def _is_han(run: str) -> bool:
    """Return whether a one-character run is a word of its own: a single Hangul syllable after letters is a particle."""
    return not "\u1100" <= run <= "\u11ff" and not "\uac00" <= run <= "\ud7af"
