"""What an erasure leaves, until when, and what nobody can tell: one small function for each kind of rest.

A function takes the store and what is gone and yields lines. Whoever keeps something more of what is remembered,
or learns of copies, adds a function to `REMAINS`; whoever records what left the store adds one to `DISCLOSED`.
"""

from collections.abc import Callable, Iterator

from muniment.claims import (
    Assertion,
    BlockRecord,
    ErasureSort,
    Medium,
    ReceiptRecord,
    SourceRecord,
    Value,
    from_micros,
)

from .absence import Gone
from .again import said_again
from .copies import read_copies
from .store import Store

_KEPT = "as long as the journal is kept"


class Remaining(Value):
    """One thing that is left of what was erased: a code, plain words, how many or which, and until when."""

    what: str
    words: str
    until: str
    count: int = 0
    ids: tuple[str, ...] = ()


class Disclosed(Value):
    """To whom it had been given before it was erased: a principal by identifier, for whom, for what, on which day.

    `times` counts on that day; `claims` are those given out, of what went or lost a wording.
    """

    to: str
    behalf: str = ""
    purpose: str
    day: str
    times: int
    claims: tuple[str, ...]


def remaining_of(store: Store, gone: Gone) -> tuple[Remaining, ...]:
    """Return everything that is known to be left."""
    return tuple(line for each in REMAINS for line in each(store, gone))


def disclosed_of(store: Store, gone: Gone) -> tuple[Disclosed, ...]:
    """Return everybody who is known to have been given something of it, oldest first."""
    return tuple(line for each in DISCLOSED for line in each(store, gone))


def _sealed(_store: Store, gone: Gone) -> Iterator[Remaining]:
    total = sum(size for _, size in gone.sealed)
    yield Remaining(
        what="sealed bytes",
        words=f"{total} bytes of payloads in the journal whose keys were destroyed: nothing opens them",
        until=_KEPT,
        count=len(gone.sealed),
    )


def _headers(_store: Store, gone: Gone) -> Iterator[Remaining]:
    yield Remaining(
        what="headers",
        words="identifiers, times, labels and what rested on what, in the journal and the graph: no words",
        until=_KEPT,
        count=len({at for at, _ in gone.sealed}),
    )


def _sources(store: Store, gone: Gone) -> Iterator[Remaining]:
    """Yield the sources that what was erased rested on and that stand: they may hold its words."""
    grounds: dict[str, None] = {}
    for at in gone.renderings(store):
        header = store.header(at)
        if isinstance(header, Assertion):
            grounds.update(dict.fromkeys(header.antecedents))
    left = tuple(one for one in grounds if store.state.ids[one] in store.state.sources)
    if left:
        yield Remaining(
            what="sources",
            words="sources that erased claims rested on: they may still hold the words",
            until="until each is erased",
            count=len(left),
            ids=left,
        )


def _echoes(store: Store, gone: Gone) -> Iterator[Remaining]:
    """Yield the sources of its person, or of nobody's, that say again what was erased."""
    again = said_again(store, (*gone.sources, *gone.claims))
    left = tuple(dict.fromkeys(store.state.names[seq] for seq in again))
    if left:
        yield Remaining(
            what="said again",
            words="sources that repeat what was erased, or are other versions of it",
            until="until each is erased",
            count=len(left),
            ids=left,
        )


def _survivors(store: Store, gone: Gone) -> Iterator[Remaining]:
    claims = dict.fromkeys(claim for claim, _ in gone.wordings)
    left = tuple(store.state.claims[seq].id for seq in claims if store.state.claims[seq].assertions)
    if left:
        yield Remaining(
            what="claims",
            words="claims of which a wording was destroyed, and which stand by another, written without it",
            until="until each is erased",
            count=len(left),
            ids=left,
        )


def _receipts(store: Store, gone: Gone) -> Iterator[Remaining]:
    found = store.graph.receipts_of(_claims(gone), ())
    if found:
        open_still = sum(slot not in store.state.destroyed for _, slot in found)
        words = "headers of recalls that gave it: who asked, when, for what, and the claims' identifiers"
        yield Remaining(what="receipts", words=words, until=_KEPT, count=len(found))
        if open_still:
            yield Remaining(
                what="questions",
                words="recalls of claims that stand, whose question is still sealed under a key",
                until=_KEPT,
                count=open_still,
            )


def _tombstones(_store: Store, gone: Gone) -> Iterator[Remaining]:
    if gone.header.tombstones:
        yield Remaining(
            what="tombstones",
            words="digests under the fingerprint key, which keep it out: whoever holds that key (keys/tenant.keys "
            "with store.key, or a copy of both) can confirm a guess of the words, and nobody else",
            until=_KEPT,
            count=len(gone.header.tombstones),
        )


