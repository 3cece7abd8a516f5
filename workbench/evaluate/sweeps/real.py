"""Sweeps over REAL's search."""

from __future__ import annotations

from workbench.evaluate.sweeps.base import sweeps
from workbench.evaluate.sweeps.fields import FieldSweep

_OURS = "ours; the source gives no number"
_SWEEPS = (
    FieldSweep(
        "theta_stable",
        "The confidence from which a fact takes part and closes intervals.",
        "theta_stable (confidence)",
        "linear",
        (0.3, 0.5, 0.7, 0.9),
        _OURS,
        ("real",),
        "theta_stable",
    ),
    FieldSweep(
        "beam_width",
        "Paths kept in each step of the beam search.",
        "paths",
        "log",
        (1, 5, 10, 20, 50),
        _OURS,
        ("real",),
        "beam_width",
    ),
    FieldSweep("beam_depth", "The longest path of facts.", "edges", "linear", (1, 2, 3, 4), _OURS, ("real",), "depth"),
)
for _sweep in _SWEEPS:
    sweeps.register(_sweep.name)(_sweep)
