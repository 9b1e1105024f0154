"""What a store is on disk: its folders, its own key, its lock, and writing a small file whole."""

import errno
import fcntl
import json
import os
import pwd
import secrets
import tomllib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from muniment.claims import (
    BusyError,
    FormatError,
    IntegrityError,
    InvalidError,
    Scope,
    StorageError,
    Value,
)

FORMAT = 1

Reach = Callable[[str], None]
"""Called with the name of each failpoint passed, so that a test can stop the process there."""

_TENANT_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


class Opened(IntEnum):
    """How a store's files are opened; each is the flags that go with it, so a reader cannot make or change one."""

    WRITE = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    READ = os.O_RDONLY | os.O_CLOEXEC


READ_ONLY = "this store was opened read-only; open it again without read_only to write"


class Host(Value):
    """Who has to do with this store: operating-system users, which persons they are and which duties they have.

    `users` are those the host runs as: it authenticates persons, so they act for any of them. An approver has scopes.
    """

    users: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    auditors: tuple[str, ...] = ()
    custodians: tuple[str, ...] = ()
    approvers: dict[str, tuple[Scope, ...]] = {}
    people: dict[str, str] = {}


def unreached(name: str) -> None:
    """Pass a failpoint without stopping."""


@contextmanager
def storing(what: str) -> Generator[None]:
    """Turn an error of the disk into StorageError with the way out."""
    try:
        yield
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        advice = (
            "make room on the disk and try again"
            if full
            else "check the disk and open the store again"
        )
        raise StorageError(
            f"{what} could not be written: {error.strerror or error}; {advice}"
        ) from error


