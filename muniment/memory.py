"""The face of a store: opened once by the host, asked through sessions."""

import logging
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from muniment.claims import Basis, Clock, IdFactory, Scope, new_id, system_clock
from muniment.lineage import (
    Erasure,
    Host,
    Progress,
    Reach,
    Store,
    prepare_store,
    unreached,
    write_policy,
)
from muniment.policy import DEFAULT_HINTS, DEFAULT_POLICY, Hint, Policy, read_policy
from muniment.retrieval import Embedder, Index, UniversalSentenceEncoder, WordsAndPairs

from .erasing import erase_by_host, erase_person
from .given import text_given
from .indexing import IndexFollower
from .ingest import IngestReport, ingest
from .session import Session

_log = logging.getLogger(__name__)


class Memory:
    """One tenant of a store, owned by this process until closed. For the host, never for model-written code."""

    def __init__(
        self,
        path: Path,
        store: Store,
        host: Host,
        policy: Policy,
        embedder: Embedder,
        hints: Sequence[Hint],
        clock: Clock,
    ) -> None:
        self.path = path
        self.host = host
        self.policy = policy
        self.hints = tuple(hints)
        self.store = store
        self.clock = clock
        self._embedder = embedder
        self._follower: IndexFollower | None = None

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        tenant: str = "default",
        clock: Clock = system_clock,
        ids: IdFactory = new_id,
        embedder: Embedder | None = None,
        hints: Sequence[Hint] = DEFAULT_HINTS,
        reach: Reach = unreached,
    ) -> "Memory":
        """Return the memory at a path, made where the folder is absent or empty.

        `embedder` replaces the default one; `hints` are the detectors, of which an empty sequence switches all off;
        `reach` is called with the name of each failpoint. Raises BusyError, FormatError, IntegrityError, InvalidError.
        """
        folder = Path(path)
        store_key, host = prepare_store(folder, DEFAULT_POLICY)
        policy = read_policy(folder / "policy.toml")
        store = Store(folder, store_key, tenant, clock=clock, ids=ids, reach=reach)
        memory = cls(
            folder, store, host, policy, embedder or UniversalSentenceEncoder(), hints, clock
        )
        try:
            if store.state.policy != policy.digest:
                with store.group():
                    write_policy(store, policy.digest, policy.model_dump_json())
            erasures, index = store.state.erasures, store.folder / "index.lance"
            if erasures and index.exists() and Index.applied_on_disk(index) < erasures[-1]:
                memory.forget_erased()  # what a crash left of an erasure
        except BaseException:
            memory.close()
            raise
        return memory

    def session(
        self,
        *,
        person: str = "",
        project: str = "",
        org: str = "",
        channel: str = "",
        agent: str = "",
        session: str = "",
    ) -> Session:
        """Return a session for what the host has authenticated.

        With a person alone, the person herself acts; with an agent, the agent acts for the person and its words are a
        model's. With neither, nothing is found and nothing is kept.
        """
        names = {
            "org": org,
            "person": person,
            "project": project,
            "channel": channel,
            "agent": agent,
            "session": session,
        }
        scope = Scope(**{field: text_given(name, f"the {field}") for field, name in names.items()})
        return Session(self, scope)

    @property
    def index_now(self) -> Index | None:
        """The index brought up to the journal: made anew where its files cannot be used, None where that fails too."""
        self.store.check_open()
        for _ in range(2):
            try:
                follower = self._following()
                follower.catch_up()
                return follower.index
            except (OSError, RuntimeError, ValueError) as error:
                _log.warning("the index cannot be used and is made anew: %s", type(error).__name__)
                self._let_go_of_index()
                _forget(self.store.folder / "index.lance")
        return None

    def _let_go_of_index(self) -> None:
        if self._follower is not None:
            self._follower.stop()
            self._follower = None

    def _following(self) -> IndexFollower:
        if self._follower is None:
            index = Index.open(
                self.store.folder / "index.lance",
                key=self.store.keys.index,
                embedder=self._embedder,
                tokeniser=WordsAndPairs(),
            )
            self._follower = IndexFollower(self.store, index)
        return self._follower

    def index(self, progress: Progress | None = None) -> int:
        """Let the index take in what it lacks and return how many entries that were."""
        return self._following().catch_up(progress)

    def erase(
        self,
        thing: str,
        *,
        basis: Basis | str = "",
        reason: str = "",
        dry_run: bool = False,
    ) -> Erasure:
        """Destroy anybody's claim or source by its identifier, with everything written from it; for the operator."""
        with self.store.lock:
            erasure = erase_by_host(self.store, thing, basis=basis, reason=reason, dry_run=dry_run)
        return self.forgotten(erasure)

    def erase_person(
        self,
        name: str,
        *,
        basis: Basis | str = "",
        reason: str = "",
        dry_run: bool = False,
    ) -> Erasure:
        """Destroy everything of a person: her scopes, what she said in shared ones, her name; for the operator."""
        with self.store.lock:
            erasure = erase_person(self.store, name, basis=basis, reason=reason, dry_run=dry_run)
        return self.forgotten(erasure)

    def forgotten(self, erasure: Erasure) -> Erasure:
        """Return an erasure after the index has let go of what it destroyed."""
        if not erasure.dry_run:
            self.forget_erased()
        return erasure

    def forget_erased(self) -> None:
        """Rewrite the index without what was erased, or remove it whole where that fails: it can be made again."""
        path = self.store.folder / "index.lance"
        if self._follower is None and not path.exists():
            return
        self.store.reach("erase.before_index")
        try:
            self._following().catch_up()
        except (OSError, RuntimeError, ValueError) as error:
            _log.warning("the index could not forget and is removed: %s", type(error).__name__)
            self._let_go_of_index()
            _forget(path)

    def ingest(self, lines: Iterable[str], *, progress: Progress | None = None) -> IngestReport:
        """Take in JSONL lines and return what became of them; wrong lines are named, good ones are kept."""
        return ingest(self.store, self.policy, self.clock, lines, progress)

    def rebuild(self, progress: Progress | None = None) -> bool:
        """Make the graph anew from the journal, drop the index, and return whether the graph is the same."""
        equal = self.store.rebuild(progress)
        self._following().clear()
        return equal

    def verify(self, progress: Progress | None = None) -> tuple[str, ...]:
        """Return what is wrong with the store's record; nothing when it is sound."""
        return self.store.verify(progress)

    def close(self) -> None:
        """Bring the graph up to the journal and let go of the store."""
        self._let_go_of_index()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _forget(path: Path) -> None:
    """Remove what stands in the index's place, as far as that is possible: it is made again from the journal."""
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink(missing_ok=True)
