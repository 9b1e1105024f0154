"""Verifying a store from its files alone: nothing is opened for writing, nothing has to be sound for it to run."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from muniment.claims import (
    ErasedError,
    EraseRecord,
    Header,
    IntegrityError,
    MunimentError,
    header_from,
    is_newer,
)

from .authentic import bears_mac, is_authentic
from .checkpoint import Checkpoint, Signer, is_signed, read_anchor, tenant_of
from .files import Opened, checked_tenant, missing_parts, read_store_key, unreached
from .graph import Graph, collecting_later
from .journal import Head, Raw, head_slots
from .keys import KeyRing
from .merkle import Frontier
from .reading import End, Gap, read_journal
from .replaying import Replay
from .store import opened
from .verification import Finding, Mode, Soundness, Verification

Progress = Callable[[int, int], None]
_INVALID, _TRUNCATED, _DIVERGED = Soundness.INVALID, Soundness.TRUNCATED, Soundness.DIVERGED
_INCOMPLETE = Soundness.INCOMPLETE


def verify_store(
    path: Path,
    tenant: str,
    *,
    mode: Mode,
    anchor: Path | None = None,
    graph: Graph | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Return how one tenant's files stand; `graph` is the one that is open already, if any."""
    checked_tenant(tenant)
    anchors = read_anchor(anchor) if anchor else ()
    with ExitStack() as held:
        check = _Check(path, tenant, mode, progress or _silent)
        check.open(held, graph)
        check.anchor(anchors, given=anchor is not None)
        if check.folder.is_dir():
            with collecting_later():
                check.read()
            check.compare()
        return check.result()


def _silent(_done: int, _whole: int) -> None:
    """Report nothing."""


