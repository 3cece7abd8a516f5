"""Evidence as text for an answering model: paths with times and confidence, then each fact once by time (REAL C; 5.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.real.beam import Search
from workbench.real.intervals import Edge
from workbench.real.relations import readable


def interval_text(edge: Edge) -> str:
    """The days an edge holds, as ``2023-05-01..2024-02-10``; an open or unknown side stays empty."""
    start = f"{edge.start:%Y-%m-%d}" if edge.start else ""
    end = f"{edge.end:%Y-%m-%d}" if edge.end else ""
    return f"{start}..{end}"


def edge_text(edge: Edge) -> str:
    """An edge on one line, inferred ones marked with their rule."""
    mark = f", inferred ({edge.rule}: {edge.arithmetic})" if edge.rule else ""
    relation = readable(edge.relation, edge.preposition)
    head, tail = edge.names
    return f"{head} -[{relation}, {interval_text(edge)}, c={edge.confidence:.2f}, {edge.intent}{mark}]-> {tail}"


def path_text(edges: Iterable[Edge]) -> str:
    """Edges one after another, each node once."""
    first, *others = map(edge_text, edges)
    return " ".join([first, *(f"-{other.partition(' -')[2]}" for other in others)])


def context(found: Search) -> Iterator[str]:
    """Lines of the evidence: one a path with its score, then every fact once in the order of time."""
    edges: dict[Edge, None] = {}
    for number, one in enumerate(found.evidence, 1):
        yield f"P{number} (score {one.path.score.total:.2f}, {one.ending}): {path_text(one.path.edges)}"
        edges |= dict.fromkeys(one.path.edges)
    stored = [edge for edge in edges if not edge.rule]
    if stored:
        yield "Facts by time:"
    for edge in sorted(stored, key=lambda edge: edge.facts[0].key):
        yield f"- {edge_text(edge)}"
