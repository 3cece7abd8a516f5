"""The base graph over a query's nodes (Eq. 8): shared entities, nearness in time, and the stored links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.index import Index

EdgeKind = Literal["entity", "near", "updated", "continues", "bridge"]


@dataclass(frozen=True)
class Edge:
    """An edge from the earlier to the later node, and all that makes it: kinds, and the entities that both have."""

    earlier: int
    later: int
    kinds: tuple[EdgeKind, ...]
    shared: tuple[str, ...] = ()


def base_graph(nodes: Iterable[int], index: Index, config: AriadneConfig) -> tuple[Edge, ...]:
    """All edges between some nodes.

    Two nodes are joined iff they have an entity in common that is no hub, lie less than ``near_hours`` apart, or are linked in
    the store. An undated node is near to none. Nodes of equal time stand in the order in which they were said.
    """
    stored = {tuple(sorted((link.older, link.newer))): link.kind for link in index.construction.links}
    edges = []
    for one, other in combinations(sorted(nodes), 2):
        shared = tuple(sorted(index.ents[one] & index.ents[other]))
        kinds: list[EdgeKind] = ["entity"] if shared else []
        if abs(index.hours[other] - index.hours[one]) < config.near_hours:  # false where a time is nan
            kinds.append("near")
        if (one, other) in stored:
            kinds.append(stored[one, other])
        if kinds:
            edges.append(Edge(one, other, tuple(kinds), shared))
    return tuple(edges)


class Components:
    """Weak components of a growing graph.

    Examples
    --------
    >>> parts = Components([1, 2, 3], [(1, 2)])
    >>> parts.count, parts.joined(1, 2), parts.joined(2, 3)
    (2, True, False)
    """

    def __init__(self, nodes: Iterable[int], edges: Iterable[tuple[int, int]] = ()) -> None:
        self._parent = {node: node for node in nodes}
        for one, other in edges:
            self.join(one, other)

    def _root(self, node: int) -> int:
        while self._parent[node] != node:
            node = self._parent[node]
        return node

    def join(self, one: int, other: int) -> None:
        """Make two nodes (new ones too) members of one component; the smaller root stays."""
        for node in (one, other):
            self._parent.setdefault(node, node)
        first, second = sorted((self._root(one), self._root(other)))
        self._parent[second] = first

    def joined(self, one: int, other: int) -> bool:
        return self._root(one) == self._root(other)

    @property
    def count(self) -> int:
        return sum(node == parent for node, parent in self._parent.items())

    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The components, each in the order of time, the one with the earliest node first."""
        found: dict[int, list[int]] = {}
        for node in sorted(self._parent):
            found.setdefault(self._root(node), []).append(node)
        return tuple(map(tuple, found.values()))


def components_of(nodes: Sequence[int], edges: Iterable[Edge]) -> Components:
    """Weak components of a graph."""
    return Components(nodes, ((edge.earlier, edge.later) for edge in edges))
