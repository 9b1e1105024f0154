"""LangGraph's SqliteStore with its vector index (sqlite-vec); a namespace a user."""

import sqlite3
import time
import uuid
from importlib import import_module
from pathlib import Path
from typing import Any

from peer_worker import Embedder, Peer


class Adapter(Peer):
    """SqliteStore: put, search, delete."""

    durable = "synced: 4 fsyncs an add; SQLite with synchronous=FULL"
    writes = "put, search"
    takes = ("expires",)
    why_not = {
        "1": "a value is whatever the caller puts in; the store knows no origin",
        "9": "no count of evidence",
    }

    def __init__(self, folder: str, embedder: Embedder) -> None:
        # Some builds of Python leave out the loading of extensions, which sqlite-vec needs.
        able = hasattr(sqlite3.Connection, "enable_load_extension")
        sqlite = sqlite3 if able else import_module("pysqlite3")
        connection = sqlite.connect(
            str(Path(folder) / "store.db"), check_same_thread=False, isolation_level=None
        )
        base = import_module("langgraph.store.sqlite")
        embeddings = import_module("langchain_core.embeddings").Embeddings

        class Given(embeddings):  # type: ignore[misc]
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                found: list[list[float]] = embedder.many(texts).tolist()
                return found

            def embed_query(self, text: str) -> list[float]:
                return embedder.one(text)

        index = {"dims": embedder.dimension, "embed": Given(), "fields": ["text"]}
        self._connection = connection
        self._store: Any = base.SqliteStore(connection, index=index)
        self._store.setup()

    def add(self, user: str, text: str, expires: str = "") -> str:
        """Put one value."""
        key = uuid.uuid4().hex
        more = {"ttl": 0.01 / 60} if expires else {}  # minutes from now: no moment in the past
        self._store.put(("memories", user), key, {"text": text}, **more)
        if expires:
            time.sleep(1.1)  # the moment is kept in whole seconds
        return key

    def search(self, user: str, question: str, limit: int = 10) -> list[dict[str, str]]:
        """Return the hits of one namespace."""
        found = self._store.search(("memories", user), query=question, limit=limit)
        return [{"id": hit.key, "text": hit.value["text"]} for hit in found]

    def correct(self, user: str, id: str, text: str) -> str:
        """Put another value under the same key."""
        self._store.put(("memories", user), id, {"text": text})
        return id

    def remove(self, user: str, id: str) -> None:
        """Delete one value."""
        self._store.delete(("memories", user), id)

    def texts(self, user: str) -> list[str]:
        """Return what is current."""
        return [hit.value["text"] for hit in self._store.search(("memories", user), limit=1000)]

    def current(self, user: str, question: str) -> list[str]:
        """Sweep what has expired, then search."""
        self._store.sweep_ttl()
        return [hit["text"] for hit in self.search(user, question)]

    def close(self) -> None:
        """Close the store."""
        self._connection.close()
