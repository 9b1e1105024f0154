"""In which order what was found comes: likeness first, then approval, the person's own words, and what is newer."""

from collections.abc import Mapping

from muniment.claims import Integrity
from muniment.lineage import ClaimState, Store
from muniment.policy import CATEGORIES

from .evidence import Reason, shown_score
from .judging import is_approved
from .question import TOOL, Picked, came_by

# In standard deviations, as likeness is. Neighbours in an answer lie .20 apart (median, LoCoMo claims): approval and
# authorship lift by half a place, being new by one at most. Measured on LoCoMo claims, R@10 .622: with a lift of .1
# for one claim in two at random .623, with recency of .2 .623, none of it a loss.
APPROVED = 0.1
AUTHORED = 0.1
RECENT = 0.2
_HALVED = (
    30 * 86_400_000_000
)  # microseconds after which what was new counts half; months apart still differ


def in_order(store: Store, picked: Mapping[int, Picked], now: int) -> list[Picked]:
    """Return what was picked, best first; equal ones the older first, of failures and of what is only recent the newer.

    Being recent moves a claim among those of its own integrity only: nobody comes first by writing last.
    """
    lifted = [_lifted(store, item, now) for item in picked.values()]
    ordered = sorted(lifted, key=lambda item: (-item.score, _age(item)))
    for level in Integrity:
        places = [at for at, item in enumerate(ordered) if _ages(item, level)]
        newest = sorted(
            (ordered[at] for at in places),
            key=lambda item: (-item.score - recency(item.claim, now), item.claim.seq),
        )
        for at, item in zip(places, newest, strict=True):
            ordered[at] = item
    return ordered


def _age(item: Picked) -> int:
    newer = came_by(item, TOOL) or came_by(item, "only recent")
    return -item.claim.seq if newer else item.claim.seq


def recency(claim: ClaimState, now: int) -> float:
    """Return what being recent adds, 0 to `RECENT`; being confirmed or seen again makes nothing newer."""
    since = claim.recorded if claim.valid_from is None else max(claim.recorded, claim.valid_from)
    return float(RECENT * 2.0 ** (-max(now - since, 0) / _HALVED))


def _ages(item: Picked, level: Integrity) -> bool:
    return (
        item.claim.integrity is level
        and CATEGORIES[item.claim.category].recall == "similar and recent"
    )


def _lifted(store: Store, item: Picked, now: int) -> Picked:
    """Return a claim with the parts of its score that are no likeness, each with its reason."""
    own, approved = item.claim.integrity >= Integrity.USER, is_approved(store, item.claim)
    parts = (
        *(
            Reason(code="recent", score=shown_score(recency(item.claim, now)))
            for _ in range(_ages(item, item.claim.integrity))
        ),
        *(Reason(code="approved", score=APPROVED) for _ in range(approved and not own)),
        *(Reason(code="authored by you", score=AUTHORED) for _ in range(own)),
    )
    score = item.score + AUTHORED * own + APPROVED * (approved and not own)
    return item._replace(score=score, reasons=(*item.reasons, *parts))
