"""One tenant's store: the only door to the journal, with the graph following behind."""

import hmac
import json
import os
import secrets
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from copy import copy
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from muniment.claims import (
    OPERATIONS,
    UNREADABLE,
    Clock,
    ErasedError,
    EraseRecord,
    FormatError,
    Header,
    IdFactory,
    Integrity,
    IntegrityError,
    InvalidError,
    ReceiptRecord,
    Scope,
    Seal,
    SourceRecord,
    StorageError,
    canonical_bytes,
    header_bytes,
    header_from,
    is_newer,
    to_micros,
)

from .authentic import BLANK, authentic, bears_mac, is_authentic
from .files import Opened, Reach, lock, tenant_folder, tenant_to_read
from .graph import IN_MEMORY, Graph
from .journal import Journal, Raw, decode_record, encode_record
from .keys import KeyRing, commitment, lost_keys, seal, unseal
from .names import Names
from .opening import read_through
from .prints import PrintMap
from .state import State
from .verification import Soundness

Words = Mapping[str, Any]
"""What a sealed payload holds: a JSON object."""

Propositions = dict[int, dict[str, tuple[int, ...]]]
"""By scope and what they say the claims, in the order they were written, whatever became of them.

A scope is entered when it is first written to.
"""

Slots = dict[int, dict[str, dict[int, str]]]
"""By scope and slot the claims with what each says there; a scope is entered when it is first asked about."""

Progress = Callable[[int, int], None]
_POST_AT = 4_000  # records the graph may trail before it is brought up in passing
_MOST_AT_HAND, _SHORT = 64, 16 * 1024  # sources, and bytes of one
_SALT = 16
BAR = "█"  # for each code point of an erased part
_BAR = {
    "request": "",
    "asserted_source": "",
    "zone": "",
    "whole": "",
}  # beside the text of a part that was erased
_SLOT = b'"slot":'


class Sealable(NamedTuple):
    """Words to be sealed; `slot` names an existing key, -1 asks for a new one."""

    words: Words
    slot: int = -1


