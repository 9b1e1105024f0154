"""The hands of somebody who holds all files of a store and none of its keys: reads and rewrites them from outside.

Nothing here asks the product for anything. What carries no key is made right again after an edit: the checksum of
a frame, the numbers of the records and, in `rewrite` with `agreeing`, the head; the graph and the index, which would
disagree, are taken away.
"""

import hashlib
import json
import shutil
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FRAME = struct.Struct(">4sII16s")
_RECORD = struct.Struct(">IH")
_HEAD = struct.Struct(">4sQQ32sI")
_SEGMENT_START = 16
SLOT = 64


@dataclass
class Entry:
    """One record of the journal as its bytes say it: the header as JSON, the payloads as they lie."""

    header: dict[str, Any]
    payloads: list[bytes]

    def raw_header(self) -> bytes:
        """Return the header as canonical JSON."""
        return json.dumps(
            self.header, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        ).encode()

    def raw(self) -> bytes:
        """Return the bytes of the record."""
        header = self.raw_header()
        lengths = b"".join(struct.pack(">I", len(payload)) for payload in self.payloads)
        return b"".join(
            (_RECORD.pack(len(header), len(self.payloads)), lengths, header, *self.payloads)
        )


Frames = list[list[Entry]]


def segment_of(folder: Path) -> Path:
    """Return the one segment of a small journal."""
    (found,) = (folder / "journal").glob("*.seg")
    return found


def read_frames(folder: Path) -> Frames:
    """Return the frames of a tenant's journal, each the records written in one group."""
    raw, place = segment_of(folder).read_bytes(), _SEGMENT_START
    frames: Frames = []
    while place < len(raw):
        _, length, _, _ = _FRAME.unpack_from(raw, place)
        place += _FRAME.size
        frames.append(_entries(raw[place : place + length]))
        place += length
    return frames


def _entries(body: bytes) -> list[Entry]:
    found: list[Entry] = []
    at = 0
    while at < len(body):
        size, count = _RECORD.unpack_from(body, at)
        at += _RECORD.size
        sizes = struct.unpack_from(f">{count}I", body, at)
        at += 4 * count
        header, at = json.loads(body[at : at + size]), at + size
        payloads: list[bytes] = []
        for one in sizes:
            payloads.append(body[at : at + one])
            at += one
        found.append(Entry(header, payloads))
    return found


def rewrite(folder: Path, frames: Frames, *, agreeing: bool) -> None:
    """Write a journal anew from frames, each with a right checksum; a frame left empty is gone.

    With `agreeing` the records are numbered anew, the head acknowledges what is there with its right root, and graph
    and index are removed, so that no file contradicts another.
    """
    frames = [frame for frame in frames if frame]
    if agreeing:
        for number, entry in enumerate((e for frame in frames for e in frame), 1):
            entry.header["seq"] = number
    segment = segment_of(folder)
    out = [segment.read_bytes()[:_SEGMENT_START]]
    ends: list[tuple[int, int]] = [(0, 0)]
    for frame in frames:
        body = b"".join(entry.raw() for entry in frame)
        digest = hashlib.blake2b(body, digest_size=16).digest()
        out.append(_FRAME.pack(b"MNF1", len(body), len(frame), digest) + body)
        ends.append((ends[-1][0] + len(frame), sum(map(len, out))))
    segment.write_bytes(b"".join(out))
    if agreeing:
        leaves = [entry.raw_header() for frame in frames for entry in frame]
        slots = (_head_slot(seq, size, _root(leaves[:seq])) for seq, size in ends[-2:])
        (folder / "head").write_bytes(b"".join(slots))
        for left in folder.glob("lineage.duckdb*"):
            left.unlink()
        shutil.rmtree(folder / "index.lance", ignore_errors=True)


def _head_slot(seq: int, size: int, root: bytes) -> bytes:
    slot = _HEAD.pack(b"MNH1", seq, size, root, 0)[:-4]
    return (slot + zlib.crc32(slot).to_bytes(4, "big")).ljust(SLOT, b"\0")


def _root(leaves: list[bytes]) -> bytes:
    """Return the root of RFC 9162 over the leaves."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    cut = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + _root(leaves[:cut]) + _root(leaves[cut:])).digest()


def read_slot(folder: Path, slot: int) -> bytes:
    """Return the 64 bytes of a payload key's slot."""
    raw = (folder / "keys" / "payload-000000.keys").read_bytes()
    return raw[SLOT * slot : SLOT * (slot + 1)]


def write_slot(folder: Path, slot: int, raw: bytes) -> None:
    """Put other bytes into the slot of a payload key."""
    path = folder / "keys" / "payload-000000.keys"
    held = bytearray(path.read_bytes())
    held[SLOT * slot : SLOT * (slot + 1)] = raw
    path.write_bytes(held)
