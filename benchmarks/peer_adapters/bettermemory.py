"""bettermemory through its MCP tools, called in the process; keyword search alone, a scope a user."""

import asyncio
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from peer_worker import Embedder, Peer

SOURCES = {
    "person": "explicit-statement",
    "tool": "inferred",
    "agent": "inferred",
    "web": "inferred",
    "feed": "inferred",
}
ANYWAY = ("force", "transient", "scope_mismatch", "ungrounded", "credential", "user_claim")


class Adapter(Peer):
    """memory_write, memory_search, memory_update, memory_remove."""

    embeds = False
    durable = "synced: 8 fsyncs an add; a file a memory, and its folder"
    writes = "memory_write, memory_search (BM25 and keywords, no embedder)"
    takes = ("origin", "sources", "insist")
    why_not = {"6": "a memory has no end"}

    def __init__(self, folder: str, embedder: Embedder) -> None:
        self._root = Path(folder) / "memories"
        os.environ["BETTERMEMORY_DIR"] = str(self._root)
        store = import_module("bettermemory.store").Store.open(self._root)
        config = import_module("bettermemory.config").Config()
        self._server: Any = import_module("bettermemory").build_server(config=config, store=store)

    def _call(self, tool: str, **arguments: Any) -> Any:
        found = asyncio.run(self._server.call_tool(tool, arguments)).structured_content
        return found.get("result", found)

    def add(
        self,
        user: str,
        text: str,
        origin: str = "person",
        sources: tuple[str, ...] = (),
        insist: bool = False,
    ) -> str:
        """Write one memory; with `insist` a second time past what was refused."""
        given = {"content": text, "scopes": [f"user:{user}"], "source": SOURCES[origin]}
        found = self._call("memory_write", **given)
        if found["status"] != "committed" and insist:
            acknowledged = {one if one == "force" else f"acknowledge_{one}": True for one in ANYWAY}
            found = self._call("memory_write", **given, **acknowledged)
        if found["status"] != "committed":
            return ""
        if sources:
            links = [{"type": "depends_on", "target_id": source} for source in sources]
            self._call("memory_update", id=found["id"], links=links)
        return str(found["id"])

    def search(self, user: str | None, question: str, limit: int = 10) -> list[dict[str, str]]:
        """Return the hits of one scope."""
        # The scopes are an argument that a model fills in; without any, everything is searched.
        scopes = None if user is None else [f"user:{user}"]
        found = self._call("memory_search", query=question, scopes=scopes, max_results=limit)
        return [
            {
                "id": hit["id"],
                "text": hit["snippet"],
                "warning": hit["staleness_verdict"],
            }
            for hit in found
        ]

    def correct(self, user: str, id: str, text: str) -> str:
        """Update one memory; that a shorter text is no accident has to be said."""
        found = self._call("memory_update", id=id, content=text, acknowledge_truncation=True)
        if found["status"] != "committed":
            raise ValueError(str(found))
        return id

    def remove(self, user: str, id: str) -> None:
        """Move one memory to the tombstones."""
        self._call("memory_remove", id=id, reason="asked for")

    def texts(self, user: str) -> list[str]:
        """Return what is current."""
        found = self._call("memory_list", scopes=[f"user:{user}"], with_bodies=True)
        return [one["body"].strip() for one in found]

    def origin(self, user: str, id: str) -> str:
        """Return the source that the writer gave."""
        return str(self._call("memory_show", id=id)["source"])

    def evidence(self, user: str, ids: list[str]) -> int:
        """Return the corroborations counted on the first."""
        return int(self._call("memory_show", id=ids[0]).get("corroborations", 0)) + 1

    def close(self) -> None:
        """Nothing is held open."""
