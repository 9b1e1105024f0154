"""Find whom a query names, and what it asks when the names are left out."""

import re
import unicodedata
from collections.abc import Mapping

from muniment.claims import NAME_ENDING

# One syllable begins many a word, so fewer particles make it a name: "나는", and not "나이" or "나무".
_AFTER_ONE_SYLLABLE = "(?:씨|님)?(?:가|은|는|을|를|의|도|만|와|과|랑|에게서?|한테서?)?(?:는|도|만)?"
# "제" and "내" are "my" as they stand: with a particle they are other words, as in "제도".
_WHOLE = frozenset("제내")


def without_names(text: str, speakers: Mapping[str, int]) -> tuple[str, int]:
    """Return the query without the speakers' names, and the one speaker it names, 0 if none or several.

    If nothing but names is left, the whole query is returned.
    """
    plain = unicodedata.normalize("NFC", text)
    bare, named, folded = plain, set[int](), plain.casefold()
    for name in sorted(speakers, key=len, reverse=True):
        known = unicodedata.normalize("NFC", name).strip()
        if not known or known.casefold() not in folded:
            continue
        pattern = rf"(?<!\w){re.escape(known)}{_ending(known)}(?!\w)"
        if re.search(pattern, bare, re.IGNORECASE):
            named.add(speakers[name])
            bare = re.sub(pattern, " ", bare, flags=re.IGNORECASE)
    speaker = named.pop() if len(named) == 1 else 0
    return (bare if re.search(r"\w", bare) else plain), speaker


def _ending(name: str) -> str:
    """Return the pattern of what may follow a name as part of the same word."""
    if name in _WHOLE:
        return ""
    if len(name) == 1 and "\uac00" <= name <= "\ud7a3":
        return _AFTER_ONE_SYLLABLE
    return f"(?:['’]s|{NAME_ENDING})"
