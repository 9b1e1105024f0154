"""States of accounts: the host sets one, and the answer says in plain words what happens from when on."""

from datetime import datetime, timedelta
from unicodedata import normalize

from muniment.claims import Account, InvalidError, Value, checked_text, from_micros
from muniment.lineage import HOST, Store, write_account
from muniment.policy import AccountRule, Policy, RetentionRule, decide

from .given import NAME_LIMIT, text_given


def told_of_end(rule: RetentionRule, since: datetime) -> str:
    """Return in plain words when what a rule is about is over, for an account that is in its state since a moment."""
    what = f"{rule.layer.value} {rule.category}".strip().replace("_", " ")
    if rule.account is None:
        return f"{what}: {rule.days} days {rule.counted} ({rule.name})."
    first = since + timedelta(days=rule.days)
    return f"{what}: {rule.days} days, so from {first:%Y-%m-%d} on ({rule.name})."


class AccountNotice(Value):
    """What a change of an account means to its person: what holds now, what held before, and in plain words.

    `kept_until` is None where no minimum is set. `ends` are the rules of retention that apply now; what is
    over by them goes only by a run of retention.
    """

    person: str
    before: Account
    account: Account
    since: datetime
    was: AccountRule
    rule: AccountRule
    kept_until: datetime | None = None
    ends: tuple[RetentionRule, ...] = ()
    text: tuple[str, ...]


def set_account(store: Store, policy: Policy, person: str, account: Account) -> AccountNotice:
    """Write down in which state a person's account is, and return what that means; as it is, nothing is written."""
    name = checked_text(text_given(person, "the person"), "the person", limit=NAME_LIMIT)
    name = normalize("NFC", name)
    with store.lock:
        number = store.names.find("person", name)
        held = store.state.restraint.accounts
        before, seq = held.get(number, (Account.ACTIVE, 0)) if number else (Account.ACTIVE, 0)
        if before is not account:
            with store.group():
                number = store.names.register("person", name)
                decision = decide("HOST_DECIDES")
                seq = write_account(store, decision, HOST, number, account).seq
        since = from_micros(store.header(seq).at if seq else store.now()[0])
    return _notice(policy, name, before, account, since)


def _notice(
    policy: Policy, person: str, before: Account, account: Account, since: datetime
) -> AccountNotice:
    was, rule = policy.states[before], policy.states[account]
    try:
        until = since + timedelta(days=rule.keep_days) if rule.keep_days else None
    except OverflowError:
        raise InvalidError(
            f"keep_days of {account.value} reaches beyond the year 9999; lower it in policy.toml"
        ) from None
    day = f"{since:%Y-%m-%d %H:%M} UTC"
    ends = policy.ends_of(account)
    minimum = f"It is kept until {until:%Y-%m-%d} at least" if until else ""
    if not ends:
        ending = (
            [f"{minimum}; nothing is destroyed by itself."]
            if minimum
            else ["No end is set to how long it is kept."]
        )
    else:
        ending = [f"{minimum}."] if minimum else []
        ending += [told_of_end(rule, since) for rule in ends]
        ending.append("What is over goes when a run of retention destroys it, never by itself.")
    changed = "stays" if before is account else f"was {before.value} and is now"
    return AccountNotice(
        person=person,
        before=before,
        account=account,
        since=since,
        was=was,
        rule=rule,
        kept_until=until,
        ends=ends,
        text=(
            f"From {day} on: the account {changed} {account.value}.",
            "What is said is remembered." if rule.accumulate else "Nothing new is remembered.",
            "What is remembered may enter prompts."
            if rule.prompt
            else "What is remembered stays yours and enters no prompt.",
            "You can see, export and delete it at any time.",
            *ending,
        ),
    )
