"""Bootstrap intervals."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.evaluate.intervals import mean_interval


def test_agrees_with_the_normal_approximation_on_many_values() -> None:
    values = np.random.default_rng(1).random(400)
    low, high = mean_interval(values.tolist())
    half = 1.96 * values.std() / 20
    assert low == pytest.approx(values.mean() - half, abs=0.004)
    assert high == pytest.approx(values.mean() + half, abs=0.004)


def test_is_the_same_each_time() -> None:
    values = [0.0, 1.0, 0.5, 0.25]
    assert mean_interval(values) == mean_interval(values)


@pytest.mark.parametrize("values", [[], [0.5]])
def test_too_few_values_have_no_interval(values: list[float]) -> None:
    assert mean_interval(values) is None
