"""Cosine over notes: the plain embedding baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench.embed.base import Embedder, Rows, embedder
from workbench.memory import Memory
from workbench.methods.base import MemoryRetriever, RankConfig, Scored, methods
from workbench.notes import FIELDS, full_text
from workbench.records import Part, Why
from workbench.settings import setting

Floats = NDArray[np.float64]
DECIMALS = 9
"""Cosines compare after rounding to this many decimals (ours): a matrix product's last bits depend on a row's place in it."""
BLOCK = 1024
"""Rows of one product: few enough to stay in the processor's cache (ours)."""
NO_WORD = "the query holds no word"


@dataclass(frozen=True)
class EmbeddingConfig(RankConfig):
    """Settings of methods that compare vectors."""

    embeddings: str = setting("wordllama", "embedding backend, or backend:model")

    def __post_init__(self) -> None:
        super().__post_init__()
        embedder(self.embeddings)


@dataclass(frozen=True)
class DenseConfig(EmbeddingConfig):
    """Cosine over the text that bm25 indexes."""

    index_fields: tuple[str, ...] = setting(FIELDS, "what of a note is embedded, as one text (by default what bm25 indexes)")


def has_word(text: str) -> bool:
    """Whether a text holds a letter or digit; without one there is nothing that it asks for."""
    return any(character.isalnum() for character in text)


def cosines(memory: Memory, source: Embedder, query: str, rows: Rows) -> Floats:
    """Cosine of a query with each of some unit vectors, (n,), in [-1, 1]."""
    # In double precision: the sum of a float32 product depends on the number of rows. In blocks: a copy of all rows is large.
    asked = memory.vectors.of(source, [query])[0].astype(np.float64)
    found = np.empty(len(rows))
    for start in range(0, len(rows), BLOCK):
        found[start : start + BLOCK] = rows[start : start + BLOCK].astype(np.float64) @ asked
    return found


def note_vectors(memory: Memory, config: DenseConfig) -> Rows:
    """Vectors of the notes, (n_notes, dimension), worked out once a note; zeros for a note without text."""

    def build(memory: Memory) -> Rows:
        texts = [full_text(note, config.index_fields) for note in memory.notes]
        return memory.vectors.of(embedder(config.embeddings), texts)

    return memory.view(("note vectors", config.embeddings, config.index_fields), build)


@methods.register("dense")
class Dense(MemoryRetriever[DenseConfig]):
    """Cosine between the query's and the notes' vectors; notes above 0 are candidates."""

    name: ClassVar[str] = "dense"
    Config = DenseConfig

    def score(self, text: str) -> Scored:
        if not has_word(text):
            return Scored.nothing(NO_WORD)
        source = embedder(self.config.embeddings)
        scores = cosines(self.memory, source, text, note_vectors(self.memory, self.config))
        rows = np.flatnonzero(np.round(scores, DECIMALS) > 0)
        if not len(rows):
            return Scored.nothing("no note's vector is on the query's side")

        def explain(row: int) -> Why:
            return Why((Part("dense", f"cosine ({source.name}:{source.model})", float(scores[row])),))

        return Scored(rows, scores[rows], explain, decimals=DECIMALS)
