"""The guided tour: a real store, a small team's conversation, and promises tried on it one by one."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from muniment import Language

from .words import language


def tour(
    *,
    store: Path = Path("muniment-tour-store"),
    lang: Language | None = None,
    plain: Annotated[bool, Parameter(show_default=False)] = False,
    json: Annotated[bool, Parameter(show_default=False)] = False,
) -> int:
    """Show in five minutes, on a fresh store, what the store promises; exit code 1 where a promise did not hold.

    Parameters
    ----------
    store
        Folder of the tour's store; that of an earlier tour is made anew, any other is left alone.
    lang
        Language of the tour; otherwise that of the environment.
    plain
        No colours, as when the output is no terminal.
    json
        Print the facts of each act as one JSON document instead.
    """
    from .tour_flow import run

    return run(store, lang or language(), plain=plain, as_json=json)
