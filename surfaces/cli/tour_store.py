"""The store of the tour: made where nothing of anybody else's is lost, filled by the ordinary ingest."""

import shutil
from collections.abc import Callable
from pathlib import Path

from muniment import IngestReport, Memory
from muniment.claims import InvalidError

from .opening import is_store
from .words import data_text

MARKER = ".muniment-tour"


def conversation() -> list[str]:
    """Return the lines of the conversation that ships with the tour."""
    return data_text("tour.jsonl").splitlines()


def clear(folder: Path) -> bool:
    """Remove the store of an earlier tour and return whether there was one; anything else raises InvalidError."""
    if not folder.is_symlink() and not folder.exists():
        return False
    if folder.is_dir() and not folder.is_symlink():
        if not any(folder.iterdir()):
            return False
        if (folder / MARKER).is_file() and is_store(folder):
            shutil.rmtree(folder)
            return True
    raise InvalidError(
        f"{folder} is there already and is no store of an earlier tour, so it is left alone; "
        "name another folder: muniment tour --store DIR"
    )


def fill(folder: Path, progress: Callable[[int, int], None] | None) -> IngestReport:
    """Make the store with the tour's registered tools, let it take in the conversation and return the report."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "policy.toml").write_text(data_text("tour-policy.toml"), encoding="utf-8")
    with Memory.open(folder) as memory:
        (folder / MARKER).write_text(
            "A store made by `muniment tour`. The next tour may replace it whole.\n",
            encoding="utf-8",
        )
        report = memory.ingest(conversation(), progress=progress)
        memory.index()
        return report


def contents(folder: Path) -> list[tuple[str, int, str]]:
    """Return the entries of the store with their sizes in bytes and the key of what each is for."""
    tenant = folder / "default"
    named = (
        (tenant / "journal", "journal"),
        (tenant / "head", "head"),
        (tenant / "keys", "keys"),
        (tenant / "lineage.duckdb", "lineage"),
        (tenant / "index.lance", "index"),
        (folder / "policy.toml", "policy"),
        (folder / "store.toml", "host"),
        (folder / "store.key", "key"),
    )
    return [
        (str(path.relative_to(folder)) + ("/" if path.is_dir() else ""), size_of(path), purpose)
        for path, purpose in named
        if path.exists()
    ]


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of everything below a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(item.stat().st_size for item in path.rglob("*") if item.is_file())
