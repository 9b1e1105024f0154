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


DEFAULT_HINTS: tuple[Hint, ...] = (instruction_hint, hidden_hint, lookalike_hint)
