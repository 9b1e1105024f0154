"""The policy file: what an organisation may set without changing code."""

import hashlib
import re
import tomllib
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Literal

from pydantic import ValidationError, field_validator

from muniment.claims import Account, InvalidError, Value, canonical_bytes

from .accounts import AccountPolicy, AccountRule, account_rules
from .approval import Preset
from .definitions import Definition
from .rules import RULES

FieldType = Literal["integer", "decimal", "boolean", "time", "identifier"]
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}")

DEFAULT_POLICY = """\
# What this store may keep and show. Changes take effect at the next open and are written into the journal.
format = 1

# What waits for the person: in solo nothing, in journal interpretations of her, in regulated also what directs.
# preset = "journal"

# A tool whose typed fields may be observed. Types: integer, decimal, boolean, time, identifier (no spaces).
# [tools.deploy_status]
# fields = { environment = "identifier", exit_code = "integer", finished_at = "time" }

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
"""


class ToolPolicy(Value):
    """The typed fields of one registered first-party tool."""

    fields: dict[str, FieldType]


class Policy(Value):
    """A policy in force; `digest` binds it, with the table of rules, into the journal."""

    format: Literal[1] = 1
    preset: Preset = "solo"
    tools: dict[str, ToolPolicy] = {}
    accounts: dict[Account, AccountPolicy] = {}
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
        """The SHA-256 of this policy, of the table of rules and of what the states of accounts allow."""
        table = [[rule.code, rule.verdict.value, rule.reason] for rule in RULES.values()]
        states = [rule.model_dump(mode="json") for rule in self.states.values()]
        whole = [self.model_dump(mode="json"), table, states]
        return hashlib.sha256(canonical_bytes(whole)).hexdigest()

    @property
    def states(self) -> dict[Account, AccountRule]:
        """What each state of an account allows: the default table with what this policy answers otherwise."""
        return account_rules(self.accounts)

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
    """Return the line where the last of nested names stands, each looked for from where the one before stood."""
    rows = text.splitlines()
    at = 0
    for step in steps:
        name = re.compile(rf"(?<![\w-]){re.escape(step)}(?![\w-])")
        at = next((place for place in range(at, len(rows)) if name.search(rows[place])), at)
    return at + 1


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
