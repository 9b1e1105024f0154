"""Origins that copy each other, and the values of a slot weighed by one vote for each origin class."""

from collections.abc import Iterator
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from muniment import CopiedOrigins, InvalidError, Memory, OriginClass, Weighed

from .exits import OK
from .opening import acting, governed
from .options import SessionOptions, StoreOptions, Words
from .safe import line_text, moment_text
from .showing import DIM, STRONG, Screen, emit
from .words import word

_SESSION = SessionOptions()
_STORE = StoreOptions()


def origins(
    action: Annotated[
        Literal["list", "suggest", "same", "apart"], Parameter(show_default=True)
    ] = "list",
    first: str = "",
    second: str = "",
    /,
    *,
    reason: str = "",
    options: StoreOptions = _STORE,
) -> int:
    """List the origins that count as one, propose others, and say which are one; for operators.

    Parameters
    ----------
    action
        list: every origin, in classes that count as one. suggest: those that seem to copy each other, and why.
        same: the two named are one. apart: take that back.
    first
        An origin, by its name, for same and apart.
    second
        The other one.
    reason
        Why, kept sealed in the journal.
    """
    if (action in ("same", "apart")) != bool(first and second) or bool(first) != bool(second):
        raise InvalidError("same and apart take two origins by name, list and suggest none")
    screen, blocks = Screen(), list[tuple[object, Iterator[Text]]]()
    with governed(options, "Memory.origins") as memory:
        if action == "suggest":
            proposed = memory.copied_origins()
            blocks += [(group, _proposed(group)) for group in proposed]
        else:
            classes = _classes(memory, action, first, second, reason)
            blocks += [(one, _counted(one)) for one in classes]
    for item, lines in blocks:
        emit(item) if options.json else screen.block(lines)
    if not blocks and not options.json:
        screen.put(word("origins.alone" if action == "suggest" else "origins.none"))
    return OK


def _classes(
    memory: Memory, action: str, first: str, second: str, reason: str
) -> tuple[OriginClass, ...]:
    if action == "list":
        return memory.origins()
    declare = memory.same_origin if action == "same" else memory.apart
    return (declare(first, second, reason=reason),)


def _counted(one: OriginClass) -> Iterator[Text]:
    yield Text(line_text(" = ".join(one.origins)), style=STRONG if one.declared else "")
    for told in one.declared:
        who = line_text(told.by) or word("origins.operator")
        because = f" · {line_text(told.reason)}" if told.reason else ""
        yield Text.assemble(
            line_text(f"{told.first} = {told.second}"),
            (f"  {moment_text(told.recorded_at)}, {who}{because}", DIM),
        )


def _proposed(group: CopiedOrigins) -> Iterator[Text]:
    yield Text(line_text(" ≈ ".join(group.origins)), style=STRONG)
    for pair in group.pairs:
        counts = word(
            "origins.pair", None, shared=pair.shared, agreed=pair.agreed, wrong=f"{pair.wrong:g}"
        )
        yield Text.assemble(
            line_text(f"{pair.first} ≈ {pair.second}: {counts}"), (f" · {pair.because}", DIM)
        )


def weigh(
    subject: Words,
    attribute: Words,
    /,
    *,
    by: Literal["count", "accuracy"] = "count",
    options: SessionOptions = _SESSION,
) -> int:
    """Show which value of a slot how many independent origins give; where values tie, it says so.

    Parameters
    ----------
    subject
        Whom or what it is about.
    attribute
        Which property of the subject.
    by
        count: one vote for each origin class. accuracy: an origin counts as much as it is right elsewhere.
    """
    with acting(options) as session:
        found = session.weigh(subject, attribute, by=by)
    if options.json:
        emit(found)
        return OK
    screen = Screen()
    for value in found.values:
        screen.block(_weighed(value, leads=value.value in found.leading))
    if len(found.leading) > 1:
        screen.put(word("weigh.tie", None, count=len(found.leading)))
    if not found.leading:
        screen.put(word("weigh.unsupported" if found.values else "weigh.nothing"))
    return OK


def _weighed(value: Weighed, *, leads: bool) -> Iterator[Text]:
    yield Text(line_text(value.value), style=STRONG if leads else "")
    count = (
        str(value.independent) if value.exact else word("support.least", count=value.independent)
    )
    likely = "" if value.likely is None else f" · {word('weigh.likely')}: {value.likely:.2f}"
    yield Text(f"{word('support.independent')}: {count}{likely}")
    yield Text(line_text(", ".join((*value.origins, *value.claims))), style=DIM)
