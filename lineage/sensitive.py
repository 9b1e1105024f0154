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
    """What is sensitive now, by sequence number."""

    def __init__(self, state: "State") -> None:
        self.scopes: dict[int, Apart] = {}
        self.declared: dict[int, int] = {}
        self.keyed: dict[int, list[int]] = {}
        self._state = state
        self._reached: set[int] = set()
        self._is_known = True

    def __bool__(self) -> bool:
        """Return whether anything is sensitive."""
        return bool(self.scopes or self.declared)

    def declare(self, scope: int, claim: int, sensitivity: Sensitivity, apart: Apart) -> None:
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
        self.look_again()

    def holds_back(self, claim: "ClaimState") -> bool:
        """Return whether a claim comes on explicit need only: it is sensitive and stands in an ordinary scope."""
        return bool(self) and claim.scope not in self.scopes and claim.seq in self.reached

    def admits(self, scope: int, agent: str) -> bool:
        """Return whether an agent, by identifier, may act for the owner of a scope there."""
        apart = self.scopes.get(scope)
        return apart is None or ANY_AGENT in apart.agents or (agent != "" and agent in apart.agents)

    def closed_to(self, agent: str) -> frozenset[int]:
        """Return the sensitive scopes where an agent, by identifier, may not act for the owner."""
        return frozenset(scope for scope in self.scopes if not self.admits(scope, agent))

    @property
    def reached(self) -> set[int]:
        """The claims that were declared sensitive, that rest on one, or took something out of a sensitive scope."""
        if not self._is_known:
            self._is_known = True
            self._reached.clear()
            claims = self._state.claims
            self._reach(seq for seq in self.declared if claims[seq].assertions)
            self._reach(self._crossing() if self.scopes else ())
        return self._reached

    def look_again(self) -> None:
        """Find out anew at the next question which claims are reached: one may have lost a ground."""
        self._is_known = False

    def follow(self, claim: "ClaimState", grounds: Sequence[int]) -> None:
        """Take in that a claim rests on these grounds too."""
        if self and self._is_known:
            if self._crosses(claim, grounds) or not self._reached.isdisjoint(grounds):
                self._reach((claim.seq,))

    def _crossing(self) -> Iterator[int]:
        for claim in self._state.claims.values():
            if any(self._crosses(claim, grounds) for grounds in claim.justifications):
                yield claim.seq

    def _crosses(self, claim: "ClaimState", grounds: Sequence[int]) -> bool:
        """Return whether a claim in an ordinary scope rests on something in a sensitive one."""
        if claim.scope in self.scopes:
            return False
        state = self._state
        nodes = (state.claims.get(one) or state.sources.get(one) for one in grounds)
        return any(node is not None and node.scope in self.scopes for node in nodes)

    def _reach(self, seqs: Iterable[int]) -> None:
        waiting = list(seqs)
        while waiting:
            seq = waiting.pop()
            if seq in self._state.claims and seq not in self._reached:
                self._reached.add(seq)
                waiting += self._state.dependants.get(seq, ())
