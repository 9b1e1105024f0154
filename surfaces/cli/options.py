"""The options every command shares: where the store is, who acts, how to answer."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Group, Parameter

from muniment import Language
from muniment.claims import InvalidError

PLACE = Group("Store and output", sort_key=90)
IDENTITY = Group("Who acts, and where", sort_key=91)

Words = Annotated[str, Parameter(allow_leading_hyphen=True)]
"""Words, or a lone hyphen for standard input; they may begin with a hyphen."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class StoreOptions:
    """Where the store is and how to answer."""

    store: Annotated[Path, Parameter(env_var="MUNIMENT_STORE", group=PLACE)] = Path("store")
    """Folder of the store."""
    tenant: Annotated[str, Parameter(group=PLACE)] = "default"
    """Tenant within the store."""
    json: Annotated[bool, Parameter(group=PLACE)] = False
    """Answer in JSON, errors too."""
    lang: Annotated[Language | None, Parameter(group=PLACE)] = None
    """The language of the words, otherwise that of the locale."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SessionOptions(StoreOptions):
    """Also who acts and in which scope."""

    person: Annotated[str | None, Parameter(group=IDENTITY)] = None
    """The person, where that is not yourself: for operators in store.toml only."""
    project: Annotated[str, Parameter(group=IDENTITY)] = ""
    """The project."""
    org: Annotated[str, Parameter(group=IDENTITY)] = ""
    """The organisation."""
    channel: Annotated[str, Parameter(group=IDENTITY)] = ""
    """The shared channel."""
    agent: Annotated[str, Parameter(group=IDENTITY)] = ""
    """The agent that acts for the person; its words are an agent's."""
    session: Annotated[str, Parameter(group=IDENTITY)] = ""
    """The conversation."""


def claim_at(text: str, version: int | None) -> tuple[str, int | None]:
    """Return the identifier and the version seen of a claim given as ID, or as ID@VERSION as tables show it."""
    name, mark, seen = text.partition("@")
    if not mark:
        return name, version
    if not seen.isdecimal():
        raise InvalidError(f"{text!r} names no version; write it as {name}@1")
    if version is not None and int(seen) != version:
        raise InvalidError(f"{text!r} and --version {version} name two versions; give one of them")
    return name, int(seen)


def moment(text: str, option: str) -> datetime | None:
    """Return the time an option holds, or None when it was not given; a time needs its zone."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidError(
            f"{option} {text!r} is not a time; write it as 2026-12-31T18:00:00+09:00"
        ) from None
    if found.tzinfo is None:
        raise InvalidError(f"{option} {text!r} has no time zone; add one, such as +09:00 or Z")
    return found


def pairs(items: tuple[str, ...], option: str) -> dict[str, str]:
    """Return NAME=VALUE items as a dictionary."""
    found: dict[str, str] = {}
    for item in items:
        name, mark, value = item.partition("=")
        if not mark or not name:
            raise InvalidError(f"{option} {item!r} is not NAME=VALUE")
        if name in found:
            raise InvalidError(f"{option} gives {name!r} twice")
        found[name] = value
    return found
