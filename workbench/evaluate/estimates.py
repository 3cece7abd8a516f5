"""Means over questions with their intervals, as the tables of ablations and sweeps hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.evaluate.intervals import Interval, Values, mean_intervals
from workbench.records import Run


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over ``n`` questions with its 95% bootstrap interval; None where it is not available."""

    mean: float | None
    interval: Interval | None
    n: int


def mean_of(values: Values) -> float | None:
    """The mean of the values that are available; None where there is none."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


def estimates(columns: Sequence[Values]) -> list[Estimate]:
    """An estimate of each column; None in a column is a question where its value is not available.

    Examples
    --------
    >>> estimates([[1.0, 1.0, None]])
    [Estimate(mean=1.0, interval=(1.0, 1.0), n=2)]
    """
    return [
        Estimate(mean_of(column), interval, sum(value is not None for value in column))
        for column, interval in zip(columns, mean_intervals(columns), strict=True)
    ]


def arms_of(run: Run) -> tuple[str, ...]:
    """The arms of a run in the order in which they were asked for, which its results keep."""
    return tuple(dict.fromkeys([*(result.method for result in run.results), *run.points]))
