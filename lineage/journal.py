"""The journal: append-only segments of frames, and the head that says what was acknowledged.

A segment is named after the place of its first byte in the whole journal and starts with 16 bytes:
`MUNIMENT`, format, zero.
A frame is `MNF1`, body length, record count, BLAKE2b-128 of the body, body. A record is header
length, number of payloads, their lengths, header, payloads. Numbers are big-endian. The head has two
slots of 64 bytes, written in turn.
"""

import mmap
import os
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b, sha256
from pathlib import Path
from typing import NamedTuple

from muniment.claims import FormatError, IntegrityError, StorageError

from .files import FORMAT, READ_ONLY, Opened, Reach, storing, sync_folder, write_all

SEGMENT = struct.Struct(">8sII")
_FRAME = struct.Struct(">4sII16s")
_RECORD = struct.Struct(">IH")
_LENGTH = struct.Struct(">I")
_HEAD = struct.Struct(">4sQQ32sI")
_HEAD_SLOT = 64
_COPIED_AT_ONCE = 1024 * 1024
_SEGMENT_SIZE = 64 * 1024 * 1024
_STRETCH = 1024 * 1024  # read at once where many records are read
FRAME_MAGIC, _HEAD_MAGIC, _SEGMENT_MAGIC = b"MNF1", b"MNH1", b"MUNIMENT"


class Head(NamedTuple):
    """What was acknowledged last: the number of records, the journal's bytes, the tree's root."""

    seq: int
    size: int
    root: bytes


class Raw(NamedTuple):
    """A record as it lies in the journal; `position` is the place of its first byte."""

    position: int
    header: bytes
    payloads: tuple[bytes, ...]


def encode_record(header: bytes, payloads: Sequence[bytes]) -> bytes:
    """Return the bytes of a record in a frame's body."""
    lengths = b"".join(_LENGTH.pack(len(payload)) for payload in payloads)
    return b"".join((_RECORD.pack(len(header), len(payloads)), lengths, header, *payloads))


def decode_record(chunk: bytes, offset: int, position: int = -1) -> Raw:
    """Return the record that begins at `offset` of a chunk holding all of it."""
    length, count = _RECORD.unpack_from(chunk, offset)
    return _record(
        chunk,
        offset,
        position,
        length,
        struct.unpack_from(f">{count}I", chunk, offset + _RECORD.size),
    )


def head_slots(raw: bytes) -> tuple[Head | None, Head | None]:
    """Return what the two slots of a head file say, None for one that is empty or damaged."""
    found: list[Head | None] = []
    for turn in (0, 1):
        slot = raw[turn * _HEAD_SLOT : turn * _HEAD_SLOT + _HEAD.size]
        whole = len(slot) == _HEAD.size and slot[-4:] == zlib.crc32(slot[:-4]).to_bytes(4, "big")
        magic, seq, size, root, _ = _HEAD.unpack(slot) if whole else (b"", 0, 0, b"", 0)
        found.append(Head(seq, size, root) if magic == _HEAD_MAGIC else None)
    return found[0], found[1]


def whole_frame(raw: bytes | mmap.mmap, place: int) -> int:
    """Return the place after the frame at `place` of a segment, 0 where none stands that matches its checksum."""
    if place + _FRAME.size > len(raw):
        return 0
    magic, length, _, digest = _FRAME.unpack_from(raw, place)
    end = place + _FRAME.size + length
    if magic != FRAME_MAGIC or end > len(raw):
        return 0
    body = raw[place + _FRAME.size : end]
    return end if blake2b(body, digest_size=16).digest() == digest else 0


def records_of(raw: bytes | mmap.mmap, place: int, start: int) -> list[Raw] | None:
    """Return the records of a whole frame of the segment at `start`, None where it holds not as many as it says."""
    _, length, count, _ = _FRAME.unpack_from(raw, place)
    first = place + _FRAME.size
    body, offset = raw[first : first + length], 0
    found: list[Raw] = []
    try:
        while offset < len(body):
            record = decode_record(body, offset, start + first + offset)
            found.append(record)
            offset += _length_of(record)
    except struct.error:
        return None
    return found if len(found) == count and offset == len(body) else None


