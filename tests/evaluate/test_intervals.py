"""Bootstrap intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.evaluate.intervals import mean_interval, mean_intervals

values = st.lists(st.one_of(st.none(), st.sampled_from([0.0, 1.0, 0.5, 1 / 3, 0.25])), max_size=15)


def test_agrees_with_the_normal_approximation_on_many_values() -> None:
    values = np.random.default_rng(1).random(400)
    low, high = mean_interval(values.tolist())
    half = 1.96 * values.std() / 20
    assert low == pytest.approx(values.mean() - half, abs=0.004)
    assert high == pytest.approx(values.mean() + half, abs=0.004)


def test_agrees_with_scipy_on_skewed_values() -> None:
    from scipy.stats import bootstrap

    values = np.random.default_rng(2).exponential(size=30)
    rng = np.random.default_rng(3)
    expected = bootstrap((values,), np.mean, n_resamples=100_000, batch=1000, method="percentile", rng=rng).confidence_interval
    # An edge is a quantile of 10,000 draws: its standard error is about 0.03 standard errors of the mean.
    assert mean_interval(values.tolist()) == pytest.approx(tuple(expected), abs=0.15 * values.std() / np.sqrt(30))


def test_equals_every_resample_of_two_values() -> None:
    """Of 0 and 1 a quarter of the resamples have mean 0, half 1/2, a quarter 1."""
    assert mean_interval([0.0, 1.0], level=0.6) == (0.0, 1.0)
    assert mean_interval([0.0, 1.0], level=0.4) == (0.5, 0.5)


def test_is_the_same_each_time() -> None:
    values = [0.0, 1.0, 0.5, 0.25]
    assert mean_interval(values) == mean_interval(values)


@given(st.lists(values, max_size=5))
@settings(max_examples=40)
def test_a_column_has_the_same_interval_alone_and_among_others(columns: list[list[float | None]]) -> None:
    assert mean_intervals(columns) == [mean_interval(column) for column in columns]


@given(values, st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_order_does_not_matter(column: list[float | None], random) -> None:
    shuffled = random.sample(column, len(column))
    assert mean_interval(column) == mean_interval(shuffled)


@given(values)
@settings(max_examples=40)
def test_negated_values_have_the_mirrored_interval(column: list[float | None]) -> None:
    found = mean_interval(column)
    mirrored = mean_interval([None if value is None else -value for value in column])
    assert mirrored == (found and (-found[1], -found[0]))


@given(values)
@settings(max_examples=40)
def test_holds_the_mean_and_stays_within_the_values(column: list[float | None]) -> None:
    known = [value for value in column if value is not None]
    if found := mean_interval(column):
        assert min(known) - 1e-9 <= found[0] <= sum(known) / len(known) + 1e-9
        assert sum(known) / len(known) - 1e-9 <= found[1] <= max(known) + 1e-9


def test_not_available_is_left_out_rather_than_zero() -> None:
    assert mean_interval([0.5, None, 1.0, None]) == mean_interval([0.5, 1.0])


@pytest.mark.parametrize("values", [[], [0.5], [None, 0.5, None]])
def test_too_few_values_have_no_interval(values: list[float | None]) -> None:
    assert mean_interval(values) is None


def test_equal_values_give_a_point() -> None:
    assert mean_interval([0.3, 0.3]) == (0.3, 0.3)


def test_a_higher_level_gives_a_wider_interval() -> None:
    values = [0.0, 1.0, 0.5, 0.25, 0.1]
    (low, high), (lower, higher) = mean_interval(values, 0.8), mean_interval(values, 0.99)
    assert lower < low < high < higher


@pytest.mark.parametrize("level", [0, 1, 95])
def test_level_is_a_share(level: float) -> None:
    with pytest.raises(ValueError, match=f"level is {level}"):
        mean_interval([0.0, 1.0], level)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_values_are_finite(value: float) -> None:
    with pytest.raises(ValueError, match=f"column 1 holds {value}"):
        mean_intervals([[0.0, 1.0], [0.5, value]])
