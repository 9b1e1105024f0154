"""The stage of the tour: tells, shows, checks, and keeps the facts of every act."""

import os
import sys
import tomllib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.text import Text

from muniment import Evidence, Language, Session
from muniment.claims import Citation, Claim, NotFoundError
from muniment.retrieval import Withheld

from .safe import line_text, moment_text, page_text, plain
from .showing import DIM, STRONG, Screen
from .words import data_text, kind_words, reason_words, rule_words, word

_WIDTH = 100


class Check(NamedTuple):
    """One promise of an act and whether it held."""

    what: str
    held: bool


class Stage:
    """Where the tour is told; silent when only its facts are wanted."""

    def __init__(self, tongue: Language, *, plain: bool, silent: bool) -> None:
        self.tongue: Language = tongue
        self.acts: list[dict[str, object]] = []
        self._texts: dict[str, dict[str, str]] = tomllib.loads(data_text(f"tour.{tongue}.toml"))
        self._act, self._checks, self._facts = "frame", list[Check](), dict[str, object]()
        self.coloured = not plain and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self._screen = Screen(coloured=self.coloured, silent=silent, widest=_WIDTH)

    def text(self, key: str, **values: object) -> str:
        """Return a text of the act, or of the frame for a key such as `frame.held`."""
        act, _, name = key.rpartition(".")
        return self._texts[act or self._act][name].format(**values)

    def put(self, line: Text | str = "", *, indent: int = 0, hang: int = 0) -> None:
        """Print a line or a paragraph; `hang` indents what is wrapped further than its first line."""
        self._screen.put(line, indent=indent, hang=hang)

    def begin(self, act: str, number: int) -> None:
        """Start an act."""
        self._act, self._checks, self._facts = act, [], {}
        self.put()
        self.put()
        self.put(Text(f"━━ {number} · {self.text('title')}", style="bold cyan"))

    def tell(self, key: str, **values: object) -> None:
        """Print a paragraph of the act's own words."""
        self.put()
        self.put(self.text(key, **values).strip())

    def call(self, line: str, more: str = "", *, close: bool = False) -> None:
        """Print the Python that is run, `more` on a line of its own; `close` to what was printed before."""
        if not close:
            self.put()
        self.put(Text(f">>> {line_text(line)}", style="green"), indent=4, hang=4)
        if more:
            self.put(Text(f"...     {line_text(more)}", style="green"), indent=4, hang=8)

    def check(self, key: str, held: bool, **values: object) -> None:
        """Keep and print whether a promise held."""
        what = self.text(key, **values)
        self._checks.append(Check(what, held))
        mark, style = ("✓", "green") if held else ("✗", "bold red")
        verdict = "" if held else f" ({self.text('frame.broke')})"
        self.put(Text.assemble((f"{mark} ", style), f"{what}{verdict}"), indent=2, hang=2)

    def checks_follow(self) -> None:
        """Leave a line free before the checks."""
        self.put()

    def fact(self, name: str, value: object) -> None:
        """Keep a fact of the act for --json."""
        self._facts[name] = plain(value)

    def failed(self, error: Exception) -> None:
        """Keep and print that the act broke off."""
        self._checks.append(Check(f"{type(error).__name__}: {error}", False))
        words = f"✗ {type(error).__name__}: {line_text(str(error))} ({self.text('frame.broke')})"
        self.put(Text(words, style="bold red"), indent=2, hang=2)

    def end(self) -> None:
        """Close the act and keep what became of it."""
        self.acts.append(
            {
                "act": self._act,
                "title": self.text("title"),
                "held": bool(self._checks) and all(check.held for check in self._checks),
                "checks": [check._asdict() for check in self._checks],
                "facts": self._facts,
            }
        )

    def evidence(
        self,
        session: Session,
        items: Iterable[Evidence],
        *,
        whole: Sequence[Evidence] = (),
        most: int = 3,
    ) -> None:
        """Print evidence: its words, how it is known, how it may be used, where it is from and why it was found.

        `whole` is the answer the items were picked from: each keeps its place there, and the rest is counted.
        """
        shown = list(items)
        answer = list(whole) or shown
        for item in shown[:most]:
            place = answer.index(item) + 1
            self.put()
            self.put(
                Text.assemble((f"{place}. ", STRONG), self.words(item.claim)), indent=4, hang=3
            )
            self.put(self._known(session, item), indent=7, hang=2)
            self.put(self.origin(session, item.claim), indent=7, hang=2)
            because = ", ".join(line_text(reason_words(one, self.tongue)) for one in item.reasons)
            self.put(Text(f"{self.text('frame.because')}: {because}"), indent=7, hang=2)
        left = len(answer) - len(shown[:most])
        if left:
            self.put(Text(self.text("frame.again", count=left), style=DIM), indent=4)

    def _known(self, session: Session, item: Evidence) -> Text:
        line = self.known(session, item.claim)
        use = f"{word(f'use.{item.use.value}', self.tongue)}"
        line = Text.assemble(line, " | ", (use, STRONG), (f" · {item.use.value}", DIM))
        if item.freshness != "fresh":
            line.append(f" | {word('mark.recheck', self.tongue)}", style="bold yellow")
            line.append(f" · {line_text(', '.join(item.rules[2:]))}", style=DIM)
        return line

    def words(self, claim: Claim) -> Text:
        """Return a claim's words: the author's in quotation marks, the model's marked as its own."""
        gist = self.text("frame.gist")
        if claim.quote:
            more = f" ({gist}: {line_text(claim.gist)})" if claim.gist else ""
            return Text.assemble((f"“{line_text(claim.quote)}”", STRONG), (more, DIM))
        return Text.assemble((line_text(claim.gist), STRONG), (f" ({gist})", DIM))

    def known(self, session: Session, claim: Claim) -> Text:
        """Return how a claim is known, in plain words with the code beside them."""
        who = session.scope.person
        shown = Text.assemble(kind_words(claim, who, self.tongue), (f" · {claim.kind.value}", DIM))
        return Text.assemble(shown, " | ", word(f"category.{claim.category.value}", self.tongue))

    def origin(self, session: Session, claim: Claim) -> Text:
        """Return where a claim is from: the channel, the author, the time it was said."""
        if not claim.citations:
            return Text("")
        first = claim.citations[0]
        medium = first.medium.value if first.medium else "claim"
        whose = [line_text(name) for name in (first.author, first.origin) if name]
        parts = ", ".join((word(f"medium.{medium}", self.tongue), *whose, *said_at(session, first)))
        below = f": “{line_text(first.quote)}”" if first.quote and first.medium is None else ""
        return Text(f"{self.text('frame.from')}: {parts}{below}")

    def rule(self, claim: Claim) -> None:
        """Print what the store decided about a claim and by which rule."""
        decision = claim.decision
        why = line_text(rule_words(decision.rule, decision.reason, self.tongue))
        self.put(Text.assemble(f"→ {why}", (f" · {decision.rule}", DIM)), indent=7, hang=2)

    def withheld(self, items: Iterable[Withheld]) -> None:
        """Print what was held back and by which rule."""
        for item in items:
            why = line_text(rule_words(item.rule, item.reason, self.tongue))
            words = f"{self.text('frame.withheld')}: {item.count} × {why}"
            self.put(Text.assemble((words, "yellow"), (f" · {item.rule}", DIM)), indent=4, hang=2)

    def marked(self, text: str, start: int, end: int) -> None:
        """Print a text with a stretch of it highlighted, each line marked as quoted."""
        opening, closing = ("", "") if self.coloured else ("»", "«")
        before, span, after = (
            page_text(text[:start]),
            page_text(text[start:end]),
            page_text(text[end:]),
        )
        whole = Text.assemble(before, (f"{opening}{span}{closing}", "bold black on yellow"), after)
        for line in whole.split("\n"):
            for part in self._screen.wrapped(line, self._screen.width - 9):
                self.put(Text.assemble("│ ", part), indent=7)


def said_at(session: Session, citation: Citation) -> list[str]:
    """Return when a cited source was said, as its channel reported it; nothing where it did not."""
    if citation.medium is None:
        return []
    try:
        said = session.source(citation.id).said_at
    except NotFoundError:
        return []
    return [moment_text(said)] if said else []
