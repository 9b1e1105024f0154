"""Echoes: which words that come in say again what had been given out of the store.

Texts are compared by keyed fingerprints of their runs of five words; a shorter text is one run. Per scope there is one
map of what was given out there, made when it is first asked, kept in memory alone and grown as more is given out.
Nobody's words are held against what she may not read, so neither an answer nor the time it takes tells of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

import numpy as np

from muniment.claims import (
    UNREADABLE,
    EchoRef,
    EchoSort,
    PartLabel,
    SourceRecord,
    canonical_text,
    canonical_words,
)

from .prints import RUN, PrintMap, Prints, prints_of
from .state import State
from .store import Store

SAME, PERHAPS = 0.8, 0.3
"""The shares of the shorter text's runs from which it is an echo, and from which it may be one."""

MOST = 500
"""The most that one text is said to repeat; of more, that it repeats too much to tell."""

_SHORT = 3  # a text of fewer words is found only where it is all that is said
_STRETCHES = 8
_NEAR = 3
_Words = Sequence[tuple[str, int, int]]


class Match(NamedTuple):
    """A claim or source given out that some words repeat: its number, the share repeated, and where, in code points."""

    node: int
    share: float
    stretches: tuple[tuple[int, int], ...]

    @property
    def sort(self) -> EchoSort:
        """Whether it is an echo or may be one."""
        return EchoSort.ECHO if self.share >= SAME else EchoSort.POSSIBLE


def matches(store: Store, readable: frozenset[int], text: str, *, before: int = 0) -> list[Match]:
    """Return what was given out in these scopes, `before` a record, that a text repeats, oldest first."""
    scopes = [scope for scope in sorted(readable) if store.state.disclosed.get(scope)]
    if not scopes:
        return []
    words, given = canonical_words(text), [_given(store, scope) for scope in scopes]
    prints = _prints(store, words, set[int]().union(*(one.lengths for one in given)))
    best: dict[int, Match] = {}
    for scope, one in zip(scopes, given, strict=True):
        for match in _in_scope(one, words, prints):
            earlier = store.state.disclosed[scope].get(match.node, 0)
            known = best.get(match.node)
            if (not before or earlier < before) and (known is None or known.share < match.share):
                best[match.node] = match
    return _unexplained(store, [best[node] for node in sorted(best)])


def _unexplained(store: Store, found: Sequence[Match]) -> list[Match]:
    """Return the matches without those whose words others explain wholly.

    What is an echo of one thing is no possible echo of another; and what repeats a source in nothing but its echo of
    something repeats that.
    """
    echoes = [match for match in found if match.sort is EchoSort.ECHO]
    kept: list[Match] = []
    for match in found:
        header = store.header(match.node) if echoes else None
        said = header.echo_of if isinstance(header, SourceRecord) else ()
        targets = {store.state.ids[one.of] for one in said}
        others = [
            stretch
            for echo in echoes
            if echo.node != match.node and (match.share < SAME or echo.node in targets)
            for stretch in echo.stretches
        ]
        if not all(_within(stretch, others) for stretch in match.stretches):
            kept.append(match)
    return kept


def _within(stretch: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    """Return whether a stretch lies within others together."""
    place, end = stretch
    for first, past in sorted(others):
        if first <= place + 1:
            place = max(place, past)
    return place >= end


def echo_refs(store: Store, found: Iterable[Match], offset: int = 0) -> Iterator[EchoRef]:
    """Yield matches as a header keeps them, their stretches moved by where the text begins."""
    for match in found:
        for start, end in match.stretches:
            yield EchoRef(
                of=store.state.names[match.node],
                sort=match.sort,
                start=start + offset,
                end=end + offset,
            )


def ancestors(state: State, nodes: Iterable[int]) -> frozenset[int]:
    """Return these claims and sources with everything they rest on."""
    found: set[int] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            claim = state.claims.get(node)
            waiting += [
                ground for used in (claim.justifications if claim else ()) for ground in used
            ]
    return frozenset(found)


def _given(store: Store, scope: int) -> PrintMap:
    """Return the map of a scope with everything in it that was given out there up to now."""
    given = store.given.setdefault(scope, PrintMap())
    disclosed = store.state.disclosed.get(scope, {})
    for node in islice(disclosed, given.taken, None):
        for text in _texts(store, node):
            words = [word for word, _, _ in canonical_words(text)]
            given.enter(node, store.keys.fingerprint, words)
    given.taken = len(disclosed)
    given.settle()
    return given


def _texts(store: Store, node: int) -> Iterator[str]:
    """Yield the texts that a claim or a source may be known again by; of what was erased none is left."""
    state = store.state
    if node in state.claims:
        seen: dict[str, None] = {}
        for assertion in state.claims[node].assertions:
            try:
                words = store.words(assertion)
            except UNREADABLE:
                continue
            for text in (str(words["quote"]), str(words["gist"])):
                canonical = canonical_text(text)
                if canonical and canonical not in seen:
                    seen[canonical] = None
                    yield text
        return
    header = store.header(node)
    if node in state.sources and isinstance(header, SourceRecord):
        for part in header.parts:
            if part.label not in (PartLabel.FIELD, PartLabel.RECALLED):
                with suppress(*UNREADABLE):
                    yield str(store.words(node, part.seal)["text"])


def _prints(store: Store, words: _Words, lengths: set[int]) -> Mapping[int, Prints]:
    """Return a text's prints by length of run: those lengths that were given out, very short ones only of the whole."""
    only, whole = [word for word, _, _ in words], min(RUN, len(words))
    wanted = {
        length
        for length in {*lengths, whole}
        if 0 < length <= len(only) and (length >= _SHORT or length == len(only))
    }
    return {
        length: np.frombuffer(prints_of(store.keys.fingerprint, only, length), dtype=np.uint64)
        for length in sorted(wanted)
    }


def _in_scope(given: PrintMap, words: _Words, prints: Mapping[int, Prints]) -> Iterator[Match]:
    longest = prints.get(min(RUN, len(words)))
    said = 0 if longest is None else len(np.unique(longest))
    best: dict[int, Match] = {}
    for length, run in prints.items():
        for node, share, places in given.find(run, said, PERHAPS, MOST + 1):
            if node not in best or best[node].share < share:
                best[node] = Match(node, share, _stretches(words, places, length))
    yield from best.values()


def _stretches(words: _Words, places: Iterable[int], length: int) -> tuple[tuple[int, int], ...]:
    """Return where runs stand, those close to each other made one; of too many, the whole from first to last."""
    merged: list[tuple[int, int]] = []
    for place in places:
        if merged and place <= merged[-1][1] + _NEAR:
            merged[-1] = (merged[-1][0], max(merged[-1][1], place + length))
        else:
            merged.append((place, place + length))
    if len(merged) > _STRETCHES:
        merged = [(merged[0][0], merged[-1][1])]
    return tuple((words[first][1], words[past - 1][2]) for first, past in merged)
