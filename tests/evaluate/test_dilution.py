"""The table over questions and its correlations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.evaluate.dilution import DilutionRow, correlations, dilution
from workbench.evaluate.inputs import case_inputs
from workbench.methods.adaptive import AdaptiveConfig
from workbench.store import open_store

ROW = DilutionRow("c", "q", "t", 1.0, 0.5, 2.0, 3.0, 0.2, 1, 1, 0.0)


def by_measure(rows: list[DilutionRow]) -> dict:
    return {each.measure: each for each in correlations(rows)}


def test_a_measure_that_falls_as_ranks_rise_correlates_with_minus_one() -> None:
    rows = [replace(ROW, topic_entropy=float(at), rr_change=-(float(at) ** 3)) for at in range(8)]
    found = by_measure(rows)["topic_entropy"]
    assert (found.n, found.rho) == (8, pytest.approx(-1))
    assert found.interval == pytest.approx((-1, -1))


def test_interval_holds_the_value() -> None:
    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
    rows = [replace(ROW, topic_gini=float(v), rr_change=float(at % 4)) for at, v in enumerate(values)]
    found = by_measure(rows)["topic_gini"]
    assert found.interval[0] <= found.rho <= found.interval[1]


@pytest.mark.parametrize("rows", [[], [ROW] * 3, [ROW] * 10])
def test_no_correlation_where_nothing_varies_or_too_little_is_there(rows: list[DilutionRow]) -> None:
    assert all(each.rho is None and each.interval is None for each in correlations(rows))


def test_questions_without_a_measure_are_left_out_of_it() -> None:
    rows = [replace(ROW, total_variation=None, topic_entropy=float(at), rr_change=float(at)) for at in range(6)]
    found = by_measure(rows)
    assert found["total_variation"].n == 0
    assert found["topic_entropy"].n == 6


def test_a_row_for_every_demo_question(demo_store: Path) -> None:
    with open_store(demo_store, read_only=True) as store:
        keys = [row.key for row in store.cases.list("longmemeval_demo")]
        rows = dilution(case_inputs(store, keys), AdaptiveConfig())
        off = dilution(case_inputs(store, keys), AdaptiveConfig(diffusion=False))
    assert len(rows) == 7
    hurt = next(row for row in rows if row.question == "demo_diffusion_hurts")
    helped = next(row for row in rows if row.question == "demo_diffusion_helps")
    assert hurt.rr_change < 0 < helped.rr_change
    assert all(row.rr_change == 0 for row in off)
