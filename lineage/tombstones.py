"""The one gate that everything on its way in passes: what was erased does not come back unless a person says it anew.

A tombstone holds no words: it is a digest under the tenant's fingerprint key. The name of the person whose it was goes
into the digest, so that nobody learns from a refusal what another erased.
"""

from collections.abc import Iterable
from unicodedata import normalize

from muniment.claims import (
    SCOPE_FIELDS,
    Integrity,
    Medium,
    Scope,
    SourceRecord,
    SpanRef,
    TombstoneSort,
    Value,
    canonical_text,
)

from .state import ScopeKey
from .store import Store
from .views import part_text, quoted_integrity

_PERSON = SCOPE_FIELDS.index("person")

_TELLING = 3  # words of a text beside a claim's own that are looked up among erased ones


class Passage(Value):
    """Leave to write one thing that was held against the tombstones; made here and nowhere else.

    `erased_by` is the number of the erasure that keeps it out, 0 for none; `anew`: a person lets it in on purpose.
    """

    erased_by: int = 0
    anew: bool = False

    @property
    def is_closed(self) -> bool:
        """Whether the thing must stay out."""
        return self.erased_by != 0 and not self.anew


def source_passage(
    store: Store,
    scope: Scope,
    *,
    medium: Medium,
    origin: str,
    key: str,
    text: str,
    by_person: bool,
    anew: bool,
) -> Passage:
    """Return whether a source may come in; `by_person`: its person speaks herself, no agent for her."""
    digests = source_digests(store, scope.person, medium, origin, key, text)
    erased_by = max((_erasure(store, scope, digest) for _, digest in digests), default=0)
    erased_by = max(erased_by, store.state.erased.get(store.state.keys.get(key, 0), 0))
    return Passage(erased_by=erased_by, anew=anew and by_person and erased_by != 0)


def claim_passage(
    store: Store,
    scope: Scope,
    *,
    quote: str,
    gist: str,
    beside: Iterable[str],
    spans: Iterable[SpanRef],
    key: str,
    by_person: bool,
    anew: bool,
) -> Passage:
    """Return whether a claim may come in: erased words only where their person has said them since.

    An agent's claim needs a message that its person let in anew; her own needs a newer message, or `anew`. What stands
    `beside` its words is asked about from three words on: a name or a number is said of many things.
    """
    spans, erased_by = tuple(spans), 0
    longer = (text for text in beside if len(text.split()) >= _TELLING)
    for text in (*claim_texts(quote, gist), *longer):
        found = _erasure(store, scope, _digest(store, TombstoneSort.CLAIM, scope.person, text))
        if found and not any(
            _said_since(store, scope, found, text, span, by_person) for span in spans
        ):
            erased_by = max(erased_by, found)
    erased_by = max(erased_by, store.state.erased.get(store.state.keys.get(key, 0), 0))
    return Passage(erased_by=erased_by, anew=anew and by_person and erased_by != 0)


def words_passage(
    store: Store, scope: Scope, lines: Iterable[str], *, by_person: bool, anew: bool
) -> Passage:
    """Return whether these words, each by itself, may come into what is a person's own."""
    digests = [
        _digest(store, sort, scope.person, line)
        for line in lines
        for sort in (TombstoneSort.CLAIM, TombstoneSort.TEXT)
    ]
    erased_by = max((_erasure(store, scope, digest) for digest in digests), default=0)
    return Passage(erased_by=erased_by, anew=anew and by_person and erased_by != 0)


def source_digests(
    store: Store, person: str, medium: Medium, origin: str, key: str, text: str
) -> list[tuple[TombstoneSort, str]]:
    """Return the digests by which a source is known again: its whole text, and what it is the original of.

    A tool's result and a message are originals by their key only: their tool and their speaker say many things.
    """
    found = [(TombstoneSort.TEXT, _digest(store, TombstoneSort.TEXT, person, text))]
    if key or medium is Medium.DOCUMENT:
        original = "|".join((medium.value, origin, key))
        digest = store.keys.fingerprint_of(f"{person}|{original}", b"tombstone original")
        found.append((TombstoneSort.ORIGINAL, digest))
    return found


