"""Registered corpora: files an operator vouches for; renewing shows what changed and nothing else."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from muniment import Corpus, CorpusChange, InvalidError, Memory

from .exits import OK, PARTLY
from .opening import governed
from .options import StoreOptions
from .safe import line_text, moment_text
from .showing import DIM, STRONG, Screen, emit
from .words import word

_STORE = StoreOptions()
_Action = Literal["list", "register", "compare", "renew", "revoke"]


def corpus(
    action: Annotated[_Action, Parameter(show_default=True)] = "list",
    place: Path | None = None,
    /,
    *,
    name: str = "",
    reason: str = "",
    yes: bool = False,
    options: StoreOptions = _STORE,
) -> int:
    """List, register, renew and revoke files whose values may be used to act; for operators.

    Parameters
    ----------
    action
        list: every corpus. register: vouch for the file or folder. compare: show what changed in it.
        renew: show what changed, ask, and vouch for it as it is now. revoke: vouch for it no more.
    place
        The file or the folder; of revoke and list none.
    name
        What the corpus is called; unless said, like the file or the folder.
    reason
        Why, kept sealed in the journal.
    yes
        Do not ask before renewing.
    """
    if (action in ("list", "revoke")) == (place is not None):
        raise InvalidError(
            "register, compare and renew take a FILE or DIR; list and revoke none, but --name"
        )
    called = name or (place.expanduser().resolve().name if place else "")
    if action == "revoke" and not called:
        raise InvalidError("say which corpus: --name NAME")
    with governed(options, "Memory.register_corpus") as memory:
        if place is None:
            found = (
                memory.corpora()
                if action == "list"
                else (memory.revoke_corpus(called, reason=reason),)
            )
        elif action == "register":
            found = (memory.register_corpus(called, place, reason=reason),)
        else:
            return _renewed(memory, called, place, action, reason=reason, yes=yes, options=options)
    return _listed(found, as_json=options.json)


def _renewed(
    memory: Memory,
    name: str,
    place: Path,
    action: _Action,
    *,
    reason: str,
    yes: bool,
    options: StoreOptions,
) -> int:
    """Show what changed, and unless that is all, ask and renew."""
    if action == "renew" and not yes and (options.json or not sys.stdin.isatty()):
        raise InvalidError("nobody is there to ask; look with compare, then say --yes")
    change = memory.compare_corpus(name, place)
    if options.json and action == "compare":
        emit(change)
    elif not options.json:
        screen = Screen()
        for line in _changes(change):
            screen.put(line)
    if action == "compare" or not change.files:
        return OK
    if not yes and input(word("corpus.ask")).strip() != "yes":
        return PARTLY
    renewed = memory.renew_corpus(name, place, shown=change, reason=reason)
    return _listed((renewed,), as_json=options.json)


def _changes(change: CorpusChange) -> Iterator[Text]:
    for file in change.files:
        yield Text.assemble((line_text(file.name), STRONG), f"  {word(f'corpus.{file.change}')}")
        for line in file.lines:
            said = line_text(line.text) if line.known else word("corpus.unknown")
            style = "green" if line.sign == "+" else "red"
            yield Text(f"  {line.sign} {line.number:>5}  {said}", style=style)
    yield Text(word("corpus.unchanged", None, count=change.unchanged), style=DIM)


def _listed(found: tuple[Corpus, ...], *, as_json: bool) -> int:
    screen = Screen()
    for one in found:
        if as_json:
            emit(one)
            continue
        stands = word("corpus.revoked" if one.revoked else "corpus.registered")
        since = moment_text(one.renewed_at or one.registered_at)
        why = f"  {line_text(one.reason)}" if one.reason else ""
        screen.put(
            Text.assemble(
                (line_text(one.name), STRONG),
                f"  {stands}, {word('corpus.files', None, count=len(one.files))}, {since}{why}",
                (f"  {one.id}", DIM),
            )
        )
    if not found and not as_json:
        screen.put(word("corpus.nothing"))
    return OK
