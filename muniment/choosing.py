"""What can be done about a claim, in four plain ways, each with the verb that does it and what policy says to it."""

from collections.abc import Iterator
from typing import Literal

from muniment.claims import Claim, Decision, Right, Value, Verdict
from muniment.lineage import ClaimState, is_held
from muniment.policy import judge_change, judge_erasure, judge_own_memory

from .acting import Acting

Means = Literal["wrong", "changed", "unused", "destroy"]


class Choice(Value):
    """One way to change a claim: it was wrong, the world changed, do not use it, destroy it.

    `verb` is the verb of a session that does it, `decision` what policy would say to it here and now.
    """

    means: Means
    verb: str
    decision: Decision

    @property
    def is_open(self) -> bool:
        """Whether it would be done, if only as a contradiction that stands beside the claim."""
        return self.decision.verdict is not Verdict.REFUSE


def choices_of(acting: Acting, claim: Claim | str) -> tuple[Choice, ...]:
    """Return the ways there are to change a claim, in the order in which they are offered; nothing is written."""
    return tuple(_choices(acting, acting.claim(claim)))


def _choices(acting: Acting, state: ClaimState) -> Iterator[Choice]:
    own = acting.owns(state)
    replacing = _replacing(acting, state)
    yield Choice(means="wrong", verb="correct", decision=replacing)
    yield Choice(means="changed", verb="supersede", decision=replacing)
    if acting.alone and own:
        muting = judge_own_memory(alone=True, own_scope=True)
        yield Choice(means="unused", verb="mute", decision=muting)
    else:  # who may not mute it may yet withdraw it
        retracting = _changing(acting, state, replaces=False)
        yield Choice(means="unused", verb="retract", decision=retracting)
    held = (state.id,) if is_held(acting.store.state, state.seq) else ()
    erasing = judge_erasure(alone=acting.alone, own_scope=own, held=held)
    yield Choice(means="destroy", verb="erase", decision=erasing)


def _replacing(acting: Acting, state: ClaimState) -> Decision:
    """Return whether something new may take a claim's place: what is new has to be kept."""
    permit = acting.permit(Right.ACCUMULATE)
    return _changing(acting, state, replaces=True) if permit else permit.decision


def _changing(acting: Acting, state: ClaimState, *, replaces: bool) -> Decision:
    return judge_change(
        actor=acting.integrity_to_change(()),
        target=state.integrity,
        lifecycle=state.lifecycle,
        replaces=replaces,
        own_scope=acting.owns(state),
    )
