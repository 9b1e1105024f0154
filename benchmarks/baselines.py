"""The rankers that ours stands beside, written apart from the index: BM25, and two usual ways to add vectors."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log1p, sqrt

import numpy as np
import numpy.typing as npt

from muniment.retrieval import UniversalSentenceEncoder, WordsAndPairs

Cut = Callable[[str], Sequence[str]]


class PlainBm25:
    """BM25 over whole texts, k1 1.2 and b 0.75; the words are cut as in the index unless `cut` says otherwise."""

    def __init__(self, texts: Iterable[str], cut: Cut | None = None) -> None:
        self._cut = cut or WordsAndPairs().query
        counts = [Counter((cut or WordsAndPairs().tokens)(text)) for text in texts]
        self._length = [sum(held.values()) for held in counts]
        self._mean = sum(self._length) / max(len(counts), 1)
        self._held: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, held in enumerate(counts):
            for token, count in held.items():
                self._held[token].append((at, count))

    def scores(self, query: str) -> Mapping[int, float]:
        """Return the score of every text that holds a word of the query, by its position."""
        scores: defaultdict[int, float] = defaultdict(float)
        for token in sorted(set(self._cut(query))):
            held = self._held.get(token, ())
            weight = log1p((len(self._length) - len(held) + 0.5) / (len(held) + 0.5))
            for at, count in held:
                norm = 1.2 * (0.25 + 0.75 * self._length[at] / self._mean)
                scores[at] += weight * count * 2.2 / (count + norm)
        return scores

    def best(self, query: str, limit: int) -> list[int]:
        """Return the positions of the best texts, best first."""
        return _ranked(self.scores(query), limit)


class RememberingEncoder(UniversalSentenceEncoder):
    """The default embedder, which embeds a text once however often it is asked: index and baselines share it."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector a text, shape (texts, 512)."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(fresh, super().embed(fresh), strict=True))
        return np.array([self._known[text] for text in texts], np.float32).reshape(
            len(texts), self.dimension
        )


class Fusions:
    """BM25 and vectors of whole texts, put together as is usual: by standard scores, or by reciprocal ranks."""

    def __init__(
        self, texts: Sequence[str], plain: PlainBm25, embedder: RememberingEncoder
    ) -> None:
        self._plain, self._embedder, self._count = plain, embedder, len(texts)
        self._vectors = embedder.embed(texts)

    def best(self, query: str, limit: int) -> tuple[list[int], list[int]]:
        """Return the best positions by the sum of standard scores, and by the sum of 1 / (60 + rank)."""
        words = self._plain.scores(query)
        keyword = [words.get(at, 0.0) for at in range(self._count)]
        alike = [float(one) for one in self._vectors @ self._embedder.embed([query])[0]]
        summed = {
            at: a + b
            for at, (a, b) in enumerate(zip(_standard(keyword), _standard(alike), strict=True))
        }
        ranks: defaultdict[int, float] = defaultdict(float)
        for one in (words, dict(enumerate(alike))):
            for rank, at in enumerate(_ranked(one, self._count), start=1):
                ranks[at] += 1 / (60 + rank)
        return _ranked(summed, limit), _ranked(ranks, limit)


def auroc(wanted: Sequence[float], others: Sequence[float]) -> float:
    """Return how often a value of `wanted` is above one of `others`, a tie counting half: .5 is chance."""
    ranks = np.sort(np.array(others))
    below = np.searchsorted(ranks, wanted, "left") + np.searchsorted(ranks, wanted, "right")
    return float(np.mean(below) / 2 / len(others))


def _ranked(scores: Mapping[int, float], limit: int) -> list[int]:
    return sorted(scores, key=lambda at: (-scores[at], at))[:limit]


def _standard(scores: Sequence[float]) -> list[float]:
    mean = sum(scores) / len(scores)
    deviation = sqrt(sum((one - mean) ** 2 for one in scores) / len(scores))
    return [(one - mean) / deviation if deviation else 0.0 for one in scores]
