"""What was declared sensitive: scopes with a key of their own, and claims, with all that was made from them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from muniment.claims import Sensitivity

if TYPE_CHECKING:
    from .state import ClaimState, State

ANY_AGENT = "*"


class Apart(NamedTuple):
    """A sensitive scope: the record that says so, the slot of its key, -1 for none.

    `agents` may act for its owner there. `by_host`: the policy or the host declared it rather than the owner.
    """

    record: int
    slot: int
    agents: tuple[str, ...]
    by_host: bool


class Sensitive:
    """What is sensitive now, by sequence number.

    `reached` are the claims that were declared so, that rest on one, or that took something out of a sensitive scope.
    """

    def __init__(self) -> None:
        self.scopes: dict[int, Apart] = {}
        self.declared: dict[int, int] = {}
        self.reached: set[int] = set()
        self.keyed: dict[int, list[int]] = {}

    def __bool__(self) -> bool:
        """Return whether anything is sensitive."""
        return bool(self.scopes or self.declared)

    def declare(
        self,
        scope: int,
        claim: int,
        sensitivity: Sensitivity,
        apart: Apart,
    ) -> None:
        """Take in that a scope, or a claim, was declared sensitive or ordinary again."""
        if apart.slot >= 0:
            self.keyed.setdefault(scope, []).append(apart.slot)
        sensitive = sensitivity is Sensitivity.SENSITIVE
        if claim and sensitive:
            self.declared[claim] = apart.record
        elif claim:
            self.declared.pop(claim, None)
        elif sensitive:
            self.scopes[scope] = apart
        else:
            self.scopes.pop(scope, None)

    def holds_back(self, claim: "ClaimState") -> bool:
        """Return whether a claim comes on explicit need only: it is sensitive and stands in an ordinary scope."""
        return claim.seq in self.reached and claim.scope not in self.scopes

    def admits(self, scope: int, agent: str) -> bool:
        """Return whether an agent, by identifier, may act for the owner of a scope there."""
        apart = self.scopes.get(scope)
        return apart is None or ANY_AGENT in apart.agents or (agent != "" and agent in apart.agents)

    def closed_to(self, agent: str) -> frozenset[int]:
        """Return the sensitive scopes where an agent, by identifier, may not act for the owner."""
        return frozenset(scope for scope in self.scopes if not self.admits(scope, agent))

    def follow(self, state: "State", claim: "ClaimState", grounds: Sequence[int]) -> None:
        """Take in that a claim rests on these grounds too."""
        if self and (self._crosses(state, claim, grounds) or self._is_reached(grounds)):
            self._reach(state, (claim.seq,))

    def spread(self, state: "State") -> None:
        """Find anew which claims are reached."""
        self.reached.clear()
        self._reach(state, (seq for seq in self.declared if state.claims[seq].assertions))
        if self.scopes:
            self._reach(state, self._crossing(state))

    def _crossing(self, state: "State") -> Iterator[int]:
        for claim in state.claims.values():
            if any(self._crosses(state, claim, grounds) for grounds in claim.justifications):
                yield claim.seq

    def _crosses(self, state: "State", claim: "ClaimState", grounds: Sequence[int]) -> bool:
        """Return whether a claim in an ordinary scope rests on something in a sensitive one."""
        if claim.scope in self.scopes:
            return False
        nodes = (state.claims.get(one) or state.sources.get(one) for one in grounds)
        return any(node is not None and node.scope in self.scopes for node in nodes)

    def _is_reached(self, grounds: Sequence[int]) -> bool:
        return not self.reached.isdisjoint(grounds)

    def _reach(self, state: "State", seqs: Iterable[int]) -> None:
        waiting = list(seqs)
        while waiting:
            seq = waiting.pop()
            if seq in state.claims and seq not in self.reached:
                self.reached.add(seq)
                waiting += state.dependants.get(seq, ())
