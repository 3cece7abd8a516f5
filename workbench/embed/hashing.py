"""Vectors without a model, for tests."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from workbench.embed.base import Rows, Thresholds, embedders, encodable, only_model, unit_rows
from workbench.text import Analyser

DIMENSION = 64


@embedders.register("hash")
class Hashing:
    """For tests only: every word adds to one of 64 numbers chosen by its checksum; evaluations refuse it.

    Words alike share a number and others may too, so that it only knows equal words, and those not surely.
    """

    name: ClassVar[str] = "hash"
    batch: int = 256
    is_for_tests: ClassVar[bool] = True
    thresholds: ClassVar[Thresholds] = Thresholds(related=0.3, near_tag=0.5, same_tag=0.9)

    def __init__(self, model: str = "") -> None:
        self.model = only_model(self.name, model, "crc32_64")
        self.dimension: int | None = DIMENSION

    def embed(self, texts: Sequence[str]) -> Rows:
        """Vectors of texts, (n_texts, 64); see `Embedder`."""
        rows = np.zeros((len(texts), DIMENSION))
        for row, text in zip(rows, texts, strict=True):
            for word in Analyser("simple").words(encodable(text)):
                row[zlib.crc32(word.encode()) % DIMENSION] += 1
        return unit_rows(rows)
