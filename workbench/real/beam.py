"""Hybrid beam search guided by the evaluator, kept step by step (REAL, Methodology B; 5.6 with the check's R6 to R13).

The first beams are single edges out of the roots. In every step each beam stops, is expanded, or ends; where a root finds too
little, counterfactual rules are tried; then all candidates of all roots are pruned to the beam width.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from workbench.real.config import SearchConfig
from workbench.real.counterfactual import Inference, infer
from workbench.real.graph import FactGraph, Floats, ranked
from workbench.real.intents import Intent, compatibility
from workbench.real.intervals import Edge
from workbench.real.question import Asked, Root
from workbench.real.relations import Relations
from workbench.real.scores import Judge, PathScore, Scorer

COMPATIBLE = 0.5
"""Intent compatibility from which an edge passes the filter (5.4)."""
SEEDS = 3
"""Nearest edges that a search starts from where the question names no node (5.6)."""
DIGITS = 12
Filter = Literal["interval", "confidence", "intent"]
Decision = Literal["stop", "expand", "counterfactual"]
Ending = Literal["sufficient", "no gain", "dead end", "depth"]


@dataclass(frozen=True, eq=False)
class Path:
    """Edges from a root onwards, with their scores. ``nodes`` are those it runs through, the root first."""

    root: Root
    edges: tuple[Edge, ...]
    score: PathScore

    @property
    def nodes(self) -> tuple[str, ...]:
        return (self.edges[0].head, *(edge.tail for edge in self.edges))

    @property
    def key(self) -> tuple[float, tuple[float, ...], tuple[str, ...]]:
        """The total order of paths: score, then newer edges, then ids."""
        starts = tuple(-float(edge.facts[0].key[0].toordinal()) for edge in self.edges)
        return -round(self.score.total, DIGITS), starts, tuple(edge.id for edge in self.edges)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a step decided about a beam, and why; ``ending`` where it went to the evidence."""

    path: Path
    decision: Decision
    reason: str
    ending: Ending | None = None


@dataclass(frozen=True)
class Step:
    """One round: the beams with their decisions, what rules gave, the candidates that were kept, and those that were pruned."""

    number: int
    judged: tuple[Judged, ...]
    inferences: tuple[Inference, ...]
    kept: tuple[Path, ...]
    pruned: tuple[Path, ...]


@dataclass
class Search:
    """A finished search.

    Attributes
    ----------
    evidence : list of Judged
        Paths that ended, best first.
    pruned : list of Path
        Paths that were found and cut by the beam width or the cap on evidence, and are part of no evidence.
    filtered : dict
        Edge to the first filter of the cascade that held it back: for every root that wanted it.
    visited : set of str
        Nodes on the beams that were looked at.
    near : dict
        Nearness s(q, e) of every edge on a path that was found.
    remarks : list of str
    """

    asked: Asked
    steps: list[Step] = field(default_factory=list)
    evidence: list[Judged] = field(default_factory=list)
    pruned: list[Path] = field(default_factory=list)
    filtered: dict[Edge, Filter] = field(default_factory=dict)
    visited: set[str] = field(default_factory=set)
    near: dict[Edge, float] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def inferences(self) -> list[Inference]:
        return [each for step in self.steps for each in step.inferences]

    @property
    def filter_counts(self) -> Counter[Filter]:
        """How many edges each filter held back."""
        return Counter(self.filtered.values())


def admitted(edge: Edge, intent: Intent, asked: Asked, config: SearchConfig) -> Filter | None:
    """The filter that holds an edge back: validity, then confidence, then intent; None where it passes all.

    TEMPORAL and EVOLUTION also see what is over. A stated period asks for overlap. An event is seen from its start on (R4).
    """
    if config.intervals and not _is_valid(edge, intent, asked):
        return "interval"
    if config.confidence and edge.confidence < config.theta_stable:
        return "confidence"
    if config.intents and compatibility(intent, edge.intent) < COMPATIBLE:
        return "intent"
    return None


def _is_valid(edge: Edge, intent: Intent, asked: Asked) -> bool:
    if asked.period is not None:
        return edge.status != "superseded" and asked.period.overlaps(edge.start, edge.end)
    if asked.time is None:  # documents without dates: there is no moment to compare with
        return edge.status != "superseded"
    if edge.start is not None and edge.start > asked.time:
        return False
    if intent in ("TEMPORAL", "EVOLUTION") or edge.aspect == "event":
        return True
    return edge.status != "superseded" and (edge.end is None or asked.time < edge.end)


def search(
    asked: Asked,
    graph: FactGraph,
    registry: Relations,
    config: SearchConfig,
    near: Floats,
    near_of: Callable[[Iterable[Edge]], dict[Edge, float]],
    judge: Judge | None = None,
) -> Search:
    """Search the graph for evidence.

    Parameters
    ----------
    near : (n_edges,) float
        Nearness s(q, e) of the stored edges, in [0, 1].
    near_of : callable
        Nearness of edges that rules derived.
    judge : callable, optional
        Another evaluator of answer sufficiency.
    """
    return _Beam(asked, graph, registry, config, near, near_of, judge).run()


