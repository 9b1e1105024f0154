"""Reading a journal that may be damaged: every whole record, and where something else stands."""

import mmap
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from .files import FORMAT
from .journal import FRAME_MAGIC, SEGMENT, Raw, records_of, whole_frame


class Gap(NamedTuple):
    """Bytes from `position` on that are no record: damaged ones, or `missing` of them cut out."""

    position: int
    message: str
    missing: int = 0


class End(NamedTuple):
    """Where the last whole frame ends, and how far the files reach."""

    position: int
    length: int


def read_journal(folder: Path) -> Iterator[Raw | Gap | End]:
    """Yield the records of a journal in order, the gaps between them where they are, and last where it ends."""
    position = length = 0
    with ExitStack() as files:
        for path in sorted(folder.glob("*.seg"), key=lambda path: path.name):
            start = int(path.stem)
            if start > length:
                yield Gap(
                    length,
                    f"{start - length} bytes after byte {length} are missing",
                    start - length,
                )
            elif start < length:
                yield Gap(start, f"segment {start:020d} begins before the one in front of it ends")
            raw = _mapped(path, files)
            length = position = start + len(raw)
            if len(raw) < SEGMENT.size:
                position = start
                continue
            if raw[: SEGMENT.size] != SEGMENT.pack(b"MUNIMENT", FORMAT, 0):
                yield Gap(
                    start,
                    f"segment {start:020d} does not begin as one: its first bytes were changed",
                )
            position = start + (yield from _frames(raw, start))
    yield End(position, length)


def _mapped(path: Path, files: ExitStack) -> bytes | mmap.mmap:
    if not path.stat().st_size:
        return b""
    file = files.enter_context(path.open("rb"))
    return files.enter_context(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _frames(raw: bytes | mmap.mmap, start: int) -> Generator[Raw | Gap, None, int]:
    """Yield a segment's records and gaps and return where its last whole frame ends."""
    place = whole = SEGMENT.size
    while place < len(raw):
        following = whole_frame(raw, place)
        if following:
            records = records_of(raw, place, start)
            if records is None:
                yield Gap(
                    start + place,
                    f"the frame at byte {start + place} does not hold as many records as it says",
                )
            else:
                yield from records
            place = whole = following
            continue
        damaged = place
        while place != -1 and not whole_frame(raw, place):
            place = raw.find(FRAME_MAGIC, place + 1)
        place = len(raw) if place == -1 else place
        yield Gap(
            start + damaged, f"the frame at byte {start + damaged} does not match its checksum"
        )
    return whole
