"""Plain words for screens, in the language of the person's machine."""

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files

from muniment import Language
from muniment import word as word_in
from muniment.claims import Claim, Kind
from muniment.policy import RULES
from muniment.retrieval import Reason, trouble_of

_ASKED: ContextVar[Language | None] = ContextVar("language", default=None)

# What the library calls by its arguments, as the command line calls it; a test looks each of them up in the library.
SPOKEN = {
    "pass sources=[…]": "name it with --source ID",
    "name in sources=[…] what": "name with --source what",
    "pass the claim itself, or version=…": "write the claim as ID@VERSION",
    "look at `difference` and try again": "look at what was done since and try again",
    "on purpose with anew": "on purpose with --anew",
    "in failure=…": "with --symptom, --cause, --did-not-work, --fixed-by and --environment",
    "in reasoning=…": "with --because and --rejected PLAN=WHY",
    "with task=…": "with --task",
    "then pass version=… with that": "then give that with --version",
    "keep it with keep_procedure": "keep it with muniment procedure keep",
    "give either text or parts": "give either TEXT or --part",
    "give fields or text": "give --field or TEXT",
    "give answer, model, parameters or trace": "give --answer, --model, --parameters or --trace",
    "give text, with around, alone": "give --text, with --around, alone",
    "give line or claim, not both": "give --line or --claim, not both",
    "or a trace id, or give text": "or a trace id, or give --text",
    "pass an aware datetime, such as datetime(2026, 3, 1, tzinfo=ZoneInfo('Asia/Seoul'))": "add one, such as +09:00",
}
_ARGUMENT = re.compile(
    r"(?<![\w-])(as_of|asserted_source|expires_at|media_type|recheck_at|recheck_when|said_at|valid_from|valid_to)(?!\w)"
)


@contextmanager
def speaking(asked: Language | None) -> Generator[None]:
    """Let screens speak the language that was asked for, for the length of one command."""
    before = _ASKED.set(asked)
    try:
        yield
    finally:
        _ASKED.reset(before)


def language() -> Language:
    """Return the language asked for, otherwise that of the environment: Korean where it says so, else English.

    The locales C and POSIX, which machines without a person set, say nothing about it.
    """
    if asked := _ASKED.get():
        return asked
    named = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    said = (value for value in named if value.partition(".")[0] not in ("", "C", "POSIX"))
    return "ko" if next(said, "").startswith("ko") else "en"


@cache
def data_text(name: str) -> str:
    """Return the text of one of the data files that ship with the command line."""
    return files("muniment.surfaces.cli").joinpath("data", name).read_text(encoding="utf-8")


def word(key: str, tongue: Language | None = None, **values: object) -> str:
    """Return the plain words of a key such as `kind.stated` in the reader's language."""
    return word_in(key, tongue or language(), **values)


def spoken(message: str) -> str:
    """Return a message of the library with its arguments named as options of the command line."""
    for argument, option in SPOKEN.items():
        message = message.replace(argument, option)
    return _ARGUMENT.sub(lambda found: f"--{found[1].replace('_', '-')}", message)


def kind_words(claim: Claim, reader: str, tongue: Language | None = None) -> str:
    """Return how a claim was made as its reader would say it: said by you, guessed, from outside."""
    if claim.kind is Kind.STATED:
        who = next((citation.author for citation in claim.citations if citation.author), "")
        if who and who != reader:
            return word("kind.stated_other", tongue, who=who)
    return word(f"kind.{claim.kind.value}", tongue)


def rule_words(code: str, reason: str, tongue: Language | None = None) -> str:
    """Return a rule's reason in the reader's language; `reason` is the rule's own, in English."""
    known = word(f"rule.{code}", tongue)
    is_known = (tongue or language()) != "en" and known != code.replace("_", " ")
    if not is_known:
        return spoken(reason)  # which may say particulars besides
    _, mark, found = reason.partition(" (“")  # the text a rule was reached by is in its own tongue
    return f"{known}{mark}{found}"


def note_words(note: str) -> str:
    """Return a note of the library in the reader's language: a rule's reason, or what a search did without.

    The rule, or the note as it is, stands beside.
    """
    code, _, reason = note.partition(": ")
    if code in RULES:
        return f"{rule_words(code, reason)} · {code}"
    trouble = trouble_of(note)
    return f"{word(f'way.{trouble}')} · {note}" if trouble else note


def word_of_rule(code: str) -> str:
    """Return the reason of a rule of the table in the reader's language."""
    return spoken(word(f"rule.{code}"))


def reason_words(reason: Reason, tongue: Language | None = None) -> str:
    """Return why a claim was found, with the code and its share of the score beside it."""
    score = f" {reason.score:.2f}" if reason.score else ""
    return f"{word(f'reason.{reason.code}', tongue)} ({reason.code}{score})"
