"""How long what is kept stays, as data: by layer, by category of claim, by state of account; nothing ends by default.

Days are spans of 24 hours, so no time zone and no change of clocks bears on them. A rule that is set for a state of an
account counts from when that state began, where that is later than what the rule counts from otherwise.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from muniment.claims import Account, Category, Decision, Layer, Value

from .accounts import LONGEST
from .approval import Preset
from .rules import decide

DAY = 86_400_000_000
"""The microseconds of a day of retention."""

ANY = "any"
BACKUP_DAYS = 90
COUNTED: dict[Layer, str] = {
    Layer.MESSAGE: "from when it came in",
    Layer.DOCUMENT: "from when it came in",
    Layer.TOOL_RESULT: "from when it came in",
    Layer.CLAIM: "from when it was first remembered or last confirmed",
    Layer.ENDED: "from when it was replaced, corrected, withdrawn or rejected, or its time was over",
    Layer.BLOCK: "from when the line was written",
    Layer.RECEIPT: "from the end of the day, in UTC",
}
"""What each layer's days are counted from."""

OUTSIDE: dict[str, str] = {
    "endorsement": "what a person was shown goes with the claim that she endorsed",
    "disclosure": "who was given what stands in headers without words, as long as the journal",
    "header": "identifiers, times and labels stay as long as the journal, tombstones too",
    "backup": "removed by hand when the lifetime it states is over; a run names those that are past it",
}
"""What no run destroys, and why."""


def _known(name: str) -> str:
    if name != ANY and name not in tuple(Category):
        raise ValueError(f"{name!r} is no category; use one of {', '.join((*Category, ANY))}")
    return name


Days = Annotated[int, Field(ge=0, le=LONGEST, strict=True)]
CategoryDays = dict[Annotated[str, AfterValidator(_known)], Days]


class LayerDays(Value):
    """Days by layer, those of claims by category, `any` for all others; 0: no end is set."""

    message: Days | None = None
    document: Days | None = None
    tool_result: Days | None = None
    block: Days | None = None
    receipt: Days | None = None
    claim: CategoryDays = {}
    ended: CategoryDays = {}


class RetentionPolicy(LayerDays):
    """What an organisation sets: for everybody, and what is otherwise in one state of an account.

    `needed`: what a claim or a line rests on whose own time is not over stays with it, or goes with all of that.
    `backup` is the lifetime that a backup states where nobody names one.
    """

    needed: Literal["stays", "goes"] = "stays"
    backup: Annotated[int, Field(ge=1, le=10_000, strict=True)] = BACKUP_DAYS
    active: LayerDays = LayerDays()
    paused: LayerDays = LayerDays()
    free: LayerDays = LayerDays()
    lapsed: LayerDays = LayerDays()
    closed: LayerDays = LayerDays()


class RetentionRule(Value):
    """One rule: its name as the policy file writes it, and after how many days what it is about is over; 0: never."""

    name: str
    account: Account | None = None
    layer: Layer
    category: str = ""
    days: int

    @property
    def counted(self) -> str:
        """What the days are counted from."""
        begun = f", or from when the account became {self.account.value}" if self.account else ""
        return COUNTED[self.layer] + begun


_CLOSED: dict[str, int] = {
    f"closed.{name}": 30
    for name in (
        "message", "document", "tool_result", "claim.any", "ended.any", "block", "receipt",
    )
}  # fmt: skip
RETENTION: dict[Preset, dict[str, int]] = {
    "solo": {},
    "journal": _CLOSED,
    "regulated": {**_CLOSED, "receipt": 365, "ended.any": 365},
    "reviewed": {**_CLOSED, "receipt": 365, "ended.any": 365},
}
"""What each preset sets, by name; what is not named has no end. Solo destroys nothing."""


def retention_rules(preset: Preset, given: RetentionPolicy) -> dict[str, RetentionRule]:
    """Return the rules in force by name: the preset's, with what an organisation sets otherwise."""
    days = {**RETENTION[preset], **_named(given, "")}
    for account in Account:
        days |= _named(getattr(given, account.value), f"{account.value}.")
    return {name: _rule(name, days[name]) for name in sorted(days)}


def _named(given: LayerDays, prefix: str) -> dict[str, int]:
    plain: dict[Layer, int | None] = {
        Layer.MESSAGE: given.message,
        Layer.DOCUMENT: given.document,
        Layer.TOOL_RESULT: given.tool_result,
        Layer.BLOCK: given.block,
        Layer.RECEIPT: given.receipt,
    }
    found = {f"{prefix}{layer.value}": days for layer, days in plain.items() if days is not None}
    for layer, named in ((Layer.CLAIM, given.claim), (Layer.ENDED, given.ended)):
        found |= {f"{prefix}{layer.value}.{name}": days for name, days in named.items()}
    return found


def _rule(name: str, days: int) -> RetentionRule:
    first, _, rest = name.partition(".")
    account = Account(first) if first in tuple(Account) else None
    layer, _, category = (rest if account else name).partition(".")
    return RetentionRule(
        name=f"retention.{name}", account=account, layer=Layer(layer), category=category, days=days
    )


def rule_for(
    rules: Mapping[str, RetentionRule],
    layer: Layer,
    *,
    account: Account | None,
    category: Category | None = None,
) -> RetentionRule | None:
    """Return the rule about a thing, the nearest that is set: its account's state before all, its category before any.

    `account` is None for what is nobody's own. None where no end is set.
    """
    prefixes = (f"{account.value}.", "") if account else ("",)
    names = (
        (f"{layer.value}.{category.value}", f"{layer.value}.{ANY}") if category else (layer.value,)
    )
    for name in (prefix + name for prefix in prefixes for name in names):
        if name in rules:
            return rules[name] if rules[name].days else None
    return None


def rules_of(rules: Mapping[str, RetentionRule], account: Account) -> tuple[RetentionRule, ...]:
    """Return the rules that are the nearest for something of a person whose account is in that state, by name."""
    plain = [one for one in Layer if one not in (Layer.CLAIM, Layer.ENDED)]
    found = [rule_for(rules, layer, account=account) for layer in plain]
    found += [
        rule_for(rules, layer, account=account, category=category)
        for layer in (Layer.CLAIM, Layer.ENDED)
        for category in Category
    ]
    named = {rule.name: rule for rule in found if rule}
    return tuple(named[name] for name in sorted(named))


def over_at(rule: RetentionRule, *, since: int, state_since: int) -> int:
    """Return when the time of a thing is over by a rule, all in microseconds since 1970 UTC."""
    begun = max(since, state_since) if rule.account else since
    return begun + rule.days * DAY


def judge_retention(
    rule: RetentionRule, *, kept_until: datetime | None = None, needed_by: str = "", held: str = ""
) -> Decision:
    """Return what becomes of a thing whose time is over by a rule: destroyed, or kept and why.

    `kept_until` is the end of the minimum that its account's state keeps it, None where that is past.
    """
    if held:
        return decide("ON_LEGAL_HOLD", held)
    if kept_until is not None:
        end = f"until {kept_until:%Y-%m-%d %H:%M} UTC"
        return decide("KEPT_BY_ACCOUNT", end)
    if needed_by:
        return decide("STILL_NEEDED", needed_by)
    return decide("TIME_OVER", rule.name)
