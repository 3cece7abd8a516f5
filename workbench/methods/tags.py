"""Localized ontology traversal (TAGGRAPH 3.3.3): TagGraph-Basic, -Stopwords and -TFIDF, which share graph and traversal."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import or_
from typing import ClassVar, Literal

import numpy as np

from workbench.graph import GraphConfig, TagGraph, tag_graph
from workbench.methods.base import ContentOverlap, FilterConfig, LexicalConfig, MemoryRetriever, Scored, Words, methods
from workbench.records import Part, Why
from workbench.settings import setting

Credit = Literal["topic", "strict"]
Overlap = Literal["reached", "own"]
_BITS = 63
"""Words that are counted at a time, one bit each."""


@dataclass(frozen=True)
class TraversalConfig(GraphConfig, LexicalConfig):
    """Settings of the traversal."""

    hops: int = setting(2, "how many ontology edges a matched tag is expanded over", least=0)
    credit: Credit = setting("topic", "a reached tag credits its topics' files one step further, or only files that carry it")
    expand_roots: bool = setting(
        False, "whether a root concept that was reached from below is expanded to all its children", literal=True
    )


@dataclass(frozen=True)
class BasicConfig(TraversalConfig):
    """TagGraph-Basic."""

    overlap: Overlap = setting(
        "reached",
        "query words counted inside a distance tier: those of the matched tags that reached the file at its least distance, "
        "or only those of its own tags (decision 4)",
        literal="own",
    )


@dataclass(frozen=True)
class StopwordsConfig(BasicConfig, FilterConfig):
    """TagGraph-Stopwords."""


@dataclass(frozen=True)
class TFIDFConfig(TraversalConfig, FilterConfig):
    """TagGraph-TFIDF."""

    tail: bool = setting(True, "files that no path reaches are appended by content overlap")


@dataclass(frozen=True)
class Reached:
    """Where a traversal came to, as arrays over the notes.

    Attributes
    ----------
    distance : (n_notes,) int
        Least distance from a matched tag; -1 where no path leads.
    tags, topics : dict of int to (int, frozenset of int)
        What credits notes: a reached tag its carriers, a topic of a reached tag its members. For each the distance, and the
        matched tags that it was reached from.
    """

    graph: TagGraph
    matched: dict[int, tuple[str, ...]]
    distance: np.ndarray
    tags: dict[int, tuple[int, frozenset[int]]]
    topics: dict[int, tuple[int, frozenset[int]]]
    came_from: dict[int, int]

    def sources(self, row: int) -> frozenset[int]:
        """The matched tags that reached a note at its least distance."""
        tags = (self.tags[tag] for tag in self.graph.tags_of_note[row] if tag in self.tags)
        topics = (self.topics[topic] for topic in self.graph.topics_of_note[row] if topic in self.topics)
        return frozenset().union(*(found for at, found in chain(tags, topics) if at == self.distance[row]))

    def count(self, which: Overlap) -> np.ndarray:
        """How many words `words` or `own_words` gives for every note, (n_notes,)."""
        places = {word: place for place, word in enumerate(dict.fromkeys(chain(*self.matched.values())))}
        total = np.zeros(len(self.distance), np.int64)
        for begin in range(0, len(places), _BITS):
            bits = {word: 1 << place - begin for word, place in places.items() if begin <= place < begin + _BITS}
            total += np.bitwise_count(self._masks(bits, which))
        return total

    def _masks(self, bits: Mapping[str, int], which: Overlap) -> np.ndarray:
        """The words of every note as bits."""

        def mask(tags: Iterable[int]) -> int:
            return reduce(or_, (bits.get(word, 0) for tag in tags for word in self.matched[tag]), 0)

        graph, masks = self.graph, np.zeros(len(self.distance), np.uint64)
        if which == "own":
            for tag in self.matched:
                masks[graph.notes_of_tag[tag]] |= np.uint64(mask((tag,)))
            return masks
        reaching = chain(
            ((graph.notes_of_tag[tag], *found) for tag, found in self.tags.items()),
            ((graph.notes_of_topic[topic], *found) for topic, found in self.topics.items()),
        )
        for members, at, found in reaching:
            rows = np.asarray(members, np.intp)
            masks[rows[self.distance[rows] == at]] |= np.uint64(mask(found))
        return masks

    def words(self, row: int) -> tuple[str, ...]:
        """Distinct query words of the tags that reached a note."""
        return tuple(dict.fromkeys(word for tag in sorted(self.sources(row)) for word in self.matched[tag]))

    def own_words(self, row: int) -> tuple[str, ...]:
        """Distinct query words matched by the note's own tags."""
        own = (self.matched[tag] for tag in self.graph.tags_of_note[row] if tag in self.matched)
        return tuple(dict.fromkeys(word for words in own for word in words))

    def path(self, row: int) -> tuple[str, ...]:
        """One shortest path to a note: matched tag, ontology steps, last tag, topic, file (node ids)."""
        graph, distance = self.graph, int(self.distance[row])
        if distance < 0:
            return ()
        tag, via_topic = self._last_tag(row, distance)
        at = graph.ontology_number[graph.paths[tag]]
        concepts = [at]
        while at in self.came_from:
            at = self.came_from[at]
            concepts.append(at)
        names = graph.node_ids
        offset = graph.offset
        start = graph.tag_number[graph.ontology[concepts[-1]]]
        walk = [f"ont:{graph.ontology[concept]}" for concept in reversed(concepts)] if len(concepts) > 1 else []
        last = [names[tag]] if tag != start else []
        return (names[start], *walk, *last, names[offset["topic"] + via_topic], names[offset["file"] + row])

    def _last_tag(self, row: int, distance: int) -> tuple[int, int]:
        """The tag, and the topic under it, over which a note was reached at its least distance."""
        for tag in self.graph.tags_of_note[row]:
            if tag in self.tags and self.tags[tag][0] == distance:
                shared = [topic for topic in self.graph.topics_of_tag[tag] if topic in self.graph.topics_of_note[row]]
                return tag, shared[0]
        return next(
            (tag, topic)
            for topic in self.graph.topics_of_note[row]
            for tag, (reached, _) in self.tags.items()
            if reached == distance - 1 and topic in self.graph.topics_of_tag[tag]
        )


