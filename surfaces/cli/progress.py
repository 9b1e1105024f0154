"""How far something long has come, for people at a terminal."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from .words import word


@contextmanager
def bar(
    *, total: int = 0, quiet: bool = False, words: str = ""
) -> Generator[Callable[[int, int], None] | None]:
    """Yield what reports progress to a bar on the terminal, or None where nobody would see one."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn

    columns = (SpinnerColumn(), *Progress.get_default_columns())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words or word("ingest.busy"), total=total or None)
        yield lambda done, whole: progress.update(
            task, completed=done, total=whole or total or None
        )
