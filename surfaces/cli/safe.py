"""Words on their way out: nothing that was remembered can steer a terminal or break a line of JSON."""

import json
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import cast

from pydantic import BaseModel

from muniment.claims import visible

# Left alone by `visible` where they may be honest, but on a screen they reach beyond their own cell:
# carriage return, line and paragraph separators, direction overrides, embeddings and isolates.
_REACHING = {
    code: f"‹U+{code:04X}›"
    for code in (0x0D, 0x85, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
_LEFT = {"Cc", "Cs", "Co", "Cn"}


def page_text(text: str) -> str:
    """Return a text for a screen, its line breaks kept, hidden and steering characters made visible."""
    shown = visible(text.replace("\r\n", "\n")).translate(_REACHING).replace("\t", "    ")
    return "".join(
        char if char == "\n" or _harmless(char) else f"‹U+{ord(char):04X}›" for char in shown
    )


def line_text(text: str) -> str:
    """Return a text for one line of a screen: as `page_text`, line breaks shown as ↵."""
    return page_text(text).replace("\n", " ↵ ")


def _harmless(char: str) -> bool:
    return unicodedata.category(char) not in _LEFT


def moment_text(moment: datetime) -> str:
    """Return a time as the person's own machine tells it, to the minute."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M %Z}"


def plain(value: object) -> object:
    """Return a value as JSON knows it: levels by name, times as ISO 8601, tuples as lists."""
    match value:
        case BaseModel():
            return plain_fields(value)
        case IntEnum():
            return value.name
        case Enum():
            return plain(value.value)
        case datetime():
            return value.isoformat()
        case Decimal() | Path():
            return str(value)
        case Mapping():
            items = cast("Mapping[object, object]", value)
            return {str(plain(key)): plain(item) for key, item in items.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item) for item in cast("Iterable[object]", value)]
        case _:
            return value


def plain_fields(value: BaseModel) -> dict[str, object]:
    """Return the fields of a value as JSON knows them."""
    return {name: plain(getattr(value, name)) for name in type(value).model_fields}


def json_line(value: object) -> str:
    """Return one line of JSON; letters stay readable, whatever could steer a terminal is escaped."""
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
