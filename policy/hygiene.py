"""Hygiene: what a model's writes are declined for and a person is only asked about. It decides no integrity.

Its signs are one table of data. They may hold, decline or annotate a write, never label it: where one errs, the person
keeps the words herself, in one step (docs/decisions/0022).
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from unicodedata import normalize

from muniment.claims import (
    Category,
    Decision,
    Failure,
    Integrity,
    Kind,
    Lifecycle,
    Reasoning,
    Value,
)

from .approval import Preset
from .categories import CATEGORIES, MEMORIES
from .rules import decide
from .signs import REMEDY, SIGNS, STYLE, Sign

_ALWAYS = tuple(rule.category for rule in CATEGORIES.values() if rule.recall == "always")
_TOLD = (Category.FACT, Category.FAILURE, Category.THEME)
_OUTSIDE = tuple(kind for kind in Kind if kind is not Kind.EXTERNAL)
_STYLED = tuple(category for category in MEMORIES if category is not Category.CONSTRAINT)
_SHOWN = 60  # of the text found, as the reason names it


class HygieneRule(Value):
    """What is known by signs: declined of a model by `rule`; a person is asked by `ask`, empty where she is not."""

    rule: str
    ask: str = ""
    categories: tuple[Category, ...] = MEMORIES
    kinds: tuple[Kind, ...] = _OUTSIDE
    block: bool = False


HYGIENE = (
    HygieneRule(rule="WORK_IN_PROGRESS", ask="ASK_WORK_IN_PROGRESS", block=True),
    HygieneRule(rule="TIME_BOUND", ask="ASK_TIME_BOUND", categories=_ALWAYS, block=True),
    HygieneRule(rule="BARE_FAILURE", ask="ASK_BARE_FAILURE", block=True),
    HygieneRule(rule="RAW_DUMP", kinds=tuple(Kind)),
    HygieneRule(rule="IS_PROCEDURE", block=True),
    HygieneRule(rule="FINISHED_WORK", categories=_TOLD, block=True),
    HygieneRule(rule="RESOLVED_ITSELF", categories=_TOLD, block=True),
    HygieneRule(rule="LOOKED_UP_AGAIN", categories=_TOLD, block=True),
    HygieneRule(rule="TRIVIAL", categories=_TOLD, block=True),
    HygieneRule(rule="PROCEDURE_NAME", ask="ASK_PROCEDURE_NAME", categories=(Category.PROCEDURE,)),
)
"""Asked in this order; the first that fits decides. `block`: it speaks of lines of the always-on block too."""


class Draft(Value):
    """What somebody is about to keep, as hygiene reads it: its words, and what it carries beside them.

    `ends`: it has an expiry or an end of its validity. `task` is the kind of task it is about.
    """

    text: str
    category: Category
    kind: Kind
    ends: bool = False
    subject: str = ""
    task: str = ""
    failure: Failure = Failure()
    reasoning: Reasoning = Reasoning()


class Found(Value):
    """A hygiene rule that fits and the text, or what is missing, that it fits by."""

    rule: HygieneRule
    text: str


def judge_hygiene(draft: Draft, *, preset: Preset, by_agent: bool) -> Decision | None:
    """Return what becomes of a draft: an agent's is declined or goes elsewhere, a person is asked; None, it is kept.

    Under `solo` nothing asks: what a person would be asked about is kept, and `hygiene_hints` says so.
    """
    if by_agent:
        first = next(_findings(draft), None)
        return decide(first.rule.rule, first.text) if first else None
    if preset == "solo":
        return None
    asked = next((found for found in _findings(draft) if found.rule.ask), None)
    return decide(asked.rule.ask, asked.text) if asked else None


def hygiene_hints(draft: Draft, *, preset: Preset, by_agent: bool) -> tuple[Decision, ...]:
    """Return what is worth knowing of what is kept: what a person would be asked about, and what a claim lacks."""
    hints: list[Decision] = []
    if not by_agent and preset == "solo":
        hints += [
            decide(found.rule.ask, found.text) for found in _findings(draft) if found.rule.ask
        ]
    if by_agent and (lacking := judge_reasoning(draft.category, draft.reasoning)):
        hints.append(lacking)
    if (
        by_agent
        and (style := _style(draft))
        and not (draft.task and draft.category is Category.PREFERENCE)
    ):
        hints.append(decide("STYLE_CORRECTION", style))
    return tuple(hints)


def judge_reasoning(category: Category, reasoning: Reasoning) -> Decision | None:
    """Return what to tell of a decision that says neither why nor what was rejected, None where there is nothing."""
    if category is not Category.DECISION or reasoning.is_whole:
        return None
    return decide("REASON_MISSING", ", ".join(reasoning.missing))


def judge_lines(
    lines: Iterable[tuple[str, bool]], *, preset: Preset, by_agent: bool
) -> tuple[Decision | None, tuple[Decision, ...]]:
    """Return what becomes of new lines of the always-on block and what is worth knowing of them.

    Each line is given with whether it ends by itself, because the claim that it is taken from expires.
    """
    hints: list[Decision] = []
    for text, ends in lines:
        draft = Draft(text=text, category=Category.PREFERENCE, kind=Kind.INFERRED, ends=ends)
        found = next((one for one in _findings(draft, block=True)), None)
        if found is None or not (by_agent or found.rule.ask):
            continue
        if by_agent:
            return decide(in_place(found.rule.rule), found.text), ()
        if preset != "solo":
            return decide(found.rule.ask, found.text), ()
        hints.append(decide(found.rule.ask, found.text))
    return None, tuple(hints)


def in_place(rule: str) -> str:
    """Return the rule that declines what cannot go elsewhere, as what replaces a claim or stands in the block."""
    return "TASK_FOR_CLAIM" if rule == "WORK_IN_PROGRESS" else rule


def is_asked(rule: str) -> bool:
    """Return whether a rule only asks a person: what it holds needs no proof of who she is, because she said it."""
    return any(rule == row.ask for row in HYGIENE if row.ask)


class Pressed(IntEnum):
    """The place of a claim where not all find room: preferences and corrections, the environment, the rest."""

    FIRST = 0
    SECOND = 1
    REST = 2


def pressed(category: Category, integrity: Integrity, *, corrects: bool) -> Pressed:
    """Return the place of a claim where not all find room; words from outside have none before others."""
    if integrity is Integrity.EXTERNAL:
        return Pressed.REST
    if category in _ALWAYS or corrects:
        return Pressed.FIRST
    return Pressed.SECOND if CATEGORIES[category].environment else Pressed.REST


def _findings(draft: Draft, *, block: bool = False) -> Iterator[Found]:
    text = normalize("NFC", draft.text)
    for row in HYGIENE:
        applies = row.block if block else draft.category in row.categories
        if not applies or draft.kind not in row.kinds:
            continue
        if row.rule == "TIME_BOUND" and draft.ends:
            continue
        found = _fit(row.rule, draft, text)
        if found:
            yield Found(rule=row, text=found)


def _fit(rule: str, draft: Draft, text: str) -> str:
    """Return the text by which a rule fits a draft, or what the draft lacks; empty where it does not fit."""
    if rule == "BARE_FAILURE" and draft.category is Category.FAILURE:
        missing = draft.failure.missing
        return f"missing: {', '.join(missing)}" if missing else ""
    if rule == "IS_PROCEDURE" and draft.category not in MEMORIES:
        return ""
    found = _first(rule, draft.subject if rule == "PROCEDURE_NAME" else text)
    if rule == "BARE_FAILURE" and (REMEDY.search(text) or not draft.failure.missing):
        return ""
    return found


def _first(rule: str, text: str) -> str:
    matches = (sign.expression.search(text) for sign in _signs(rule))
    match = next((match for match in matches if match), None)
    if match is None:
        return ""
    shown = " ".join(match.group().split())
    return f"“{shown[:_SHOWN]}…”" if len(shown) > _SHOWN else f"“{shown}”"


def _signs(rule: str) -> Sequence[Sign]:
    return [sign for sign in SIGNS if sign.rule == rule]


def _style(draft: Draft) -> str:
    """Return the words by which a person's own claim corrects how something is done for her."""
    if draft.kind is not Kind.STATED or draft.category not in _STYLED:
        return ""
    match = STYLE.search(normalize("NFC", draft.text))
    return f"“{match.group()}”" if match else ""


def judge_task(*, own_scope: bool, lifecycle: Lifecycle) -> Decision:
    """Return whether somebody may say that a task is over: whoever works where it is, agent or person.

    A task is believed by nobody, so it takes no standing; nothing is lost, and it can be reinstated.
    """
    if not own_scope:
        return decide("NOT_YOUR_SCOPE")
    return decide("TASK_SETTLED" if lifecycle is Lifecycle.ASSERTED else "NOT_CURRENT")
