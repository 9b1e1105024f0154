"""Conversation search: turns come back only here, never in a recall or a prompt."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

from muniment.claims import UNREADABLE, Integrity, Medium, Value, from_micros
from muniment.lineage import Store, hush_of, spoken_text
from muniment.policy import Hint, decide
from muniment.retrieval import (
    MOST_READ,
    Candidate,
    Found,
    Index,
    Reason,
    Way,
    beside,
    cause,
    read_one_by_one,
    shown_score,
    unindexed,
)

from .chunks import chunks_of

# How a person names herself in a question; names the asker's own turns.
_MYSELF = (
    "I",
    "me",
    "my",
    "mine",
    "myself",
    "I'm",
    "I've",
    "I'd",
    "내",
    "나",
    "제",
    "저",
    "내가",
    "제가",
)


class Turn(Value):
    """One turn that matched: who said it where and when, and its best stretch as a quotation."""

    source: str
    author: str
    conversation: str
    said_at: datetime
    integrity: Integrity
    excerpt: str
    score: float
    reasons: tuple[Reason, ...]
    hints: tuple[str, ...] = ()


class ConversationHit(Value):
    """One conversation that matched as a whole."""

    conversation: str
    score: float


class Turns(Value):
    """The turns of one conversation search, and the conversations that match as a whole, both best first.

    `looked` is false when no search could be made; `ways` are those in which it was looked, as in an answer.
    """

    query: str
    hits: tuple[Turn, ...] = ()
    conversations: tuple[ConversationHit, ...] = ()
    looked: bool = True
    ways: tuple[Way, ...] = ()
    searched: int = 0
    notes: tuple[str, ...] = ()


def search_turns(
    store: Store,
    index: Index | None,
    query: str,
    *,
    readable: frozenset[int],
    asker: int,
    limit: int,
    hints: Sequence[Hint],
    agent: bool = False,
    trouble: str = "the index cannot be opened",
) -> Turns:
    """Return the turns in scope that match a query, the best stretch of each.

    `asker` is the number of the person who asks, 0 for nobody; what she calls "I" and "my" is hers. An `agent` is not
    given what sensitive claims say. Where there is no index, `trouble` says why.
    """
    if not readable or not query.strip():
        return Turns(query=query)
    authors = {author for scope in readable for author in store.state.authors.get(scope, ())}
    speakers = {store.names.name(author): author for author in authors}
    if asker:
        speakers |= dict.fromkeys(_MYSELF, asker)
    found, threads = _proposed(store, index, query, readable, limit, speakers, trouble)
    hits: list[Turn] = []
    hush, hushed = hush_of(store, readable, sensitive=agent), Counter[str]()
    for candidate in found.candidates:
        if len(hits) == limit:
            break
        source = store.state.sources.get(candidate.node)
        if source is None or source.medium is not Medium.MESSAGE or source.scope not in readable:
            continue
        if source.seq in store.state.revoked or source.seq in store.state.replaced:
            continue
        try:
            pieces = chunks_of(spoken_text(store, source.seq))
        except UNREADABLE:
            continue
        if candidate.chunk >= len(pieces):  # no such stretch, whatever the index says
            continue
        excerpt = pieces[candidate.chunk]
        if rule := hush.rule_for(excerpt):
            hushed[rule] += 1
            continue
        hits.append(
            Turn(
                source=source.id,
                author=store.names.name(source.author),
                conversation=store.names.name(source.conversation),
                said_at=from_micros(source.said if source.said is not None else source.recorded),
                integrity=source.integrity,
                excerpt=excerpt,
                score=shown_score(candidate.score),
                reasons=tuple(
                    Reason(code=code, score=shown_score(candidate.parts.get(code, 0.0)))
                    for code in candidate.reasons
                ),
                hints=tuple(hint for detect in hints for hint in detect(excerpt)),
            )
        )
    return Turns(
        query=query,
        hits=tuple(hits),
        conversations=tuple(
            ConversationHit(
                conversation=store.names.name(thread.node), score=shown_score(thread.score)
            )
            for thread in threads
            if thread.node
        ),
        looked=found.looked,
        ways=found.ways,
        searched=found.searched,
        notes=(*found.notes, *(_told(rule, count) for rule, count in sorted(hushed.items()))),
    )


def _proposed(
    store: Store,
    index: Index | None,
    query: str,
    readable: frozenset[int],
    limit: int,
    speakers: Mapping[str, int],
    trouble: str,
) -> tuple[Found, Sequence[Candidate]]:
    """Return the turns and the threads that the index proposes, or what reading the newest turns in scope finds."""
    if index is not None:
        try:
            # More than are wanted: what the graph does not confirm must not take the place of what it does.
            asked = max(50, limit * 4)
            found = index.turns(query, scopes=readable, limit=asked, speakers=speakers)
            newer = tuple(_spoken(store, readable, unindexed(store, index)))
            threads = index.threads(query, scopes=readable, limit=limit, speakers=speakers)
        except Exception as error:  # whatever breaks in the index, the journal still has the words
            trouble = f"the index failed ({type(error).__name__})"
        else:
            if found.looked:
                return beside(found, query, newer), threads.candidates
            trouble = cause(found.notes)
    spoken = _spoken(store, readable, reversed(store.state.sources))
    found = read_one_by_one(query, islice(spoken, MOST_READ), trouble)
    threads_of = {
        source.conversation: Candidate(source.conversation, 0, one.score, one.parts, one.reasons)
        for one in reversed(found.candidates)
        if (source := store.state.sources[one.node]).conversation
    }
    return found, sorted(threads_of.values(), key=lambda one: (-one.score, one.node))[:limit]


def _spoken(
    store: Store, readable: frozenset[int], records: Iterable[int]
) -> Iterator[tuple[int, int, str]]:
    """Yield the stretches of the turns in scope among some records."""
    for seq in records:
        source = store.state.sources.get(seq)
        if source is None or source.medium is not Medium.MESSAGE or source.scope not in readable:
            continue
        if seq in store.state.revoked or seq in store.state.replaced:
            continue
        try:
            pieces = chunks_of(spoken_text(store, seq))
        except UNREADABLE:
            continue
        for chunk, piece in enumerate(pieces):
            yield seq, chunk, piece


def _told(rule: str, count: int) -> str:
    held = decide(rule)
    return f"{count} kept back, {held.rule}: {held.reason}"
