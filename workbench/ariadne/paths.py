"""Paths through a query's graph (Eq. 10): two or three edges, never back in time."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from workbench.ariadne.base_graph import Edge
from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.decisions import DECIMALS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEAST_EDGES = 2
COHERENCE_HOURS = 168.0
"""Span of a path at which its coherence is one half: the longest gap that a bridge may span (ours)."""


@dataclass(frozen=True)
class Path:
    """Nodes in the order of time.

    ``relevance`` is the mean of its nodes', ``span_hours`` the time from first to last (None where either is not known), and
    ``value`` the relevance times the coherence 1 / (1 + span / 168 h), which is 1 for an unknown span (ours).
    """

    nodes: tuple[int, ...]
    relevance: float
    span_hours: float | None
    value: float


@dataclass(frozen=True)
class Paths:
    """The paths of a graph, the one that is taken first in front.

    ``count`` is how many there are; where that is above ``path_limit``, ``is_exact`` is false and only those of largest mean
    relevance were looked at.
    """

    found: tuple[Path, ...]
    count: int
    is_exact: bool


def coherence(span_hours: float | None) -> float:
    """How much a path holds together in time, in (0, 1].

    Examples
    --------
    >>> coherence(0.0), coherence(168.0), coherence(None)
    (1.0, 0.5, 1.0)
    """
    return 1.0 if span_hours is None else 1 / (1 + span_hours / COHERENCE_HOURS)


def mine(edges: Iterable[Edge], relevance: dict[int, float], hours: Floats, config: AriadneConfig) -> Paths:
    """All paths of 2 to ``path_length`` edges, in the order in which the budget takes them.

    Parameters
    ----------
    edges : iterable of Edge
        Each from an earlier to a later place.
    relevance : dict
        Of every node.
    hours : (n_nodes,) float
        Times of all nodes of the index.
    """
    nodes = sorted(relevance)
    place = {node: at for at, node in enumerate(nodes)}
    joined = np.zeros((len(nodes), len(nodes)), np.int64)
    for edge in edges:
        joined[place[edge.earlier], place[edge.later]] = 1
    count = count_paths(joined, config.path_length)
    if count == 0:
        return Paths((), 0, True)
    weights = np.array([relevance[node] for node in nodes])
    if count <= config.path_limit:
        chains = list(_all_chains(joined, config.path_length))
    else:
        best = list(islice(best_first(joined, weights, config.path_length), config.path_best))
        lengths = sorted({len(chain) for chain in best})
        chains = [np.array([chain for chain in best if len(chain) == length]) for length in lengths]
    return Paths(_ordered(chains, weights, np.array(nodes), hours, config), count, count <= config.path_limit)


def count_paths(joined: Ints, length: int) -> int:
    """Number of paths of 2 to ``length`` edges in an acyclic graph: sums of the powers of its matrix, (n, n) of 0 and 1."""
    power, total = joined, 0
    for _ in range(LEAST_EDGES, length + 1):
        power = power @ joined
        total += int(power.sum())
    return total


def _all_chains(joined: Ints, length: int) -> Iterator[Ints]:
    """All paths by length, each array (n_paths, edges + 1)."""
    chains = np.argwhere(joined)
    after = [np.flatnonzero(row) for row in joined]
    counts = joined.sum(axis=1)
    for _ in range(LEAST_EDGES, length + 1):
        ends = chains[:, -1]
        more = np.concatenate([after[end] for end in ends]) if len(ends) else np.empty(0, np.int64)
        chains = np.column_stack([np.repeat(chains, counts[ends], axis=0), more])
        if len(chains):
            yield chains


def best_first(joined: Ints, weights: Floats, length: int) -> Iterator[tuple[int, ...]]:
    """Paths by falling mean weight, found without listing all: what no path can surpass is put off."""
    after = [np.flatnonzero(row).tolist() for row in joined]
    most = float(weights.max())
    queue: list[tuple[float, bool, tuple[int, ...]]] = []

    def push(chain: tuple[int, ...]) -> None:
        total, edges = float(sum(weights[at] for at in chain)), len(chain) - 1
        if edges >= LEAST_EDGES:
            heapq.heappush(queue, (-total / len(chain), False, chain))
        if edges < length and after[chain[-1]]:
            bounds = (
                (total + more * most) / (len(chain) + more)
                for more in range(1, length - edges + 1)
                if edges + more >= LEAST_EDGES
            )
            heapq.heappush(queue, (-max(bounds), True, chain))

    for start in range(len(after)):
        push((start,))
    while queue:
        _, is_open, chain = heapq.heappop(queue)
        if not is_open:
            yield chain
            continue
        for end in after[chain[-1]]:
            push((*chain, end))


def _ordered(chains: Sequence[Ints], weights: Floats, nodes: Ints, hours: Floats, config: AriadneConfig) -> tuple[Path, ...]:
    """The paths as records, in the order of ``path_order``; what is equal in all goes by its nodes."""
    found = []
    for group in chains:
        means = weights[group].mean(axis=1)
        spans = hours[nodes[group[:, -1]]] - hours[nodes[group[:, 0]]]
        for chain, mean, span in zip(nodes[group].tolist(), means.tolist(), spans.tolist(), strict=True):
            known = None if span != span else span  # nan where an end is undated
            found.append(Path(tuple(chain), mean, known, mean * coherence(known)))

    def by_relevance(path: Path) -> tuple[object, ...]:
        return (-round(path.value, DECIMALS), -len(path.nodes), path.span_hours or 0.0, path.nodes)

    def by_length(path: Path) -> tuple[object, ...]:
        return (-len(path.nodes), -round(path.relevance, DECIMALS), path.span_hours or 0.0, path.nodes)

    return tuple(sorted(found, key=by_length if config.path_order == "length" else by_relevance))
