"""The chunks of a memory with their full-text index and vectors; it grows with the notes, and no text is read twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.chunks import Chunk, chunks, raw_markdown
from workbench.embed.base import Rows, embedder
from workbench.memory import Memory
from workbench.records import Interaction, Note
from workbench.store.fts import FullTextIndex


@dataclass(frozen=True)
class Corpus:
    """Chunks in the order in which their notes came.

    Attributes
    ----------
    interactions : dict
        By note id, of the notes that the chunks are from.
    chunks : list of Chunk
    owners : list of str
        The note id of each chunk.
    places : list of int
        Where each chunk comes in its note, from 0.
    index : FullTextIndex
        Over the chunks, by their place in the list.
    """

    interactions: dict[str, Interaction]
    chunks: list[Chunk]
    owners: list[str]
    places: list[int]
    index: FullTextIndex

    def fits(self, memory: Memory) -> bool:
        """Whether all chunks are of interactions that a memory holds; tags do not matter."""
        return all(name in memory and memory[name].interaction is one for name, one in self.interactions.items())

    def grown(self, notes: Sequence[Note], tokens: int, overlap: int) -> Corpus:
        """A corpus with the chunks of further notes."""
        added = [
            (note.id, place, chunk)
            for note in notes
            for place, chunk in enumerate(chunks(raw_markdown(note.interaction), tokens, overlap))
        ]
        return Corpus(
            self.interactions | {note.id: note.interaction for note in notes},
            self.chunks + [chunk for _, _, chunk in added],
            self.owners + [owner for owner, _, _ in added],
            self.places + [place for _, place, _ in added],
            self.index.grown(chunk.text for _, _, chunk in added),
        )


@dataclass(frozen=True)
class PlacedChunks:
    """A corpus against the notes of a memory.

    Attributes
    ----------
    corpus : Corpus
    rows : (n_chunks,) int
        Row of each chunk's note in ``Memory.notes``.
    places : (n_chunks,) int
    vectors : (n_chunks, dimension) float32
    """

    corpus: Corpus
    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    vectors: Rows


def corpus_of(memory: Memory, tokens: int, overlap: int) -> Corpus:
    """The chunks of all notes, built once per state; those of notes that were there before are kept."""
    key = ("chunks", tokens, overlap)

    def build(memory: Memory) -> Corpus:
        kept = memory.kept.get(key)
        if kept is None or not kept.fits(memory):
            kept = Corpus({}, [], [], [], FullTextIndex())
        new = [note for note in memory.notes if note.id not in kept.interactions]
        memory.kept[key] = kept.grown(new, tokens, overlap) if new else kept
        return memory.kept[key]  # type: ignore[no-any-return]

    return memory.view(key, build)


def placed_chunks(memory: Memory, embeddings: str, tokens: int, overlap: int) -> PlacedChunks:
    """The memory's chunks with their vectors, worked out once a chunk."""

    def build(memory: Memory) -> PlacedChunks:
        corpus = corpus_of(memory, tokens, overlap)
        row_of = {note.id: row for row, note in enumerate(memory.notes)}
        rows = np.array([row_of[owner] for owner in corpus.owners], np.int64)
        vectors = memory.vectors.of(embedder(embeddings), [chunk.text for chunk in corpus.chunks])
        return PlacedChunks(corpus, rows, np.array(corpus.places, np.int64), vectors)

    return memory.view(("placed chunks", embeddings, tokens, overlap), build)
