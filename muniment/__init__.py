"""A memory for AI agents that can be cross-examined: typed claims with their sources, scope, expiry and history."""

from muniment.claims import (
    BusyError,
    Category,
    Claim,
    ConflictError,
    Decision,
    ErasedError,
    FormatError,
    Integrity,
    IntegrityError,
    InvalidError,
    Kind,
    MunimentError,
    NotFoundError,
    Purpose,
    RefusedError,
    Scope,
    Source,
    Standing,
    StorageError,
    Use,
)
from muniment.conversations import Turn, Turns
from muniment.lineage import Edge, Finding, Node, Soundness, Trace, Verification
from muniment.retrieval import (
    Answer,
    CallableEmbedder,
    EndpointEmbedder,
    Evidence,
    Reason,
    Withheld,
)

from .ingest import IngestReport, LineError
from .investigating import Investigation, Told
from .memory import Memory
from .session import Session
from .why import Explanation, Line, Step

__all__ = [
    "Answer",
    "BusyError",
    "CallableEmbedder",
    "Category",
    "Claim",
    "ConflictError",
    "Decision",
    "Edge",
    "EndpointEmbedder",
    "ErasedError",
    "Evidence",
    "Explanation",
    "Finding",
    "FormatError",
    "IngestReport",
    "Integrity",
    "IntegrityError",
    "InvalidError",
    "Investigation",
    "Kind",
    "Line",
    "LineError",
    "Memory",
    "MunimentError",
    "Node",
    "NotFoundError",
    "Purpose",
    "Reason",
    "RefusedError",
    "Scope",
    "Session",
    "Soundness",
    "Source",
    "Standing",
    "Step",
    "StorageError",
    "Told",
    "Trace",
    "Turn",
    "Turns",
    "Use",
    "Verification",
    "Withheld",
]
