"""Rank rows for a query: BM25 and vector similarity, standardised within the rows the asker may read.

Pure functions over arrays. Nothing here knows a row outside the parts it is given, so word weights, lengths and
standard scores are in-scope by construction.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from .columns import (
    FULL_SHARE_LENGTH,
    Digests,
    Ints,
    Part,
    Postings,
    Scores,
    Vectors,
    across,
    dots,
    spread,
)

Reason = Literal["keyword", "semantic"]
Way = Literal["keyword", "semantic", "one by one"]

# BM25 as usual; measured on dev halves, the plateau is wide.
SATURATION = 1.2
LENGTH_WEIGHT = 0.75
# Standard scores are added with these weights; keyword counts 1. All lie on plateaus: docs/decisions/0030.
SEMANTIC_WEIGHT = 1.0
THREAD_WEIGHT = 0.5
SPEAKER_BONUS = 2.0
# A turn loses this for each factor of e between its length and that of a full statement: "Thanks!" proves
# nothing, and a page of advice holds every word. The measure is a fixed one, since a chat of long and short turns has
# a spread of lengths that says nothing about either.
LENGTH_PENALTY = 0.5
# A claim stands alone, so meaning counts for more, and so does holding each of the words asked for once.
CLAIM_SEMANTIC_WEIGHT = 1.5
COVERAGE_WEIGHT = 0.5
# A keyword hit carries at least this share of the weight of the query's words: one stray pair of characters is no hit.
# Measured: no loss up to .08 (LoCoMo claims R@10 .621), .003 lost at .12.
KEYWORD_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row proposed for a query: `score` orders within this answer only, `parts` are in-scope standard scores.

    `words` is the share of the weight of the query's words it carries, `meaning` its similarity, 0 without a vector:
    how firmly it is tied to the query, whatever else there is.
    """

    node: int
    chunk: int
    score: float
    parts: Mapping[str, float]
    reasons: tuple[Reason, ...]
    words: float = 0.0
    meaning: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates, best first; how many rows in scope were searched, in which ways; and what could not be looked at.

    Where nothing was there to be searched there is no way either; `looked` is false where no search could be made.
    `doubt` is that of `retrieval.doubt`, of turns only.
    """

    candidates: tuple[Candidate, ...] = ()
    searched: int = 0
    notes: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    looked: bool = True
    doubt: float | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A query as the index compares it: keyed digests of its tokens and its vector; either may be empty.

    `speaker` is the one it names, 0 for none or several; `asked` holds its tokens without the names, if it names one.
    """

    digests: Digests
    vector: Vectors
    floor: float = 0.0
    speaker: int = 0
    asked: Digests = field(default_factory=lambda: np.zeros(0, np.uint64))

    @property
    def has_vector(self) -> bool:
        """Whether similarity can be compared at all."""
        return len(self.vector) > 0


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of every row in scope, in the order of the parts; `signals` are already standardised.

    `words` is the share of the weight of the query's words a row carries, `meaning` its similarity, empty without one.
    """

    total: Scores
    keyword_hit: npt.NDArray[np.bool_]
    semantic_hit: npt.NDArray[np.bool_]
    signals: Mapping[str, Scores] = field(default_factory=lambda: MappingProxyType({}))
    words: Scores = field(default_factory=lambda: np.zeros(0))
    meaning: Scores = field(default_factory=lambda: np.zeros(0))


def standard(scores: Scores) -> Scores:
    """Return the scores with mean 0 and standard deviation 1; zeros when they are all equal."""
    deviation = float(scores.std()) if len(scores) else 0.0
    if deviation < 1e-12:
        return np.zeros(len(scores))
    centred: Scores = scores - scores.mean()
    return centred / deviation


def weight(rows: int, holding: int) -> float:
    """Return the BM25 weight of a word that `holding` of `rows` rows hold."""
    return float(np.log1p((rows - holding + 0.5) / (holding + 0.5)))


def bm25(terms: Iterable[Postings], length: Scores) -> tuple[Scores, float]:
    """Return the BM25 score of each row, shape (rows,), and the summed weight of the query's words."""
    rows = len(length)
    scores = np.zeros(rows)
    mean = max(float(length.mean()), 1e-12)
    total = 0.0
    for holders, counts in terms:
        w = weight(rows, len(holders))
        total += w
        if len(holders):
            norm = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length[holders] / mean)
            scores[holders] += counts * (w * (SATURATION + 1.0)) / (counts + norm)
    return scores, total


