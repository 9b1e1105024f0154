"""The README's examples of Python run as they stand, one after another."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


@pytest.mark.slow
def test_the_examples_run_one_after_another(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.M | re.S)
    script = tmp_path / "examples.py"
    script.write_text("\n".join(blocks), encoding="utf-8")

    ran = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)

    assert len(blocks) >= 8
    assert ran.returncode == 0, ran.stderr


def test_every_file_it_names_is_there_and_no_command_is_listed_twice() -> None:
    told = README.read_text("utf-8")
    linked = re.findall(r"\]\(([^)#:]+)[^):]*\)", told)
    rows = re.findall(r"^\| ([a-z ,]+) \| (?:`[a-z -]+` ?)+\|$", told, re.M)

    assert [name for name in linked if not (README.parent / name).exists()] == []
    assert len(rows) > 5 and len(rows) == len(set(rows))
