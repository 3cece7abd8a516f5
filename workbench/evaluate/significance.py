"""Paired tests between methods or runs: is a difference over the same questions more than chance?

The questions of one LoCoMo conversation share its notes and are not independent, so tests by question are too sure of
themselves there; ``unit="case"`` takes each case's mean as one value instead. A LongMemEval case has one question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.evaluate.intervals import SEED, Interval, Values, mean_intervals, product
from workbench.evaluate.summary import groups
from workbench.records import QuestionResult, Run

DRAWS = 10_000
"""Random sign flips where not all can be enumerated (ours)."""
_TOLERANCE = 1e-9
"""Flipped sums this close to the observed one, relative to the sum of sizes, are ties with it: adding up rounds."""

Floats = NDArray[np.float64]
Unit = Literal["question", "case"]
HEADLINE = "headline"
"""The group of all headline questions in tables by type."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two columns of values over the same questions (or cases: see ``unit``), and what speaks against their being alike.

    Values that either side lacks are left out; with none left all but the counts is None.

    Attributes
    ----------
    n, wins, losses, ties : int
        Questions with both values, and how many of them the first has higher, lower, equal.
    first, second, difference : float or None
        Means over these, and first minus second.
    interval : (low, high) or None
        95% bootstrap interval of the difference, None for n < 2.
    p : float or None
        Two-sided sign-flip randomisation test of the mean difference, in (0, 1]: exact while the untied differences can be
        flipped in at most `DRAWS` ways, else (1 + as extreme) / (1 + DRAWS).
    p_sign : float or None
        Two-sided exact sign test on wins against losses, ties left out.
    d_z : float or None
        Mean over standard deviation (n - 1) of the differences (Cohen's d_z); None for n < 2 or where they do not vary.
    net_wins : float or None
        (wins - losses) / n, in [-1, 1].
    """

    n: int
    wins: int
    losses: int
    ties: int
    first: float | None = None
    second: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None
    p_sign: float | None = None
    d_z: float | None = None
    net_wins: float | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """A test of two named columns. ``p_holm`` is its p by Holm's correction over the pairs it was found among."""

    first: str
    second: str
    test: PairedTest
    p_holm: float | None


def paired_test(first: Values, second: Values, cases: Sequence[str] | None = None) -> PairedTest:
    """Test two columns whose places are the same questions: `paired_tests` of one pair.

    Examples
    --------
    >>> found = paired_test([1.0, 0.5, 1.0, None], [0.5, 0.25, 1.0, 1.0])
    >>> found.n, found.wins, found.difference, found.p, found.p_sign
    (3, 2, 0.25, 0.5, 0.5)
    """
    return paired_tests([(first, second)], cases)[0]


def paired_tests(pairs: Sequence[tuple[Values, Values]], cases: Sequence[str] | None = None) -> list[PairedTest]:
    """Test pairs of columns at once. The order of the questions does not matter to any figure.

    Parameters
    ----------
    pairs : sequence of (first, second)
        Values by question, None where not available; lengths may differ from pair to pair.
    cases : sequence of str, optional
        The case of each place. If given, each case counts once, by the mean over its questions that have both values.

    Raises
    ------
    ValueError
        If columns of a pair (or ``cases``) differ in length, or a value is not finite.

    References
    ----------
    M. Smucker, J. Allan, B. Carterette: A comparison of statistical significance tests for information retrieval evaluation.
    CIKM 2007 (randomisation and sign test). B. Phipson, G. Smyth: Permutation p-values should never be zero. SAGMB 9(1), 2010.
    """
    both = [_both(first, second, cases) for first, second in pairs]
    differences = [_differences(first, second) for first, second in both]
    intervals = mean_intervals([list(each) for each in differences])
    p_values = _flip_tests(differences)
    return [
        _test(first, second, each, interval, p)
        for (first, second), each, interval, p in zip(both, differences, intervals, p_values, strict=True)
    ]


def pairwise(table: Mapping[str, Values], cases: Sequence[str] | None = None) -> tuple[Pair, ...]:
    """Every pair of a table's columns, in their order, Holm-corrected over all of them. Arguments as in `paired_tests`."""
    names = [*combinations(table, 2)]
    tests = paired_tests([(table[first], table[second]) for first, second in names], cases)
    corrected = holm([test.p for test in tests])
    return tuple(Pair(*pair, test, p) for pair, test, p in zip(names, tests, corrected, strict=True))


def pairwise_by_type(run: Run, measure: str = "mrr", unit: Unit = "question") -> dict[str, tuple[Pair, ...]]:
    """Every pair of a run's arms: over all headline questions under `HEADLINE`, then over each question type.

    Holm's correction is over the pairs of one group, which is the table that a reader sees at a time; it does not cover looking
    through all types for a small p.

    Raises
    ------
    ValueError
        If no question of the run has such a measure.
    """
    check_measure(measure, run)
    members = {HEADLINE: [result for result in run.results if result.headline]} | groups(run.results)
    found = {}
    for group, results in members.items():
        keys, table = columns(results, run.config, measure)
        found[group] = pairwise(table, [case for case, _ in keys] if unit == "case" else None)
    return found


def columns(
    results: Iterable[QuestionResult], arms: Iterable[str], measure: str
) -> tuple[list[tuple[str, str]], dict[str, list[float | None]]]:
    """The (case, question) keys of results, and each arm's values at them; None where it has no result or no value."""
    values: dict[str, dict[tuple[str, str], float | None]] = {arm: {} for arm in arms}
    keys: dict[tuple[str, str], None] = {}
    for result in results:
        key = (result.case, result.question)
        keys[key] = None
        if result.method in values:
            values[result.method][key] = result.measures.get(measure)
    return [*keys], {arm: [found.get(key) for key in keys] for arm, found in values.items()}


def check_measure(measure: str, run: Run) -> None:
    """ValueError with the names there are, where no result of a run has the measure."""
    known = {name for result in run.results for name in result.measures}
    if measure not in known:
        raise ValueError(f"run {run.id} has no measure {measure!r}; it has {', '.join(sorted(known))}")


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction over a family; None is no member of it and stays None.

    References
    ----------
    S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6(2), 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    family = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for done, (p, at) in enumerate(family):
        largest = max(largest, min(1.0, (len(family) - done) * p))
        corrected[at] = largest
    return corrected


def _both(first: Values, second: Values, cases: Sequence[str] | None) -> tuple[Floats, Floats]:
    """Values at the places where both sides have one; with cases, the means over each case's places."""
    if len(first) != len(second) or (cases is not None and len(cases) != len(first)):
        named = f" of {len(cases)} cases" if cases is not None else ""
        raise ValueError(f"columns of {len(first)} and {len(second)} values{named}; a pair is over the same questions")
    at = [place for place, (one, other) in enumerate(zip(first, second, strict=True)) if one is not None and other is not None]
    a, b = (np.array([column[place] for place in at], dtype=np.float64) for column in (first, second))
    if cases is None or not at:
        return a, b
    _, index, size = np.unique([cases[place] for place in at], return_inverse=True, return_counts=True)
    return np.bincount(index, a) / size, np.bincount(index, b) / size


def _differences(first: Floats, second: Floats) -> Floats:
    """First minus second; what only rounding made different is equal, or it would count as a win."""
    difference = first - second
    return np.where(np.abs(difference) <= 1e-12, 0.0, difference)


def _test(first: Floats, second: Floats, difference: Floats, interval: Interval | None, p: float | None) -> PairedTest:
    n, wins, losses = len(difference), int((difference > 0).sum()), int((difference < 0).sum())
    if not n:
        return PairedTest(0, 0, 0, 0)
    varies = n > 1 and np.ptp(difference) > 1e-12
    return PairedTest(
        n,
        wins,
        losses,
        n - wins - losses,
        float(first.mean()),
        float(second.mean()),
        float(difference.mean()),
        interval,
        p,
        _sign_test(wins, losses),
        float(difference.mean() / difference.std(ddof=1)) if varies else None,
        (wins - losses) / n,
    )


def _sign_test(wins: int, losses: int) -> float:
    """Twice the chance of at most the smaller count among wins + losses fair coins, at most 1; exact in whole numbers."""
    coins, ways, tail = wins + losses, 1, 0
    for heads in range(min(wins, losses) + 1):
        tail += ways
        ways = ways * (coins - heads) // (heads + 1)
    return float(min(1.0, 2 * tail / 2**coins))


def _flip_tests(differences: Sequence[Floats]) -> list[float | None]:
    """Sign-flip p of every column of differences.

    The flipped sums depend on the sizes alone, so these are sorted, largest first: neither the order of the questions, nor who is
    first, nor how many questions are tied changes p.
    """
    sizes = [np.sort(np.abs(each[each != 0]))[::-1] for each in differences]
    found: list[float | None] = [None] * len(sizes)
    drawn: list[int] = []
    for at, (each, size) in enumerate(zip(differences, sizes, strict=True)):
        if 2 ** len(size) > DRAWS:
            drawn.append(at)
        elif len(each):
            sums = np.abs(_all_flips(len(size)) @ size)
            found[at] = float(np.mean(sums >= _bar(each)))
    if drawn:
        n = max(len(sizes[at]) for at in drawn)
        table = np.column_stack([np.pad(sizes[at], (0, n - len(sizes[at]))) for at in drawn])
        extreme = _count_extreme(table, np.array([_bar(differences[at]) for at in drawn]))
        for at, count in zip(drawn, extreme, strict=True):
            found[at] = (1 + int(count)) / (1 + DRAWS)
    return found


def _bar(difference: Floats) -> float:
    """From where on a flipped sum is as extreme as the observed one."""
    return float(abs(difference.sum()) - _TOLERANCE * np.abs(difference).sum())


def _all_flips(n: int) -> Floats:
    """(2**n, n) every row of signs."""
    ones: Floats = (np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1).astype(np.float64)
    return 1 - 2 * ones


def _count_extreme(table: Floats, bars: Floats) -> NDArray[np.int64]:
    """For every column of an (n, m) table, how many of DRAWS random flips reach its bar."""
    flips = np.unpackbits(_random_bits(len(table)), axis=1).T
    # Bits 0 and 1 as signs -1 and +1: twice the sum over the ones, less the sum over all.
    sums = 2 * product(flips, table) - table.sum(axis=0)
    return np.asarray((np.abs(sums) >= bars).sum(axis=0))


@lru_cache(maxsize=4)
def _random_bits(n: int) -> NDArray[np.uint8]:
    """(n, DRAWS / 8) seeded bits, packed; the rows of a smaller n are the first rows of a larger one."""
    return np.frombuffer(np.random.default_rng(SEED).bytes(n * DRAWS // 8), dtype=np.uint8).reshape(n, -1)
