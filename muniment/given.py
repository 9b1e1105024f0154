"""What a caller handed in, checked before anything of it is used: the wrong sort of value is an InvalidError."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from muniment.claims import (
    CLAIM_LIMIT,
    InvalidError,
    ReasonCode,
    RefusedError,
    Scope,
    checked_text,
    from_micros,
    to_micros,
)
from muniment.policy import judge_credentials

NAME_LIMIT = 2_000
MOST = 10_000


def text_given(value: object, what: str, *, limit: int = NAME_LIMIT) -> str:
    """Return a text, which may be empty."""
    if not isinstance(value, str):
        raise InvalidError(f"{what} is {_sort(value)}; give text, and bytes decoded as UTF-8")
    return checked_text(value, what, limit=limit) if value else value


def flag_given(value: object, what: str) -> bool:
    """Return a yes or no; InvalidError for anything else."""
    if not isinstance(value, bool):
        raise InvalidError(f"{what} is {_sort(value)}; give True or False")
    return value


def reason_given(value: object, *, limit: int = CLAIM_LIMIT) -> str:
    """Return a reason in words, which may be empty; RefusedError where it holds a credential."""
    note = text_given(value, "reason", limit=limit)
    if refused := judge_credentials((note,)):
        raise RefusedError(refused)
    return note


class Because(NamedTuple):
    """Why something is changed: in words, which are sealed, and by a code, which stands in the clear."""

    note: str
    code: ReasonCode | None


def because_given(reason: object, code: object) -> Because:
    """Return the reason of a change; both its words and its code may be empty."""
    note, named = reason_given(reason), text_given(code, "code")
    if named and named not in tuple(ReasonCode):
        raise InvalidError(f"{named!r} is no reason code; use one of {', '.join(ReasonCode)}")
    return Because(note, ReasonCode(named) if named else None)


def scope_given(**names: object) -> Scope:
    """Return the scope of these names, each a text; an empty one means any."""
    return Scope(**{field: text_given(name, f"the {field}") for field, name in names.items()})


def moment_given(value: object, what: str) -> datetime | None:
    """Return an aware datetime, or None where none was given."""
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise InvalidError(f"{what} is {_sort(value)}; give a datetime with its time zone")
    micros = to_micros(value, what)
    try:
        from_micros(micros)
    except OverflowError:
        raise InvalidError(
            f"{what} {value.isoformat()} lies outside the years 1 to 9999 UTC"
        ) from None
    return value


def count_given(value: object, what: str) -> int:
    """Return a whole number of at least one."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST:
        raise InvalidError(f"{what} must be a whole number and at least 1, at most {MOST:,}")
    return value


def list_given(value: object, what: str) -> Sequence[Any]:
    """Return a list or a tuple; a single text is no list of its characters."""
    if not isinstance(value, list | tuple):
        raise InvalidError(f"{what} is {_sort(value)}; give a list, such as {what}=[…]")
    return value  # pyright: ignore[reportUnknownVariableType]  # of anything: each item is checked by itself


def stated_given(present: object) -> dict[str, str]:
    """Return what the present request states, by attribute."""
    return {
        text_given(name, "an attribute in present"): text_given(value, "a value in present")
        for name, value in mapping_given(present, "present").items()
    }


def tools_given(tools: object) -> tuple[str, ...]:
    """Return the tools in use, by name."""
    return tuple(text_given(tool, "a tool") for tool in list_given(tools, "tools"))


def mapping_given(value: object, what: str) -> Mapping[Any, Any]:
    """Return a mapping."""
    if not isinstance(value, Mapping):
        raise InvalidError(f"{what} is {_sort(value)}; give a mapping of names to values")
    return value  # pyright: ignore[reportUnknownVariableType]  # of anything: each item is checked by itself


def _sort(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"
