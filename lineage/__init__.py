"""The journal, its keys and the lineage graph: the one room that touches the disk."""

from .erasing import Erasure, Survivor, erase
from .files import Host, Reach, prepare_store, unreached
from .keys import encoded, unseal
from .state import ClaimState, SourceState, State
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
    "State",
    "Store",
    "Survivor",
    "Trace",
    "UNKEYED",
    "Writer",
    "challengers",
    "claim_passage",
    "claim_view",
    "day_of",
    "decision_of",
    "encoded",
    "erase",
    "found",
    "history_view",
    "keyed_write",
    "part_text",
    "prepare_store",
    "source_passage",
    "source_view",
    "standing_of",
    "trace_view",
    "unreached",
    "unseal",
    "withdrawn_before",
    "write_change",
    "write_claim",
    "write_policy",
    "write_receipt",
    "write_refusal",
    "write_source",
    "written_before",
]
