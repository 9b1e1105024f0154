"""The face of a store: opened once by the host, asked through sessions."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self, overload

from muniment.claims import (
    Account,
    Basis,
    Claim,
    Clock,
    Hold,
    IdFactory,
    InvalidError,
    Kinship,
    NotFoundError,
    PauseChange,
    Pausing,
    Source,
    StorageError,
    new_id,
    system_clock,
    to_micros,
)
from muniment.lineage import (
    READ_ONLY,
    BackupSeen,
    Certificate,
    CopiedOrigins,
    Corpus,
    Erasure,
    Host,
    Mirrored,
    Mode,
    Opened,
    OriginClass,
    Progress,
    Reach,
    RetentionRun,
    Signer,
    Soundness,
    Status,
    Store,
    TenantErasure,
    Verification,
    append_anchor,
    copied_origins,
    erase_tenant,
    finish_erasures,
    is_mirror_of,
    list_backups,
    lost_keys,
    prepare_store,
    read_store_key,
    retention_runs,
    statuses_view,
    tenants,
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
    sensitive_hint,
)
from muniment.retrieval import Answer, Embedder, Index, Prompt, UniversalSentenceEncoder, read_by

from .accounts import AccountNotice, set_account
from .apart import keep_apart
from .approving import Approver
from .auditing import Auditor
from .certifying import certificate_of, must_be_new, save
from .corpora import (
    CorpusChange,
    compare_corpus,
    corpora,
    register_corpus,
    renew_corpus,
    revoke_corpus,
)
from .endorsing import Requests
from .erasing import erase_by_host, erase_person
from .given import count_given, list_given, scope_given, text_given
from .holding import hold, holds, release
from .indexing import Indexing, IndexMade
from .ingest import IngestReport, ingest
from .origins import declare, every_class
from .pausing import pause_by_host
from .policies import PolicyTrial, PolicyVersion, policy_versions, try_policy
from .proving import Tries
from .receipts import receipt_of
from .replaying import GONE, Replay, receipt_named, replay, seen_by_host
from .requesting import Applied, Request, RequestLine, apply_request, request_of
from .retention import Retention, retain_by_host
from .safekeeping import (
    BackupMade,
    Restoration,
    back_up,
    mirror,
    mirror_erased,
    restore,
    told_of_copies,
)
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
        self.requests = Requests({}, {}, {})
        self._indexing = Indexing(store, embedder)

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
        if access is Opened.WRITE:
            finish_erasures(folder, clock())
        policy = read_policy(folder / "policy.toml")
        store = Store(folder, store_key, tenant, clock=clock, ids=ids, reach=reach, access=access)
        memory = cls(
            folder, store, host, policy, embedder or UniversalSentenceEncoder(), hints, clock
        )
        try:
            if access is Opened.WRITE and store.state.policy != policy.digest:
                with store.group():
                    write_policy(store, policy.digest, policy.model_dump_json())
            if access is Opened.WRITE:
                keep_apart(store, policy)
            erasures, index = store.state.erasures, store.folder / "index.lance"
            if (
                access is Opened.WRITE
                and erasures
                and index.exists()
                and Index.applied_on_disk(index) < erasures[-1]
            ):
                memory.forget_erased()  # what a crash left of an erasure
            if access is Opened.WRITE:
                mirror_erased(store, folder, clock())
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

    def auditor(self, name: str) -> Auditor:
        """Return the hand of an auditor the host has authenticated: it reads all but words and writes nothing."""
        return Auditor(self, name)

    def approver(
        self, name: str, *, project: str = "", org: str = "", channel: str = "", agent: str = ""
    ) -> Approver:
        """Return the hand of an approver the host has authenticated, for what agents that work alone let wait there."""
        scope = scope_given(org=org, project=project, channel=channel, agent=agent)
        return Approver(self, text_given(name, "the approver"), scope)

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
            now = to_micros(self.clock())
            return try_policy(self.store, self.policy, other, changes, now)

    @property
    def review_hints(self) -> tuple[Hint, ...]:
        """The detectors whose findings a person sees where she decides; none where all are switched off."""
        return (*self.hints, sensitive_hint) if self.hints else ()

    @property
    def index_now(self) -> Index | None:
        """The index brought up to the journal: made anew where its files cannot be used, None where that fails too."""
        self.store.check_open()
        return self._indexing.ready()

    @property
    def index_trouble(self) -> str:
        """Why there is no index to ask, for a person to read: of the last time that `index_now` had none."""
        return self._indexing.trouble or "the index cannot be opened"

    def index(self, progress: Progress | None = None) -> int:
        """Let the index take in what it lacks and return how many entries that were."""
        return self._indexing.catch_up(progress)

    def rebuild_index(self, progress: Progress | None = None) -> IndexMade:
        """Make the search index anew from the journal and return what is in it, looked at afterwards.

        Searches wait for it. A crash loses nothing: what is still missing comes in at the next use.
        """
        self.store.check_open()
        return self._indexing.make_anew(progress)

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

    def request(self, person: str, *, aliases: Sequence[str] = ()) -> Request:
        """Return what names a person in others' messages and claims, a line for each, for a human to decide.

        Her own is one line more. Nothing is written, and nothing of it may reach a model. For the operator.
        """
        with self.store.lock:
            self.store.check_open()
            return request_of(self.store, person, aliases)

    def apply_request(
        self,
        lines: Iterable[RequestLine | Mapping[str, object] | str],
        basis: Basis | str = "",
        *,
        reason: str = "",
        dry_run: bool = False,
        out: str | Path | None = None,
    ) -> Applied:
        """Destroy in one go what a request's lines, given as such or as JSON, were decided to lose, and certify it.

        Raises InvalidError naming every undecided or unknown line, and changes nothing then. With `out` the certificate
        is written there. For the operator.
        """
        if out is not None:
            self.check_new_file(out)
        with self.store.lock:
            applied = apply_request(self.store, lines, basis=basis, reason=reason, dry_run=dry_run)
        if not applied.erasure.id:
            return applied
        self.forgotten(applied.erasure)
        return applied.model_copy(
            update={"certificate": self.certificate(applied.erasure, out=out)}
        )

    def certificate(self, erasure: Erasure | str, *, out: str | Path | None = None) -> Certificate:
        """Return the signed certificate of an erasure, by itself or its identifier, at once or at any time later.

        What it says of absence was looked at now: the index is rewritten for it, and every file of the tenant read.
        With `out` it is written there, to a new file outside of the store. For the operator.
        """
        self.store.check_open()
        if self.store.access is Opened.READ:
            raise StorageError(READ_ONLY)
        name = text_given(erasure.id if isinstance(erasure, Erasure) else erasure, "the erasure")
        if out is not None:
            self.check_new_file(out)
        index = (
            self.index_now if self._indexing.used else None
        )  # before the lock, which what catches up needs too
        with self.store.lock:
            made = certificate_of(self.store, self.signer, index, name)
        if out is not None:
            save(made.text, Path(out), self.path)
        return made

    def check_new_file(self, out: str | Path) -> None:
        """Raise InvalidError where a file that is to be written outside of the store is there already or lies in it."""
        must_be_new(Path(out), self.path)

    def retention(
        self, plan: Retention | None = None, *, dry_run: bool = False, at: datetime | None = None
    ) -> Retention:
        """Destroy everybody's that is over by the policy's rules of retention, and return the report of it.

        With `dry_run` nothing is written and the plan is returned, judged now or `at` another moment. With the `plan`
        of a preview exactly that is carried out; ConflictError where it would not be the same any more. One erasure is
        recorded for at most 500 things; what a crash leaves the next run goes on with. For the operator.
        """
        with self.store.lock:
            self.store.check_open()
            now = to_micros(self.clock())
            found = retain_by_host(self.store, self.policy, plan, now=now, dry_run=dry_run, at=at)
        return self.retained(found)

    def retained(self, found: Retention) -> Retention:
        """Return a run of retention after the index and the mirrors in reach have let go of what it destroyed."""
        if not found.erasures:
            return found
        last = self.forgotten(found.erasures[-1])  # the mirrors are brought up once, for all
        same = {"dry_run": found.dry_run, "mirrors": last.mirrors}
        before = (
            self.told(one.model_copy(update={"dry_run": True})).model_copy(update=same)
            for one in found.erasures[:-1]
        )
        return found.model_copy(update={"erasures": (*before, last)})

    def retentions(self) -> tuple[RetentionRun, ...]:
        """Return the runs of retention, oldest first, last one that did not end; for the operator."""
        with self.store.lock:
            return retention_runs(self.store)

    def hold(self, thing: Claim | Source | str = "", reason: str = "", *, person: str = "") -> Hold:
        """Put a claim, a source or everything of a person on legal hold, and return the hold; for the operator.

        Nothing of it can be erased until each hold on it is released; it can be corrected and retracted as before.
        """
        with self.store.lock:
            return hold(self.store, thing, person=person, reason=reason)

    def release(
        self, thing: Claim | Source | Hold | str = "", reason: str = "", *, person: str = ""
    ) -> Hold:
        """Let go of a hold, named by itself or by what it holds, and return it; for the operator."""
        with self.store.lock:
            return release(self.store, thing, person=person, reason=reason)

    def holds(self) -> tuple[Hold, ...]:
        """Return the legal holds in force with their reasons, oldest first; for the operator."""
        with self.store.lock:
            return holds(self.store)

    def forgotten(self, erasure: Erasure) -> Erasure:
        """Return an erasure after the index and the mirrors in reach have let go of what it destroyed."""
        if not erasure.dry_run:
            self.forget_erased()
        return self.told(erasure)

    def told(self, erasure: Erasure) -> Erasure:
        """Return an erasure with the copies that still hold something of it; mirrors in reach let go of it before."""
        with self.store.lock:
            return told_of_copies(self.store, self.path, erasure, self.clock())

    def forget_erased(self) -> None:
        """Rewrite the index without what was erased, or remove it whole where that fails: it can be made again."""
        self._indexing.forget_erased()

    def same_origin(self, first: str, second: str, *, reason: str = "") -> OriginClass:
        """Record that two origins, by name, are one, as where one copies the other, and return their class.

        From then on they count as one piece of evidence. Said again it changes nothing. For the operator.
        """
        with self.store.lock:
            return declare(self.store, first, second, Kinship.SAME, reason=reason)

    def apart(self, first: str, second: str, *, reason: str = "") -> OriginClass:
        """Take back that two origins are one and return what the first is still one with; for the operator."""
        with self.store.lock:
            return declare(self.store, first, second, Kinship.APART, reason=reason)

    def origins(self) -> tuple[OriginClass, ...]:
        """Return every origin known here, in the classes that count as one, with who said so, when and why."""
        with self.store.lock:
            return every_class(self.store)

    def copied_origins(self) -> tuple[CopiedOrigins, ...]:
        """Return groups of origins that seem to copy each other, by what they say in the same slots; for the operator.

        They are proposals: nothing counts as one until `same_origin` records it.
        """
        with self.store.lock:
            return copied_origins(self.store, to_micros(self.clock()))

    def register_corpus(self, name: str, path: str | Path, *, reason: str = "") -> Corpus:
        """Vouch for a file, or all files in a folder, to the byte, and return the corpus; for the operator.

        What a document says that is one of them may be used to act, and never directs. No word of a file is kept.
        """
        with self.store.lock:
            return register_corpus(self.store, self.path, name, Path(path), reason=reason)

    def compare_corpus(self, name: str, path: str | Path) -> CorpusChange:
        """Return which files and lines of a corpus are others now; nothing is written. For the operator."""
        with self.store.lock:
            return compare_corpus(self.store, self.path, name, Path(path))

    def renew_corpus(
        self, name: str, path: str | Path, *, shown: CorpusChange, reason: str = ""
    ) -> Corpus:
        """Vouch for a corpus as it is now and return it; `shown` is what `compare_corpus` gave to look at.

        ConflictError where that is not what is there any more. For the operator.
        """
        with self.store.lock:
            return renew_corpus(self.store, self.path, name, Path(path), shown=shown, reason=reason)

    def revoke_corpus(self, name: str, *, reason: str = "") -> Corpus:
        """Vouch for a corpus no more and return it; for the operator.

        Access to what came in from it is revoked, so all that rests on it alone is out at the next read. Registered
        again, it is given back.
        """
        with self.store.lock:
            return revoke_corpus(self.store, name, reason=reason)

    def corpora(self) -> tuple[Corpus, ...]:
        """Return every corpus that was ever registered, oldest first, revoked ones marked; for the operator."""
        with self.store.lock:
            self.store.check_open()
            return corpora(self.store)

    def replay(self, receipt: Answer | Prompt | str) -> Replay:
        """Return what anybody's answer gave, from its receipt and the records of then; for the auditor.

        See `Session.replay`.
        """
        named = receipt_named(receipt)
        with self.store.lock:
            kept = receipt_of(self.store, named, None)
            if kept is None:
                raise NotFoundError(f"there is no receipt {named!r} here; recall gives one")
            now = to_micros(self.clock())
            found = replay(self.store, self.policy, kept, now=now, gone=GONE)
            return seen_by_host(self.store, found)

    def ingest(self, lines: Iterable[str], *, progress: Progress | None = None) -> IngestReport:
        """Take in JSONL lines and return what became of them; wrong lines are named, good ones are kept."""
        return ingest(self.store, self.policy, self.clock, lines, progress)

    def rebuild(self, progress: Progress | None = None) -> bool:
        """Make the graph anew from the journal, drop the index, and return whether the graph is the same."""
        equal = self.store.rebuild(progress)
        self._indexing.clear()
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

    def backup(
        self, dest: str | Path, *, passphrase: str, keep_days: int | None = None
    ) -> BackupMade:
        """Write everything of this tenant but the keys of its words into a new folder, whole or not at all.

        The passphrase wraps the keys that go with it. `keep_days` is the lifetime it states, the policy's where
        none is named. What the backup lacks to be safe stands in `warnings`; the mirrors of the keys in reach are
        brought up to it.
        """
        self.store.check_open()
        return back_up(
            self.store,
            self.path,
            Path(dest),
            passphrase=text_given(passphrase, "the passphrase"),
            keep_days=count_given(
                self.policy.retention.backup if keep_days is None else keep_days, "keep_days"
            ),
            now=self.clock(),
        )

    @staticmethod
    def backups(folder: str | Path, *, clock: Clock = system_clock) -> tuple[BackupSeen, ...]:
        """Return the backups in a folder, oldest first, and which of them are past the lifetime they state."""
        return list_backups(Path(folder), clock())

    def keys_mirror(self, folder: str | Path, *, passphrase: str = "") -> Mirrored:
        """Copy the keys as they are now to a place elsewhere; what was erased is overwritten there too.

        The passphrase wraps the store's key; without one only a mirror that is there is brought up. The place is
        noted, so that erasing and backing up bring it up too.
        """
        return mirror(
            self.store,
            self.path,
            Path(folder),
            passphrase=text_given(passphrase, "the passphrase"),
            now=self.clock(),
        )

    def has_mirror(self, folder: str | Path) -> bool:
        """Return whether a mirror of these very keys is at a place, so that it can be brought up without passphrase."""
        place = Path(folder).expanduser().resolve()
        return is_mirror_of(place, self.store.tenant, read_store_key(self.path))

    @staticmethod
    def restore(
        backup: str | Path,
        dest: str | Path,
        *,
        passphrase: str,
        keys: str | Path | None = None,
        keys_passphrase: str = "",
        newest: Sequence[str | Path] = (),
        accept_rollback: bool = False,
        clock: Clock = system_clock,
        ids: IdFactory = new_id,
        reach: Reach = unreached,
    ) -> Restoration:
        """Make a store anew at `dest` from a backup, and do again what was erased and revoked since.

        `keys` is a mirror, or the store itself; without it the words cannot be read. `keys_passphrase` is the mirror's,
        where that is another one. `newest` are further witnesses of
        the newest head: stores, mirrors, anchors. RefusedError with the rule ROLLBACK where none of them knows
        everything since, unless `accept_rollback`, and with DIVERGED where one is of another history. `dest` is absent
        until everything is there; a store without this tenant takes it in.
        """
        return restore(
            Path(backup),
            Path(dest),
            passphrase=text_given(passphrase, "the passphrase"),
            keys=Path(keys) if keys is not None else None,
            keys_passphrase=text_given(keys_passphrase, "the passphrase of the keys"),
            newest=[Path(place) for place in list_given(newest, "newest")],
            accept_rollback=accept_rollback,
            clock=clock,
            ids=ids,
            reach=reach,
        )

    @staticmethod
    def erase_tenant(
        path: str | Path,
        tenant: str,
        *,
        dry_run: bool = False,
        clock: Clock = system_clock,
        reach: Reach = unreached,
    ) -> TenantErasure:
        """Destroy everything of a tenant that nobody has open, its keys first; a signed statement stays outside."""
        return erase_tenant(Path(path), tenant, now=clock(), dry_run=dry_run, reach=reach)

    @property
    def keys_missing(self) -> int:
        """How many keys this store was restored without: their words cannot be read, and were not erased."""
        return lost_keys(self.store.folder / "keys") if self.store.state.restores else 0

    def statuses(self) -> Iterator[Status]:
        """Yield how every claim stands and what it rests on, without words: also where keys are missing."""
        self.store.check_open()
        yield from statuses_view(self.store, to_micros(self.clock()))

    @staticmethod
    def host_of(path: str | Path) -> Host:
        """Return who runs the host of a store, without opening any tenant of it."""
        return prepare_store(Path(path), DEFAULT_POLICY, Opened.READ)[1]

    @staticmethod
    def tenants(path: str | Path) -> tuple[str, ...]:
        """Return the tenants of a store by name."""
        return tenants(Path(path))

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
        self._indexing.let_go()
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
