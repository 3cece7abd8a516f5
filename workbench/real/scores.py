"""Scores of a path: query relevance, logical coherence, answer sufficiency (REAL, Methodology B; the formulas are ours, 5.5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from workbench.real.config import SearchConfig
from workbench.real.graph import FactGraph
from workbench.real.intents import compatibility
from workbench.real.intervals import Edge
from workbench.real.question import Asked, Slot
from workbench.real.relations import Relations

OUT_OF_ORDER = 0.5
"""Time term of two edges of which the later one starts first and that do not overlap (ours)."""
FLOOR = 0.2
CONFIDENCE_POWER = 0.5


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """S_AS with its grounds: slots that the path holds and lacks, and whether the kind of answer fits (None: unknown)."""

    value: float
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    type_fits: bool | None = None


@dataclass(frozen=True, slots=True)
class PathScore:
    """The parts of a path's score and the score, each in [0, 1]; ``gain`` is that without S_LC, by which growth is judged."""

    relevance: float
    coherence: float
    sufficiency: Sufficiency
    confidence: float
    total: float
    gain: float


Judge = Callable[[Asked, Sequence[Edge]], Sufficiency]
"""Another evaluator of answer sufficiency, such as a language model's judgement."""


@dataclass(frozen=True)
class Scorer:
    """Scores paths for one question.

    Attributes
    ----------
    near : callable
        Nearness s(q, e) of an edge, in [0, 1].
    judge : callable, optional
        In place of the deterministic evaluator.
    """

    graph: FactGraph
    asked: Asked
    registry: Relations
    config: SearchConfig
    near: Callable[[Edge], float]
    judge: Judge | None = None

    def score(self, path: Sequence[Edge]) -> PathScore:
        """S(p) = (w_QR S_QR + w_LC S_LC + w_AS S_AS) / (sum of weights) * min c^0.5 (5.5; without evaluator S_QR alone)."""
        config = self.config
        near = [self.near(edge) for edge in path]
        relevance = 0.5 * max(near) + 0.5 * sum(near) / len(near)
        confidence = min(edge.confidence for edge in path) ** CONFIDENCE_POWER if config.confidence else 1.0
        if not config.evaluator:
            value = relevance * confidence
            return PathScore(relevance, 1.0, Sufficiency(0.0), confidence, value, value)
        coherence = self.coherence(path)
        sufficiency = self.judge(self.asked, path) if self.judge else self.sufficiency(path)
        weights = config.weight_relevance, config.weight_coherence, config.weight_sufficiency
        part = weights[0] * relevance + weights[2] * sufficiency.value
        total = (part + weights[1] * coherence) / (sum(weights) or 1.0)
        gain = part / (weights[0] + weights[2] or 1.0)
        return PathScore(relevance, coherence, sufficiency, confidence, total * confidence, gain * confidence)

    def coherence(self, path: Sequence[Edge]) -> float:
        """S_LC: geometric mean over adjacent edges of time term times intent term; 1 for a single edge."""
        if len(path) < 2:
            return 1.0
        terms = [self._in_time(one, other) * self._in_intent(one, other) for one, other in pairwise(path)]
        return math.prod(terms) ** (1 / len(terms))

    def _in_time(self, one: Edge, other: Edge) -> float:
        if not self.config.intervals or one.start is None or other.start is None or one.start <= other.start:
            return 1.0
        overlap = (other.end is None or other.end > one.start) and (one.end is None or one.end > other.start)
        return 1.0 if overlap else OUT_OF_ORDER

    def _in_intent(self, one: Edge, other: Edge) -> float:
        return max(FLOOR, compatibility(one.intent, other.intent)) if self.config.intents else 1.0

    def sufficiency(self, path: Sequence[Edge]) -> Sufficiency:
        """S_AS: half the share of slots that the path holds, half whether it ends in the expected kind of thing.

        Where either kind is unknown, the share of slots alone (R10). "When" is answered by a stated time only.
        """
        words = frozenset[str]().union(*(self._stems(edge) for edge in path))
        found = [slot.name for slot in self.asked.slots if self._holds(path, words, slot)]
        missing = tuple(slot.name for slot in self.asked.slots if slot.name not in found)
        coverage = len(found) / len(self.asked.slots) if self.asked.slots else 0.0
        fits = self._type_fits(path)
        value = coverage if fits is None else 0.5 * coverage + 0.5 * fits
        return Sufficiency(value, tuple(found), missing, fits)

    def _stems(self, edge: Edge) -> frozenset[str]:
        at = self.graph.row.get(edge)
        return self.graph.edge_stems[at] if at is not None else self.graph.stems_of(edge)

    def _holds(self, path: Sequence[Edge], words: frozenset[str], slot: Slot) -> bool:
        if slot.kind == "root":
            return any(slot.name in (edge.head, edge.tail) for edge in path)
        if slot.kind == "time":
            period = self.asked.period
            return period is not None and any(edge.is_stated and period.overlaps(edge.start, edge.end) for edge in path)
        if slot.name in words:
            return True
        names = (edge.premises[0].relation if edge.rule else edge.relation for edge in path)
        return bool(slot.relations) and any(slot.relations & self.registry.kinds(name) for name in names)

    def _type_fits(self, path: Sequence[Edge]) -> bool | None:
        expected = self.asked.expected
        if not expected:
            return None
        if "date" in expected:
            return any(edge.is_stated for edge in path) if self.config.intervals else None
        last = path[-1]
        backwards = last.rule in ("symmetry", "inverse", "inverse reading")
        kind = self._head_type(last) if backwards else last.tail_type
        return kind in expected if kind else None

    def _head_type(self, edge: Edge) -> str:
        """The kind of the node that an edge read backwards ends in: a person where it is one of those who speak."""
        speakers = {name.casefold() for name in self.graph.participants} | {"user"}
        if edge.tail in speakers:
            return "person"
        relation = self.registry[edge.premises[0].relation]
        return relation.range if relation.symmetric else ""
