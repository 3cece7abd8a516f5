"""What the checks read: one gold note in one method's ranking, with everything about it worked out at first use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from workbench.diagnose.tags import HelpfulTag, Said, asked_words, helpful_tags, rows
from workbench.diagnose.telling import telling
from workbench.graph import GraphConfig, TagGraph, tag_graph
from workbench.memory import Memory
from workbench.methods.adaptive import AdaptiveConfig, seeds
from workbench.methods.base import FilterConfig, LexicalConfig, MemoryRetriever, Retriever, Words
from workbench.methods.tags import TraversalConfig, match_tags
from workbench.notes import full_text
from workbench.records import Hit, Part, Question, Ranking
from workbench.terms import QueryWords
from workbench.text import Analyser


@dataclass(frozen=True, slots=True)
class Place:
    """Where a note stands in a ranking: its rank, and the best and worst one that some order of equal scores gives it."""

    rank: int
    best: int
    worst: int


def place_of(hits: Sequence[Hit], note_id: str) -> Place | None:
    """A note's place among hits; None where it is not among them."""
    hit = next((hit for hit in hits if hit.note_id == note_id), None)
    if hit is None:
        return None
    best = 1 + sum(other.block < hit.block for other in hits)
    return Place(hit.rank, best, best - 1 + sum(other.block == hit.block for other in hits))


@dataclass(frozen=True, slots=True)
class Competitor:
    """A note that took a place in front of the gold note.

    ``lead`` is how much more it scored, None where the gold note has no score. ``parts`` are its score's largest addends, none
    where the ranking does not say why.
    """

    note_id: str
    session_id: str
    rank: int
    score: float
    lead: float | None
    is_tied: bool
    parts: tuple[Part, ...]
    path: tuple[str, ...]


PARTS_SHOWN = 5
"""Addends of a competitor's score that are given (ours)."""


