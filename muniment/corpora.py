"""Registered corpora: an operator vouches for files to the byte, sees what changed, and takes it back."""

import os
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal, NamedTuple
from unicodedata import normalize

from muniment.claims import (
    CLAIM_LIMIT,
    SOURCE_LIMIT,
    Access,
    AccessRecord,
    ConflictError,
    InvalidError,
    NotFoundError,
    StorageError,
    Value,
    Vouching,
    canonical_bytes,
    checked_text,
)
from muniment.lineage import (
    HOST,
    READ_ONLY,
    Corpus,
    CorpusFile,
    Opened,
    Store,
    corpora_view,
    corpus_file,
    corpus_files,
    documents_like,
    part_text,
    write_access,
    write_corpus,
)
from muniment.policy import decide

from .given import NAME_LIMIT, text_given

_MOST_FILES = 10_000
_MOST_BYTES = 4 * SOURCE_LIMIT
_COMPARED = 25_000_000  # pairs of lines that are compared; of more, all between the first and the last is shown


class LineChange(Value):
    """A line that came or went, by its place in the new or the old file; of what went the words may not be `known`."""

    sign: Literal["+", "-"]
    number: int
    text: str = ""
    known: bool = True


class FileChange(Value):
    """A file that was added to a corpus, left it, or holds something else now."""

    name: str
    change: Literal["added", "removed", "changed"]
    lines: tuple[LineChange, ...] = ()


class CorpusChange(Value):
    """What renewing a corpus would change; `unchanged` counts the other files, `shown` binds all to what was shown."""

    corpus: str
    name: str
    files: tuple[FileChange, ...]
    unchanged: int
    shown: str


class _Read(NamedTuple):
    """A file as it was read."""

    text: str
    kept: CorpusFile


def register_corpus(store: Store, home: Path, name: str, path: Path, *, reason: str) -> Corpus:
    """Vouch for a file, or all files in a folder; what was taken out when their corpus was revoked is given back."""
    note, name = _named(store, reason, name)
    if _standing(store, name):
        raise ConflictError(
            f"the corpus {name!r} is registered; renew it, which shows what changed", current=name
        )
    read = _read(store, home, path)
    with store.group():
        decision = decide("CORPUS_VOUCHED")
        files = [one.kept for one in read.values()]
        seq = write_corpus(
            store, decision, HOST, Vouching.REGISTERED, name=name, files=files, note=note
        ).seq
        for source, _ in list(documents_like(store, {file.digest: file for file in files})):
            if source in store.state.revoked and _taken_out(store, source):
                write_access(store, decision, HOST, source, Access.GIVEN)
    return _of(store, seq)


def compare_corpus(store: Store, home: Path, name: str, path: Path) -> CorpusChange:
    """Return what renewing a corpus from a path would change; nothing is written."""
    corpus = _registered(store, name)
    return _change(store, corpus, _read(store, home, path))


def renew_corpus(
    store: Store, home: Path, name: str, path: Path, *, shown: CorpusChange, reason: str
) -> Corpus:
    """Vouch for a corpus as it is now, after what changed was shown; ConflictError where that is not what is there."""
    note, name = _named(store, reason, name)
    corpus = _registered(store, name)
    read = _read(store, home, path)
    change = _change(store, corpus, read)
    if change.shown != shown.shown:
        raise ConflictError(
            "the files or the corpus are not what was shown any more; compare again and look at what changed",
            current=change,
        )
    if change.files:
        files = [one.kept for one in read.values()]
        with store.group():
            write_corpus(
                store,
                decide("CORPUS_VOUCHED"),
                HOST,
                Vouching.RENEWED,
                corpus=corpus,
                name=_of(store, corpus).name,
                files=files,
                note=note,
            )
    return _of(store, corpus)


def revoke_corpus(store: Store, name: str, *, reason: str) -> Corpus:
    """Vouch for a corpus no more, and take out what came in from it with everything that rests on that alone."""
    note, name = _named(store, reason, name)
    corpus = _registered(store, name)
    was = {file.digest: file for file in corpus_files(store, corpus)}
    with store.group():
        decision = decide("CORPUS_REVOKED")
        write_corpus(store, decision, HOST, Vouching.REVOKED, corpus=corpus, note=note)
        left = {file.digest for other in store.state.corpora for file in corpus_files(store, other)}
        for source, digest in list(documents_like(store, was)):
            if digest not in left and source not in store.state.revoked:
                write_access(store, decision, HOST, source, Access.REVOKED)
    return _of(store, corpus)


def corpora(store: Store) -> tuple[Corpus, ...]:
    """Return every corpus that was ever registered, oldest first."""
    return corpora_view(store)


def _named(store: Store, reason: str, name: str) -> tuple[str, str]:
    """Return the reason and the name of a corpus, checked; StorageError where nothing may be written."""
    if store.access is Opened.READ:
        raise StorageError(READ_ONLY)
    return text_given(reason, "reason", limit=CLAIM_LIMIT), _name(name)


def _name(name: str) -> str:
    given = checked_text(
        text_given(name, "the name of the corpus"), "the name of the corpus", limit=NAME_LIMIT
    )
    return normalize("NFC", given)


def _of(store: Store, corpus: int) -> Corpus:
    identifier = store.state.names[corpus]
    return next(one for one in corpora_view(store) if one.id == identifier)


def _standing(store: Store, name: str) -> int:
    """Return the number of the corpus of that name or identifier that is vouched for, 0 for none."""
    for one in corpora_view(store):
        if name in (one.name, one.id) and not one.revoked:
            return store.state.ids[one.id]
    return 0


