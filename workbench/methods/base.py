"""What a retrieval method is, and the part that all methods share: remembering notes and putting scores in a total order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.memory import Memory
from workbench.records import Hit, Note, Ranking, Why
from workbench.registry import Registry
from workbench.settings import Profile, check_ranges, configure, setting
from workbench.terms import QueryWords, TermIndex, query_words, term_index
from workbench.text import Analyser, Normaliser

Tie = Literal["newest", "oldest", "id"]


class Retriever(Protocol):
    """Stores notes and answers queries with ranked, explained notes."""

    name: ClassVar[str]
    config: Any

    def remember(self, note: Note) -> None:
        """Store a note; rankings are afterwards those of a memory built from all notes at once."""
        ...

    def query(self, text: str, k: int | None = 10, at_time: datetime | None = None) -> Ranking:
        """The best ``k`` notes (None: all candidates) in total order: score descending, newer first, id ascending."""
        ...


@dataclass(frozen=True)
class RankConfig:
    """Settings that every method has."""

    def __post_init__(self) -> None:
        check_ranges(self)

    tie: Tie = setting("newest", "which of two notes with equal scores comes first: the newer, the older, the smaller id")


@dataclass(frozen=True)
class LexicalConfig(RankConfig):
    """Settings of methods that compare words."""

    normaliser: Normaliser = setting("snowball", "word form in which tags, queries and notes are compared", literal="simple")
    index_fields: tuple[str, ...] = setting(
        ("tags", "summary", "user", "assistant"), "what of a note is its text", "TAGGRAPH 4.2: full note text"
    )


@dataclass(frozen=True)
class FilterConfig(LexicalConfig):
    """Settings of methods behind the 15% filter (TAGGRAPH 3.3.3)."""

    filter_share: float = setting(
        0.15, "a query word in more than this share of the notes is dropped", "TAGGRAPH 3.3.3", least=0, most=1
    )
    filter_floor: int = setting(2, "... and only if more than this many notes hold it", literal=0, least=0)
    unfiltered_fallback: bool = setting(
        True, "where nothing is matched after filtering, use the unfiltered query and say so", literal=False
    )


@dataclass(frozen=True)
class Scored:
    """Candidates of a query before they are ordered.

    Attributes
    ----------
    rows : (n_candidates,) int
        Positions in ``Memory.notes``.
    scores : (n_candidates,) float
    explain : callable
        Row to Why; called when a hit is asked for its reasons.
    decimals : int, optional
        Scores compare after rounding to this many decimals; None compares 12 significant digits (decision 7).
    """

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    explain: Callable[[int], Why]
    remarks: tuple[str, ...] = ()
    tiers: Mapping[str, int] = field(default_factory=dict)
    decimals: int | None = None

    @staticmethod
    def nothing(*remarks: str) -> Scored:
        """An empty ranking with its reasons."""
        return Scored(np.empty(0, np.int64), np.empty(0), lambda row: Why(), remarks)


C = TypeVar("C", bound=RankConfig)


class MemoryRetriever(ABC, Generic[C]):
    """A method over a memory.

    Parameters
    ----------
    config : optional
        The method's frozen configuration; by default that of the default profile.
    memory : Memory, optional
        Notes to start from. Methods over one memory share its tokens, index and graph; remembering through one of them
        shows in all.
    """

    name: ClassVar[str]
    Config: ClassVar[type[RankConfig]]

    def __init__(self, config: C | None = None, memory: Memory | None = None) -> None:
        self.config: C = config if config is not None else self.Config()  # type: ignore[assignment]
        self.memory = memory if memory is not None else Memory()

    def remember(self, note: Note) -> None:
        """Store a note; ValueError if its id is already there."""
        self.memory.add(note)

    def query(self, text: str, k: int | None = 10, at_time: datetime | None = None) -> Ranking:
        """The best ``k`` notes for a text.

        Parameters
        ----------
        text : str
            Any text. Without a word in it, or over an empty memory, the ranking is empty and says why.
        k : int or None
            At most this many hits, 1 or more; None gives all candidates.
        at_time : datetime, optional
            The moment of asking; only methods whose facts have a validity use it, and none filters notes by it.

        Raises
        ------
        ValueError
            If ``k`` is below 1.
        """
        if k is not None and k < 1:
            raise ValueError(f"k is {k}; it is 1 or more, or None for all candidates")
        if not len(self.memory):
            return Ranking(text, self.name, remarks=("the memory holds no notes",))
        scored = self.score_at(text, at_time)
        notes = self.memory.notes
        order, blocks = total_order(scored, [note.id for note in notes], self.config.tie)
        hits = tuple(
            self._hit(scored, notes[int(scored.rows[at])], at, rank, block)
            for rank, (at, block) in enumerate(zip(order[:k], blocks[:k], strict=True), 1)
        )
        return Ranking(text, self.name, hits, len(scored.rows), scored.remarks, scored.tiers)

    @staticmethod
    def _hit(scored: Scored, note: Note, at: int, rank: int, block: int) -> Hit:
        row = int(scored.rows[at])
        return Hit(note.id, note.session_id, rank, float(scored.scores[at]), block, lambda: scored.explain(row))

    def score_at(self, text: str, at_time: datetime | None) -> Scored:
        """Candidates for a query at a moment; here the same at any."""
        return self.score(text)

    @abstractmethod
    def score(self, text: str) -> Scored:
        """Candidates for a query over a memory that holds at least one note."""


def total_order(scored: Scored, ids: Sequence[str], tie: Tie) -> tuple[list[int], list[int]]:
    """Positions of the candidates, best first, and the number of each one's block of equal scores, from 1.

    Scores compare as rounded; within a block the tie rule decides (rows are in time order, newest last).
    """
    keys = comparable(scored.scores, scored.decimals)
    if tie == "id":
        names = [ids[row] for row in scored.rows]
        order = sorted(range(len(keys)), key=lambda at: (-keys[at], names[at]))
    else:
        order = np.lexsort((scored.rows if tie == "oldest" else -scored.rows, -keys)).tolist()
    blocks = 1 + np.cumsum(np.diff(keys[order], prepend=keys[order[:1]]) != 0)
    return order, blocks.tolist()


def comparable(scores: NDArray[np.float64], decimals: int | None) -> NDArray[np.float64]:
    """Scores rounded to ``decimals``, or to 12 significant digits, so that the order of summation cannot flip a tie."""
    if decimals is not None:
        return np.round(scores, decimals)
    size = np.abs(scores)
    exponent = np.floor(np.log10(size, where=size > 1e-250, out=np.zeros_like(size)))  # anything smaller counts as 0
    scale = 10.0 ** (11 - exponent)
    return np.asarray(np.round(scores * scale) / scale)


@dataclass(frozen=True)
class ContentOverlap:
    """Overlap o of every note with a query: in total (n_notes,) and, for one row, by word (summing to the total)."""

    total: NDArray[np.float64]
    by_word: Callable[[int], dict[str, float]]
    remarks: tuple[str, ...]


class Words:
    """A query against a memory's words, under the fields of a LexicalConfig or FilterConfig."""

    def __init__(self, text: str, memory: Memory, config: LexicalConfig) -> None:
        analyser = Analyser(config.normaliser)
        share: float | None = None
        floor, self.falls_back = 0, False
        if isinstance(config, FilterConfig):
            share, floor, self.falls_back = config.filter_share, config.filter_floor, config.unfiltered_fallback
        self.index: TermIndex = term_index(memory, analyser, config.index_fields)
        self.query: QueryWords = query_words(text, memory, analyser, config.index_fields, share, floor)

    @property
    def filter_remarks(self) -> tuple[str, ...]:
        """What the filter dropped, as a remark; empty where it dropped nothing."""
        dropped = [self.query.spoken[word] for word in self.query.dropped]
        return (f"dropped as common: {', '.join(dropped)}",) if dropped else ()

    def content_overlap(self) -> ContentOverlap:
        """TF-IDF overlap with the filtered query, or with the unfiltered one where no note has any (decision 3).

        Not a switch: TFIDF and AdaptiveGraph always return something for the paper's oracle stores, whatever the filter drops.
        """
        words, remarks = self.query.kept, tuple[str, ...]()
        total = self.index.overlap(words)
        if not total.any() and self.query.dropped:
            words = self.query.distinct
            remarks = ("no note holds a word that the filter kept: overlap uses the unfiltered query",)
            total = self.index.overlap(words)
        return ContentOverlap(total, lambda row: self._weights(row, words), remarks)

    def _weights(self, row: int, words: tuple[str, ...]) -> dict[str, float]:
        """The addends of one note's overlap, largest first."""
        weights = {}
        for word in words:
            rows, values = self.index.column(word)
            at = np.flatnonzero(rows == row)
            if len(at):
                weights[word] = float(values[at[0]])
        return dict(sorted(weights.items(), key=lambda item: -item[1]))


methods: Registry[type[MemoryRetriever[Any]]] = Registry("method", "workbench.methods", "workbench.methods")


def create(
    name: str, profile: Profile = "default", overrides: Mapping[str, Any] | None = None, memory: Memory | None = None
) -> MemoryRetriever[Any]:
    """A method by name with a profile's configuration and single fields set.

    Raises
    ------
    KeyError
        For an unknown method.
    ValueError
        For an unknown field or a value that does not fit.
    """
    method = methods[name]
    return method(configure(method.Config, profile, overrides), memory)
