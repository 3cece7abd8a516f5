"""The cosines of gate and coarsening: the paper's for MiniLM, and for other backends those that let the same share pass."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """Cosines above which a turn repeats an entry (lambda_red) and two entries merge or link (lambda_coal)."""

    gate: float
    coarsen: float


PAPER = Bounds(0.6, 0.7)
"""AriadneMem's settings, which presuppose all-MiniLM-L6-v2."""
BOUNDS = {"minilm": PAPER, "wordllama": Bounds(0.58, 0.64)}
"""By backend; ours but for MiniLM's. `bench/ariadne.py thresholds` derives them from a fixed list of our own sentence pairs."""


def bounds_of(backend: str) -> Bounds:
    """A backend's own pair; the paper's for one that is not calibrated (`is_calibrated`)."""
    return BOUNDS.get(backend, PAPER)


def is_calibrated(backend: str) -> bool:
    """Whether a backend's pair was set on the calibration list."""
    return backend in BOUNDS
