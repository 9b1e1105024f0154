"""What the tests of the face share: stores opened on demand with a cheap embedder, and every byte they hold."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from muniment import CallableEmbedder, Memory, Session

POLICY = """format = 1
[tools.deploy_status]
fields = { environment = "identifier", exit_code = "integer" }
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Return a function that opens the store of this test; closed at the end."""
    opened: list[Memory] = []

    def open_store(**options: Any) -> Memory:
        path = tmp_path / "store"
        flat = CallableEmbedder("flat", 4, lambda texts: [[1.0] * 4 for _ in texts])
        if not path.exists():
            Memory.open(path, embedder=flat).close()
            (path / "policy.toml").write_text(POLICY, encoding="utf-8")
        chosen: dict[str, Any] = {"embedder": flat, **options}
        memory = Memory.open(path, **chosen)
        opened.append(memory)
        return memory

    yield open_store
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(store: Callable[..., Memory]) -> Memory:
    """Return a store that is open."""
    return store()


@pytest.fixture
def kim(memory: Memory) -> Session:
    """Return a person's session."""
    return memory.session(person="kim")


@pytest.fixture
def record(memory: Memory) -> Callable[[], dict[str, bytes]]:
    """Return a function that gives every byte of the store's record: the journal, its head and the keys."""

    def read() -> dict[str, bytes]:
        folder = memory.store.folder
        files = [folder / "head", *(folder / "journal").rglob("*"), *(folder / "keys").rglob("*")]
        return {
            str(file.relative_to(folder)): file.read_bytes()
            for file in sorted(files)
            if file.is_file()
        }

    return read
