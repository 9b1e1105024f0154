"""The journal, its keys and the lineage graph: the one room that touches the disk."""

from .files import Host, Reach, prepare_store, unreached
from .independence import Count, Support, count_support, support_view
from .keys import encoded
from .state import ClaimState, SourceState, State
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
    write_change,
    write_claim,
    write_policy,
    write_receipt,
    write_refusal,
    write_source,
    written_before,
)

__all__ = [
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
    "keyed_write",
    "part_text",
    "prepare_store",
    "source_view",
    "standing_of",
    "support_view",
    "trace_view",
    "unreached",
    "withdrawn_before",
    "write_change",
    "write_claim",
    "write_policy",
    "write_receipt",
    "write_refusal",
    "write_source",
    "written_before",
]
