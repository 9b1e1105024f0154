"""Erasing: what would go is shown first, and nothing goes without a yes."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from muniment import BackupKept, Erasure, Memory, TenantErasure
from muniment.claims import InvalidError

from .asking import asked, prove_here
from .certifying import certified, show, told
from .exits import OK, PARTLY
from .identity import require, session_of
from .opening import governed, must_be_store, opened
from .options import SessionOptions, StoreOptions
from .safe import line_text, plain_fields
from .showing import DIM, Screen, emit
from .words import word

_SESSION = SessionOptions()
_STORE = StoreOptions()


def erase(
    thing: str,
    /,
    *,
    basis: str = "",
    reason: str = "",
    dry_run: bool = False,
    yes: bool = False,
    certificate: Path | None = None,
    options: SessionOptions = _SESSION,
) -> int:
    """Destroy a claim or a source with everything written from it; only the person whose it is may.

    Parameters
    ----------
    thing
        The identifier of the claim or the source.
    basis
        On what ground: request, consent, purpose, objection, unlawful or duty.
    reason
        Why; it is sealed beside the tombstone, so do not repeat the words.
    dry_run
        Only show what would go.
    yes
        Do not ask.
    certificate
        Also write the signed certificate to this new file, outside of the store.
    """
    name = thing.partition("@")[0]
    with opened(options) as memory:
        session = session_of(memory, options)

        def go(dry: bool) -> Erasure:
            return session.erase(name, basis=basis, reason=reason, dry_run=dry)

        paper = _paper(memory, certificate, dry_run=dry_run)
        if not dry_run:
            prove_here(session)
        return carried_out(go, dry_run=dry_run, yes=yes, as_json=options.json, paper=paper)


def erase_scope(
    *,
    basis: str = "",
    reason: str = "",
    dry_run: bool = False,
    yes: bool = False,
    certificate: Path | None = None,
    options: SessionOptions = _SESSION,
) -> int:
    """Destroy everything kept in the scope that --person, --project and the like name, with its key; its person alone.

    Parameters
    ----------
    basis
        On what ground: request, consent, purpose, objection, unlawful or duty.
    reason
        Why; it is sealed beside the tombstone, so do not repeat the words.
    dry_run
        Only show what would go.
    yes
        Do not ask.
    certificate
        Also write the signed certificate to this new file, outside of the store.
    """
    with opened(options) as memory:
        session = session_of(memory, options)

        def go(dry: bool) -> Erasure:
            return session.erase_scope(basis=basis, reason=reason, dry_run=dry)

        paper = _paper(memory, certificate, dry_run=dry_run)
        if not dry_run:
            prove_here(session)
        return carried_out(go, dry_run=dry_run, yes=yes, as_json=options.json, paper=paper)


def erase_person(
    name: str,
    /,
    *,
    basis: str = "",
    reason: str = "",
    dry_run: bool = False,
    yes: bool = False,
    certificate: Path | None = None,
    options: StoreOptions = _STORE,
) -> int:
    """Destroy everything of a person, what she said in shared channels and her name too; for operators.

    Parameters
    ----------
    name
        The person.
    basis
        On what ground: request, consent, purpose, objection, unlawful or duty.
    reason
        Why; it is sealed beside the tombstone, so do not repeat the words.
    dry_run
        Only show what would go.
    yes
        Do not ask.
    certificate
        Also write the signed certificate to this new file, outside of the store.
    """
    with governed(options, "Memory.erase_person") as memory:

        def go(dry: bool) -> Erasure:
            return memory.erase_person(name, basis=basis, reason=reason, dry_run=dry)

        paper = _paper(memory, certificate, dry_run=dry_run)
        return carried_out(go, dry_run=dry_run, yes=yes, as_json=options.json, paper=paper)


def erase_tenant(
    name: str,
    /,
    *,
    dry_run: bool = False,
    yes: bool = False,
    options: StoreOptions = _STORE,
) -> int:
    """Destroy everything of a tenant, its keys first; a signed statement of it stays. For operators.

    Parameters
    ----------
    name
        The tenant; it must not be open anywhere.
    dry_run
        Only count what would go.
    yes
        Do not ask.
    """
    must_be_store(options)
    require(Memory.host_of(options.store), "Memory.erase_tenant")
    if not dry_run and not yes:
        if options.json or not sys.stdin.isatty():
            raise InvalidError("nobody is there to ask; look with --dry-run, then say --yes")
        _show_tenant(Memory.erase_tenant(options.store, name, dry_run=True))
        if asked(f"Destroy the tenant {name} for good? Type its name:") != name:
            return PARTLY
    found = Memory.erase_tenant(options.store, name, dry_run=dry_run)
    if options.json:
        emit(found)
    else:
        _show_tenant(found)
    return OK


def _show_tenant(found: TenantErasure) -> None:
    screen = Screen()
    verb = "would go" if found.dry_run else "destroyed"
    screen.put(
        Text(
            f"{verb}: tenant {found.tenant}, {found.records} records, {found.sources} sources, "
            f"{found.claims} claims, {found.keys} keys, {found.size} bytes"
        )
    )
    for place in found.mirrors:
        screen.put(Text(line_text(f"its mirror of the keys at {place}: {verb}")))
    for line in _copies_left(found.mirrors_left, found.backups):
        screen.put(Text(line_text(line)))
    if found.statement:
        screen.put(Text(line_text(f"statement {found.statement}"), style=DIM))


def _copies_left(mirrors: Sequence[str], backups: Sequence[BackupKept]) -> Iterator[str]:
    for place in mirrors:
        yield (
            f"the mirror of the keys at {place} still holds the keys of what was destroyed: "
            f"attach it and run: muniment keys mirror {place}"
        )
    for one in backups:
        yield (
            f"the backup at {one.place} holds the sealed bytes until {one.keep_until.date()}; "
            "backups hold no keys, so nothing in it opens them"
        )


class Paper(NamedTuple):
    """Where the certificate of an erasure will stand."""

    memory: Memory
    file: Path


def _paper(memory: Memory, certificate: Path | None, *, dry_run: bool) -> Paper | None:
    """Return where the certificate will stand, if one is wanted; InvalidError before anything goes where it cannot."""
    if certificate is None:
        return None
    if dry_run:
        raise InvalidError("--dry-run destroys nothing, so there is nothing to certify")
    memory.check_new_file(certificate)
    return Paper(memory, certificate)


def carried_out(
    go: Callable[[bool], Erasure],
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    paper: Paper | None = None,
) -> int:
    """Show what would go, ask, destroy, certify, and show what went; return the exit code."""
    if not dry_run and not yes:
        if as_json or not sys.stdin.isatty():
            raise InvalidError("nobody is there to ask; look with --dry-run, then say --yes")
        plan = go(True)
        show_erasure(plan)
        if plan.held or asked(word("erase.ask")) != "yes":
            return PARTLY
    erasure = go(dry_run)
    if not as_json:
        show_erasure(erasure)
    elif paper is None:
        emit(erasure)
    if paper is None:
        return OK
    made = certified(paper.memory, erasure, paper.file)
    if as_json:
        emit({**plain_fields(erasure), "certificate": told(made, paper.file)})
    else:
        show(made, paper.file)
    return OK if made.absent else PARTLY


def show_erasure(erasure: Erasure) -> None:
    """Put on the screen what an erasure destroyed, or would."""
    screen = Screen()
    for line in _lines(erasure):
        screen.put(Text(line_text(line)))
    if erasure.id:
        screen.put(Text(f"tombstone {erasure.id}", style=DIM))


def _lines(erasure: Erasure) -> Iterator[str]:
    yield word(
        "erase.would" if erasure.dry_run else "erase.done",
        None,
        sources=len(erasure.sources),
        claims=len(erasure.claims),
        renderings=erasure.renderings,
        keys=erasure.keys,
    )
    if erasure.names:
        yield word("erase.names", None, count=erasure.names)
    going = word("mark.destroyed" if erasure.dry_run else "erase.gone")
    for sort, names in (("source", erasure.sources), ("claim", erasure.claims)):
        for name in names:
            yield f"  {word(f'node.{sort}')} {name}: {going}"
    for name in erasure.held:
        yield word("erase.held", None, name=name)
    if erasure.recalled:
        yield word("erase.recalled", None, count=erasure.recalled)
    if erasure.receipts:
        yield word("erase.receipts", None, count=erasure.receipts)
    if erasure.answers:
        yield word("erase.answers", None, count=erasure.answers)
    if erasure.lines:
        yield word("erase.lines", None, count=erasure.lines)
    for one in erasure.survivors:
        yield word("erase.stays", None, claim=one.claim, by=", ".join(one.by))
    for name in erasure.lost:
        yield word("erase.bare", None, claim=name)
    for name in erasure.remaining:
        yield word("erase.remaining", None, source=name)
    yield from _copies_left(() if erasure.dry_run else erasure.mirrors, erasure.backups)
