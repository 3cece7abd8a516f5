"""Time of the statistics of a comparison: intervals of every method's mean and all paired tests, against scipy in the same run.

    python bench/paired_tests.py [--questions N] [--methods N] [--repeats N]

Ours: `mean_intervals` and `pairwise` (interval of the difference, randomisation test, sign test, Holm), nothing cached.
scipy: `bootstrap` and `permutation_test` with the same numbers of resamples, asked once for all columns (vectorised, batches of
500) and once column by column, as a script would; without sign test and Holm.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations

import numpy as np
from scipy.stats import bootstrap, permutation_test

from workbench.evaluate import intervals, significance


def rank_values(questions: int, methods: int) -> np.ndarray:
    """Reciprocal ranks of methods that agree on many questions: (questions, methods)."""
    rng = np.random.default_rng(7)
    hard = rng.exponential(4, size=(questions, 1))
    ranks = 1 + np.floor(hard * rng.exponential(1, size=(questions, methods)) * np.linspace(0.8, 1.2, methods))
    return 1 / ranks


def ours(values: np.ndarray) -> list[float | None]:
    intervals._counts.cache_clear()
    significance._random_bits.cache_clear()
    columns = {f"m{at}": list(column) for at, column in enumerate(values.T)}
    intervals.mean_intervals([*columns.values()])
    return [pair.test.p for pair in significance.pairwise(columns)]


def by_scipy(values: np.ndarray, one_by_one: bool) -> list[float]:
    """p of every pair; intervals are worked out and dropped."""
    pairs = np.column_stack([values[:, a] - values[:, b] for a, b in combinations(range(values.shape[1]), 2)])
    p_values: list[float] = []
    for table, is_difference in ((values, False), (pairs, True)):
        for part in np.split(table, table.shape[1], axis=1) if one_by_one else [table]:
            options = {"axis": 0, "vectorized": True, "batch": 500, "rng": np.random.default_rng(1)}
            bootstrap((part,), np.mean, n_resamples=intervals.RESAMPLES, method="percentile", **options)
            if is_difference:
                found = permutation_test((part,), np.mean, permutation_type="samples", n_resamples=significance.DRAWS, **options)
                p_values += np.atleast_1d(found.pvalue).tolist()
    return p_values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--methods", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    values = rank_values(options.questions, options.methods)
    ours(values[:20, :2])  # Loads what is loaded once.

    def timed(work):
        begin = time.perf_counter()
        return work(), time.perf_counter() - begin

    runs = [timed(lambda: ours(values)) for _ in range(options.repeats)]
    mine = float(np.median([spent for _, spent in runs]))
    pairs = options.methods * (options.methods - 1) // 2
    print(f"{options.questions} questions, {options.methods} methods: {options.methods} intervals, {pairs} paired tests; seconds")
    print(f"{'ours':<24} {mine:8.2f}   (median of {options.repeats}; target: under 2)")
    for name, one_by_one in (("scipy, column by column", True), ("scipy, all columns", False)):
        p_values, spent = timed(lambda one_by_one=one_by_one: by_scipy(values, one_by_one))
        apart = max(abs(a - b) for a, b in zip(runs[0][0], p_values, strict=True))
        print(f"{name:<24} {spent:8.2f}   {spent / mine:.0f} times ours; largest difference of p: {apart:.4f}")


if __name__ == "__main__":
    main()
