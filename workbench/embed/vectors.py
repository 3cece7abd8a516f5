"""Vectors of texts, each worked out once: those that a store gave, and those that were added since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.embed.base import Embedder, Rows
from workbench.errors import EmbeddingError
from workbench.words import counted


def text_digest(text: str) -> str:
    """What a text is known by: 32 hexadecimal digits of its SHA-256.

    >>> text_digest("tea") == text_digest("tea"), text_digest("tea") == text_digest("Tea"), len(text_digest("tea"))
    (True, False, 32)
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True)
class VectorSet:
    """Vectors that one model of a backend gave, by `text_digest`; each (dimension,) float32."""

    backend: str
    model: str
    rows: Mapping[str, Rows]


class Vectors:
    """The vectors that a memory's methods have asked for, shared by all of them. Can be sent to another process.

    Parameters
    ----------
    known : iterable of VectorSet
        What a store held.
    """

    def __init__(self, known: Iterable[VectorSet] = ()) -> None:
        self._rows: dict[tuple[str, str], dict[str, Rows]] = {(each.backend, each.model): dict(each.rows) for each in known}
        self._fresh: dict[tuple[str, str], dict[str, Rows]] = {}

    def of(self, embedder: Embedder, texts: Sequence[str]) -> Rows:
        """Vectors of texts, (n_texts, dimension); those that are missing are worked out, in batches, equal texts once.

        Raises
        ------
        MissingPart, EmbeddingError
            As `Embedder.embed`; what the batches before it gave is kept.
        """
        rows = self._rows.setdefault((embedder.name, embedder.model), {})
        digests = [text_digest(text) for text in texts]
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in rows}
        names = list(missing)
        for start in range(0, len(names), embedder.batch):
            batch = names[start : start + embedder.batch]
            self.add(embedder, batch, checked(embedder, [missing[digest] for digest in batch], self._width(embedder)))
        if not digests:
            return np.empty((0, embedder.dimension or 0), np.float32)
        return np.stack([rows[digest] for digest in digests])

    def add(self, embedder: Embedder, digests: Sequence[str], vectors: Rows) -> None:
        """Keep vectors that were worked out elsewhere."""
        key = (embedder.name, embedder.model)
        added = dict(zip(digests, vectors, strict=True))
        self._rows.setdefault(key, {}).update(added)
        self._fresh.setdefault(key, {}).update(added)

    def _width(self, embedder: Embedder) -> int | None:
        """Length of the vectors that are there; None where there are none."""
        rows = self._rows.get((embedder.name, embedder.model), {})
        return next((len(row) for row in rows.values()), None)

    @property
    def all(self) -> tuple[VectorSet, ...]:
        """All that are there."""
        return tuple(VectorSet(*key, rows) for key, rows in self._rows.items() if rows)

    @property
    def fresh(self) -> tuple[VectorSet, ...]:
        """What was added since: to be stored."""
        return tuple(VectorSet(*key, rows) for key, rows in self._fresh.items() if rows)


def checked(embedder: Embedder, texts: Sequence[str], width: int | None) -> Rows:
    """A backend's vectors of a batch; EmbeddingError where they are not one a text, or not as long as those before them."""
    vectors = embedder.embed(texts)
    if vectors.ndim != 2 or len(vectors) != len(texts) or (width is not None and vectors.shape[1] != width):
        wanted = f"({len(texts)}, {width or 'any'})"
        raise EmbeddingError(
            f"{embedder.name}:{embedder.model} gave vectors of shape {vectors.shape} for {counted(len(texts), 'text')}; "
            f"{wanted} was expected: one name must stand for one model"
        )
    return vectors
