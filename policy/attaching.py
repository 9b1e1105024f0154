"""What may be attached to the receipt of a recall."""

from muniment.claims import Decision

from .rules import decide


def judge_attachment(*, destroyed: bool) -> Decision:
    """Return whether what was made of a recall may be attached; `destroyed`: the receipt's own words were."""
    return decide("RECEIPT_DESTROYED" if destroyed else "ATTACHED")
