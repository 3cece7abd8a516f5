"""Control and intervention: shares, differences and odds ratios of worked examples, and that groups add up."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from audited import audit_of, demo_audit, row
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, nchypergeom_fisher

from workbench.diagnose.audit import QuestionRow
from workbench.diagnose.control import Share, conditional_odds_ratio, control, newcombe, wilson


@given(st.integers(1, 60).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_wilson_is_that_of_scipy(counts: tuple[int, int]) -> None:
    expected = binomtest(*counts).proportion_ci(0.95, method="wilson")
    assert wilson(*counts) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(
    ("counts", "interval"),
    [  # R. G. Newcombe 1998, table II, method 10
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((6, 7, 2, 7), (0.0582, 0.8062)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
        ((0, 10, 0, 20), (-0.1611, 0.2775)),
        ((10, 10, 0, 10), (0.6075, 1.0000)),
    ],
)
def test_newcombe_of_published_examples(counts: tuple[int, int, int, int], interval: tuple[float, float]) -> None:
    difference, found = newcombe(*counts)
    assert difference == pytest.approx(counts[0] / counts[1] - counts[2] / counts[3])
    assert found == pytest.approx(interval, abs=5e-5)


def test_the_odds_ratio_is_where_the_count_seen_is_the_one_expected() -> None:
    a, b, c, d = 12, 5, 6, 14
    found = conditional_odds_ratio(a, b, c, d)
    assert found is not None
    ratio, (low, high) = found
    table = (a + b + c + d, a + c, a + b)
    assert nchypergeom_fisher.mean(*table, ratio) == pytest.approx(a, abs=1e-4)
    assert nchypergeom_fisher.sf(a - 1, *table, low) == pytest.approx(0.025, abs=1e-4)
    assert nchypergeom_fisher.cdf(a, *table, high) == pytest.approx(0.025, abs=1e-4)


def test_an_odds_ratio_may_be_infinite_or_undefined() -> None:
    found = conditional_odds_ratio(3, 0, 2, 4)
    assert found is not None
    assert math.isinf(found[0])
    assert math.isinf(found[1][1])
    assert conditional_odds_ratio(0, 0, 2, 4) is None
    assert conditional_odds_ratio(0, 3, 0, 4) is None


def test_misses_are_held_against_hits() -> None:
    rows = (
        row("a#1", is_tried=True, repaired_by="t", is_repair_said=False),
        row("b#1", is_tried=True, repaired_by="t", is_repair_said=True),
        row("c#1", is_tried=True, helpful=("x",)),
        row("d#1", is_tried=True, found=True, is_broken=False),
        *(row(f"{name}#1", is_tried=True, found=True, helpful=("x",), is_broken=name < "g") for name in "efghi"),
    )
    found = control(audit_of(*rows))[0]
    assert (found.unit, found.by, found.misses, found.hits) == ("gold notes", "all", Share(2, 3), Share(1, 6))
    assert found.difference == pytest.approx(2 / 3 - 1 / 6)
    assert found.difference_interval == newcombe(2, 3, 1, 6)[1]
    assert (found.repaired, found.repaired_as_said) == (Share(2, 3), Share(1, 3))
    assert (found.broken, found.broken_of_helped) == (Share(2, 6), Share(2, 5))
    assert found.odds_ratio is not None
    assert found.odds_ratio > 1


def test_without_hits_or_misses_there_is_nothing_to_compare() -> None:
    found = control(audit_of(row("a#1")))[0]
    assert (found.difference, found.difference_interval, found.odds_ratio, found.hits.share, found.hits.interval) == (None,) * 5
    assert (found.repaired, found.broken) == (None, None)
    assert found.misses.share == 1


def test_groups_are_benchmarks_and_types_and_add_up(demo_store: Path) -> None:
    rows = control(demo_audit(demo_store))
    assert {each.unit for each in rows} == {"gold notes", "questions"}
    for whole in (each for each in rows if each.by == "all"):
        for by in ("benchmark", "type"):
            parts = [
                each for each in rows
                if (each.unit, each.by, each.method, each.extraction) == (whole.unit, by, whole.method, whole.extraction)
            ]  # fmt: skip
            assert len(parts) > 1
            for name in ("misses", "hits", "repaired", "broken", "broken_of_helped"):
                counts = [(getattr(each, name).count, getattr(each, name).of) for each in parts]
                assert tuple(map(sum, zip(*counts, strict=True))) == (getattr(whole, name).count, getattr(whole, name).of)
    assert {each.group for each in rows if each.by == "benchmark"} == {"atant_demo", "longmemeval_demo"}


def test_questions_are_counted_as_questions() -> None:
    questions = tuple(
        QuestionRow("demo/c", f"q{at}", "", "rules", "tag_basic", at > 2, at % 2 == 0, None, None, None) for at in range(6)
    )
    found = next(each for each in control(audit_of(row(), questions=questions)) if each.unit == "questions")
    assert (found.misses, found.hits) == (Share(1, 3), Share(2, 3))
