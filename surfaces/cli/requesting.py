"""A person's request: a list of what names her, decided by a human in a file, then erased in one go."""

import os
import sys
from pathlib import Path

from rich.text import Text

from muniment import Applied, Memory
from muniment.claims import InvalidError

from .asking import asked
from .certifying import show, told
from .erasing import show_erasure
from .exits import OK, PARTLY
from .opening import governed
from .options import StoreOptions
from .safe import json_line, line_text, plain_fields
from .showing import DIM, Screen, emit
from .words import word

_STORE = StoreOptions()


def request(
    person: str = "",
    /,
    *,
    alias: tuple[str, ...] = (),
    out: Path | None = None,
    apply: Path | None = None,
    certificate: Path | None = None,
    basis: str = "",
    reason: str = "",
    dry_run: bool = False,
    yes: bool = False,
    options: StoreOptions = _STORE,
) -> int:
    """List what names a person in others' words, to be decided line by line; with --apply erase as decided.

    For operators. The list holds others' words: it is written for its owner alone, and belongs before no model.

    Parameters
    ----------
    person
        The person whose request it is.
    alias
        Another name of hers, such as a nickname or a full name, repeated.
    out
        The file to write the list to, one JSON object a line; it must not exist, nor lie in the store.
    apply
        The decided list.
    certificate
        The file to write the certificate to, with --apply.
    basis
        On what ground: request, consent, purpose, objection, unlawful or duty.
    reason
        Why; it is sealed beside the tombstone, so do not repeat the words.
    dry_run
        With --apply: only show what would go.
    yes
        Do not ask.
    """
    if bool(person) == (apply is not None):
        raise InvalidError("name the person and --out FILE, or the decided list with --apply FILE")
    if apply is None and out is None:
        raise InvalidError("say where the list is to stand: --out FILE")
    with governed(options, "Memory.request") as memory:
        if out is not None and apply is None:
            return _listed(memory, person, alias, out, as_json=options.json)
        assert apply is not None
        if certificate is None and not dry_run:
            raise InvalidError("say where the certificate is to stand: --certificate FILE")
        lines = _lines_of(apply)

        def go(dry: bool) -> Applied:
            paper = None if dry else certificate
            return memory.apply_request(lines, basis, reason=reason, dry_run=dry, out=paper)

        if certificate is not None:
            memory.check_new_file(certificate)
        if not dry_run and not yes:
            if options.json or not sys.stdin.isatty():
                raise InvalidError("nobody is there to ask; look with --dry-run, then say --yes")
            plan = go(True)
            _show(plan, apply, None)
            if plan.erasure.held:
                return PARTLY
            if asked(word("erase.ask")) != "yes":
                return PARTLY
        done = go(dry_run)
    if options.json:
        paper = told(done.certificate, certificate) if done.certificate and certificate else {}
        emit({**plain_fields(done.erasure), "kept": done.kept, "certificate": paper})
    else:
        _show(done, apply, certificate)
    return OK if done.certificate is None or done.certificate.absent else PARTLY


def _listed(
    memory: Memory, person: str, alias: tuple[str, ...], out: Path, *, as_json: bool
) -> int:
    memory.check_new_file(out)
    found = memory.request(person, aliases=alias)
    file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as written:
        written.writelines(f"{json_line(line)}\n" for line in found.lines)
    if as_json:
        emit({"file": str(out), "lines": len(found.lines), "notes": found.notes})
        return OK
    screen = Screen()
    listed = word("request.listed", None, count=len(found.lines))
    screen.put(Text.assemble(listed, (f"  {line_text(str(out))}", DIM)))
    for note in found.notes:
        screen.put(Text(line_text(note)), indent=2)
    return OK


def _lines_of(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InvalidError(f"{file} is no text in UTF-8: {error.reason} at {error.start}") from None


def _show(applied: Applied, list_file: Path, certificate: Path | None) -> None:
    erasure = applied.erasure
    show_erasure(erasure)
    counts = {"kept": applied.kept, "erased": applied.decided - applied.kept}
    screen = Screen()
    screen.put(Text(word("request.applied", None, **counts)))
    if applied.certificate and certificate:
        show(applied.certificate, certificate)
    if not erasure.dry_run:
        screen.put(Text(word("request.file", None, file=line_text(str(list_file)))))
