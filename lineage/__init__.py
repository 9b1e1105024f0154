"""The journal, its keys and the lineage graph: the one room that touches the disk."""

from .access import is_restricted
from .files import Host, Reach, prepare_store, unreached
from .independence import Count, Support, count_support, independent_origins, support_view
from .keys import encoded
from .past import last_record, past_store
from .slots import rivals
from .staleness import Cause, Stale, is_stale, stale_view
from .state import ClaimState, SourceState, State, passes
from .store import Progress, Store
from .tracing import Edge, Node, Trace, trace_view
from .views import (
    challengers,
    claim_view,
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
    "Host",
    "KeyedWrite",
    "NewClaim",
    "NewPart",
    "Node",
    "Progress",
    "Reach",
    "SourceState",
    "Stale",
    "State",
    "Store",
    "Support",
    "Trace",
    "UNKEYED",
    "Writer",
    "challengers",
    "claim_view",
    "count_support",
    "decision_of",
    "encoded",
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
    "source_view",
    "stale_view",
    "standing_of",
    "support_view",
    "trace_view",
    "unreached",
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
