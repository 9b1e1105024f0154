"""P01: the twelve rules of the public standard SAMS hold under `preset = "reviewed"`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return by number what came of each rule."""
    folder = tmp_path_factory.mktemp("sams")
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.sams", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (folder / "sams.json").is_file(), ran.stderr
    found: dict[str, dict[str, Any]] = json.loads((folder / "sams.json").read_text("utf-8"))
    passed = sum(one["result"] == "pass" for one in found.values())
    assert ran.stdout.splitlines()[-1] == f"sams: {passed}/12"
    return found


@pytest.mark.parametrize("number", range(1, 13))
def test_the_rule_holds(number: int, results: dict[str, dict[str, Any]]) -> None:
    found = results[str(number)]

    assert found["result"] == "pass", found
