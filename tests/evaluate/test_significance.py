"""Paired tests against scipy, hand-worked examples and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_runs import made_run
from scipy.stats import binomtest, permutation_test

from workbench.evaluate.intervals import mean_interval
from workbench.evaluate.significance import HEADLINE, columns, holm, paired_test, paired_tests, pairwise, pairwise_by_type

value = st.one_of(st.none(), st.sampled_from([0.0, 1.0, 0.5, 1 / 3, 0.25, 0.2, 0.1]))
pairs = st.lists(st.tuples(value, value), max_size=30)


def reciprocal_ranks(n: int, seed: int) -> tuple[list[float], list[float]]:
    first, second = 1 / np.random.default_rng(seed).integers(1, 9, size=(2, n))
    return first.tolist(), second.tolist()


@pytest.mark.parametrize("n", [2, 3, 8, 12])
def test_few_questions_have_the_exact_p_of_scipy(n: int) -> None:
    first, second = reciprocal_ranks(n, seed=n)
    difference = np.subtract(first, second)
    expected = permutation_test((difference,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert paired_test(first, second).p == pytest.approx(expected)


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.1])
def test_many_questions_have_scipys_p_to_the_error_of_drawing(shift: float) -> None:
    first, second = reciprocal_ranks(60, seed=4)
    first = [value + shift for value in first]
    expected = permutation_test(
        (np.subtract(first, second),),
        lambda x, axis: np.abs(np.mean(x, axis=axis)),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=100_000,
        batch=2_000,
        rng=np.random.default_rng(5),
    ).pvalue
    error = np.sqrt(expected * (1 - expected) * (1 / 10_000 + 1 / 100_000))
    assert paired_test(first, second).p == pytest.approx(expected, abs=4 * error)


def test_a_flip_that_ties_with_the_observed_sum_counts_as_extreme() -> None:
    """Differences .1, .2, .3: |sum| is .6 in two of eight flips. In floats .1 + .2 + .3 and .3 + .2 + .1 are not equal."""
    assert paired_test([0.3, 0.1, 0.2], [0.0, 0.0, 0.0]).p == pytest.approx(2 / 8)
    # Differences 1/3, -1/3, 1/6, 1/6 (by roundabout ways): |sum| >= 1/3 in 12 of 16 flips, counted by hand:
    # a in {-2/3, 0, 0, 2/3} and b in {-1/3, 0, 0, 1/3}; only a = b = 0 (4 flips) stays below.
    assert paired_test([1 / 3, 1.0, 0.5, 2 / 3], [0.0, 4 / 3, 1 / 3, 0.5]).p == pytest.approx(12 / 16)


def test_p_of_drawn_flips_is_never_zero() -> None:
    assert paired_test([1.0] * 40, [0.5] * 40).p == 1 / 10_001


@pytest.mark.parametrize(("wins", "losses"), [(0, 1), (5, 1), (3, 3), (40, 22), (300, 241), (900, 700)])
def test_sign_test_equals_the_binomial_test(wins: int, losses: int) -> None:
    found = paired_test([1.0] * wins + [0.0] * losses + [0.5], [0.0] * wins + [1.0] * losses + [0.5])
    assert (found.wins, found.losses, found.ties) == (wins, losses, 1)
    assert found.p_sign == pytest.approx(binomtest(wins, wins + losses).pvalue)


def test_effect_sizes_by_hand() -> None:
    """Differences 1, 0, -1, 1, 1: mean .4, squared deviations .36 + .16 + 1.96 + .36 + .36 = 3.2, variance 3.2 / 4 = .8."""
    found = paired_test([1.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0, 0.0])
    assert found.difference == pytest.approx(0.4)
    assert found.d_z == pytest.approx(0.4 / np.sqrt(0.8))
    assert found.net_wins == pytest.approx(2 / 5)


def test_interval_is_that_of_the_differences() -> None:
    first, second = reciprocal_ranks(25, seed=6)
    assert paired_test(first, second).interval == mean_interval(np.subtract(first, second).tolist())


def test_differences_that_do_not_vary_have_no_d_z() -> None:
    found = paired_test([0.3, 0.8, 0.4], [0.2, 0.7, 0.3])  # .1 each, up to rounding
    assert found.d_z is None
    assert found.wins == 3


def test_values_not_available_on_a_side_are_left_out() -> None:
    found = paired_test([1.0, None, 0.5, 0.2], [0.5, 1.0, None, 0.2])
    assert (found.n, found.wins, found.ties) == (2, 1, 1)
    assert (found.first, found.second) == (pytest.approx(0.6), pytest.approx(0.35))


def test_nothing_in_common_is_not_available_rather_than_zero() -> None:
    found = paired_test([None, 1.0], [1.0, None])
    assert found.n == 0
    assert found.first is found.difference is found.interval is found.p is found.p_sign is found.d_z is found.net_wins is None


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="columns of 1 and 2 values"):
        paired_test([1.0], [1.0, 0.5])
    with pytest.raises(ValueError, match="of 2 cases"):
        paired_test([1.0], [1.0], ["a", "b"])


@given(pairs)
@settings(max_examples=60)
def test_changing_sides_changes_signs_only(values: list[tuple[float | None, float | None]]) -> None:
    first, second = [a for a, _ in values], [b for _, b in values]
    one, other = paired_tests([(first, second), (second, first)])
    assert (one.n, one.wins, one.losses, one.ties) == (other.n, other.losses, other.wins, other.ties)
    assert (one.p, one.p_sign) == (other.p, other.p_sign)
    assert (one.first, one.second) == (other.second, other.first)
    if one.n:
        assert one.difference == -other.difference
        assert one.net_wins == -other.net_wins
        assert one.d_z == (None if other.d_z is None else -other.d_z)
    if one.interval:
        assert one.interval == (-other.interval[1], -other.interval[0])


@given(pairs)
@settings(max_examples=60)
def test_p_lies_above_zero_and_at_most_at_one(values: list[tuple[float | None, float | None]]) -> None:
    found = paired_test([a for a, _ in values], [b for _, b in values])
    assert (found.p is None) == (found.p_sign is None) == (found.n == 0)
    assert found.p is None or (0 < found.p <= 1 and 0 < found.p_sign <= 1)


@given(st.lists(value, max_size=30))
@settings(max_examples=40)
def test_a_column_does_not_differ_from_itself(column: list[float | None]) -> None:
    found = paired_test(column, column)
    assert found.wins == found.losses == 0
    if found.n:
        assert (found.difference, found.p, found.p_sign, found.d_z) == (0, 1, 1, None)


@given(pairs, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_order_of_questions_does_not_matter(values: list[tuple[float | None, float | None]], random) -> None:
    shuffled = random.sample(values, len(values))
    one, other = (paired_test([a for a, _ in each], [b for _, b in each]) for each in (values, shuffled))
    assert (one.n, one.wins, one.losses, one.p, one.p_sign, one.interval) == (
        other.n,
        other.wins,
        other.losses,
        other.p,
        other.p_sign,
        other.interval,
    )
    assert one.difference == pytest.approx(other.difference, abs=1e-12)
    assert one.d_z == pytest.approx(other.d_z, abs=1e-9)


def test_drawn_flips_know_neither_order_nor_sides() -> None:
    first, second = reciprocal_ranks(60, seed=9)
    found = paired_test(first, second)
    assert 0.01 < found.p < 1  # else no draw could tell
    assert paired_test(first[::-1], second[::-1]).p == paired_test(second, first).p == found.p


def test_values_that_only_rounding_tells_apart_are_tied() -> None:
    found = paired_test([0.1 + 0.2, 1.0], [0.3, 0.5])
    assert (found.wins, found.ties, found.p) == (1, 1, 1.0)


def test_questions_where_both_agree_do_not_change_p() -> None:
    first, second = reciprocal_ranks(40, seed=8)
    more = paired_test([*first, *[1.0] * 25], [*second, *[1.0] * 25])
    assert more.p == paired_test(first, second).p


def test_a_pair_has_the_same_figures_alone_and_among_others() -> None:
    table = {str(seed): reciprocal_ranks(50, seed)[0] for seed in range(5)}
    table["short"] = [None] * 44 + [0.5, 1.0, 0.0, 0.5, 0.25, 1.0]
    for pair in pairwise(table):
        assert pair.test == paired_test(table[pair.first], table[pair.second])


def test_a_case_counts_once_by_its_mean() -> None:
    first, second = [1.0, 0.0, 1.0, None], [0.0, 0.5, 0.25, 1.0]
    by_case = paired_test(first, second, ["a", "a", "b", "b"])
    assert by_case == paired_test([0.5, 1.0], [0.25, 0.25])
    assert by_case.n == 2


def test_holm_by_hand() -> None:
    """.005 * 4 = .02; .011 * 3 = .033; .02 * 2 = .04; .04 * 1 = .04."""
    assert holm([0.02, 0.005, 0.04, 0.011]) == pytest.approx([0.04, 0.02, 0.04, 0.033])


def test_holm_never_falls_below_an_earlier_p_and_stops_at_one() -> None:
    """.01 * 3 = .03; then .0101 * 2 = .0202 is lifted to .03; .9 * 1 stays. And .6 * 2 is cut to 1."""
    assert holm([0.0101, 0.9, 0.01]) == pytest.approx([0.03, 0.9, 0.03])
    assert holm([0.6, 0.7]) == [1.0, 1.0]


def test_holm_leaves_out_what_has_no_p() -> None:
    assert holm([None, 0.03, None]) == [None, 0.03, None]
    assert holm([]) == []


def test_pairs_come_in_the_order_of_the_table_with_corrected_p() -> None:
    found = pairwise({"x": [1.0] * 6, "y": [0.0] * 6, "z": [0.0] * 6})
    assert [(pair.first, pair.second) for pair in found] == [("x", "y"), ("x", "z"), ("y", "z")]
    assert [pair.p_holm for pair in found] == pytest.approx([6 / 64, 6 / 64, 1.0])


def test_overall_and_by_type() -> None:
    rows = {("c", "q1", "t"): (1.0, 0.5), ("c", "q2", "t"): (0.5, 0.5), ("d", "q3", "u"): (0.25, 1.0)}
    run = made_run({arm: {key: values[at] for key, values in rows.items()} for at, arm in enumerate("ab")}, apart=("u",))
    found = {group: pair.test for group, (pair,) in pairwise_by_type(run).items()}
    assert {group: (test.n, test.wins, test.losses) for group, test in found.items()} == {
        HEADLINE: (2, 1, 0),
        "t": (2, 1, 0),
        "u": (1, 0, 1),
    }
    assert pairwise_by_type(run, unit="case")[HEADLINE][0].test.n == 1


def test_a_measure_that_the_run_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no measure 'map'; it has .*mrr"):
        pairwise_by_type(made_run({"a": {("c", "q", "t"): 1.0}}), "map")


def test_columns_align_arms_that_answer_different_questions() -> None:
    run = made_run({"a": {("c", "q1", "t"): 1.0}, "b": {("c", "q2", "t"): 0.5}})
    assert columns(run.results, run.config, "mrr") == ([("c", "q1"), ("c", "q2")], {"a": [1.0, None], "b": [None, 0.5]})
