"""What the whole suite shares: the option that lets the exhaustive tests run, and the corpora that lie outside."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

Row = dict[str, str]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --exhaustive."""
    parser.addoption(
        "--exhaustive",
        action="store_true",
        default=False,
        help="also run the tests marked exhaustive (minutes, not seconds)",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the tests marked exhaustive unless they were asked for."""
    if config.getoption("--exhaustive"):
        return
    skip = pytest.mark.skip(reason="exhaustive: takes minutes; run with --exhaustive")
    for item in items:
        if item.get_closest_marker("exhaustive"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder with the corpora, from MUNIMENT_SHARED or beside the repository; skip without one."""
    folder = Path(os.environ.get("MUNIMENT_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip("no corpora here: name their folder in MUNIMENT_SHARED")
    return folder


@pytest.fixture(scope="session")
def corpus(shared: Path) -> Callable[..., list[Row]]:
    """Return what gives the rows of the corpora, of one label or of all; skip where there are none."""
    path = shared / "corpora" / "injection_dev.jsonl"
    if not path.is_file():
        pytest.skip(f"{path.name} is not among the corpora of {shared}")
    rows: list[Row] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def rows_of(label: str = "") -> list[Row]:
        return [row for row in rows if label in ("", row["label"])]

    return rows_of
