"""The journal, its keys and the lineage graph: the one room that touches the disk."""

from .access import is_restricted
from .blocks import (
    NewLine,
    block_history,
    block_view,
    current_block,
    differing,
    lines_of,
    waiting_block,
    write_block,
)
from .bundling import ReceiptSeen, bundle_digest, bundle_of, everything, receipts_of
from .checkpoint import Checkpoint, Signer, append_anchor, is_signed, read_anchor
from .erasing import Erasure, clear_block, erase
from .files import READ_ONLY, Host, Opened, Reach, prepare_store, unreached
from .independence import Count, Support, count_support, independent_origins, support_view
from .journal import encode_record
from .keys import encoded, unseal
from .past import last_record, past_store
from .proofs import Tree, is_consistent, is_included
from .prov import prov_document
from .slots import rivals
from .staleness import Cause, Consequences, Stale, Survivor, consequences_view, is_stale, stale_view
from .state import ClaimState, SourceState, State, passes
from .store import Progress, Store
from .tombstones import Passage, claim_passage, source_passage, words_passage
from .tombstones import Passage, claim_passage, conversation_mark, source_passage
from .tracing import Edge, Node, Trace, trace_view
from .verification import Finding, Mode, Soundness, Verification
from .verifying import verify_store
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
    write_secret,
    write_source,
    written_before,
)

__all__ = [
    "Cause",
    "Checkpoint",
    "ClaimState",
    "Consequences",
    "Count",
    "Edge",
    "Erasure",
    "Finding",
    "Host",
    "KeyedWrite",
    "Mode",
    "NewClaim",
    "NewLine",
    "NewPart",
    "Node",
    "Opened",
    "Passage",
    "Progress",
    "READ_ONLY",
    "Reach",
    "ReceiptSeen",
    "Signer",
    "Soundness",
    "SourceState",
    "Stale",
    "State",
    "Store",
    "Support",
    "Survivor",
    "Trace",
    "Tree",
    "UNKEYED",
    "Verification",
    "Writer",
    "append_anchor",
    "block_history",
    "block_view",
    "bundle_digest",
    "bundle_of",
    "challengers",
    "claim_passage",
    "claim_view",
    "clear_block",
    "consequences_view",
    "conversation_mark",
    "count_support",
    "current_block",
    "day_of",
    "decision_of",
    "differing",
    "encode_record",
    "encoded",
    "erase",
    "everything",
    "found",
    "history_view",
    "independent_origins",
    "is_consistent",
    "is_included",
    "is_restricted",
    "is_signed",
    "is_stale",
    "keyed_write",
    "last_record",
    "lines_of",
    "part_text",
    "passes",
    "past_store",
    "prepare_store",
    "prov_document",
    "read_anchor",
    "receipts_of",
    "rivals",
    "source_passage",
    "source_view",
    "stale_view",
    "standing_of",
    "support_view",
    "trace_view",
    "unreached",
    "unseal",
    "verify_store",
    "waiting_block",
    "withdrawn_before",
    "words_passage",
    "write_access",
    "write_block",
    "write_change",
    "write_claim",
    "write_policy",
    "write_receipt",
    "write_refusal",
    "write_secret",
    "write_source",
    "written_before",
]
