"""The task ledger: work in progress, with a lifetime of its own. No recall brings it up."""

from datetime import datetime
from typing import Literal, get_args

from muniment.claims import (
    CLAIM_LIMIT,
    Category,
    Claim,
    InvalidError,
    Kind,
    Lifecycle,
    ReasonCode,
    Right,
    Verb,
    to_micros,
)
from muniment.lineage import ClaimState, write_change
from muniment.policy import judge_task

from .acting import Acting, Grounds
from .given import list_given, text_given
from .keeping import keep_claim, keep_source, message_of, must_allow, whole
from .remembering import Wish

Outcome = Literal["done", "dropped"]
_CODES: dict[str, ReasonCode] = {"done": ReasonCode.CHECKED, "dropped": ReasonCode.UNWANTED}


def add_task(
    acting: Acting, text: str, grounds: Grounds, *, until: datetime | None, key: str
) -> ClaimState:
    """Put work in progress into the ledger; with no ground named, saying so is its ground."""
    wish = Wish.asked(
        text=text,
        kind=Kind.STATED if acting.alone else Kind.INFERRED,
        category=Category.TASK,
        expires_at=until,
    )
    if until is not None and to_micros(until) <= acting.now():
        raise InvalidError(
            f"until {until.isoformat()} lies in the past; give a later time, or none"
        )
    text_given(key, "key")  # before anything is written
    acting.must_write_for("task")
    with whole(acting, "task"):
        if not list_given(grounds, "sources"):
            said = keep_source(acting, message_of(acting, text, (), None), said_key(key))
            grounds = [acting.store.state.names[said]]
        seq, _, _ = keep_claim(acting, wish, grounds, key)
    return acting.store.state.claims[seq]


def said_key(key: str) -> str:
    """Return the key of the message by which something was said that is kept with this key."""
    return f"{key}: said" if key else ""


def finish_task(
    acting: Acting, task: Claim | str, outcome: str, *, version: int | None, reason: str
) -> ClaimState:
    """Say that a task is over; whoever works in its scope may, and `reinstate` opens it again."""
    if outcome not in get_args(Outcome):
        raise InvalidError(f"{outcome!r} is no outcome; use done or dropped")
    note = text_given(reason, "reason", limit=CLAIM_LIMIT)
    state = acting.claim(task)
    if state.category is not Category.TASK:
        raise InvalidError(
            f"{state.id} is no task; see `tasks`, or retract what is not so any more"
        )
    if isinstance(task, Claim) or version is not None:
        state = acting.current(task, version)
    decision = judge_task(own_scope=acting.owns(state), lifecycle=state.lifecycle)
    must_allow(acting, "finish_task", decision)
    with acting.store.group() as store:
        write_change(
            store,
            decision,
            acting.writer(Right.MANAGE),
            state,
            Verb.RETRACT,
            Lifecycle.RETRACTED,
            note=note,
            code=_CODES[outcome],
        )
    return acting.store.state.claims[state.seq]
