"""Which texts of a case methods ask vectors of, and working them out beforehand, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from workbench.chunks import chunk_texts
from workbench.embed.base import Embedder
from workbench.embed.vectors import Vectors, VectorSet, checked, text_digest
from workbench.errors import EmbeddingError
from workbench.notes import full_text
from workbench.records import Note, Question

GIVE_UP = 3
"""Failed batches in a row after which the others are not tried (ours)."""


def texts_of(notes: Sequence[Note], questions: Iterable[Question]) -> list[str]:
    """The distinct texts that ``dense`` and ``openclaw`` compare under their defaults: questions, notes, chunks of what was said.

    Under other fields or chunk sizes the methods ask for other texts, which are worked out when they do.
    """
    asked = (question.text for question in questions)
    return list(dict.fromkeys(chain(asked, map(full_text, notes), chunk_texts(note.interaction for note in notes))))


@dataclass(frozen=True, slots=True)
class FailedBatch:
    """A batch that gave no vectors: its number in the case from 1, how many texts it has, and the reason."""

    batch: int
    texts: int
    reason: str


@dataclass(frozen=True)
class Embedded:
    """What one case came to: how many texts it has, how many had vectors before, and the new vectors."""

    texts: int
    known: int
    new: VectorSet
    failed: tuple[FailedBatch, ...]
    skipped: int
    """Texts that were not tried after too many failures in a row."""
    failures: int
    """How many batches had failed in a row at the end."""


def embed_texts(
    texts: Sequence[str],
    source: Embedder,
    known: VectorSet,
    failures: int = 0,
    keep: Callable[[VectorSet], None] = lambda batch: None,
) -> Embedded:
    """Vectors of the texts that have none yet. A batch that fails is reported, and the others are still tried.

    Parameters
    ----------
    texts : sequence of str
        Distinct.
    source : Embedder
    known : VectorSet
        The vectors that are there.
    failures : int
        How many batches have failed in a row before.
    keep : callable
        Called with every batch's vectors as soon as they are there.

    Raises
    ------
    MissingPart
        If the backend is not installed.
    """
    missing = [text for text in texts if text_digest(text) not in known.rows]
    width = next((len(row) for row in known.rows.values()), None)
    vectors, failed, skipped = Vectors(), list[FailedBatch](), 0
    for number, batch in enumerate(_batches(missing, source.batch), 1):
        if failures >= GIVE_UP:
            skipped += len(batch)
            continue
        try:
            rows = checked(source, batch, width)
        except EmbeddingError as error:
            failures += 1
            failed.append(FailedBatch(number, len(batch), str(error)))
            continue
        failures, width = 0, rows.shape[1]
        digests = [text_digest(text) for text in batch]
        vectors.add(source, digests, rows)
        keep(VectorSet(source.name, source.model, dict(zip(digests, rows, strict=True))))
    new = vectors.fresh[0] if vectors.fresh else VectorSet(source.name, source.model, {})
    return Embedded(len(texts), len(texts) - len(missing), new, tuple(failed), skipped, failures)


def _batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), size):
        yield texts[start : start + size]
