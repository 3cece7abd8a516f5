"""Any service that speaks the OpenAI protocol: Ollama, llama.cpp, vLLM, or a hosted one. Nothing is asked unless configured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np

from workbench.embed.base import Rows, Thresholds, embedders, encodable, unit_rows
from workbench.endpoints import SHOWN, from_environment, positive
from workbench.errors import EmbeddingError, MissingPart
from workbench.words import counted

URL, KEY = "WORKBENCH_EMBED_URL", "WORKBENCH_EMBED_KEY"
BATCH, TIMEOUT, RETRIES = "WORKBENCH_EMBED_BATCH", "WORKBENCH_EMBED_TIMEOUT", "WORKBENCH_EMBED_RETRIES"
"""Environment variables. Where the first two are not set, OPENAI_BASE_URL and OPENAI_API_KEY count."""


@dataclass(frozen=True)
class Endpoint:
    """Where a service is, and how it is asked; by default as the environment says.

    ``url`` ends in front of ``/embeddings``. ``seconds`` and ``tries`` are those of one batch; between tries the client waits
    longer each time.
    """

    url: str = field(default_factory=lambda: from_environment(URL, "OPENAI_BASE_URL"))
    key: str = field(default_factory=lambda: from_environment(KEY, "OPENAI_API_KEY"), repr=False)
    batch: int = field(default_factory=lambda: positive(BATCH, 64))
    seconds: int = field(default_factory=lambda: positive(TIMEOUT, 60))
    tries: int = field(default_factory=lambda: positive(RETRIES, 3))


@embedders.register("openai")
class OpenAI:
    """A model of an OpenAI-compatible service, such as ``openai:nomic-embed-text``.

    Dimension, languages, longest text and licence are the model's; vectors are scaled to length 1. One name must stand for one
    model, since stored vectors are known by it. The thresholds fit none in particular (ours).
    """

    name: ClassVar[str] = "openai"
    is_for_tests: ClassVar[bool] = False
    thresholds: ClassVar[Thresholds] = Thresholds(related=0.5, near_tag=0.7, same_tag=0.9)

    def __init__(self, model: str = "", endpoint: Endpoint | None = None) -> None:
        if not model:
            raise ValueError("embedding backend 'openai' needs a model: openai:MODEL, such as openai:nomic-embed-text")
        self.endpoint = endpoint if endpoint is not None else Endpoint()
        self.model, self.batch = model, self.endpoint.batch
        self.dimension: int | None = None

    def embed(self, texts: Sequence[str]) -> Rows:
        """Vectors of texts in one request; see `Embedder`.

        Raises
        ------
        MissingPart
            If no endpoint is configured, or the client is not installed.
        EmbeddingError
            If the service can't be reached, refuses, fails, takes too long, or gives other than one vector a text.
        """
        if not self.endpoint.url:
            raise MissingPart(
                f"embedding backend 'openai' has no endpoint: set {URL} to a base URL, such as http://127.0.0.1:11434/v1"
            )
        if not texts:
            return np.empty((0, self.dimension or 0), np.float32)
        # An empty text is refused by most services; a blank is what it says.
        rows = self._rows(self._ask([encodable(text) or " " for text in texts]), len(texts))
        self.dimension = rows.shape[1]
        return unit_rows(rows)

    def _ask(self, texts: list[str]) -> Any:
        """The service's answer to one request."""
        try:
            import openai
        except ImportError as error:
            raise MissingPart("embedding backend 'openai' needs the package openai: pip install openai") from error
        try:
            return _client(self.endpoint).embeddings.create(model=self.model, input=texts, encoding_format="float")
        except openai.APITimeoutError as error:
            raise self._failed(f"no answer within {self.endpoint.seconds} s") from error
        except openai.APIConnectionError as error:
            raise self._failed(f"can't be reached ({error.__cause__ or error})") from error
        except openai.APIStatusError as error:
            raise self._failed(f"answered {error.status_code}: {error.message[:SHOWN]}") from error
        except (openai.OpenAIError, ValueError) as error:
            raise self._failed(f"gave an answer that can't be read: {str(error)[:SHOWN]}") from error

    def _rows(self, answer: Any, wanted: int) -> np.ndarray:
        """The vectors of an answer in the order of the texts, (n_texts, dimension)."""
        items = getattr(answer, "data", None)
        if not isinstance(items, list) or len(items) != wanted:
            got = counted(len(items), "vector") if isinstance(items, list) else "no list of vectors"
            raise self._failed(f"gave {got} for {counted(wanted, 'text')}")
        try:
            ordered = sorted(items, key=lambda item: item.index)
            rows = np.array([item.embedding for item in ordered], np.float64)
        except (AttributeError, TypeError, ValueError) as error:
            raise self._failed(f"gave vectors that can't be read or differ in length: {str(error)[:SHOWN]}") from error
        if rows.ndim != 2 or not rows.shape[1] or not np.isfinite(rows).all():
            raise self._failed("gave vectors that are empty or hold values that are no numbers")
        return rows

    def _failed(self, what: str) -> EmbeddingError:
        return EmbeddingError(f"{self.endpoint.url} (model {self.model}) {what}")


@cache
def _client(endpoint: Endpoint) -> Any:
    import openai

    return openai.OpenAI(
        base_url=endpoint.url,
        api_key=endpoint.key or "none",  # local services take any
        timeout=endpoint.seconds,
        max_retries=endpoint.tries - 1,
    )
