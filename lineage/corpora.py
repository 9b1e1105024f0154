"""Corpora an operator vouches for: files by keyed digests of their exact words, and the claims that quote them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from muniment.claims import (
    UNREADABLE,
    Assertion,
    IntegrityError,
    Kind,
    Medium,
    Naming,
    Value,
    Vouching,
    canonical_text,
    from_micros,
    stands_in,
)
from muniment.policy import CATEGORIES

from .access import shown_assertions
from .keys import decoded, encoded
from .prints import prints_of
from .state import ClaimState
from .store import Store

_PRINT = 8
_LINE_ENDS = r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"
_ENTRY_ENDS = re.compile(rf"{_LINE_ENDS}|[;；。]|[.!?](?=\s)")
_BESIDE = " \t\u3000\ufeff-*•·|"


class CorpusFile(Value):
    """A file of a corpus: its name, the keyed digest of its words, the keyed 8-byte digests of its lines, packed."""

    name: str
    digest: str
    lines: str

    def prints(self) -> tuple[bytes, ...]:
        """Return the digests of the lines, in order."""
        packed = decoded(self.lines)
        return tuple(packed[at : at + _PRINT] for at in range(0, len(packed), _PRINT))


class Corpus(Value):
    """Files that an operator vouches for, or did until it was `revoked`; `renewed_at`: last brought up to date."""

    id: str
    name: str
    files: tuple[str, ...]
    reason: str = ""
    registered_at: datetime
    renewed_at: datetime | None = None
    revoked: bool = False


def corpus_file(store: Store, name: str, text: str) -> CorpusFile:
    """Return what is kept of a file: no word of it."""
    lines = text.splitlines(keepends=True)
    return CorpusFile(
        name=name,
        digest=exact_digest(store, text),
        lines=encoded(prints_of(store.keys.fingerprint, lines, 1)),
    )


def exact_digest(store: Store, text: str) -> str:
    """Return the keyed digest of a text as it is: one byte more, less or other is another."""
    return store.keys.fingerprint_of(text, b"corpus")


def corpus_files(store: Store, corpus: int) -> tuple[CorpusFile, ...]:
    """Return the files of a corpus that is vouched for, by its number; none where they cannot be read."""
    try:
        words = store.words(store.state.corpora[corpus])
    except UNREADABLE:
        return ()
    return tuple(CorpusFile.model_validate(file) for file in words["files"])


def corpora_view(store: Store) -> tuple[Corpus, ...]:
    """Return every corpus that ever was registered, oldest first, as far as its names can be read."""
    last: dict[int, list[tuple[int, Vouching]]] = {}
    for seq, corpus, vouching in store.state.vouchings:
        last.setdefault(corpus, []).append((seq, vouching))
    return tuple(_view(store, corpus, records) for corpus, records in last.items())


def _view(store: Store, corpus: int, records: Sequence[tuple[int, Vouching]]) -> Corpus:
    first = _sealed(store, corpus)
    held = [seq for seq, vouching in records if vouching is not Vouching.REVOKED]
    files = _sealed(store, held[-1]).get("files", ())
    last, vouching = records[-1]
    return Corpus(
        id=store.state.names[corpus],
        name=str(first.get("name", "(unreadable)")),
        files=tuple(file["name"] for file in files),
        reason=str(_sealed(store, last).get("note", "")),
        registered_at=from_micros(store.header(corpus).at),
        renewed_at=from_micros(store.header(held[-1]).at) if len(held) > 1 else None,
        revoked=vouching is Vouching.REVOKED,
    )


def _sealed(store: Store, seq: int) -> Mapping[str, Any]:
    if not store.header(seq).seals:
        return {}
    try:
        return store.words(seq)
    except UNREADABLE:
        return {}


def vouched(store: Store) -> Mapping[str, int]:
    """Return the digests of all files that are vouched for now, each with the number of its corpus."""
    standing = tuple(store.state.corpora.items())
    known, digests = store.vouched
    if known != standing:
        digests = {
            file.digest: corpus for corpus, _ in standing for file in corpus_files(store, corpus)
        }
        store.vouched = (standing, digests)
    return digests


def registered_as(store: Store, source: int) -> int:
    """Return the number of the corpus that a source, by number, is a file of to the byte; 0 for none."""
    known = vouched(store)
    return known.get(digest_of(store, source), 0) if known else 0


def digest_of(store: Store, source: int) -> str:
    """Return the keyed digest of a document's exact words; empty for anything else, and where they are gone."""
    state = store.state.sources.get(source)
    if state is None or state.medium is not Medium.DOCUMENT:
        return ""
    if source not in store.exact:
        try:
            store.exact[source] = exact_digest(store, _text(store, source))
        except UNREADABLE:
            return ""
    return store.exact[source]


def documents_like(store: Store, digests: Mapping[str, object]) -> Iterator[tuple[int, str]]:
    """Yield (number, digest) of the documents kept here whose words are those of one of the digests."""
    for seq in list(store.state.sources):
        digest = digest_of(store, seq)
        if digest and digest in digests:
            yield seq, digest


def registered_in(store: Store, claim: ClaimState) -> int:
    """Return the number of a corpus whose words an account or contact takes over as they are, 0 for none.

    They must be whole lines of a registered file, and hold the claim's subject and value.
    """
    fills = claim.kind is Kind.EXTERNAL and CATEGORIES[claim.category].critical
    if not fills or not vouched(store):
        return 0
    for seq in shown_assertions(store.state, claim):
        header = store.header(seq)
        if not isinstance(header, Assertion):
            raise IntegrityError(f"record {seq} asserts nothing although the graph says so")
        try:
            words = store.words(seq)
        except UNREADABLE:
            continue
        for span in header.spans:
            source = store.state.ids[span.source]
            corpus = registered_as(store, source)
            text = _text(store, source) if corpus else ""
            said = {name: str(words[name]) for name in ("subject", "attribute", "value")}
            if corpus and speaks_for(text, span.start, span.end, **said):
                return corpus
    return 0


def _text(store: Store, source: int) -> str:
    return "".join(words["text"] for words in store.source(source)[1])


def speaks_for(
    text: str, start: int, end: int, *, subject: str, attribute: str, value: str
) -> bool:
    """Return whether a span of a registered file is whole lines, and the file itself says what stands beside the words.

    Subject and value stand in one sentence or entry of a line; the attribute there, or in the file's first line.
    """
    before = re.split(_LINE_ENDS, text[:start])[-1]
    after = re.split(_LINE_ENDS, text[end:], maxsplit=1)[0]
    first = re.split(_LINE_ENDS, text, maxsplit=1)[0]
    return (
        not before.strip(_BESIDE)
        and not after.strip(_BESIDE)
        and any(
            stands_in(value, piece)
            and _is_named(subject, piece)
            and (_is_named(attribute, piece) or _is_named(attribute, first))
            for piece in _ENTRY_ENDS.split(text[start:end])
        )
    )


def _is_named(name: str, piece: str) -> bool:
    """Return whether a name stands in words as a word of its own, with Korean particles where there are any."""
    return not name.strip() or (
        canonical_text(name) != ""
        and Naming([name]).found_in(piece) != ()
        and stands_in(name, piece)
    )
