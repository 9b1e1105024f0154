"""The face of a store: opened once by the host, asked through sessions."""

import logging
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self, overload

from muniment.claims import (
    Account,
    Basis,
    Clock,
    IdFactory,
    InvalidError,
    PauseChange,
    Pausing,
    StorageError,
    new_id,
    system_clock,
)
from muniment.lineage import (
    READ_ONLY,
    Erasure,
    Host,
    Mode,
    Opened,
    Progress,
    Reach,
    Signer,
    Soundness,
    Store,
    Verification,
    append_anchor,
    prepare_store,
    unreached,
    verify_store,
    write_policy,
)
from muniment.policy import (
    DEFAULT_HINTS,
    DEFAULT_POLICY,
    Hint,
    Policy,
    PolicyChange,
    compare_policies,
    read_policy,
)
from muniment.retrieval import Embedder, Index, UniversalSentenceEncoder, WordsAndPairs, read_by

from .accounts import AccountNotice, set_account
from .endorsing import Requests
from .erasing import erase_by_host, erase_person
from .given import scope_given
from .indexing import IndexFollower
from .ingest import IngestReport, ingest
from .pausing import pause_by_host
from .policies import PolicyTrial, PolicyVersion, policy_versions, try_policy
from .proving import Tries
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
        self.tries: Tries = {}
        self.requests = Requests({}, {})
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
        read_only: bool = False,
    ) -> "Memory":
        """Return the memory at a path, made where the folder is absent or empty.

        `embedder` replaces the default one; `hints` are the detectors, of which an empty sequence switches all off;
        `reach` is called with the name of each failpoint. With `read_only` no byte is written: a recall reads the
        claims one by one and keeps no receipt, and every write raises StorageError. Raises BusyError, FormatError,
        IntegrityError, InvalidError.
        """
        folder = Path(path)
        access = Opened.READ if read_only else Opened.WRITE
        store_key, host = prepare_store(folder, DEFAULT_POLICY, access)
        policy = read_policy(folder / "policy.toml")
        store = Store(folder, store_key, tenant, clock=clock, ids=ids, reach=reach, access=access)
        memory = cls(
            folder, store, host, policy, embedder or UniversalSentenceEncoder(), hints, clock
        )
        try:
            if access is Opened.WRITE and store.state.policy != policy.digest:
                with store.group():
                    write_policy(store, policy.digest, policy.model_dump_json())
            erasures, index = store.state.erasures, store.folder / "index.lance"
            if (
                access is Opened.WRITE
                and erasures
                and index.exists()
                and Index.applied_on_disk(index) < erasures[-1]
            ):
                memory.forget_erased()  # what a crash left of an erasure
        except BaseException:
            memory.close()
            raise
        return memory

    @overload
    def session(
        self,
        *,
        person: str = "",
        project: str = "",
        org: str = "",
        channel: str = "",
        agent: str = "",
        session: str = "",
    ) -> Session: ...

    @overload
    def session(
        self,
        *,
        person: str = "",
        project: str = "",
        org: str = "",
        channel: str = "",
        agent: str = "",
        session: str = "",
        off_the_record: bool,
    ) -> Session: ...

    def session(
        self,
        *,
        person: str = "",
        project: str = "",
        org: str = "",
        channel: str = "",
        agent: str = "",
        session: str = "",
        off_the_record: bool = False,
    ) -> Session:
        """Return a session for what the host has authenticated.

        With a person alone, the person herself acts; with an agent, the agent acts for the person and its words are a
        model's. With neither, nothing is found and nothing is kept. Off the record nothing is kept at all, and nothing
        that is remembered enters a prompt.
        """
        scope = scope_given(
            org=org, person=person, project=project, channel=channel, agent=agent, session=session
        )
        return Session(self, scope, off_the_record=off_the_record)

    def pause(
        self,
        *,
        person: str = "",
        project: str = "",
        org: str = "",
        channel: str = "",
        agent: str = "",
        session: str = "",
    ) -> PauseChange:
        """Pause memory for everybody in what is named, such as a project, until the host resumes it."""
        scope = scope_given(
            org=org, person=person, project=project, channel=channel, agent=agent, session=session
        )
        return pause_by_host(self.store, scope, Pausing.PAUSED)

    def resume(
        self,
        *,
        person: str = "",
        project: str = "",
        org: str = "",
        channel: str = "",
        agent: str = "",
        session: str = "",
    ) -> PauseChange:
        """Resume what was paused for exactly what is named."""
        scope = scope_given(
            org=org, person=person, project=project, channel=channel, agent=agent, session=session
        )
        return pause_by_host(self.store, scope, Pausing.RESUMED)

    def set_account(self, person: str, account: Account | str) -> AccountNotice:
        """Say in which state a person's account is, and return what that means, to be shown to her.

        `account` is one of active, paused, free, lapsed, closed; what each allows stands in the policy.
        """
        if account not in tuple(Account):
            raise InvalidError(
                f"{account!r} is no state of an account; use one of {', '.join(Account)}"
            )
        return set_account(self.store, self.policy, person, Account(account))

    def policy_versions(self) -> tuple[PolicyVersion, ...]:
        """Return the policies that were in force in this store, oldest first, with their dates and digests."""
        with self.store.lock:
            return policy_versions(self.store)

    def compare_policy(self, path: str | Path) -> tuple[PolicyChange, ...]:
        """Return in which lines a policy file differs from the policy in force; InvalidError names wrong lines."""
        return compare_policies(self.policy, _policy_of(path))

    def try_policy(self, path: str | Path) -> PolicyTrial:
        """Return what a policy file would rule otherwise of what is kept; nothing is written."""
        other = _policy_of(path)
        with self.store.lock:
            self.store.check_open()
            changes = compare_policies(self.policy, other)
            return try_policy(self.store, self.policy, other, changes)

    @property
    def index_now(self) -> Index | None:
        """The index brought up to the journal: made anew where its files cannot be used, None where that fails too."""
        self.store.check_open()
        if self.store.access is Opened.READ:
            return None
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
        if self.store.access is Opened.READ:
            raise StorageError(READ_ONLY)
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

    def checkpoint(self, *, anchor: str | Path | None = None) -> str:
        """Return a signed checkpoint of the journal as it is now, appended to an anchor file where one is named.

        It is a signed note of C2SP; keep it where whoever runs this machine does not alone decide.
        """
        with self.store.lock:
            self.store.check_open()
            state = self.store.state
            note = self.signer.checkpoint(state.seq, state.frontier.root())
        if anchor is not None:
            append_anchor(Path(anchor), note, self.path)
        return note

    @property
    def signer(self) -> Signer:
        """What signs this journal's checkpoints; its `key` is the public one."""
        return Signer(self.store.tenant, self.store.keys.signing)

    def verify(
        self,
        progress: Progress | None = None,
        *,
        mode: Mode = "full",
        anchor: str | Path | None = None,
    ) -> Verification:
        """Return how the store's files stand; `fast` opens no payload and replays nothing.

        An anchor is a file of checkpoints that is kept elsewhere; only it finds a store that was set back whole.
        """
        with self.store.lock:
            self.store.check_open()
            reads = self.store.access is Opened.READ
            if not reads:
                self.store.post()
            found = verify_store(
                self.path,
                self.store.tenant,
                mode=_mode(mode),
                anchor=Path(anchor) if anchor is not None else None,
                graph=None if reads else self.store.graph,
                progress=progress,
            )
            return _with_index(found, self.path)

    @staticmethod
    def verify_files(
        path: str | Path,
        *,
        tenant: str = "default",
        mode: Mode = "full",
        anchor: str | Path | None = None,
        progress: Progress | None = None,
    ) -> Verification:
        """Return how a store's files stand without opening it: also of one that refuses to open, and of a copy.

        No byte is written and no lock is taken.
        """
        found = verify_store(
            Path(path),
            tenant,
            mode=_mode(mode),
            anchor=Path(anchor) if anchor is not None else None,
            progress=progress,
        )
        return _with_index(found, Path(path))

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


def _with_index(found: Verification, path: Path) -> Verification:
    """Return what was found, in full mode with whether the index knows more than the journal."""
    read = read_by(path / found.tenant / "index.lance") if found.mode == "full" else None
    if read is None or read <= found.records:
        return found
    return found.also(
        Soundness.INVALID,
        f"the index has read {read} records, the journal has {found.records}; `muniment rebuild` drops it",
    )


def _policy_of(path: str | Path) -> Policy:
    """Return the policy of a file that is there; a missing one is no default here."""
    file = Path(path)
    if not file.is_file():
        raise InvalidError(f"there is no policy file at {file}")
    return read_policy(file)


def _mode(mode: Mode) -> Mode:
    if mode not in ("fast", "full"):
        raise InvalidError(f"{mode!r} is no way to verify; use fast or full")
    return mode


def _forget(path: Path) -> None:
    """Remove what stands in the index's place, as far as that is possible: it is made again from the journal."""
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink(missing_ok=True)
