"""Counterfactual rules: edges that follow from stored ones, never stored themselves (REAL, Methodology B; factors ours, 5.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from workbench.real.config import SearchConfig
from workbench.real.graph import FactGraph
from workbench.real.intervals import Edge
from workbench.real.question import Asked, Root
from workbench.real.relations import Relations

RULES = ("symmetry", "inverse", "inverse reading", "hyponymy", "succession")
Admits = Callable[[Edge], bool]
"""Whether the filters let an edge of the root's intent through."""


@dataclass(frozen=True, slots=True)
class Inference:
    """What the rules gave for one root: the edges, best first by confidence, and how many each rule proposed below the bound."""

    root: str
    derived: tuple[Edge, ...]
    too_weak: tuple[Edge, ...]
    tried: tuple[str, ...] = RULES

    @property
    def remark(self) -> str:
        """One line for people."""
        if self.derived:
            return f"{self.root}: {', '.join(dict.fromkeys(edge.rule for edge in self.derived))} applied"
        return f"{self.root}: rules tried ({', '.join(self.tried)}), nothing applied"


def infer(
    root: Root, graph: FactGraph, registry: Relations, asked: Asked, config: SearchConfig, admits: Admits, width: int
) -> Inference:
    """All edges out of a root that one rule derives, kept apart by whether they reach the stable confidence.

    ``admits`` is asked of every premise but a succession's, whose whole point is that it is over. At most ``width`` edges into
    the root are read backwards: the surest, then the newest.
    """
    found = list(
        chain(
            _backwards(root, graph, registry, config, admits, width),
            _wider(root, graph, registry, config, admits),
            _last_known(root, graph, registry, asked, config) if config.intervals and root.intent == "FACT" else (),
        )
    )
    bound = config.theta_stable if config.confidence else 0.0
    found.sort(key=lambda edge: (-edge.confidence, edge.id))
    derived = tuple(edge for edge in found if round(edge.confidence, 12) >= bound)
    return Inference(root.node, derived, tuple(edge for edge in found if edge not in derived))


def _derived(
    triple: tuple[str, str, str], premises: Sequence[Edge], rule: str, gamma: float, arithmetic: str, of: Edge | None = None
) -> Edge:
    least = min(edge.confidence for edge in premises)
    first = of or premises[0]
    facts = tuple(dict.fromkeys(fact for edge in premises for fact in edge.facts))
    starts = [edge.start for edge in premises if edge.start is not None]
    ends = [edge.end for edge in premises if edge.end is not None]
    return Edge(
        *triple,
        max(starts) if starts else None,
        min(ends) if ends else None,
        gamma * least,
        first.intent,
        first.aspect,
        "derived",
        facts,
        None,
        rule,
        tuple(premises),
        f"{arithmetic} x {least:.2f} = {gamma * least:.3f}",
    )


def _backwards(
    root: Root, graph: FactGraph, registry: Relations, config: SearchConfig, admits: Admits, width: int
) -> Iterator[Edge]:
    """Edges into the root: by symmetry, by a registered inverse, else as an inverse reading (R8)."""
    into = [graph.edges[at] for at in graph.into.get(root.node, ()) if admits(graph.edges[at])]
    into.sort(key=lambda edge: (-edge.confidence, -edge.facts[0].key[0].toordinal(), edge.id))
    for edge in into[:width]:
        relation = registry[edge.relation]
        if relation.symmetric:
            name, rule, gamma = edge.relation, "symmetry", config.gamma_symmetry
        elif relation.inverse:
            name, rule, gamma = relation.inverse, "inverse", config.gamma_symmetry
        else:
            name, rule, gamma = f"inverse of {edge.relation}", "inverse reading", config.gamma_inverse
        yield _derived((edge.tail, name, edge.head), [edge], rule, gamma, f"{gamma:.2f}")


def _wider(root: Root, graph: FactGraph, registry: Relations, config: SearchConfig, admits: Admits) -> Iterator[Edge]:
    """(h, r, t) and t is_a t2, or r transitive and (t, r, t2): (h, r, t2), over two steps at most."""
    for at in graph.out.get(root.node, ()):
        edge = graph.edges[at]
        if not admits(edge):
            continue
        for first in _kinds(edge, edge.tail, graph, registry, admits):
            gamma = config.gamma_hyponymy
            yield _derived((edge.head, edge.relation, first.tail), [edge, first], "hyponymy", gamma, f"{gamma:.2f}")
            for second in _kinds(edge, first.tail, graph, registry, admits):
                if second.tail not in (edge.tail, edge.head):
                    premises = [edge, first, second]
                    triple = (edge.head, edge.relation, second.tail)
                    yield _derived(triple, premises, "hyponymy", gamma**2, f"{gamma:.2f} x {gamma:.2f}")


def _kinds(edge: Edge, node: str, graph: FactGraph, registry: Relations, admits: Admits) -> Iterable[Edge]:
    for at in graph.out.get(node, ()):
        link = graph.edges[at]
        climbs = link.relation == "is_a" or (link.relation == edge.relation and registry[edge.relation].transitive)
        if climbs and link.tail != edge.head and admits(link):
            yield link


def _last_known(root: Root, graph: FactGraph, registry: Relations, asked: Asked, config: SearchConfig) -> Iterator[Edge]:
    """Of every single-valued relation without a value at the moment asked about, the version that ended last before it."""
    moment = asked.time
    if moment is None or asked.period is not None:
        return
    versions: dict[str, list[Edge]] = {}
    for at in graph.out.get(root.node, ()):
        edge = graph.edges[at]
        if registry[edge.relation].is_single and edge.status == "stable":
            versions.setdefault(edge.relation, []).append(edge)
    for relation, edges in versions.items():
        now = [edge for edge in edges if (edge.start is None or edge.start <= moment) and (not edge.end or moment < edge.end)]
        ended = [(edge.end, edge) for edge in edges if edge.end is not None and edge.end <= moment]
        if now or not ended:
            continue
        end, last = max(ended, key=lambda item: (item[0], item[1].facts[0].key))
        gamma, said = config.gamma_succession, f"{config.gamma_succession:.2f}"
        if config.succession_half_life is not None:
            days = (moment - end).days
            gamma *= 0.5 ** (days / config.succession_half_life)
            said += f" x 0.5^({days}/{config.succession_half_life:g})"
        yield _derived((last.head, relation, last.tail), [last], "succession", gamma, said)
