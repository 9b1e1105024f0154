"""A folder whose files bear the rooms' names changes nothing and runs nothing."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NAMES = ("claims", "policy", "lineage", "retrieval", "conversations", "surfaces")

HOSTILE = """\
from pathlib import Path

Path(__file__).with_suffix(".ran").touch()
raise SystemExit("the user's own file ran")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that holds one hostile file for each room."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(HOSTILE, encoding="utf-8")
    return tmp_path


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Return how a command ended that ran in a folder, with no path but Python's own."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def ran(folder: Path) -> list[str]:
    """Return which hostile files ran."""
    return sorted(mark.stem for mark in folder.glob("*.ran"))


def test_a_hostile_file_would_tell_if_it_ran(folder: Path) -> None:
    ended = run([sys.executable, "-c", "import policy"], folder)

    assert (ended.returncode, ran(folder)) == (1, ["policy"])


@pytest.mark.parametrize("name", NAMES)
def test_a_room_is_the_installed_one(folder: Path, name: str) -> None:
    installed = importlib.util.find_spec(f"muniment.{name}")
    program = f"import muniment, muniment.{name} as room; print(room.__file__)"
    ended = run([sys.executable, "-c", program], folder)

    assert installed is not None
    assert (ended.returncode, ended.stdout.strip()) == (0, installed.origin), ended.stderr
    assert ran(folder) == []


def test_the_command_runs_none_of_the_files(folder: Path) -> None:
    command = shutil.which("muniment", path=str(Path(sys.executable).parent))

    assert command is not None, "the command is not installed beside this Python"
    ended = run([command, "--version"], folder)

    assert (ended.returncode, ran(folder)) == (0, []), ended.stderr
