"""Proving: that the store's files agree, and what they were at a moment others have witnessed."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from muniment import Memory, Soundness, Verification
from muniment.claims import InvalidError
from muniment.tools import verify_raw

from .exits import OK, STANDS
from .opening import governed, must_be_store, opened
from .options import StoreOptions
from .progress import bar
from .safe import line_text
from .showing import DIM, STRONG, Screen, emit
from .words import word

_STORE = StoreOptions()


def verify(
    mode: Annotated[Literal["fast", "full", "bundle"], Parameter(show_default=True)] = "full",
    file: Path | None = None,
    /,
    *,
    anchor: Path | None = None,
    key: str = "",
    options: StoreOptions = _STORE,
) -> int:
    """Check the store's files against each other, or one bundle or certificate; writes nothing, takes no lock.

    Exit codes: 0 OK, 11 INVALID, 12 TRUNCATED, 13 DIVERGED, 14 INCOMPLETE.

    Parameters
    ----------
    mode
        fast: checksums, numbers, tree and graph. full: also every sealed payload, and the whole replay. bundle: FILE
        alone, without the store.
    file
        With bundle: a bundle of an investigation, or the certificate of an erasure.
    anchor
        A file of checkpoints kept elsewhere; only it finds a store that was set back whole.
    key
        With bundle: the journal's public key, got from elsewhere.
    """
    if mode == "bundle":
        return _bundle(file, key, anchor, as_json=options.json)
    if file is not None or key:
        raise InvalidError("FILE and --key go with: muniment verify bundle FILE")
    if not (options.store / options.tenant).is_dir():
        must_be_store(options)
    with bar(quiet=options.json) as progress:
        found = Memory.verify_files(
            options.store, tenant=options.tenant, mode=mode, anchor=anchor, progress=progress
        )
    if options.json:
        emit(found)
    else:
        _show(found)
    return STANDS[found.soundness]


def _bundle(file: Path | None, key: str, anchor: Path | None, *, as_json: bool) -> int:
    """Check a bundle or a certificate as `tools/verify_bundle.py` does, which needs nothing of this package."""
    if file is None:
        raise InvalidError(
            "name the bundle or the certificate: muniment verify bundle FILE --key KEY"
        )
    kept = anchor.read_text(encoding="utf-8") if anchor else ""
    found = verify_raw(file.read_bytes(), key, kept)
    sorts = {sort for sort, _ in found}
    stands = next((one for one in Soundness if one.value in sorts), Soundness.OK)
    if as_json:
        findings = [{"soundness": sort, "message": message} for sort, message in found]
        emit({"file": str(file), "soundness": stands.value, "findings": findings})
        return STANDS[stands]
    screen = Screen()
    screen.put(
        Text.assemble((word(f"verify.{stands.value.lower()}"), STRONG), (f" · {stands.value}", DIM))
    )
    for sort, message in found:
        screen.put(Text.assemble(line_text(message), (f" · {sort}", DIM)), indent=2)
    return STANDS[stands]


def _show(found: Verification) -> None:
    screen = Screen()
    stands = word(f"verify.{found.soundness.value.lower()}")
    screen.put(Text.assemble((stands, STRONG), (f" · {found.soundness.value}", DIM)))
    screen.put(
        Text(word("verify.counts", None, records=found.records, payloads=found.payloads), style=DIM)
    )
    for finding in found.findings:
        screen.put(
            Text.assemble(line_text(str(finding)), (f" · {finding.soundness.value}", DIM)), indent=2
        )
    if found.undetermined:
        screen.put(Text(word("verify.undetermined")))
    for line in found.undetermined:
        screen.put(Text(line_text(line)), indent=2)


def checkpoint(
    *, anchor: Path | None = None, key: bool = False, options: StoreOptions = _STORE
) -> int:
    """Sign what the journal is now, as a C2SP checkpoint; keep it where others have it.

    Parameters
    ----------
    anchor
        The file, elsewhere than in the store, that the checkpoint is appended to.
    key
        Show the public key that checkpoints are checked with, and sign nothing.
    """
    if key:
        with opened(options) as memory:
            shown = memory.signer.key
        emit({"key": shown}) if options.json else print(shown)
        return OK
    with governed(options, "Memory.checkpoint") as memory:
        note = memory.checkpoint(anchor=anchor)
    if options.json:
        emit({"checkpoint": note, "anchor": str(anchor) if anchor else ""})
    else:
        print(note, end="")
    return OK
