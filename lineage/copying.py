"""Which origins copy each other, and how likely each value is: from what they say in the same slots, and nothing else.

After Dong, Berti-Equille and Srivastava, "Integrating Conflicting Data: The Role of Source Dependence" (VLDB 2009). Two
origins that are right say the same by themselves; what betrays a copy is saying the same wrong thing. What is wrong is
not known, so classes, accuracies, chances and how many wrong values there are to choose from are found in turn, each
from the others, until nothing changes. The numbers below were set beforehand and are not fitted to any data.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from itertools import combinations
from math import exp, log
from typing import NamedTuple

Said = Mapping[Hashable, Mapping[int, str]]
"""By slot, the one value that each origin gives there."""

Votes = Mapping[Hashable, Mapping[int, Mapping[str, float]]]
"""By slot and origin class the values it gives there, with shares that sum to one."""

Chances = Mapping[Hashable, Mapping[str, float]]
"""By slot, how likely each value given there is the right one; what is left is for values that nobody gives."""

Pair = tuple[int, int]

AGREEMENT = 0.99
"""The share of shared slots from which on two origins are taken for one, whatever they say there."""

SHARED = 100
"""The shared slots that this takes."""

WRONG_VALUES = 10  # how many wrong values a slot has, before anything is known of them
COPIED = 0.8  # the share of its values that a copier copies
COPIERS = 0.2  # the share of all pairs that copy, before anything is known of them
ACCURACY = 0.8  # of an origin of which nothing is known
SURE = 0.99  # how likely a copy must be to be named
ERRORS = 0.5  # the wrong values two origins must be expected to share to be named: who is right agrees by itself
_ROUNDS = 100
_SETTLED = 1e-4
_EDGE = 0.01  # nobody is taken to be always right or always wrong


class Copy(NamedTuple):
    """Two origins, the slots both speak of, in how many they agree, and in how many of those they are wrong together.

    `wrong` is an expectation, for what is wrong is not known. `agreeing` says that their agreement alone is enough.
    """

    first: int
    second: int
    shared: int
    agreed: int
    wrong: float
    agreeing: bool


def chances_of(votes: Votes) -> tuple[Chances, Mapping[int, float]]:
    """Return how likely each value is and how accurate each class, each found from the other."""
    accuracy: dict[int, float] = {}
    chances: dict[Hashable, Mapping[str, float]] = {}
    wrong: float = WRONG_VALUES
    for _ in range(_ROUNDS):
        right: dict[int, float] = defaultdict(float)
        spoken: Counter[int] = Counter()
        for slot, voices in votes.items():
            chances[slot] = found = _chances(voices, accuracy, wrong)
            for voice, values in voices.items():
                spoken[voice] += 1
                right[voice] += sum(share * found[value] for value, share in values.items())
        before, wrong = accuracy, _wrong_values(votes, chances)
        accuracy = {voice: right[voice] / times for voice, times in spoken.items()}
        moved = (abs(now - before.get(voice, ACCURACY)) for voice, now in accuracy.items())
        if max(moved, default=0) < _SETTLED:
            break
    return chances, accuracy


def _chances(
    voices: Mapping[int, Mapping[str, float]], accuracy: Mapping[int, float], wrong: float
) -> Mapping[str, float]:
    """Return how likely each value of a slot is, where each class is right as often as its accuracy says."""
    scores: dict[str, float] = defaultdict(float)
    for voice, values in voices.items():
        right = _within(accuracy.get(voice, ACCURACY))
        for value, share in values.items():
            scores[value] += share * log(wrong * right / (1 - right))
    top = max(0.0, *scores.values()) if scores else 0.0
    unsaid = max(wrong + 1 - len(scores), 0) * exp(-top)
    total = sum(exp(score - top) for score in scores.values()) + unsaid
    return {value: exp(score - top) / total for value, score in scores.items()}


def _wrong_values(votes: Votes, chances: Chances) -> float:
    """Return among how many wrong values classes seem to choose: as many as two that are both wrong seldom agree."""
    alike = unlike = 0.0
    for slot, voices in votes.items():
        given: dict[str, float] = defaultdict(float)
        for values in voices.values():
            for value, share in values.items():
                given[value] += share
        likely = chances[slot]
        for value, count in given.items():
            alike += max(count * (count - 1), 0) / 2 * (1 - likely[value])
        for one, other in combinations(given, 2):
            unlike += given[one] * given[other] * max(0.0, 1 - likely[one] - likely[other])
    return (alike + unlike + WRONG_VALUES) / (alike + 1)


def _within(accuracy: float) -> float:
    return min(max(accuracy, _EDGE), 1 - _EDGE)


def votes_of(said: Said, classes: Mapping[int, int]) -> Votes:
    """Return one vote for each class in each slot, shared out where its origins say different things."""
    votes: dict[Hashable, Mapping[int, Mapping[str, float]]] = {}
    for slot, values in said.items():
        counted: dict[int, Counter[str]] = defaultdict(Counter)
        for origin, value in values.items():
            counted[classes.get(origin, origin)][value] += 1
        votes[slot] = {
            voice: {value: count / given.total() for value, count in given.items()}
            for voice, given in counted.items()
        }
    return votes


def copies(said: Said, known: Mapping[int, int]) -> list[Copy]:
    """Return the pairs of origins that seem to copy each other, most shared errors first, less those known to be one.

    `known` gives the class of an origin that is in one. First come the pairs that agree in nearly everything; then,
    those counted once, the pairs that share more wrong values than chance allows, until there are no more.
    """
    classes = {origin: known.get(origin, origin) for values in said.values() for origin in values}
    agreements = _agreements(said)
    agreeing = {
        pair
        for pair, (shared, agreed) in agreements.items()
        if shared >= SHARED and agreed >= AGREEMENT * shared
    }
    more = {pair for pair in agreeing if classes[pair[0]] != classes[pair[1]]}
    found = set(more)
    chances = _joined(said, classes, more)
    close = {pair for pair, (shared, agreed) in agreements.items() if agreed >= COPIED * shared}
    while more := close & _erring_alike(said, chances, classes):
        found |= more
        chances = _joined(said, classes, more)
    wrong: dict[Pair, float] = defaultdict(float)
    for slot, values in said.items():
        for first, second in combinations(sorted(values), 2):
            if (first, second) in found and values[first] == values[second]:
                wrong[first, second] += 1 - chances[slot][values[first]]
    told = (Copy(*pair, *agreements[pair], wrong[pair], pair in agreeing) for pair in found)
    named = [copy for copy in told if copy.wrong >= ERRORS]
    return sorted(named, key=lambda copy: (-copy.wrong, copy.first, copy.second))


def _agreements(said: Said) -> Mapping[Pair, Pair]:
    """Return for each pair of origins how many slots both speak of, and in how many they agree."""
    shared: Counter[Pair] = Counter()
    agreed: Counter[Pair] = Counter()
    for values in said.values():
        for pair in combinations(sorted(values), 2):
            shared[pair] += 1
            agreed[pair] += values[pair[0]] == values[pair[1]]
    return {pair: (shared[pair], agreed[pair]) for pair in shared}


def _joined(said: Said, classes: dict[int, int], pairs: Iterable[Pair]) -> Chances:
    """Make the classes of each pair one, and return how likely each value then is."""
    for first, second in sorted(pairs):
        low, high = sorted((classes[first], classes[second]))
        classes.update({origin: low for origin, one in classes.items() if one == high})
    return chances_of(votes_of(said, classes))[0]


def _erring_alike(said: Said, chances: Chances, classes: Mapping[int, int]) -> set[Pair]:
    """Return the pairs of classes apart that surely copy each other, by an origin of each, as likely as each value is.

    That both are as accurate as the better one where they are right, and as inaccurate as the worse one where they
    are wrong, makes their agreeing by chance as likely as it can be: a copy named in vain takes a voice away.
    """
    right: dict[int, float] = defaultdict(float)
    spoken: Counter[int] = Counter()
    for slot, values in said.items():
        for origin, value in values.items():
            right[origin] += chances[slot][value]
            spoken[origin] += 1
    accuracy = {origin: _within(right[origin] / times) for origin, times in spoken.items()}
    wrong = _wrong_values(votes_of(said, classes), chances)
    odds: dict[Pair, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for slot, values in said.items():
        for first, second in combinations(sorted(values), 2):
            if classes[first] == classes[second]:
                continue
            both = odds[first, second]
            if values[first] != values[second]:
                both[0] += log(1 - COPIED)
                both[1] += log(1 - COPIED)
                continue
            likely, one, other = chances[slot][values[first]], accuracy[first], accuracy[second]
            best, worst = max(one, other), min(one, other)
            alone = likely * best**2 + (1 - likely) * (1 - worst) ** 2 / wrong
            for place, copied in enumerate((one, other)):
                said_so = likely * copied + (1 - likely) * (1 - copied)
                both[place] += log((COPIED * said_so + (1 - COPIED) * alone) / alone)
    least = log(SURE / (1 - SURE)) + log((1 - COPIERS) / (COPIERS / 2))
    return {
        pair
        for pair, (one, other) in odds.items()
        if (top := max(one, other)) + log(exp(one - top) + exp(other - top)) >= least
    }
