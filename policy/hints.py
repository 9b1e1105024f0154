"""Detectors: they annotate what a person sees and decide nothing. With none of them the answers are the same."""

import re
from collections.abc import Callable

from muniment.claims import hidden_characters, lookalikes

Hint = Callable[[str], tuple[str, ...]]

# Phrases that often open an instruction to a machine. Misses and false alarms cost nothing: a hint is only shown.
_INSTRUCTION = re.compile(
    r"\b(ignore (all|any|previous)|from now on|always (send|forward|use|reply)|do not tell)\b"
    r"|\b(system prompt|you must now)\b"
    r"|앞으로(는)? .{0,40}(보내|전송|사용|응답)|이전 지시|지금부터|반드시 .{0,30}(보내|전송)",
    re.IGNORECASE,
)


def instruction_hint(text: str) -> tuple[str, ...]:
    """Return `reads like an instruction` when a text does."""
    return ("reads like an instruction",) if _INSTRUCTION.search(text) else ()


def hidden_hint(text: str) -> tuple[str, ...]:
    """Return one hint for each sort of hidden character in a text."""
    return tuple(
        sorted({f"holds a hidden character: {item.sort}" for item in hidden_characters(text)})
    )


def lookalike_hint(text: str) -> tuple[str, ...]:
    """Return a hint when an address in a text holds a letter that passes for another."""
    return ("an address holds a letter that passes for another",) if lookalikes(text) else ()


# What of weight a change may be about: looked for only where a person decides, or every line would be marked.
_SENSITIVE = {
    "names an address or a link": re.compile(
        r"\bhttps?://|\bwww\.|[\w.+-]+@[\w-]+\.\w|\b[a-z0-9-]+\.(com|net|org|io|ai|dev|sh|xyz|kr)\b",
        re.IGNORECASE,
    ),
    "names a command": re.compile(
        r"(?m)^\s*(\$|#!)\s*\S|\b(curl|wget|sudo|chmod|powershell|rm -rf|ssh|pip install|npm install|docker run)\b"
    ),
    "speaks of a password or a key": re.compile(
        r"\b(passwords?|passphrases?|credentials?|secrets?|tokens?|api[ _-]?keys?)\b"
        r"|비밀번호|암호|토큰|인증 ?키|API ?키",
        re.IGNORECASE,
    ),
    "speaks of permissions": re.compile(
        r"\b(permissions?|allow-?list|deny-?list|admin|root access|grant(s|ed)?|bypass|in scope|out of scope)\b"
        r"|권한|관리자|허용 ?목록|차단 ?목록|우회",
        re.IGNORECASE,
    ),
}


def sensitive_hint(text: str) -> tuple[str, ...]:
    """Return what of weight a text that waits for a person names: an address, a command, a secret, a permission."""
    return tuple(told for told, pattern in _SENSITIVE.items() if pattern.search(text))


DEFAULT_HINTS: tuple[Hint, ...] = (instruction_hint, hidden_hint, lookalike_hint)
