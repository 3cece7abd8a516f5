"""Vanilla Memory Graph: triples without time, confidence and intent, where a new value deletes the old one (5.9; ours).

The paper compares with a baseline of this name and says no more of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from workbench.real.facts import Fact
from workbench.real.graph import FactGraph
from workbench.real.intervals import Edge
from workbench.real.relations import Relations

HOPS = 2
EDGES = 20


def overwritten(facts: Iterable[Fact], registry: Relations) -> list[Edge]:
    """The triples that are left when facts are written in the order of speaking, each over what it contradicts.

    A single-valued relation keeps its latest value; a retraction deletes its triple; equal triples are one with all sources.
    """
    kept: dict[tuple[str, str, str], tuple[Fact, ...]] = {}
    current: dict[tuple[str, str], tuple[str, str, str]] = {}
    for fact in sorted(facts, key=lambda fact: (fact.recorded, fact.id)):
        triple = fact.triple
        if fact.act == "retraction":
            kept.pop(triple, None)
            continue
        if registry[fact.relation].is_single:
            old = current.get(triple[:2])
            if old is not None and old != triple:
                kept.pop(old, None)
            current[triple[:2]] = triple
        kept[triple] = (*kept.get(triple, ()), fact)
    return [
        Edge(*triple, None, None, 1.0, "FACT", "state", "stable", tuple(replace(fact, start=None) for fact in said))
        for triple, said in sorted(kept.items())
    ]


def neighbourhood(graph: FactGraph, roots: Iterable[str], hops: int) -> tuple[dict[int, int], set[str]]:
    """Edges within some hops of the roots, either way, with their distance from 1; and the nodes that were visited."""
    distance: dict[int, int] = {}
    seen = set(roots)
    queue = deque((node, 0) for node in sorted(seen))
    while queue:
        node, at = queue.popleft()
        if at == hops:
            continue
        for number in (*graph.out.get(node, ()), *graph.into.get(node, ())):
            distance.setdefault(number, at + 1)
            edge = graph.edges[number]
            for other in (edge.head, edge.tail):
                if other not in seen:
                    seen.add(other)
                    queue.append((other, at + 1))
    return distance, seen
