"""Conversation search: turns come back only here, never in a recall or a prompt."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import islice

from muniment.claims import Integrity, Medium, Value, from_micros
from muniment.lineage import Store, hush_of, own_words, spoken_text
from muniment.policy import Hint, decide
from muniment.retrieval import (
    Index,
    Reason,
    Spoken,
    asks_for_a_value,
    could_look,
    newer_values,
    newest_first,
    shown_score,
    slot_reasons,
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

    `looked` is false when no search could be made.
    """

    query: str
    hits: tuple[Turn, ...] = ()
    conversations: tuple[ConversationHit, ...] = ()
    looked: bool = True
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
) -> Turns:
    """Return the turns in scope that match a query, the best stretch of each.

    `asker` is the number of the person who asks, 0 for nobody; what she calls "I" and "my" is hers. An `agent` is not
    given what sensitive claims say.
    """
    if not readable or not query.strip():
        return Turns(query=query)
    if index is None:
        return Turns(
            query=query, looked=False, notes=("could not look: the index cannot be opened",)
        )
    authors = {author for scope in readable for author in store.state.authors.get(scope, ())}
    speakers = {store.names.name(author): author for author in authors}
    if asker:
        speakers |= dict.fromkeys(_MYSELF, asker)
    found = index.turns(query, scopes=readable, limit=limit, speakers=speakers)
    hits: list[Turn] = []
    hush, hushed = hush_of(store, readable, sensitive=agent), Counter[str]()
    for candidate in found.candidates:
        source = store.state.sources.get(candidate.node)
        if source is None or source.medium is not Medium.MESSAGE or source.scope not in readable:
            continue
        if source.seq in store.state.revoked or source.seq in store.state.replaced:
            continue
        pieces = chunks_of(spoken_text(store, source.seq))
        excerpt = pieces[candidate.chunk] if candidate.chunk < len(pieces) else ""
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
    threads = index.threads(query, scopes=readable, limit=limit, speakers=speakers)
    return Turns(
        query=query,
        hits=tuple(hits),
        conversations=tuple(
            ConversationHit(
                conversation=store.names.name(thread.node), score=shown_score(thread.score)
            )
            for thread in threads.candidates
            if thread.node
        ),
        looked=could_look(found.notes),
        searched=found.searched,
        notes=(*found.notes, *(_told(rule, count) for rule, count in sorted(hushed.items()))),
    )


def _newest_first(store: Store, query: str, hits: Sequence[Turn]) -> list[Turn]:
    """Return the turns in their order, of one speaker's own words a newer value of what is asked first."""
    by_seq = {store.state.ids[hit.source]: hit for hit in hits}
    first = dict(islice(by_seq.items(), _COMPARED)) if asks_for_a_value(query) else {}
    newer = newer_values(query, [_spoken(store, seq, hit) for seq, hit in first.items()])
    reasons = slot_reasons(newer, {seq: hit.source for seq, hit in by_seq.items()})
    return [
        by_seq[seq].model_copy(update={"reasons": (*by_seq[seq].reasons, *reasons.get(seq, ()))})
        for seq in newest_first(list(by_seq), newer)
    ]


def _spoken(store: Store, seq: int, hit: Turn) -> Spoken:
    text, level = own_words(store, seq)
    source = store.state.sources[seq]
    said = source.recorded if source.said is None else source.said
    return Spoken(seq, text, (said, seq), (source.author, source.scope, level), hit.score)


def _told(rule: str, count: int) -> str:
    held = decide(rule)
    return f"{count} kept back, {held.rule}: {held.reason}"
