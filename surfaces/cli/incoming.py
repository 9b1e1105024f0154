"""What comes in from files and from standard input: read as UTF-8, and said plainly where it is not."""

import io
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from muniment.claims import InvalidError

_BOM = b"\xef\xbb\xbf"


@contextmanager
def incoming(name: str) -> Generator[BinaryIO]:
    """Open a file for reading; a lone hyphen is standard input."""
    if name != "-":
        with Path(name).open("rb") as file:
            yield file
        return
    kept = getattr(sys.stdin, "buffer", None)
    yield (
        kept if kept is not None else io.BytesIO(sys.stdin.read().encode("utf-8", "surrogatepass"))
    )


def text_of(name: str) -> str:
    """Return the whole text of a file or of standard input; InvalidError where it is no UTF-8."""
    with incoming(name) as file:
        raw = file.read().removeprefix(_BOM)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidError(f"{name}: {_trouble(error)}") from None


def length_of(name: str) -> int:
    """Return how many lines a file has, 0 where that is not known before they are read."""
    if name == "-" or not Path(name).is_file():
        return 0
    count, last = 0, b""
    with Path(name).open("rb") as file:
        while piece := file.read(1 << 20):
            count, last = count + piece.count(b"\n"), piece
    return count + (last != b"" and not last.endswith(b"\n"))


def lines_of(file: Iterable[bytes], wrong: dict[int, str]) -> Generator[str]:
    """Yield the lines of a file; one that is no UTF-8 becomes empty and what is wrong with it is put into `wrong`."""
    for number, raw in enumerate(file, 1):
        try:
            yield (raw.removeprefix(_BOM) if number == 1 else raw).decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            wrong[number] = _trouble(error)
            yield ""


def _trouble(error: UnicodeDecodeError) -> str:
    return f"no UTF-8 at byte {error.start + 1}; convert it, for instance with: iconv -t UTF-8"
