"""How far the words of a question about one speaker were said by somebody else: a reason to answer nothing.

Raw scores do not tell a question that has an answer from one that names the wrong person; whose turns hold the words
does. Neighbouring turns lend each other nothing here, and likeness of meaning is not asked: both blur who spoke.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from .columns import Ints, Part, Scores
from .ranking import Query, coverage, descending, postings_across

Usable = Callable[[int, int], bool]

# The best turns of each speaker are compared, each counting less than the one before; measured, the plateau is wide.
COMPARED = 5
FALLING = 0.7
# Among how many of the best turns of all others the one who said most is looked for.
_LOOKED_AT = 64


def doubt(parts: Sequence[Part], query: Query, usable: Usable) -> float | None:
    """Return what share of the match with a question about one speaker lies with another, 0 to 1; .5 is as much.

    None if the query does not name one speaker alone, or nobody in scope used any of the words. A turn counts only
    if its (node, chunk) is `usable`. The other is the one speaker whose turns hold most of the words.
    """
    if not query.speaker or not len(query.asked):
        return None
    terms = [
        postings_across(parts, [part.postings(digest) for part in parts]) for digest in query.asked
    ]
    speaker = np.concatenate([part.rows.speaker for part in parts])
    held = coverage(terms, len(speaker))
    said, whose = held > 0.0, speaker == query.speaker

    def most_said(rows: Ints, limit: int) -> float:
        """Return the best match among the speakers of these rows."""
        by_speaker = _best(parts, held, rows, usable, limit)
        return max((_matched(scores) for scores in by_speaker.values()), default=0.0)

    hers = most_said(np.flatnonzero(said & whose), COMPARED)
    others = most_said(np.flatnonzero(said & ~whose & (speaker > 0)), _LOOKED_AT)
    return others / (hers + others) if hers + others > 0.0 else None


def _best(
    parts: Sequence[Part], held: Scores, rows: Ints, usable: Usable, limit: int
) -> dict[int, list[float]]:
    """Return by speaker the falling share of the words that her best usable turns hold, one chunk a turn.

    Ends with `limit` turns, or as soon as one speaker has as many as are compared: what follows holds no more.
    """
    node = np.concatenate([part.rows.node for part in parts])
    chunk = np.concatenate([part.rows.chunk for part in parts])
    speaker = np.concatenate([part.rows.speaker for part in parts])
    seen = set[int]()
    found = defaultdict[int, list[float]](list)
    for row in descending(rows, held[rows], node, chunk, limit):
        turn = int(node[row])
        if turn in seen or not usable(turn, int(chunk[row])):
            continue
        seen.add(turn)
        hers = found[int(speaker[row])]
        hers.append(float(held[row]))
        if len(hers) == COMPARED or len(seen) == limit:
            break
    return found


def _matched(scores: Sequence[float]) -> float:
    """Return the mean of scores that fall, each counting less than the one before; there is at least one."""
    weights = [FALLING**place for place in range(len(scores))]
    return sum(w * score for w, score in zip(weights, scores, strict=True)) / sum(weights)
