"""The journal, its keys and the lineage graph: the one room that touches the disk."""

from .absence import Searched, gone_by, search
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
from .certifying import Certificate, certify
from .checkpoint import Checkpoint, Signer, append_anchor, is_signed, read_anchor
from .erasing import Erasure, clear_block, erase
from .files import READ_ONLY, Host, Opened, Reach, prepare_store, unreached, write_file
from .holds import is_held
from .independence import Count, Support, count_support, independent_origins, support_view
from .journal import encode_record
from .keys import encoded, unseal
from .past import last_record, past_store
from .proofs import Tree, is_consistent, is_included
from .prov import prov_document
from .remaining import Disclosed, Remaining
from .slots import rivals
from .staleness import Cause, Consequences, Stale, Survivor, consequences_view, is_stale, stale_view
from .state import ClaimState, SourceState, State, passes
from .store import Progress, Store
from .tombstones import Passage, claim_passage, source_passage, words_passage
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
    hold_view,
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
    write_hold,
    write_policy,
    write_receipt,
    write_refusal,
    write_secret,
    write_source,
    written_before,
)

__all__ = [
    "Cause",
    "Certificate",
    "Checkpoint",
    "ClaimState",
    "Consequences",
    "Count",
    "Disclosed",
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
    "Remaining",
    "Searched",
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
    "certify",
    "challengers",
    "claim_passage",
    "claim_view",
    "clear_block",
    "consequences_view",
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
    "gone_by",
    "history_view",
    "hold_view",
    "independent_origins",
    "is_consistent",
    "is_held",
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
    "search",
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
    "write_file",
    "write_hold",
    "write_policy",
    "write_receipt",
    "write_refusal",
    "write_secret",
    "write_source",
    "written_before",
]
