"""What a prompt is asked to be, checked: the host's texts, how memory comes into it, how much it may count."""

from collections.abc import Callable, Mapping
from datetime import UTC, tzinfo
from typing import NamedTuple, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from muniment.claims import SOURCE_LIMIT, InvalidError
from muniment.retrieval import Mode

from .given import text_given

Count = Callable[[str], int]
BUDGET_LIMIT = 1_000_000_000


class Wanted(NamedTuple):
    """What a prompt is asked to be: the host's texts, how memory comes into it, how much it may count."""

    texts: Mapping[str, str]
    mode: Mode
    budget: int
    measure: Count
    zone: str


def wanted_given(
    *,
    texts: Mapping[str, object],
    mode: Mode,
    budget: object,
    count: object,
    zone: object,
) -> Wanted:
    """Return what a prompt is asked to be, checked."""
    if not isinstance(budget, int) or isinstance(budget, bool) or not 0 <= budget <= BUDGET_LIMIT:
        raise InvalidError(
            f"budget must be a whole number of at least 0, which is none, at most {BUDGET_LIMIT:,}"
        )
    if not callable(count):
        raise InvalidError("count is no function; give one from a text to a whole number, as len")
    zone_given(zone)
    return Wanted(
        texts={name: _host_text(text, name) for name, text in texts.items()},
        mode=mode,
        budget=budget,
        measure=_measure(cast("Callable[[str], object]", count)),
        zone=str(zone),
    )


def _measure(count: Callable[[str], object]) -> Count:
    def measured(text: str) -> int:
        found = count(text)
        if not isinstance(found, int) or isinstance(found, bool) or found < 0:
            raise InvalidError(
                f"count returned {found!r}; give a function from a text to a whole number"
            )
        return found

    return measured


def _host_text(text: object, name: str) -> str:
    return (
        text
        if isinstance(text, str) and not text.strip()
        else text_given(text, name, limit=SOURCE_LIMIT)
    )


def zone_given(name: object) -> tzinfo:
    """Return a time zone by its name, or raise InvalidError."""
    if name == "UTC":
        return UTC
    if isinstance(name, str) and name:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    raise InvalidError(f"{name!r} is no time zone; name one such as UTC or Asia/Seoul")
