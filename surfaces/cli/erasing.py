"""Erasing: what would go is shown first, and nothing goes without a yes."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from muniment import BackupKept, Erasure, Memory, TenantErasure
from muniment.claims import InvalidError

from .certifying import certified, show, told
from .exits import OK, PARTLY
from .identity import require_operator, require_operator_of, session_of
from .opening import must_be_store, opened
from .options import SessionOptions, StoreOptions
from .reviewing import prove_here
from .safe import line_text, plain_fields
from .showing import DIM, Screen, emit

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
    with opened(options) as memory:
        require_operator(memory, "erase-person")

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
    require_operator_of(Memory.host_of(options.store), "erase-tenant")
    if not dry_run and not yes:
        if options.json or not sys.stdin.isatty():
            raise InvalidError("nobody is there to ask; look with --dry-run, then say --yes")
        _show_tenant(Memory.erase_tenant(options.store, name, dry_run=True))
        if input(f"Destroy the tenant {name} for good? Type its name: ").strip() != name:
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
        if plan.held or input("Destroy this for good? Type yes: ").strip() != "yes":
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
    verb = "would go" if erasure.dry_run else "destroyed"
    yield (
        f"{verb}: {len(erasure.sources)} sources, {len(erasure.claims)} claims, "
        f"{erasure.renderings} wordings, {erasure.names} names, {erasure.keys} keys"
    )
    for name in (*erasure.sources, *erasure.claims):
        yield f"  {name}"
    for name in erasure.held:
        yield f"{name} is on legal hold: nothing of this can be destroyed before that is released"
    if erasure.recalled:
        yield f"{erasure.recalled} parts of messages that a recall had put there become black bars"
    if erasure.receipts:
        yield f"{erasure.receipts} recalls lose their question and scores: they share a key of the day"
    if erasure.lines:
        yield f"{erasure.lines} lines of the always-on block go"
    for one in erasure.survivors:
        yield f"{one.claim} stays, by {', '.join(one.by)}"
    for name in erasure.lost:
        yield f"{name} stays and rests on nothing any more"
    for name in erasure.remaining:
        yield f"source {name} still holds the words; erase it too"
    yield from _copies_left(() if erasure.dry_run else erasure.mirrors, erasure.backups)
