"""The directed graph of facts: edges by node, nodes by word, and how near each edge is to a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.embed.base import Embedder, Rows
from workbench.real.intervals import Edge
from workbench.real.relations import relation_stems
from workbench.real.words import content_stems, stems

Floats = NDArray[np.float64]
HUB_EDGES, HUB_SHARE = 20, 0.05
"""A node with more edges than both 20 and 5% of all is a hub: a search may start or end there, but not pass through (R7)."""
DECIMALS = 9
"""Nearness compares after rounding to this many decimals: the last bits of a product depend on a row's place in it."""
_BLOCK = 1024


@dataclass
class FactGraph:
    """Edges in a fixed order with their indexes.

    Attributes
    ----------
    edges : tuple of Edge
        Row ``i`` of every derived array belongs to ``edges[i]``.
    participants : tuple of str
    """

    edges: tuple[Edge, ...]
    participants: tuple[str, ...] = ()
    vectors: Callable[[], Rows] = field(default=lambda: np.empty((0, 0), np.float32), repr=False)

    def __post_init__(self) -> None:
        out: dict[str, list[int]] = defaultdict(list)
        into: dict[str, list[int]] = defaultdict(list)
        for at, edge in enumerate(self.edges):
            out[edge.head].append(at)
            into[edge.tail].append(at)
        self.out, self.into = dict(out), dict(into)

    @cached_property
    def nodes(self) -> dict[str, str]:
        """Every node with its name as it was first said."""
        found: dict[str, str] = {}
        for edge in self.edges:
            found.setdefault(edge.head, edge.facts[0].head)
            found.setdefault(edge.tail, edge.facts[0].tail)
        return found

    @cached_property
    def node_stems(self) -> dict[str, frozenset[str]]:
        """Index words of every node that are about something; all its words where none is."""
        return {node: frozenset(content_stems(node) or stems(node)) for node in self.nodes}

    @cached_property
    def nodes_of_stem(self) -> dict[str, tuple[str, ...]]:
        """The nodes that hold an index word."""
        found: dict[str, list[str]] = defaultdict(list)
        for node, words in self.node_stems.items():
            for word in words:
                found[word].append(node)
        return {word: tuple(nodes) for word, nodes in found.items()}

    @cached_property
    def edge_stems(self) -> tuple[frozenset[str], ...]:
        """Index words of every edge's nodes and relation."""
        return tuple(map(self.stems_of, self.edges))

    def stems_of(self, edge: Edge) -> frozenset[str]:
        """Index words of an edge, stored or derived."""
        empty: frozenset[str] = frozenset()
        ends = self.node_stems.get(edge.head, empty) | self.node_stems.get(edge.tail, empty)
        relation = edge.premises[0].relation if edge.rule else edge.relation
        return ends | relation_stems(relation, edge.preposition)

    @cached_property
    def row(self) -> dict[Edge, int]:
        """Position of every stored edge."""
        return {edge: at for at, edge in enumerate(self.edges)}

    def degree(self, node: str) -> int:
        """Edges out of and into a node."""
        return len(self.out.get(node, ())) + len(self.into.get(node, ()))

    def is_hub(self, node: str) -> bool:
        """Whether a node has so many edges that passing through it says nothing (R7)."""
        return self.degree(node) > max(HUB_EDGES, HUB_SHARE * len(self.edges))


def scaled(cosines: Floats, source: Embedder) -> Floats:
    """Nearness s(q, e) in [0, 1] of cosines: 0 up to what unrelated texts have, 1 from what equal tags have (R11).

    Both bounds are the backend's own, worked out on our demonstration cases; (1 + cos) / 2 would leave all edges alike.
    """
    low, high = source.thresholds.related, source.thresholds.same_tag
    return np.asarray(np.clip(np.round((cosines - low) / (high - low), DECIMALS), 0.0, 1.0))


def nearness(asked: Rows, rows: Rows, source: Embedder) -> Floats:
    """Nearness of a question's unit vector, (d,), with unit vectors, (n, d)."""
    vector = asked.astype(np.float64)
    found = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        found[start : start + _BLOCK] = rows[start : start + _BLOCK].astype(np.float64) @ vector
    return scaled(found, source)


def texts(edges: Iterable[Edge]) -> list[str]:
    """The texts of edges, in order."""
    return [edge.text for edge in edges]


def ranked(indexes: Sequence[int], near: Floats, graph: FactGraph) -> list[int]:
    """Edges by nearness, best first; among equals the newer start, then the id, so that no order of arrival shows."""

    def key(at: int) -> tuple[float, float, str]:
        start = graph.edges[at].facts[0].key[0]
        return -float(near[at]), -float(start.toordinal()), graph.edges[at].id

    return sorted(indexes, key=key)
