"""What the whole suite shares: the option that lets the exhaustive tests run."""

import pytest


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
