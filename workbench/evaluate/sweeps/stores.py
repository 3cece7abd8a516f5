"""Sweeps over the store that a question is asked of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from workbench.evaluate.reductions import Distractors, StoreSize
from workbench.evaluate.runs import MethodSpec, Reduction
from workbench.evaluate.sweeps.base import Options, Point, Sweep, at, sweeps

WHOLE = "all"
"""The point at which nothing is left out."""


@dataclass(frozen=True)
class StoreSweep(Sweep):
    """Reduced copies of every case, each point drawn once for every seed.

    ``reduce`` takes a point and a seed. At the point ``fixed`` nothing is drawn, so that one seed says it all.
    """

    reduce: Callable[[int, int], Reduction]
    fixed: Point = WHOLE

    samples: ClassVar[bool] = True

    def arms(self, options: Options) -> list[MethodSpec]:
        """Every method on every copy."""
        chosen = [options.arm(label) for label in options.methods or self.methods]
        points = [_count(point) for point in options.points or self.points]
        return [arm for point in points for arm in self._at(point, chosen, options.seeds)]

    def _at(self, point: Point, chosen: Sequence[MethodSpec], seeds: int) -> list[MethodSpec]:
        if isinstance(point, str):
            return [at(spec, self.name, point) for spec in chosen]
        drawn = range(1, 2 if point == self.fixed else seeds + 1)
        return [
            at(replace(spec, reduction=self.reduce(int(point), seed)), self.name, point, seed)
            for seed in drawn
            for spec in chosen
        ]


def _count(text: Point) -> Point:
    if text == WHOLE:
        return WHOLE
    if not str(text).isdigit():
        raise ValueError(f"point {text!r} is neither a whole number nor {WHOLE!r}")
    return int(text)


_ADAPTIVE = ("adaptive", "adaptive - diffusion")

_SWEEPS = (
    StoreSweep(
        "distractors",
        "Gold sessions plus a number of sampled other sessions: when diffusion helps, with and without file seeding.",
        "distractor sessions",
        "linear",
        (0, 3, 8, 18, 36),
        "TAGGRAPH 6.1; several seeds are ours",
        (*_ADAPTIVE, "adaptive - file_seeding", "adaptive - diffusion - file_seeding"),
        Distractors,
        fixed=0,
    ),
    StoreSweep(
        "store_size",
        "Gold notes plus sampled other notes, down to the size of a short story's store, which the paper did not reach.",
        "notes in the store",
        "log",
        (8, 16, 32, 64, 128, WHOLE),
        "ours; TAGGRAPH 6.1 stops at 24.3 notes and asks about 7.7",
        (*_ADAPTIVE, "tag_tfidf", "bm25"),
        StoreSize,
    ),
)
for _sweep in _SWEEPS:
    sweeps.register(_sweep.name)(_sweep)
