"""Word statistics of a memory: counts, document frequencies, TF-IDF overlap, and the filter for common query words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from workbench.memory import Memory
from workbench.text import Analyser

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TermIndex:
    """Counts of each word in each note.

    Attributes
    ----------
    vocabulary : dict
        Column of each word.
    counts : sparse CSC array, (n_notes, n_words)
        Occurrences, rows in the order of ``Memory.notes``.
    """

    vocabulary: dict[str, int]
    counts: sparse.csc_array

    @property
    def n_notes(self) -> int:
        return int(self.counts.shape[0])

    @cached_property
    def df(self) -> NDArray[np.int64]:
        """Notes that hold each word, (n_words,)."""
        return np.asarray(np.diff(self.counts.indptr), np.int64)

    def frequency(self, word: str) -> int:
        """Notes that hold a word; 0 for an unknown one."""
        column = self.vocabulary.get(word)
        return 0 if column is None else int(self.df[column])

    @cached_property
    def idf(self) -> Floats:
        """ln((1 + N) / (1 + df)) + 1, (n_words,), at least 1 (ours: the paper names TF-IDF without a formula)."""
        return np.asarray(np.log((1 + self.n_notes) / (1 + self.df)) + 1)

    def idf_of(self, word: str) -> float:
        """Smoothed idf of any word, also of one that no note holds."""
        return float(np.log((1 + self.n_notes) / (1 + self.frequency(word))) + 1)

    @cached_property
    def tfidf(self) -> sparse.csc_array:
        """(1 + ln tf) * idf, each row of L2 norm 1 (a row without words stays zero)."""
        weights = self.counts.astype(np.float64)
        weights.data = (1 + np.log(weights.data)) * np.repeat(self.idf, self.df)
        norms = np.sqrt(np.bincount(weights.indices, weights=weights.data**2, minlength=self.n_notes))
        weights.data /= norms[weights.indices]
        return weights

    def tf(self, word: str) -> Floats:
        """Occurrences of a word in each note, (n_notes,)."""
        counts = np.zeros(self.n_notes)
        at = self.vocabulary.get(word)
        if at is not None:
            start, stop = self.counts.indptr[at], self.counts.indptr[at + 1]
            counts[self.counts.indices[start:stop]] = self.counts.data[start:stop]
        return counts

    def column(self, word: str) -> tuple[NDArray[np.int32], Floats]:
        """(rows, normalised TF-IDF weights) of the notes that hold a word; empty for an unknown one."""
        at = self.vocabulary.get(word)
        if at is None:
            return np.empty(0, np.int32), np.empty(0)
        start, stop = self.tfidf.indptr[at], self.tfidf.indptr[at + 1]
        return self.tfidf.indices[start:stop], self.tfidf.data[start:stop]

    def overlap(self, words: tuple[str, ...]) -> Floats:
        """TF-IDF overlap o of each note with distinct query words, (n_notes,): the sum of their normalised weights."""
        total = np.zeros(self.n_notes)
        for word in words:
            rows, weights = self.column(word)
            total[rows] += weights
        return total


def term_index(memory: Memory, analyser: Analyser, fields: tuple[str, ...]) -> TermIndex:
    """The memory's term index for an analyser and the indexed fields, built once per state."""

    def build(memory: Memory) -> TermIndex:
        notes = memory.word_counts(analyser, fields)
        words = list(chain.from_iterable(notes))
        vocabulary = {word: column for column, word in enumerate(dict.fromkeys(words))}
        columns = np.fromiter(map(vocabulary.__getitem__, words), np.int64, len(words))
        rows = np.repeat(np.arange(len(notes)), [len(counts) for counts in notes])
        tf = np.fromiter(chain.from_iterable(counts.values() for counts in notes), np.float64, len(words))
        return TermIndex(vocabulary, sparse.csc_array((tf, (rows, columns)), shape=(len(notes), len(vocabulary))))

    return memory.view(("terms", analyser, fields), build)


def is_common(df: int, n: int, share: float, floor: int) -> bool:
    """Whether a query word is dropped: in more than ``share`` of the notes and in more than ``floor`` of them.

    Exact at the boundary: 3 notes of 20 are kept at 15%, 4 are dropped.

    Examples
    --------
    >>> is_common(3, 20, 0.15, 2), is_common(4, 20, 0.15, 2), is_common(2, 6, 0.15, 2), is_common(2, 6, 0.15, 0)
    (False, True, False, True)
    """
    return round(share * 10_000) * n < 10_000 * df and df > floor


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The words of a query under the common-word filter.

    ``all`` keeps repetitions and order (BM25 counts both); ``kept`` and ``dropped`` are distinct, in order. ``spoken`` gives each
    index word as the query says it first.
    """

    all: tuple[str, ...]
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    spoken: Mapping[str, str]

    @property
    def distinct(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.all))


def query_words(
    text: str, memory: Memory, analyser: Analyser, fields: tuple[str, ...], share: float | None, floor: int
) -> QueryWords:
    """Analyse a query and split off its common words (TAGGRAPH 3.3.3); ``share`` None keeps all.

    Frequencies come from the memory's base where it has one. Words that no note holds are kept.
    """
    words = tuple(analyser.words(text))
    distinct = tuple(dict.fromkeys(words))
    spoken: dict[str, str] = {}
    for word, surface in zip(words, analyser.surface(text), strict=True):
        spoken.setdefault(word, surface)
    if share is None:
        return QueryWords(words, distinct, (), spoken)
    index = term_index(memory.base if memory.base is not None else memory, analyser, fields)
    common = {word for word in distinct if is_common(index.frequency(word), index.n_notes, share, floor)}
    kept = tuple(word for word in distinct if word not in common)
    return QueryWords(words, kept, tuple(word for word in distinct if word in common), spoken)
