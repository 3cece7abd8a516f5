"""What the page Diffusion shows of a traced spread, without drawing it: visible nodes, frames, rows, the equation of a step.

Which nodes and frames are shown is our choice; what they say is the trace's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np

from workbench.memory import Memory
from workbench.spread import SpreadTrace, WhatIf
from workbench.ui.titles import short_title
from workbench.words import visible

FRAMES = 60
"""Most iterates that are sent to the browser."""
EARLY = 40
"""Iterations from the start that all have a frame: nearly everything that can be seen happens there."""
TOP = 10
LARGEST_RADIUS = 24.0
"""Of the disc with the largest mass, in canvas units: two thirds of it fit into the gap between two columns."""


def name_of(node: str, memory: Memory) -> str:
    """What a node is called: its path or label, for a note its title."""
    kind, _, name = node.partition(":")
    return short_title(memory[name]) if kind == "file" else visible(name)


def kind_of(node: str) -> str:
    """The kind of a node by its id.

    Examples
    --------
    >>> kind_of("ont:food/bread"), kind_of("file:s1#1")
    ('ontology', 'file')
    """
    kind = node.partition(":")[0]
    return "ontology" if kind == "ont" else kind


# --- the picture ------------------------------------------------------------------------------------------------------------


def shown_nodes(traced: SpreadTrace, gold: Collection[str], limit: int, also: Iterable[str] = ()) -> list[str]:
    """The nodes that are drawn, at most ``limit``: what the reader looks for first, then where the mass is.

    Gold and ``also``, the first files of the limit, the seeds by share, the heaviest neighbours of those files, and then all
    nodes by their mass at the start or in the limit. Steps do not change it, so that the picture stands still.
    """
    spread = traced.spread
    graph, names, first, limit_x = spread.graph, spread.graph.node_ids, spread.seeds.mass, traced.steps[-1].x
    top = [f"file:{note}" for note in traced.ranks[-1].notes[:TOP]]
    seeds = [names[at] for at in np.argsort(-first, kind="stable")[: limit // 2].tolist() if first[at] > 0]
    wanted = dict.fromkeys([*(f"file:{note}" for note in sorted(gold)), *also, *top, *seeds])
    if spread.diffusion is not None:
        number_of = {f"file:{note.id}": graph.offset["file"] + row for row, note in enumerate(graph.notes)}
        matrix = spread.diffusion.transition
        for node in [node for node in wanted if node in number_of]:
            begin, end = matrix.indptr[number_of[node] : number_of[node] + 2]
            sources = matrix.indices[begin:end]
            brought = matrix.data[begin:end] * limit_x[sources]
            wanted |= dict.fromkeys(names[at] for at in sources[np.argsort(-brought, kind="stable")[:2]].tolist())
    weight = np.maximum(first, limit_x)
    heaviest = (names[at] for at in np.argsort(-weight, kind="stable")[:limit].tolist() if weight[at] > 0)
    return list(dict.fromkeys([*wanted, *heaviest]))[:limit]


def part_of(graph: nx.DiGraph, nodes: Sequence[str], factors: Mapping[str, float]) -> nx.DiGraph:
    """The drawn part of a case's graph, with the edges of those kinds only that the walk uses: a factor of 0 leaves them out."""
    part = graph.subgraph(nodes).copy()
    part.remove_edges_from([(a, b) for a, b, kind in part.edges(data="kind") if not factors[kind]])
    return part


def mass_of(traced: SpreadTrace, iteration: int, nodes: Iterable[str]) -> dict[str, float]:
    """The mass of some nodes after a step."""
    x, numbers = traced.steps[iteration].x, _numbers(traced)
    return {node: float(x[numbers[node]]) for node in nodes}


def _numbers(traced: SpreadTrace) -> dict[str, int]:
    return {node: at for at, node in enumerate(traced.spread.graph.node_ids)}


def masses_of(traced: SpreadTrace, iterations: Iterable[int], nodes: Sequence[str]) -> list[dict[str, float]]:
    """The mass of some nodes after each of some steps."""
    numbers = _numbers(traced)
    places = [numbers[node] for node in nodes]
    return [dict(zip(nodes, traced.steps[at].x[places].tolist(), strict=True)) for at in iterations]


def unit_radius(traced: SpreadTrace, nodes: Sequence[str]) -> float:
    """The radius of a mass of 1 with which the largest disc of all steps has LARGEST_RADIUS: the scale stands still too."""
    numbers = _numbers(traced)
    places = [numbers[node] for node in nodes]
    largest = max((float(step.x[places].max(initial=0.0)) for step in traced.steps), default=0.0)
    return round((LARGEST_RADIUS - 2) / math.sqrt(largest), 2) if largest > 0 else LARGEST_RADIUS


