"""The embedded default: WordLlama's static token vectors, which come with its package."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from workbench.embed.base import Rows, Thresholds, embedders, encodable, only_model, unit_rows

DIMENSION = 256


@embedders.register("wordllama")
class WordLlama:
    """WordLlama (MIT; token vectors derived from Llama 2's): the mean of static token vectors, 256 numbers, of length 1.

    English. It knows no word order and no context; other scripts fall to byte tokens that mean little. Texts of any length are
    read whole, so that a long one is near to nothing in particular. A vector depends on its text alone. About 800 LongMemEval
    rounds a second on one core. Nothing is downloaded.
    """

    name: ClassVar[str] = "wordllama"
    batch: int = 256
    is_for_tests: ClassVar[bool] = False
    thresholds: ClassVar[Thresholds] = Thresholds(related=0.16, near_tag=0.40, same_tag=0.75)

    def __init__(self, model: str = "") -> None:
        self.model = only_model(self.name, model, "l2_supercat_256")
        self.dimension: int | None = DIMENSION

    def embed(self, texts: Sequence[str]) -> Rows:
        """Vectors of texts, (n_texts, 256); see `Embedder`."""
        if not texts:
            return np.empty((0, DIMENSION), np.float32)
        # One text at a time: a batch is padded to its longest text, which costs memory and saves little.
        return unit_rows(_model().embed([encodable(text) for text in texts], batch_size=1))


@cache
def _model() -> Any:
    """The model, read from its own package."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    import wordllama

    root.setLevel(level)  # importing it sets up logging for the whole program
    root.handlers[:] = handlers
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
