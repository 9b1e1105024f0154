"""Who may use memory, and by which policy: the three answers, states of accounts, the policy file on trial."""

from datetime import timedelta
from pathlib import Path
from typing import Literal

from rich.text import Text

from muniment import (
    Account,
    AccountNotice,
    Integrity,
    Kind,
    Memory,
    PolicyChange,
    PolicyTrial,
    Right,
)
from muniment.claims import InvalidError
from muniment.policy import ACCOUNTS, OUTSIDE, RULES, AccountRule, RetentionRule

from .exits import OK
from .identity import may
from .opening import acting, governed, is_store, looked_over, opened
from .options import SessionOptions, StoreOptions
from .retaining import rules_table
from .safe import line_text, moment_text
from .showing import DIM, STRONG, Screen, coded, emit, grid, ruled, term
from .words import language, rule_words, word

_STORE = StoreOptions()
_SESSION = SessionOptions()


def access(*, options: SessionOptions = _SESSION) -> int:
    """Show whether memory may grow here, may enter prompts, and may be seen, exported and deleted."""
    with acting(options) as session:
        permits = [session.may(right) for right in Right]
    if options.json:
        answers = {
            one.right.value: {"may": bool(one), "rule": one.decision.rule} for one in permits
        }
        emit({**answers, "reasons": {one.right.value: one.reason for one in permits}})
        return OK
    rows = (
        (
            term("right", one.right.value),
            word("answer.yes" if one else "answer.no"),
            ruled(one.decision),
        )
        for one in permits
    )
    Screen().table(grid(("", "", ""), rows))
    return OK


def state(*, options: SessionOptions = _SESSION) -> int:
    """Tell in one sentence what memory does here and why, as a host's own screen would; nothing is written."""
    with acting(options) as session:
        found = session.state(language())
    if options.json:
        emit(found)
    else:
        Screen().put(coded(found.sentence, ", ".join(found.rules)))
    return OK


def account(person: str, state: Account, /, *, options: StoreOptions = _STORE) -> int:
    """Say in which state a person's account is, and what that means to her; for operators.

    Parameters
    ----------
    person
        The person.
    state
        active, paused, free, lapsed or closed; what each allows: muniment policy rules.
    """
    with governed(options, "Memory.set_account") as memory:
        notice = memory.set_account(person, state)
    if options.json:
        emit(notice)
        return OK
    screen = Screen()
    for line in _notice(notice):
        screen.put(Text(line_text(line)))
    return OK


def _notice(notice: AccountNotice) -> list[str]:
    """Return what a change of an account means, in the reader's language."""
    stays = "stays" if notice.before is notice.account else "changed"
    states = {
        "before": word(f"account.{notice.before.value}"),
        "state": word(f"account.{notice.account.value}"),
    }
    return [
        word(f"account.{stays}", None, when=moment_text(notice.since), **states),
        word(f"account.{'keeps' if notice.rule.accumulate else 'keeps_nothing'}"),
        word(f"account.{'prompts' if notice.rule.prompt else 'prompts_nothing'}"),
        word("account.manage"),
        *_ending(notice),
    ]


def _ending(notice: AccountNotice) -> list[str]:
    """Return how long what there is stays, and by which rules it is over when."""
    day = f"{notice.kept_until:%Y-%m-%d}" if notice.kept_until else ""
    if not notice.ends:
        return [word("account.until", None, day=day) if day else word("account.no_end")]
    lines = [word("account.at_least", None, day=day)] if day else []
    for rule in notice.ends:
        category = f" {word(f'category.{rule.category}')}" if rule.category else ""
        what = f"{word(f'layer.{rule.layer.value}')}{category}"
        first = f"{notice.since + timedelta(days=rule.days):%Y-%m-%d}"
        key = "account.over" if rule.account else "account.over_each"
        lines.append(word(key, None, what=what, days=rule.days, day=first, rule=rule.name))
    return [*lines, word("account.by_run")]


def policy(
    action: Literal["rules", "diff", "try", "versions"],
    file: Path | None = None,
    /,
    *,
    options: StoreOptions = _STORE,
) -> int:
    """Show the rules with their checks, compare or try a policy file, or list the policies that were in force.

    Parameters
    ----------
    action
        rules; diff FILE: what is otherwise in it than in the policy in force; try FILE: which claims it would rule
        otherwise, whom it would allow something else and what would be over, with nothing written; versions: dates and
        digests.
    file
        The policy file to compare or to try.
    """
    if action in ("diff", "try") and file is None:
        raise InvalidError(f"name the file: muniment policy {action} FILE")
    if action in ("rules", "versions") and file is not None:
        raise InvalidError(f"policy {action} takes no file; did you mean policy diff?")
    if action == "rules":
        return _rules(options)
    if action == "versions" or file is None:
        with looked_over(options, "Memory.policy_versions") as memory:
            return _versions(options, memory)
    if action == "diff":
        with governed(options, "Memory.compare_policy") as memory:
            return _diff(options, memory.compare_policy(file))
    with governed(options, "Memory.try_policy") as memory:
        trial = memory.try_policy(file)
        reads = may(memory.host, "Memory.session")
    return _trial(options, trial if reads else trial.wordless())


