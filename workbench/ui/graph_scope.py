"""Which part of a case's graph is drawn, and how much of it is not: never more than can be read, never cut in silence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import networkx as nx

from workbench.records import CATEGORIES

KINDS = ("ontology", "tag", "topic", "file")
WALKED = frozenset({"tag_topic", "topic_file", "similarity", "ontology", "instance"})
"""Edges that count as a step. Time order does not: it would join every note to every other (our choice)."""
MAX_NODES = 300


@dataclass(frozen=True, slots=True)
class Scope:
    """The drawn part of a graph.

    ``hidden`` maps a reason to how many nodes it keeps out of sight; each node has one reason, and shown plus hidden is the whole
    graph. ``centres`` are the nodes that distances were counted from.
    """

    graph: nx.DiGraph
    hidden: Mapping[str, int]
    centres: tuple[str, ...]


def ego_view(
    graph: nx.DiGraph,
    centres: Iterable[str],
    hops: int | None,
    limit: int = MAX_NODES,
    kinds: Collection[str] = KINDS,
    categories: Collection[str] = CATEGORIES,
    search: str = "",
    within: Collection[str] | None = None,
    keep: Collection[str] = (),
) -> Scope:
    """The surroundings of some nodes, the nearest first.

    Parameters
    ----------
    graph : nx.DiGraph
        A case's graph with node attributes ``kind``, ``label`` and, for tags, ``categories``.
    centres : iterable of node ids
        What to draw around; ids that the graph has not are left out. None at all: the whole graph.
    hops : int or None
        How many edges away a node may be; None for any number. Edges in time order don't count.
    limit : int
        Most nodes drawn. Among nodes equally far away, those with more edges to nearer nodes come first, then by id.
    kinds, categories : collections of str
        Kinds of node, and 5W categories of tags, that are switched on. A tag in several categories needs one of them.
    search : str
        Words that a label contains; the nodes found replace the centres.
    within : collection of node ids, optional
        If given, all other nodes are hidden as ``not on a path``.
    keep : collection of node ids
        Nodes that are drawn at any distance, such as a question's gold: they compete for the limit as if they were centres.

    Raises
    ------
    ValueError
        For a negative ``hops``, a ``limit`` below 1, or a kind or category that does not exist.
    """
    if (hops is not None and hops < 0) or limit < 1:
        raise ValueError(f"hops {hops} must be at least 0 and limit {limit} at least 1")
    for given, known, word in ((kinds, KINDS, "kind"), (categories, CATEGORIES, "category")):
        if unknown := sorted(set(given) - set(known)):
            raise ValueError(f"no {word} {unknown[0]!r}; known: {', '.join(known)}")
    start = find(graph, search) if search.strip() else sorted({node for node in centres if node in graph})
    distance = _distances(graph, start) if start or search.strip() else dict.fromkeys(graph, 0)
    distance |= {node: 0 for node in keep if node in graph}
    below = _prefixes_of_tags(graph, categories)
    hidden: dict[str, int] = {}
    reach: list[str] = []
    for node, data in graph.nodes(data=True):
        reason = ""
        if within is not None and node not in within:
            reason = "not on a path"
        elif data["kind"] not in kinds:
            reason = "kind switched off"
        elif not _has_category(node, data, categories, below):
            reason = "category switched off"
        elif node not in distance:
            reason = "not connected"
        elif hops is not None and distance[node] > hops:
            reason = f"more than {hops} {'step' if hops == 1 else 'steps'} away"
        if reason:
            hidden[reason] = hidden.get(reason, 0) + 1
        else:
            reach.append(node)
    if len(reach) > limit:
        support = {node: sum(distance.get(n, 1 << 30) < distance[node] for n in nx.all_neighbors(graph, node)) for node in reach}
        reach.sort(key=lambda node: (distance[node], -support[node], -graph.degree(node), node))
        hidden[f"over the limit of {limit}"] = len(reach) - limit
    return Scope(graph.subgraph(reach[:limit]).copy(), hidden, tuple(start))


def find(graph: nx.DiGraph, search: str) -> list[str]:
    """Ids of the nodes whose label contains every word of ``search``, whatever the case; none for a blank search."""
    words = search.casefold().split()
    return sorted(n for n, label in graph.nodes(data="label") if words and all(word in str(label).casefold() for word in words))


def paths_between(graph: nx.DiGraph, sources: Iterable[str], targets: Iterable[str], slack: int = 0) -> set[str]:
    """Every node on a path from any source to any target that is at most ``slack`` edges longer than that target's shortest.

    Empty where no target can be reached. Edges are walked both ways; edges in time order are not walked.
    """
    near = _distances(graph, [node for node in sources if node in graph])
    found: set[str] = set()
    for target in targets:
        if target not in near:
            continue
        back = _distances(graph, [target])
        found |= {node for node, steps in back.items() if node in near and near[node] + steps <= near[target] + slack}
    return found


def _distances(graph: nx.DiGraph, start: Iterable[str]) -> dict[str, int]:
    """Steps from the nearest of ``start``, along WALKED edges in both directions; nodes out of reach are left out."""
    distance = dict.fromkeys(start, 0)
    frontier = list(distance)
    while frontier:
        reached: list[str] = []
        for node in frontier:
            for near, data in (*graph.succ[node].items(), *graph.pred[node].items()):
                if near not in distance and data["kind"] in WALKED:
                    distance[near] = distance[node] + 1
                    reached.append(near)
        frontier = reached
    return distance


def _prefixes_of_tags(graph: nx.DiGraph, categories: Collection[str]) -> set[str]:
    """Every path that is a tag of a category that is switched on, or a beginning of one."""
    prefixes: set[str] = set()
    for node, data in graph.nodes(data=True):
        if data["kind"] == "tag" and set(data.get("categories", ())) & set(categories):
            parts = node.removeprefix("tag:").split("/")
            prefixes |= {"/".join(parts[:i]) for i in range(1, len(parts) + 1)}
    return prefixes


def _has_category(node: str, data: Mapping[str, object], categories: Collection[str], below: Collection[str]) -> bool:
    """Tags by their categories, ontology nodes by those of the tags below them; topics and files always."""
    if len(categories) == len(CATEGORIES) or data["kind"] not in ("tag", "ontology"):
        return True
    return node.partition(":")[2] in below