def coverage(terms: Iterable[Postings], rows: int) -> Scores:
    """Return what share of the query's words each row holds, by their weight, shape (rows,), 0 to 1."""
    held, total = np.zeros(rows), 0.0
    for holders, _ in terms:
        w = weight(rows, len(holders))
        total += w
        held[holders] += w
    return held / total if total > 0.0 else held


def similarity(parts: Sequence[Part], vector: Vectors) -> Scores:
    """Return the dot product of `vector` with each row, shape (rows,)."""
    return across([dots(part.rows.vectors, vector) for part in parts])


def word_scores(parts: Sequence[Part], query: Query) -> tuple[Scores, Scores, float]:
    """Return the BM25 score of each claim, the share of the query's words it holds, and the summed weight of those.

    Both have the shape (rows,).
    """
    terms = [
        postings_across(parts, [part.postings(digest) for part in parts])
        for digest in query.digests
    ]
    keyword, word_weight = bm25(terms, across([part.length for part in parts]))
    return keyword, coverage(terms, len(keyword)), word_weight


def score_claims(parts: Sequence[Part], query: Query) -> Scored:
    """Return the scores of claims: keyword, coverage and similarity, each standardised in scope."""
    keyword, covered, word_weight = word_scores(parts, query)
    signals = {"keyword": standard(keyword), "coverage": standard(covered)}
    total = signals["keyword"] + COVERAGE_WEIGHT * signals["coverage"]
    alike = np.zeros(0)
    if query.has_vector:
        alike = similarity(parts, query.vector)
        signals["semantic"] = standard(alike)
        total += CLAIM_SEMANTIC_WEIGHT * signals["semantic"]
    return _scored(total, keyword, word_weight, alike, query, signals)


def score_turns(parts: Sequence[Part], query: Query) -> Scored:
    """Return the scores of turns: words and similarity in context, the thread and a fitting length as priors.

    The turns of the one speaker a query names are raised above what the words alone would give them.
    """
    length = np.concatenate([part.talk.length for part in parts])
    held = [[part.postings(digest) for part in parts] for digest in query.digests]
    near = [
        postings_across(
            parts, [_in_context(part, found) for part, found in zip(parts, term, strict=True)]
        )
        for term in held
    ]
    keyword, word_weight = bm25(near, length)
    signals = {"keyword": standard(keyword)}
    total = signals["keyword"].copy()
    alike = np.zeros(0)
    if query.has_vector:
        alike = similarity(parts, query.vector)
        signals["semantic"] = standard(_similar_in_context(parts, alike))
        total += SEMANTIC_WEIGHT * signals["semantic"]
    by_thread, _ = bm25_threads(parts, held)
    signals["session"] = standard(by_thread[thread_of(parts)])
    total += THREAD_WEIGHT * signals["session"]
    signals["length"] = -LENGTH_PENALTY * _unlike_a_statement(parts)
    total += signals["length"]
    if query.speaker:
        asked = np.concatenate([part.rows.speaker for part in parts]) == query.speaker
        signals["speaker"] = SPEAKER_BONUS * asked
        total += signals["speaker"]
    return _scored(total, keyword, word_weight, alike, query, signals)


def _unlike_a_statement(parts: Sequence[Part]) -> Scores:
    """Return by how many factors of e each row is longer or shorter than a full statement, shape (rows,)."""
    length = np.concatenate([part.length for part in parts])
    away: Scores = np.abs(np.log(np.maximum(length, 1.0) / FULL_SHARE_LENGTH))
    return away


