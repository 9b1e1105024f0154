"""Looking after the store: making it, its rules, its export, its index, its graph, its soundness."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from rich.table import Table
from rich.text import Text

from muniment.claims import Category, Layer
from muniment.policy import CATEGORIES, HYGIENE, RULES, SIGNS, Policy, rule_for

from .exits import OK, PARTLY
from .identity import os_user, person_of
from .opening import acting, governed, is_store, opened
from .options import SessionOptions, StoreOptions
from .progress import bar
from .safe import line_text
from .showing import DIM, Screen, emit, grid, term
from .words import rule_words, word

_STORE = StoreOptions()
_SESSION = SessionOptions()


def init(*, options: StoreOptions = _STORE) -> int:
    """Make an empty store; whoever makes it becomes its operator."""
    made = not is_store(options.store)
    with opened(options, make=True) as memory:
        found = {
            "store": str(options.store),
            "tenant": options.tenant,
            "made": made,
            "user": os_user(),
            "person": person_of(memory, ""),
            "operators": sorted(memory.host.operators),
        }
    if options.json:
        emit(found)
        return OK
    screen = Screen()
    verb = "Made a store" if made else "There is a store already"
    screen.put(Text(f"{verb} at {line_text(str(options.store))}"))
    screen.put(
        Text(
            f"You are {line_text(str(found['user']))}, person {line_text(str(found['person']))!r} in it"
        )
    )
    screen.put(Text("Who may act as whom: store.toml. Registered tools: policy.toml", style=DIM))
    return OK


def rules(*, options: StoreOptions = _STORE) -> int:
    """List the policy's rules and the categories; with a store also its registered tools."""
    tools: dict[str, dict[str, str]] = {}
    days: dict[Category, int] = {}
    digest = ""
    if is_store(options.store):
        with opened(options) as memory:
            tools = {name: dict(tool.fields) for name, tool in memory.policy.tools.items()}
            digest, days = memory.policy.digest, _days(memory.policy)
    if options.json:
        table = {"rules": list(RULES.values()), "categories": list(CATEGORIES.values())}
        table = {**table, "hygiene": list(HYGIENE), "signs": list(SIGNS)}
        emit({**table, "days": days, "tools": tools, "digest": digest})
        return OK
    screen = Screen()
    screen.table(_rules_table())
    screen.table(_categories_table(days))
    if tools:
        fields = (
            (name, ", ".join(f"{field}: {sort}" for field, sort in sorted(types.items())))
            for name, types in sorted(tools.items())
        )
        screen.table(grid(("registered tool", "typed fields"), fields))
    if digest:
        screen.put(Text(f"policy {digest}", style=DIM))
    return OK


def _rules_table() -> Table:
    rows = (
        (
            rule.code,
            term("verdict", rule.verdict.value),
            rule_words(rule.code, rule.reason),
            rule.promise,
        )
        for rule in RULES.values()
    )
    return grid(("rule", "verdict", "reason", "promise"), rows)


def _days(policy: Policy) -> dict[Category, int]:
    """Return after how many days claims of a category are over, of those to which the policy sets an end."""
    rules = policy.retention_rules
    found = {one: rule_for(rules, Layer.CLAIM, account=None, category=one) for one in Category}
    return {category: rule.days for category, rule in found.items() if rule}


def _kept(category: Category, days: Mapping[Category, int]) -> str:
    most = f", {word('retention.at_most', None, days=days[category])}" if category in days else ""
    return f"{CATEGORIES[category].retention}{most}"


def _categories_table(days: Mapping[Category, int]) -> Table:
    rows = (
        (
            term("category", rule.category.value),
            rule.recall,
            term("authority", rule.reach.name),
            _kept(rule.category, days),
            "yes" if rule.critical else "",
        )
        for rule in CATEGORIES.values()
    )
    return grid(("category", "recalled", "a person's own may", "kept", "critical"), rows)


def export(
    *, output: Path | None = None, prov: bool = False, options: SessionOptions = _SESSION
) -> int:
    """Write out what may be read here, one JSON object a line.

    Parameters
    ----------
    output
        The file to write; it must not exist. Standard output unless given.
    prov
        The lineage alone, without words, as one PROV-JSON document.
    """
    with acting(options) as session:
        lines = session.prov().splitlines() if prov else session.export()
        if output is None:
            for line in lines:
                sys.stdout.write(line.rstrip("\n") + "\n")
            return OK
        count = 0
        with output.open("x", encoding="utf-8") as file:
            for line in lines:
                file.write(line.rstrip("\n") + "\n")
                count += 1
    if options.json:
        emit({"output": str(output), "lines": count})
    else:
        Screen().put(Text(f"{count} lines written to {line_text(str(output))}"))
    return OK


def index(action: Literal["rebuild"] | None = None, /, *, options: StoreOptions = _STORE) -> int:
    """Take into the search index what it lacks, or make it anew; no word of the record is touched.

    Parameters
    ----------
    action
        rebuild: empty the index, fill it from the journal, and say what is in it then. Stopped in the middle, it goes
        on at the next use.
    """
    if action == "rebuild":
        return _rebuild_index(options)
    busy = word("index.busy")
    with (
        governed(options, "Memory.index") as memory,
        bar(quiet=options.json, words=busy) as progress,
    ):
        count = memory.index(progress)
    if options.json:
        emit({"indexed": count})
    else:
        Screen().put(Text(f"{count} taken into the index"))
    return OK


def _rebuild_index(options: StoreOptions) -> int:
    busy = word("index.rebuilding")
    with (
        governed(options, "Memory.rebuild_index") as memory,
        bar(quiet=options.json, words=busy) as progress,
    ):
        made = memory.rebuild_index(progress)
    if options.json:
        emit({**made.model_dump(), "whole": made.whole})
        return OK if made.whole else PARTLY
    screen = Screen()
    counts = made.model_dump()
    screen.put(Text(word("index.made", None, **counts)))
    for name in ("unreadable", "without_vectors", "without_words", "missing", "surplus"):
        if counts[name]:
            screen.put(Text(word(f"index.{name}", None, count=counts[name])))
    return OK if made.whole else PARTLY


def rebuild(*, options: StoreOptions = _STORE) -> int:
    """Make the lineage graph anew from the journal, and say whether it equals the one before."""
    with governed(options, "Memory.rebuild") as memory, bar(quiet=options.json) as progress:
        equal = memory.rebuild(progress)
    if options.json:
        emit({"equal": equal})
    else:
        words = "equal to the graph before" if equal else "NOT equal to the graph before"
        Screen().put(Text(f"the journal was replayed: {words}"))
    return OK if equal else PARTLY
