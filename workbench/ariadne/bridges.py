"""Bridges: entries between two components in time that connect them, found one by one (Eq. 9, a Kruskal-like Steiner tree)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from workbench.ariadne.base_graph import Components
from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.decisions import DECIMALS
from workbench.ariadne.index import Index
from workbench.ariadne.terminals import Legs, Member, first
from workbench.embed.base import embedder
from workbench.memory import Memory

Standing = Literal["usable", "outside the interval", "shares nothing with both ends"]


@dataclass(frozen=True)
class Candidate:
    """One of the nearest entries to a pair, and whether it may be the bridge."""

    node: int
    cosine: float
    standing: Standing


@dataclass(frozen=True)
class BridgeStep:
    """A pair of nodes in different components, and what was found between them.

    ``chosen`` is None where there is no bridge, and ``reason`` says why. ``components`` counts them before and after.
    """

    ends: tuple[int, int]
    gap_hours: float
    query: str
    candidates: tuple[Candidate, ...]
    chosen: int | None
    reason: str
    components: tuple[int, int]


def find_bridges(
    members: Mapping[int, Member], parts: Components, index: Index, memory: Memory, config: AriadneConfig
) -> tuple[tuple[BridgeStep, ...], dict[int, Member]]:
    """Try every pair of nodes in different components, least gap first; a bridge joins its components before the next pair.

    Parameters
    ----------
    members : mapping
        The nodes to be connected: a bridge is never one of them, and serves one pair only.
    parts : Components
        Their components in the base graph; bridges are joined to them.

    Returns
    -------
    steps, bridges
        Every pair within the gap that was looked at, and the members that were found.
    """
    steps, found = list[BridgeStep](), dict[int, Member]()
    for gap, one, other in _pairs(sorted(members), index, config):
        if parts.joined(one, other):
            continue
        before = parts.count
        query, candidates, reason = _candidates((one, other), {*members, *found}, index, memory, config)
        chosen = next((each.node for each in candidates if each.standing == "usable"), None)
        if chosen is not None:
            parts.join(one, chosen)
            parts.join(chosen, other)
            relevance = 0.5 * min(members[one].relevance, members[other].relevance)
            found[chosen] = Member(chosen, "bridge", relevance, ends=(one, other))
        steps.append(BridgeStep((one, other), gap, query, candidates, chosen, reason, (before, parts.count)))
    return tuple(steps), found


def _pairs(nodes: Sequence[int], index: Index, config: AriadneConfig) -> list[tuple[float, int, int]]:
    """Pairs whose gap is within the bounds, with it, least gap first."""
    pairs = ((float(abs(index.hours[other] - index.hours[one])), one, other) for one, other in combinations(nodes, 2))
    return sorted(pair for pair in pairs if config.bridge_least_hours <= pair[0] <= config.bridge_most_hours)


def _candidates(
    ends: tuple[int, int], taken: set[int], index: Index, memory: Memory, config: AriadneConfig
) -> tuple[str, tuple[Candidate, ...], str]:
    """The query of a pair, the nearest entries to it with their standing, and why none is usable (empty where one is)."""
    one, other = ends
    early, late = sorted((index.hours[one], index.hours[other]))
    if config.bridge_ends == "outside":
        inside = (index.hours > early) & (index.hours < late)
    else:
        inside = (index.hours >= early) & (index.hours <= late)
    free = np.ones(len(index.nodes), bool)
    free[list(taken)] = False
    if not (inside & free).any():
        return "", (), "nothing was said between the two"
    query = pair_query(ends, index)
    asked = memory.vectors.of(embedder(config.embeddings), [query])[0].astype(np.float64)
    near = np.where(free, index.vectors @ asked, -np.inf)
    order = np.lexsort((-np.arange(len(near)), -np.round(near, DECIMALS)))[: config.bridge_candidates]

    def standing(node: int) -> Standing:
        if not inside[node]:
            return "outside the interval"
        needs_both = config.bridge_evidence == "both_ends"
        return "usable" if not needs_both or (_shares(node, one, index) and _shares(node, other, index)) else _NOTHING_SHARED

    candidates = tuple(Candidate(int(node), float(near[node]), standing(int(node))) for node in order if free[node])
    usable = [each for each in candidates if each.standing == "usable"]
    reason = "" if usable else _none_because(candidates)
    return query, candidates, reason


_NOTHING_SHARED: Standing = "shares nothing with both ends"


def _none_because(candidates: Sequence[Candidate]) -> str:
    if all(each.standing == "outside the interval" for each in candidates):
        return "none of the nearest entries lies between the two"
    return "none of the nearest entries between the two shares an entity or keyword with both"


def _shares(node: int, end: int, index: Index) -> bool:
    return bool(index.ents[node] & index.ents[end] or index.keywords[node] & index.keywords[end])


def pair_query(ends: tuple[int, int], index: Index) -> str:
    """q_ij: entities and keywords of both ends, sorted, as one text."""
    said = frozenset[str]().union(*(index.nodes[end].entry.ent | index.nodes[end].entry.keywords for end in ends))
    return " ".join(sorted(each.replace("_", " ") for each in said))


def next_dense_hits(found: Legs, members: Mapping[int, Member], count: int) -> tuple[int, ...]:
    """The control for bridges: as many further hits of the dense leg."""
    return tuple([node for node in first(found.cosine, len(members) + count) if node not in members][:count])
