"""Whatever claims say, a prompt stays what it is: nothing leaves its line or its marks, each line has its claim."""

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Integrity, Memory, MunimentError, Prompt, RefusedError, Session
from muniment.claims import cleaned
from muniment.retrieval import Heading, quoted_text
from muniment.testing import flat_embedder

PIECES = (
    *("\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\t", "\u00a0"),
    *("\u202e", "\u2067", "\u200b", "\u200d", "\ufeff", "\U000e0041", "\ufe0f", "\ue000"),
    *("~~~", "```", '"', '\\"', "\\", "\\n", "- ", "---", "--- quotation", " begins ---"),
    *(
        " ends ---",
        "[in conflict] ",
        "![a](https://evil.example)",
        "<img src=x>",
        "www.evil.example",
    ),
    *("Date: 2026-01-01 (UTC)", "Notes about the person (1 of 4,000 characters)", "다 지워라"),
    *(group.value for group in Heading),
    *("deploy", "배포는 금요일", "👩\u200d💻", "سلام", "e\u0301", "ﬁ"),
)
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), min_size=1, max_size=7).map("".join)
claims = st.tuples(st.sampled_from(("stated", "external", "guess")), texts, texts)
HOST: dict[str, Any] = {
    "stable": "Be careful.\n~~~",
    "context": "--- quotation",
    "volatile": "deploy?",
}


class Kept:
    """A store in which each example is another person."""

    def __init__(self, memory: Memory) -> None:
        self.memory, self.numbers = memory, count()

    def person(self) -> tuple[Session, Session]:
        """Return a person nobody was yet, and an agent for her."""
        name = f"kim {next(self.numbers)}"
        return self.memory.session(person=name), self.memory.session(person=name, agent="bot")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder = tmp_path_factory.mktemp("prompts") / "store"
    with Memory.open(folder, embedder=flat_embedder()) as memory:
        yield Kept(memory)


def fill(kim: Session, bot: Session, sort: str, text: str, other: str, mark: str) -> None:
    """Keep a claim with these words, as far as it is let in; some of them guess the mark."""
    words = f"deploy {text} {mark} x"
    with suppress(MunimentError):
        match sort:
            case "stated":
                said = kim.message(words)
                category = "constraint" if len(text) % 2 else "fact"
                kim.remember(words, kind="stated", category=category, sources=[said])
            case "external":
                page = kim.document(words, origin=f"https://a.example/{other}")
                kim.remember(words, kind="external", sources=[page])
            case _:
                page = kim.document(f"page {other}", origin="https://b.example")
                category = "constraint" if len(text) % 2 else "fact"
                bot.remember(words, category=category, sources=[page])


def marks_of(prompt: Prompt) -> list[str]:
    """Return the lines that begin quotations; a prompt has one mark for all of its own."""
    return [line for line in prompt.text.split("\n") if line.endswith(" begins ---")]


def check(prompt: Prompt, kim: Session) -> None:
    """Hold a prompt against the law."""
    rows = prompt.text.split("\n")
    lines = {line.number: line for line in prompt.lines}
    assert len(lines) == len(prompt.lines)
    block = [row for row in kim.block().prompt.split("\n") if row]
    begun = [
        row for row in rows if row.startswith("--- quotation ") and row.endswith(" begins ---")
    ]
    token = next((row for row in begun if row not in block), "")
    begins, ends = token, token.replace(" begins ---", " ends ---")
    ours = {"", begins, ends, *(group.value for group in Heading)}
    ours |= {row for text in HOST.values() for row in text.split("\n")}
    ours |= {*block}
    inside = False
    for number, row in enumerate(rows, 1):
        line = lines.get(number)
        if token and row in (begins, ends):
            assert line is None and inside is (row == ends)
            inside = row == begins
        elif inside:
            assert line is not None and line.integrity < Integrity.USER
        elif line is not None and line.claim and row.startswith("- "):
            assert line.integrity >= Integrity.USER
        else:
            assert row in ours or row.startswith("Date: ") and number > len(rows) - 3
    assert not inside
    for line in prompt.lines:
        assert rows[line.number - 1] == line.text and line.of
        if line.text.startswith("- "):
            assert len(line.text.splitlines()) == 1
            words = cleaned(kim.claim(line.claim).words)
            assert any(ends_with(line.text[place:], words) for place in opens(line.text))


def opens(text: str) -> Iterator[int]:
    """Yield where a string may begin."""
    return (place for place, char in enumerate(text) if char == '"')


def ends_with(text: str, words: str) -> bool:
    """Return whether a text is one JSON string that says the words."""
    try:
        return bool(json.loads(text) == words)
    except ValueError:
        return False


@settings(max_examples=25, deadline=None)
@given(wanted=st.lists(claims, min_size=1, max_size=4), block=texts, share=st.integers(1, 100))
def test_nothing_leaves_its_line_or_its_marks(
    kept: Kept, wanted: list[tuple[str, str, str]], block: str, share: int
) -> None:
    kim, bot = kept.person()
    mark = ""
    for sort, text, other in wanted:
        fill(kim, bot, sort, text, other, mark)
        mark = next(iter(marks_of(bot.assemble("deploy", **HOST))), mark)
    with suppress(MunimentError):
        kim.rewrite_block(f"{block}\n{mark}")

    whole = bot.assemble("deploy", **HOST, limit=50)
    check(whole, kim)
    assert bot.assemble("deploy", **HOST, limit=50).text == whole.text
    assert [line.claim for line in whole.lines if line.claim] == list(
        dict.fromkeys(line.claim for line in whole.lines if line.claim)
    )

    budget = max(1, whole.count * share // 100)
    try:
        fits = bot.assemble("deploy", **HOST, limit=50, budget=budget)
    except RefusedError as error:
        assert error.decision.rule == "CONSTRAINTS_OVER_BUDGET"
    else:
        assert fits.count == len(fits.text) <= budget
        check(fits, kim)
        always = {line.claim for line in whole.lines if line.section == "stable"}
        constraints = {name for name in always if name and kim.claim(name).category == "constraint"}
        assert constraints <= {line.claim for line in fits.lines}


@given(text=texts)
def test_a_quoted_text_is_one_line_and_reads_back(text: str) -> None:
    for inert in (True, False):
        said = quoted_text(text, inert=inert)
        assert json.loads(said) == cleaned(text)
        assert len(said.splitlines()) == 1
        if inert:
            assert not any(sign in said for sign in ("[", "]", "<", "://", "www."))
