"""One authenticated session: every verb there is, with scope and author fixed by it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from muniment.claims import (
    CLAIM_LIMIT,
    Access,
    AccessChange,
    Basis,
    Block,
    BlockChange,
    BlockWrite,
    Category,
    Change,
    Claim,
    Extent,
    Failure,
    ForgetRequest,
    Integrity,
    InvalidError,
    Kind,
    Mute,
    Muting,
    PauseChange,
    Purpose,
    ReasonCode,
    Reasoning,
    RefusedError,
    Right,
    Scope,
    SensitiveChange,
    Sensitivity,
    Source,
    SourceDifference,
    Standing,
    Verb,
    WeighedBy,
    checked_text,
)
from muniment.conversations import Turns, search_turns
from muniment.lineage import (
    ClaimState,
    Consequences,
    Erasure,
    Opened,
    Progress,
    RetentionRun,
    SourceState,
    Stale,
    Support,
    Trace,
    Weighing,
    claim_view,
    consequences_view,
    everything,
    found,
    history_view,
    is_restricted,
    is_stale,
    prov_document,
    slot_key,
    source_view,
    stale_view,
    support_view,
    trace_view,
    weighings,
)
from muniment.policy import MEMORIES, Permit, decide, definitions_for
from muniment.retrieval import Answer, Mode, Prompt, Question, recall

from .acting import Acting, Grounds, identifier_of
from .answers import Attached
from .assembling import Frozen, Means, assemble
from .attaching import attach
from .backdated import A_DAY, Backdated, backdated, backdated_given
from .blocking import (
    accept,
    clear,
    decline,
    put_back,
    read_block,
    read_block_history,
    rewrite,
)
from .changing import (
    Details,
    confirm_claim,
    replace_claim,
    retract_claim,
    view_of_replacing,
)
from .choosing import Choice, choices_of
from .comparing import Comparison, compared
from .dropping import WhyNot, why_not
from .echoing import given_out, read_out
from .endorsing import (
    EndorsementRequest,
    OwnRequest,
    decline_endorsement,
    endorse,
    request_endorsement,
)
from .erasing import erase_conversation, erase_scope, erase_thing, own_share
from .explaining import Around, explained
from .exporting import export_lines, exported
from .forgetting import decline_forget, list_requests, request_forget
from .given import because_given, count_given, flag_given, stated_given, text_given, tools_given
from .hushing import (
    must_see,
    seen_claim,
    seen_notes,
    seen_receipt,
    seen_text,
    seen_trace,
    seen_weighing,
    sees,
    unsaid,
)
from .importing import ImportReport, import_lines
from .investigating import Investigation, investigate
from .keeping import (
    FieldValue,
    Incoming,
    PartGiven,
    document_of,
    keep_claim,
    keep_source,
    message_of,
    tool_result_of,
)
from .looking_back import Moment, then_of, told_of
from .muting import list_mutes, mute
from .pausing import pause_memory, resume_memory
from .procedures import keep_procedure, must_be_own, skill_text
from .proving import has_secret, prove, set_secret
from .receipts import keep_receipt
from .remembering import Wish
from .renewing import challenge_claim, regenerate_claim, reinstate_claim
from .replaying import GONE, UNSAID, Replay, replay
from .retention import Retention, retain, runs_of
from .reviewing import ReviewItem, approve_claim, quote_claim, reject_claim, waiting
from .reviewing_origins import (
    OriginReview,
    OriginSettled,
    OwnMarked,
    approve_origin,
    mark_own,
    reject_origin,
    request_own,
    review_origins,
)
from .revoking import change_access
from .sensitivity import declare, list_sensitive, must_declare, not_admitted
from .tasks import add_task, finish_task
from .telling import State, state_of
from .versions import difference_of
from .wanted import Count, wanted_given
from .why import Explanation
from .words import Language, language_given

if TYPE_CHECKING:
    from .memory import Memory

Listed = TypeVar("Listed", bound=StrEnum)
QUESTION_LIMIT = 40_000
NO_FAILURE, NO_REASONING = Failure(), Reasoning()
APART = tuple(category for category in Category if category not in MEMORIES)
_AT_ONCE = 200  # claims listed between two looks at the journal


class Session:
    """What one authenticated person or agent may do; made by `Memory.session`."""

    def __init__(self, memory: "Memory", scope: Scope, *, off_the_record: bool = False) -> None:
        self._memory = memory
        self._store = memory.store
        self.acting = Acting(
            memory.store, memory.policy, memory.clock, scope, off_the_record=off_the_record
        )
        self._frozen = Frozen()

    @property
    def scope(self) -> Scope:
        """Who and where this session is."""
        return self.acting.scope

    @property
    def mark(self) -> Integrity:
        """The lowest integrity of anything that entered this session's context."""
        return self.acting.mark

    @property
    def can_use_prompt_memory(self) -> Permit:
        """Whether what is remembered may enter a prompt here and now, true or false, with the rule and the reason."""
        return self.may(Right.PROMPT)

    def may(self, right: Right | str) -> Permit:
        """Return whether this session may accumulate, prompt or manage, with the rule and the reason."""
        return self.acting.permit(_chosen(Right, right, "right"))

    def state(self, language: Language = "en") -> State:
        """Return in one sentence what memory does here and why, for the host's own screen; `en` or `ko`.

        What waits is counted for the person alone, whoever else asks; nothing is written.
        """
        with self._store.lock:
            return state_of(self.acting, language_given(language))

    def lower_mark(self, level: Integrity) -> None:
        """Lower the session's mark: the host knows that something of that integrity entered the context."""
        if level not in tuple(Integrity):
            raise InvalidError(
                f"{level!r} is no integrity; use one of {', '.join(Integrity.__members__)}"
            )
        self.acting.lower_mark(Integrity(level))

    # --- sources -----------------------------------------------------------------------------------------------

    def message(
        self,
        text: str = "",
        *,
        parts: Sequence[PartGiven] = (),
        said_at: datetime | None = None,
        key: str = "",
        anew: bool = False,
        replaces: Source | str = "",
    ) -> Source:
        """Keep a message as a source and return it.

        `parts` are (label, text) or (label, text, origin) with label own, quoted, pasted or attached, or ("recalled",
        text, receipt) for what a recall had put before the writer; give either text or parts. Quote marks, code fences
        and forwards inside own words count as quoted. With `anew` the person herself says on purpose what she had
        erased. `replaces` is the message that was edited: what rests only on it becomes stale.
        """
        edited = identifier_of(replaces)
        return self._kept(message_of(self.acting, text, parts, said_at, edited), key, anew)

    def tool_result(
        self,
        tool: str,
        fields: Mapping[str, FieldValue] = {},
        text: str = "",
        *,
        said_at: datetime | None = None,
        key: str = "",
    ) -> Source:
        """Keep what a tool returned as a source and return it.

        Fields registered for the tool in policy.toml, of the registered type, count as the tool's own; everything else,
        and all free text, counts as from outside.
        """
        return self._kept(tool_result_of(self.acting, tool, fields, text, said_at), key)

    def document(
        self,
        text: str,
        *,
        origin: str,
        media_type: str = "text/plain",
        asserted_source: str = "",
        said_at: datetime | None = None,
        key: str = "",
        anew: bool = False,
        replaces: Source | str = "",
    ) -> Source:
        """Keep a page, mail or file as a source from outside and return it.

        `asserted_source`, what it says of itself, is kept and decides nothing. With `anew` the person herself takes in
        on purpose what she had erased. `replaces` is its version before: what rests only on that becomes stale. Where
        nothing changed, that is returned.
        """
        before = identifier_of(replaces)
        incoming = document_of(text, origin, media_type, asserted_source, said_at, before)
        return self._kept(incoming, key, anew)

    def _kept(self, incoming: Incoming, key: str, anew: bool = False) -> Source:
        seq = keep_source(self.acting, incoming, key, anew=anew)
        return source_view(self._store, self._store.state.sources[seq], self.acting.readable())

    # --- claims ------------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        kind: Kind | str = Kind.INFERRED,
        category: Category | str = Category.FACT,
        gist: str = "",
        sources: Grounds = (),
        field: str = "",
        subject: str = "",
        attribute: str = "",
        value: str = "",
        task: str = "",
        failure: Failure = NO_FAILURE,
        reasoning: Reasoning = NO_REASONING,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        expires_at: datetime | None = None,
        recheck_at: datetime | None = None,
        recheck_when: str = "",
        parents_complete: bool = False,
        sensitive: bool = False,
        key: str = "",
        anew: bool = False,
    ) -> Claim:
        """Keep a claim and return it as the store ruled it; `claim.decision` says what kind it became and why.

        `kind` is asked, not given: `stated` needs the text verbatim in a message the session's person wrote, `observed`
        a typed `field` of a registered tool's result. `sources` are sources and claims it rests on together.
        `task` is the kind of task a preference is for, `failure` how something failed, `reasoning` why something was
        decided and what was rejected; `claim.hints` says what is missing. An agent's work in progress becomes a task.
        A refusal raises RefusedError and is written down without the words. With `anew` the person herself lets in on
        purpose what she had erased, with `sensitive` she declares it so: see `declare_sensitive`.
        """
        wish = Wish.asked(
            text=text,
            kind=_chosen(Kind, kind, "kind"),
            category=_chosen(Category, category, "category", but=APART),
            gist=gist,
            field=field,
            subject=subject,
            attribute=attribute,
            value=value,
            task=task,
            failure=failure,
            reasoning=reasoning,
            valid_from=valid_from,
            valid_to=valid_to,
            expires_at=expires_at,
            recheck_at=recheck_at,
            recheck_when=recheck_when,
            parents_complete=parents_complete,
        )
        declared = must_declare(self.acting) if sensitive else None
        seq, decision, hints = keep_claim(
            self.acting, wish, sources, key, anew=anew, sensitive=declared
        )
        kept = self.acting.view(self._store.state.claims[seq])
        said = {"decision": decision, "asked_kind": wish.kind, "hints": hints}
        return kept.model_copy(update=said)

    def confirm(
        self,
        claim: Claim | str,
        *,
        sources: Grounds = (),
        expires_at: datetime | None = None,
        recheck_at: datetime | None = None,
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Renew a claim, naming what confirmed it, and return it; its recheck moves to `recheck_at`.

        Here as in every change, `reason` is kept sealed in its history and `code` in the clear: one of mistaken,
        misread, misattributed, outdated, unsourced, duplicate, unwanted, checked.
        """
        with self._store.lock:  # what was seen stays so until it is changed
            state = confirm_claim(
                self.acting,
                claim,
                sources,
                expires_at=expires_at,
                recheck_at=recheck_at,
                version=version,
                because=because_given(reason, code),
            )
        return self.acting.shown(state)

    def retract(
        self,
        claim: Claim | str,
        *,
        sources: Grounds = (),
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Withdraw a claim and return it; it stays in history and what rests on it alone becomes stale."""
        with self._store.lock:  # what was seen stays so until it is changed
            state = retract_claim(
                self.acting, claim, sources, version=version, because=because_given(reason, code)
            )
        return self.acting.shown(state)

    def correct(
        self,
        claim: Claim | str,
        text: str,
        *,
        sources: Grounds = (),
        gist: str = "",
        value: str = "",
        failure: Failure = NO_FAILURE,
        reasoning: Reasoning = NO_REASONING,
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Replace a claim that was never true and return the new one; what rests on the old one becomes stale.

        When the newcomer stands lower than the old claim it is kept as a challenge and the old claim stays current.
        """
        with self._store.lock:  # what was seen stays so until it is changed
            state = replace_claim(
                self.acting,
                Verb.CORRECT,
                claim,
                text,
                sources,
                gist=gist,
                value=value,
                valid_from=None,
                version=version,
                because=because_given(reason, code),
                details=Details(failure, reasoning),
            )
        return view_of_replacing(self.acting, state)

    def supersede(
        self,
        claim: Claim | str,
        text: str,
        *,
        sources: Grounds = (),
        gist: str = "",
        value: str = "",
        valid_from: datetime | None = None,
        failure: Failure = NO_FAILURE,
        reasoning: Reasoning = NO_REASONING,
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Replace a claim that was true until the world changed and return the new one.

        The old one stays true of the past; what rests on it becomes stale.
        """
        with self._store.lock:  # what was seen stays so until it is changed
            state = replace_claim(
                self.acting,
                Verb.SUPERSEDE,
                claim,
                text,
                sources,
                gist=gist,
                value=value,
                valid_from=valid_from,
                version=version,
                because=because_given(reason, code),
                details=Details(failure, reasoning),
            )
        return view_of_replacing(self.acting, state)

    # --- apart from memory -------------------------------------------------------------------------------------

    def task(
        self,
        text: str,
        *,
        sources: Grounds = (),
        until: datetime | None = None,
        key: str = "",
    ) -> Claim:
        """Put work in progress into the task ledger and return it; it lives two weeks unless `until` says otherwise.

        No recall brings it up. With no sources a message that says it is kept as its ground.
        """
        return self.acting.view(add_task(self.acting, text, sources, until=until, key=key))

    def tasks(self, *, everything: bool = False) -> Iterator[Claim]:
        """Yield the open tasks, oldest first; with `everything` those that are over too."""
        yield from self.claims(
            category=Category.TASK, standing=None if everything else Standing.ACTIVE
        )

    def finish_task(
        self,
        task: Claim | str,
        *,
        outcome: str = "done",
        version: int | None = None,
        reason: str = "",
    ) -> Claim:
        """Say that a task is over, `done` or `dropped`, and return it; whoever works in its scope may."""
        with self._store.lock:
            state = finish_task(self.acting, task, outcome, version=version, reason=reason)
        return self.acting.shown(state)

    def choices(self, claim: Claim | str) -> tuple[Choice, ...]:
        """Return the ways to change a claim: it was wrong, the world changed, do not use it, destroy it.

        Each comes with the verb of this session that does it and what policy would say to that now.
        """
        with self._store.lock:
            return choices_of(self.acting, claim)

    def keep_procedure(
        self,
        name: str,
        text: str,
        *,
        description: str = "",
        sources: Grounds = (),
        version: int | None = None,
        key: str = "",
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Keep how a class of task is done, apart from memory, or patch it: then `version` is the one that was seen.

        `name` is that of the class of task, as in deploy-a-service. A name that stands already and no version raises
        ConflictError: two procedures of one name there never are.
        """
        state = keep_procedure(
            self.acting,
            name,
            text,
            description=description,
            grounds=sources,
            version=version,
            key=key,
            because=because_given(reason, code),
        )
        return view_of_replacing(self.acting, state)

    def procedures(self) -> Iterator[Claim]:
        """Yield the procedures that stand: their name is the subject, what they are for the value."""
        for claim in self.claims(category=Category.PROCEDURE):
            if claim.standing in (Standing.ACTIVE, Standing.CONTESTED) and not claim.challenges:
                yield claim

    def export_procedure(self, procedure: Claim | str) -> str:
        """Return a procedure as the text of a SKILL.md; RefusedError for one that words from outside went into."""
        state = self.acting.claim(procedure)
        if state.category is not Category.PROCEDURE:
            raise InvalidError(f"{state.id} is no procedure; `procedures` lists them")
        claim = self.claim(state.id)
        must_be_own(claim)
        if claim.standing not in (Standing.ACTIVE, Standing.CONTESTED) or claim.challenges:
            raise RefusedError(decide("NOT_CURRENT", claim.standing.value))
        given_out(self.acting, "export", [state.seq])
        return skill_text(claim)

    # --- erasing -----------------------------------------------------------------------------------------------

    def erase(
        self,
        thing: Claim | Source | str,
        *,
        basis: Basis | str = "",
        reason: str = "",
        dry_run: bool = False,
        version: int | None = None,
    ) -> Erasure:
        """Destroy a claim or a source with everything written from it, and return what went; nobody gets it back.

        Only the person whose it is may, herself. `basis` is one of request, consent, purpose, objection, unlawful,
        duty; `dry_run` returns what would go; with `version` a claim changed since raises ConflictError.
        """
        with self._store.lock:
            erasure = erase_thing(
                self.acting, thing, basis=basis, reason=reason, dry_run=dry_run, version=version
            )
        return own_share(self._memory.forgotten(erasure))

    def erase_conversation(
        self,
        conversation: str,
        *,
        basis: Basis | str = "",
        reason: str = "",
        dry_run: bool = False,
    ) -> Erasure:
        """Destroy everything said in one conversation, by its name, with all that was written from it."""
        with self._store.lock:
            erasure = erase_conversation(
                self.acting, conversation, basis=basis, reason=reason, dry_run=dry_run
            )
        return own_share(self._memory.forgotten(erasure))

    def erase_scope(
        self, *, basis: Basis | str = "", reason: str = "", dry_run: bool = False
    ) -> Erasure:
        """Destroy everything kept in this session's own scope, such as a journal, with the scope's key if it has one.

        What was asked there goes too, and what other scopes drew from it. Only the person herself may.
        """
        with self._store.lock:
            erasure = erase_scope(self.acting, basis=basis, reason=reason, dry_run=dry_run)
        return own_share(self._memory.forgotten(erasure))

    def retention(
        self, plan: Retention | None = None, *, dry_run: bool = False, at: datetime | None = None
    ) -> Retention:
        """Destroy what is over of the person's own in this scope, by the policy's rules, and return the report of it.

        Only she may, herself. `dry_run` returns the plan, judged now or `at` another moment; with the `plan` of a
        preview exactly that is carried out, or ConflictError raised. See `Memory.retention`.
        """
        with self._store.lock:
            found = retain(self.acting, plan, dry_run=dry_run, at=at)
        return self._memory.retained(found)

    def retentions(self) -> tuple[RetentionRun, ...]:
        """Return the runs of retention that this person ran herself, oldest first."""
        return runs_of(self.acting)

    # --- renewing ----------------------------------------------------------------------------------------------

    def regenerate(
        self,
        claim: Claim | str,
        text: str,
        *,
        sources: Grounds,
        gist: str = "",
        value: str = "",
        failure: Failure = NO_FAILURE,
        reasoning: Reasoning = NO_REASONING,
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Make a stale claim anew from what stands now and return the new one, which supersedes it."""
        with self._store.lock:  # what was seen stays so until it is changed
            state = regenerate_claim(
                self.acting,
                claim,
                text,
                sources,
                gist=gist,
                value=value,
                version=version,
                because=because_given(reason, code),
                details=Details(failure, reasoning),
            )
        return view_of_replacing(self.acting, state)

    def reinstate(
        self,
        claim: Claim | str,
        *,
        sources: Grounds = (),
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Let a claim stand again that was retracted, corrected or superseded, and return it.

        What it carried is labelled again; what replaced it stays too, and contradicts it.
        """
        with self._store.lock:  # what was seen stays so until it is changed
            state = reinstate_claim(
                self.acting, claim, sources, version=version, because=because_given(reason, code)
            )
        return self.acting.view(state)

    def challenge(
        self,
        claim: Claim | str,
        text: str,
        *,
        sources: Grounds = (),
        gist: str = "",
        value: str = "",
    ) -> Claim:
        """Keep a claim that contradicts another and return it; the other stays, and a recall gives both."""
        with self._store.lock:
            state = challenge_claim(self.acting, claim, text, sources, gist=gist, value=value)
        return self.acting.view(state)

    def revoke(self, source: Source | str, *, reason: str = "") -> AccessChange:
        """Revoke access to a source: what rests only on it is blocked, and no words made from it are shown."""
        with self._store.lock:
            return change_access(self.acting, source, Access.REVOKED, reason=reason)

    def give_back(self, source: Source | str, *, reason: str = "") -> AccessChange:
        """Give access to a source back, and with it what was blocked."""
        with self._store.lock:
            return change_access(self.acting, source, Access.GIVEN, reason=reason)

    # --- approving and endorsing -------------------------------------------------------------------------------

    def set_secret(self, secret: str, *, former: str = "") -> None:
        """Set the secret by which the person proves that it is she, at least 8 characters; `former` is the one before.

        From then on erasing, approving and endorsing need it proven. The host reads it where no model can write.
        """
        with self._store.lock:
            set_secret(self.acting, self._memory.tries, secret, former)

    def prove(self, secret: str) -> None:
        """Take the person's secret: for ten minutes this session may do what needs it."""
        with self._store.lock:
            prove(self.acting, self._memory.tries, secret)

    @property
    def needs_secret(self) -> bool:
        """Whether the person has set a secret that this session has not proven."""
        return has_secret(self.acting) and self.acting.now() >= self.acting.proven_until

    def review(self, *, origin: str = "") -> Iterator[ReviewItem]:
        """Yield the claims that wait for the person, each as she has to see it, oldest first.

        What imports brought is left to `review_origins`, unless its origin is named.
        """
        named = text_given(origin, "the origin")
        yield from waiting(self.acting, self._memory.review_hints, named)

    def review_origins(self) -> Iterator[OriginReview]:
        """Yield what imports brought and what waits for the person: for each origin how much, and a sample."""
        yield from review_origins(self.acting)

    def approve_origin(
        self, origin: str, *, seen: str, reason: str = "", code: ReasonCode | str = ""
    ) -> OriginSettled:
        """Let all that waits of an import's origin count, as from outside as before; `seen` is that of its review."""
        with self._store.lock:
            return approve_origin(self.acting, origin, seen, because_given(reason, code))

    def reject_origin(
        self, origin: str, *, seen: str, reason: str = "", code: ReasonCode | str = ""
    ) -> OriginSettled:
        """Let all that waits of an import's origin never count; `seen` is that of its review."""
        with self._store.lock:
            return reject_origin(self.acting, origin, seen, because_given(reason, code))

    def request_own(
        self,
        source: Source | str = "",
        *,
        origin: str = "",
        category: Category | str = Category.FACT,
    ) -> OwnRequest:
        """Return what the person is to be shown before she marks a paste, a dictation or a file as her own words.

        `source` is a message with pasted or attached parts, or a document; `origin` that of an import. The words become
        claims of a category that reaches a preference at most. The request lapses in ten minutes, unused.
        """
        chosen = _chosen(Category, category, "category", but=APART)
        with self._store.lock:
            return request_own(self.acting, self._memory.requests, source, origin, chosen)

    def mark_own(self, nonce: str, *, digest: str) -> OwnMarked:
        """Keep what was shown as the person's own words, each line a claim that falls with what it rests on.

        The person alone, with her secret proven; `digest` is that of what she saw.
        """
        with self._store.lock:
            return mark_own(self.acting, self._memory.requests, nonce, digest)

    def approve(
        self,
        claim: Claim | str,
        *,
        text: str = "",
        digest: str = "",
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Let a claim that waits count and return it; with `text` what the person writes instead counts as her own.

        With the `digest` of what `review` showed it is refused where that is not exactly what is there now.
        """
        with self._store.lock:
            state = approve_claim(
                self.acting,
                claim,
                text=text,
                digest=text_given(digest, "digest"),
                version=version,
                because=because_given(reason, code),
            )
        return self.acting.view(state)

    def reject(
        self,
        claim: Claim | str,
        *,
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Let a claim that waits never count and return it; said again by an agent it is refused."""
        with self._store.lock:
            because = because_given(reason, code)
            state = reject_claim(self.acting, claim, version=version, because=because)
        return self.acting.view(state)

    def keep_as_quotation(
        self,
        claim: Claim | str,
        *,
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Keep a claim that waits as a quotation, out of use, and return it; the person is not asked again."""
        with self._store.lock:
            because = because_given(reason, code)
            state = quote_claim(self.acting, claim, version=version, because=because)
        return self.acting.view(state)

    def request_endorsement(
        self,
        claim: Claim | str,
        *,
        category: Category | str = "",
        expires_at: datetime | None = None,
    ) -> EndorsementRequest:
        """Return what the person is to be shown before she endorses a claim; it lapses in ten minutes, unused."""
        chosen = _chosen(Category, category, "category", but=APART) if category else None
        with self._store.lock:
            return request_endorsement(
                self.acting,
                self._memory.requests,
                claim,
                category=chosen,
                expires_at=expires_at,
                hints=self._memory.review_hints,
            )

    def endorse(self, nonce: str, *, digest: str) -> Claim:
        """Make what was shown the person's own and return the new claim, which falls with the original.

        The person alone, with her secret proven; `digest` is that of what she saw. The original keeps its label.
        """
        with self._store.lock:
            state = endorse(self.acting, self._memory.requests, nonce, digest)
        return self.acting.view(state)

    def decline_endorsement(self, nonce: str) -> Claim:
        """Keep the claim as the quotation it was and return it; no agent asks for it again."""
        with self._store.lock:
            state = decline_endorsement(self.acting, self._memory.requests, nonce)
        return self.acting.view(state)

    # --- the always-on block -----------------------------------------------------------------------------------

    def block(self) -> Block:
        """Return the person's always-on block: what every prompt carries of her, byte for byte."""
        found = read_block(self.acting)
        taken = (name for line in found.lines for name in (line.claim, line.source, *line.grounds))
        read_out(self.acting, (name for name in taken if name))
        return found

    def rewrite_block(
        self,
        text: str,
        *,
        sources: Grounds = (),
        seen: str | None = None,
        anew: bool = False,
    ) -> BlockWrite:
        """Write the person's block whole and return the lines dropped and added and the write it replaced.

        A line that stood already keeps its label, a new one takes its writer's: an agent's is the person's where a
        message of hers among `sources` says all of it. The last write wins, unless `seen` names the write
        that was seen and the block was written since: ConflictError. Empty or over 4,000 code points: RefusedError.
        """
        with self._store.lock:
            return rewrite(self.acting, text, sources, seen=seen, anew=anew)

    def block_history(self) -> tuple[BlockChange, ...]:
        """Return who changed the block and when, oldest first, with the changed lines cut short."""
        return read_block_history(self.acting)

    def waiting_block(self) -> Block:
        """Return the write of the block that waits for the person, empty where none does."""
        return read_block(self.acting, waiting=True)

    def accept_block(self) -> BlockWrite:
        """Let the write that waits take the block's place, as the person herself; its lines keep their labels."""
        with self._store.lock:
            return accept(self.acting)

    def decline_block(self, *, dry_run: bool = False) -> Erasure:
        """Destroy what the write that waits would add, as the person herself."""
        with self._store.lock:
            return self._memory.told(decline(self.acting, dry_run=dry_run))

    def put_back_block(self, write: str) -> BlockWrite:
        """Let the block be as an earlier write in its history made it, as the person herself."""
        with self._store.lock:
            return put_back(self.acting, write)

    def clear_block(
        self, *, basis: Basis | str = "", reason: str = "", dry_run: bool = False
    ) -> Erasure:
        """Destroy the block with every earlier write of it; nobody gets it back, and only the person herself may."""
        with self._store.lock:
            erasure = clear(self.acting, basis=basis, reason=reason, dry_run=dry_run)
            return self._memory.told(erasure)

    # --- out of use, and not lost ------------------------------------------------------------------------------

    def pause(self, extent: Extent | str = Extent.PERSON) -> PauseChange:
        """Pause this person's memory, in this project or in this conversation only where `extent` says so.

        While it is paused nothing is kept and nothing enters a prompt; listing, exporting and erasing work.
        """
        return pause_memory(self.acting, _chosen(Extent, extent, "extent"))

    def resume(self, extent: Extent | str = "") -> PauseChange:
        """Resume what this person paused here, or the pause of one extent; what the host paused stays so."""
        return resume_memory(self.acting, _chosen(Extent, extent, "extent") if extent else None)

    def mute(self, claim: Claim | str = "", *, theme: str = "") -> Mute:
        """Mute a claim, or all that speaks of a theme: it stays listed and is brought up nowhere."""
        return mute(self.acting, claim, theme, Muting.MUTED)

    def unmute(self, claim: Claim | str = "", *, theme: str = "") -> Mute:
        """Let a claim or a theme in again that was muted."""
        return mute(self.acting, claim, theme, Muting.UNMUTED)

    def mutes(self) -> tuple[Mute, ...]:
        """Return the claims and themes that are muted here, oldest first."""
        return list_mutes(self.acting)

    def request_forget(self, claim: Claim | str, *, reason: str = "") -> ForgetRequest:
        """Ask that a claim be forgotten: it is muted at once, and waits for its person to erase it or to decline."""
        with self._store.lock:
            return request_forget(self.acting, claim, reason=reason)

    def decline_forget(self, claim: Claim | str, *, reason: str = "") -> ForgetRequest:
        """Decline to forget a claim that somebody asked to: it is let in again."""
        with self._store.lock:
            return decline_forget(self.acting, claim, reason=reason)

    def forget_requests(self) -> tuple[ForgetRequest, ...]:
        """Return what somebody asked to forget and waits for this person, oldest first."""
        return list_requests(self.acting)

    # --- sensitive ---------------------------------------------------------------------------------------------

    def declare_sensitive(
        self, claim: Claim | str = "", *, agents: Sequence[str] = ()
    ) -> SensitiveChange:
        """Declare a claim sensitive, or with none this session's scope, as the person herself.

        A sensitive claim comes on explicit need only. A sensitive scope has a key and an index of its own and answers
        only its owner; `agents`, by name, may act for her there, "*" is whichever the host names.
        """
        return declare(self.acting, claim, agents, Sensitivity.SENSITIVE)

    def lift_sensitive(self, claim: Claim | str = "") -> SensitiveChange:
        """Let a claim, or with none this session's scope, be ordinary again, as the person herself."""
        return declare(self.acting, claim, (), Sensitivity.ORDINARY)

    def sensitive(self) -> tuple[SensitiveChange, ...]:
        """Return the scopes and claims that are declared sensitive here, oldest first."""
        return list_sensitive(self.acting)

    # --- reading -----------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        purpose: Purpose | str = Purpose.ANSWER,
        limit: int = 10,
        present: Mapping[str, str] = {},
        tools: Sequence[str] = (),
        need: str = "",
        task: str = "",
        as_of: Moment = None,
        connect: bool = False,
    ) -> Answer:
        """Return evidence for a question with reasons, use and a receipt; what the present request states goes first.

        `as_of` asks what the store held then, for an answer only: what stood once is no ground to act on.
        `present` maps attributes to the values stated now; where it names the `environment`, what failed in another is
        to be checked again. `task`, the kind of task at hand, leaves out preferences for another. `need` says what
        sensitive claims are needed for, and lets them come; the person or the host gives it, never a model. It is kept
        in the receipt. Without an identity the answer is empty and nothing is kept. `tools` in use bring the failures
        that name them. `connect`, where the person asks what else may belong to it, lets links come, tentative: offer
        them, do not assert them.
        """
        chosen = _chosen(Purpose, purpose, "purpose")
        query, limit = _question(query, limit)
        stated, used = stated_given(present), tools_given(tools)
        if not self.acting.identified:
            return Answer(
                query=query,
                purpose=chosen,
                looked=False,
                notes=("no identity: nothing is looked up",),
            )
        if not (usable := self.can_use_prompt_memory):
            return Answer(query=query, purpose=chosen, looked=False, notes=(usable.told,))
        if as_of is not None and chosen is not Purpose.ANSWER:
            raise InvalidError("as_of goes with purpose answer only: what stood then may not stand")
        index = self._memory.index_now
        with self._store.lock:
            then = then_of(self.acting, as_of)
            question = Question(
                query=query,
                purpose=chosen,
                readable=self.acting.readable(),
                limit=limit,
                present=stated,
                tools=used,
                need=text_given(need, "need", limit=CLAIM_LIMIT).strip(),
                task=text_given(task, "the task"),
                connect=flag_given(connect, "connect"),
                now=then.now,
            )
            recalled = recall(
                then.store,
                index,
                question,
                self._memory.hints,
                trouble=self._memory.index_trouble,
            )
            answer = recalled.answer
            told = (*answer.notes, *told_of(as_of), *not_admitted(self.acting))
            answer = answer.model_copy(update={"notes": told})
            if self._store.access is Opened.READ:
                notes = (*answer.notes, "opened read-only: no receipt is kept")
                answer, receipt = answer.model_copy(update={"notes": notes}), ""
            else:
                given = recalled._replace(answer=answer)
                receipt = keep_receipt(self.acting, question, given, known=then.store.state.seq)
        for item in answer.evidence:
            self.lower_mark(item.claim.integrity)
        terms = definitions_for(
            self.acting.policy.definitions, query, org=self.scope.org, project=self.scope.project
        )
        return answer.model_copy(update={"receipt": receipt, "definitions": terms})

    def assemble(
        self,
        query: str,
        *,
        stable: str = "",
        context: str = "",
        volatile: str = "",
        purpose: Purpose | str = Purpose.ANSWER,
        limit: int = 10,
        present: Mapping[str, str] = {},
        tools: Sequence[str] = (),
        task: str = "",
        need: str = "",
        mode: Mode | str = Mode.LIVE,
        budget: int = 0,
        count: Count = len,
        connect: bool = False,
        zone: str = "UTC",
    ) -> Prompt:
        """Return the prompt for a question: the host's texts, the block and what a recall gives, with its receipt.

        `stable`, `context` and `volatile` are the host's own texts, first in their sections but for the date, which
        is that of `zone`. `budget` is the most the whole may count by `count`, a function from a text to a number, 0
        for no limit: no constraint is dropped for it, RefusedError names them. `frozen` keeps the memory of this
        session's first such prompt, until something in it may not be shown as it was; another `Session` takes its own.
        `connect`: the person asked for loose links. The other arguments are those of `recall`.
        """
        query, limit = _question(query, limit)
        wanted = wanted_given(
            texts={"stable": stable, "context": context, "volatile": volatile},
            mode=_chosen(Mode, mode, "mode"),
            budget=budget,
            count=count,
            zone=zone,
        )
        question = Question(
            query=query,
            purpose=_chosen(Purpose, purpose, "purpose"),
            readable=frozenset(),
            limit=limit,
            present=stated_given(present),
            tools=tools_given(tools),
            need=text_given(need, "need", limit=CLAIM_LIMIT).strip(),
            task=text_given(task, "the task"),
            connect=flag_given(connect, "connect"),
            now=0,
        )
        index = self._memory.index_now
        with self._store.lock:
            here = {"readable": self.acting.own_scopes(), "now": self.acting.now()}
            asked = question.model_copy(update=here)
            means = Means(index, self._memory.index_trouble, self._memory.hints)
            return assemble(self.acting, means, self._frozen, asked, wanted)

    def search_conversations(self, query: str, *, limit: int = 10) -> Turns:
        """Return the turns in scope that match a query; what was said never comes back by `recall`."""
        query, limit = _question(query, limit)
        if not self.acting.identified:
            return Turns(query=query, looked=False, notes=("no identity: nothing is looked up",))
        if not (usable := self.can_use_prompt_memory):
            return Turns(query=query, looked=False, notes=(usable.told,))
        index = self._memory.index_now
        with self._store.lock:
            turns = search_turns(
                self._store,
                index,
                query,
                readable=self.acting.readable(),
                asker=self.acting.asker().person,
                limit=limit,
                hints=self._memory.hints,
                agent=bool(self.scope.agent),
                trouble=self._memory.index_trouble,
            )
        turns = turns.model_copy(update={"notes": (*turns.notes, *not_admitted(self.acting))})
        given_out(self.acting, "search", (self._store.state.ids[hit.source] for hit in turns.hits))
        for hit in turns.hits:
            self.lower_mark(hit.integrity)
            self.acting.has_heard(self._store.state.sources[self._store.state.ids[hit.source]])
        return turns

    def why(
        self,
        thing: Answer | Prompt | Claim | str = "",
        *,
        claim: Claim | str = "",
        line: int = 0,
        text: str = "",
        around: Around = None,
    ) -> Explanation:
        """Return why a claim is remembered, or why a receipt's answer gave it, down to the words it rests on.

        `thing` may be the host's trace id. `line` is a line of the prompt made of a receipt; `text` a sentence of an
        attached answer, looked for `around` a day or a moment, otherwise now: "not from memory" is a possible result.
        """
        return explained(self.acting, thing, claim=claim, line=line, text=text, around=around)

    def why_not(self, claim: Claim | str, receipt: Answer | Prompt | str) -> WhyNot:
        """Return which step dropped a claim from the answer of a receipt, by the records of then; or that none did.

        An agent is told that it was not given, and not which rule held it back.
        """
        with self._store.lock:
            return why_not(self.acting, claim, receipt)

    def compare(self, first: Answer | Prompt | str, second: Answer | Prompt | str) -> Comparison:
        """Return two receipts side by side: what was asked, what each gave, and why one gave what the other did not."""
        with self._store.lock:
            return compared(self.acting, first, second)

    def attach(
        self,
        receipt: Answer | Prompt | str,
        *,
        answer: str = "",
        model: str = "",
        parameters: Mapping[str, object] = {},
        trace: str = "",
    ) -> Attached:
        """Attach to a receipt what the host made of it, and return it as it is kept; a retry adds one more.

        `parameters` are plain values, `trace` the host's own id, by which `why` finds the receipt. Credentials are left
        out. An erasure that reaches the receipt destroys it too, and what was erased is not attached.
        """
        return attach(
            self.acting, receipt, answer=answer, model=model, parameters=parameters, trace=trace
        )

    def replay(self, receipt: Answer | Prompt | str) -> Replay:
        """Return what an answer gave, from its receipt and the records of then, with what would differ today and why.

        Erased words do not come back. What the same question would find today besides is not part of it.
        """
        with self._store.lock:
            kept = seen_receipt(self.acting, receipt)
            gone = GONE if self.acting.alone else UNSAID
            found = replay(self._store, self._memory.policy, kept, now=self.acting.now(), gone=gone)
        for line in found.lines:
            if line.claim is not None:
                self.acting.has_read(line.claim.integrity)
        return found.model_copy(
            update={
                "known": 0,  # a number of all records counts others' too
                "question": seen_text(self.acting, found.question),
                "notes": seen_notes(self.acting, found.notes),
            }
        )

    def trace(self, thing: Claim | Source | str) -> Trace:
        """Return a claim's lineage both ways: what it rests on and what rests on it, with the quoted spans.

        Of a source it is everything that rests on it.
        """
        traced = trace_view(
            self._store,
            self.acting.found(identifier_of(thing)),
            now=self.acting.now(),
            readable=self.acting.readable(),
        )
        for node in traced.nodes:
            self.acting.has_read(node.integrity)
        traced = seen_trace(self.acting, traced)
        read_out(self.acting, (node.id for node in traced.nodes if node.words))
        return traced

    def consequences(self, claim: Claim | str) -> Consequences:
        """Return what became of the claims that rest on one that was changed: lost, stale, or rescued and by what."""
        return consequences_view(self._store, self.acting.claim(claim), self.acting.readable())

    def evidence_of(self, claim: Claim | str) -> Support:
        """Return how many independent origins stand behind a claim, and why mentions of one origin are one."""
        return support_view(self._store, self.acting.claim(claim), self.acting.readable())

    def weigh(
        self, subject: str, attribute: str, *, by: WeighedBy | str = WeighedBy.COUNT
    ) -> Weighing:
        """Return the current values of a slot, ranked by how many independent origins give each; ties are said.

        By `accuracy` an origin counts as much as it is right elsewhere, as far as that shows: all slots are read.
        """
        named = text_given(subject, "the subject"), text_given(attribute, "the attribute")
        ranking = _chosen(WeighedBy, by, "way to weigh")
        if not named[1].strip():
            raise InvalidError("a slot has an attribute; name it, such as 'opening hours'")
        slots = self._weighings(ranking, slot_key(self._store, *named))
        return next(slots, None) or Weighing(subject=named[0], attribute=named[1], by=ranking)

    def weighings(self, *, by: WeighedBy | str = WeighedBy.COUNT) -> Iterator[Weighing]:
        """Yield every slot this session may read, each with its current values ranked as `weigh` ranks them."""
        yield from self._weighings(_chosen(WeighedBy, by, "way to weigh"))

    def _weighings(self, by: WeighedBy, only: str = "") -> Iterator[Weighing]:
        readable, now = self.acting.readable(), self.acting.now()
        with self._store.lock:
            found = tuple(weighings(self._store, readable, now, by, only))
        for slot in found:
            seen = seen_weighing(self.acting, slot)
            for value in seen.values:
                self.acting.has_read(value.integrity)
            yield seen

    def investigate(self, thing: Answer | Prompt | Claim | str) -> Investigation:
        """Return everything there is to say of a claim or a receipt, and a bundle that proves it elsewhere.

        The bundle discloses only what this session may read; `tools/verify_bundle.py` checks it offline.
        """
        about = thing.receipt if isinstance(thing, Answer | Prompt) else identifier_of(thing)
        must_see(self.acting, about)
        explanation = self.why(thing)
        with self._store.lock:
            return investigate(
                self._store,
                self._memory.signer,
                explanation,
                self._memory.verify(mode="fast"),
                self.acting.readable(),
                partial(unsaid, self.acting),
            )

    def prov(self) -> str:
        """Return the lineage of everything this session may read as one PROV-JSON document, without words."""
        records = everything(self._store, self.acting.readable())
        return json.dumps(prov_document(self._store, records), indent=1)

    def history(self, claim: Claim | str) -> tuple[Change, ...]:
        """Return what happened to a claim, oldest first."""
        return history_view(self._store, self.acting.claim(claim))

    def claim(self, identifier: str, *, as_of: Moment = None) -> Claim:
        """Return a claim by its identifier, as it stands or as it stood; NotFoundError where it was not there yet."""
        state = self.acting.claim(identifier)
        read_out(self.acting, [state.id])
        if as_of is None:
            self.acting.has_read(state.integrity)
            return seen_claim(self.acting, self.acting.view(state))
        readable = self.acting.readable()
        with self._store.lock:
            then = then_of(self.acting, as_of, only=state.id)
            was = found(then.store, state.id, readable)
            assert isinstance(was, ClaimState)  # the same identifier, as it was
            self.acting.has_read(state.integrity)
            view = claim_view(then.store, was, now=then.now, readable=readable)
            return seen_claim(self.acting, view)

    def source(self, identifier: str) -> Source:
        """Return a source by its identifier."""
        node = self.acting.found(identifier_of(identifier))
        if not isinstance(node, SourceState):
            raise InvalidError(f"{identifier} is a claim; this needs a source")
        if is_restricted(self._store.state, node.seq):
            raise RefusedError(decide("RESTRICTED"))
        self.acting.must_see(node)
        self.acting.has_heard(node)
        read_out(self.acting, [node.id])
        return source_view(self._store, node, self.acting.readable())

    def difference(self, source: Source | str) -> SourceDifference:
        """Return what changed in a source: from this version to the newest, of the newest from the one before."""
        found = difference_of(self.acting, source)
        must_see(self.acting, found.old)
        must_see(self.acting, found.new)
        read_out(self.acting, (found.old, found.new))
        return found

    def claims(
        self,
        *,
        category: Category | str | None = None,
        standing: Standing | str | None = None,
        as_of: Moment = None,
    ) -> Iterator[Claim]:
        """Yield the claims this session may read, oldest first, as they stand or as they stood.

        Tasks and procedures only where `category` names them: they are no memory.
        """
        only = _chosen(Category, category, "category") if category else None
        shown = _chosen(Standing, standing, "standing") if standing else None
        readable = self.acting.readable()
        with self._store.lock:
            then = then_of(self.acting, as_of)
            states = list(then.store.state.claims.values())
        inside = [
            state
            for state in states
            if state.assertions
            and state.scope in readable
            and (state.category in MEMORIES if only is None else state.category is only)
        ]
        for first in range(0, len(inside), _AT_ONCE):
            views = [
                claim_view(then.store, state, now=then.now, readable=readable)
                for state in inside[first : first + _AT_ONCE]
                if state.assertions  # of those erased meanwhile nothing is left
            ]
            listed = [
                seen_claim(self.acting, view)
                for state, view in zip(inside[first : first + _AT_ONCE], views, strict=True)
                if shown in (None, view.standing) and self.acting.may_see(state)
            ]
            read_out(self.acting, (view.id for view in listed))
            for view in listed:
                self.acting.has_read(view.integrity)
                yield view

    def backdated(
        self, *, since: datetime | None = None, by: timedelta = A_DAY
    ) -> Iterator[Backdated]:
        """Yield what was recorded later than it claims by more than `by`, or while the clock ran back; oldest first.

        A source claims a time with `said_at`, a claim with `valid_from`. `since` leaves out what was recorded before.
        """
        moment, least = backdated_given(since, by)
        with self._store.lock:
            found = list(backdated(self._store, self.acting.readable(), since=moment, by=least))
        for one in found:
            if sees(self.acting, one.id):
                self.acting.has_read(one.integrity)
                yield one

    def stale(self) -> Iterator[Stale]:
        """Yield the claims that wait to be made anew, oldest first, each with what changed beneath it."""
        readable, now = self.acting.readable(), self.acting.now()
        for state in list(self._store.state.claims.values()):
            if state.scope in readable and is_stale(state) and self.acting.may_see(state):
                self.acting.has_read(state.integrity)
                read_out(self.acting, [state.id])
                yield stale_view(self._store, state, now=now, readable=readable)

    def export(self) -> Iterator[str]:
        """Yield everything this session may read as JSON lines: sources, then claims, with all their fields.

        The person's own export ends with a seal, by which `import_lines` takes it in again as hers.
        """
        given_out(self.acting, "export", exported(self.acting))
        yield from export_lines(self.acting, self._memory.signer)

    def import_lines(
        self, lines: Iterable[str], *, origin: str = "file", progress: Progress | None = None
    ) -> ImportReport:
        """Take in the lines of a file and return what became of each; the same file again changes nothing.

        The person's own export, sealed by this store or by one that `policy.toml` names, comes in as what it was, all
        of it or nothing. Every other file is from outside, under `origin`: each line, of an export each claim, is kept
        as words of its own and waits for the person in `review_origins`. What was erased here stays out.
        """
        return import_lines(self.acting, self._memory.signer, lines, origin, progress)


def _question(query: str, limit: int) -> tuple[str, int]:
    """Return a question and how much is wanted, both checked."""
    text = text_given(query, "the question", limit=QUESTION_LIMIT)
    return checked_text(text, "the question", limit=QUESTION_LIMIT), count_given(limit, "limit")


def _chosen(words: type[Listed], given: str, what: str, *, but: Sequence[str] = ()) -> Listed:
    """Return the word of a closed list, or raise InvalidError naming the list."""
    allowed = [word for word in words if word.value not in but]
    for word in allowed:
        if given == word.value:
            return word
    raise InvalidError(
        f"{given!r} is no {what}; use one of {', '.join(word.value for word in allowed)}"
    )