class Store:
    """Journal, keys and graph of one tenant, owned by this process."""

    def __init__(
        self,
        path: Path,
        store_key: bytes,
        tenant: str,
        *,
        clock: Clock,
        ids: IdFactory,
        reach: Reach,
        access: Opened = Opened.WRITE,
        gone: Collection[int] = (),
    ) -> None:
        """Open the files; `gone` are slots whose erasure a restore has yet to write into this journal."""
        reads = access is Opened.READ
        self.folder = tenant_to_read(path, tenant) if reads else tenant_folder(path, tenant)
        self.access, self.tenant, self._gone = access, tenant, gone
        self._clock, self._ids, self.reach = clock, ids, reach
        self.lock = threading.RLock()
        # A reader holds the folder only: what it reads is appended to and never changed.
        self._lock_file = os.open(self.folder, os.O_RDONLY) if reads else lock(self.folder)
        self.notes: list[str] = []
        self._pending: list[tuple[Header, int]] = []
        self._group: list[tuple[Header, bytes]] = []
        self._depth = 0
        self.propositions: Propositions = {}
        # What an agent only read in a named session, by who and where: in memory, so a restart forgets it.
        self.heard: dict[Scope, Integrity] = {}
        self._at_hand: dict[int, tuple[Header, list[dict[str, Any]]]] = {}
        self.wholes: dict[int, str] = {}
        self.slots: Slots = {}
        self.given: dict[int, PrintMap] = {}
        self.themes: dict[int, str] = {}
        self.exact: dict[int, str] = {}
        self.logins: dict[int, list[tuple[int, Mapping[str, Any]]]] = {}
        self.vouched: tuple[tuple[tuple[int, int], ...], dict[str, int]] = ((), {})
        self.committed: Callable[[], None] = _ignore
        with ExitStack() as undone:  # an error leaves nothing open, the lock least of all
            undone.callback(os.close, self._lock_file)
            self.keys = KeyRing(self.folder / "keys", store_key, tenant, reach, access)
            undone.callback(self.keys.close)
            self.journal = Journal(self.folder / "journal", self.folder / "head", reach, access)
            undone.callback(self.journal.close)
            self.graph, self.state = self._replayed() if reads else self._open_graph()
            undone.callback(self.graph.close)
            self._check_keys()
            if not reads:
                self.keys.destroy(
                    slot_runs(self.state.destroyed)
                )  # what a crash left of an erasure
            self.names = Names(self)
            self.keyless = self._keyless()
            undone.pop_all()

    # --- opening -----------------------------------------------------------------------------------------------

    def _open_graph(self) -> tuple[Graph, State]:
        import duckdb

        path = self.folder / "lineage.duckdb"
        with ExitStack() as undone:
            try:
                graph = Graph(path)
                undone.callback(graph.close)
                state, end = graph.load()
            except (duckdb.Error, IntegrityError, KeyError, ValueError) as error:
                undone.close()
                self._check_journal(State())
                return self._graph_anew(path, f"the graph file could not be read: {error}")
            check_known(graph.operations())
            self._check_journal(state, graph)
            ahead = end > self.journal.size
            try:
                # Beyond the head yet within the journal: one slot of the head is damaged, the other a write older.
                if not ahead and state.seq <= self.journal.head.seq:
                    self._replay(state, end)
                    undone.pop_all()
                    return graph, state
                fault = "it knows more records"
            except (IntegrityError, KeyError) as error:
                if not end:
                    raise
                fault = str(error)
            if ahead and not self._is_of_another_store(state):
                raise IntegrityError(
                    "the journal was cut",
                    findings=(
                        f"the graph knows {state.seq} records, the journal acknowledges {self.journal.head.seq}; "
                        "put back the journal and the head of the same moment",
                    ),
                )
            undone.close()
            return self._graph_anew(
                path, f"the graph file does not belong to this journal: {fault}"
            )

    def _check_journal(self, state: State, graph: Graph | None = None) -> None:
        """Raise IntegrityError where the journal is not what its head acknowledges, or what the graph was made from."""
        read = read_through(self.folder / "journal", self.journal.head, state.seq)
        same = not read.root or read.root == state.frontier.root()
        if not read.sound or not (same or self._is_of_another_store(state)):
            raise IntegrityError(
                "the journal was damaged, or changed behind the store's back: `muniment verify` locates it, "
                "read_only=True opens what can still be read; keep this copy and restore a backup",
                findings=self._damage(graph),
            )

    def _damage(self, graph: Graph | None) -> tuple[str, ...]:
        from .verifying import verify_store

        found = verify_store(self.folder.parent, self.tenant, mode="fast", graph=graph).findings
        return tuple(str(one) for one in found if one.soundness is not Soundness.INCOMPLETE)

    def _check_keys(self) -> None:
        lacking = self.keys.lacking(self.state.next_slot)
        if lacking and self.access is Opened.WRITE:
            # Written on, the slots in between would read as destroyed for ever.
            raise IntegrityError("keys are missing", findings=(lacking,))
        if lacking:
            self.notes.append(lacking)

    def _replayed(self) -> tuple[Graph, State]:
        """Return the state a reader has from the journal alone, with a graph that stays empty.

        Where the journal is damaged the state is the graph's, if that has all of it: `notes` say what is wrong.
        """
        state = State()
        try:
            self._check_journal(state)
        except IntegrityError as error:
            return Graph(IN_MEMORY), self._state_of_graph(error)
        self._replay(
            state, 0
        )  # what is whole and yet not ours is no damage: nothing of it is taken
        self._pending.clear()
        return Graph(IN_MEMORY), state

    def _state_of_graph(self, damage: IntegrityError) -> State:
        import duckdb

        try:
            graph = Graph(self.folder / "lineage.duckdb", Opened.READ)
            try:
                state, _ = graph.load()
            finally:
                graph.close()
        except (duckdb.Error, KeyError, ValueError):
            raise damage from None
        if state.seq < self.journal.head.seq:
            raise damage
        self.notes.append(f"{damage}; how things stand is taken from the graph")
        return state

    def _keyless(self) -> frozenset[int]:
        """Return the claims none of whose words has its key here: only a store that was restored can have such."""
        if not self.state.restores or not lost_keys(self.folder / "keys"):
            return frozenset()
        return frozenset(
            claim.seq
            for claim in self.state.claims.values()
            if claim.assertions
            and not any(self.keys.holds(self.header(seq).seals[0].slot) for seq in claim.assertions)
        )

    def _is_of_another_store(self, state: State) -> bool:
        first = next(self.journal.scan(), None)
        return first is not None and header_from(first.header).id != state.names[1]

    def _graph_anew(self, path: Path, why: str) -> tuple[Graph, State]:
        self.notes.append(f"{why}; it was made anew from the journal")
        self._pending.clear()
        _forget(path)
        state = State()
        self._replay(state, 0)
        with graphing():
            return Graph(path), state

    def _replay(self, state: State, position: int) -> None:
        head = self.journal.head
        root = state.frontier.root() if state.seq == head.seq else b""
        first = next(self.journal.scan(), None)
        every = first is not None and bears_mac(first.header)
        for raw in self.journal.scan(position):
            self._must_be_ours(raw.header, state.seq + 1, every)
            self._pending.append(_folded(state, raw.header, raw.position))
            if state.seq == head.seq:
                root = state.frontier.root()
        if head.seq and root != head.root:
            raise IntegrityError(
                "the journal is not the one its head acknowledges",
                findings=(
                    f"the tree over {head.seq} records has another root: a record was changed",
                ),
            )
        if state.seq > head.seq and self.access is Opened.WRITE:
            self.journal.acknowledge(state.seq, state.frontier.root())
        self.keys.start_at(state.next_slot)

    def _must_be_ours(self, raw: bytes, seq: int, every: bool) -> None:
        """Raise IntegrityError for a header that was not written with this tenant's key; `every`: none lacks a mac."""
        if (every or bears_mac(raw)) and not is_authentic(self.keys, raw):
            raise IntegrityError(
                "the journal holds a record that this store did not write: its files were changed from outside; "
                "keep this copy and put back one from before",
                findings=(f"record {seq} was not written with this store's key",),
            )

    # --- reading -----------------------------------------------------------------------------------------------

    def header(self, seq: int) -> Header:
        """Return the header of a record."""
        return _read(self._raw(seq).header, seq)

    def words(self, seq: int, place: int = 0) -> dict[str, Any]:
        """Return what the sealed payload `place` of a record holds; ErasedError when its key is gone."""
        raw = self._raw(seq)
        return self._opened(_read(raw.header, seq), raw.payloads, place)

    def record(self, seq: int) -> tuple[Header, list[dict[str, Any]]]:
        """Return a record's header and everything sealed in it."""
        raw = self._raw(seq)
        header = _read(raw.header, seq)
        return header, self._all_opened(header, raw.payloads)

    def source(self, seq: int) -> tuple[Header, list[dict[str, Any]]]:
        """Return a source's header and what is sealed in it, not to be changed; the last few short ones stay at hand.

        A source is cited again and again, mostly soon after it came.
        """
        found = self._at_hand.get(seq)
        if found is None:
            raw = self._raw(seq)
            header = _read(raw.header, seq)
            found = header, self._all_opened(header, raw.payloads)
            if sum(map(len, raw.payloads)) <= _SHORT:
                if len(self._at_hand) >= _MOST_AT_HAND:
                    self._at_hand.clear()
                self._at_hand[seq] = found
        return found

    def bodies(self, seqs: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield (number, first sealed body) of records in the order of their numbers, read in one pass.

        What opens is what was sealed for that record; its commitment is not looked at. Words without their key are left
        out.
        """
        self.check_open()
        written = len(self.state.positions)
        places = [self.state.positions[seq] for seq in seqs if seq < written]
        held = (decode_record(self._group[seq - written][1], 0) for seq in seqs if seq >= written)
        for seq, raw in zip(seqs, chain(self.journal.read_all(places), held), strict=True):
            try:
                key = self.keys.key(_first_slot(raw.header))
            except UNREADABLE:
                continue
            yield seq, unseal(key, raw.payloads[0], _context(self.state.names[seq], 0))[_SALT:]

    def reading(self, state: State) -> "Store":
        """Return this store for a reader of another state of the same journal; nothing is written through it."""
        other = copy(self)
        other.state, other.slots, other._at_hand = state, {}, {}
        return other

    def check_open(self) -> None:
        """Raise InvalidError after the store was closed: its files may belong to others now."""
        if self._lock_file < 0:
            raise InvalidError("this memory is closed; open it again with Memory.open")

    def _raw(self, seq: int) -> Raw:
        self.check_open()
        written = len(self.state.positions)
        if seq < written:
            return self.journal.read(self.state.positions[seq])
        return decode_record(self._group[seq - written][1], 0)

    def _all_opened(self, header: Header, payloads: Sequence[bytes]) -> list[dict[str, Any]]:
        """Return everything sealed in a record; of a source some of whose parts were erased, those as black bars."""
        places = range(len(header.seals))
        gone = [place for place in places if self._is_destroyed(header.seals[place].slot)]
        if not isinstance(header, SourceRecord) or len(gone) in (0, len(places)):
            return [self._opened(header, payloads, place) for place in places]
        return [
            {**_BAR, "text": BAR * (part.end - part.start)}
            if part.seal in gone
            else self._opened(header, payloads, part.seal)
            for part in header.parts
        ]

    def _is_destroyed(self, slot: int) -> bool:
        return slot in self.state.destroyed or slot in self._gone

    def _opened(self, header: Header, payloads: Sequence[bytes], place: int) -> dict[str, Any]:
        words: dict[str, Any] = json.loads(self._unsealed(header, payloads, place)[1])
        return words

    def _unsealed(
        self, header: Header, payloads: Sequence[bytes], place: int
    ) -> tuple[bytes, bytes]:
        try:
            return opened(self.keys, header, payloads, place)
        except ErasedError:
            slot = header.seals[place].slot
            if self._is_destroyed(slot):
                raise
            raise IntegrityError(
                f"record {header.seq}: the key of its words is missing and no erasure says why; "
                "put back the newest copy of the folder keys/"
            ) from None

    def disclosed(self, seq: int, place: int) -> tuple[bytes, bytes]:
        """Return the salt and the exact bytes of a sealed payload, with which its commitment can be checked."""
        raw = self._raw(seq)
        return self._unsealed(_read(raw.header, seq), raw.payloads, place)

    # --- writing -----------------------------------------------------------------------------------------------

    @contextmanager
    def group(self) -> Generator["Store"]:
        """Write everything added inside as one atomic group: durable when the block ends, or not at all.

        A group inside a group is part of the outer one; when it fails, only what was added inside it is taken back.
        """
        with self.lock:
            self.check_open()
            self.journal.check_writable()  # before a key is made over that of a record whose fate is unknown
            self._depth += 1
            before = len(self._group) if self._depth > 1 else 0
            try:
                yield self
                if self._depth == 1:
                    self._commit()
            except BaseException:
                self._restore(before)
                raise
            finally:
                self._depth -= 1

    def now(self) -> tuple[int, bool]:
        """Return the time of the next record in microseconds, never before the last, and whether it was nudged."""
        now = to_micros(self._clock())
        return (now, False) if now >= self.state.at else (self.state.at, True)

    def new_id(self) -> str:
        """Return an identifier that nothing has yet."""
        return self._ids()

    def add(
        self, shape: Callable[..., Header], sealables: Sequence[Sealable] = (), **fields: Any
    ) -> Header:
        """Add one record to the group and return its header; its words are sealed under keys of their own."""
        at, nudged = self.now()
        identifier = fields.pop("id", "") or self._ids()
        seals: list[Seal] = []
        payloads: list[bytes] = []
        for place, (words, slot) in enumerate(sealables):
            slot, key = self.keys.take() if slot < 0 else (slot, self.keys.key(slot))
            body, salt = canonical_bytes(words), secrets.token_bytes(_SALT)
            payloads.append(seal(key, salt + body, _context(identifier, place)))
            seals.append(Seal(slot=slot, commitment=commitment(salt, body)))
        header = shape(
            id=identifier,
            seq=self.state.seq + 1,
            at=at,
            nudged=nudged,
            seals=tuple(seals),
            mac=BLANK,
            **fields,
        )
        raw, mac = authentic(self.keys, header_bytes(header))
        header = header.model_copy(update={"mac": mac})
        self._group.append((header, encode_record(raw, payloads)))
        self.state.apply(header)
        self.state.frontier.append(raw)
        return header

    def _commit(self) -> None:
        if not self._group:
            return
        positions = self.journal.append(
            [encoded for _, encoded in self._group],
            self.state.seq,
            self.state.frontier.root(),
            # A receipt is written at every recall, and delays the answer by one fsync.
            head_follows=all(isinstance(header, ReceiptRecord) for header, _ in self._group),
        )
        for (header, _), position in zip(self._group, positions, strict=True):
            self.state.positions.append(position)
            self._pending.append((header, position))
        erasures = [header for header, _ in self._group if isinstance(header, EraseRecord)]
        self._group.clear()
        self.committed()
        # The record first: a crash after it is made good at the next opening, keys gone without it would be damage.
        for header in erasures:
            self.reach("erase.recorded")
            self.given.clear()
            self.themes = {}
            self._at_hand.clear()
            self.exact, self.logins = {}, {}
            for claim in (*header.claims, *(one.claim for one in header.renderings)):
                self.propositions.pop(self.state.claims[self.state.ids[claim]].scope, None)
            self.keys.destroy((run.first, run.count) for run in header.slots)
            if header.names:
                self.names = Names(self)
        if len(self._pending) >= _POST_AT:
            with suppress(
                StorageError
            ):  # the group is durable; the graph trails until it can be written
                self.post()

    def _restore(self, keep: int) -> None:
        """Take the state back to what the journal holds and the first records of the group, after a failure."""
        import duckdb

        kept = self._group[:keep]
        self._group = []
        self._pending.clear()
        self.propositions = {}
        self.wholes, self.slots, self.given, self.themes = {}, {}, {}, {}
        self.exact, self.vouched, self.logins = {}, ((), {}), {}
        self._at_hand.clear()
        try:
            self.state, end = self.graph.load()
            self._replay(self.state, end)
        except duckdb.Error:
            self.journal.stop()
            self.state = State()
            self._replay(self.state, 0)
            self._pending.clear()
        for header, encoded in kept:
            self._group.append((header, encoded))
            self.state.apply(header)
            self.state.frontier.append(header_bytes(header))
        self.keys.start_at(self.state.next_slot)
        self.names = Names(self)

    def post(self) -> None:
        """Bring the graph up to the journal's end."""
        with self.lock:
            if self._pending:
                self.reach("graph.before_post")
                self.journal.settle_head()  # the graph is not to know more than the head
                with graphing():
                    self.graph.post(
                        self._pending, self.state, self.state.frontier, self.journal.size
                    )
                self._pending.clear()
                self.reach("graph.posted")

    # --- proof and repair --------------------------------------------------------------------------------------

    def rebuild(self, progress: Progress | None = None) -> bool:
        """Make the graph anew from the journal and return whether it equals the one that stood before."""
        if self.access is Opened.READ:
            self.journal.check_writable()
        with self.lock, graphing():
            self.post()
            before, path = self.graph.digest(), self.folder / "lineage.duckdb"
            fresh = path.with_name("lineage.new.duckdb")
            _forget(fresh)
            graph, state = graph_of(self.journal, fresh, progress)
            equal = graph.digest() == before
            graph.close()
            self.graph.close()
            _forget(path)
            fresh.rename(path)
            self.graph, self.state = Graph(path), state
            self.names = Names(self)
            return equal

    def close(self) -> None:
        """Bring the graph up and let go of every file; a second call does nothing."""
        with self.lock:
            if self._lock_file < 0:
                return
            try:
                self.post()
            finally:
                self.graph.close()
                self.journal.close()
                self.keys.close()
                os.close(self._lock_file)
                self._lock_file = -1


def graph_of(journal: Journal, path: Path, progress: Progress | None = None) -> tuple[Graph, State]:
    """Return a graph made anew at a path from a whole journal, and the state it holds."""
    graph, state, batch = Graph(path), State(), list[tuple[Header, int]]()
    for raw in journal.scan():
        batch.append(_folded(state, raw.header, raw.position))
        if len(batch) >= 20_000:
            graph.post(batch, state, state.frontier, raw.position)
            batch.clear()
            if progress:
                progress(state.seq, journal.head.seq)
    graph.post(batch, state, state.frontier, journal.size)
    if progress:
        progress(state.seq, journal.head.seq)
    return graph, state


def slot_runs(slots: Iterable[int]) -> list[tuple[int, int]]:
    """Return runs of slots, (first, count), that hold these and no others."""
    runs: list[tuple[int, int]] = []
    for slot in sorted(slots):
        if runs and sum(runs[-1]) == slot:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((slot, 1))
    return runs


def _ignore() -> None:
    """Do nothing after a group became durable."""


@contextmanager
def graphing() -> Generator[None]:
    """Turn an error of the graph's file into StorageError with the way out."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise StorageError(
            f"the graph could not be written: {error}; make room on the disk and open the store again, "
            "the journal holds everything"
        ) from error


def check_known(operations: Iterable[str]) -> None:
    """Raise FormatError for an operation that only a newer version knows."""
    unknown = sorted(set(operations) - OPERATIONS)
    if unknown:
        raise FormatError(
            f"the journal holds operations that this version does not know ({', '.join(unknown)}): "
            "install a newer muniment"
        )


def _read(raw: bytes, seq: int) -> Header:
    try:
        header = header_from(raw)
        if header.seq != seq:
            raise ValueError(f"it calls itself {header.seq}")
        return header
    except ValueError as error:
        if is_newer(raw):
            raise FormatError(
                f"record {seq} of the journal was written by a newer version: install a newer muniment"
            ) from None
        raise IntegrityError(
            f"record {seq} of the journal was changed: its header cannot be read ({type(error).__name__})"
        ) from None


def _first_slot(raw: bytes) -> int:
    """Return the slot of a header's first seal, from its canonical bytes: a header holds no words to mistake for it."""
    start = raw.index(_SLOT) + len(_SLOT)
    return int(raw[start : raw.index(b"}", start)])


def _folded(state: State, raw: bytes, position: int) -> tuple[Header, int]:
    header = _read(raw, state.seq + 1)
    state.apply(header)
    state.frontier.append(raw)
    state.positions.append(position)
    return header, position


def opened(
    keys: KeyRing, header: Header, payloads: Sequence[bytes], place: int
) -> tuple[bytes, bytes]:
    """Return the salt and the body of a sealed payload; IntegrityError where the header commits to another."""
    if place >= min(len(header.seals), len(payloads)):
        raise IntegrityError(f"record {header.seq}: it holds fewer payloads than it should")
    sealed = header.seals[place]
    plain = unseal(keys.key(sealed.slot), payloads[place], _context(header.id, place))
    salt, body = plain[:_SALT], plain[_SALT:]
    if not hmac.compare_digest(commitment(salt, body), sealed.commitment):
        raise IntegrityError(
            f"record {header.seq}: its words do not match the commitment in its header"
        )
    return salt, body


def _context(identifier: str, place: int) -> bytes:
    return identifier.encode("ascii") + place.to_bytes(2, "big")


def _forget(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_name(path.name + ".wal").unlink(missing_ok=True)
