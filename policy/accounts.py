"""What each state of an account allows, as data; an organisation overrides single answers in policy.toml."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from muniment.claims import Account, Value

LONGEST = 36_500


class AccountRule(Value):
    """What one state of an account allows: to add to the memory, to bring it into prompts, to see, export and delete.

    `keep_days` is how long what there is stays at least, in days from when the state began; 0: no end is set.
    """

    account: Account
    accumulate: bool
    prompt: bool
    manage: Literal[True] = True
    keep_days: int = 0


class AccountPolicy(Value):
    """What an organisation answers otherwise for one state; `manage` stays true, whatever the state."""

    accumulate: bool | None = None
    prompt: bool | None = None
    manage: Literal[True] = True
    keep_days: int | None = Field(None, ge=0, le=LONGEST)


ACCOUNTS: dict[Account, AccountRule] = {
    rule.account: rule
    for rule in (
        AccountRule(account=Account.ACTIVE, accumulate=True, prompt=True),
        AccountRule(account=Account.PAUSED, accumulate=False, prompt=False),
        AccountRule(account=Account.FREE, accumulate=True, prompt=False),
        AccountRule(account=Account.LAPSED, accumulate=False, prompt=False, keep_days=90),
        AccountRule(account=Account.CLOSED, accumulate=False, prompt=False, keep_days=30),
    )
}


def account_rules(overridden: Mapping[Account, AccountPolicy]) -> dict[Account, AccountRule]:
    """Return the table in force: the default one with what an organisation answers otherwise."""
    return {
        account: rule.model_copy(
            update=overridden[account].model_dump(exclude_none=True)
            if account in overridden
            else {}
        )
        for account, rule in ACCOUNTS.items()
    }
