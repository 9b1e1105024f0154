"""The help of every command is committed; run this file to write it anew.

.venv/bin/python tests/surfaces/test_cli_help.py
"""

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from muniment.surfaces.cli import main

SNAPSHOT = Path(__file__).with_name("cli_help.txt")
WIDTH = "100"


def helped(*words: str) -> str:
    """Return the help of one command, at a fixed width and without the environment's say."""
    kept = {
        name: os.environ.pop(name, None) for name in ("MUNIMENT_STORE", "COLUMNS", "FORCE_COLOR")
    }
    os.environ["COLUMNS"] = WIDTH
    out = io.StringIO()
    try:
        with redirect_stdout(out):
            assert main([*words, "--help"]) == 0
    finally:
        del os.environ["COLUMNS"]
        os.environ.update({name: value for name, value in kept.items() if value is not None})
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def commands() -> list[str]:
    """Return the commands that the help names."""
    return re.findall(r"^│ ([a-z][a-z-]+) ", helped(), flags=re.MULTILINE)


def pages() -> Iterator[str]:
    """Yield the help of the program and of every command under a line that names it."""
    yield f"$ muniment --help\n{helped()}"
    for command in commands():
        yield f"$ muniment {command} --help\n{helped(command)}"


def test_the_help_of_every_command_is_the_committed_one() -> None:
    assert SNAPSHOT.read_text(encoding="utf-8") == "\n".join(pages())


def test_every_parameter_is_explained() -> None:
    bare = [
        f"{page.splitlines()[0]}: {line}"
        for page in pages()
        for line in re.findall(
            r"^│ (?:\*  )?((?:--)?[A-Za-z-]+(?: [A-Z.]+)*) *│$", page, flags=re.MULTILINE
        )
    ]

    assert bare == []


def test_the_reference_names_every_command_in_order() -> None:
    reference = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text("utf-8")
    named = re.findall(
        r"^\| `([a-z-]+)[ `]", reference.partition("## The store")[0], flags=re.MULTILINE
    )

    assert named == commands()


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join(pages()), encoding="utf-8")
    sys.stdout.write(f"{SNAPSHOT} written\n")
