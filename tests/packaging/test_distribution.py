"""What is installed can be imported, whole."""

import importlib
import importlib.resources
import tomllib
from pathlib import Path

import pytest

CONFIG = tomllib.loads(
    (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("package", CONFIG["tool"]["setuptools"]["packages"])
def test_a_declared_package_is_there(package: str) -> None:
    assert importlib.import_module(package).__name__ == package


def test_the_package_says_that_it_is_typed() -> None:
    assert importlib.resources.files("muniment").joinpath("py.typed").is_file()
