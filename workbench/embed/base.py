"""What an embedding backend is, how one is named, and the errors of those that ask a service."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.registry import Registry

Rows = NDArray[np.float32]
"""Vectors of texts, (n_texts, dimension), each of length 1; a text without a token of the model has a row of zeros."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines from which texts count as near, a backend's own: they do not carry over from one model to another (ours).

    ``related``: 95% of pairs of a question and a chunk of another demonstration case lie below. ``near_tag``, for a tag that is
    shown as near to a query word: 99.9% of pairs of lexicon leaves of different domains lie below. ``same_tag``, for two tags
    that a reader may want to merge: 99.99% of these do. `bench/embed.py` works them out.
    """

    related: float
    near_tag: float
    same_tag: float


class Embedder(Protocol):
    """Turns texts into vectors. Made at no cost: what is heavy is loaded at the first text."""

    name: ClassVar[str]
    batch: int
    """Texts in one call; what a failing call costs."""
    is_for_tests: ClassVar[bool]
    """Whether its vectors mean nothing: evaluations refuse it."""
    thresholds: ClassVar[Thresholds]
    model: str
    dimension: int | None
    """Length of a vector; None where a service decides, until its first answer."""

    def embed(self, texts: Sequence[str]) -> Rows:
        """Vectors of texts, (n_texts, dimension) float32, rows of length 1 in the order of the texts.

        Raises
        ------
        MissingPart
            If the backend is not installed.
        EmbeddingError
            If a service does not answer, or not with such vectors.
        """
        ...


embedders: Registry[Callable[[str], Embedder]] = Registry("embedding backend", "workbench.embed", "workbench.embed")
"""Each makes a backend with one of its models (its default one for an empty name); ValueError for a model that it has not."""


def embedder(named: str) -> Embedder:
    """The backend that a setting names: ``backend`` or ``backend:model``.

    Raises
    ------
    ValueError
        For an unknown backend or a model that it has not.

    Examples
    --------
    >>> embedder("wordllama").dimension
    256
    """
    name, _, model = named.partition(":")
    if name not in embedders:
        raise ValueError(f"no embedding backend {name!r}; known: {', '.join(embedders)}, each as backend or backend:model")
    return embedders[name](model)


def only_model(backend: str, wanted: str, has: str) -> str:
    """The one model of a backend; ValueError where another is wanted."""
    if wanted not in ("", has):
        raise ValueError(f"embedding backend {backend!r} has no model {wanted!r}; it has {has}")
    return has


def unit_rows(vectors: NDArray[np.float32] | NDArray[np.float64]) -> Rows:
    """Rows scaled to length 1, (n, d) float32; rows of zeros stay as they are."""
    exact = np.asarray(vectors, np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    return np.asarray(np.divide(exact, lengths, out=np.zeros_like(exact), where=lengths > 0), np.float32)


def encodable(text: str) -> str:
    """The text as models take it: a lone surrogate, which has no UTF-8 form, is replaced by a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