@dataclass(frozen=True)
class Inquiry:
    """A gold note in a ranking.

    What a method can be asked depends on its configuration, never on its name: a ``GraphConfig`` has tags and a graph, a
    ``FilterConfig`` the 15% filter, a field ``diffusion`` that is on a run without it.

    Attributes
    ----------
    gold : frozenset of str
        All notes that answer the question: they are no competitors.
    method : Retriever or None
        None for a ranking that was brought from elsewhere.
    is_complete : bool
        Whether the ranking holds every candidate; a list that was cut cannot tell "not reached" from "further down".
    """

    memory: Memory
    question: Question
    note_id: str
    ranking: Ranking
    k: int
    gold: frozenset[str]
    method: Retriever | None = None
    is_complete: bool = True

    # In the ranking ---------------------------------------------------------------------------------------------------------

    @property
    def is_stored(self) -> bool:
        return self.note_id in self.memory

    @cached_property
    def hit(self) -> Hit | None:
        return next((hit for hit in self.ranking.hits if hit.note_id == self.note_id), None)

    @cached_property
    def place(self) -> Place | None:
        return place_of(self.ranking.hits, self.note_id)

    @property
    def is_found(self) -> bool:
        """Whether the note is among the first k."""
        return self.place is not None and self.place.rank <= self.k

    @cached_property
    def ahead(self) -> tuple[Hit, ...]:
        """Notes other than gold that scored strictly more; all of them where the note is not ranked."""
        limit = self.hit.block if self.hit is not None else float("inf")
        return tuple(hit for hit in self.ranking.hits if hit.block < limit and hit.note_id not in self.gold)

    @cached_property
    def tied(self) -> tuple[Hit, ...]:
        """Notes other than gold with the same score, in front or behind."""
        return tuple(
            hit for hit in self.ranking.hits if self.hit and hit.block == self.hit.block and hit.note_id not in self.gold
        )

    @property
    def is_crowded_out(self) -> bool:
        """Whether the note is not among the first k by its score: in the middle of its ties, other gold left out."""
        return len(self.ahead) + len(self.tied) / 2 >= self.k

    def in_front(self, count: int) -> tuple[Hit, ...]:
        """The first notes other than gold that stand in front of the note, whether by score or by the tie rule."""
        before = self.place.rank if self.place else len(self.ranking.hits) + 1
        return tuple(hit for hit in self.ranking.hits[: before - 1] if hit.note_id not in self.gold)[:count]

    def competitors(self, count: int) -> tuple[Competitor, ...]:
        """The same notes with the reasons of their scores."""
        return tuple(map(self._competitor, self.in_front(count)))

    def _competitor(self, hit: Hit) -> Competitor:
        lead = None if self.hit is None else hit.score - self.hit.score
        is_tied = self.hit is not None and hit.block == self.hit.block
        parts = sorted(hit.why.parts, key=lambda part: -part.value)[:PARTS_SHOWN]
        return Competitor(hit.note_id, hit.session_id, hit.rank, hit.score, lead, is_tied, tuple(parts), hit.why.path)

    # What the method can be asked -------------------------------------------------------------------------------------------

    @property
    def config(self) -> Any:
        return self.method.config if self.method is not None else None

    @property
    def is_known(self) -> bool:
        """Whether the method's configuration says how it compares words or tags."""
        return isinstance(self.config, GraphConfig | LexicalConfig)

    @property
    def uses_tags(self) -> bool:
        """Whether tags are the method's nodes; a lexical method reads them as text only."""
        return isinstance(self.config, GraphConfig)

    @property
    def has_filter(self) -> bool:
        return isinstance(self.config, FilterConfig)

    # Words and tags ---------------------------------------------------------------------------------------------------------

    @cached_property
    def words(self) -> QueryWords:
        """The query's words under the method's analyser and filter."""
        return asked_words(self.memory, self.question.text, self.config)

    @cached_property
    def analyser(self) -> Analyser:
        return Analyser(self.config.normaliser)

    @cached_property
    def answer_words(self) -> tuple[str, ...]:
        """Telling words of the expected answer that the question does not say itself."""
        answer = self.question.answer or " ".join(self.question.gold.substrings)
        return tuple(word for word in telling(self.analyser.words(answer), self.analyser) if word not in self.words.distinct)

    @cached_property
    def graph(self) -> TagGraph:
        return tag_graph(self.memory, self.config)

    @cached_property
    def row(self) -> int:
        return rows(self.memory)[self.note_id]

    @property
    def tags(self) -> tuple[str, ...]:
        """The note's tags."""
        return self.memory[self.note_id].extraction.paths

    @cached_property
    def tag_words(self) -> frozenset[str]:
        """The words that a query can match in the note's tags."""
        return frozenset[str]().union(*(self.graph.words_of_tag[tag] for tag in self.graph.tags_of_note[self.row]))

    @cached_property
    def helpful(self) -> tuple[HelpfulTag, ...]:
        return helpful_tags(self.graph, self.row, self.words)

    @cached_property
    def matched(self) -> frozenset[str]:
        """The paths that the method matched to the query, behind its filter and its fallback."""
        text, config = self.question.text, self.config
        if isinstance(config, AdaptiveConfig):
            tags = seeds(self.graph, Words(text, self.memory, config), config).tags
        elif isinstance(config, TraversalConfig):
            tags, _ = match_tags(self.graph, Words(text, self.memory, config))
        else:
            tags = self.graph.match(self.words.kept)
        return frozenset(self.graph.paths[tag] for tag in tags)

    @cached_property
    def said(self) -> Said:
        """The words of the note's text."""
        return Said.of(self.memory[self.note_id], self.analyser)

    @cached_property
    def indexed(self) -> frozenset[str]:
        """The words of the note as a lexical method indexes it."""
        return frozenset(self.analyser.counts(full_text(self.memory[self.note_id], self.config.index_fields)))

    @cached_property
    def has_entry(self) -> bool:
        """Whether the note came into the ranking by itself and not only through its neighbours.

        A traversal starts at matched tags alone. A diffusion also starts at files: then a seed of the note's own says so. A
        method that does not tell seeds counts what it ranked as entered.
        """
        if self.hit is None or isinstance(self.config, TraversalConfig):
            return False
        started = {part.name for part in self.hit.why.parts if part.kind == "seed"}
        own = {f"file:{self.note_id}", *(f"tag:{tag.path}" for tag in self.helpful)}
        return not started or not own.isdisjoint(started)

    # Without diffusion ------------------------------------------------------------------------------------------------------

    @property
    def has_diffusion(self) -> bool:
        """Whether the method spreads scores over a graph and can be run without."""
        return getattr(self.config, "diffusion", False) is True and isinstance(self.method, MemoryRetriever)

    @cached_property
    def undiffused(self) -> Place | None:
        """The note's place in the ranking of the same method without diffusion."""
        method: Any = self.method
        ranking = type(method)(replace(self.config, diffusion=False), method.memory).query(self.question.text, k=None)
        return place_of(ranking.hits, self.note_id)

    @property
    def is_diluted(self) -> bool:
        """Whether the note is missed with diffusion and found without."""
        return self.has_diffusion and not self.is_found and self.undiffused is not None and self.undiffused.rank <= self.k