def _whole_record(chunk: bytes, offset: int, position: int) -> Raw | None:
    """Return the record that begins at `offset`, None where the chunk ends before it does."""
    try:
        length, count = _RECORD.unpack_from(chunk, offset)
        sizes = struct.unpack_from(f">{count}I", chunk, offset + _RECORD.size)
    except struct.error:
        return None
    end = offset + _RECORD.size + 4 * count + length + sum(sizes)
    return _record(chunk, offset, position, length, sizes) if end <= len(chunk) else None


def _length_of(record: Raw) -> int:
    sizes = sum(map(len, record.payloads))
    return _RECORD.size + 4 * len(record.payloads) + len(record.header) + sizes


def _head_slot(head: Head) -> bytes:
    slot = _HEAD.pack(_HEAD_MAGIC, head.seq, head.size, head.root, 0)[:-4]
    return slot + zlib.crc32(slot).to_bytes(4, "big")


def head_file(head: Head) -> bytes:
    """Return the bytes of a head file both slots of which say the same."""
    return 2 * _head_slot(head).ljust(_HEAD_SLOT, b"\0")


def copy_journal(folder: Path, to: Path, size: int) -> None:
    """Copy the first `size` bytes of a journal, durably; what was acknowledged never changes, so no lock is needed."""
    for path in sorted(folder.glob("*.seg")):
        left = size - int(path.stem)
        if left <= 0:
            continue
        with path.open("rb") as source, (to / path.name).open("xb") as copy:
            while left and (piece := source.read(min(left, _COPIED_AT_ONCE))):
                copy.write(piece)
                left -= len(piece)
            copy.flush()
            os.fsync(copy.fileno())
    sync_folder(to)