def _registered(store: Store, name: str) -> int:
    found = _standing(store, _name(name))
    if not found:
        raise NotFoundError(
            f"no corpus {name!r} is registered; `muniment corpus` lists those there are"
        )
    return found


def _taken_out(store: Store, source: int) -> bool:
    """Return whether access to a source was last revoked because its corpus was."""
    last = next(seq for seq, of, _ in reversed(store.state.accesses) if of == source)
    header = store.header(last)
    return isinstance(header, AccessRecord) and header.decision.rule == "CORPUS_REVOKED"


# --- files ----------------------------------------------------------------------------------------------------


def _read(store: Store, home: Path, path: Path) -> dict[str, _Read]:
    """Return the files of a corpus by name, read whole; InvalidError names the first that cannot be one."""
    place = path.expanduser()
    if place.resolve().is_relative_to(home.resolve()):
        raise InvalidError(f"{place} lies in the store; a corpus is kept elsewhere")
    found: dict[str, _Read] = {}
    size = 0
    for file, name in _files(place):
        text = _text(file)
        size += len(text)
        if len(found) >= _MOST_FILES or size > _MOST_BYTES:
            raise InvalidError(
                f"{place} holds more than {_MOST_FILES:,} files or {_MOST_BYTES:,} characters; register it in parts"
            )
        if name in found:
            raise InvalidError(f"{place} holds two files called {name!r}; rename one")
        found[name] = _Read(text, corpus_file(store, name, text))
    if not found:
        raise InvalidError(f"{place} holds no file; name the file or the folder to vouch for")
    return found


def _files(place: Path) -> Iterator[tuple[Path, str]]:
    if place.is_file():
        yield place, normalize("NFC", place.name)
        return
    if not place.is_dir():
        raise InvalidError(f"there is no file and no folder at {place}")
    for folder, inner, names in os.walk(place):
        inner.sort()
        links = [one for one in inner if (Path(folder) / one).is_symlink()]
        for name in sorted((*names, *links)):
            file = Path(folder) / name
            if file.is_symlink() or not file.is_file():
                raise InvalidError(
                    f"{file} is no plain file; put the file itself there, or move it out"
                )
            yield file, normalize("NFC", file.relative_to(place).as_posix())


def _text(file: Path) -> str:
    try:
        raw = file.read_bytes()
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidError(
            f"{file}: byte {error.start} is no UTF-8; save it as UTF-8, or keep it out of the corpus"
        ) from None
    except OSError as error:
        raise InvalidError(f"{file} cannot be read: {error.strerror}") from None
    return checked_text(text, str(file), limit=SOURCE_LIMIT)


# --- what changed ---------------------------------------------------------------------------------------------


def _change(store: Store, corpus: int, read: Mapping[str, _Read]) -> CorpusChange:
    was = {file.name: file for file in corpus_files(store, corpus)}
    differ = [
        name
        for name in sorted(was.keys() | read.keys())
        if name not in was or name not in read or was[name].digest != read[name].kept.digest
    ]
    old = _kept_texts(store, [was[name] for name in differ if name in was])
    bound = [
        store.state.names[store.state.corpora[corpus]],
        [[name, one.kept.digest] for name, one in sorted(read.items())],
    ]
    return CorpusChange(
        corpus=store.state.names[corpus],
        name=_of(store, corpus).name,
        files=tuple(_file_change(name, was, read, old) for name in differ),
        unchanged=len((was.keys() & read.keys()) - set(differ)),
        shown=store.keys.fingerprint_of(canonical_bytes(bound).decode("utf-8"), b"corpus shown"),
    )


def _kept_texts(store: Store, files: Sequence[CorpusFile]) -> dict[str, str]:
    """Return the words of old files as far as a document kept here holds them to the byte."""
    wanted = {file.digest: file for file in files}
    return {digest: part_text(store, seq) for seq, digest in documents_like(store, wanted)}


def _file_change(
    name: str, was: Mapping[str, CorpusFile], read: Mapping[str, _Read], old: Mapping[str, str]
) -> FileChange:
    before = was[name].prints() if name in was else ()
    after = read[name].kept.prints() if name in read else ()
    words = old[was[name].digest].splitlines() if name in was and was[name].digest in old else []
    lines = read[name].text.splitlines() if name in read else []
    came = tuple(_lines(before, after, words, lines))
    if name not in was:
        return FileChange(name=name, change="added", lines=came)
    return FileChange(name=name, change="changed" if name in read else "removed", lines=came)


def _lines(
    before: Sequence[bytes], after: Sequence[bytes], old: Sequence[str], new: Sequence[str]
) -> Iterator[LineChange]:
    """Yield the lines that went and those that came, in their order."""
    for gone, here, came, there in _differing(before, after):
        for at in range(gone, here):
            known = at < len(old)
            yield LineChange(sign="-", number=at + 1, text=old[at] if known else "", known=known)
        for at in range(came, there):
            yield LineChange(sign="+", number=at + 1, text=new[at])


def _differing(
    before: Sequence[bytes], after: Sequence[bytes]
) -> Iterator[tuple[int, int, int, int]]:
    first = next(
        (at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other),
        min(len(before), len(after)),
    )
    last, most = 0, min(len(before), len(after)) - first
    while last < most and before[-1 - last] == after[-1 - last]:
        last += 1
    ends = len(before) - last, len(after) - last
    if (ends[0] - first) * (ends[1] - first) > _COMPARED:
        yield first, ends[0], first, ends[1]
        return
    matcher = SequenceMatcher(None, before[first : ends[0]], after[first : ends[1]], autojunk=False)
    for tag, gone, here, came, there in matcher.get_opcodes():
        if tag != "equal":
            yield first + gone, first + here, first + came, first + there
