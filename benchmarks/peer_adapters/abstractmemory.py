"""AbstractMemory's MemorySystem: records and journal in one SQLite file; a scope owner a user."""

import uuid
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from peer_worker import Embedder, Peer


class Adapter(Peer):
    """remember and reconstruct, with the shelf as long as what is asked for."""

    durable = "not synced: no fsync until the next checkpoint; SQLite WAL with synchronous=NORMAL"
    writes = "remember, reconstruct"
    takes = ("origin", "sources", "expires")
    deletes = ""  # "append-only, no deletion"

    def __init__(self, folder: str, embedder: Embedder) -> None:
        self._product = import_module("abstractmemory")

        class Given:
            model = "universal-sentence-encoder"

            def embed_texts(self, texts: list[str]) -> list[list[float]]:
                found: list[list[float]] = embedder.many(texts).tolist()
                return found

        path = Path(folder) / "memory.sqlite3"
        self._store: Any = self._product.SQLiteTripleStore(path, embedder=Given())
        journal = self._product.SQLiteJournal(path)
        self._system: Any = self._product.MemorySystem(
            store=self._store, journal=journal, embedder=Given()
        )
        self._trace = ""
        self._handles: Any = ()

    def add(
        self,
        user: str,
        text: str,
        origin: str = "",
        sources: tuple[str, ...] = (),
        expires: str = "",
    ) -> str:
        """Form one record; one that ends is a bare triple, since records have no end."""
        if expires:
            row = self._product.TripleAssertion(
                subject="note",
                predicate="says",
                object=text,
                scope="session",
                owner_id=user,
                valid_until=expires,
                attributes={"literal": True},
            )
            return str(self._store.add([row])[0])
        record = self._product.MemoryRecordInput(
            kind="summary" if sources else "memory",
            title=text[:60],
            digest=text,
            edges=tuple(("derived_from", source) for source in sources),
            provenance={"source": origin} if origin else {},
        )
        graph = self._system.remember(
            record, scope="session", owner_id=user, idempotency_key=uuid.uuid4().hex
        )
        return str(graph)

    def search(self, user: str, question: str, limit: int = 10) -> list[dict[str, str]]:
        """Return the handles of one owner."""
        found = self._system.reconstruct(
            self._product.Stimulus(cue_text=question),
            scopes=[("session", user)],
            budget=self._product.RecallBudget(shelf_size=limit, token_budget=100_000),
        )
        self._trace = found.trace_id
        self._handles = found.handles
        return [self._hit(handle) for handle in found.handles]

    def _hit(self, handle: Any) -> dict[str, str]:
        return {
            "id": handle.provenance.get("record_id", handle.record_id),
            "text": handle.digest,
            "origin": handle.provenance.get("assertion_provenance", {}).get("source", ""),
        }

    def correct(self, user: str, id: str, text: str) -> str:
        """Supersede one record."""
        new = self.add(user, text)
        self._system.close_record(id, kind="supersede", replacement_ids=[new], reason="a slip")
        return new

    def history(self, user: str, id: str) -> list[str]:
        """Return what a record said, closed or not."""
        return [self._system.payload(id)["content"]]

    def current(self, user: str, question: str) -> list[str]:
        """Ask the triples for what holds now."""
        now = datetime.now(UTC).isoformat()
        query = self._product.TripleQuery(
            owner_id=user, query_text=question, active_at=now, limit=10
        )
        return [row.object for row in self._store.query(query)]

    def why(self, user: str, question: str, id: str) -> str:
        """Explain the last recall."""
        return str(self._system.explain_recall(id, trace_id=self._trace))

    def evidence(self, user: str, ids: list[str]) -> str:
        """Return what it says of the voices behind the last shelf, for display."""
        found = self._product.origin_diversity(self._handles)
        return f"said beside the shelf, no count: {found}"

    def close(self) -> None:
        """Close the store."""
        self._system.close()
        self._store.close()
