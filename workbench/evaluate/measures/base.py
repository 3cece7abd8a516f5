"""What a measure is: a value for each question from ranked ids and relevant ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from workbench.registry import Registry

Rankings = Mapping[str, Sequence[str]]
Gold = Mapping[str, Collection[str]]
"""Relevant ids by question, as a set; where they are graded, as a mapping from id to grade (1 or more)."""


class Measure(Protocol):
    """A retrieval measure. The class docstring's first line is its help text."""

    takes_cutoff: bool

    def values(self, rankings: Rankings, gold: Gold, k: int | None) -> dict[str, float]:
        """A value in [0, 1] for each question of ``gold``; every question has at least one relevant id.

        ``rankings`` holds distinct ids, best first; a question without a ranking counts as an empty one, value 0.
        """
        ...


measures: Registry[Measure] = Registry("measure", "workbench.evaluate.measures", "workbench.measures")


def parse(spec: str) -> tuple[Measure, int | None]:
    """The measure and cut-off of a name such as ``mrr`` or ``recall@5``.

    Raises
    ------
    KeyError
        For an unknown measure.
    ValueError
        For a missing or superfluous cut-off, or one below 1.
    """
    name, at, cutoff = spec.partition("@")
    measure = measures[name]
    if bool(at) != measure.takes_cutoff:
        rule = f"needs a cut-off, as in {name}@5" if measure.takes_cutoff else "takes no cut-off"
        raise ValueError(f"measure {spec!r}: {name} {rule}")
    if not at:
        return measure, None
    if not cutoff.isdigit() or int(cutoff) < 1:
        raise ValueError(f"measure {spec!r}: the cut-off is a whole number from 1")
    return measure, int(cutoff)


def compute(specs: Iterable[str], rankings: Rankings, gold: Gold) -> dict[str, dict[str, float | None]]:
    """Values by measure and question; None where a question has no relevant id, since no measure is defined there."""
    judged = {question: relevant for question, relevant in gold.items() if relevant}
    table: dict[str, dict[str, float | None]] = {}
    for spec in specs:
        measure, k = parse(spec)
        values = measure.values(rankings, judged, k) if judged else {}
        table[spec] = {question: values.get(question) for question in gold}
    return table
