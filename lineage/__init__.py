"""The journal, its keys and the lineage graph: the one room that touches the disk."""

from .bundling import ReceiptSeen, bundle_digest, bundle_of, everything, receipts_of
from .checkpoint import Checkpoint, Signer, append_anchor, is_signed, read_anchor
from .files import READ_ONLY, Access, Host, Reach, prepare_store, unreached
from .journal import encode_record
from .keys import encoded
from .proofs import Tree, is_consistent, is_included
from .prov import prov_document
from .state import ClaimState, SourceState, State
from .store import Progress, Store
from .tracing import Edge, Node, Trace, trace_view
from .verification import Finding, Mode, Soundness, Verification
from .verifying import verify_store
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
    "Access",
    "Checkpoint",
    "ClaimState",
    "Edge",
    "Finding",
    "Host",
    "KeyedWrite",
    "Mode",
    "NewClaim",
    "NewPart",
    "Node",
    "Progress",
    "READ_ONLY",
    "Reach",
    "ReceiptSeen",
    "Signer",
    "Soundness",
    "SourceState",
    "State",
    "Store",
    "Trace",
    "Tree",
    "UNKEYED",
    "Verification",
    "Writer",
    "append_anchor",
    "bundle_digest",
    "bundle_of",
    "challengers",
    "claim_view",
    "decision_of",
    "encode_record",
    "encoded",
    "everything",
    "found",
    "history_view",
    "is_consistent",
    "is_included",
    "is_signed",
    "keyed_write",
    "part_text",
    "prepare_store",
    "prov_document",
    "read_anchor",
    "receipts_of",
    "source_view",
    "standing_of",
    "trace_view",
    "unreached",
    "verify_store",
    "withdrawn_before",
    "write_change",
    "write_claim",
    "write_policy",
    "write_receipt",
    "write_refusal",
    "write_source",
    "written_before",
]
