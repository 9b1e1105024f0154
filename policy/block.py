"""What may be written into the always-on block."""

from collections.abc import Iterable

from muniment.claims import BLOCK_LIMIT, Decision, Integrity

from .rules import decide


def judge_block(
    *, identified: bool, text: str, new: Iterable[Integrity], reviewed: bool = False
) -> Decision:
    """Return whether a block of this text may be written; `new` are the labels of the lines it adds.

    A line from outside waits for the person: the block is where a page would reach every prompt. With `reviewed`
    everything in it does.
    """
    if not identified:
        return decide("NO_IDENTITY")
    if not text:
        return decide("BLOCK_EMPTY")
    if len(text) > BLOCK_LIMIT:
        return decide("BLOCK_TOO_LONG", f"{len(text):,} of {BLOCK_LIMIT:,} characters")
    if reviewed:
        return decide("WAITS_REVIEW")
    if any(integrity < Integrity.AGENT for integrity in new):
        return decide("BLOCK_WAITS")
    return decide("BLOCK_WRITTEN")


def judge_own_block(*, alone: bool) -> Decision:
    """Return whether somebody may settle, put back or clear a block: the person alone, no agent for her."""
    return decide("BLOCK_WRITTEN" if alone else "ONLY_HER_BLOCK")
