"""The certificate of an erasure: written to a file, and its gist told on the screen."""

from collections.abc import Iterator
from pathlib import Path

from rich.text import Text

from muniment import Certificate, Erasure, Memory
from muniment.claims import MunimentError, StorageError

from .exits import OK, PARTLY
from .opening import governed
from .options import StoreOptions
from .safe import line_text
from .showing import DIM, STRONG, Screen, emit
from .words import word

_STORE = StoreOptions()


def certificate(erasure: str, /, *, out: Path, options: StoreOptions = _STORE) -> int:
    """Write the signed certificate of an erasure, at any time after it; for operators.

    What it says of absence is looked at now. Exit code 1 where absence is not proven; the file says why.

    Parameters
    ----------
    erasure
        The erasure's identifier, which `erase` shows as the tombstone.
    out
        The file to write; it must not exist, nor lie in the store.
    """
    with governed(options, "Memory.certificate") as memory:
        made = memory.certificate(erasure, out=out)
    if options.json:
        emit(told(made, out))
    else:
        show(made, out)
    return OK if made.absent else PARTLY


def certified(memory: Memory, erased: Erasure, out: Path) -> Certificate:
    """Write the certificate of what was just erased; an error says that it was, and how to write it later."""
    try:
        return memory.certificate(erased, out=out)
    except (MunimentError, OSError) as error:
        raise StorageError(
            f"it was erased, but the certificate could not be written: {error}; "
            f"write it with: muniment certificate {erased.id} --out FILE"
        ) from error


def told(made: Certificate, out: Path) -> dict[str, object]:
    """Return a certificate as JSON tells it: where it stands, and what it says."""
    return {"file": str(out), **made.model_dump(mode="json", exclude={"text"})}


def show(made: Certificate, out: Path) -> None:
    """Put a certificate's gist on the screen."""
    screen = Screen()
    for line in _lines(made, out):
        screen.put(line)


def _lines(made: Certificate, out: Path) -> Iterator[Text]:
    proven = word("certificate.proven" if made.absent else "certificate.not_proven")
    yield Text.assemble((proven, STRONG), (f"  {line_text(str(out))}", DIM))
    for why in made.because:
        yield Text(f"  {line_text(why)}")
    counts = {"files": len(made.searched.files), "keys": made.searched.slots}
    yield Text(word("certificate.looked", None, **counts), style=DIM)
    given = {"count": len({(one.to, one.behalf) for one in made.disclosed})}
    yield Text(word("certificate.disclosed", None, **given))
    yield Text(word("certificate.remains"))
    for rest in made.remains:
        many = f"{rest.count} " if rest.count else ""
        yield Text(f"  {many}{line_text(rest.what)}: {line_text(rest.words)} ({rest.until})")
    yield Text(word("verify.undetermined"))
    for line in made.undetermined:
        yield Text(f"  {line_text(line)}")
