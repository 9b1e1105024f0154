"""The approver's hand on a store: what agents that work alone keep and let wait, settled by somebody who may."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from muniment.claims import Claim, Decision, InvalidError, Lifecycle, ReasonCode, Scope, Verb
from muniment.lineage import ClaimState, claim_view, found
from muniment.policy import judge_approver

from .acting import Acting, composed, identifier_of
from .given import because_given
from .keeping import must_allow
from .proving import has_secret, must_prove, prove, set_secret
from .reviewing import ReviewItem, let_count, let_never_count, review_item

if TYPE_CHECKING:
    from .memory import Memory


class Approver:
    """Somebody who settles what waits in one scope that is no person's; made by `Memory.approver`."""

    def __init__(self, memory: "Memory", name: str, scope: Scope) -> None:
        if scope.person or not scope.named():
            raise InvalidError(
                "an approver is for a scope that is no person's; name it, such as project=…"
            )
        if not name:
            raise InvalidError("name the approver: the host has authenticated somebody")
        self._memory = memory
        self._acting = Acting(memory.store, memory.policy, memory.clock, Scope(person=name))
        self.scope = composed(scope)

    def review(self) -> Iterator[ReviewItem]:
        """Yield the claims that wait in the scope and are no person's, oldest first, each as it has to be seen."""
        readable = self._readable()
        for state in list(self._memory.store.state.claims.values()):
            if state.lifecycle is Lifecycle.PENDING and state.scope in readable:
                yield review_item(self._acting, state, readable=readable)

    def approve(
        self,
        claim: Claim | str,
        *,
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Let a claim that waits count and return it; no label of it rises."""
        because = because_given(reason, code)
        with self._memory.store.lock:
            state, decision = self._may_settle(Verb.APPROVE, claim, version)
            must_prove(self._acting, Verb.APPROVE.value)
            return self._view(let_count(self._acting, state, decision, because))

    def reject(
        self,
        claim: Claim | str,
        *,
        version: int | None = None,
        reason: str = "",
        code: ReasonCode | str = "",
    ) -> Claim:
        """Let a claim that waits never count and return it."""
        because = because_given(reason, code)
        with self._memory.store.lock:
            state, decision = self._may_settle(Verb.REJECT, claim, version)
            return self._view(let_never_count(self._acting, state, decision, because))

    def set_secret(self, secret: str, *, former: str = "") -> None:
        """Set the secret by which the approver proves who it is; approving needs it proven from then on."""
        with self._memory.store.lock:
            set_secret(self._acting, self._memory.tries, secret, former)

    def prove(self, secret: str) -> None:
        """Take the approver's secret: for ten minutes this hand may approve."""
        with self._memory.store.lock:
            prove(self._acting, self._memory.tries, secret)

    @property
    def needs_secret(self) -> bool:
        """Whether the approver has set a secret that was not proven here."""
        return has_secret(self._acting) and self._acting.now() >= self._acting.proven_until

    def _readable(self) -> frozenset[int]:
        """Return the numbers of the scopes that are no person's and lie within this one."""
        names, wanted = self._memory.store.names, self.scope.named()
        within: set[int] = set()
        for number in self._memory.store.state.scopes:
            named = names.scope(number).named()
            if "person" not in named and wanted.items() <= named.items():
                within.add(number)
        return frozenset(within)

    def _may_settle(
        self, verb: Verb, claim: Claim | str, version: int | None
    ) -> tuple[ClaimState, Decision]:
        state = self._seen(claim, version)
        judged = judge_approver(in_scope=True, lifecycle=state.lifecycle)
        return state, must_allow(self._acting, verb.value, judged)

    def _seen(self, claim: Claim | str, version: int | None) -> ClaimState:
        """Return the claim that is meant in the version that was seen; what is not here to settle is not found."""
        identifier = identifier_of(claim)
        state = found(self._memory.store, identifier, self._readable())
        if not isinstance(state, ClaimState):
            raise InvalidError(f"{identifier} is a source; this needs a claim")
        seen = claim.version if isinstance(claim, Claim) and version is None else version
        if not isinstance(seen, int) or isinstance(seen, bool):
            raise InvalidError("name the version you saw: pass the claim itself, or version=…")
        self._acting.must_have_seen(state, seen)
        return state

    def _view(self, state: ClaimState) -> Claim:
        now = self._acting.now()
        return claim_view(self._memory.store, state, now=now, readable=self._readable())