class Journal:
    """One tenant's journal, open for appending at its end."""

    def __init__(
        self, folder: Path, head_path: Path, reach: Reach, access: Opened = Opened.WRITE
    ) -> None:
        self._folder, self._reach, self._access = folder, reach, access
        self._files: dict[int, int] = {}
        self._broken = self._follows = False
        self._starts = sorted(int(item.stem) for item in folder.glob("*.seg"))
        self._head_file = os.open(head_path, access, 0o600)
        slots = self._head_slots()
        if not slots and self._starts and self._length() > SEGMENT.size:
            raise IntegrityError(
                "the head file is gone or damaged while the journal holds records; restore it from a backup"
            )
        self.head = max(slots, key=lambda item: item[1].size)[1] if slots else Head(0, 0, b"")
        self._turn = 1 - max(slots, key=lambda item: item[1].size)[0] if slots else 0
        self.size = self._settle()
        if not slots and access is Opened.WRITE:
            # Before the first frame: a crash in the first write must not look like a lost head.
            sync_folder(head_path.parent)
            self._write_head(Head(0, 0, sha256().digest()))
        elif len(slots) == 1 and self.head.seq and access is Opened.WRITE:
            self._write_head(self.head)  # mends the slot that is damaged

    def _head_slots(self) -> list[tuple[int, Head]]:
        raw = os.pread(self._head_file, 2 * _HEAD_SLOT, 0)
        return [(turn, head) for turn, head in enumerate(head_slots(raw)) if head]

    def _length(self) -> int:
        if not self._starts:
            return 0
        return self._starts[-1] + os.fstat(self._file(self._starts[-1])).st_size

    def _settle(self) -> int:
        """Return where the journal ends, a torn unacknowledged tail cut off."""
        length = self._length()
        if length < self.head.size:
            raise IntegrityError(
                "the journal was cut",
                findings=(
                    f"{self.head.size - length} bytes after byte {length} are missing; "
                    f"the head acknowledges {self.head.seq} records",
                ),
            )
        self._check_segments()
        end = self.head.size
        while end < length:
            frame = self._frame_at(end)
            if frame is None:
                if self._access is Opened.WRITE:
                    self._cut(end)
                break
            end = frame[1]
        return end

    def _check_segments(self) -> None:
        for start, following in zip(self._starts, [*self._starts[1:], 0], strict=False):
            raw = os.pread(self._file(start), SEGMENT.size, 0)
            if len(raw) < SEGMENT.size:
                continue
            magic, version, _ = SEGMENT.unpack(raw)
            if magic != _SEGMENT_MAGIC:
                raise IntegrityError(
                    f"journal segment {start:020d} does not begin as one: its first bytes were changed"
                )
            if version > FORMAT:
                raise FormatError(
                    f"the journal has format {version}; this version reads up to {FORMAT}: install a newer muniment"
                )
            if following and start + os.fstat(self._file(start)).st_size != following:
                raise IntegrityError(
                    f"journal segment {start:020d} was cut: segment {following:020d} does not follow it"
                )

    def _frame_at(self, position: int) -> tuple[bytes, int] | None:
        """Return a frame's body and the place after it, or None when it is torn.

        A segment's own first bytes count as a frame with an empty body.
        """
        start = self._start_of(position)
        if position == start:
            whole = os.fstat(self._file(start)).st_size >= SEGMENT.size
            return (b"", position + SEGMENT.size) if whole else None
        raw = os.pread(self._file(start), _FRAME.size, position - start)
        if len(raw) < _FRAME.size:
            return None
        magic, length, _, digest = _FRAME.unpack(raw)
        if magic != FRAME_MAGIC:
            return None
        body = os.pread(self._file(start), length, position - start + _FRAME.size)
        whole = len(body) == length and blake2b(body, digest_size=16).digest() == digest
        return (body, position + _FRAME.size + length) if whole else None

    def _cut(self, end: int) -> None:
        for start in [start for start in self._starts if start >= end]:
            if start in self._files:
                os.close(self._files.pop(start))
            self._path(start).unlink()
            self._starts.remove(start)
        if self._starts:
            last = self._starts[-1]
            os.ftruncate(self._file(last), end - last)
            os.fsync(self._file(last))

    def append(
        self, records: Sequence[bytes], seq: int, root: bytes, *, head_follows: bool = False
    ) -> list[int]:
        """Make a group of records durable as one and return their positions.

        With `head_follows` the records are durable and their head is written, to be durable with the next: a power cut
        between the two leaves a whole tail, which opening keeps.

        `seq` and `root` are the tree's size and root with the group in it. After a failure nothing of the group is
        left; after a failed fsync nothing more is written until the store is opened anew.
        """
        self.check_writable()
        before = self.size
        try:
            with storing("the journal"):
                start = self._segment_for_append()
                body = b"".join(records)
                frame = _FRAME.pack(
                    FRAME_MAGIC, len(body), len(records), blake2b(body, digest_size=16).digest()
                )
                self._write(start, frame + body)
        except BaseException:
            self._take_back(before)
            raise
        head = Head(seq, self.size + len(frame) + len(body), root)
        self._write_head(head, follows=head_follows)
        positions: list[int] = []
        place = self.size + _FRAME.size
        for record in records:
            positions.append(place)
            place += len(record)
        self.size = place
        return positions

    def acknowledge(self, seq: int, root: bytes) -> None:
        """Acknowledge every record up to the journal's end: a whole tail that a crash left unacknowledged."""
        with storing("the journal"):
            self._sync(self._file(self._starts[-1]))
        self._write_head(Head(seq, self.size, root))

    def check_writable(self) -> None:
        """Raise StorageError for a reader, and after a failure that only opening anew can mend."""
        if self._access is Opened.READ:
            raise StorageError(READ_ONLY)
        if self._broken:
            raise StorageError(
                "an earlier write failed, so this store is read-only; close it and open it again"
            )

    def stop(self) -> None:
        """Write nothing more until the store is opened anew."""
        self._broken = True

    def _segment_for_append(self) -> int:
        start = self.size
        if self._starts and 0 < start - self._starts[-1] < _SEGMENT_SIZE:
            return self._starts[-1]
        if start not in self._starts:  # else a process died before it wrote a byte of it
            opened = os.open(self._path(start), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._files[start] = opened
            self._starts.append(start)
        file = self._file(start)
        os.pwrite(file, SEGMENT.pack(_SEGMENT_MAGIC, FORMAT, 0), 0)
        self._reach("journal.segment_made")
        sync_folder(self._folder)
        self.size += SEGMENT.size
        return start

    def _write(self, start: int, data: bytes) -> None:
        file, place = self._file(start), self.size - start
        self._reach("journal.before_write")
        half = len(data) // 2
        write_all(file, data[:half], place)
        self._reach("journal.half_written")
        write_all(file, data[half:], place + half)
        self._reach("journal.written")
        self._sync(file)
        self._reach("journal.durable")

    def _write_head(self, head: Head, *, follows: bool = False) -> None:
        with storing("the journal's head"):
            try:
                os.pwrite(self._head_file, _head_slot(head), self._turn * _HEAD_SLOT)
            except OSError:
                self._broken = True
                raise
            self._reach("head.written")
            if not follows:
                self._sync(self._head_file)
        self._reach("head.durable")
        self.head, self._follows = head, follows
        if not follows:  # else the same slot again: the other holds the last head that is durable
            self._turn = 1 - self._turn

    def settle_head(self) -> None:
        """Make the head durable where only its records are."""
        if self._follows:
            with storing("the journal's head"):
                self._sync(self._head_file)
            self._follows, self._turn = False, 1 - self._turn

    def _sync(self, file: int) -> None:
        try:
            os.fsync(file)
        except OSError:
            # What the disk holds now is unknown, and a second fsync would not tell.
            self._broken = True
            raise

    def _take_back(self, size: int) -> None:
        try:
            self._cut(size)
            self.size = size
        except OSError:
            self._broken = True

    def read(self, position: int) -> Raw:
        """Return the record at a position."""
        start = self._start_of(position)
        file, place = self._file(start), position - start
        chunk = os.pread(file, 4096, place)
        length, count = _RECORD.unpack_from(chunk)
        sizes = (
            struct.unpack_from(f">{count}I", chunk, _RECORD.size)
            if _RECORD.size + 4 * count <= len(chunk)
            else self._sizes(file, place, count)
        )
        whole = _RECORD.size + 4 * count + length + sum(sizes)
        if place + whole > os.fstat(file).st_size:
            raise IntegrityError(f"the record at byte {position} of the journal was changed")
        if whole > len(chunk):
            chunk = os.pread(file, whole, place)
        return _record(chunk, 0, position, length, sizes)

    def read_all(self, positions: Iterable[int]) -> Iterator[Raw]:
        """Yield the records at positions, which ascend; what lies between them is read with them."""
        chunk, first = b"", 0
        for position in positions:
            found = _whole_record(chunk, position - first, position)
            if found is None:
                start, first = self._start_of(position), position
                chunk = os.pread(self._file(start), _STRETCH, position - start)
                found = _whole_record(chunk, 0, position) or self.read(position)
            yield found

    def _sizes(self, file: int, place: int, count: int) -> tuple[int, ...]:
        sizes = os.pread(file, 4 * count, place + _RECORD.size)
        if len(sizes) < 4 * count:
            raise IntegrityError("the number of payloads of a record in the journal was changed")
        return struct.unpack(f">{count}I", sizes)

    def scan(self, position: int = 0) -> Iterator[Raw]:
        """Yield the records from the frame at `position` to the end; a changed frame raises IntegrityError."""
        while position < self.size:
            frame = self._frame_at(position)
            if frame is None:
                raise IntegrityError(
                    f"the journal was changed: the frame at byte {position} does not match its checksum"
                )
            body, following = frame
            place, offset = position + _FRAME.size, 0
            while offset < len(body):
                raw = decode_record(body, offset, place + offset)
                yield raw
                offset += _length_of(raw)
            position = following

    def _start_of(self, position: int) -> int:
        return self._starts[bisect_right(self._starts, position) - 1]

    def _path(self, start: int) -> Path:
        return self._folder / f"{start:020d}.seg"

    def _file(self, start: int) -> int:
        if start not in self._files:
            flags = self._access & ~os.O_CREAT
            self._files[start] = os.open(self._path(start), flags)
        return self._files[start]

    def close(self) -> None:
        """Close the journal's files."""
        with suppress(StorageError):  # the records are durable, and opening finds them without it
            self.settle_head()
        for file in (*self._files.values(), self._head_file):
            os.close(file)
        self._files.clear()


def _record(chunk: bytes, offset: int, position: int, length: int, sizes: Sequence[int]) -> Raw:
    place = offset + _RECORD.size + 4 * len(sizes)
    header = chunk[place : place + length]
    place += length
    payloads: list[bytes] = []
    for size in sizes:
        payloads.append(chunk[place : place + size])
        place += size
    return Raw(position, header, tuple(payloads))