class _Beam:
    def __init__(
        self,
        asked: Asked,
        graph: FactGraph,
        registry: Relations,
        config: SearchConfig,
        near: Floats,
        near_of: Callable[[Iterable[Edge]], dict[Edge, float]],
        judge: Judge | None,
    ) -> None:
        self.asked, self.graph, self.registry, self.config = asked, graph, registry, config
        self.near, self.near_of = near, near_of
        self.derived: dict[Edge, float] = {}
        self.scorer = Scorer(graph, asked, registry, config, self._near, judge)
        self.found = Search(asked)

    def _near(self, edge: Edge) -> float:
        at = self.graph.row.get(edge)
        return float(self.near[at]) if at is not None else self.derived[edge]

    def run(self) -> Search:
        found, config = self.found, self.config
        beams, pruned = self._pruned(self._first())
        inferences: tuple[Inference, ...] = ()
        if config.counterfactual:
            inferences, added = self._infer(beams)
            beams, more = self._pruned([*beams, *added])
            pruned = [*pruned, *more]
        found.steps.append(Step(0, (), inferences, tuple(beams), tuple(pruned)))
        found.pruned += pruned
        for number in range(1, config.depth + 1):
            found.visited |= {node for path in beams for node in path.nodes}
            judged = [self._judge(path, number) for path in beams]
            found.evidence += [one for one, _ in judged if one.ending]
            beams, pruned = self._pruned([path for _, grown in judged for path in grown])
            found.steps.append(Step(number, tuple(one for one, _ in judged), (), tuple(beams), tuple(pruned)))
            found.pruned += pruned
            if not beams:
                break
        self._cap()
        paths = (*(one.path for one in found.evidence), *found.pruned)
        found.near = {edge: self._near(edge) for path in paths for edge in path.edges}
        self._remark()
        return found

    def _first(self) -> list[Path]:
        """Single edges out of every root; without a root those of the nearest edges."""
        if self.asked.roots:
            return [path for root in self.asked.roots for path in self._out(root)]
        rows = [at for at in ranked(range(len(self.near)), self.near, self.graph)[:SEEDS] if self.near[at] > 0]
        found = []
        for at in rows:
            edge = self.graph.edges[at]
            root = Root(edge.head, self.asked.intent, self.asked.cue, ())
            if self._passes(edge, root.intent):
                found.append(Path(root, (edge,), self.scorer.score((edge,))))
        if rows:
            self.found.remarks.append(f"the question names no node: the search starts from the {len(rows)} nearest facts")
        return found

    def _out(self, root: Root) -> list[Path]:
        edges = [self.graph.edges[at] for at in self.graph.out.get(root.node, ())]
        return [Path(root, (edge,), self.scorer.score((edge,))) for edge in edges if self._passes(edge, root.intent)]

    def _passes(self, edge: Edge, intent: Intent) -> bool:
        held = admitted(edge, intent, self.asked, self.config)
        if held:
            self.found.filtered.setdefault(edge, held)
        return held is None

    def _infer(self, beams: list[Path]) -> tuple[tuple[Inference, ...], list[Path]]:
        """Rules for each root none of whose paths is sufficient enough (R13), and the paths of what they derive."""
        inferences, paths = [], []
        for root in self.asked.roots:
            best = max((path.score.sufficiency.value for path in beams if path.root is root), default=0.0)
            if best > self.config.too_little:
                continue

            def admits(edge: Edge, intent: Intent = root.intent) -> bool:
                return self._passes(edge, intent)

            one = infer(root, self.graph, self.registry, self.asked, self.config, admits, self.config.beam_width)
            self.derived |= self.near_of(one.derived)
            paths += [Path(root, (edge,), self.scorer.score((edge,))) for edge in one.derived]
            inferences.append(one)
        return tuple(inferences), paths

    def _judge(self, path: Path, number: int) -> tuple[Judged, list[Path]]:
        """Stop, expand, or end; a path is expanded by the edges that raise its score without S_LC (R12)."""
        config, own = self.config, path.score
        if config.evaluator and round(own.sufficiency.value, DIGITS) >= config.enough:
            return Judged(path, "stop", f"answer sufficiency {own.sufficiency.value:.2f}", "sufficient"), []
        if number == config.depth:
            return Judged(path, "stop", f"{number} edges", "depth"), []
        grown = self._extensions(path)
        better = [each for each in grown if round(each.score.gain, DIGITS) > round(own.gain, DIGITS)]
        if better:
            return Judged(path, "expand", f"{len(better)} of {len(grown)} edges on raise the score"), better
        if not grown:
            return Judged(path, "stop", "no edge leads on", "dead end"), []
        return Judged(path, "stop", f"none of {len(grown)} edges on raises the score", "no gain"), []

    def _extensions(self, path: Path) -> list[Path]:
        node = path.edges[-1].tail
        if self.graph.is_hub(node):
            return []
        found = []
        for at in self.graph.out.get(node, ()):
            edge = self.graph.edges[at]
            if edge.tail not in path.nodes and self._passes(edge, path.root.intent):
                edges = (*path.edges, edge)
                found.append(Path(path.root, edges, self.scorer.score(edges)))
        return found

    def _pruned(self, candidates: list[Path]) -> tuple[list[Path], list[Path]]:
        """The best paths over all roots, and the others."""
        ordered = sorted(candidates, key=lambda path: path.key)
        return ordered[: self.config.beam_width], ordered[self.config.beam_width :]

    def _cap(self) -> None:
        found = self.found
        found.evidence.sort(key=lambda one: one.path.key)
        over = found.evidence[self.config.evidence :]
        del found.evidence[self.config.evidence :]
        found.pruned = sorted([*found.pruned, *(one.path for one in over)], key=lambda path: path.key)

    def _remark(self) -> None:
        found = self.found
        for name, count in sorted(found.filter_counts.items()):
            found.remarks.append(f"{count:,} held back by {name}")
        found.remarks += [one.remark for one in found.inferences]
        if not found.evidence:
            found.remarks.append(
                "no fact leads from the question's nodes" if self.asked.roots else "no fact is near the question"
            )
