"""Intervals of a mean over questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 10_000
SEED = 20260930


def mean_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """Percentile bootstrap interval of the mean over questions, seeded (10,000 resamples: ours).

    None for fewer than two values, of which no interval can be had. Equal values give a point.

    Examples
    --------
    >>> mean_interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    if len(values) < 2:
        return None
    if min(values) == max(values):
        return (float(values[0]), float(values[0]))
    from scipy.stats import bootstrap  # A second to import, which no command but an evaluation should wait for.

    found = bootstrap(
        (np.asarray(values, dtype=np.float64),),
        np.mean,
        n_resamples=RESAMPLES,
        batch=500,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return (float(found.low), float(found.high))
