"""The command line speaks of its own options, and shows people at a terminal how far something long has come."""

import inspect
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import muniment

from .conftest import PROGRAM, Run

ROOMS = Path(__file__).parents[2]
WORDS = import_module("muniment.surfaces.cli.words")
SPOKEN: dict[str, str] = WORDS.SPOKEN
spoken: Callable[[str], str] = WORDS.spoken
length_of: Callable[[str], int] = import_module("muniment.surfaces.cli.incoming").length_of


def test_every_phrase_that_is_put_in_other_words_stands_in_the_library() -> None:
    rooms = ("claims", "policy", "lineage", "muniment")
    library = "".join(
        path.read_text("utf-8") for room in rooms for path in (ROOMS / room).rglob("*.py")
    )
    library = library.replace('"\n            "', "")

    assert [phrase for phrase in SPOKEN if phrase not in library] == []


def test_arguments_become_options() -> None:
    for name in inspect.signature(muniment.Session.remember).parameters:
        if name.endswith(("_from", "_to", "_at", "_when")):
            assert spoken(f"{name} is wrong") == f"--{name.replace('_', '-')} is wrong"
    assert spoken("as_of lies ahead") == "--as-of lies ahead"
    assert spoken("--valid-to and my_valid_to") == "--valid-to and my_valid_to"


def test_errors_name_options_and_no_arguments(kim: Run) -> None:
    claim = kim("claims", "--json").lines[0]
    asked = (
        ("remember", "It rests on nothing."),
        ("confirm", f"{claim['id']}@1", "--agent", "bot"),
        ("retract", claim["id"]),
        ("correct", f"{claim['id']}@1", "x", "--agent", "bot"),
        ("message",),
        ("tool-result", "ci"),
        ("recall", "x", "--as-of", "2020-01-01T00:00:00Z", "--purpose", "act"),
        ("remember", "x", "--source", claim["id"], "--valid-from", "2026-02-01T00:00:00Z",
         "--valid-to", "2026-01-01T00:00:00Z"),
        ("supersede", f"{claim['id']}@1", "We moved.", "--valid-from", "2026-01-01T00:00:00"),
        ("revoke", claim["id"]),
    )  # fmt: skip
    kim("confirm", f"{claim['id']}@1")
    for words in (*asked, ("retract", f"{claim['id']}@1")):
        ran = kim(*words)
        assert ran.code, words
        for argument in ("=[", "=…", "_at", "_of ", "valid_", "`", "datetime("):
            assert argument not in ran.err, (words, ran.err)
    assert "--source" in kim(*asked[0]).err and "--as-of" in kim(*asked[6]).err


def test_what_was_erased_is_said_anew_on_purpose(kim: Run, tmp_path: Path) -> None:
    said = kim("message", "내 서랍은 초록색이다.", "--json").json
    kim("erase", said["id"], "--yes")
    page = tmp_path / "page.txt"
    page.write_text("내 서랍은 초록색이다.", encoding="utf-8")

    refused = kim("message", "내 서랍은 초록색이다.")
    assert refused.code == 4 and "on purpose with --anew" in refused.err
    assert kim("document", str(page), "--origin", "https://a.example").code == 4
    assert kim("document", str(page), "--origin", "https://a.example", "--anew").code == 0
    again = kim("message", "내 서랍은 초록색이다.", "--anew", "--json").json
    words = ("remember", "내 서랍은 초록색이다.", "--kind", "stated", "--source", again["id"])
    assert kim(*words, "--anew").code == 0


def test_the_new_one_holds_from_the_day_that_is_named(kim: Run) -> None:
    claim = kim("claims", "--json").lines[0]
    source = kim("message", "We deploy to production.", "--json").json["id"]
    day = "2999-01-01T00:00:00+00:00"

    words = ("supersede", f"{claim['id']}@1", "We deploy to production.", "--source", source)
    new = kim(*words, "--valid-from", day, "--json").json

    assert new["valid_from"] == day


def test_the_first_search_shows_the_index_being_made(store: Path) -> None:
    for command in ("recall", "search-conversations"):
        shutil.rmtree(store / "default" / "index.lance", ignore_errors=True)
        ours, theirs = pty.openpty()
        ran = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, command, "staging", "--store", str(store)],
            env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"},
            stdout=subprocess.PIPE,
            stderr=theirs,
        )
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # how Linux says that the other side closed
            while piece := os.read(ours, 4096):
                shown += piece
        os.close(ours)
        out, _ = ran.communicate()

        assert (ran.returncode, bool(out)) == (0, True)
        assert b"taking into the index" in shown


def test_the_number_of_lines_of_a_file_is_known_before(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "lines"
    for text, count in (("", 0), ("a", 1), ("a\n", 1), ("a\n\nb", 3), ("가\n" * 700_000, 700_000)):
        file.write_text(text, encoding="utf-8")
        assert length_of(str(file)) == count
    assert length_of("-") == 0 == length_of(str(tmp_path))


def test_ingest_reports_how_many_lines_there_are(tmp_path: Path) -> None:
    lines = ['{"type":"message","person":"kim","text":"안녕"}'] * 3
    seen: list[tuple[int, int]] = []
    with muniment.Memory.open(tmp_path / "store") as memory:
        memory.ingest(lines, progress=lambda done, whole: seen.append((done, whole)))
        memory.ingest(iter(lines), progress=lambda done, whole: seen.append((done, whole)))
    assert seen == [(3, 3), (3, 0)]