def bm25_threads(parts: Sequence[Part], held: Sequence[Sequence[Postings]]) -> tuple[Scores, float]:
    """Return the BM25 score of each thread as one text, shape (threads,), and the summed weight of the words."""
    length = np.concatenate(
        [np.add.reduceat(part.length, part.talk.thread_starts[:-1]) for part in parts]
    )
    sizes = [len(part.talk.thread_starts) - 1 for part in parts]
    terms = [
        _shifted(
            sizes,
            [_grouped(part.talk.thread, found) for part, found in zip(parts, term, strict=True)],
        )
        for term in held
    ]
    return bm25(terms, length)


def score_threads(parts: Sequence[Part], query: Query) -> Scored:
    """Return the scores of threads: the words of the whole thread plus its best turn."""
    held = [[part.postings(digest) for part in parts] for digest in query.digests]
    keyword, word_weight = bm25_threads(parts, held)
    turns = score_turns(parts, query)
    without_prior = turns.total - THREAD_WEIGHT * turns.signals["session"]
    starts = _thread_starts(parts)
    best = np.maximum.reduceat(without_prior, starts)
    signals = {"session": standard(keyword), "turn": standard(best)}
    return Scored(
        total=signals["session"] + signals["turn"],
        keyword_hit=np.logical_or.reduceat(turns.keyword_hit, starts)
        | (keyword >= KEYWORD_SHARE * max(word_weight, 1e-12)),
        semantic_hit=np.logical_or.reduceat(turns.semantic_hit, starts),
        signals=MappingProxyType(signals),
    )


def thread_of(parts: Sequence[Part]) -> Ints:
    """Return the ordinal of each row's thread over all parts, shape (rows,)."""
    sizes = np.cumsum([0, *(len(part.talk.thread_starts) - 1 for part in parts)])
    return np.concatenate(
        [part.talk.thread + size for part, size in zip(parts, sizes, strict=False)]
    )


def best(
    scored: Scored, node: Ints, chunk: Ints, *, limit: int, require: frozenset[int] | None
) -> list[Candidate]:
    """Return at most `limit` candidates, best first, one chunk a node; equal scores go to the lower node."""
    hit = (scored.keyword_hit | scored.semantic_hit) & (node > 0)
    if require is not None:
        hit &= np.isin(node, np.fromiter(require, np.int64, len(require)))
    rows = np.flatnonzero(hit)
    found: list[Candidate] = []
    if limit < 1 or not len(rows):
        return found
    seen: set[int] = set()
    for row in descending(rows, scored.total[rows], node, chunk, limit):
        if int(node[row]) in seen:
            continue
        seen.add(int(node[row]))
        found.append(_candidate(scored, int(row), int(node[row]), int(chunk[row])))
        if len(found) == limit:
            break
    return found


def descending(
    rows: Ints, scores: Scores, node: Ints, chunk: Ints, limit: int
) -> Iterable[np.int64]:
    """Yield rows by falling score, then rising node and chunk; sorts only as many as are asked for."""
    done, wanted = 0, 4 * limit
    while done < len(rows):
        take = rows
        if wanted < len(rows):
            # Ties at the edge are kept whole, so that the cut never depends on the order of rows.
            edge = np.partition(scores, len(rows) - wanted)[len(rows) - wanted]
            take = rows[scores >= edge]
            kept = scores[scores >= edge]
        else:
            kept = scores
        order = np.lexsort((chunk[take], node[take], -kept))
        yield from take[order[done:]]
        done, wanted = len(take), 8 * wanted


