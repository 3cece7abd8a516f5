"""The online phase: everything that happens between a question and its evidence, as one record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.ariadne.base_graph import Edge, base_graph, components_of
from workbench.ariadne.bridges import BridgeStep, find_bridges, next_dense_hits
from workbench.ariadne.budget import Budget, spend
from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.construction import Link
from workbench.ariadne.fast_path import fast_path
from workbench.ariadne.index import Index, index_of
from workbench.ariadne.paths import Path, Paths, mine
from workbench.ariadne.serialise import Context, serialise
from workbench.ariadne.terminals import Legs, Member, followed, legs, terminals, updates_among
from workbench.ariadne.thresholds import is_calibrated
from workbench.embed.base import embedder
from workbench.memory import Memory

NO_PATHS = Paths((), 0, True)


@dataclass(frozen=True)
class QueryTrace:
    """A query step by step.

    Attributes
    ----------
    legs : Legs
        Scores of all nodes, and the persons that weigh them.
    is_fast : bool
        Whether the fast path answered, so that only its chain was searched.
    terminals : mapping
        Nodes of both legs, best first; ``members`` are these with newest states and bridges.
    components : tuple of tuple
        Of the base graph, before any bridge.
    bridges : tuple of BridgeStep
        Every pair that was looked at; ``control`` holds as many further hits of the dense leg as there are bridges.
    paths, budget, updates, context
        What was mined, what was kept and cut, the updates among what was kept, and the evidence as text.
    """

    text: str
    index: Index
    legs: Legs
    is_fast: bool
    terminals: Mapping[int, Member]
    members: Mapping[int, Member]
    edges: tuple[Edge, ...]
    components: tuple[tuple[int, ...], ...]
    bridges: tuple[BridgeStep, ...]
    control: tuple[int, ...]
    paths: Paths
    budget: Budget
    updates: tuple[Link, ...]
    context: Context
    remarks: tuple[str, ...]

    def path_of(self, node: int) -> Path | None:
        """The first path through a node whose nodes were all kept; None where there is none."""
        kept = set(self.budget.kept)
        return next((path for path in self.paths.found if node in path.nodes and kept.issuperset(path.nodes)), None)


def ask(text: str, memory: Memory, config: AriadneConfig) -> QueryTrace:
    """Work a query out over a memory.

    Parameters
    ----------
    text : str
        Holds a word.
    memory : Memory
    config : AriadneConfig

    Raises
    ------
    MissingPart
        If a model's entries are wanted that were not made beforehand.
    """
    index = index_of(memory, config)
    asked = memory.vectors.of(embedder(config.embeddings), [text])[0].astype(np.float64)
    found = legs(text, asked, index, config)
    only = fast_path(text, index) if config.fast_path else None
    first = terminals(found, config, only)
    members = followed(first, index) if config.follow_updates else dict(first)
    edges = base_graph(members, index, config)
    parts = components_of(sorted(members), edges)
    components = parts.groups()
    steps: tuple[BridgeStep, ...] = ()
    bridges: dict[int, Member] = {}
    if config.bridges:
        steps, bridges = find_bridges(members, parts, index, memory, config)
    control = next_dense_hits(found, members, len(bridges))
    members |= bridges
    edges += _bridge_edges(bridges)
    paths = NO_PATHS
    if config.topology:
        paths = mine(edges, {node: each.relevance for node, each in members.items()}, index.hours, config)
    budget = spend(members, paths.found, config)
    kept = frozenset(budget.kept)
    updates = updates_among(kept, index) if config.topology else ()
    context = serialise(index.nodes, budget.kept, _shown(paths, kept, config.context_paths), updates)
    return QueryTrace(
        text,
        index,
        found,
        only is not None,
        first,
        members,
        edges,
        components,
        steps,
        control,
        paths,
        budget,
        updates,
        context,
        _remarks(found, only is not None, paths, config),
    )


def _bridge_edges(bridges: Mapping[int, Member]) -> tuple[Edge, ...]:
    pairs = [(end, node) for node, each in bridges.items() if each.ends for end in each.ends]
    return tuple(Edge(min(pair), max(pair), ("bridge",)) for pair in pairs)


def _shown(paths: Paths, kept: frozenset[int], count: int) -> tuple[Path, ...]:
    """The first paths among kept nodes that are no part of one shown before."""
    shown: list[Path] = []
    for path in paths.found:
        if len(shown) == count:
            break
        if kept.issuperset(path.nodes) and not any(set(path.nodes) <= set(other.nodes) for other in shown):
            shown.append(path)
    return tuple(shown)


def _remarks(found: Legs, is_fast: bool, paths: Paths, config: AriadneConfig) -> tuple[str, ...]:
    remarks = []
    if found.persons:
        remarks.append(f"entries without {', '.join(found.persons)} count {config.align_factor:g}")
    if is_fast:
        remarks.append("answered by the fast path: only a chain of updates was searched")
    if not paths.is_exact:
        remarks.append(
            f"{paths.count:,} paths are more than {config.path_limit:,}: only the best {len(paths.found):,} were looked at"
        )
    if not is_calibrated(embedder(config.embeddings).name) and None in (config.gate_similarity, config.coarsen_similarity):
        remarks.append(f"similarity bounds are MiniLM's: {config.embeddings} has none of its own")
    return tuple(remarks)
