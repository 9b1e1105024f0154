"""The journal, its keys and the lineage graph: the one room that touches the disk."""

from .access import is_restricted
from .erasing import Erasure, Survivor, erase
from .files import Host, Reach, prepare_store, unreached
from .independence import Count, Support, count_support, independent_origins, support_view
from .keys import encoded, unseal
from .past import last_record, past_store
from .slots import rivals
from .staleness import Cause, Stale, is_stale, stale_view
from .state import ClaimState, SourceState, State, passes
from .store import Progress, Store
from .tombstones import Passage, claim_passage, source_passage
from .tracing import Edge, Node, Trace, trace_view
from .views import (
    challengers,
    claim_view,
    day_of,
    decision_of,
    found,
    history_view,
    part_text,
    source_view,
    standing_of,
)
from .writing import (
    UNKEYED,
    KeyedWrite,
    NewClaim,
    NewPart,
    Writer,
    keyed_write,
    withdrawn_before,
    write_access,
    write_change,
    write_claim,
    write_policy,
    write_receipt,
    write_refusal,
    write_source,
    written_before,
)

__all__ = [
    "Cause",
    "ClaimState",
    "Count",
    "Edge",
    "Erasure",
    "Host",
    "KeyedWrite",
    "NewClaim",
    "NewPart",
    "Node",
    "Passage",
    "Progress",
    "Reach",
    "SourceState",
    "Stale",
    "State",
    "Store",
    "Support",
    "Survivor",
    "Trace",
    "UNKEYED",
    "Writer",
    "challengers",
    "claim_passage",
    "claim_view",
    "count_support",
    "day_of",
    "decision_of",
    "encoded",
    "erase",
    "found",
    "history_view",
    "independent_origins",
    "is_restricted",
    "is_stale",
    "keyed_write",
    "last_record",
    "part_text",
    "passes",
    "past_store",
    "prepare_store",
    "rivals",
    "source_passage",
    "source_view",
    "stale_view",
    "standing_of",
    "support_view",
    "trace_view",
    "unreached",
    "unseal",
    "withdrawn_before",
    "write_access",
    "write_change",
    "write_claim",
    "write_policy",
    "write_receipt",
    "write_refusal",
    "write_source",
    "written_before",
]
