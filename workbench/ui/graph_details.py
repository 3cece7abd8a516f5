"""What the Graph page says of a question and of a selected node; plain values, worked out from a memory and its graph."""

from __future__ import annotations

import math
from dataclasses import dataclass

import networkx as nx

from workbench.evaluate.relevance import relevance
from workbench.graph import Attribute, GraphConfig, TagGraph, tag_graph
from workbench.memory import Memory
from workbench.methods.base import Words, create, methods
from workbench.methods.tags import match_tags
from workbench.ontology import NearDuplicate, Ontology
from workbench.records import Note, Question, Ranking

MATCHED_BY = "tag_stopwords"
"""The method whose matching shows what a query meets where the chosen method has no graph: the filter of TAGGRAPH 3.3.3."""


@dataclass(frozen=True)
class Marks:
    """What a question touches in a graph, as node ids.

    ``gold_tags`` are all tags of the gold notes; ``ranks`` those of the first hits; ``gold_rank`` is the best rank of a gold
    note among all ``candidates`` of the ranking, None where none is ranked; ``remarks`` say what the filter did, or why nothing
    matches.
    """

    seeds: frozenset[str]
    gold: frozenset[str]
    gold_tags: frozenset[str]
    ranks: dict[str, int]
    gold_rank: int | None
    candidates: int
    remarks: tuple[str, ...]

    def centres(self, k: int) -> list[str]:
        """Seeds, gold and the first ``k`` hits."""
        return sorted({*self.seeds, *self.gold, *(node for node, rank in self.ranks.items() if rank <= k)})


def question_marks(memory: Memory, query: str, question: Question | None, ranking: Ranking | None, method: str, k: int) -> Marks:
    """Tags that a query matches, gold notes of a question, and the first ``k`` notes of a ranking of all candidates.

    ``method`` says whose filter and word form are used; one that is no graph method, or an imported run, lends those of
    MATCHED_BY.
    """
    config = create(method if method in methods else MATCHED_BY).config
    if not isinstance(config, GraphConfig):
        config = create(MATCHED_BY).config
    graph = tag_graph(memory, config)
    words = Words(query, memory, config)
    matched, remarks = match_tags(graph, words) if words.query.all else ({}, ("the query holds no word",))
    gold = relevance(question, memory.notes).notes if question else frozenset()
    return Marks(
        frozenset(f"tag:{graph.paths[tag]}" for tag in matched),
        frozenset(f"file:{note}" for note in gold),
        frozenset(f"tag:{path}" for note in gold for path in memory[note].extraction.paths),
        {f"file:{hit.note_id}": hit.rank for hit in ranking.hits[:k]} if ranking else {},
        min((hit.rank for hit in ranking.hits if hit.note_id in gold), default=None) if ranking else None,
        ranking.candidates if ranking else 0,
        remarks,
    )


def drawable(memory: Memory) -> nx.DiGraph:
    """The memory's graph under the default configuration, as NetworkX; built once. Callers do not change it."""
    return memory.view("drawable graph", lambda memory: tag_graph(memory, GraphConfig()).to_networkx())


@dataclass(frozen=True)
class TagDetails:
    """A tag's notes, newest first, its smoothed idf ln((1 + N) / (1 + df)) + 1, and paths that say nearly the same."""

    path: str
    categories: tuple[str, ...]
    notes: tuple[Note, ...]
    of: int
    idf: float
    near: tuple[NearDuplicate, ...]


def tag_details(memory: Memory, path: str) -> TagDetails:
    """Raises KeyError for a path that no note carries."""
    graph = tag_graph(memory, GraphConfig())
    tag = graph.tag_number[path]
    rows = graph.notes_of_tag[tag]
    duplicates = memory.view("near-duplicate tags", lambda _: Ontology(graph.paths).near_duplicates())
    return TagDetails(
        path,
        tuple(sorted(graph.categories[tag])),
        tuple(graph.notes[row] for row in reversed(rows)),
        len(graph.notes),
        math.log((1 + len(graph.notes)) / (1 + len(rows))) + 1,
        tuple(pair for pair in duplicates if path in (pair.first, pair.second)),
    )


@dataclass(frozen=True)
class TopicDetails:
    """A topic's notes, newest first, its attributes, and the topics that share at least three with it, by Jaccard."""

    label: str
    notes: tuple[Note, ...]
    attributes: tuple[Attribute, ...]
    similar: tuple[tuple[str, float], ...]


def topic_details(memory: Memory, label: str) -> TopicDetails:
    """Raises ValueError for a label that is no topic."""
    graph = tag_graph(memory, GraphConfig())
    topic = graph.topics.index(label)
    return TopicDetails(
        label,
        tuple(graph.notes[row] for row in reversed(graph.notes_of_topic[topic])),
        tuple(sorted(graph.attributes(topic))),
        tuple(sorted(_similar(graph, topic), key=lambda pair: (-pair[1], pair[0]))),
    )


def _similar(graph: TagGraph, topic: int) -> list[tuple[str, float]]:
    edges, offset = graph.edges["similarity"], graph.offset["topic"]
    number = topic + offset
    pairs = zip(edges.source.tolist(), edges.target.tolist(), edges.weight.tolist(), strict=True)
    return [(graph.topics[(b if a == number else a) - offset], weight) for a, b, weight in pairs if number in (a, b)]


@dataclass(frozen=True)
class ConceptDetails:
    """An ontology node: the concept above it, those right below it, and how many distinct tags and notes lie under it."""

    path: str
    broader: str | None
    narrower: tuple[str, ...]
    tags: int
    notes: int


def concept_details(memory: Memory, path: str) -> ConceptDetails:
    """Raises KeyError for a path that no tag begins with."""
    graph = tag_graph(memory, GraphConfig())
    number = graph.ontology_number[path]
    below = [tag for tag, other in enumerate(graph.paths) if other == path or other.startswith(f"{path}/")]
    return ConceptDetails(
        path,
        graph.ontology[graph.parent[number]] if graph.parent[number] >= 0 else None,
        tuple(graph.ontology[child] for child in graph.children[number]),
        len(below),
        len({row for tag in below for row in graph.notes_of_tag[tag]}),
    )
