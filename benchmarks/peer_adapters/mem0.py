"""mem0 as a library: no language model (infer=False), Qdrant on disk, its history beside it."""

from importlib import import_module
from pathlib import Path
from typing import Any

from peer_worker import Embedder, Peer

ROLES = {"person": "user", "agent": "assistant", "tool": "tool", "web": "tool", "feed": "tool"}


class Adapter(Peer):
    """mem0.Memory with infer=False; the embedding model replaced in the process."""

    durable = "synced: 8 fsyncs an add; Qdrant's local mode and history.db are SQLite with synchronous=FULL"
    writes = "add(infer=False), search"
    takes = ("origin", "expires")
    why_not = {"9": "no count of evidence"}

    def __init__(self, folder: str, embedder: Embedder) -> None:
        self._folder = Path(folder)
        store = {
            "path": str(self._folder / "qdrant"),
            "embedding_model_dims": embedder.dimension,
            "on_disk": True,
        }
        self._memory: Any = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": {"provider": "openai", "config": {"api_key": "none"}},
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(self._folder / "history.db"),
            }
        )
        model = self._memory.embedding_model
        model.embed = lambda text, memory_action=None: embedder.one(text)
        model.embed_batch = lambda texts, memory_action=None: embedder.many(texts).tolist()

    def add(self, user: str, text: str, origin: str = "person", expires: str = "") -> str:
        """Write one message as it is."""
        more = {"expiration_date": expires[:10]} if expires else {}
        message = [{"role": ROLES[origin], "content": text}]
        found = self._memory.add(message, user_id=user, infer=False, **more)["results"]
        return str(found[0]["id"]) if found else ""

    def search(self, user: str, question: str, limit: int = 10) -> list[dict[str, str]]:
        """Return the hits of one user."""
        found = self._memory.search(question, filters={"user_id": user}, top_k=limit)["results"]
        return [
            {"id": hit["id"], "text": hit["memory"], "origin": hit.get("role", "")} for hit in found
        ]

    def correct(self, user: str, id: str, text: str) -> str:
        """Update one memory."""
        self._memory.update(id, text=text)
        return id

    def remove(self, user: str, id: str) -> None:
        """Delete one memory."""
        self._memory.delete(id)

    def texts(self, user: str) -> list[str]:
        """Return what is current."""
        found = self._memory.get_all(filters={"user_id": user}, top_k=1000)["results"]
        return [one["memory"] for one in found]

    def history(self, user: str, id: str) -> list[str]:
        """Return the texts a memory has had."""
        return [one["old_memory"] for one in self._memory.history(id) if one["old_memory"]]

    def close(self) -> None:
        """Close the store."""
        self._memory.close()
        self._memory.vector_store.client.close()
