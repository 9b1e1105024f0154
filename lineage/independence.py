"""How many independent origins stand behind a claim: counted on origins, never on mentions.

A witness is a smallest set of origin classes that holds a claim up through some tree of justifications; independent
support is the most witnesses that share no class. Independent means not known to share an origin or a speaker.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from muniment.claims import (
    UNREADABLE,
    Assertion,
    EchoRef,
    EchoSort,
    Medium,
    PartLabel,
    ReceiptRecord,
    SameOriginRecord,
    SourceRecord,
    SpanRef,
    Value,
    canonical_text,
    from_micros,
)

from .kinship import declarations_between
from .state import ClaimState, State, passes
from .store import Store

BASIS = 12
"""The most classes that are tried in all combinations; beyond them the count is a lower bound."""

_MOSTLY = 0.8  # of the words that are used: then they are nobody's own

_GLANCE = 32  # uses of sources that are looked at where only a bound is wanted, as in a recall

Grounds = Mapping[int, Sequence[Sequence[int]]]
"""Claims with their justifications, each the numbers of the claims and leaves it needs together."""

Classes = frozenset[int]
Leaves = Mapping[int, Classes | None]
"""What stands at the bottom with the origin classes it needs; None where the origin is not known."""

Label = tuple[str, int]


class Support(Value):
    """What stands behind a claim. `origins` bounds `independent` from above and is never evidence by itself.

    `exact` is false where there are too many origins to try every combination: then it is at least `independent`.
    `single_points` are the origins without which nothing would hold the claim up.
    """

    claim: str
    independent: int
    exact: bool
    origins: int
    mentions: int
    single_points: tuple[str, ...] = ()
    why: tuple[str, ...] = ()


class Count(NamedTuple):
    """How many disjoint witnesses there are, whether that is all, and which classes and leaves none can do without."""

    independent: int
    exact: bool
    points: tuple[int, ...]


def count_support(root: int, grounds: Grounds, leaves: Leaves) -> Count:
    """Return the independent support of a claim; leaves of unknown origin hold it up and count for nothing."""
    known = {leaf: classes for leaf, classes in leaves.items() if classes is not None}
    everyone = frozenset(one for classes in known.values() for one in classes)
    # A class that is a witness alone stands in no other smallest one, so the rest is packed without it.
    alone = _alone(root, grounds, known, sorted(everyone))
    rest = sorted(everyone.difference(alone))
    points = () if len(alone) > 1 else tuple(_points(root, grounds, leaves, everyone))
    if _held(root, grounds, known, frozenset()):
        return Count(0, True, points)
    if len(rest) <= BASIS:
        packed = _packed(_witnesses(root, grounds, known, rest))
        return Count(len(alone) + packed, True, points)
    packed = _greedy(root, grounds, known, frozenset(rest))
    # Each witness left needs two classes at least.
    return Count(len(alone) + packed, packed == len(rest) // 2, points)


def _table(root: int, grounds: Grounds, leaves: Mapping[int, int], full: int) -> int:
    """Return the truth table of a claim over those of the leaves: the least fixpoint, so loops add nothing."""
    tables = dict(leaves)
    changed = True
    while changed:
        changed = False
        for claim in sorted(grounds):
            before = found = tables.get(claim, 0)
            for justification in grounds[claim]:
                together = full
                for node in justification:
                    together &= tables.get(node, 0)
                found |= together
            tables[claim] = found
            changed |= found != before
    return tables.get(root, 0)


def _held(
    root: int, grounds: Grounds, known: Mapping[int, Classes], available: frozenset[int]
) -> bool:
    leaves = {leaf: int(classes <= available) for leaf, classes in known.items()}
    return bool(_table(root, grounds, leaves, 1))


def _points(root: int, grounds: Grounds, leaves: Leaves, everyone: frozenset[int]) -> Iterator[int]:
    """Yield each class, and each leaf of unknown origin, without which the claim is not held up: each forced out."""
    if not _table(root, grounds, dict.fromkeys(leaves, 1), 1):
        return
    unknown = sorted(leaf for leaf, classes in leaves.items() if classes is None)
    forced = (*sorted(everyone), *unknown)
    bits, full = {one: 1 << place for place, one in enumerate(forced)}, (1 << len(forced)) - 1
    left: dict[int, int] = {}
    for leaf, kept in leaves.items():
        gone = (leaf,) if kept is None else kept
        left[leaf] = full & ~sum(bits[one] for one in gone)
    held = _table(root, grounds, left, full)
    yield from (one for one in forced if not held & bits[one])


def _alone(
    root: int, grounds: Grounds, known: Mapping[int, Classes], everyone: Sequence[int]
) -> list[int]:
    """Return the classes each of which holds the claim up by itself: bit `n` of a table says so of the class `n`."""
    bits, full = {one: 1 << place for place, one in enumerate(everyone)}, (1 << len(everyone)) - 1
    leaves: dict[int, int] = {}
    for leaf, classes in known.items():
        leaves[leaf] = full
        for one in classes:
            leaves[leaf] &= bits[one]
    held = _table(root, grounds, leaves, full)
    return [one for one in everyone if held & bits[one]]


def _witnesses(
    root: int, grounds: Grounds, known: Mapping[int, Classes], basis: Sequence[int]
) -> list[int]:
    """Return the smallest sets of the basis that hold the claim up, as bit masks.

    Bit `s` of a table says whether the classes in the mask `s` are enough.
    """
    size = len(basis)
    full = (1 << (1 << size)) - 1
    has = {
        one: full // ((1 << (2 << place)) - 1) * (((1 << (1 << place)) - 1) << (1 << place))
        for place, one in enumerate(basis)
    }
    leaves: dict[int, int] = {}
    for leaf, classes in known.items():
        table = full
        for one in classes:
            table &= has.get(one, 0)
        leaves[leaf] = table
    table = _table(root, grounds, leaves, full)
    more = 0
    for place, one in enumerate(basis):
        more |= (table & ~has[one]) << (1 << place)
    smallest = table & ~more & full
    return [mask for mask in range(1, 1 << size) if smallest >> mask & 1]


def _packed(witnesses: Sequence[int]) -> int:
    """Return the most witnesses that share no class."""

    @cache
    def most(left: int) -> int:
        inside = [one for one in witnesses if one & left == one]
        if not inside:
            return 0
        first = min(one & -one for one in inside)
        best = most(left & ~first)
        for one in inside:
            if one & first:
                best = max(best, 1 + most(left & ~one))
        return best

    everything = 0
    for one in witnesses:
        everything |= one
    return most(everything)


def _greedy(
    root: int, grounds: Grounds, known: Mapping[int, Classes], available: frozenset[int]
) -> int:
    """Return how many disjoint witnesses are found by taking one after the other: a lower bound."""
    found = 0
    while _held(root, grounds, known, available):
        witness = available
        for one in sorted(available):
            if _held(root, grounds, known, witness - {one}):
                witness -= {one}
        available -= witness
        found += 1
    return found


# --- from the store ------------------------------------------------------------------------------------------------


class Ancestry(NamedTuple):
    """The part of the graph that holds claims up now; a leaf is one use of a source, below zero.

    A source that says again what was given out stands among the claims under its own number, resting on what it
    repeats. `repeats` and `perhaps` are the records that first gave out what is repeated, one for each use; `held` are
    leaves that stand for what may be a repetition, and are no use of a source.
    """

    readable: frozenset[int]
    grounds: dict[int, list[list[int]]]
    uses: dict[int, int]
    labels: dict[int, frozenset[Label] | None]
    repeats: list[int]
    perhaps: list[int]
    held: set[int]

    def leaf(self, node: int, labels: frozenset[Label] | None) -> int:
        """Take in one use of a source and return its number."""
        leaf = -len(self.uses) - 1
        self.uses[leaf], self.labels[leaf] = node, labels
        return leaf

    def below(self, claims: Sequence[int]) -> "Ancestry":
        """Return what holds up one or another of these claims: claim 0 stands for any of them."""
        grounds: dict[int, list[list[int]]] = {0: [[claim] for claim in claims]}
        leaves: set[int] = set()
        waiting = list(claims)
        while waiting:
            one = waiting.pop()
            if one not in grounds:
                grounds[one] = self.grounds[one]
                for node in (node for together in self.grounds[one] for node in together):
                    leaves.add(node) if node < 0 else waiting.append(node)
        return self._replace(
            grounds=grounds,
            uses={leaf: self.uses[leaf] for leaf in leaves},
            labels={leaf: self.labels[leaf] for leaf in leaves},
        )

    def alone(self) -> frozenset[Label]:
        """Return the origins each of which holds claim 0 up by itself."""
        everyone = sorted({one for labels in self.labels.values() for one in labels or ()})
        leaves = leaves_of(self, [frozenset((one,)) for one in everyone])
        known = {leaf: needed for leaf, needed in leaves.items() if needed is not None}
        held = _alone(0, self.grounds, known, range(1, len(everyone) + 1))
        return frozenset(everyone[number - 1] for number in held)


def support_view(store: Store, claim: ClaimState, readable: frozenset[int]) -> Support:
    """Return how many independent origins stand behind a claim, which it cannot do without, and why, in words."""
    ancestry, classes, leaves = _basis(store, claim, readable)
    count = count_support(claim.seq, ancestry.grounds, leaves)
    names = Named(store, ancestry, readable)
    shown = names.shown()
    told = {number: names.of_class(labels, shown) for number, labels in enumerate(classes, 1)}
    told |= {leaf: names.of_source(leaf) for leaf, kept in leaves.items() if kept is None}
    points = tuple(dict.fromkeys(told[point] for point in count.points))
    mentions = {leaf: kept for leaf, kept in leaves.items() if leaf not in ancestry.held}
    named = {n: told[n] for n in range(1, len(classes) + 1)}
    return Support(
        claim=claim.id,
        independent=count.independent,
        exact=count.exact,
        origins=len(classes),
        mentions=len(mentions),
        single_points=points,
        why=tuple(
            _why(
                count,
                mentions,
                named,
                points,
                (*names.declared(classes), *_repeated(store, ancestry)),
            )
        ),
    )


def independent_origins(
    store: Store, claim: ClaimState, readable: frozenset[int]
) -> tuple[int, int]:
    """Return how many origins stand behind a claim, and of them how many independent ones at least.

    Only its first uses of sources are looked at.
    """
    ancestry, classes, leaves = _basis(store, claim, readable)
    first = sorted(leaves, reverse=True)[:_GLANCE]
    kept = {leaf: leaves[leaf] for leaf in first}
    return len(classes), count_support(claim.seq, ancestry.grounds, kept).independent


def _basis(
    store: Store, claim: ClaimState, readable: frozenset[int]
) -> tuple[Ancestry, list[frozenset[Label]], dict[int, Classes | None]]:
    """Return what holds a claim up, the origin classes in it, and which of them each leaf needs."""
    ancestry = ancestry_of(store, (claim,), readable)
    classes = classes_of(store, ancestry)
    return ancestry, classes, leaves_of(ancestry, classes)


def leaves_of(ancestry: Ancestry, classes: Sequence[frozenset[Label]]) -> dict[int, Classes | None]:
    """Return which of the classes, numbered from 1, each leaf needs."""
    numbers = {label: number for number, labels in enumerate(classes, 1) for label in labels}
    return {
        leaf: None if labels is None else frozenset(numbers[label] for label in labels)
        for leaf, labels in ancestry.labels.items()
    }


def ancestry_of(store: Store, claims: Iterable[ClaimState], readable: frozenset[int]) -> Ancestry:
    """Return what holds these claims up now, for a reader of these scopes: an echo of what she may not read is none."""
    found = Ancestry(readable, {}, {}, {}, [], [], set())
    waiting = [claim.seq for claim in claims]
    while waiting:
        node = waiting.pop()
        if node in found.grounds:
            continue
        one = store.state.claims.get(node)
        if one is None:
            found.grounds[node] = [_use(store, found, node, (), 0, waiting)]
            continue
        standing = [
            (assertion, nodes)
            for assertion, nodes in zip(one.assertions, one.justifications, strict=True)
            if all(passes(store.state, ground, "supported") for ground in nodes)
        ]
        since = min((assertion for assertion, _ in standing), default=0)
        found.grounds[node] = [
            _needed(store, found, one, since, assertion, nodes, waiting)
            for assertion, nodes in standing
        ]
    return found


def _needed(
    store: Store,
    found: Ancestry,
    claim: ClaimState,
    since: int,
    assertion: int,
    nodes: Sequence[int],
    waiting: list[int],
) -> list[int]:
    """Return everything that one justification of a claim needs together; what it needs in turn is put to `waiting`.

    What says the claim itself again needs the claim, and so adds nothing, if that stood before: `since` is the first
    of its assertions that hold it up now.
    """
    state, header = store.state, store.header(assertion)
    assert isinstance(header, Assertion)
    together: list[int] = []
    for node in nodes:
        if node in state.claims:
            waiting.append(node)
            together.append(node)
        else:
            quoting = [span for span in header.spans if span.source == state.names[node]]
            first = 0 if since < node else claim.seq
            together += _use(store, found, node, quoting, first, waiting)
    for echo in _live(store, found, header.echo_of):
        node = state.ids[echo.of]
        if echo.sort is EchoSort.POSSIBLE:
            found.perhaps.append(state.given_out(node))
            leaf = found.leaf(node, None)
            found.held.add(leaf)
            together.append(leaf)
        elif node != claim.seq or since < assertion:
            found.repeats.append(state.given_out(node))
            waiting.append(node)
            together.append(node)
    return together


def _use(
    store: Store,
    found: Ancestry,
    source: int,
    spans: Sequence[SpanRef],
    first: int,
    waiting: list[int],
) -> list[int]:
    """Return what one use of a source needs: a leaf of its own origin, and what its words say again.

    `first` is a claim that nothing but this held up first, 0 for none: then its words are no repetition of that.
    """
    state, header = store.state, store.header(source)
    echoes = header.echo_of if isinstance(header, SourceRecord) else ()
    touching = [
        echo
        for echo in echoes
        if not spans or any(echo.start < span.end and span.start < echo.end for span in spans)
    ]
    readable = [echo for echo in touching if _scope_of(state, echo) in found.readable]
    live = [echo for echo in _live(store, found, readable) if state.ids[echo.of] != first]
    if not live:
        speaks = state.entity_types.get(state.sources[source].author) == "person"
        own = _labels(store, source, spans)
        lost = bool(readable) and not (speaks and state.sources[source].medium is Medium.MESSAGE)
        return [found.leaf(source, None if lost else own)]
    if any(echo.sort is EchoSort.POSSIBLE for echo in live):
        found.perhaps.append(max(state.given_out(state.ids[echo.of]) for echo in live))
        return [found.leaf(source, None)]
    nodes = list(dict.fromkeys(state.ids[echo.of] for echo in live))
    found.repeats.append(max(state.given_out(node) for node in nodes))
    waiting += nodes
    pure = _covered(header, live, spans)
    return [found.leaf(source, frozenset() if pure else _labels(store, source, spans)), *nodes]


def _scope_of(state: State, echo: EchoRef) -> int:
    node = state.ids[echo.of]
    known = state.claims.get(node) or state.sources.get(node) or state.erased_sources.get(node)
    return known.scope if known else 0


def origins_behind(store: Store, node: int, readable: frozenset[int]) -> frozenset[Label]:
    """Return the origins and speakers behind a claim or a source, by sort and number, as far as they are known."""
    claim = store.state.claims.get(node)
    if claim is None:
        return _labels(store, node, ()) or frozenset()
    labels = ancestry_of(store, (claim,), readable).labels.values()
    return frozenset(label for kept in labels for label in kept or ())


def _live(store: Store, found: Ancestry, echoes: Iterable[EchoRef]) -> list[EchoRef]:
    """Return the echoes of what still stands and may be read here."""
    state = store.state
    kept: list[EchoRef] = []
    for echo in echoes:
        node = state.ids[echo.of]
        claim = state.claims.get(node)
        stands = claim.supported if claim else passes(state, node, "supported")
        if stands and _scope_of(state, echo) in found.readable:
            kept.append(echo)
    return kept


def _covered(header: object, echoes: Sequence[EchoRef], spans: Sequence[SpanRef]) -> bool:
    """Return whether the words that are used, or all of a source, are an echo but for a little around it."""
    end = header.parts[-1].end if isinstance(header, SourceRecord) else 0
    used = [(span.start, span.end) for span in spans] or [(0, end)]
    total = sum(past - first for first, past in used)
    place = covered = 0
    for first, past in sorted((echo.start, echo.end) for echo in echoes):
        first, place = max(first, place), max(past, place)
        covered += sum(max(0, min(past, stop) - max(first, start)) for start, stop in used)
    return covered >= _MOSTLY * total


def _labels(store: Store, source: int, spans: Sequence[SpanRef]) -> frozenset[Label] | None:
    """Return who is behind the words used of a source: whoever wrote them, where each part is known to come from.

    An agent's own words have no known origin: it says what it read somewhere. Neither has what a person passed on
    without saying from where, unless her own words stand beside it.
    """
    state, header = store.state, store.header(source)
    known = state.sources[source]
    if known.medium is Medium.ENDORSEMENT:
        return frozenset()
    if known.origin:
        return frozenset((("origin", known.origin),))
    speaks = state.entity_types.get(known.author) in ("person", "tool")
    labels: set[Label] = set()
    for part in header.parts if isinstance(header, SourceRecord) else ():
        if spans and not any(part.start < span.end and span.start < part.end for span in spans):
            continue
        if part.origin:
            labels.add(("origin", state.number(part.origin)))
        elif speaks and part.label in (PartLabel.OWN, PartLabel.FIELD, PartLabel.TEXT):
            labels.add((state.entity_types[known.author], known.author))
    return frozenset(labels) or None


def classes_of(store: Store, ancestry: Ancestry) -> list[frozenset[Label]]:
    """Return the origin classes: labels used together stay apart.

    Labels of sources with the same words are one, and so are origins that were declared to be.
    """
    above: dict[Label, Label] = {}

    def top(label: Label) -> Label:
        while above.setdefault(label, label) != label:
            label = above[label]
        return label

    said: dict[str, Label] = {}
    for leaf, labels in ancestry.labels.items():
        for label in sorted(labels or ()):
            words = whole_text(store, ancestry.uses[leaf])
            above[top(label)] = top(said.setdefault(words, label)) if words else top(label)
    kin: dict[int, Label] = {}
    for label in tuple(above):
        above[top(label)] = top(kin.setdefault(root_of(store.state, label), label))
    classes: dict[Label, set[Label]] = {}
    for label in above:
        classes.setdefault(top(label), set()).add(label)
    return [frozenset(labels) for _, labels in sorted(classes.items())]


def root_of(state: State, label: Label) -> int:
    """Return the number that all origins known to be one with a label share."""
    sort, number = label
    return state.origin_class(number) if sort == "origin" else number


def whole_text(store: Store, source: int) -> str:
    """Return the keyed fingerprint of a source's whole canonical text, empty where nothing is left of it to compare."""
    if source not in store.wholes:
        store.wholes[source] = _whole_text(store, source)
    return store.wholes[source]