def traverse(graph: TagGraph, matched: dict[int, tuple[str, ...]], config: TraversalConfig) -> Reached:
    """Bounded breadth-first search over parent and child concepts, then tag to topic to file.

    A file that carries a tag at distance d is at d; other members of the tag's topics are at d + 1 (``credit="topic"``).
    """
    sources: dict[int, set[int]] = {graph.ontology_number[graph.paths[tag]]: {tag} for tag in matched}
    depth = dict.fromkeys(sources, 0)
    came_from: dict[int, int] = {}
    frontier = list(sources)
    for hop in range(1, config.hops + 1):
        following: list[int] = []
        for concept in frontier:
            climbs = [graph.parent[concept]] if graph.parent[concept] >= 0 else []
            is_open = graph.parent[concept] >= 0 or depth[concept] == 0 or config.expand_roots
            for neighbour in (*climbs, *(graph.children[concept] if is_open else ())):
                if neighbour not in depth:
                    depth[neighbour] = hop
                    came_from[neighbour] = concept
                    sources[neighbour] = set()
                    following.append(neighbour)
                if depth[neighbour] == hop:
                    sources[neighbour] |= sources[concept]
        frontier = following

    tags: dict[int, tuple[int, frozenset[int]]] = {}
    topics: dict[int, tuple[int, frozenset[int]]] = {}
    for concept, d in depth.items():
        tag = graph.tag_number.get(graph.ontology[concept])
        if tag is None:
            continue
        tags[tag] = d, frozenset(sources[concept])
        # Only a topic's nearest tags can credit its members: they put each at d + 1 or nearer, and farther tags come too late.
        for topic in graph.topics_of_tag[tag] if config.credit == "topic" else ():
            at, before = topics.get(topic, (d + 1, frozenset()))
            if d + 1 <= at:
                topics[topic] = d + 1, tags[tag][1] | (before if at == d + 1 else frozenset())

    far = config.hops + 2
    distance = np.full(len(graph.notes), far)
    for members, (at, _) in chain(
        ((graph.notes_of_topic[topic], found) for topic, found in topics.items()),
        ((graph.notes_of_tag[tag], found) for tag, found in tags.items()),
    ):
        rows = np.asarray(members, np.intp)
        distance[rows] = np.minimum(distance[rows], at)
    distance[distance == far] = -1
    return Reached(graph, matched, distance, tags, topics, came_from)


