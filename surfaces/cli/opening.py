"""Opening the store that the options name."""

import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from muniment import Memory, Session
from muniment.claims import FormatError
from muniment.lineage import must_have_tenant

from .identity import may, require, session_of
from .options import SessionOptions, StoreOptions
from .progress import bar
from .words import word


def is_store(folder: Path) -> bool:
    """Return whether a folder is a store."""
    return (folder / "store.toml").is_file()


def must_be_store(options: StoreOptions) -> None:
    """Raise FormatError where the options name no store."""
    if not is_store(options.store):
        raise FormatError(
            f"there is no store at {options.store}; make one with: muniment init --store {options.store}"
        )


@contextmanager
def opened(
    options: StoreOptions, *, make: bool = False, read_only: bool = False
) -> Generator[Memory]:
    """Open the store for the length of one command; only with `make` is a missing one made."""
    if not make:
        must_be_store(options)
        must_have_tenant(options.store, options.tenant)
    with Memory.open(options.store, tenant=options.tenant, read_only=read_only) as memory:
        if not options.json and (missing := memory.keys_missing):
            print(
                f"INCOMPLETE: this store was restored without {missing} of its keys: words under them cannot be read",
                file=sys.stderr,
            )
        yield memory


@contextmanager
def governed(options: StoreOptions, call: str) -> Generator[Memory]:
    """Open the store for somebody whose role allows a call of the library: before anything of it is read."""
    must_be_store(options)
    require(Memory.host_of(options.store), call)
    with opened(options) as memory:
        yield memory


@contextmanager
def looked_over(options: StoreOptions, call: str) -> Generator[Memory]:
    """Open the store as `governed` does; for whoever does not operate it, without a byte being written."""
    must_be_store(options)
    host = Memory.host_of(options.store)
    require(host, call)
    with opened(options, read_only=not may(host, "Memory.index")) as memory:
        yield memory


@contextmanager
def acting(options: SessionOptions) -> Generator[Session]:
    """Open the store and the session that the options name."""
    with opened(options) as memory:
        yield session_of(memory, options)


@contextmanager
def searching(options: SessionOptions) -> Generator[Session]:
    """Open the session that the options name for a search, the index brought up before, in sight of a terminal."""
    with opened(options) as memory:
        session = session_of(memory, options)
        with bar(quiet=options.json, words=word("index.busy")) as progress:
            # What is wrong with the index the search itself says, and finds the next way.
            with suppress(OSError, RuntimeError, ValueError):
                if progress is not None and session.acting.identified:
                    memory.index(progress)
        yield session