def _candidate(scored: Scored, row: int, node: int, chunk: int) -> Candidate:
    """Return the candidate at `row` with its signals and reasons."""
    reasons: list[Reason] = []
    if scored.keyword_hit[row]:
        reasons.append("keyword")
    if scored.semantic_hit[row]:
        reasons.append("semantic")
    return Candidate(
        node=node,
        chunk=chunk,
        score=float(scored.total[row]),
        parts=MappingProxyType(
            {name: float(signal[row]) for name, signal in scored.signals.items()}
        ),
        reasons=tuple(reasons),
        words=float(scored.words[row]) if len(scored.words) else 0.0,
        meaning=float(scored.meaning[row]) if len(scored.meaning) else 0.0,
    )


def _scored(
    total: Scores,
    keyword: Scores,
    word_weight: float,
    alike: Scores,
    query: Query,
    signals: Mapping[str, Scores],
) -> Scored:
    """Return the scores with which rows count as hits at all."""
    enough = max(KEYWORD_SHARE * word_weight, 1e-12)
    return Scored(
        total=total,
        keyword_hit=keyword >= enough,
        semantic_hit=alike >= query.floor if len(alike) else np.zeros(len(total), np.bool_),
        signals=MappingProxyType(dict(signals)),
        words=keyword / max(word_weight, 1e-12),
        meaning=alike,
    )


def postings_across(parts: Sequence[Part], found: Sequence[Postings]) -> Postings:
    """Return the postings of all parts as those of one long part."""
    return _shifted([len(part) for part in parts], found)


def _shifted(sizes: Sequence[int], found: Sequence[Postings]) -> Postings:
    """Return postings with each part's rows moved behind those of the parts before it."""
    if len(found) == 1:
        return found[0]
    offsets = np.cumsum([0, *sizes])
    return (
        np.concatenate([rows + offset for (rows, _), offset in zip(found, offsets, strict=False)]),
        np.concatenate([counts for _, counts in found]),
    )


def _grouped(group: Ints, found: Postings) -> Postings:
    """Return postings summed by the group of each row; `group` rises with the row."""
    rows, counts = found
    if not len(rows):
        return found
    owner = group[rows]
    first = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    return owner[first], np.add.reduceat(counts, first)


def _in_context(part: Part, found: Postings) -> Postings:
    """Return the postings of a word where each row also holds its share of the neighbouring turns' words."""
    if not len(found[0]):
        return found
    talk = part.talk
    turns, held = _grouped(talk.turn, found)
    rows, counts = [found[0]], [found[1]]
    for neighbour, share in ((talk.after, talk.share_before), (talk.before, talk.share_after)):
        known = neighbour[turns] >= 0
        near, starts = spread(neighbour[turns[known]], talk.turn_starts)
        rows.append(near)
        counts.append(share[near] * np.repeat(held[known], np.diff(starts)))
    return _summed(np.concatenate(rows), np.concatenate(counts), len(part))


def _summed(rows: Ints, counts: Scores, size: int) -> Postings:
    """Return the postings with the counts of equal rows summed; both ways add in the same order."""
    if len(rows) * 16 < size:
        touched, which = np.unique(rows, return_inverse=True)
        return touched, np.bincount(which, weights=counts).astype(np.float64)
    held = np.bincount(rows, weights=counts, minlength=size).astype(np.float64)
    touched = np.flatnonzero(held > 0.0)
    return touched, held[touched]


def _similar_in_context(parts: Sequence[Part], alike: Scores) -> Scores:
    """Return the similarity of each row taken together with its share of the turn before."""
    near = np.empty(len(alike))
    at = 0
    for part in parts:
        talk, own = part.talk, alike[at : at + len(part)]
        before = talk.turn_starts[talk.before[talk.turn]]
        near[at : at + len(part)] = (
            own + talk.share_before * own[np.minimum(before, len(part) - 1)]
        ) / talk.spread
        at += len(part)
    return near


def _thread_starts(parts: Sequence[Part]) -> Ints:
    """Return the first row of each thread over all parts."""
    sizes = np.cumsum([0, *(len(part) for part in parts)])
    return np.concatenate(
        [part.talk.thread_starts[:-1] + size for part, size in zip(parts, sizes, strict=False)]
    )
