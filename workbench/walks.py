"""What a diffusion did: the strongest walks from seeds to a node, the mass each kind of edge carried, how concentrated it is.

All of it is ours; TAGGRAPH names "topic dilution" as a hypothesis and leaves its mechanism unmeasured (6.1, 6.3).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.diffusion import Diffusion
from workbench.graph import ONE_WAY, Edges

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk from a seed to a node and the part of the node's score that arrived along it; nodes may come again."""

    nodes: tuple[int, ...]
    share: float


def strongest_walks(
    diffusion: Diffusion, seeds: ArrayLike, node: int, k: int = 5, x: Floats | None = None, limit: int = 100_000
) -> list[Walk]:
    """The k walks that brought most of a node's score, largest first.

    A node's score is the sum over all walks from seeds to it of: the seed's share, times alpha and the transition share at
    each step, times one factor for the mass that nodes without edges sent back. The search goes backwards from the node, best
    first, and is exact: a walk is extended in the order of an upper bound that holds for every way to complete it.

    Parameters
    ----------
    diffusion : Diffusion
    seeds : (n,)
    node : int
    k : int
        At most this many walks.
    x : (n,), optional
        The solution for these seeds.
    limit : int
        Most partial walks that are looked at; fewer walks than ``k`` are returned when it is hit.
    """
    s = np.asarray(seeds, dtype=np.float64)
    if not s.any():
        return []
    s = s / s.sum()
    x = diffusion.solve(s) if x is None else x
    alpha, incoming = diffusion.alpha, diffusion.transition
    # x = scale * sum of walks; mass on nodes without edges goes back to the seeds and multiplies every walk alike.
    scale = 1 - alpha + alpha * float(x[diffusion.is_dangling].sum())
    # best[u]: the largest seed share times step shares over all walks that end in u (a bound on what a completion can bring).
    best = s.copy()
    queue = [(-value, u) for u, value in enumerate(s.tolist()) if value > 0]
    heapq.heapify(queue)
    outgoing = incoming.tocsc()
    while queue:
        value, u = heapq.heappop(queue)
        if -value < best[u]:
            continue
        for at in range(outgoing.indptr[u], outgoing.indptr[u + 1]):
            v, reached = int(outgoing.indices[at]), -value * alpha * float(outgoing.data[at])
            if reached > best[v]:
                best[v] = reached
                heapq.heappush(queue, (-reached, v))
    found: list[Walk] = []
    order = count()
    # (bound, tie, is complete, weight from here to the node, walk from here to the node)
    open_walks: list[tuple[float, int, bool, float, tuple[int, ...]]] = [(-best[node], next(order), False, 1.0, (node,))]
    while open_walks and len(found) < k and next(order) < limit:
        bound, _, is_complete, weight, walk = heapq.heappop(open_walks)
        if is_complete:
            found.append(Walk(walk, scale * -bound))
            continue
        head = walk[0]
        if s[head] > 0:
            heapq.heappush(open_walks, (-weight * s[head], next(order), True, weight, walk))
        for at in range(incoming.indptr[head], incoming.indptr[head + 1]):
            u, passed = int(incoming.indices[at]), weight * alpha * float(incoming.data[at])
            if passed * best[u] > 0:
                heapq.heappush(open_walks, (-passed * best[u], next(order), False, passed, (u, *walk)))
    return found


def carried_by_kind(
    diffusion: Diffusion, edges: Mapping[str, Edges], factors: Mapping[str, float], x: Floats
) -> dict[str, float]:
    """Mass that each kind of edge carries in one step at ``x``; the values sum to alpha times the mass on nodes with edges.

    Parameters
    ----------
    edges, factors
        The graph's edges and the weight factors that the diffusion was made with.
    x : (n,)
    """
    is_symmetric = diffusion.is_symmetric
    pushed = np.divide(x, diffusion.degree, out=np.zeros_like(x), where=~diffusion.is_dangling)
    carried = {}
    for kind, each in edges.items():
        mass = each.weight * pushed[each.source]
        if is_symmetric or kind not in ONE_WAY:
            mass = mass + each.weight * pushed[each.target]
        carried[kind] = float(diffusion.alpha * factors[kind] * mass.sum())
    return carried


@dataclass(frozen=True, slots=True)
class Concentration:
    """How a distribution over n places is concentrated.

    ``entropy`` in nats, 0 to ln n; ``effective`` is its exponential: as many equally heavy places have the same entropy;
    ``gini`` is 0 for equal shares and (n - 1) / n for all mass in one place.
    """

    entropy: float
    effective: float
    gini: float


def concentration(mass: ArrayLike) -> Concentration | None:
    """Concentration of a non-negative mass after scaling to sum 1; None where there is none.

    Examples
    --------
    >>> concentration([1, 1, 1, 1])
    Concentration(entropy=1.3862943611198906, effective=4.0, gini=0.0)
    >>> concentration([0, 0, 0, 2]).gini
    0.75
    """
    p = np.asarray(mass, dtype=np.float64)
    if not p.sum() > 0:
        return None
    p = np.sort(p / p.sum())
    held = p[p > 0]
    entropy = float(-(held * np.log(held)).sum())
    n = len(p)
    gini = float((2 * np.arange(1, n + 1) - n - 1) @ p / n)
    return Concentration(entropy, float(np.exp(entropy)), gini)


def total_variation(before: ArrayLike, after: ArrayLike) -> float | None:
    """Half the L1 distance of two distributions, each scaled to sum 1: the share of mass that moved. None where one is empty.

    Examples
    --------
    >>> total_variation([1, 0], [0.25, 0.75])
    0.75
    """
    p, q = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    if not (p.sum() > 0 and q.sum() > 0):
        return None
    return float(np.abs(p / p.sum() - q / q.sum()).sum() / 2)
