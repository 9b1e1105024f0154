"""Find the rows of a large scope that can be among the best, and score only those: as exact as scoring them all.

What a row can reach at most is known before its vector is read. Rows are scored from the highest such bound down, until
what is left cannot reach the last place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from .columns import Ints, Part, Scores, across, dots
from .ranking import (
    CLAIM_SEMANTIC_WEIGHT,
    COVERAGE_WEIGHT,
    KEYWORD_SHARE,
    Candidate,
    Query,
    Scored,
    best,
    score_claims,
    word_scores,
)

# A limit that is so large a share of the rows leaves nothing to save.
_ROWS_EACH = 16
_ROWS_AT_ONCE = 8_192
_GROUP = 64
_BLOCK = 32_768
# Similarities that differ less are told apart by their rounding too, and that is in no sum over the rows.
_FLAT = 5e-3
_MOST_ALIKE = 1e4  # of the words' scores: their mean in deviations
_ROUNDING = 1e-9
_LEAST = float(np.finfo(np.float64).min)

Ranked = tuple[Scored, Ints, Ints]
"""Scores of rows, with the node and the chunk of each."""


def best_claims(
    parts: Sequence[Part], query: Query, *, limit: int, require: frozenset[int] | None = None
) -> list[Candidate]:
    """Return at most `limit` claims, best first: those of `best_claims_each_scored`, most rows unread where many."""
    if limit > 0 and query.has_vector and any(part.sketch is not None for part in parts):
        field = _Field.of(parts, query)
        if field.is_told_apart and limit * _ROWS_EACH <= len(field.keyword):
            return best(*field.best(limit, require), limit=limit, require=require)
    return best_claims_each_scored(parts, query, limit=limit, require=require)


def best_claims_each_scored(
    parts: Sequence[Part], query: Query, *, limit: int, require: frozenset[int] | None = None
) -> list[Candidate]:
    """Return at most `limit` claims, best first, having scored every row."""
    node = across([part.rows.node for part in parts])
    chunk = across([part.rows.chunk for part in parts])
    return best(score_claims(parts, query), node, chunk, limit=limit, require=require)


@dataclass(frozen=True, slots=True)
class _Field:
    """All rows in scope as one query sees them: `ceiling` is what the similarity of each does not exceed."""

    parts: Sequence[Part]
    query: Query
    keyword: Scores
    covered: Scores
    word_weight: float
    keyword_spread: "_Spread"
    covered_spread: "_Spread"
    ceiling: npt.NDArray[np.float32]
    mean: float
    deviation: float

    @classmethod
    def of(cls, parts: Sequence[Part], query: Query) -> "_Field":
        keyword, covered, word_weight = word_scores(parts, query)
        ceilings: list[npt.NDArray[np.float32]] = []
        total = square = 0.0
        for part in parts:
            if part.sketch is not None:
                ceilings.append(part.sketch.ceiling(query.vector))
                added = part.sketch.sums(query.vector)
            else:
                alike = dots(part.rows.vectors, query.vector)
                ceilings.append(alike.astype(np.float32))
                added = float(alike.sum()), float(alike @ alike)
            total, square = total + added[0], square + added[1]
        mean = total / len(keyword)
        return cls(
            parts=parts,
            query=query,
            keyword=keyword,
            covered=covered,
            word_weight=max(word_weight, 1e-12),
            keyword_spread=_Spread.of(keyword),
            covered_spread=_Spread.of(covered),
            ceiling=across(ceilings),
            mean=mean,
            deviation=float(np.sqrt(max(square / len(keyword) - mean * mean, 0.0))),
        )

    @property
    def enough(self) -> float:
        """The score of the words from which on a row is a hit."""
        return max(KEYWORD_SHARE * self.word_weight, 1e-12)

    @property
    def is_told_apart(self) -> bool:
        """Whether standard scores differ by more than rounding: else every row is looked at."""
        words = self.keyword_spread.is_told_apart and self.covered_spread.is_told_apart
        return self.deviation > _FLAT and words

    def best(self, limit: int, require: frozenset[int] | None) -> Ranked:
        """Return the scores of every row that can be among the best."""
        bound = self._bound(require)
        edge, at_once = _edge(bound, 4 * limit), _ROWS_AT_ONCE
        found = self._ranked(np.flatnonzero(bound >= edge))
        while (last := _last(found, limit)) < edge:
            left = np.flatnonzero((bound >= last) & (bound < edge))
            if len(left) > at_once:
                cut = len(left) - at_once
                last = float(np.partition(bound[left], cut)[cut])
                left = left[bound[left] >= last]
            edge, at_once = last, 2 * at_once
            found = _joined(found, self._ranked(left))
        return found

    def _bound(self, require: frozenset[int] | None) -> Scores:
        """Return what the total of each row does not exceed, shape (rows,); of one that is no hit, minus infinity."""
        scale, share = CLAIM_SEMANTIC_WEIGHT / self.deviation, 1.0 / self.keyword_spread.deviation
        covers = COVERAGE_WEIGHT / self.covered_spread.deviation
        moved = _ROUNDING - self.mean * scale
        moved -= self.keyword_spread.mean * share + self.covered_spread.mean * covers
        bound = np.empty(len(self.keyword))
        # Block by block, so that what one step wrote is still at hand for the next.
        for at in range(0, len(bound), _BLOCK):
            here = slice(at, at + _BLOCK)
            keyword, ceiling, top = self.keyword[here], self.ceiling[here], bound[here]
            np.multiply(ceiling, scale, out=top, dtype=np.float64)
            top += keyword * share
            top += self.covered[here] * covers
            top += moved
            top[(keyword < self.enough) & (ceiling < self.query.floor)] = -np.inf
        if require is not None:
            wanted = np.fromiter(require, np.int64, len(require))
            bound[~np.isin(across([part.rows.node for part in self.parts]), wanted)] = -np.inf
        return bound

    def _ranked(self, rows: Ints) -> Ranked:
        """Return the scores of some rows, each from its own vector."""
        alike, node, chunk = np.empty(len(rows)), np.empty_like(rows), np.empty_like(rows)
        start = 0
        for part in self.parts:
            here = slice(*np.searchsorted(rows, (start, start + len(part))))
            index = rows[here] - start
            alike[here] = dots(part.rows.vectors, self.query.vector, index)
            node[here], chunk[here] = part.rows.node[index], part.rows.chunk[index]
            start += len(part)
        keyword = self.keyword[rows]
        words = self.keyword_spread.standard(keyword)
        covers = self.covered_spread.standard(self.covered[rows])
        meaning = (alike - self.mean) / self.deviation
        scored = Scored(
            total=words + COVERAGE_WEIGHT * covers + CLAIM_SEMANTIC_WEIGHT * meaning,
            keyword_hit=keyword >= self.enough,
            semantic_hit=alike >= self.query.floor,
            signals=MappingProxyType({"keyword": words, "coverage": covers, "semantic": meaning}),
            words=keyword / self.word_weight,
            meaning=alike,
        )
        return scored, node, chunk


@dataclass(frozen=True, slots=True)
class _Spread:
    """The mean of scores and by what `standard` divides them; infinite where it makes zeros of them."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, scores: Scores) -> "_Spread":
        mean = float(scores.mean())
        square = float(np.vecdot(scores, scores)) / len(scores)
        if square - mean * mean > 1e-6 * square:
            return cls(mean, float(np.sqrt(square - mean * mean)))
        # They are nearly equal: the difference above is mostly rounding.
        deviation = float(scores.std())
        return cls(mean, deviation if deviation >= 1e-12 else np.inf)

    @property
    def is_told_apart(self) -> bool:
        """Whether the scores differ by more than their rounding."""
        return self.mean < _MOST_ALIKE * self.deviation

    def standard(self, scores: Scores) -> Scores:
        """Return some of the scores as `standard` makes them of all."""
        centred: Scores = scores - self.mean
        return centred / self.deviation


