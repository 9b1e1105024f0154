"""Exit codes: one for each thing a script would do next, tried by real processes."""

import fcntl
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from muniment import Memory, MunimentError
from muniment.surfaces.cli import EXITS

from .conftest import PROGRAM, Run, in_folder

DOCUMENTED = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


class Made(NamedTuple):
    """A folder with a store, what runs commands in it, and a claim at its first version, since confirmed."""

    folder: Path
    shell: Run
    claim: str


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Return a store in which the system's user said one thing and confirmed it."""
    folder = tmp_path_factory.mktemp("exits")
    user = pwd.getpwuid(os.geteuid()).pw_name
    with Memory.open(folder / "store") as memory:
        session = memory.session(person=user)
        source = session.message("We deploy on Fridays.")
        claim = session.remember("We deploy on Fridays.", kind="stated", sources=[source])
        session.confirm(claim)
    return Made(folder, in_folder(folder), f"{claim.id}@{claim.version}")


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        (["recall"], 2, "usage"),
        (["recal", "x"], 2, "usage"),
        (["recall", "x", "--purpose", "fun"], 2, "usage"),
        (["document", "none.txt", "--origin", "https://wiki.example"], 2, "usage"),
        (["remember", "x", "--expires-at", "2026-12-01T10:00:00"], 2, "invalid"),
        (["confirm", "AAAAAAAAAAAAAAAAAAAAAA"], 3, "not_found"),
        (["show", "AAAAAAAAAAAAAAAAAAAAAA"], 3, "not_found"),
        (["remember", "It rests on nothing."], 4, "refused"),
        (["reinstate", "CLAIM@2"], 4, "refused"),
        (["regenerate", "CLAIM@2", "x", "--source", "CLAIM"], 4, "refused"),
        (["revoke", "AAAAAAAAAAAAAAAAAAAAAA"], 3, "not_found"),
        (["claims", "--as-of", "2026-12-01T10:00:00"], 2, "invalid"),
        (["recall", "x", "--as-of", "2999-01-01T00:00:00Z"], 2, "invalid"),
        (["retract", "CLAIM@1"], 5, "conflict"),
        (["claims", "--store", "elsewhere"], 8, "format"),
    ],
)
def test_each_failure_has_its_code_and_its_kind(
    made: Made, words: list[str], code: int, kind: str
) -> None:
    name = made.claim.partition("@")[0]
    given = [word.replace("CLAIM", name) for word in words]

    plain, as_json = made.shell(*given), made.shell(*given, "--json")

    assert (plain.code, plain.out) == (code, "")
    assert plain.err.startswith(f"muniment: {kind}: ") and "Traceback" not in plain.err
    assert (as_json.code, as_json.out) == (code, "")
    told = json.loads(as_json.err)
    assert (told["error"], bool(told["message"])) == (kind, True)


def test_a_stale_change_shows_what_happened_since(made: Made) -> None:
    told = json.loads(made.shell("retract", made.claim, "--json").err)

    assert ["confirm" in line for line in told["difference"]] == [True]


def test_a_refusal_names_its_rule(made: Made) -> None:
    told = json.loads(made.shell("remember", "It rests on nothing.", "--json").err)

    assert (told["rule"], told["verdict"]) == ("NO_EVIDENCE", "refuse")


def test_a_store_in_use_is_busy(made: Made) -> None:
    with (made.folder / "store" / "default" / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        assert made.shell("claims").code == 6


def test_a_damaged_store_does_not_pass_for_sound(made: Made, tmp_path: Path) -> None:
    shutil.copytree(made.folder / "store", tmp_path / "copy")
    at = ("--store", str(tmp_path / "copy"))
    assert made.shell("verify", *at).code == 0
    segment = next((tmp_path / "copy" / "default" / "journal").iterdir())
    damaged = bytearray(segment.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    segment.write_bytes(damaged)

    assert made.shell("verify", *at).code == 11


def test_a_closed_pipe_ends_quietly(made: Made) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM, "rules"],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writing)

    assert (ended.returncode, ended.stderr) == (141, "")


def test_the_documented_table_is_the_one_in_the_code() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+Error)`", DOCUMENTED.read_text("utf-8"), re.MULTILINE)

    assert [(name, int(code)) for code, name in rows] == [
        (sort.__name__, code) for sort, code in EXITS
    ]


def test_every_exception_has_a_row_of_its_own() -> None:
    tree = {MunimentError, *MunimentError.__subclasses__()}

    assert tree == {sort for sort, _ in EXITS}
    assert len({code for _, code in EXITS}) == len(EXITS)
