"""Sweeps over what AriadneMem's two legs bring."""

from __future__ import annotations

from workbench.evaluate.sweeps.base import sweeps
from workbench.evaluate.sweeps.fields import FieldSweep

_SWEEPS = (
    FieldSweep(
        "k_sem",
        "How many entries the dense leg brings.",
        "entries",
        "linear",
        (1, 10, 20, 30),
        "AriadneMem's points",
        ("ariadne",),
        "k_sem",
    ),
    FieldSweep(
        "k_lex",
        "How many entries the keyword leg brings.",
        "entries",
        "linear",
        (1, 3, 5, 10),
        "AriadneMem's points",
        ("ariadne",),
        "k_lex",
    ),
)
for _sweep in _SWEEPS:
    sweeps.register(_sweep.name)(_sweep)