class _Check:
    """One run over the files of a tenant."""

    def __init__(self, path: Path, tenant: str, mode: Mode, progress: Progress) -> None:
        self.path, self.tenant = path, tenant
        self.mode: Mode = mode
        self.folder = path / tenant
        self.progress = progress
        self.findings: list[Finding] = []
        self.undetermined: list[str] = []
        self.keys: KeyRing | None = None
        self.signer: Signer | None = None
        self.graph: Graph | None = None
        self.edge = Frontier()
        self.head, self.slots = Head(0, 0, b""), list[Head]()
        self.anchors: list[Checkpoint] = []
        self.frontier, self.seen, self.whole = Frontier(), 0, True
        self.roots: dict[int, bytes] = {}
        self.gaps: list[Gap] = []
        self.every = False  # whether every header is to bear a mac
        self.end = End(0, 0)
        self.payloads = self.destroyed = 0
        self.lost: list[int] = []  # the records whose keys the files do not have
        self.keyless: list[tuple[int, int]] = []  # slot and record of each key that is no more
        self.erased: set[int] = set()  # the slots that erasures name
        self.replay: Replay | None = None

    def find(self, soundness: Soundness, message: str, first: int = 0, last: int = 0) -> None:
        """Note something wrong."""
        found = Finding(soundness=soundness, message=message, first=first, last=last or first)
        if found not in self.findings:
            self.findings.append(found)

    # --- what is there -----------------------------------------------------------------------------------------

    def open(self, held: ExitStack, graph: Graph | None) -> None:
        """Open what can be opened, for reading only, and note what is missing."""
        for lacking in missing_parts(self.path, self.tenant):
            self.find(_INCOMPLETE, lacking)
        store_key = read_store_key(self.path)
        if store_key and (self.folder / "keys" / "tenant.keys").exists():
            try:
                self.keys = KeyRing(
                    self.folder / "keys", store_key, self.tenant, unreached, Opened.READ
                )
                held.callback(self.keys.close)
                self.signer = Signer(self.tenant, self.keys.signing)
            except (IntegrityError, ValueError) as error:
                self.find(_INVALID, str(error))
        self._open_head()
        self._open_graph(held, graph)

    def _open_head(self) -> None:
        place = self.folder / "head"
        if not place.exists():
            return
        raw = place.read_bytes()
        slots = head_slots(raw)
        self.slots = [slot for slot in slots if slot]
        self.head = max(self.slots, key=lambda slot: slot.size, default=self.head)
        unused = not slots[1] and not self.head.seq and not any(raw[64:])
        for number, slot in enumerate(slots):
            padding = raw[64 * number + 56 : 64 * number + 64]
            if (not slot and not (number and unused)) or any(padding):
                self.find(
                    _INVALID,
                    f"slot {number} of the head is damaged: it was changed, or a process died while writing it, "
                    "which opening the store mends",
                    self.head.seq,
                )

    def _open_graph(self, held: ExitStack, graph: Graph | None) -> None:
        import duckdb

        place = self.folder / "lineage.duckdb"
        if graph is None and not place.exists():
            if self.folder.is_dir():
                self.find(
                    _INCOMPLETE,
                    f"{self.tenant}/lineage.duckdb is missing: there is no graph to compare; "
                    "opening the store makes it anew",
                )
            return
        try:
            if graph is None:
                graph = Graph(place, Opened.READ)
                held.callback(graph.close)
            self.edge = graph.edge()
            self.graph = graph
        except (duckdb.Error, ValueError) as error:
            said = str(error).partition("\n")[0]
            if "lock on file" in said or "handle conflict" in said:
                self.find(_INCOMPLETE, "the graph is in use by its owner, so it was not compared")
            else:
                self.find(_INVALID, f"the graph cannot be read: {said}")

    # --- the anchor --------------------------------------------------------------------------------------------

    def anchor(self, checkpoints: Sequence[Checkpoint], *, given: bool) -> None:
        """Take the checkpoints of an anchor file: what is wrong with them now, their roots when the tree is known."""
        for point in checkpoints:
            tenant = tenant_of(point.origin)
            if not tenant:
                self.undetermined.append(f"{point.origin}: the anchor names a log that is not ours")
            elif tenant != self.tenant:
                if not (self.path / tenant / "journal").is_dir():
                    self.find(
                        _TRUNCATED,
                        f"tenant {tenant} is missing: the anchor holds a checkpoint over its {point.size} records",
                    )
            else:
                self._own_anchor(point)
        if not given:
            self.undetermined.append(
                "no anchor was given: a journal and a head set back together would not be seen"
            )
        elif not self.anchors and self.folder.is_dir():
            self.find(_INCOMPLETE, f"the anchor holds no checkpoint of tenant {self.tenant}")

    def _own_anchor(self, point: Checkpoint) -> None:
        self.anchors.append(point)
        if not self.folder.is_dir():
            self.find(
                _TRUNCATED,
                f"tenant {self.tenant} is missing: the anchor holds a checkpoint over its {point.size} records",
            )
        if self.signer is None:
            self.undetermined.append("the anchor's signatures: there is no key to check them with")
        elif point.origin != self.signer.name:
            self.find(
                _DIVERGED, f"the anchor is of {point.origin}, this journal is {self.signer.name}"
            )
        elif not is_signed(point.note, self.signer.key):
            self.find(
                _INVALID,
                f"the anchor's checkpoint over {point.size} records bears no signature of this journal",
            )

    # --- the journal -------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the whole journal: checksums, numbers, the tree; in full mode also what is sealed and the replay."""
        if self.mode == "full" and self.graph:
            self.replay = Replay(self.graph, self.edge.size)
        marks = {
            self.edge.size,
            *(one.seq for one in self.slots),
            *(one.size for one in self.anchors),
        }
        self.roots[0] = self.frontier.root()
        for item in read_journal(self.folder / "journal"):
            match item:
                case Raw():
                    self._record(item)
                    if self.whole and self.seen in marks:
                        self.roots[self.seen] = self.frontier.root()
                case Gap():
                    self.gaps.append(item)
                case End():
                    self.end = item
        self._gaps(max(self.head.seq, self.seen))
        self._keyless()

    def _record(self, raw: Raw) -> None:
        try:
            header = header_from(raw.header)
        except ValueError as error:
            self._unreadable(raw, error)
            return
        after_gap = bool(self.gaps)
        self._gaps(header.seq - 1)
        if header.seq != self.seen + 1 and not after_gap:
            self.find(_INVALID, f"it calls itself {header.seq}", self.seen + 1)
            self.whole = False
        self.seen = header.seq
        self._grow(raw)
        if self.mode == "full":
            if isinstance(header, EraseRecord):
                for run in header.slots:
                    self.erased.update(range(run.first, run.first + run.count))
            self._payloads(header, raw)
            if self.replay and self.whole:
                fault = self.replay.take(header, raw.position, self.frontier)
                if fault:
                    self.find(_INVALID, fault, header.seq)
        self.progress(self.seen, max(self.head.seq, self.seen))

    def _ours(self, raw: Raw) -> None:
        """Check that a record was written with the tenant's key, as all are where the first is."""
        bears = bears_mac(raw.header)
        self.every = self.every or (self.seen == 1 and bears)
        if self.keys and (self.every or bears) and not is_authentic(self.keys, raw.header):
            self.find(_INVALID, "it was not written with this store's key", self.seen)

    def _grow(self, raw: Raw) -> None:
        self._ours(raw)
        if self.whole:
            self.frontier.append(raw.header)

    def _unreadable(self, raw: Raw, error: ValueError) -> None:
        self._gaps(self.seen + 1)
        self.seen += 1
        if is_newer(raw.header):
            said = "it was written by a newer version: install a newer muniment to check it"
            self.find(_INCOMPLETE, said, self.seen)
            self._grow(raw)
            if self.replay:
                self.replay.stop()
        else:
            said = f"its header cannot be read ({type(error).__name__})"
            self.find(_INVALID, said, self.seen)
            self.whole = False

    def _gaps(self, last: int) -> None:
        """Note the gaps met since the last record, now that the number of the next one is known."""
        for gap in self.gaps:
            torn = not gap.missing and self.head.size and gap.position >= self.head.size
            if torn:
                self.undetermined.append(
                    f"what stood after byte {gap.position}: a write that was never acknowledged; opening drops it"
                )
                continue
            cut = (
                gap.missing
                or self.end.length
                and self.end.length < self.head.size
                and gap.position >= self.end.position
            )
            lost = last > self.seen
            self.find(
                _TRUNCATED if cut else _INVALID,
                gap.message,
                self.seen + 1,
                max(last, self.seen + 1),
            )
            self.whole = self.whole and not lost
        self.gaps.clear()

    def _payloads(self, header: Header, raw: Raw) -> None:
        if self.keys is None:
            return
        if len(raw.payloads) != len(header.seals):
            self.find(
                _INVALID, "it holds another number of payloads than its header seals", header.seq
            )
            return
        for place, sealed in enumerate(header.seals):
            self.payloads += 1
            try:
                opened(self.keys, header, raw.payloads, place)
            except (MunimentError, ValueError) as error:
                if not self.keys.holds(sealed.slot):
                    self.lost.append(header.seq)
                elif isinstance(error, ErasedError):
                    self.keyless.append((sealed.slot, header.seq))
                else:
                    said = str(error).removeprefix(f"record {header.seq}: ")
                    self.find(_INVALID, said, header.seq)

    def _keyless(self) -> None:
        """Tell the keys that an erasure destroyed from those that are just not there."""
        for slot, seq in self.keyless:
            if slot in self.erased:
                self.destroyed += 1
            else:
                said = "the key of its words is missing and no erasure says why"
                self.find(_INCOMPLETE, said, seq)
        if self.lost:
            many = len(set(self.lost))
            said = f"the keys of the words of {many} records are missing"
            self.find(_INCOMPLETE, said, self.lost[0], self.lost[-1])
        back = sum(map(self.keys.is_alive, self.erased)) if self.keys else 0
        if back:
            self.undetermined.append(
                f"{back} keys that an erasure destroyed are still there, or there again: opening destroys them"
            )

    # --- what they say of each other ---------------------------------------------------------------------------

    def compare(self) -> None:
        """Compare what the journal holds with the head, the graph and the anchor."""
        if self.end.length < self.head.size:
            missing = self.head.size - self.end.length
            known = self.frontier.size
            self.find(
                _TRUNCATED,
                f"{missing} bytes after byte {self.end.length} are missing; "
                f"the head acknowledges {self.head.seq} records",
                min(known + 1, self.head.seq),
                self.head.seq,
            )
        elif self.slots and self.whole and self.seen < self.head.seq:
            self.find(
                _INVALID,
                f"the head acknowledges {self.head.seq} records, the journal gives {self.seen}",
                self.seen + 1,
                self.head.seq,
            )
        for slot in self.slots:
            self._same_root(slot.seq, slot.root, _INVALID, "the head")
        for point in self.anchors:
            self._anchored(point)
        self._graph()
        if self.replay and self.replay.fault:
            self.find(
                _INVALID,
                f"the graph is not what the journal says ({self.replay.fault}): `muniment rebuild` makes it anew",
                self.replay.record,
            )
        if self.seen > self.head.seq and self.slots:
            self.undetermined.append(
                f"records {self.head.seq + 1} to {self.seen} were written and never acknowledged; opening keeps them"
            )

    def _same_root(self, size: int, root: bytes, otherwise: Soundness, whose: str) -> None:
        found = self.roots.get(size)
        if found is None or found == root:
            return
        # What a rewritten journal says of itself is no witness against the anchor.
        agreed = [0]
        agreed += [one.size for one in self.anchors if self.roots.get(one.size) == one.root]
        if otherwise is not _DIVERGED:
            agreed += [one.seq for one in self.slots if self.roots.get(one.seq) == one.root]
            if self.roots.get(self.edge.size) == self.edge.root():
                agreed.append(self.edge.size)
        first = max(one for one in agreed if one < size) + 1
        self.find(
            otherwise, f"{whose} has another root over {size} records: one was changed", first, size
        )

    def _anchored(self, point: Checkpoint) -> None:
        known = max(self.head.seq, self.seen)
        if point.size > known:
            self.find(
                _TRUNCATED,
                f"the anchor holds a checkpoint over {point.size} records, the journal has {known}",
                known + 1,
                point.size,
            )
        self._same_root(point.size, point.root, _DIVERGED, "the anchor")

    def _graph(self) -> None:
        known = max(self.head.seq, self.seen)
        if self.graph is None:
            return
        if self.edge.size > known:
            self.find(
                _TRUNCATED,
                f"the graph knows {self.edge.size} records, the journal has {known}",
                known + 1,
                self.edge.size,
            )
        self._same_root(self.edge.size, self.edge.root(), _INVALID, "the graph")

    def result(self) -> Verification:
        """Return everything that was found."""
        if self.mode == "fast":
            self.undetermined.append(
                "whether the sealed words match their commitments: fast opens none"
            )
        if self.keys is None:
            self.undetermined.append(
                "whether every record was written with this store's key, and whether the sealed words match their "
                "commitments: there is no key"
            )
        if self.destroyed:
            self.undetermined.append(
                f"what {self.destroyed} payloads said: their keys were destroyed"
            )
        sorts = {found.soundness for found in self.findings}
        return Verification(
            tenant=self.tenant,
            mode=self.mode,
            soundness=next((one for one in Soundness if one in sorts), Soundness.OK),
            records=self.seen,
            root=self.frontier.root().hex(),
            payloads=self.payloads,
            destroyed=self.destroyed,
            findings=tuple(self.findings),
            undetermined=tuple(dict.fromkeys(self.undetermined)),
        )
