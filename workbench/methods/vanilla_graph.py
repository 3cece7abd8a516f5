"""Vanilla Memory Graph: REAL's facts without their history, the baseline that overwrites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench.embed.base import embedder
from workbench.memory import Memory
from workbench.methods.base import MemoryRetriever, Scored, methods
from workbench.methods.dense import NO_WORD, EmbeddingConfig, has_word
from workbench.real.case_facts import facts_fields, facts_of, last_moment, registry_of
from workbench.real.config import FactsConfig
from workbench.real.graph import FactGraph, nearness, ranked, texts
from workbench.real.question import read_question
from workbench.real.relations import readable
from workbench.real.vanilla import EDGES, HOPS, neighbourhood, overwritten
from workbench.records import Part, Why
from workbench.settings import setting

DECIMALS = 9
SEEDS = 3


@dataclass(frozen=True)
class VanillaConfig(FactsConfig, EmbeddingConfig):
    """How far the baseline looks; the source only names it."""

    hops: int = setting(HOPS, "hops from the question's nodes, either way along edges", least=1)
    edges: int = setting(EDGES, "triples that are returned, nearest to the question first", least=1)


@methods.register("vanilla_graph")
class VanillaGraph(MemoryRetriever[VanillaConfig]):
    """A graph of triples that overwrites: breadth-first from the question's nodes, triples ranked by nearness to the question."""

    name: ClassVar[str] = "vanilla_graph"
    Config = VanillaConfig

    def score(self, text: str) -> Scored:
        if not has_word(text):
            return Scored.nothing(NO_WORD)
        config, memory = self.config, self.memory
        graph = _graph(memory, config)
        source = embedder(config.embeddings)
        near = nearness(memory.vectors.of(source, [text])[0], graph.vectors(), source)
        asked = read_question(text, graph, registry_of(config), last_moment(memory), None, intents=False)
        roots = [root.node for root in asked.roots]
        remarks: tuple[str, ...] = ()
        if not roots:
            seeds = [at for at in ranked(range(len(near)), near, graph)[:SEEDS] if near[at] > 0]
            roots = [graph.edges[at].head for at in seeds]
            remarks = ("the question names no node: the search starts from the nearest facts",)
        distance, visited = neighbourhood(graph, roots, config.hops)
        chosen = [at for at in ranked(list(distance), near, graph)[: config.edges] if near[at] > 0]
        remarks = (*remarks, f"{len(visited):,} nodes visited")
        if not chosen:
            return Scored.nothing(*remarks, "no triple near the question is in reach")
        rows = {note.id: row for row, note in enumerate(memory.notes)}
        best: dict[int, int] = {}
        for at in chosen:
            for note, _ in graph.edges[at].refs:
                best.setdefault(rows[note], at)

        def explain(row: int) -> Why:
            edge, at = graph.edges[best[row]], best[row]
            first = edge.facts[0]
            name = f"{first.head} -[{readable(edge.relation, edge.preposition)}]-> {first.tail}"
            return Why((Part("fact", name, float(near[at]), {"hops": distance[at], "quotes": [first.quote]}),), (name,))

        order = sorted(best)
        return Scored(
            np.array(order, np.int64), np.array([near[best[row]] for row in order]), explain, remarks, decimals=DECIMALS
        )


def _graph(memory: Memory, config: VanillaConfig) -> FactGraph:
    def build(memory: Memory) -> FactGraph:
        edges = tuple(overwritten(facts_of(memory, config), registry_of(config)))
        rows = memory.vectors.of(embedder(config.embeddings), texts(edges))
        return FactGraph(edges, memory.participants, lambda: rows)

    return memory.view(("vanilla graph", *facts_fields(config), config.embeddings), build)
