"""BM25 over the full text of the notes (TAGGRAPH 3.3.2), plain and behind the 15% filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Literal

import numpy as np
from rank_bm25 import BM25L, BM25Okapi, BM25Plus

from workbench.memory import Memory
from workbench.methods.base import FilterConfig, LexicalConfig, MemoryRetriever, Scored, Words, methods
from workbench.records import Part, Why
from workbench.settings import setting
from workbench.terms import TermIndex, term_index
from workbench.text import Analyser

Variant = Literal["okapi", "l", "plus"]


@dataclass(frozen=True)
class BM25Config(LexicalConfig):
    """rank-bm25's Okapi class with its defaults; the paper's own parameters are in a missing appendix."""

    variant: Variant = setting(
        "okapi",
        "class of rank-bm25, as it is written there: Okapi; BM25L (lifts long notes; multiplies by the term frequency once more "
        "than its paper); BM25Plus (every note earns a word's least share)",
        "decision 8 (ours)",
    )
    k1: float = setting(1.5, "term frequency saturation", "rank-bm25's default (ours)", least=0)
    b: float = setting(0.75, "length normalisation", "rank-bm25's default (ours)", least=0, most=1)
    epsilon: float = setting(
        0.25, "floor of a negative idf, as a share of the mean idf (Okapi)", "rank-bm25's default (ours)", least=0
    )


@dataclass(frozen=True)
class FilteredBM25Config(FilterConfig, BM25Config):
    """BM25 behind the filter that the graph methods use: their fair partner (decision 8)."""


LARGE = 20_000
"""Notes above which scores come from a sparse table instead of rank-bm25's own loop (design 4)."""


class Counted:
    """Feeds a class of rank-bm25 with word counts instead of words: its own loop would count the same words again."""

    def _initialize(self, corpus: Sequence[dict[str, int]]) -> dict[str, int]:
        self.doc_freqs = list(corpus)
        self.doc_len = [sum(counts.values()) for counts in corpus]
        self.corpus_size = len(corpus)
        self.avgdl = sum(self.doc_len) / len(corpus)
        return Counter(chain.from_iterable(corpus))


class CountedOkapi(Counted, BM25Okapi):  # type: ignore[misc]
    """rank-bm25's Okapi over counts."""


class CountedL(Counted, BM25L):  # type: ignore[misc]
    """rank-bm25's BM25L over counts."""


class CountedPlus(Counted, BM25Plus):  # type: ignore[misc]
    """rank-bm25's BM25Plus over counts."""


DELTA = {"l": 0.5, "plus": 1.0}
"""rank-bm25's defaults."""


def rank_bm25(notes: Sequence[dict[str, int]], config: BM25Config) -> Any:
    """rank-bm25's own table of a variant."""
    if config.variant == "okapi":
        return CountedOkapi(notes, k1=config.k1, b=config.b, epsilon=config.epsilon)
    made = CountedL if config.variant == "l" else CountedPlus
    return made(notes, k1=config.k1, b=config.b, delta=DELTA[config.variant])


