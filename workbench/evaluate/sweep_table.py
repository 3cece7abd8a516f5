"""What a sweep's run amounts to: a mean for every arm at every point, and what each switch contributes there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from workbench.evaluate.ablations import LESS
from workbench.evaluate.estimates import Estimate, arms_of, estimates, mean_of
from workbench.evaluate.intervals import Values
from workbench.evaluate.judging import STORE_NOTES
from workbench.evaluate.significance import PairedTest, check_measure, columns, paired_tests
from workbench.evaluate.sweeps.base import Point, Scale, sweeps
from workbench.records import Run


@dataclass(frozen=True)
class SweepRow:
    """One arm at one point.

    The estimate is over questions, each one's value being its mean over the seeds. ``spread`` is the least and the greatest mean
    that a single seed gives, None where there is one seed. ``store_notes`` is the mean number of notes in the store.
    """

    value: Point
    arm: str
    method: str
    off: tuple[str, ...]
    estimate: Estimate
    seeds: int
    spread: tuple[float, float] | None
    store_notes: float | None


@dataclass(frozen=True)
class Contribution:
    """What a switch brings at one point: an arm with it (first) against the same arm without it (second), question by question.

    ``beside`` are the switches that are off in both.
    """

    value: Point
    switch: str
    method: str
    beside: tuple[str, ...]
    test: PairedTest

    @property
    def label(self) -> str:
        """Such as ``diffusion in adaptive - file_seeding``."""
        return f"{self.switch} in {LESS.join([self.method, *self.beside])}"


@dataclass(frozen=True)
class SweepTable:
    """Points in the run's order, at each point its arms; contributions only where arms differ by one switch."""

    sweep: str
    axis: str
    scale: Scale
    measure: str
    questions: int
    rows: tuple[SweepRow, ...]
    contributions: tuple[Contribution, ...]

    @property
    def arms(self) -> tuple[str, ...]:
        """Every arm once, in order."""
        return tuple(dict.fromkeys(row.arm for row in self.rows))


def sweep_table(run: Run, measure: str = "mrr") -> SweepTable:
    """Means over the headline questions of a sweep's run, by point and arm.

    Raises
    ------
    KeyError
        For a sweep that is not registered here.
    ValueError
        For a run of another kind, or a measure that it does not have.
    """
    if run.kind != "sweep":
        raise ValueError(f"run {run.id} is of kind {run.kind!r}; a sweep table needs one of kind 'sweep'")
    check_measure(measure, run)
    # The labels of one point and arm differ by their seed only.
    places: dict[tuple[Point, str], list[str]] = {}
    for label in arms_of(run):
        point = run.points[label]
        places.setdefault((point["value"], point["arm"]), []).append(label)
    headline = [result for result in run.results if result.headline]
    keys, by_label = columns(headline, run.points, measure)
    _, notes = columns(headline, run.points, STORE_NOTES)
    values = {place: _over_seeds([by_label[label] for label in labels]) for place, labels in places.items()}
    rows = [
        SweepRow(
            value,
            arm,
            run.points[labels[0]]["method"],
            tuple(run.points[labels[0]].get("off", ())),
            estimate,
            len(labels),
            _spread([mean_of(by_label[label]) for label in labels]),
            mean_of([count for label in labels for count in notes[label]]),
        )
        for ((value, arm), labels), estimate in zip(places.items(), estimates([*values.values()]), strict=True)
    ]
    name = next(iter(run.points.values()))["sweep"]
    sweep = sweeps[name]
    found = _contributions(rows, values)
    return SweepTable(name, sweep.axis, sweep.scale, measure, len(keys), tuple(rows), found)


def _over_seeds(columns: Sequence[Values]) -> list[float | None]:
    """Each question's mean over the seeds: questions are what is resampled, not samples of one question's history."""
    return [mean_of(values) for values in zip(*columns, strict=True)]


def _spread(means: Sequence[float | None]) -> tuple[float, float] | None:
    there = [mean for mean in means if mean is not None]
    return (min(there), max(there)) if len(there) > 1 else None


def _contributions(rows: Sequence[SweepRow], values: Mapping[tuple[Point, str], Values]) -> tuple[Contribution, ...]:
    """Of every two arms of one point and method that differ by one switch; the points of one contribution together."""
    pairs = [
        (on, less)
        for on, less in permutations(rows, 2)
        if (on.value, on.method) == (less.value, less.method) and set(on.off) < set(less.off) and len(less.off) == len(on.off) + 1
    ]
    tests = paired_tests([(values[on.value, on.arm], values[less.value, less.arm]) for on, less in pairs])
    found = [
        Contribution(on.value, next(iter(set(less.off) - set(on.off))), on.method, on.off, test)
        for (on, less), test in zip(pairs, tests, strict=True)
    ]
    labels = list(dict.fromkeys(each.label for each in found))
    return tuple(sorted(found, key=lambda each: labels.index(each.label)))