def _whole_text(store: Store, source: int) -> str:
    try:
        kept = store.words(source).get("whole")
        if isinstance(kept, str):
            return kept
        text = "".join(words["text"] for words in store.record(source)[1])
    except UNREADABLE:
        return ""
    return whole_fingerprint(store, text)


def whole_fingerprint(store: Store, text: str) -> str:
    """Return the keyed fingerprint by which two sources with the same words are known; empty without any words."""
    canonical = canonical_text(text)
    return store.keys.fingerprint_of(canonical, b"whole") if canonical else ""


class Named(NamedTuple):
    """Turns classes and leaves into words, naming only what the reader may read."""

    store: Store
    ancestry: Ancestry
    readable: frozenset[int]

    def shown(self) -> set[Label]:
        """Return the origins that may be named here."""
        return {
            label
            for leaf, used in self.ancestry.labels.items()
            if self._may(leaf)
            for label in used or ()
        }

    def of_class(self, labels: frozenset[Label], shown: set[Label]) -> str:
        told, roots = "", set[int]()
        for label in sorted(labels & shown):
            root = root_of(self.store.state, label)
            same = ", recorded as one with " if root in roots else ", which says the same as "
            told += f"{same if told else ''}{self._label(label)}"
            roots.add(root)
        return told or "an origin out of reach here"

    def declared(self, classes: Iterable[frozenset[Label]]) -> Iterator[str]:
        """Yield who recorded which origins as copies of each other, and when."""
        state, shown = self.store.state, self.shown()
        for labels in classes:
            present = [number for sort, number in labels if sort == "origin"]
            for seq in declarations_between(state, present):
                header = self.store.header(seq)
                if isinstance(header, SameOriginRecord):
                    named = [("origin", state.number(one)) for one in header.origins]
                    pair = " and ".join(
                        self._label(one) if one in shown else "another origin" for one in named
                    )
                    who = self.store.names.name(state.number(header.by)) or "the operator"
                    day = from_micros(header.at).date().isoformat()
                    yield f"{pair} are recorded as copies of each other on {day}, by {who}"

    def each(self) -> tuple[str, ...]:
        """Return the origins that may be named here, as claims name theirs."""
        return tuple(
            f"{sort}:{self.store.names.name(number)}" for sort, number in sorted(self.shown())
        )

    def of_source(self, leaf: int) -> str:
        if leaf in self.ancestry.held:
            return "words that may be a repetition"
        name = self.store.state.names[self.ancestry.uses[leaf]]
        return f"a source of unknown origin{f' {name}' if self._may(leaf) else ''}"

    def _may(self, leaf: int) -> bool:
        source = self.store.state.sources.get(self.ancestry.uses[leaf])
        return source is not None and source.scope in self.readable

    def _label(self, label: Label) -> str:
        sort, number = label
        article = {"origin": "the page ", "tool": "the tool "}.get(sort, "")
        return f"{article}{self.store.names.name(number)}"


