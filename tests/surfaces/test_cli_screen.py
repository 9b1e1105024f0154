"""The screen: what was remembered is letters, never markup, never a message to the terminal."""

import json
import re
import unicodedata
from pathlib import Path

import pytest

from .conftest import Run

HOSTILE = (
    "[bold red]loud[/bold red] [link=https://evil.invalid]here[/link] :smile:",
    "\x1b[2J\x1b]0;title\x07 cleared",
    "\x1b]8;;https://evil.invalid\x1b\\click\x1b]8;;\x1b\\",
    "\x9b31mred",
    "first\rSECOND",
    "line one\nreceipt: AAAAAAAAAAAAAAAAAAAAAA",
    "a\u202eb\u2066c\u2028d",
    "שלום \u202e ltr",
    "zero\u200bwidth \U000e0041tag",
    "[/] unbalanced [",
)
QUESTION = "loud title click red first line zero tag unbalanced"
READING = (
    ["claims"],
    ["recall", QUESTION, "--limit", "50"],
    ["search-conversations", QUESTION, "--limit", "50"],
)


def steers(text: str) -> list[str]:
    """Return every character that would reach beyond its own cell."""
    reaching = {
        "\u2028",
        "\u2029",
        *map(chr, range(0x202A, 0x202F)),
        *map(chr, range(0x2066, 0x206A)),
    }
    return [
        char
        for char in text
        if char != "\n" and (unicodedata.category(char) == "Cc" or char in reaching)
    ]


@pytest.fixture
def hostile(kim: Run) -> Run:
    """Return what runs a command on a store that remembers them all; the store may refuse to keep one as a claim."""
    for words in HOSTILE:
        source = kim("message", "-", "--json", stdin=words)
        assert source.code == 0, source
        kept = kim("remember", "-", "--kind", "stated", "--source", source.json["id"], stdin=words)
        assert (kept.code in (0, 4), steers(kept.out + kept.err)) == (True, []), kept
    return kim


def test_remembered_words_do_not_steer_the_terminal(hostile: Run) -> None:
    for words in READING:
        ran = hostile(*words)
        assert (ran.code, steers(ran.out)) == (0, []), words
        assert "‹U+001B›" in ran.out and "SECOND" in ran.out, words


def test_remembered_words_are_no_markup(kim: Run) -> None:
    source = kim("message", "-", "--json", stdin=HOSTILE[0]).json["id"]
    kim("remember", "-", "--kind", "stated", "--source", source, stdin=HOSTILE[0])

    shown = re.sub(r"\s+", " ", kim("claims").out)

    assert HOSTILE[0] in shown


def test_a_remembered_line_break_makes_no_line_of_its_own(kim: Run) -> None:
    words = HOSTILE[5]
    source = kim("message", "-", "--json", stdin=words).json["id"]
    kim("remember", "-", "--kind", "stated", "--source", source, stdin=words)

    out = kim("claims").out + kim("show", source).out

    assert not [line for line in out.splitlines() if line.startswith("receipt: AAAA")]


def test_json_escapes_what_steers_and_loses_nothing(kim: Run) -> None:
    for words in HOSTILE:
        ran = kim("message", "-", "--json", stdin=words)
        assert steers(ran.out) == []
        assert json.loads(ran.out)["text"] == words


def test_an_error_repeats_nothing_that_steers(kim: Run) -> None:
    ran = kim("show", "\x1b[2J\u202e")

    assert (ran.code, steers(ran.err)) == (3, [])


def test_names_are_shown_as_harmlessly_as_words(run: Run, store: Path) -> None:
    line = {
        "type": "message",
        "person": "kim",
        "project": "apollo",
        "text": "what",
        "session": "\x1b[31mred",
    }
    run("ingest", "-", "--store", str(store), stdin=json.dumps(line))

    ran = run(
        "search-conversations",
        "what",
        "--store",
        str(store),
        "--person",
        "kim",
        "--project",
        "apollo",
    )

    assert (ran.code, steers(ran.out)) == (0, [])
