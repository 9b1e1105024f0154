"""bettermemory through its MCP tools, called in the process; keyword search alone, a scope a user."""

import asyncio
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from peer_worker import Embedder, Peer

ANYWAY = ("force", "transient", "scope_mismatch", "ungrounded", "credential", "user_claim")


class Adapter(Peer):
    """memory_write, memory_search, memory_update, memory_remove."""

    embeds = False
    durable = "fsync: a file a memory, the file and its folder synced"
    writes = "memory_write, memory_search (BM25 and keywords, no embedder)"
    takes = ("origin", "insist")
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

    def add(self, user: str, text: str, origin: str = "person", insist: bool = False) -> str:
        """Write one memory; with `insist` a second time past what was refused."""
        sources = {"person": "explicit-statement", "agent": "inferred-from-conversation"}
        given = {"content": text, "scopes": [f"user:{user}"]}
        if origin in sources:
            given["source"] = sources[origin]
        found = self._call("memory_write", **given)
        if found["status"] != "committed" and insist:
            acknowledged = {one if one == "force" else f"acknowledge_{one}": True for one in ANYWAY}
            found = self._call("memory_write", **given, **acknowledged)
        if found["status"] != "committed":
            self._said = found
            return ""
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
                "origin": hit.get("source", ""),
                "warning": hit["staleness_verdict"],
            }
            for hit in found
        ]

    def correct(self, user: str, id: str, text: str) -> str:
        """Update one memory."""
        self._call("memory_update", id=id, content=text)
        return id

    def remove(self, user: str, id: str) -> None:
        """Move one memory to the tombstones."""
        self._call("memory_remove", id=id, reason="asked for")

    def texts(self, user: str) -> list[str]:
        """Return what is current."""
        found = self._call("memory_list", scopes=[f"user:{user}"], with_bodies=True)
        return [one["body"] for one in found]

    def evidence(self, user: str, ids: list[str]) -> int:
        """Return the corroborations counted on the first."""
        return int(self._call("memory_show", id=ids[0]).get("corroborations", 0)) + 1

    def clean(self) -> None:
        """Prune the tombstones."""
        command = [sys.executable, "-m", "bettermemory", "tombstones", "prune", "--older-than", "0"]
        subprocess.run(command, check=True, capture_output=True)

    def close(self) -> None:
        """Nothing is held open."""