def _names(store: Store, gone: Gone) -> Iterator[Remaining]:
    types = (store.state.entity_types[store.state.ids[name]] for name in gone.header.names)
    if "person" not in types:
        yield Remaining(
            what="names",
            words="names of persons, agents, projects, channels and organisations, sealed",
            until="until the person is erased; those of projects, channels and organisations as long as the store",
        )


def _copies(store: Store, gone: Gone) -> Iterator[Remaining]:
    """Yield the backups made before, and the mirrors of the keys as far as it is known of any."""
    copies = read_copies(store.folder)
    before = [one for one in copies.backups if one.made_at <= from_micros(gone.header.at)]
    if before:
        yield Remaining(
            what="backups",
            words="backups made before: they hold the sealed bytes and no key",
            until=max(one.keep_until for one in before).isoformat(timespec="seconds"),
            count=len(before),
            ids=tuple(one.id for one in before),
        )
    if copies.mirrors:
        yield Remaining(
            what="mirrors",
            words="mirrors of the keys: those in reach let go of the destroyed keys with the erasure, one out of reach "
            "when it is mirrored again",
            until="until each is mirrored again",
            count=len(copies.mirrors),
        )


def _anew(store: Store, gone: Gone) -> Iterator[Remaining]:
    """Yield what a person let in on purpose since: it may say again what was erased."""
    found = tuple(
        header.id
        for seq in (*store.state.sources, *_assertions(store), *_blocks(store))
        if seq > gone.seq
        and isinstance(header := store.header(seq), SourceRecord | Assertion | BlockRecord)
        and header.anew
    )
    if found:
        yield Remaining(
            what="said anew",
            words="let in on purpose since, by its person; it may say again what was erased, here or elsewhere",
            until="until each is erased",
            count=len(found),
            ids=found,
        )


def _assertions(store: Store) -> Iterator[int]:
    for claim in store.state.claims.values():
        yield from claim.assertions


def _blocks(store: Store) -> Iterator[int]:
    for writes in store.state.blocks.values():
        yield from (one.seq for one in writes)


def _claims(gone: Gone) -> tuple[int, ...]:
    return tuple(dict.fromkeys((*gone.claims, *(claim for claim, _ in gone.wordings))))


def _recalls(store: Store, gone: Gone) -> Iterator[Disclosed]:
    wanted = {store.state.names[seq] for seq in _claims(gone)}
    found: dict[tuple[str, str, str, str], tuple[int, dict[str, None]]] = {}
    for seq, _ in sorted(store.graph.receipts_of(_claims(gone), ())):
        header = store.header(seq)
        if seq > gone.seq or not isinstance(header, ReceiptRecord):
            continue
        day = from_micros(header.at).date().isoformat()
        place = (header.by, header.behalf, header.purpose.value, day)
        times, claims = found.get(place, (0, {}))
        claims |= dict.fromkeys(one for one in header.claims if one in wanted)
        found[place] = (times + 1, claims)
    for (to, behalf, purpose, day), (times, claims) in found.items():
        yield Disclosed(
            to=to or "host",
            behalf=behalf,
            purpose=purpose,
            day=day,
            times=times,
            claims=tuple(claims),
        )


def undetermined_of(store: Store, gone: Gone) -> tuple[str, ...]:
    """Return what was not determined, each with why."""
    found = [
        "whether older bytes of overwritten keys are left on the medium: on solid-state and copy-on-write disks, in "
        "snapshots and in swap, overwriting is best effort and cannot be seen from here",
        "copies of the store and of its keys that others made, and mirrors out of reach: they cannot be seen from here",
        "what was looked at without a recall (conversation search, why, trace, show, export, an investigation, the "
        "always-on block, a store opened read-only): no receipt is kept of it",
        "what those it was given to did with it, and whether it stands elsewhere in other words",
    ]
    if gone.wordings:
        found.append(
            "which wording the index rows of surviving claims hold: they were written anew, and a row does not say"
        )
    if any(store.state.erased_sources[seq].medium is not Medium.MESSAGE for seq in gone.sources):
        found.append("whether what came from outside still stands where it came from")
    if gone.header.sort is ErasureSort.REQUEST:
        found.append("whether the list that was decided, a file that holds words, was destroyed")
    return tuple(found)


REMAINS: tuple[Callable[[Store, Gone], Iterator[Remaining]], ...] = (
    _sealed,
    _headers,
    _sources,
    _echoes,
    _survivors,
    _anew,
    _receipts,
    _tombstones,
    _names,
    _copies,
)
DISCLOSED: tuple[Callable[[Store, Gone], Iterator[Disclosed]], ...] = (_recalls,)
