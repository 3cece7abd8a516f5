"""AdaptiveGraph (TAGGRAPH 3.3.4): Personalized PageRank from matched tags and files over the graph with its time line."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from workbench.diffusion import Diffusion
from workbench.graph import EDGE_KINDS, Direction, GraphConfig, TagGraph, tag_graph
from workbench.memory import Memory
from workbench.methods.base import ContentOverlap, FilterConfig, MemoryRetriever, Scored, Words, methods
from workbench.records import Part, Why
from workbench.settings import setting
from workbench.terms import Floats

DECIMALS = 9
"""PageRank scores compare after rounding to this many decimals (decision 7)."""
WEIGHT = "weight of {} edges; 0 leaves them out"


@dataclass(frozen=True)
class AdaptiveConfig(GraphConfig, FilterConfig):
    """Seeds, graph and walk of AdaptiveGraph; the paper states none of the numbers in its body."""

    diffusion: bool = setting(True, "spread the seeds; off ranks files by their own seed", "TAGGRAPH 5.1 ablation")
    chronological: bool = setting(True, "edges between consecutive notes", "TAGGRAPH 5.1 ablation")
    file_seeding: bool = setting(True, "seed files by TF-IDF overlap", "TAGGRAPH 5.1 ablation")
    alpha: float = setting(0.85, "probability to go on along an edge", "NetworkX's default (ours)", least=0, below=1)
    file_seed_share: float = setting(0.5, "share of the seed mass on files, the rest on tags", least=0, most=1)
    direction: Direction = setting("symmetric", "whether edges are used both ways or tag to topic to file only")
    weight_tag_topic: float = setting(1.0, WEIGHT.format("tag-topic"), least=0)
    weight_topic_file: float = setting(1.0, WEIGHT.format("topic-file"), least=0)
    weight_similarity: float = setting(1.0, "factor on the Jaccard similarity of topics", least=0)
    weight_ontology: float = setting(1.0, WEIGHT.format("parent-child"), least=0)
    weight_instance: float = setting(1.0, WEIGHT.format("tag-concept"), least=0)
    weight_chronological: float = setting(0.5, WEIGHT.format("chronological"), least=0)

    @property
    def edge_weights(self) -> dict[str, float]:
        """The factor of each edge kind."""
        weights = {kind: float(getattr(self, f"weight_{kind}")) for kind in EDGE_KINDS}
        return weights if self.chronological else weights | {"chronological": 0.0}


@dataclass(frozen=True)
class Seeds:
    """Where the walk starts: mass per node (n_nodes,), summing to 1 or all zero, with the reasons."""

    mass: Floats
    tags: dict[int, tuple[str, ...]]
    overlap: ContentOverlap
    first_file: int
    remarks: tuple[str, ...]

    def words(self, node: int) -> tuple[str, ...]:
        """The query words behind a seed."""
        return self.tags[node] if node in self.tags else tuple(self.overlap.by_word(node - self.first_file))


def seeds(graph: TagGraph, words: Words, config: AdaptiveConfig) -> Seeds:
    """Half the mass on matched tags, half on files, each by strength; a side without matches leaves all to the other.

    A tag's strength is the share of its words that match times their mean idf; a file's is its TF-IDF overlap. Only where
    neither side has a seed is the unfiltered query matched to tags (decision 3).
    """
    mass = np.zeros(graph.n_nodes)
    overlap = words.content_overlap()
    remarks = (*words.filter_remarks, *overlap.remarks)
    file_mass = overlap.total if config.file_seeding else np.zeros_like(overlap.total)
    tags = graph.match(words.query.kept)
    if not tags and not file_mass.any() and words.query.dropped and words.falls_back:
        tags = graph.match(words.query.distinct)
        remarks = (*remarks, "nothing matches a word that the filter kept: the unfiltered query was matched to tags")

    for tag, found in tags.items():
        strength = len(found) / len(graph.words_of_tag[tag])
        mass[tag] = strength * float(np.mean([words.index.idf_of(word) for word in found]))
    share = config.file_seed_share
    tag_total, file_total = mass.sum(), file_mass.sum()
    if tag_total and file_total:
        mass *= (1 - share) / tag_total
        file_mass = file_mass * (share / file_total)
    elif tag_total or file_total:
        mass /= tag_total or 1
        file_mass = file_mass / (file_total or 1)
        missing = "files" if tag_total else "tags"
        if config.file_seeding or not tag_total:
            remarks = (*remarks, f"no {missing} match the query: all seed mass is on the others")
    else:
        remarks = (*remarks, "no tag and no file matches the query: there are no seeds")
    start = graph.offset["file"]
    mass[start : start + len(graph.notes)] = file_mass
    return Seeds(mass, tags, overlap, start, remarks)


def walk(memory: Memory, config: AdaptiveConfig) -> Diffusion:
    """The prepared diffusion over the memory's graph, built once per state and set of weights."""
    own = tuple(getattr(config, field.name) for field in fields(GraphConfig))
    key = ("walk", own, config.direction, config.alpha, *config.edge_weights.values())

    def build(memory: Memory) -> Diffusion:
        return Diffusion(tag_graph(memory, config).weights(config.edge_weights, config.direction), config.alpha)

    return memory.view(key, build)


