"""Keeping safe: backups, the mirror of the keys, restoring, and how claims stand where words cannot be read."""

import os
import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from muniment import BackupSeen, InvalidError, Memory, Restoration

from .exits import OK, PARTLY
from .identity import require
from .opening import governed, is_store, looked_over
from .options import PLACE, StoreOptions
from .safe import json_line, line_text, moment_text
from .showing import DIM, Screen, emit, grid, ruled, term

_STORE = StoreOptions()
_ENV = "MUNIMENT_PASSPHRASE"


def backup(
    destination: str,
    folder: Path | None = None,
    /,
    *,
    keep_days: int | None = None,
    passphrase_file: Path | None = None,
    options: StoreOptions = _STORE,
) -> int:
    """Back up everything of the tenant but the keys of its words; or `list DIR`: the backups there.

    The passphrase, from the file, $MUNIMENT_PASSPHRASE or the terminal, wraps the keys that go with it.

    Parameters
    ----------
    destination
        The new folder of the backup; it must not exist. Or the word list.
    folder
        With list: where the backups are.
    keep_days
        The lifetime the backup states; otherwise the policy's, 90 unless set.
    passphrase_file
        A file whose first line is the passphrase.
    """
    if destination == "list":
        return _list(folder, options)
    if folder is not None:
        raise InvalidError(f"{destination!r} and {str(folder)!r} are two places; name one")
    with governed(options, "Memory.backup") as memory:
        secret = _passphrase(passphrase_file, new=True)
        made = memory.backup(destination, passphrase=secret, keep_days=keep_days)
    if options.json:
        emit(made)
        return OK
    screen, manifest = Screen(), made.manifest
    screen.put(
        Text(
            f"{manifest.records} records, {manifest.size} bytes, at {line_text(made.place)}, "
            f"to be kept until {moment_text(manifest.keep_until)}"
        )
    )
    for warning in made.warnings:
        screen.put(Text(line_text(warning), style="yellow"))
    return OK


def _list(folder: Path | None, options: StoreOptions) -> int:
    if folder is None:
        raise InvalidError("name the folder to look in: muniment backup list DIR")
    found = Memory.backups(folder)
    if options.json:
        for one in found:
            print(json_line(one))
    else:
        Screen().table(
            grid(("backup", "tenant", "records", "made", "keep until"), map(_row, found))
        )
    return PARTLY if any(one.fault or one.past for one in found) else OK


def _row(one: BackupSeen) -> tuple[str, ...]:
    if one.fault:
        return one.place, "", "", "", one.fault
    until = moment_text(one.keep_until) if one.keep_until else ""
    made = moment_text(one.made_at) if one.made_at else ""
    over = f"{until}: past, delete it" if one.past else until
    return one.place, one.tenant, str(one.records), made, over


def keys(
    action: Literal["mirror"],
    folder: Path,
    /,
    *,
    passphrase_file: Path | None = None,
    options: StoreOptions = _STORE,
) -> int:
    """Copy the keys as they are now to a folder elsewhere; what was erased is overwritten there too.

    Parameters
    ----------
    action
        mirror.
    folder
        Where the mirror is, on another disk.
    passphrase_file
        A file whose first line is the passphrase.
    """
    with governed(options, "Memory.keys_mirror") as memory:
        there = memory.has_mirror(folder) and not _given(passphrase_file)
        secret = "" if there else _passphrase(passphrase_file, new=True)
        made = memory.keys_mirror(folder, passphrase=secret)
    if options.json:
        emit(made)
    else:
        Screen().put(
            Text(f"{made.keys} keys, over {made.records} records, at {line_text(made.place)}")
        )
    return OK


def restore(
    backup: Path,
    destination: Path,
    /,
    *,
    keys: Path | None = None,
    newest: tuple[Path, ...] = (),
    accept_rollback: bool = False,
    passphrase_file: Path | None = None,
    keys_passphrase_file: Path | None = None,
    json: Annotated[bool, Parameter(group=PLACE)] = False,
) -> int:
    """Make a store anew from a backup; what was erased or revoked since is erased and revoked first.

    Refused as ROLLBACK where nobody knows everything since the backup, as DIVERGED where somebody knows otherwise.

    Parameters
    ----------
    backup
        The folder of the backup.
    destination
        The folder of the new store, or a store that lacks this tenant.
    keys
        The mirror of the keys, or the store itself; without it no words can be read.
    newest
        Who else knows the newest head: the store, a mirror, an anchor.
    accept_rollback
        Restore although what was erased since may be back; it is recorded.
    passphrase_file
        A file whose first line is the passphrase.
    keys_passphrase_file
        The same for the mirror, where that has another one.
    json
        Answer in JSON, errors too.
    """
    if is_store(destination):
        require(Memory.host_of(destination), "Memory.restore")
    found = Memory.restore(
        backup,
        destination,
        passphrase=_passphrase(passphrase_file, new=False),
        keys=keys,
        keys_passphrase=_first_line(keys_passphrase_file) if keys_passphrase_file else "",
        newest=newest,
        accept_rollback=accept_rollback,
    )
    if json:
        emit(found)
    else:
        _show(found)
    return PARTLY if found.keys_missing else OK


def _show(found: Restoration) -> None:
    screen = Screen()
    screen.put(Text.assemble(f"{line_text(found.place)}: ", ruled(found.decision)))
    screen.put(
        Text(
            f"{found.records} records; newest head known: {found.newest or 'none'}"
            + (f", by {found.witness.value}" if found.newest else "")
            + (f"; {found.lost} later records are in no backup" if found.lost else "")
        )
    )
    screen.put(
        Text(f"done again: {len(found.erasures)} erasures, {found.accesses} changes of access")
    )
    for name in found.erasures:
        screen.put(Text(f"tombstone {name}", style=DIM), indent=2)
    if found.keys_missing:
        screen.put(
            Text(
                f"INCOMPLETE: {found.keys_missing} keys are not here, so those words cannot be read; statuses and "
                "lineage can: muniment statuses. Restore once more with --keys MIRROR to have the words",
                style="yellow",
            )
        )


def statuses(*, options: StoreOptions = _STORE) -> int:
    """List how every claim stands and what it rests on, without words: also where their keys are missing."""
    with looked_over(options, "Memory.statuses") as memory:
        found = list(memory.statuses())
    if options.json:
        for one in found:
            print(json_line(one))
        return OK
    rows = (
        (
            f"{one.id}@{one.version}",
            term("kind", one.kind.value),
            term("category", one.category.value),
            term("standing", one.standing.value),
            " | ".join(" + ".join(ground) for ground in one.grounds),
        )
        for one in found
    )
    Screen().table(grid(("claim", "kind", "category", "standing", "rests on"), rows))
    return OK


def _first_line(file: Path) -> str:
    return file.read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")


def _given(file: Path | None) -> bool:
    return file is not None or bool(os.environ.get(_ENV))


def _passphrase(file: Path | None, *, new: bool) -> str:
    """Return the passphrase from a file, the environment or the terminal, where a new one is asked for twice."""
    if file is not None:
        return _first_line(file)
    if found := os.environ.get(_ENV, ""):
        return found
    if not sys.stdin.isatty():
        raise InvalidError(f"there is no passphrase: give --passphrase-file FILE, or set ${_ENV}")
    secret = getpass("Passphrase: ")
    if new and getpass("Once more: ") != secret:
        raise InvalidError("the two passphrases are not the same; nothing was written")
    return secret
