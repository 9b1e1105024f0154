"""Retention: what is over is shown, asked about, destroyed exactly as shown, and reported after."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Literal

from rich.text import Text

from muniment import Aged, Retention, RetentionRule, RetentionRun, RuleAged
from muniment.claims import InvalidError

from .asking import prove_here
from .exits import OK, PARTLY
from .identity import require, session_of
from .opening import opened
from .options import SessionOptions, moment
from .safe import line_text, moment_text
from .showing import DIM, STRONG, Screen, coded, emit, grid, ruled
from .words import word

_SESSION = SessionOptions()
_LISTED = 20  # so many things are spelt out of each sort; --json has them all
Going = Callable[[Retention | None, bool, datetime | None], Retention]


def retention(
    action: Literal["run", "list"] = "run",
    /,
    *,
    everybody: bool = False,
    dry_run: bool = False,
    at: str = "",
    yes: bool = False,
    options: SessionOptions = _SESSION,
) -> int:
    """Destroy what is over by the policy's rules of retention, after showing it; your own, or everybody's.

    Parameters
    ----------
    action
        run; list: what earlier runs destroyed, and one that did not end.
    everybody
        Everybody's, not only your own: operators only.
    dry_run
        Only show what would go, what stays nevertheless and why, and what comes next.
    at
        With --dry-run, as it will be at another moment.
    yes
        Do not ask.
    """
    when = moment(at, "--at")
    if when is not None and not dry_run:
        raise InvalidError("--at looks at another moment, so it goes with --dry-run only")
    if action == "list" and (dry_run or yes):
        raise InvalidError("list destroys nothing; leave --dry-run and --yes away")
    with opened(options) as memory:
        if everybody:
            require(memory.host, "Memory.retention")
            if action == "list":
                return _listed(memory.retentions(), as_json=options.json)

            def go(plan: Retention | None, dry: bool, at: datetime | None) -> Retention:
                return memory.retention(plan, dry_run=dry, at=at)

            return _carried_out(go, dry_run=dry_run, at=when, yes=yes, as_json=options.json)
        session = session_of(memory, options)
        if action == "list":
            return _listed(session.retentions(), as_json=options.json)

        def own(plan: Retention | None, dry: bool, at: datetime | None) -> Retention:
            if not dry:
                prove_here(session)
            return session.retention(plan, dry_run=dry, at=at)

        return _carried_out(own, dry_run=dry_run, at=when, yes=yes, as_json=options.json)


def _carried_out(go: Going, *, dry_run: bool, at: datetime | None, yes: bool, as_json: bool) -> int:
    """Show the plan, ask, carry out exactly that, and show the report; return the exit code."""
    if not dry_run and not yes and (as_json or not sys.stdin.isatty()):
        raise InvalidError("nobody is there to ask; look with --dry-run, then say --yes")
    plan = go(None, True, at)
    if dry_run:
        _show(plan, as_json=as_json)
        return OK
    if not yes:
        _show(plan, as_json=as_json)
        if plan.due and input(word("retention.ask")).strip() != "yes":
            return PARTLY
    _show(go(plan, False, None), as_json=as_json)
    return OK


def _show(found: Retention, *, as_json: bool) -> None:
    if as_json:
        emit(found)
        return
    screen = Screen()
    whose = line_text(found.person) or word("retention.everybody")
    when = moment_text(found.moment)
    screen.put(Text(word("retention.of", None, whose=whose, when=when), style=STRONG))
    if found.rules:
        screen.table(grid(_HEADINGS, map(_rule, found.rules)))
    else:
        screen.put(word("retention.no_rule"))
    for line in _lines(found):
        screen.put(Text(line_text(line)))
    screen.put(Text(word("retention.undetermined"), style=DIM))
    for line in found.undetermined:
        screen.put(Text(line_text(line), style=DIM), indent=2)
    if found.id:
        screen.put(Text(found.id, style=DIM))


_HEADINGS = ("rule", "days", "counted", "over now", "stays", "to come", "the next")


def _rule(one: RuleAged) -> tuple[str, ...]:
    rule = one.rule
    later = moment_text(one.next) if one.next else ""
    numbers = (str(one.due), str(one.kept), str(one.coming))
    return (rule.name, str(rule.days), counted_words(rule), *numbers, later)


def _lines(found: Retention) -> Iterator[str]:
    key = "would" if found.dry_run else "did"
    sums = {
        "things": len(found.due),
        "sources": len({name for one in found.erasures for name in one.sources}),
        "claims": len({name for one in found.erasures for name in one.claims}),
        "lines": sum(one.lines for one in found.erasures),
        "receipts": sum(one.receipts for one in found.erasures),
        "keys": sum(one.keys for one in found.erasures),
    }
    yield word(f"retention.{key}", None, **sums)
    yield from _some(found.due, lambda one: f"{_named(one)}  {one.rule}  {moment_text(one.over)}")
    for erasure in found.erasures:
        for name in erasure.lost:
            yield word("retention.lost", None, thing=name)
    whys = Counter(one.decision.rule for one in found.kept)
    for rule, count in sorted(whys.items()):
        stays = [one for one in found.kept if one.decision.rule == rule]
        yield word("retention.stays", None, count=count, why=ruled(stays[0].decision).plain)
        yield from _some(stays, lambda one: f"{_named(one)}  {one.decision.reason}")
    for one in found.backups:
        yield word("retention.backup", None, place=one.place, day=f"{one.keep_until:%Y-%m-%d}")
    for line in found.outside:
        yield f"{word('retention.outside')} {line}"


def _some(things: Iterable[Aged], told: Callable[[Aged], str]) -> Iterator[str]:
    listed = list(things)
    for one in listed[:_LISTED]:
        yield f"  {told(one)}"
    if len(listed) > _LISTED:
        yield f"  {word('retention.more', None, count=len(listed) - _LISTED)}"


def _named(one: Aged) -> str:
    layer = coded(word(f"layer.{one.layer.value}"), one.layer.value).plain
    category = f" {word(f'category.{one.category}')}" if one.category else ""
    whose = f"  {one.person}" if one.person else ""
    return f"{layer}{category}  {one.thing}{whose}"


def _listed(runs: tuple[RetentionRun, ...], *, as_json: bool) -> int:
    if as_json:
        for run in runs:
            emit(run)
        return OK
    screen = Screen()
    for run in runs:
        whose = line_text(run.person) or word("retention.everybody")
        when = moment_text(run.ended_at) if run.ended_at else word("retention.cut_off")
        screen.put(Text.assemble((f"{when}  {whose}", STRONG), (f"  {run.id}", DIM)))
        for one in run.counts:
            counted = word("retention.counted", None, destroyed=one.destroyed, kept=one.kept)
            screen.put(f"{one.rule}: {counted}", indent=2)
        for name in run.erasures:
            screen.put(Text(f"tombstone {name}", style=DIM), indent=2)
    if not runs:
        screen.put(word("retention.none"))
    return OK


def rules_table(rules: Iterable[RetentionRule]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each rule of retention: its name, its days, what they are counted from."""
    for rule in rules:
        days = str(rule.days) if rule.days else word("retention.never")
        yield rule.name, days, counted_words(rule)


def counted_words(rule: RetentionRule) -> str:
    """Return what a rule's days are counted from, in the reader's language."""
    counted = word(f"counted.{rule.layer.value}")
    if not rule.account:
        return counted
    return word(
        "counted.account", None, counted=counted, account=word(f"account.{rule.account.value}")
    )
