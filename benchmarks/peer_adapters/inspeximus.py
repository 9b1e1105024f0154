"""inspeximus, a SQLite file; a handle bound to a tenant for each user."""

from importlib import import_module
from pathlib import Path
from typing import Any

from peer_worker import Embedder, Peer


class Adapter(Peer):
    """remember and recall; a view of one store for a tenant cannot embed, so each tenant opens the file."""

    durable = "synced: 3 fsyncs an add; SQLite with synchronous=NORMAL, by its source not safe in a power cut"
    writes = "remember, recall"
    identity = "handle"
    takes = ("origin", "sources")
    why_not = {"6": "a memory has no end; valid_from alone is given"}

    def __init__(self, folder: str, embedder: Embedder) -> None:
        self._product = import_module("inspeximus").Inspeximus
        self._path, self._embedder = str(Path(folder) / "memory.db"), embedder
        self._handles: dict[str, Any] = {}
        self._keys: dict[str, str] = {}

    def _of(self, user: str) -> Any:
        if user not in self._handles:
            self._handles[user] = self._product(
                self._path, tenant=user, embed=self._embedder.one, embed_id="use"
            )
        return self._handles[user]

    def add(self, user: str, text: str, origin: str = "", sources: tuple[str, ...] = ()) -> str:
        """Keep one text; "The X is Y" under the key X, so that a later one retires it."""
        subject, found, _ = text.partition(" is ")
        given: dict[str, Any] = {"key": subject} if found and text.startswith("The ") else {}
        if origin:
            given["source"] = {"doc": origin}
        if sources:
            given["derived_from"] = list(sources)
        id = str(self._of(user).remember(text, **given))
        self._keys[id] = given.get("key", "")
        return id

    def search(
        self, user: str, question: str, limit: int = 10, mode: str = "auto"
    ) -> list[dict[str, str]]:
        """Return the hits of one tenant; by default a small store is searched by words alone."""
        return [
            {
                "id": hit["id"],
                "text": hit["text"],
                "origin": (hit.get("source") or {}).get("doc", ""),
                "stale": "stale_derived" if hit.get("stale_derived") else "",
            }
            for hit in self._of(user).recall(question, k=limit, mode=mode)
        ]

    def meaning(self, user: str, question: str) -> list[dict[str, str]]:
        """Return the hits by words and meaning, which has to be asked for in a small store."""
        return self.search(user, question, mode="hybrid")

    def correct(self, user: str, id: str, text: str) -> str:
        """Keep the new value under the same key."""
        return self.add(user, text)

    def remove(self, user: str, id: str) -> None:
        """Forget one memory."""
        self._of(user).forget(ids=[id])

    def texts(self, user: str) -> list[str]:
        """Return what is current."""
        return [one["text"] for one in self._of(user).items if one["status"] == "active"]

    def history(self, user: str, id: str) -> list[str]:
        """Return the values a key has held."""
        return [one["text"] for one in self._of(user).history(self._keys[id])]

    def evidence(self, user: str, ids: list[str]) -> int:
        """Return how many sources it says the last rests on."""
        return int(self._of(user).convergence_report(ids[-1])["distinct_sources"])

    def close(self) -> None:
        """Write what waits."""
        for handle in self._handles.values():
            handle.flush()
