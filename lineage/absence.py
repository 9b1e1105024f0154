"""Whether what was erased is gone: its keys, its payloads, and every file of the tenant, looked at now."""

import json
from collections.abc import Iterator
from fnmatch import fnmatch
from typing import NamedTuple

from muniment.claims import (
    ErasedError,
    EraseRecord,
    IntegrityError,
    NotFoundError,
    StorageError,
    Value,
)

from .store import Store

# What every file of a tenant is; one that fits none of these is not ours, and what it says is not known.
_FILES = (
    ("journal/*.seg", "journal"),
    ("head", "head"),
    ("keys/tenant.keys", "tenant keys"),
    ("keys/payload-*.keys", "payload keys"),
    ("lineage.duckdb", "graph"),
    ("lineage.duckdb.wal", "graph, not yet merged"),
    ("lineage.new.duckdb*", "graph, left by a rebuild"),
    ("spill/*", "graph, spilled"),
    ("index.lance/*", "index"),
    ("copies.json", "where mirrors and backups are"),
    ("lock", "lock"),
)
UNKNOWN = "unknown"


class FileSearched(Value):
    """One file of the tenant: what it is, its size in bytes, and how many of the destroyed keys stand in it."""

    file: str
    holds: str
    size: int
    keys_found: int = 0
    looked_through: bool = True


LOOKED_FOR = (
    "in each key slot of the erasure: anything but zeros",
    "in each payload sealed under such a key: whether it opens",
    "in each file of the tenant, at any place: any of the destroyed keys, wrapped by the store key as keys are kept",
    "in the index, in every version on disk and in memory: rows of the erased claims and sources",
)


class Searched(Value):
    """What was looked for, where, and what was found: slots not blank, payloads that open, keys in files, index rows.

    `rows_found` are rows of the erased in the index; `index_files` what may hold some; `index` says how it was read.
    """

    looked_for: tuple[str, ...] = LOOKED_FOR
    slots: int
    slots_alive: int
    payloads: int
    payloads_opened: int
    files: tuple[FileSearched, ...]
    index: str = "there is none"
    index_versions: int = 0
    rows_found: int = 0
    index_files: int = 0
    index_read: bool = True

    def found(self) -> tuple[str, ...]:
        """Return why absence is not proven; nothing where it is."""
        whys: list[str] = []
        if self.slots_alive:
            whys.append(f"{self.slots_alive} of {self.slots} key slots are not blank")
        if self.payloads_opened:
            whys.append(f"{self.payloads_opened} payloads still open")
        for file in self.files:
            if file.keys_found:
                whys.append(f"{file.file} holds {file.keys_found} of the destroyed keys")
            if not file.looked_through:
                whys.append(f"{file.file} was not looked through")
            if file.holds == UNKNOWN:
                whys.append(f"{file.file} is no file of the store: what it holds is not known")
        if self.rows_found:
            whys.append(f"the index holds {self.rows_found} rows of what was erased")
        if self.index_files:
            whys.append(f"{self.index_files} files of the index may hold rows that were taken out")
        if not self.index_read:
            whys.append("the index was not read")
        return tuple(whys)


class Gone(NamedTuple):
    """One erasure: its record, by number and exact bytes, and what it names, by number.

    `wordings` are (claim, rendering) of claims that stay; `sealed` the (record, bytes) of the payloads whose keys went.
    """

    seq: int
    header: EraseRecord
    raw: bytes
    sources: tuple[int, ...]
    claims: tuple[int, ...]
    wordings: tuple[tuple[int, int], ...]
    slots: frozenset[int]
    sealed: tuple[tuple[int, int], ...]

    def renderings(self, store: Store) -> tuple[int, ...]:
        """Return the records whose wordings went."""
        whole = (one for claim in self.claims for one in store.state.claims[claim].erased)
        return (*whole, *(rendering for _, rendering in self.wordings))


def gone_by(store: Store, erasure: str) -> tuple[Gone, list[bytes]]:
    """Return what an erasure took, and every header of the journal; NotFoundError where there is no such erasure."""
    seq = store.state.ids.get(erasure, 0)
    header = store.header(seq) if seq else None
    if not isinstance(header, EraseRecord):
        raise NotFoundError(
            f"there is no erasure {erasure!r}; `muniment erase` shows its identifier as the tombstone"
        )
    ids = store.state.ids
    slots = frozenset(
        slot for run in header.slots for slot in range(run.first, run.first + run.count)
    )
    headers: list[bytes] = []
    sealed: list[tuple[int, int]] = []
    for at, raw in enumerate(store.journal.scan(), 1):
        headers.append(raw.header)
        if b'"seals"' in raw.header:
            seals = json.loads(raw.header)["seals"]
            sealed += [
                (at, len(payload))
                for one, payload in zip(seals, raw.payloads, strict=True)
                if one["slot"] in slots
            ]
    return Gone(
        seq=seq,
        header=header,
        raw=headers[seq - 1],
        sources=tuple(ids[one] for one in header.sources),
        claims=tuple(ids[one] for one in header.claims),
        wordings=tuple((ids[one.claim], ids[one.rendering]) for one in header.renderings),
        slots=slots,
        sealed=tuple(sealed),
    ), headers


def search(store: Store, gone: Gone) -> Searched:
    """Return what is left of an erasure's keys, in their slots and in every file, and whether a payload opens."""
    records = tuple(dict.fromkeys(at for at, _ in gone.sealed))
    return Searched(
        slots=len(gone.slots),
        slots_alive=sum(not store.keys.is_blank(slot) for slot in gone.slots),
        payloads=len(gone.sealed),
        payloads_opened=sum(_opened(store, at, gone.slots) for at in records),
        files=tuple(_files(store, gone.slots)),
    )


def _opened(store: Store, at: int, slots: frozenset[int]) -> int:
    """Return how many payloads of a record, among those under these keys, are not beyond opening."""
    found = 0
    for place, seal in enumerate(store.header(at).seals):
        if seal.slot in slots:
            try:
                store.disclosed(at, place)
                found += 1
            except ErasedError:
                continue
            except IntegrityError:  # a key stands there, be it another
                found += 1
    return found


def _files(store: Store, slots: frozenset[int]) -> Iterator[FileSearched]:
    for path in sorted(store.folder.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        name = path.relative_to(store.folder).as_posix()
        holds = UNKNOWN if path.is_symlink() else _what(name)
        try:
            size = path.stat().st_size
            found, whole = store.keys.kept_in(path, slots)
        except FileNotFoundError:  # the index writes on while it is looked at
            continue
        except OSError as error:
            raise StorageError(f"{name} cannot be looked through: {error.strerror}") from error
        yield FileSearched(
            file=name, holds=holds, size=size, keys_found=len(found), looked_through=whole
        )


def _what(name: str) -> str:
    return next((what for pattern, what in _FILES if fnmatch(name, pattern)), UNKNOWN)
