"""L09: the nine edits of the public yardstick agmi are refused or reported, whichever files they are made to."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ["Journal", "Agreeing", "Graph", "Keys"])
def test_no_edit_is_accepted(adapter: str, tmp_path: Path) -> None:
    result = tmp_path / "row.json"

    ran = subprocess.run(
        [sys.executable, "-m", "agmi.check", "--json", str(result)]
        + ["--adapter", f"benchmarks.yardstick_adapters:{adapter}Adapter"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    found = {edit["attack"]: edit["verdict"] for edit in json.loads(result.read_text())["edits"]}
    impossible = {name for name, verdict in found.items() if verdict == "NOT EVALUABLE"}
    assert impossible == ({"forge", "metadata_tamper"} if adapter == "Keys" else set()), ran.stderr
    assert set(found.values()) - {"NOT EVALUABLE"} <= {"REJECTED", "REPORTED"}, found
    assert ran.returncode == 0
