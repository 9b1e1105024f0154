"""What may be collected from an origin: whether it enters, in which categories, for how long, how little of it."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, NamedTuple
from unicodedata import normalize
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from muniment.claims import Category, Decision, EntityType, Kind, Value

from .rules import decide

Minimum = Literal["all", "quote", "gist"]
ANY_ORIGIN = "*"
_SORTS = ("domain", "mail", "tool", "origin")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*")
_MAIL = re.compile(r"[^\s@/]+@([\w-]+(?:\.[\w-]+)*)")
_MOST_DAYS = 36_500


def _origin_name(name: str) -> str:
    sort, _, rest = name.partition(":")
    host = _host_name(rest)
    if name != ANY_ORIGIN and (
        sort not in _SORTS
        or not rest
        or (sort == "domain" and (not host or not _HOST.fullmatch(host)))
        or (sort == "mail" and not _MAIL.fullmatch(rest))
    ):
        raise ValueError(
            'name an origin as "domain:wiki.example", "mail:ops@corp.example", "tool:search", "origin:its exact name", '
            'or "*" for every other'
        )
    return name


class OriginPolicy(Value):
    """The collection policy of an origin; `keep_days` 0 sets no end.

    `minimum`, the least that does: `all` keeps words and a model's gist of them, `quote` its own words alone, `gist`
    a model's words alone.
    """

    enter: bool = True
    categories: tuple[Category, ...] = Field(default=tuple(Category), min_length=1)
    keep_days: int = Field(default=0, ge=0, le=_MOST_DAYS)
    minimum: Minimum = "all"


OriginName = Annotated[str, AfterValidator(_origin_name)]
Origins = Mapping[str, OriginPolicy]


class NamedOrigin(NamedTuple):
    """An origin as the store knows it: what sort of thing it is, and its name."""

    sort: EntityType
    name: str


def origin_policy(origins: Origins, origin: NamedOrigin) -> OriginPolicy | None:
    """Return the policy of an origin: that of its exact name, its address, its nearest domain, or of any; else None."""
    if origin.sort not in ("origin", "tool") or not origin.name:
        return None
    return next((origins[key] for key in _keys_of(origins, origin) if key in origins), None)


def _keys_of(origins: Origins, origin: NamedOrigin) -> Iterable[str]:
    """Yield the names an origin goes by in a policy, as that spells them, the narrowest first."""
    if origin.sort == "tool":
        return (f"tool:{origin.name}", ANY_ORIGIN)
    spelt: dict[str, str] = {}
    for key in origins:
        sort, _, rest = key.partition(":")
        if sort in ("domain", "mail"):
            spelt[f"{sort}:{_address(rest) if sort == 'mail' else _host_name(rest)}"] = key
    mail, host = _where(origin.name)
    labels = host.split(".") if host else []
    domains = (f"domain:{'.'.join(labels[at:])}" for at in range(len(labels)))
    found = (spelt.get(one, "") for one in (f"mail:{mail}", *domains))
    return (f"origin:{origin.name}", *found, ANY_ORIGIN)


def _where(name: str) -> tuple[str, str]:
    """Return the address and the host that an origin's name holds, each empty where there is none."""
    plain = normalize("NFKC", name).strip().replace("\\", "/")  # as a browser reads it
    inner = re.search(r"<([^<>]+)>$", plain)  # a name before the address
    plain = inner.group(1) if inner else plain
    mail = _MAIL.fullmatch(re.sub(r"^mail(to)?:", "", plain, flags=re.IGNORECASE).partition("?")[0])
    if mail:
        return _address(mail.group()), _host_name(mail.group(1))
    try:
        host = urlsplit(plain if "://" in plain else f"//{plain}").hostname or ""
    except ValueError:
        host = ""
    host = _host_name(host)
    return "", host if _HOST.fullmatch(host) else ""


def _address(text: str) -> str:
    name, _, host = text.rpartition("@")
    return f"{normalize('NFKC', name).casefold()}@{_host_name(host)}"


def _host_name(host: str) -> str:
    """Return a host in the one way to write it: small, without the last dot, other scripts as in the name system."""
    plain = normalize("NFKC", host).casefold().rstrip(".")
    try:
        return plain.encode("idna").decode("ascii")
    except UnicodeError:
        return plain


def judge_entry(origins: Origins, named: Iterable[NamedOrigin]) -> Decision | None:
    """Return the refusal of what comes from one of these origins, None where all of it may enter."""
    for origin in named:
        rule = origin_policy(origins, origin)
        if rule is not None and not rule.enter:
            return decide("ORIGIN_SHUT", origin.name)
    return None


def judge_collection(
    rules: Iterable[OriginPolicy], category: Category, *, kind: Kind, quoted: bool, beside: bool
) -> Decision | None:
    """Return the refusal of a claim drawn from origins with these policies, None where it may be kept.

    `quoted`: it holds the origin's own words; `beside`: it holds a model's.
    """
    for rule in rules:
        if not rule.enter:
            return decide("ORIGIN_SHUT")
        if category not in rule.categories:
            allowed = ", ".join(one.value for one in rule.categories)
            return decide("ORIGIN_CATEGORY", f"{category.value}; allowed: {allowed}")
        own = quoted and kind is not Kind.INFERRED
        if (rule.minimum == "quote" and (beside or not own)) or (rule.minimum == "gist" and quoted):
            return decide("ORIGIN_MINIMUM", f"minimum = {rule.minimum}")
    return None
