"""The tag-topic-file graph of a memory (TAGGRAPH 3.2): built from the notes' tags, read by traversal, diffusion and the pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Literal

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from workbench.memory import Memory
from workbench.ontology import matched_segments
from workbench.records import Note
from workbench.settings import check_ranges, setting
from workbench.text import Analyser, Normaliser

NODE_KINDS = ("tag", "topic", "file", "ontology")
EDGE_KINDS = ("tag_topic", "topic_file", "similarity", "ontology", "instance", "chronological")
ONE_WAY = ("tag_topic", "topic_file")
"""Edge kinds that the directed reading follows forward only; all others go both ways."""
SIMILAR_AT = 3
"""Shared attributes that make two topics similar (TAGGRAPH 3.2)."""
LARGE = 2_000
"""Topics above which common attributes are skipped (decision 6)."""

TopicPolicy = Literal["primary_what", "per_note", "root"]
Direction = Literal["symmetric", "directed"]
Attribute = tuple[str, str]
PLEASANTRIES = frozenset(
    {"advice", "feedback", "greeting", "hello", "help", "idea", "photo", "picture", "question"}
    | {"recommendation", "suggestion", "thank", "thanks", "tip"}
)


@dataclass(frozen=True)
class GraphConfig:
    """How the graph is built from tags."""

    def __post_init__(self) -> None:
        check_ranges(self)

    normaliser: Normaliser = setting("snowball", "word form in which tags, queries and notes are compared", literal="simple")
    topic_policy: TopicPolicy = setting(
        "primary_what",
        "what groups notes into topics: the most salient What path cut to two segments, one topic a note, or each first segment",
    )
    eligible_topics: bool = setting(
        True, "participants, pleasantries and action/* cannot be a topic (literal: the first What path)", literal=False
    )
    participant_attributes: bool = setting(False, "whether speakers' names count as shared attributes of topics", literal=True)
    skip_common_attributes: bool = setting(
        True, f"above {LARGE:,} topics, skip attributes held by more than min(15% of topics, 200)", literal=False
    )


@dataclass(frozen=True)
class Edges:
    """Edges of one kind as arrays of node numbers and weights, each undirected pair once."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    weight: NDArray[np.float64]

    @staticmethod
    def of(triples: Iterable[tuple[int, int, float]]) -> Edges:
        rows = list(triples)
        source, target, weight = zip(*rows, strict=True) if rows else ((), (), ())
        return Edges(np.asarray(source, np.int64), np.asarray(target, np.int64), np.asarray(weight, np.float64))

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True)
class Health:
    """Whether topics group anything (decision 5)."""

    topics: int
    singleton_share: float
    largest: int
    largest_label: str
    warnings: tuple[str, ...]