class WordTable:
    """BM25 scores of one memory, one word at a time.

    Up to ``LARGE`` notes rank-bm25 itself is asked; above, its formula is evaluated over the sparse counts, with its idf. Both
    give the same scores to 1e-9.
    """

    def __init__(self, memory: Memory, config: BM25Config) -> None:
        analyser = Analyser(config.normaliser)
        self.index: TermIndex = term_index(memory, analyser, config.index_fields)
        self.config = config
        notes = memory.word_counts(analyser, config.index_fields)
        self._lengths = np.asarray(self.index.counts.sum(axis=1), dtype=np.float64).ravel()
        self._average = float(self._lengths.mean())
        # rank-bm25 divides by the corpus' words; a memory without any word has no score to give.
        self._rank_bm25: Any = rank_bm25(notes, config) if len(notes) <= LARGE and self._average > 0 else None
        self._idf = self._idf_table()

    def _idf_table(self) -> dict[str, float]:
        """rank-bm25's idf by word."""
        if self._rank_bm25 is not None:
            return dict(self._rank_bm25.idf)
        if not self.index.vocabulary:
            return {}
        n, df = self.index.n_notes, self.index.df
        if self.config.variant == "l":
            idf = np.log(n + 1) - np.log(df + 0.5)
        elif self.config.variant == "plus":
            idf = np.log((n + 1) / df)
        else:  # ln((N - df + 0.5) / (df + 0.5)), negatives replaced by epsilon times the mean
            raw = np.log(n - df + 0.5) - np.log(df + 0.5)
            idf = np.where(raw < 0, self.config.epsilon * raw.mean(), raw)
        return dict(zip(self.index.vocabulary, idf.tolist(), strict=True))

    def idf(self, word: str) -> float:
        return self._idf.get(word, 0.0)

    def word_scores(self, word: str) -> np.ndarray:
        """The word's addend to every note's score, (n_notes,); under BM25Plus notes without the word have one too."""
        if self._rank_bm25 is not None:
            return np.asarray(self._rank_bm25.get_scores([word]))
        counts = self.index.tf(word)
        if not counts.any():
            return counts
        k1, idf = self.config.k1, self.idf(word)
        norm = 1 - self.config.b + self.config.b * self._lengths / self._average
        if self.config.variant == "l":
            lifted = counts / norm + DELTA["l"]
            return np.asarray(idf * counts * (k1 + 1) * lifted / (k1 + lifted))
        saturated = counts * (k1 + 1) / (counts + k1 * norm)
        return np.asarray(idf * (saturated + DELTA.get(self.config.variant, 0.0)))


def word_table(memory: Memory, config: BM25Config) -> WordTable:
    """The memory's BM25 table under a configuration's fields, built once per state."""
    key = ("bm25", config.normaliser, config.index_fields, config.variant, config.k1, config.b, config.epsilon)
    return memory.view(key, lambda memory: WordTable(memory, config))


def score_words(table: WordTable, words: tuple[str, ...], remarks: tuple[str, ...]) -> Scored:
    """Candidates are the notes that hold a query word, whatever the sign of its idf; repeated words count repeatedly."""
    by_word = {word: table.word_scores(word) for word in dict.fromkeys(words)}
    counts = {word: table.index.tf(word) for word in by_word}
    holds = sum((counts[word] > 0 for word in by_word), np.zeros(table.index.n_notes, bool))
    rows = np.flatnonzero(holds)
    if not len(rows):
        return Scored.nothing(*remarks, "no note holds a word of the query")
    total = np.zeros(table.index.n_notes)
    for word in words:
        total += by_word[word]
    worthless = [word for word in by_word if counts[word].any() and table.idf(word) <= 0]
    if worthless:
        remarks = (*remarks, f"idf of 0 or below: {', '.join(worthless)}")

    def explain(row: int) -> Why:
        parts = [
            Part(
                "term",
                word,
                float(by_word[word][row]) * words.count(word),
                {"tf": int(counts[word][row]), "idf": table.idf(word), "in_query": words.count(word)},
            )
            for word in by_word
            if by_word[word][row] or counts[word][row]
        ]
        return Why(tuple(sorted(parts, key=lambda part: -part.value)), remarks=remarks)

    return Scored(rows, total[rows], explain, remarks)


@methods.register("bm25")
class BM25(MemoryRetriever[BM25Config]):
    """BM25 over the full note text (rank-bm25, its Okapi class): the graph-free lexical baseline."""

    name: ClassVar[str] = "bm25"
    Config = BM25Config

    def score(self, text: str) -> Scored:
        words = Words(text, self.memory, self.config).query.all
        if not words:
            return Scored.nothing("the query holds no word")
        return score_words(word_table(self.memory, self.config), words, ())


@methods.register("bm25_filtered")
class FilteredBM25(MemoryRetriever[FilteredBM25Config]):
    """BM25 with query words in over 15% of the notes dropped: the fair partner of adaptive."""

    name: ClassVar[str] = "bm25_filtered"
    Config = FilteredBM25Config

    def score(self, text: str) -> Scored:
        words = Words(text, self.memory, self.config)
        if not words.query.all:
            return Scored.nothing("the query holds no word")
        table = word_table(self.memory, self.config)
        kept = tuple(word for word in words.query.all if word in set(words.query.kept))
        scored = score_words(table, kept, words.filter_remarks)
        if len(scored.rows) or not words.query.dropped or not self.config.unfiltered_fallback:
            return scored
        return score_words(table, words.query.all, ("no note holds a word that the filter kept: unfiltered query used",))