def write_file(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Write a file so that it holds either its old or its new content, whatever happens."""
    with storing(path.name):
        fresh = path.with_name(path.name + ".new")
        file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
        try:
            write_all(file, content, 0)
            os.fsync(file)
        finally:
            os.close(file)
        os.replace(fresh, path)
        sync_folder(path.parent)


def write_all(file: int, data: bytes, place: int) -> None:
    """Write all of the data at a place: a disk that is nearly full takes a part and reports no error."""
    while data:
        done = os.pwrite(file, data, place)
        data, place = data[done:], place + done


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def prepare_store(
    path: Path, default_policy: str, access: Opened = Opened.WRITE
) -> tuple[bytes, Host]:
    """Return the store key and the host of a store, making both where the folder is absent or empty.

    A folder that holds something else raises FormatError and stays as it is; a reader makes nothing.
    """
    described = path / "store.toml"
    if not described.exists():
        if access is Opened.READ:
            raise FormatError(f"there is no store at {path} to read")
        _make_store(path, described, default_policy)
    host = _read_description(described)
    key = _read_key(path / "store.key")
    if len(key) != 32:
        raise FormatError(
            f"{path / 'store.key'} is missing or no key; without it the words cannot be read: put it back"
        )
    return key, host


def read_store_key(path: Path) -> bytes:
    """Return the key of a store, empty where it is missing or none."""
    key = _read_key(path / "store.key")
    return key if len(key) == 32 else b""


def _read_key(path: Path) -> bytes:
    try:
        return bytes.fromhex(path.read_text(encoding="ascii").strip()) if path.exists() else b""
    except ValueError:
        return b""


def _make_store(path: Path, described: Path, default_policy: str) -> None:
    ours = {"store.key", "store.key.new", "policy.toml", "policy.toml.new", "store.toml.new"}
    if path.exists() and not path.is_dir():
        raise FormatError(f"{path} is a file, not a store; name a folder")
    if path.exists() and {item.name for item in path.iterdir()} - ours:
        raise FormatError(
            f"{path} holds files but no store.toml, so it is not a store; name an empty or new folder"
        )
    with storing("the store"):
        path.mkdir(parents=True, exist_ok=True)
    if not (path / "store.key").exists():
        write_file(path / "store.key", secrets.token_hex(32).encode("ascii"), mode=0o600)
    if not (path / "policy.toml").exists():
        write_file(path / "policy.toml", default_policy.encode("utf-8"))
    # The effective user, as the command line sees it; $LOGNAME is no proof of anybody.
    user = json.dumps(pwd.getpwuid(os.geteuid()).pw_name)
    text = (
        f"format = {FORMAT}\n\n"
        "# Operating-system users: those the host runs as, who act for any person, and those who configure the store.\n"
        f"[host]\nusers = [{user}]\noperators = [{user}]\n\n"
        "# Which person an operating-system user is on the command line.\n"
        f"[people]\n{user} = {user}\n\n"
        "# Further duties; what each may do: muniment roles.\n"
        '# [roles]\n# auditors = ["park"]\n# custodians = ["choi"]\n'
        '# approvers = { lee = [{ project = "apollo" }] }\n'
    )
    write_file(described, text.encode("utf-8"))


def _read_description(described: Path) -> Host:
    try:
        kept = tomllib.loads(described.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{described} cannot be read: {error}") from None
    found = kept.get("format")
    if not isinstance(found, int):
        raise FormatError(f"{described} names no format, so this is not a store of ours")
    if found > FORMAT:
        raise FormatError(
            f"this store has format {found}; this version reads up to {FORMAT}: install a newer muniment"
        )
    return _host(described, kept)


def _host(described: Path, kept: dict[str, object]) -> Host:
    """Return who has to do with a store; a description without `users` is of a host whose operators are its users."""
    sections = [kept.get(name, {}) for name in ("host", "roles")]
    if not all(isinstance(section, dict) for section in sections):
        raise FormatError(f"{described}: [host] and [roles] are sections of names")
    host, roles = (cast("dict[str, object]", section) for section in sections)
    known = {"host": ("users", "operators"), "roles": ("auditors", "custodians", "approvers")}
    for (name, allowed), section in zip(known.items(), (host, roles), strict=True):
        if unknown := sorted(set(section) - {*allowed}):
            raise FormatError(
                f"{described}: [{name}] knows no {unknown[0]!r}; it has {', '.join(allowed)}"
            )
    try:
        found = Host.model_validate(
            {
                "users": host.get("users", host.get("operators", ())),
                "operators": host.get("operators", ()),
                "people": kept.get("people", {}),
                **roles,
            }
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise FormatError(f"{described}: {where}: {first['msg']}") from None
    for user, scopes in found.approvers.items():
        if not found.people.get(user):
            raise FormatError(
                f"{described}: the approver {user!r} is nobody under [people]; say there who it is"
            )
        if not scopes or not all(one.named() and not one.person for one in scopes):
            raise FormatError(
                f'{described}: the approver {user!r} needs scopes such as {{ project = "apollo" }}, and no person\'s'
            )
    return found


def checked_tenant(tenant: str) -> str:
    """Return the name of a tenant, or raise InvalidError."""
    if not tenant or len(tenant) > 64 or not set(tenant) <= _TENANT_CHARACTERS:
        raise InvalidError(f"tenant {tenant!r} is no name: use 1 to 64 of a-z, 0-9, '-' and '_'")
    return tenant


# What a copy may lack, and what cannot be done without it.
_PARTS = {
    "journal": "nothing that was recorded can be read",
    "head": "what was acknowledged last is not known",
    "keys/tenant.keys": "no words can be read and no signature checked",
    "keys/payload-000000.keys": "no words can be read",
}


def missing_parts(path: Path, tenant: str) -> tuple[str, ...]:
    """Return what a tenant's folder lacks to be whole, each with what cannot be done without it."""
    folder = path / checked_tenant(tenant)
    if not folder.is_dir():
        return (f"{tenant}/ is missing: the store knows nothing of this tenant",)
    found = [
        f"{tenant}/{part} is missing: {loss}"
        for part, loss in _PARTS.items()
        if not (folder / part).exists()
    ]
    if not read_store_key(path):
        found.append("store.key is missing or no key: no words can be read, no signature checked")
    return tuple(found)


def tenant_to_read(path: Path, tenant: str) -> Path:
    """Return the folder of a tenant; IntegrityError names what a copy lacks."""
    lacking = missing_parts(path, tenant)
    if lacking:
        raise IntegrityError("this copy is not whole", findings=lacking)
    return path / tenant


def tenant_folder(path: Path, tenant: str) -> Path:
    """Return the folder of a tenant, made with its parts where it is new."""
    folder = path / checked_tenant(tenant)
    with storing("the tenant's folder"):
        for part in ("journal", "keys"):
            (folder / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        # Digests and vectors are no words, yet not for every user of the machine.
        folder.chmod(0o700)
    return folder


def lock(folder: Path) -> int:
    """Return the open lock of a tenant; BusyError names the process that holds it."""
    file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        owner = os.pread(file, 64, 0).decode("ascii", "replace").strip()
        os.close(file)
        raise BusyError(
            f"{folder} is in use by process {owner or 'unknown'}; close it there first", owner=owner
        ) from None
    try:
        with storing("the lock"):
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode("ascii"), 0)
    except StorageError:
        os.close(file)
        raise
    return file