def tier_step(hops: int) -> float:
    """The share of the score that overlap can bring: below the smallest step between two distances (spec 2.5).

    Examples
    --------
    >>> round(tier_step(2), 9)
    0.08
    """
    return 0.96 / ((hops + 1) * (hops + 2))


class Traversal(MemoryRetriever[TraversalConfig]):
    """The part that the three variants share; each says what overlap is."""

    has_tail = False

    def score(self, text: str) -> Scored:
        words = Words(text, self.memory, self.config)
        if not words.query.all:
            return Scored.nothing("the query holds no word")
        graph = tag_graph(self.memory, self.config)
        matched, remarks = match_tags(graph, words)
        reached = traverse(graph, matched, self.config)
        overlap = self.overlap(reached, words)

        near = np.where(reached.distance >= 0, 1.0 / (1 + np.maximum(reached.distance, 0)), 0.0)
        step = tier_step(self.config.hops)
        total = near + step * overlap.total / (1 + overlap.total)
        rows = np.flatnonzero(total > 0 if self.has_tail else reached.distance >= 0)
        remarks = (*remarks, *overlap.remarks)
        if not len(rows):
            return Scored.nothing(*remarks)

        def explain(row: int) -> Why:
            parts = []
            if reached.distance[row] >= 0:
                tags = {graph.paths[tag]: list(matched[tag]) for tag in sorted(reached.sources(row))}
                parts.append(Part("distance", f"d={reached.distance[row]}", float(near[row]), {"matched_tags": tags}))
            by_word = overlap.by_word(row)
            o = sum(by_word.values())
            # The saturated overlap is shared out over its words in proportion to what each brought.
            parts += [Part("overlap", word, step * value / (1 + o), {"o": value}) for word, value in by_word.items()]
            return Why(tuple(parts), reached.path(row), remarks)

        tiers = {f"d={d}": int((reached.distance == d).sum()) for d in range(self.config.hops + 2)}
        tiers["overlap only"] = int((reached.distance[rows] < 0).sum())
        return Scored(rows, total[rows], explain, remarks, {name: count for name, count in tiers.items() if count})

    @abstractmethod
    def overlap(self, reached: Reached, words: Words) -> ContentOverlap:
        """The variant's overlap o of every note with the query."""


def match_tags(graph: TagGraph, words: Words) -> tuple[dict[int, tuple[str, ...]], tuple[str, ...]]:
    """Tags matched by the filtered query, else by the unfiltered one where that is configured, and what to say of it."""
    matched = graph.match(words.query.kept)
    remarks = words.filter_remarks
    if not matched and words.query.dropped and words.falls_back:
        matched = graph.match(words.query.distinct)
        remarks = (*remarks, "no tag matches a word that the filter kept: the unfiltered query was matched to tags")
    if not matched:
        remarks = (*remarks, "no tag of this memory matches a word of the query")
    return matched, remarks


def count_words(reached: Reached, which: Overlap) -> ContentOverlap:
    """Raw lexical overlap: one for each distinct query word, of the reaching tags or of the note's own."""
    of = reached.own_words if which == "own" else reached.words
    total = np.where(reached.distance >= 0, reached.count(which), 0).astype(float)
    return ContentOverlap(total, lambda row: dict.fromkeys(of(row) if reached.distance[row] >= 0 else (), 1.0), ())


@methods.register("tag_basic")
class Basic(Traversal):
    """Localized traversal by raw lexical overlap (TagGraph-Basic)."""

    name: ClassVar[str] = "tag_basic"
    Config: ClassVar[type[BasicConfig]] = BasicConfig
    config: BasicConfig

    def overlap(self, reached: Reached, words: Words) -> ContentOverlap:
        return count_words(reached, self.config.overlap)


@methods.register("tag_stopwords")
class Stopwords(Basic):
    """Localized traversal with query words in over 15% of the notes dropped (TagGraph-Stopwords)."""

    name: ClassVar[str] = "tag_stopwords"
    Config = StopwordsConfig


@methods.register("tag_tfidf")
class TFIDF(Traversal):
    """Localized traversal behind the filter, ordered inside a distance by TF-IDF overlap of content (TagGraph-TFIDF)."""

    name: ClassVar[str] = "tag_tfidf"
    Config = TFIDFConfig
    config: TFIDFConfig

    @property
    def has_tail(self) -> bool:  # type: ignore[override]
        return self.config.tail

    def overlap(self, reached: Reached, words: Words) -> ContentOverlap:
        return words.content_overlap()
