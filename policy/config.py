"""The policy file: what an organisation may set without changing code."""

import hashlib
import re
import tomllib
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Literal, Self
from unicodedata import normalize

from pydantic import (
    AfterValidator,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from muniment.claims import Account, InvalidError, Scope, Value, canonical_bytes, canonical_text

from .accounts import AccountPolicy, AccountRule, account_rules
from .approval import Preset
from .collecting import OriginName, OriginPolicy
from .definitions import Definition
from .retention import RetentionPolicy, RetentionRule, retention_rules, rules_of
from .rules import RULES

FieldType = Literal["integer", "decimal", "boolean", "time", "identifier"]
_HEADING = re.compile(r"\s*\[([^\]]*)\]")
_NAME = re.compile(r"(?<=\")[^\"]+(?=\"\s*(?:[\].=]|$))|[\w-]+")
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}")

DEFAULT_POLICY = """\
# What this store may keep and show. Changes take effect at the next open and are written into the journal.
format = 1

# What waits for the person: in solo nothing, in journal interpretations of her, in regulated also what directs,
# in reviewed everything that an agent keeps for her. In journal everything of a person's own is sensitive: see below.
# preset = "journal"

# A tool whose typed fields may be observed. Types: integer, decimal, boolean, time, identifier (no spaces).
# [tools.deploy_status]
# fields = { environment = "identifier", exit_code = "integer", finished_at = "time" }

# A tool that names an account: who_am_i is the field that says whose session it is; looked_up the fields of a look-up
# that hold the login asked for and the one found. services are the names people call the service by.
# [tools.github_user]
# fields = { login = "identifier" }
# who_am_i = "login"
# services = ["GitHub", "깃허브"]

# What may be collected from an origin: "domain:", "mail:", "tool:", "origin:" and its exact name, or "*", any other.
# minimum: all, quote (its own words alone) or gist (a model's words alone). keep_days = 0 sets no end.
# [origins."domain:wiki.example"]
# enter = true
# categories = ["fact", "definition"]
# keep_days = 90
# minimum = "quote"

# Other stores whose exports are taken in as what they are: the keys that stand in the seal of each, their last line.
# stores = ["muniment/default/0123456789abcdef+01234567+AQ…"]

# A term with the meaning the organisation approved, put before every question that speaks of it; org and project may
# be left out.
# [[definitions]]
# term = "매출"
# means = "부가세를 뺀 확정 금액"
# org = "acme"
# approved_by = "finance, 2026-03-02"

# What a state of an account allows (active, paused, free, lapsed, closed), where it is to be otherwise than
# `muniment policy rules` shows. Seeing, exporting and deleting is always allowed.
# [accounts.free]
# accumulate = true
# prompt = false
# keep_days = 0

# Sensitive scopes of persons: a key and an index of their own, and no answer to anybody but their owner. `agents` may
# act for her there, "*" for whichever the host names. What was declared once stays so until its owner lifts it.
# [[sensitive]]
# project = "journal"
# agents = []

# How long what is kept stays, in days; 0: no end is set. A run of `muniment retention` destroys what is over, and
# `muniment retention --dry-run` shows that first. Layers: message, document, tool_result, block, receipt; by category
# claim and ended (claims that do not stand any more). What is not set here is as the preset sets it.
# [retention]
# receipt = 365
# [retention.claim]
# fact = 730
# [retention.closed]
# message = 30
"""


class LookUp(Value):
    """The fields of a look-up: the login it was asked for, and the login it found."""

    asked: str
    found: str


_STORE_KEY = re.compile(r"muniment/[^\s+/]+/[0-9a-f]{16}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}", re.ASCII)


def _store_key(text: str) -> str:
    if not _STORE_KEY.fullmatch(text):
        raise ValueError("no key of a store; copy it from the seal, the last line of its export")
    return text


StoreKey = Annotated[str, AfterValidator(_store_key)]
"""The public key of a store, as its exports name it: name, hash and key in the form of C2SP."""