def claim_digests(
    store: Store, person: str, quote: str, gist: str
) -> list[tuple[TombstoneSort, str]]:
    """Return the digests by which a claim's words are known again."""
    return [
        (TombstoneSort.CLAIM, _digest(store, TombstoneSort.CLAIM, person, text))
        for text in claim_texts(quote, gist)
    ]


def claim_texts(quote: str, gist: str) -> tuple[str, ...]:
    """Return the texts a claim consists of, each once: its quote, its gist, and the pieces of a joined gist."""
    texts = (quote, gist, *gist.split(" · "))
    return tuple(dict.fromkeys(text for text in texts if text))


def compared(text: str) -> str:
    """Return the form in which texts are compared with what was erased; of signs alone, the signs."""
    return canonical_text(text) or normalize("NFKC", text).strip()


def conversation_mark(store: Store, scope: Scope, conversation: str) -> Integrity:
    """Return the lowest integrity of anything that entered a named conversation; a forgotten name keeps it."""
    names, state = store.names, store.state
    here = names.key_of(scope)
    place = (state.scope_numbers.get(here, 0), names.find("session", conversation))
    mark = state.marks.get(place, Integrity.USER)
    for level in Integrity if conversation else ():
        if level < mark:
            digest = _mark_digest(store, level, scope.person, conversation)
            stones = (state.scopes[there] for _, there in state.tombstones.get(digest, ()))
            if any(_same_but_person(here, there) for there in stones):
                return level
    return mark


def mark_digests(store: Store, conversation: int) -> list[tuple[int, str]]:
    """Return (scope, digest) of the lowered marks by which a conversation, by number, is known again."""
    found: list[tuple[int, str]] = []
    for (scope, number), mark in store.state.marks.items():
        if number == conversation and mark < Integrity.USER:
            person, name = store.names.scope(scope).person, store.names.name(number)
            found.append((scope, _mark_digest(store, mark, person, name)))
    return found


def _mark_digest(store: Store, mark: Integrity, person: str, conversation: str) -> str:
    said = f"{mark.value}|{person}|{conversation}"
    return store.keys.fingerprint_of(said, b"tombstone mark")


def _digest(store: Store, sort: TombstoneSort, person: str, text: str) -> str:
    purpose = b"tombstone " + sort.value.encode("ascii")
    return store.keys.fingerprint_of(f"{person}|{compared(text)}", purpose)


def _erasure(store: Store, scope: Scope, digest: str) -> int:
    """Return the newest erasure with this digest whose scope meets this one, 0 for none."""
    stones = store.state.tombstones.get(digest, ())
    if not stones:
        return 0
    here = store.names.key_of(scope)
    return max((seq for seq, there in stones if _meet(here, store.state.scopes[there])), default=0)


def _meet(one: ScopeKey, other: ScopeKey) -> bool:
    """Return whether some session reads both scopes; the person is in the digest already."""
    return all(
        mine == theirs or 0 in (mine, theirs)
        for place, (mine, theirs) in enumerate(zip(one, other, strict=True))
        if place != _PERSON
    )


def _same_but_person(one: ScopeKey, other: ScopeKey) -> bool:
    """Return whether two scopes differ in the person's number at most; her name is in the digest."""
    return all(
        mine == theirs
        for place, (mine, theirs) in enumerate(zip(one, other, strict=True))
        if place != _PERSON
    )


def _said_since(
    store: Store, scope: Scope, erasure: int, text: str, span: SpanRef, by_person: bool
) -> bool:
    seq = store.state.ids[span.source]
    source, person = store.state.sources.get(seq), store.names.find("person", scope.person)
    if source is None or source.medium is not Medium.MESSAGE or not person == source.author != 0:
        return False
    header = store.header(seq)
    said = part_text(store, seq)[span.start : span.end]
    return (
        seq > erasure
        and isinstance(header, SourceRecord)
        and (by_person or header.anew)
        and quoted_integrity(store, seq, span.start, span.end) >= Integrity.USER
        and compared(said) == compared(text)
    )
