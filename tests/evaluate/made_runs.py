"""Runs made by hand from values, for tests of what is done with runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from workbench.records import QuestionResult, Run

Where = tuple[str, str, str]
"""(case, question, type)."""


def made_result(where: Where, arm: str, notes: Sequence[str] = ("n1",), headline: bool = True, **measures: Any) -> QuestionResult:
    """A question judged by note, unless ``measures`` holds ``mrr_note``; each note is in a session of the same name."""
    if "mrr_note" not in measures:
        measures = {"mrr_session": 0.0} | measures
    scores = tuple(float(len(notes) - at) for at in range(len(notes)))
    return QuestionResult(*where, arm, tuple(notes), scores, tuple(notes), len(notes), measures, headline)


def run_of(*results: QuestionResult, id: str = "made", benchmark: str = "made", **fields: Any) -> Run:
    """A run of results; its arms are their methods, in order."""
    config = {result.method: {"k1": 1.5} for result in results}
    run = Run(id, datetime(2026, 1, 2), benchmark, {"extractor": "none"}, config, "d" * 64, "1.0", {}, {}, {}, tuple(results))
    return replace(run, **fields)


def made_run(values: Mapping[str, Mapping[Where, float | None]], apart: Sequence[str] = (), **fields: Any) -> Run:
    """A run from reciprocal ranks by arm and question; types named in ``apart`` are outside the headline."""
    return run_of(
        *(
            made_result(where, arm, mrr=value, headline=where[2] not in apart)
            for arm, column in values.items()
            for where, value in column.items()
        ),
        **fields,
    )
