"""Whether words speak of a theme a person does not want brought up; it errs towards silence."""

import re

from muniment.claims import canonical_text

_HANGUL = re.compile(r"[\uac00-\ud7af]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def speaks_of(theme: str, text: str) -> bool:
    """Return whether every word of a theme stands in a text, in any order, with the endings of its language.

    Korean may also write the words together, or apart where the theme does not.
    """
    words, held = canonical_text(theme).split(), canonical_text(text)
    if not words:
        return False
    if all(_stands_in(word, held) for word in words):
        return True
    together = "".join(words)
    unspaced = _HANGUL.search(together) is not None and len(together) > 2
    return unspaced and together in held.replace(" ", "")


def _stands_in(word: str, text: str) -> bool:
    if _UNSPACED.search(word) or (_HANGUL.search(word) and len(word) > 1):
        return word in text
    if _HANGUL.search(word):  # of one syllable: at the beginning of a word, with a particle
        return re.search(rf"(?<!\w){word}[\uac00-\ud7af]{{0,2}}(?!\w)", text) is not None
    ending = "(?:s|es|d|ed|ing)?" if word.isascii() and word.isalpha() else ""
    # Not \w: a Korean particle may follow an English word.
    return re.search(rf"(?<!\w){re.escape(word)}{ending}(?![a-z0-9])", text) is not None
