"""Hypothesis strategies: words, names, scopes, moments and the closed lists of the vocabulary."""

import unicodedata
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from muniment.claims import SCOPE_FIELDS, Category, Integrity, Kind, Purpose, Scope

_WORDS = (
    *(
        "We",
        "deploy",
        "to",
        "staging",
        "on",
        "Fridays",
        "naïve",
        "café",
        "Ångström",
        "fi",
        "ﬁ",
        "x²",
    ),
    *("배포", "환경은", "스테이징이다", "저", "고기", "안", "먹어요", "한글", "값이", "①", "㎏"),
    *("42", "3.14", "2026-03-02", "kim@example.org", "https://wiki.example/ops?a=1&b=2"),
    *(
        "🙂",
        "👩\u200d💻",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "❤\ufe0f",
    ),
    *("می\u200cخواهم", "שלום", "क्\u200dष"),
)
_HIDDEN = "\u200b\u200d\u2060\ufeff\u00ad\u202e\u2066\u3164\U000e0041\ufe0f\u034f\u115f"
_ZONES = ("UTC", "Asia/Seoul", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe")


def texts(*, most_words: int = 8, hidden: bool = True) -> SearchStrategy[str]:
    """Return a strategy for lines in English, Korean and other scripts, composed or decomposed.

    With `hidden`, some hold characters that a reader does not see.
    """
    line = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=most_words).map(" ".join)
    shaped = st.builds(unicodedata.normalize, st.sampled_from(("NFC", "NFD")), line)
    return shaped | _with_hidden(shaped) if hidden else shaped


def _with_hidden(lines: SearchStrategy[str]) -> SearchStrategy[str]:
    def put(line: str, mark: str, place: int) -> str:
        return line[: place % len(line)] + mark + line[place % len(line) :]

    return st.builds(put, lines, st.sampled_from(_HIDDEN), st.integers(0, 80))


def any_texts(*, most: int = 40) -> SearchStrategy[str]:
    """Return a strategy for any text the store takes: no NUL, no lone surrogate, not only white space."""
    characters = st.characters(codec="utf-8", exclude_characters="\0")
    return st.text(characters, min_size=1, max_size=most).filter(lambda text: bool(text.strip()))


def names(*, most: int = 3) -> SearchStrategy[str]:
    """Return a strategy for a few names of persons, projects and channels, in two scripts."""
    return st.sampled_from(("kim", "박서준", "lee", "ana", "이도윤", "noor")[:most])


def scopes(*, most: int = 2) -> SearchStrategy[Scope]:
    """Return a strategy for scopes with any of their fields named."""
    field = st.just("") | names(most=most)
    return st.builds(Scope, **{name: field for name in SCOPE_FIELDS})


def moments() -> SearchStrategy[datetime]:
    """Return a strategy for aware moments of a few years in several zones, those around a clock change too."""
    base = datetime(2024, 1, 1, tzinfo=UTC)

    def at(days: int, seconds: int, micros: int, zone: str) -> datetime:
        later = timedelta(days=days, seconds=seconds, microseconds=micros)
        return (base + later).astimezone(ZoneInfo(zone))

    return st.builds(
        at,
        st.integers(0, 1500),
        st.integers(0, 86_399),
        st.sampled_from((0, 1, 999_999)),
        st.sampled_from(_ZONES),
    )


def kinds() -> SearchStrategy[Kind]:
    """Return a strategy for the kinds a writer may ask for."""
    return st.sampled_from(tuple(Kind))


def categories() -> SearchStrategy[Category]:
    """Return a strategy for categories."""
    return st.sampled_from(tuple(Category))


def integrities() -> SearchStrategy[Integrity]:
    """Return a strategy for levels of integrity."""
    return st.sampled_from(tuple(Integrity))


def purposes() -> SearchStrategy[Purpose]:
    """Return a strategy for the purposes of a recall."""
    return st.sampled_from(tuple(Purpose))