@dataclass(frozen=True)
class Spread:
    """A query's diffusion over a memory: graph, seeds and limit, as the ranking, the step view and the attribution use it.

    Attributes
    ----------
    graph : TagGraph
    seeds : Seeds
    config : AdaptiveConfig
    diffusion : Diffusion or None
        None where diffusion is switched off.
    """

    graph: TagGraph
    seeds: Seeds
    config: AdaptiveConfig
    diffusion: Diffusion | None

    @staticmethod
    def of(memory: Memory, text: str, config: AdaptiveConfig, muted: Collection[str] = ()) -> Spread:
        """Seeds and walk for a query; seeds whose node id is in ``muted`` are taken out and the rest keep their proportions."""
        graph = tag_graph(memory, config)
        start = seeds(graph, Words(text, memory, config), config)
        if muted:
            mass = start.mass.copy()
            mass[[number for number in np.flatnonzero(mass).tolist() if graph.node_ids[number] in muted]] = 0
            start = replace(start, mass=mass / (mass.sum() or 1))
        return Spread(graph, start, config, walk(memory, config) if config.diffusion else None)

    @property
    def files(self) -> slice:
        """The node numbers of the files, in the order of the memory's notes."""
        first = self.graph.offset["file"]
        return slice(first, first + len(self.graph.notes))

    @cached_property
    def x(self) -> Floats:
        """The limit, (n_nodes,); the seeds themselves where diffusion is off."""
        return self.seeds.mass if self.diffusion is None else self.diffusion.solve(self.seeds.mass)

    def scored(self, x: Floats) -> Scored:
        """The files that a distribution over the nodes ranks; those that round to 0 are not returned."""
        values = x[self.files]
        rows = np.flatnonzero(np.round(values, DECIMALS) > 0)
        return Scored(rows, values[rows], self.why, self.seeds.remarks, decimals=DECIMALS)

    def parts_by_seed(self, row: int) -> Floats:
        """How much of a file's score each node brought as a seed, (n_nodes,), summing to the score."""
        node = self.files.start + row
        if self.diffusion is not None:
            return self.diffusion.attribute(self.seeds.mass, node, self.x)
        parts = np.zeros(self.graph.n_nodes)
        parts[node] = self.x[node]
        return parts

    def why(self, row: int) -> Why:
        """A file's score as parts by seed, largest first."""
        split = self.parts_by_seed(row)
        names = self.graph.node_ids

        def part(seed: int) -> Part:
            detail = {"words": list(self.seeds.words(seed)), "seed_share": float(self.seeds.mass[seed])}
            return Part("seed", names[seed], float(split[seed]), detail)

        order = [int(seed) for seed in np.argsort(-split, kind="stable") if split[seed] > 0]
        return Why(tuple(map(part, order)), remarks=self.seeds.remarks)


@methods.register("adaptive")
class Adaptive(MemoryRetriever[AdaptiveConfig]):
    """AdaptiveGraph: Personalized PageRank over tags, topics, files and ontology with chronological edges."""

    name: ClassVar[str] = "adaptive"
    Config = AdaptiveConfig

    def score(self, text: str) -> Scored:
        if not Words(text, self.memory, self.config).query.all:
            return Scored.nothing("the query holds no word")
        spread = Spread.of(self.memory, text, self.config)
        if not spread.seeds.mass.any():
            return Scored.nothing(*spread.seeds.remarks)
        scored = spread.scored(spread.x)
        if not len(scored.rows):
            return Scored.nothing(*spread.seeds.remarks, "without diffusion and file seeds no file has a score")
        return scored
