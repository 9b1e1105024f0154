"""Plain words for screens, in the language of the person's machine."""

import os
import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

from muniment.claims import Claim, Kind

Language = Literal["en", "ko"]


def language() -> Language:
    """Return the language of the environment: Korean where it says so, English otherwise."""
    named = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return "ko" if next((value for value in named if value), "").startswith("ko") else "en"


@cache
def data_text(name: str) -> str:
    """Return the text of one of the data files that ship with the command line."""
    return files("muniment.surfaces.cli").joinpath("data", name).read_text(encoding="utf-8")


@cache
def _words() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(data_text("words.toml"))


def word(key: str, tongue: Language | None = None, **values: object) -> str:
    """Return the plain words of a key such as `kind.stated`; a key without words is its own last part."""
    group, _, name = key.partition(".")
    known = _words().get(group, {}).get(name)
    return known[tongue or language()].format(**values) if known else name.replace("_", " ")


def kind_words(claim: Claim, reader: str, tongue: Language | None = None) -> str:
    """Return how a claim was made as its reader would say it: said by you, guessed, from outside."""
    if claim.kind is Kind.STATED:
        who = next((citation.author for citation in claim.citations if citation.author), "")
        if who and who != reader:
            return word("kind.stated_other", tongue, who=who)
    return word(f"kind.{claim.kind.value}", tongue)