class TagGraph:
    """Tags, topics, files and ontology nodes of a memory with six kinds of edges.

    Nodes are numbered tags first, then topics, files (in the order of ``Memory.notes``) and ontology nodes; ``offset`` gives the
    first number of each kind.

    Parameters
    ----------
    memory : Memory
    config : GraphConfig
    """

    def __init__(self, memory: Memory, config: GraphConfig) -> None:
        self.config = config
        self.notes: tuple[Note, ...] = memory.notes
        self._analyser = Analyser(config.normaliser)
        self._pleasantries = frozenset(self._analyser.words(" ".join(sorted(PLEASANTRIES))))
        self._participants = [frozenset(self._analyser.words(name)) for name in memory.participants]

        self.paths: list[str] = list(dict.fromkeys(path for note in self.notes for path in note.extraction.paths))
        self.tag_number = {path: number for number, path in enumerate(self.paths)}
        self.tags_of_note = [[self.tag_number[path] for path in note.extraction.paths] for note in self.notes]
        self.notes_of_tag: list[list[int]] = [[] for _ in self.paths]
        self.categories: list[set[str]] = [set() for _ in self.paths]
        for row, note in enumerate(self.notes):
            for tag in self.tags_of_note[row]:
                self.notes_of_tag[tag].append(row)
            for category, path in note.extraction.pairs():
                self.categories[self.tag_number[path]].add(category)

        labels = [self._topics(note) for note in self.notes]
        self.topics: list[str] = list(dict.fromkeys(label for each in labels for label in each))
        numbers = {label: number for number, label in enumerate(self.topics)}
        self.topics_of_note = [[numbers[label] for label in each] for each in labels]
        self.notes_of_topic: list[list[int]] = [[] for _ in self.topics]
        self.topics_of_tag: list[list[int]] = [[] for _ in self.paths]
        seen: set[tuple[int, int]] = set()
        for row, topics in enumerate(self.topics_of_note):
            for topic in topics:
                self.notes_of_topic[topic].append(row)
                for tag in self.tags_of_note[row]:
                    if (tag, topic) not in seen:
                        seen.add((tag, topic))
                        self.topics_of_tag[tag].append(topic)

        # A prefix of every path, roots first for each path; the full path's node is the tag's own.
        prefixes = (path.split("/")[: depth + 1] for path in self.paths for depth in range(path.count("/") + 1))
        self.ontology: list[str] = list(dict.fromkeys("/".join(prefix) for prefix in prefixes))
        self.ontology_number = {prefix: number for number, prefix in enumerate(self.ontology)}
        self.parent = [self.ontology_number[prefix.rpartition("/")[0]] if "/" in prefix else -1 for prefix in self.ontology]
        self.children: list[list[int]] = [[] for _ in self.ontology]
        for child, parent in enumerate(self.parent):
            if parent >= 0:
                self.children[parent].append(child)

        sizes = (len(self.paths), len(self.topics), len(self.notes), len(self.ontology))
        self.offset = dict(zip(NODE_KINDS, np.concatenate([[0], np.cumsum(sizes)[:-1]]).tolist(), strict=True))
        self.n_nodes = sum(sizes)

    # Topics ---------------------------------------------------------------------------------------------------------------

    def _topics(self, note: Note) -> list[str]:
        """Labels of the topics a note belongs to; ``misc`` where no tag gives one."""
        extraction = note.extraction
        if self.config.topic_policy == "per_note":
            return [f"note {note.id}"]
        if self.config.topic_policy == "root":
            return list(dict.fromkeys(path.split("/")[0] for path in extraction.paths)) or ["misc"]
        primary = next((path for path in (*extraction.what, *extraction.extra) if self._can_be_topic(path)), "misc")
        return ["/".join(primary.split("/")[:2])]

    def _can_be_topic(self, path: str) -> bool:
        if not self.config.eligible_topics:
            return True
        is_pleasantry = not self._pleasantries.isdisjoint(self._analyser.words(path.rsplit("/", 1)[-1]))
        return not (path.startswith("action/") or is_pleasantry or self.is_participant(path))

    def is_participant(self, path: str) -> bool:
        """Whether a path's last segment names one of the speakers."""
        if not self._participants:
            return False
        words = set(self._analyser.words(path.rsplit("/", 1)[-1]))
        return any(words and words <= name for name in self._participants)

    @cached_property
    def health(self) -> Health:
        """Topic sizes, with a warning at over 90% singletons or one topic over 25% of the notes."""
        sizes = [len(rows) for rows in self.notes_of_topic]
        if not sizes:
            return Health(0, 0.0, 0, "", ())
        singletons = sizes.count(1) / len(sizes)
        largest = max(sizes)
        label = self.topics[sizes.index(largest)]
        warnings = []
        if singletons > 0.9 and len(sizes) > 1:
            warnings.append(f"{singletons:.0%} of topics hold a single note: topics hardly group anything")
        if largest > 0.25 * len(self.notes) and len(self.notes) > 4:
            warnings.append(f"topic {label!r} holds {largest} of {len(self.notes)} notes")
        return Health(len(sizes), singletons, largest, label, tuple(warnings))

    # Matching -------------------------------------------------------------------------------------------------------------

    @cached_property
    def words_of_tag(self) -> list[frozenset[str]]:
        """The words a query can match in each tag; reserved root segments are left out (decision 11)."""
        return [_words_of_path(self._analyser, path) for path in self.paths]

    @cached_property
    def _tags_of_word(self) -> dict[str, list[int]]:
        postings: dict[str, list[int]] = {}
        for tag, words in enumerate(self.words_of_tag):
            for word in words:
                postings.setdefault(word, []).append(tag)
        return postings

    def match(self, words: Iterable[str]) -> dict[int, tuple[str, ...]]:
        """Tags that share a word with the query, each with the query words it matches in query order."""
        matched: dict[int, tuple[str, ...]] = {}
        for word in dict.fromkeys(words):
            for tag in self._tags_of_word.get(word, ()):
                matched[tag] = (*matched.get(tag, ()), word)
        return matched

    # Edges ----------------------------------------------------------------------------------------------------------------

    def attributes(self, topic: int) -> frozenset[Attribute]:
        """(category, path) pairs over the topic's notes for the five W categories; speakers only where configured."""
        return self._attributes[topic]

    @cached_property
    def _attributes(self) -> list[frozenset[Attribute]]:
        skipped = set() if self.config.participant_attributes else {path for path in self.paths if self.is_participant(path)}
        pairs = [
            {(category, path) for category, path in note.extraction.pairs() if category != "extra" and path not in skipped}
            for note in self.notes
        ]
        return [frozenset().union(*(pairs[row] for row in rows)) for rows in self.notes_of_topic]

    def _similarity(self) -> Edges:
        """Topics that share at least three attributes, weighted by Jaccard."""
        holders: dict[Attribute, list[int]] = {}
        for topic, attributes in enumerate(self._attributes):
            for attribute in sorted(attributes):
                holders.setdefault(attribute, []).append(topic)
        limit = len(self.topics)
        if len(self.topics) > LARGE:
            if not self.config.skip_common_attributes:
                raise ValueError(
                    f"{len(self.topics):,} topics are too many for similarity edges over all attributes: "
                    f"set skip_common_attributes=true above {LARGE:,} topics"
                )
            limit = min(round(0.15 * len(self.topics)), 200)
        used = [topics for topics in holders.values() if 1 < len(topics) <= limit]
        rows = np.fromiter((topic for topics in used for topic in topics), np.int64)
        columns = np.repeat(np.arange(len(used)), [len(topics) for topics in used])
        has = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(self.topics), len(used)))
        shared = sparse.triu(has @ has.T, k=1).tocoo()
        sizes = np.array([len(attributes) for attributes in self._attributes])
        a, b = shared.coords
        keep = shared.data >= SIMILAR_AT
        a, b, common = a[keep].astype(np.int64), b[keep].astype(np.int64), shared.data[keep]
        return Edges(a + self.offset["topic"], b + self.offset["topic"], common / (sizes[a] + sizes[b] - common))

    @cached_property
    def edges(self) -> dict[str, Edges]:
        """Edges by kind, with the weights of spec 2.4; directions are those of ONE_WAY."""
        topic, file, ontology = self.offset["topic"], self.offset["file"], self.offset["ontology"]
        return {
            "tag_topic": Edges.of((t, topic + p, 1.0) for t, topics in enumerate(self.topics_of_tag) for p in topics),
            "topic_file": Edges.of((topic + p, file + f, 1.0) for p, rows in enumerate(self.notes_of_topic) for f in rows),
            "similarity": self._similarity(),
            "ontology": Edges.of((ontology + p, ontology + c, 1.0) for c, p in enumerate(self.parent) if p >= 0),
            "instance": Edges.of((ontology + self.ontology_number[path], t, 1.0) for t, path in enumerate(self.paths)),
            "chronological": Edges.of((file + row, file + row + 1, 1.0) for row in self._followed()),
        }

    def _followed(self) -> list[int]:
        """Rows whose next note follows in time: rounds of one session, or sessions that both say when they were.

        A pool of passages has no time and so no time line (decision 13); a time in words without a date still orders a story.
        """
        moments = [note.interaction.time or note.interaction.time_text for note in self.notes]
        sessions = [note.session_id for note in self.notes]
        return [
            row for row in range(len(self.notes) - 1) if (moments[row] and moments[row + 1]) or sessions[row] == sessions[row + 1]
        ]

    def weights(self, by_kind: Mapping[str, float], direction: Direction = "symmetric") -> sparse.csr_array:
        """The (n_nodes, n_nodes) weight matrix with each kind's edges multiplied by its factor; a factor of 0 leaves them out."""
        parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
        for kind, edges in self.edges.items():
            factor = by_kind[kind]
            if not 0 <= factor < math.inf:
                raise ValueError(f"weight of {kind} edges is {factor}; weights are finite and 0 or more")
            if factor == 0 or not len(edges):
                continue
            parts.append((edges.source, edges.target, factor * edges.weight))
            if direction == "symmetric" or kind not in ONE_WAY:
                parts.append((edges.target, edges.source, factor * edges.weight))
        shape = (self.n_nodes, self.n_nodes)
        if not parts:
            return sparse.csr_array(shape, dtype=np.float64)
        rows, columns, values = (np.concatenate(each) for each in zip(*parts, strict=True))
        return sparse.csr_array((values, (rows, columns)), shape=shape)

    # Names ----------------------------------------------------------------------------------------------------------------

    @cached_property
    def node_ids(self) -> list[str]:
        """The name of each node number: ``tag:<path>``, ``topic:<label>``, ``file:<note id>``, ``ont:<prefix>``."""
        return [
            *(f"tag:{path}" for path in self.paths),
            *(f"topic:{label}" for label in self.topics),
            *(f"file:{note.id}" for note in self.notes),
            *(f"ont:{prefix}" for prefix in self.ontology),
        ]

    def kind_of(self, number: int) -> str:
        """The kind of a node number."""
        return next(kind for kind in reversed(NODE_KINDS) if number >= self.offset[kind])

    def to_networkx(self, chronological: bool = True) -> nx.DiGraph:
        """The graph for users, notebooks and drawing; edges that go both ways appear once, in their natural direction."""
        graph = nx.DiGraph()
        ids = self.node_ids
        for tag, path in enumerate(self.paths):
            categories = sorted(self.categories[tag])
            graph.add_node(ids[tag], kind="tag", label=path, categories=categories, df=len(self.notes_of_tag[tag]))
        for topic, label in enumerate(self.topics):
            graph.add_node(ids[self.offset["topic"] + topic], kind="topic", label=label, notes=len(self.notes_of_topic[topic]))
        for row, note in enumerate(self.notes):
            time = note.interaction.time.isoformat(" ", "minutes") if note.interaction.time else note.interaction.time_text
            label = note.extraction.summary or note.interaction.user[:80] or note.id
            graph.add_node(
                ids[self.offset["file"] + row], kind="file", label=label, session=note.session_id, time=time, order=row
            )
        for number, prefix in enumerate(self.ontology):
            graph.add_node(ids[self.offset["ontology"] + number], kind="ontology", label=prefix)
        for kind, edges in self.edges.items():
            if kind == "chronological" and not chronological:
                continue
            for source, target, weight in zip(edges.source.tolist(), edges.target.tolist(), edges.weight.tolist(), strict=True):
                graph.add_edge(ids[source], ids[target], kind=kind, weight=weight)
        return graph


@lru_cache(maxsize=200_000)
def _words_of_path(analyser: Analyser, path: str) -> frozenset[str]:
    """Tags come again from case to case, so their words are kept."""
    return frozenset(analyser.words(" ".join(matched_segments(path))))


def tag_graph(memory: Memory, config: GraphConfig) -> TagGraph:
    """The memory's graph under the graph fields of any method's configuration, built once per state."""
    own = GraphConfig(**{field.name: getattr(config, field.name) for field in fields(GraphConfig)})
    return memory.view(own, lambda memory: TagGraph(memory, own))