class ToolPolicy(Value):
    """The typed fields of one registered first-party tool, and which of them name an account at which service."""

    fields: dict[str, FieldType]
    services: tuple[str, ...] = ()
    who_am_i: str = ""
    looked_up: LookUp | None = None

    @field_validator("services")
    @classmethod
    def _named(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not all(canonical_text(name) for name in names):
            raise ValueError("a service has a name of letters")
        return names

    @field_validator("who_am_i")
    @classmethod
    def _is_field(cls, name: str, info: ValidationInfo) -> str:
        return _login_field(name, info) if name else name

    @field_validator("looked_up")
    @classmethod
    def _are_fields(cls, found: LookUp | None, info: ValidationInfo) -> LookUp | None:
        if found is not None and info.data.get("who_am_i"):
            raise ValueError("a tool is a who_am_i or a look-up, not both; register two tools")
        for name in (found.asked, found.found) if found else ():
            _login_field(name, info)
        return found


def _login_field(name: str, info: ValidationInfo) -> str:
    """Return the name of a field that holds a login, or raise ValueError saying what is missing."""
    fields: dict[str, FieldType] = info.data.get("fields", {})
    if fields.get(name) != "identifier":
        raise ValueError(
            f'{name!r} is no field of type identifier; write fields = {{ {name} = "identifier" }}'
        )
    if not info.data.get("services"):
        raise ValueError('say of which service: services = ["GitHub"]')
    return name


class SensitiveScope(Value):
    """Scopes of persons that have a key and an index of their own: a field left empty means any.

    `agents` may act for the owner there, by name; "*" is whichever the host names.
    """

    org: str = ""
    person: str = ""
    project: str = ""
    channel: str = ""
    agents: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not (self.org or self.person or self.project or self.channel):
            raise ValueError("name an org, a person, a project or a channel")
        if not all(agent.strip() for agent in self.agents):
            raise ValueError('an agent has a name; "*" is whichever the host names')
        return self

    def covers(self, scope: Scope) -> bool:
        """Return whether a scope has every field that is named here."""
        wanted = (
            ("org", self.org),
            ("person", self.person),
            ("project", self.project),
            ("channel", self.channel),
        )
        return all(normalize("NFC", name) in ("", getattr(scope, field)) for field, name in wanted)


class Policy(Value):
    """A policy in force; `digest` binds it, with the table of rules, into the journal."""

    format: Literal[1] = 1
    preset: Preset = "solo"
    tools: dict[str, ToolPolicy] = {}
    stores: tuple[StoreKey, ...] = ()
    accounts: dict[Account, AccountPolicy] = {}
    sensitive: tuple[SensitiveScope, ...] = ()
    retention: RetentionPolicy = RetentionPolicy()
    origins: dict[OriginName, OriginPolicy] = {}
    definitions: tuple[Definition, ...] = ()

    @field_validator("definitions")
    @classmethod
    def _one_each(cls, definitions: tuple[Definition, ...]) -> tuple[Definition, ...]:
        places = [one.place for one in definitions]
        for one in definitions:
            if places.count(one.place) > 1:
                raise ValueError(f"{one.term!r} is defined twice for one place; keep one of them")
        return definitions

    @property
    def digest(self) -> str:
        """The SHA-256 of this policy, the table of rules, what states of accounts allow, and how long all stays."""
        table = [[rule.code, rule.verdict.value, rule.reason] for rule in RULES.values()]
        states = [rule.model_dump(mode="json") for rule in self.states.values()]
        ends = {rule.name: rule.days for rule in self.retention_rules.values()}
        whole = [self.model_dump(mode="json"), table, states, ends]
        return hashlib.sha256(canonical_bytes(whole)).hexdigest()

    @property
    def states(self) -> dict[Account, AccountRule]:
        """What each state of an account allows: the default table with what this policy answers otherwise."""
        return account_rules(self.accounts)

    @property
    def keeps_apart(self) -> bool:
        """Whether any scope is declared sensitive here."""
        return self.preset == "journal" or bool(self.sensitive)

    def admitted(self, scope: Scope) -> tuple[str, ...] | None:
        """Return the agents that may act for the owner in a scope declared sensitive here, None for any other scope.

        A scope without a person has no owner. The preset `journal` keeps everything of a person's own apart.
        """
        if not scope.person:
            return None
        for row in self.sensitive:
            if row.covers(scope):
                return tuple(normalize("NFC", agent) for agent in row.agents)
        is_own = not scope.org and not scope.channel
        return ("*",) if self.preset == "journal" and is_own else None

    @property
    def retention_rules(self) -> dict[str, RetentionRule]:
        """How long what stays, by name: what the preset sets with what this policy sets otherwise."""
        return retention_rules(self.preset, self.retention)

    def ends_of(self, account: Account) -> tuple[RetentionRule, ...]:
        """Return the rules that set an end to what is a person's whose account is in that state, by name."""
        return rules_of(self.retention_rules, account)

    def types(self, tool: str, field: str) -> FieldType | None:
        """Return the registered type of a tool's field, or None."""
        registered = self.tools.get(tool)
        return registered.fields.get(field) if registered else None


def policy_from(text: str, *, where: str = "policy.toml") -> Policy:
    """Return the policy a TOML text holds; InvalidError names every line that is wrong."""
    try:
        return Policy.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InvalidError(f"{where}: {error}") from None
    except ValidationError as error:
        # A name that is not known explains a missing one beside it.
        found = sorted(error.errors(), key=lambda item: item["type"] != "extra_forbidden")
        told = [_told(text, item["loc"], item["msg"]) for item in found]
        raise InvalidError("; ".join(f"{where}, {one}" for one in dict.fromkeys(told))) from None


def _told(text: str, steps: Sequence[str | int], message: str) -> str:
    """Return one thing that is wrong, with the line where it stands."""
    line = _line_of(text, [step for step in steps if isinstance(step, str) and step != "[key]"])
    path = ".".join(str(step) for step in steps if step != "[key]")
    return f"line {line}: {path}: {message}"


def _line_of(text: str, steps: list[str]) -> int:
    """Return the line where a nested name stands: under the headings that lead to it, as far as there are any."""
    best, found, table = 0, 1, list[str]()
    for place, row in enumerate(text.splitlines(), 1):
        heading = _HEADING.match(row)
        if heading:
            table = _NAME.findall(heading[1])
            names = table
        elif row.lstrip().startswith("#"):
            continue
        else:
            names = [*table, *_NAME.findall(row)]
        fits = _led(names, steps)
        if fits > best:
            best, found = fits, place
    return found


def _led(names: list[str], steps: list[str]) -> int:
    """Return how many of the steps, from the first on, stand among the names in their order."""
    left, count = iter(names), 0
    for step in steps:
        if step not in left:
            break
        count += 1
    return count


def read_policy(path: Path) -> Policy:
    """Return the policy of a file; a missing file is the default policy."""
    if not path.exists():
        return Policy()
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidError(
            f"{path}: byte {error.start} is no UTF-8; save the file as UTF-8"
        ) from None
    return policy_from(text, where=str(path))


def fits(value: str | int | bool | Decimal, expected: FieldType) -> bool:
    """Return whether a tool's field holds what its registration says it does."""
    match expected:
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "decimal":
            return not isinstance(value, bool) and _is_decimal(value)
        case "time":
            return isinstance(value, str) and _is_time(value)
        case "identifier":
            return isinstance(value, str) and _IDENTIFIER.fullmatch(value) is not None


def _is_decimal(value: str | int | Decimal) -> bool:
    try:
        return Decimal(value).is_finite()
    except InvalidOperation:
        return False


def _is_time(value: str) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False