def frames(last: int, keep: Iterable[int] = (), most: int = FRAMES) -> tuple[int, ...]:
    """The iterations to send, rising: 0, ``last`` and those to keep, all early ones, and later ones at equal distances.

    Examples
    --------
    >>> frames(3)
    (0, 1, 2, 3)
    >>> frames(100, keep=[50], most=9)
    (0, 1, 2, 3, 4, 5, 50, 52, 100)
    """
    if last < most:
        return tuple(range(last + 1))
    chosen = {0, last, *(at for at in keep if 0 <= at <= last)}
    early = min(EARLY, 2 * most // 3)
    chosen |= set(range(early))
    spaced = np.linspace(early - 1, last, max(most - len(chosen), 0) + 2)[1:-1]
    return tuple(sorted(chosen | {round(at) for at in spaced.tolist()}))


def line_of(traced: SpreadTrace, iteration: int, gold: Collection[str], shown_mass: float) -> str:
    """What is said of a step: where gold stands, and how much of the mass can't be seen."""
    at = traced.ranks[iteration]
    hidden = max(0.0, 1 - shown_mass) if traced.steps[iteration].x.any() else 0.0
    words = [f"{hidden:.1%} of the mass is on hidden nodes"]
    if gold:
        rank = at.first_of(gold)
        words.insert(0, f"gold at rank {rank} of {len(at.notes)}" if rank else f"gold is not among the {len(at.notes)} ranked")
    return " · ".join(words)


# --- the table --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NodeRow:
    """A node at a step: its mass now and in the end, and for a note its rank now and by the seeds alone."""

    node: str
    mass: float
    end: float
    rank: int | None
    is_tied: bool
    by_seeds: int | None


def node_rows(traced: SpreadTrace, iteration: int, nodes: Iterable[str]) -> list[NodeRow]:
    """Every ranked note in rank order, then the other given nodes by mass."""
    now, seeds = traced.ranks[iteration], traced.ranks[0]
    rank = {f"file:{note}": at for at, note in enumerate(now.notes, 1)}
    was = {f"file:{note}": at for at, note in enumerate(seeds.notes, 1)}
    block = {f"file:{note}": number for note, number in zip(now.notes, now.blocks, strict=True)}
    counts = np.bincount(now.blocks or [0])
    others = [node for node in nodes if node not in rank]
    listed = [*rank, *others]
    mass, end = mass_of(traced, iteration, listed), mass_of(traced, -1, listed)
    others.sort(key=lambda node: (-mass[node], node))
    return [
        NodeRow(node, mass[node], end[node], rank.get(node), node in block and bool(counts[block[node]] > 1), was.get(node))
        for node in [*rank, *others]
    ]


def move(before: int | None, after: int | None) -> str:
    """How a rank changed, as people read it.

    Examples
    --------
    >>> move(6, 5), move(2, 4), move(3, 3), move(None, 7), move(7, None), move(None, None)
    ('▲ 1', '▼ 2', '=', 'new', 'out', '')
    """
    if before is None or after is None:
        return "new" if after is not None else "out" if before is not None else ""
    return "=" if before == after else f"▲ {before - after}" if after < before else f"▼ {after - before}"


@dataclass(frozen=True)
class MoveRow:
    """A note's ranks in the unchanged and in the changed run."""

    note_id: str
    before: int | None
    after: int | None
    is_gold: bool


def move_rows(compared: WhatIf, gold: Collection[str], top: int = TOP) -> list[MoveRow]:
    """The first notes of either run, and gold wherever it stands, in the order of the changed run."""
    return [
        MoveRow(each.note_id, each.before, each.after, each.note_id in gold)
        for each in compared.moves
        if (each.after or top + 1) <= top or (each.before or top + 1) <= top or each.note_id in gold
    ]


# --- the equation of a step -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """What one neighbour passes on: its mass before the step, times the share of it that goes to the node."""

    source: str
    mass: float
    share: float

    @property
    def value(self) -> float:
        return self.mass * self.share


@dataclass(frozen=True)
class Equation:
    """One node's value after a step, with the numbers it was made from.

    x_k(v) = alpha * (sum of x_(k-1)(u) * share(u to v) + lost * s(v)) + (1 - alpha) * s(v), where ``lost`` is the mass that
    stood on nodes without edges, and s the seeds. Step 0 is s itself (TAGGRAPH 3.3.4; the rule for lost mass is ours).
    """

    node: str
    iteration: int
    alpha: float
    terms: tuple[Term, ...]
    lost: float
    seed: float
    value: float

    @property
    def arrived(self) -> float:
        """What all neighbours passed on."""
        return sum(term.value for term in self.terms)

    @property
    def total(self) -> float:
        """The right-hand side."""
        if self.iteration == 0:
            return self.seed
        return self.alpha * (self.arrived + self.lost * self.seed) + (1 - self.alpha) * self.seed


def equation(traced: SpreadTrace, node: str, iteration: int) -> Equation:
    """The equation of a step for one node; neighbours without mass are left out, the largest term comes first.

    Raises
    ------
    KeyError
        If the graph has no such node.
    """
    spread, step = traced.spread, traced.steps[iteration]
    numbers = _numbers(traced)
    if node not in numbers:
        raise KeyError(f"the graph has no node {node!r}")
    at = numbers[node]
    terms: list[Term] = []
    if iteration > 0 and spread.diffusion is not None:
        matrix, before = spread.diffusion.transition, traced.steps[iteration - 1].x
        begin, end = matrix.indptr[at : at + 2]
        names = spread.graph.node_ids
        pairs = zip(matrix.indices[begin:end].tolist(), matrix.data[begin:end].tolist(), strict=True)
        terms = [Term(names[source], float(before[source]), share) for source, share in pairs if before[source] > 0]
        terms.sort(key=lambda term: (-term.value, term.source))
    seed = float(spread.seeds.mass[at])
    return Equation(node, iteration, traced.trace_alpha, tuple(terms), step.dangling, seed, float(step.x[at]))
