"""attestari in one SQLite file; every text one fact of a predicate that holds several values."""

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from peer_worker import Embedder, Peer


class Adapter(Peer):
    """Memory.local; its own extractor knows four English sentences, so each text is taken as one fact."""

    durable = "synced: 2 fsyncs an add; SQLite WAL with synchronous=FULL"
    writes = "add (one fact a text), search"
    takes = ("origin",)
    deletes = "person"
    option = "ATTESTARI_KEK: payloads encrypted, a key a person"
    why_not = {
        "6": "a fact has no end but that of being superseded",
        "9": "no count of evidence",
    }

    def __init__(self, folder: str, embedder: Embedder, option: bool = False) -> None:
        product = import_module("attestari")
        os.environ.pop("ATTESTARI_KEK", None)
        if option:
            os.environ["ATTESTARI_KEK"] = product.generate_kek()

        class Given:
            dim, semantic = embedder.dimension, True

            def embed(self, text: str) -> list[float]:
                return embedder.one(text)

        class Whole:
            def extract(self, text: str, scope: Any) -> list[Any]:
                # "The X is Y" says what X is, so a later one stands in its place; others stand side by side.
                slot = re.match(r"The (.+?) is ", text)
                predicate = slot[1] if slot else "said"
                return [product.ExtractedFact(scope.subject_id or "none", predicate, text)]

        self._memory: Any = product.Memory.local(
            Path(folder) / "attestari.db", extractor=Whole(), embedder=Given()
        )
        self._memory.predicates.declare("said", product.Cardinality.MULTI)

    def add(self, user: str, text: str, origin: str = "") -> str:
        """Take in one text."""
        found = self._memory.add(text, subject_id=user, source_ref=origin or None)
        return found[0] if found else ""

    def search(self, user: str, question: str, limit: int = 10) -> list[dict[str, str]]:
        """Return the hits of one subject."""
        found = self._memory.search(question, subject_id=user, limit=limit)
        return [self._hit(one.edge) for one in found]

    def _hit(self, edge: Any) -> dict[str, str]:
        known = self._memory.get_provenance(edge.fact_id)
        return {"id": edge.fact_id, "text": edge.object, "origin": known.source_ref or ""}

    def correct(self, user: str, id: str, text: str) -> str:
        """Say what now holds in its place."""
        return self.add(user, text)

    def remove(self, user: str, id: str) -> None:
        """Forget the whole subject: there is nothing smaller."""
        self._memory.forget(user)

    def texts(self, user: str) -> list[str]:
        """Return what is current."""
        return [edge.object for edge in self._memory.timeline(subject_id=user) if edge.alive]

    def history(self, user: str, id: str) -> list[str]:
        """Return what no longer holds."""
        return [edge.object for edge in self._memory.timeline(subject_id=user) if not edge.alive]

    def close(self) -> None:
        """Close the store."""
        self._memory.store.close()
