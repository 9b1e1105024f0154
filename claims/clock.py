"""Time and its integer form: the only place that asks the machine what time it is."""

from datetime import UTC, datetime, timedelta
from typing import Protocol

from .errors import InvalidError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Clock(Protocol):
    """Answers the present moment as an aware UTC datetime."""

    def __call__(self) -> datetime: ...


def system_clock() -> datetime:
    """Return the machine's present time in UTC."""
    return datetime.now(UTC)


def to_micros(moment: datetime, what: str = "time") -> int:
    """Return microseconds since 1970 UTC; a datetime without a zone raises InvalidError."""
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidError(
            f"{what} {moment.isoformat()} has no time zone; pass an aware datetime, "
            "such as datetime(2026, 3, 1, tzinfo=ZoneInfo('Asia/Seoul'))"
        )
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Return the aware UTC datetime of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=micros)


def zone_of(moment: datetime) -> str:
    """Return the zone a moment was stated in: its IANA name, or its offset such as `+09:00`."""
    key = getattr(moment.tzinfo, "key", None)
    if isinstance(key, str):
        return key
    return moment.isoformat()[-6:] if moment.utcoffset() else "UTC"
