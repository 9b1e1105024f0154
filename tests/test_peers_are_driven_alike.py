"""The comparison with other products: ours answers their protocol; what cannot be installed is said and passed over."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.slow


class Worker:
    """The worker of one product, spoken to as the driver does."""

    def __init__(self, name: str, home: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(ROOT / "benchmarks/peer_worker.py"), name, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )

    def ask(self, operation: str, **given: object) -> dict[str, Any]:
        """Return the line that answers one line."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps({"do": operation, "with": given}) + "\n")
        self._process.stdin.flush()
        said: dict[str, Any] = json.loads(self._process.stdout.readline())
        return said

    def end(self) -> int:
        """End it and return its exit code."""
        self._process.communicate()
        return self._process.returncode


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """Return a worker of ours with an empty store open."""
    started = Worker("muniment", tmp_path)
    place = tmp_path / "first"
    place.mkdir()
    about = started.ask("open", folder=str(place))["gave"]
    assert {"add", "search", "close"} <= set(about["operations"])
    yield started
    started.end()


def test_twenty_texts_go_in_and_the_right_one_comes_back(worker: Worker) -> None:
    texts = [f"회의 {number}번은 서울에서 한다" for number in range(10)]
    texts += [f"Invoice {number} goes to Berlin" for number in range(9)] + [
        "배포 환경은 staging이다"
    ]

    added = [worker.ask("add", user="kim", text=text) for text in texts]
    found = worker.ask("search", user="kim", question="배포 환경을 알려줘", limit=3)
    strange = worker.ask("search", user="lee", question="배포 환경을 알려줘", limit=3)

    assert len({one["gave"] for one in added}) == 20
    assert found["gave"][0] == {"id": added[-1]["gave"], "text": texts[-1]}
    assert strange["gave"] == []
    assert all(one["seconds"] > 0 for one in (*added, found))
    assert found["embedding"] > 0


def test_an_error_is_an_answer_and_a_new_store_is_empty(worker: Worker, tmp_path: Path) -> None:
    worker.ask("add", user="kim", text="The cache is in Busan")
    wrong = worker.ask("search", user="kim", question="cache", limit=-1)
    unknown = worker.ask("forget_everything")
    (tmp_path / "second").mkdir()
    worker.ask("open", folder=str(tmp_path / "second"))

    assert set(wrong) == {"error"}
    assert unknown["error"].startswith("AttributeError")
    assert worker.ask("search", user="kim", question="cache")["gave"] == []
    assert worker.ask("memory")["gave"] > 1
    assert worker.end() == 0


def drive(results: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the driver with no registry in reach."""
    unreachable = {"UV_OFFLINE": "1", "UV_NO_CACHE": "1", "PIP_NO_INDEX": "1"}
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.peers", "--results", str(results), *arguments],
        cwd=ROOT,
        env=os.environ | unreachable,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_ours_passes_the_probes_that_the_others_are_put_to(tmp_path: Path) -> None:
    ran = drive(tmp_path, "--only", "muniment_claims", "--measure", "probes")

    probes = json.loads((tmp_path / "muniment_claims.json").read_text("utf-8"))["probes"]
    assert {number: one["result"] for number, one in probes.items()} == {
        str(number): "pass" for number in range(1, 13)
    }
    assert "| Muniment, claims | pass |" in ran.stdout
    assert ran.returncode == 0


def test_what_cannot_be_installed_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    ran = drive(
        tmp_path, "--only", "attestari", "muniment", "--measure", "speed", "--sizes", "20", "40"
    )

    missing = json.loads((tmp_path / "attestari.json").read_text("utf-8"))
    ours = json.loads((tmp_path / "muniment.json").read_text("utf-8"))
    assert missing["not run"].startswith("not installed: ")
    assert [row["texts"] for row in ours["speed"]] == [20, 40]
    assert "- attestari 0.0.8: not run: not installed: " in ran.stdout
    assert ran.returncode == 0, ran.stderr