def _edge(bound: Scores, wanted: int) -> float:
    """Return a bound that at least `wanted` rows reach, and seldom many more; the least where there are not so many."""
    whole = len(bound) // _GROUP
    tops = bound[: whole * _GROUP].reshape(whole, _GROUP).max(axis=1)
    if wanted >= len(tops):
        return _LEAST
    return max(float(np.partition(tops, len(tops) - wanted)[len(tops) - wanted]), _LEAST)


def _last(found: Ranked, limit: int) -> float:
    """Return the score of the last of the best `limit` nodes; the least where there are not so many."""
    scored, node, _ = found
    hit = np.flatnonzero(scored.keyword_hit | scored.semantic_hit)
    order = hit[np.argsort(-scored.total[hit], kind="stable")]
    _, first = np.unique(node[order], return_index=True)
    if len(first) < limit:
        return _LEAST
    return float(scored.total[order[np.sort(first)[limit - 1]]])


def _joined(one: Ranked, other: Ranked) -> Ranked:
    first, second = one[0], other[0]
    scored = Scored(
        total=np.concatenate([first.total, second.total]),
        keyword_hit=np.concatenate([first.keyword_hit, second.keyword_hit]),
        semantic_hit=np.concatenate([first.semantic_hit, second.semantic_hit]),
        signals=MappingProxyType(
            {
                name: np.concatenate([signal, second.signals[name]])
                for name, signal in first.signals.items()
            }
        ),
        words=np.concatenate([first.words, second.words]),
        meaning=np.concatenate([first.meaning, second.meaning]),
    )
    return scored, np.concatenate([one[1], other[1]]), np.concatenate([one[2], other[2]])
