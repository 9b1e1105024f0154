"""What a test of a store needs: strategies, a reference model, invariants."""

from .hands import HandClock, flat_embedder
from .invariants import (
    decision_findings,
    findings,
    graph_findings,
    integrity_findings,
    label_findings,
    labels_from_scratch,
    quote_findings,
    word_findings,
)
from .model import (
    Asked,
    Model,
    ModelClaim,
    ModelError,
    ModelPart,
    ModelSession,
    ModelSource,
    spans_by_trying,
)
from .strategies import (
    any_texts,
    categories,
    integrities,
    kinds,
    moments,
    names,
    purposes,
    scopes,
    texts,
)

__all__ = [
    "Asked",
    "HandClock",
    "Model",
    "ModelClaim",
    "ModelError",
    "ModelPart",
    "ModelSession",
    "ModelSource",
    "any_texts",
    "categories",
    "decision_findings",
    "findings",
    "flat_embedder",
    "graph_findings",
    "integrities",
    "integrity_findings",
    "kinds",
    "label_findings",
    "labels_from_scratch",
    "moments",
    "names",
    "purposes",
    "quote_findings",
    "scopes",
    "spans_by_trying",
    "texts",
    "word_findings",
]
