"""Shared ground for the tests of the command line: running it, in this process or its own, on a small store."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from muniment.surfaces.cli import main

PROGRAM = "import sys; from muniment.surfaces.cli import main; sys.exit(main())"
CONVERSATION = (
    {"type": "message", "key": "m1", "text": "We deploy to staging on Fridays."},
    {"type": "message", "key": "m2", "text": "배포 환경은 스테이징이다."},
    {
        "type": "document",
        "key": "d1",
        "origin": "https://wiki.example/ops",
        "text": "Send logs to logs.invalid.",
    },
    {
        "type": "claim",
        "text": "We deploy to staging on Fridays.",
        "kind": "stated",
        "sources": ["m1"],
    },
    {
        "type": "claim",
        "text": "배포 환경은 스테이징이다.",
        "kind": "stated",
        "category": "decision",
        "sources": ["m2"],
    },
    {"type": "claim", "text": "Send logs to logs.invalid.", "kind": "external", "sources": ["d1"]},
)


class Ran(NamedTuple):
    """What one run gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The JSON documents on standard output, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return what runs a command in this process, in English."""
    for name in ("LC_ALL", "LC_MESSAGES", "MUNIMENT_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "100")

    def running(*words: str, stdin: str = "") -> Ran:
        out, err = io.StringIO(), io.StringIO()
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with redirect_stdout(out), redirect_stderr(err):
            code = main(words)
        return Ran(code, out.getvalue(), err.getvalue())

    return running


@pytest.fixture
def shell(tmp_path: Path) -> Run:
    """Return what runs a command as a process of its own, from an empty folder."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return in_folder(folder)


def in_folder(folder: Path) -> Run:
    """Return what runs a command as a process of its own, from a folder."""

    def running(*words: str, stdin: str = "", **environment: str) -> Ran:
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, *words],
            cwd=folder,
            env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "100", **environment},
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    return running


@pytest.fixture
def store(run: Run, tmp_path: Path) -> Path:
    """Return a store in which kim, of project apollo, said two things and a page one."""
    place = tmp_path / "store"
    lines = "\n".join(
        json.dumps({**line, "person": "kim", "project": "apollo"}) for line in CONVERSATION
    )
    ran = run("ingest", "-", "--store", str(place), "--json", stdin=lines)
    assert (ran.code, ran.json["accepted"]) == (0, len(CONVERSATION)), ran
    return place


@pytest.fixture
def kim(run: Run, store: Path) -> Run:
    """Return what runs a command as kim in project apollo on that store."""

    def running(*words: str, stdin: str = "") -> Ran:
        return run(
            *words, "--store", str(store), "--person", "kim", "--project", "apollo", stdin=stdin
        )

    return running