def _repeated(store: Store, ancestry: Ancestry) -> Iterator[str]:
    """Yield what is said again and so is no evidence, by the day on which it was given out."""
    for says, say, end, seqs in (
        ("says", "say", "no new evidence", ancestry.repeats),
        ("may say", "may say", "held, no evidence", ancestry.perhaps),
    ):
        days: dict[str, int] = {}
        for seq in seqs:
            header = store.header(seq)
            how = "recalled" if isinstance(header, ReceiptRecord) else "given out"
            day = f"{how} on {from_micros(header.at).date().isoformat()}"
            days[day] = days.get(day, 0) + 1
        for day, times in sorted(days.items()):
            verb = says if times == 1 else say
            yield f"{_counted(times, 'mention')} {verb} again what was {day}: {end}"


def _why(
    count: Count,
    leaves: Leaves,
    names: Mapping[int, str],
    points: Sequence[str],
    more: Iterable[str],
) -> Iterator[str]:
    mentions = _counted(len(leaves), "mention")
    if not leaves:
        yield "nothing holds it up now"
        return
    yield f"{mentions}, {_counted(len(names), 'origin')}{': ' if names else ''}{'; '.join(names.values())}"
    for number, name in names.items():
        times = sum(number in (classes or ()) for classes in leaves.values())
        if times > 1:
            yield f"{_counted(times, 'mention')} from {name} are one piece of evidence"
    yield from more
    unknown = sum(classes is None for classes in leaves.values())
    if unknown:
        yield f"{_counted(unknown, 'mention')} of unknown origin: no evidence"
    least = "" if count.exact else "at least "
    yield f"{least}{count.independent} independent of each other, as far as is known"
    for point in points:
        yield f"without {point} nothing would hold it up"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
