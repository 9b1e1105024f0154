"""Conversation search: turns come back only here, never in a recall or a prompt."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

from muniment.claims import UNREADABLE, Integrity, Medium, Value, from_micros
from muniment.lineage import SourceState, Store, hush_of, own_words, spoken_text
from muniment.policy import Hint, decide
from muniment.retrieval import (
    MOST_READ,
    Candidate,
    Found,
    Index,
    Reason,
    Spoken,
    Way,
    asks_for_a_value,
    beside,
    cause,
    newer_values,
    newest_first,
    read_one_by_one,
    shown_score,
    slot_reasons,
    unindexed,
)

from .chunks import chunks_of

# How a person names herself in a question; names the asker's own turns. "저" alone is as often "that".
_MYSELF = (
    *("I", "me", "my", "mine", "myself", "I'm", "I've", "I'd"),
    *("나", "내", "내가", "제", "제가", "저는", "저를", "저도", "저의", "저한테", "저에게", "저랑"),
)
# From here on the search says in words that the match lies with somebody else: on the dev half of LoCoMo this is
# said of 53 % of the questions that name the wrong speaker and of 8 % of the others.
DOUBTFUL = 0.55
SOMEBODY_ELSE = "what matches best was said by somebody else than the one asked about"
# Among the best so many a newer value is looked for: what stands in the first ten stays in the first ten.
_COMPARED = 10


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

    `doubt` is 0 to 1 where the question names one speaker, the asker as "I" among them: what share of the match lies
    with the other who used most of the question's words, .5 being as much as with the one asked about. It is a reason
    to answer nothing, or to ask back; past .55 a note says so. It counts words and no more: it is no chance of
    being wrong, knows neither meaning nor another language, and says nothing of whether a statement is true. None
    where nobody or more than one is named, or nobody who may be read used any of the words.
    """

    query: str
    hits: tuple[Turn, ...] = ()
    conversations: tuple[ConversationHit, ...] = ()
    looked: bool = True
    ways: tuple[Way, ...] = ()
    searched: int = 0
    notes: tuple[str, ...] = ()
    doubt: float | None = None

    @property
    def doubtful(self) -> bool:
        """Whether so much of the match lies with somebody else that a host should not answer from it unasked."""
        return self.doubt is not None and self.doubt >= DOUBTFUL


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
    hush, hushed = hush_of(store, readable, sensitive=agent), Counter[str]()

    def usable(node: int, chunk: int) -> bool:
        """Return whether a stretch may be given out at all: doubt rests on no other."""
        source = _found_source(store, node, readable)
        return source is not None and not (
            any(hush) and hush.covers(_stretch(store, source, chunk))
        )

    found, threads = _proposed(store, index, query, readable, limit, speakers, usable, trouble)
    hits: list[Turn] = []
    for candidate in found.candidates:
        if len(hits) == limit:
            break
        source = _found_source(store, candidate.node, readable)
        excerpt = "" if source is None else _stretch(store, source, candidate.chunk)
        if source is None or not excerpt:  # no such stretch, whatever the index says
            continue
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
    hits = _newest_first(store, query, hits)
    answer = Turns(
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
        notes=(
            *found.notes,
            *(_told(rule, count) for rule, count in sorted(hushed.items())),
        ),
        doubt=None if found.doubt is None else shown_score(found.doubt),
    )
    told = (*answer.notes, SOMEBODY_ELSE) if answer.doubtful else answer.notes
    return answer.model_copy(update={"notes": told})


def _found_source(store: Store, node: int, readable: frozenset[int]) -> SourceState | None:
    """Return the message behind a node of the index, None unless it may be read and still stands."""
    source = store.state.sources.get(node)
    if source is None or source.medium is not Medium.MESSAGE or source.scope not in readable:
        return None
    if source.seq in store.state.revoked or source.seq in store.state.replaced:
        return None
    return source


def _stretch(store: Store, source: SourceState, chunk: int) -> str:
    """Return one stretch of what was said, empty where there is no such stretch any more."""
    try:
        pieces = chunks_of(spoken_text(store, source.seq))
    except UNREADABLE:
        return ""
    return pieces[chunk] if chunk < len(pieces) else ""


def _proposed(
    store: Store,
    index: Index | None,
    query: str,
    readable: frozenset[int],
    limit: int,
    speakers: Mapping[str, int],
    usable: Callable[[int, int], bool],
    trouble: str,
) -> tuple[Found, Sequence[Candidate]]:
    """Return the turns and the threads that the index proposes, or what reading the newest turns in scope finds."""
    if index is not None:
        try:
            # More than are wanted: what the graph does not confirm must not take the place of what it does.
            asked = max(50, limit * 4)
            found = index.turns(
                query, scopes=readable, limit=asked, speakers=speakers, usable=usable
            )
            spoken = _spoken(store, readable, unindexed(store, index))
            newer = tuple(islice(spoken, MOST_READ))
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
        if _found_source(store, seq, readable) is None:
            continue
        try:
            pieces = chunks_of(spoken_text(store, seq))
        except UNREADABLE:
            continue
        for chunk, piece in enumerate(pieces):
            yield seq, chunk, piece


def _newest_first(store: Store, query: str, hits: Sequence[Turn]) -> list[Turn]:
    """Return the turns in their order, of one speaker's own words a newer value of what is asked first."""
    by_seq = {store.state.ids[hit.source]: hit for hit in hits}
    try:
        first = dict(islice(by_seq.items(), _COMPARED)) if asks_for_a_value(query) else {}
        own = {seq: own_words(store, seq) for seq in first}
        spoken = [_as_spoken(store, seq, hit, *own[seq]) for seq, hit in first.items()]
        newer = newer_values(query, spoken)
    except Exception:
        # where words cannot be taken apart, which the notes tell, no newer value is seen
        return list(hits)
    reasons = slot_reasons(newer, {seq: hit.source for seq, hit in by_seq.items()})
    levels = {seq: level for seq, (_, level) in own.items()}
    return [
        by_seq[seq].model_copy(update={"reasons": (*by_seq[seq].reasons, *reasons.get(seq, ()))})
        for seq in newest_first(list(by_seq), newer, levels.get)
    ]


def _as_spoken(store: Store, seq: int, hit: Turn, text: str, level: Integrity) -> Spoken:
    source = store.state.sources[seq]
    said = source.recorded if source.said is None else source.said
    return Spoken(seq, text, (said, seq), (source.author, source.scope, level), hit.score)


def _told(rule: str, count: int) -> str:
    held = decide(rule)
    return f"{count} kept back, {held.rule}: {held.reason}"