def _rules(options: StoreOptions) -> int:
    states, ends = dict(ACCOUNTS), dict[str, RetentionRule]()
    if is_store(options.store):
        with opened(options) as memory:
            states, ends = memory.policy.states, memory.policy.retention_rules
    if options.json:
        rules = [{**rule.model_dump(mode="json"), "check": rule.check} for rule in RULES.values()]
        kept = [{**one.model_dump(mode="json"), "counted": one.counted} for one in ends.values()]
        table = {"rules": rules, "accounts": list(states.values()), "retention": kept}
        emit({**table, "outside": OUTSIDE})
        return OK
    screen = Screen()
    for rule in RULES.values():
        reason = coded(rule_words(rule.code, rule.reason), rule.code)
        screen.put(Text.assemble(term("verdict", rule.verdict.value), "  ", reason))
        screen.put(Text(f"{rule.promise}, {rule.check}", style=DIM), indent=2)
    headings = (
        word("heading.account"),
        *(word(f"right.{right}") for right in Right),
        word("heading.kept"),
    )
    screen.table(grid(headings, (_state(rule) for rule in states.values())))
    if ends:
        screen.table(
            grid(
                tuple(word(f"heading.{one}") for one in ("retention", "days", "counted")),
                rules_table(ends.values()),
            )
        )
    screen.put(word("retention.rest" if ends else "retention.no_rule"))
    return OK


def _state(rule: AccountRule) -> tuple[Text | str, ...]:
    answers = (
        word("answer.yes" if may else "answer.no")
        for may in (rule.accumulate, rule.prompt, rule.manage)
    )
    kept = word("account.days", None, days=rule.keep_days) if rule.keep_days else ""
    return term("account", rule.account.value), *answers, kept


def _versions(options: StoreOptions, memory: Memory) -> int:
    found = memory.policy_versions()
    if options.json:
        emit({"versions": found})
        return OK
    rows = (
        (
            moment_text(one.since),
            moment_text(one.until) if one.until else word("policy.now"),
            one.digest,
        )
        for one in found
    )
    Screen().table(grid(("from", "until", "digest"), rows))
    return OK


def _diff(options: StoreOptions, changes: tuple[PolicyChange, ...]) -> int:
    if options.json:
        emit({"changes": changes})
        return OK
    screen = Screen()
    for line in _changes(changes):
        screen.put(line)
    if not changes:
        screen.put(word("policy.same"))
    return OK


def _changes(changes: tuple[PolicyChange, ...]) -> list[Text]:
    nothing = word("policy.nothing")
    return [
        Text(
            f"{line_text(one.name)}: {line_text(one.before) or nothing} → {line_text(one.after) or nothing}"
        )
        for one in changes
    ]


def _ruled_so(kind: Kind, integrity: Integrity, rule: str) -> Text:
    reason = coded(rule_words(rule, RULES[rule].reason if rule in RULES else rule), rule)
    levels = (term("kind", kind.value), term("integrity", integrity.name))
    return Text.assemble(Text(", ").join(levels), " (", reason, ")")


def _trial(options: StoreOptions, trial: PolicyTrial) -> int:
    if options.json:
        emit(trial)
        return OK
    screen = Screen()
    for line in _changes(trial.changes):
        screen.put(line)
    for one in trial.claims:
        before = _ruled_so(one.kind, one.integrity, one.rule)
        after = _ruled_so(one.kind_then, one.integrity_then, one.rule_then)
        screen.put(Text.assemble((f"“{line_text(one.words)}”", STRONG), (f"  {one.claim}", DIM)))
        screen.put(Text.assemble(before, " → ", after), indent=2)
    for person in trial.accounts:
        state = word(f"account.{person.account.value}")
        told = word(
            "policy.person", None, who=line_text(person.person), state=state, count=person.claims
        )
        screen.put(Text(told, style=STRONG))
        for line in _changes(person.changes):
            screen.put(line, indent=2)
    for aged in trial.retention:
        counted = {"rule": aged.rule, "before": aged.before, "after": aged.after}
        screen.put(word("policy.aged", None, **counted))
    counts = {"claims": len(trial.claims), "all": trial.looked_at, "persons": len(trial.accounts)}
    screen.put(word("policy.tried", None, **counts))
    return OK
