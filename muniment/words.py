"""The plain words of every screen, English and Korean, from one table; a code stands beside them, never instead."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

from muniment.claims import InvalidError
from muniment.policy import RULES

Language = Literal["en", "ko"]
_LANGUAGES: tuple[Language, ...] = ("en", "ko")


@cache
def _table() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(files("muniment").joinpath("words.toml").read_text(encoding="utf-8"))


def word(key: str, language: Language = "en", **values: object) -> str:
    """Return the plain words of a key such as `kind.stated` or `rule.PAUSED`; without any, its last part."""
    group, _, name = key.partition(".")
    known = _table().get(group, {}).get(name, {}).get(language)
    if known:
        return known.format(**values)
    # A rule says its own reason in English.
    return RULES[name].reason if group == "rule" and name in RULES else name.replace("_", " ")


def language_given(language: object) -> Language:
    """Return a language there are words in, or raise InvalidError naming them."""
    for known in _LANGUAGES:
        if language == known:
            return known
    raise InvalidError(f"{language!r} is no language here; use one of {', '.join(_LANGUAGES)}")
