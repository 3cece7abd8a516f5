"""Rank-biased overlap and what only one or every method found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.evaluate.agreement import everywhere, only_here, rank_biased_overlap

rankings = st.lists(st.integers(0, 12), min_size=1, max_size=10, unique=True)


def by_definition(first, second, p=0.9, depth=2000):
    """The infinite sum of Webber et al., equation 4, over lists of equal length whose agreement stays as it is at their end."""
    total, agreement = 0.0, 0.0
    for d in range(1, depth + 1):
        if d <= len(first):
            agreement = len(set(first[:d]) & set(second[:d])) / d
        total += p ** (d - 1) * agreement
    return (1 - p) * total


@given(rankings, rankings)
def test_equals_the_definition_for_lists_of_equal_length(first, second):
    size = min(len(first), len(second))
    assert rank_biased_overlap(first[:size], second[:size]) == pytest.approx(by_definition(first[:size], second[:size]), abs=1e-9)


@given(rankings, rankings)
def test_is_symmetric_and_between_zero_and_one(first, second):
    found = rank_biased_overlap(first, second)
    assert found == rank_biased_overlap(second, first)
    assert 0 <= found <= 1


@given(rankings)
def test_equal_rankings_agree_wholly_and_disjoint_ones_not_at_all(ranking):
    assert rank_biased_overlap(ranking, ranking) == pytest.approx(1)
    assert rank_biased_overlap(ranking, [item + 100 for item in ranking]) == 0


def test_lists_of_unequal_length_by_hand():
    # Equation 32 with S = a, L = b a, p = 1/2: X_1 = 0, X_2 = 1, s = 1, l = 2.
    # (1-p)/p * (0/1 p + 1/2 p^2 + 0 (2-1)/(1*2) p^2) + ((1 - 0)/2 + 0/1) p^2 = 1/8 + 1/8
    assert rank_biased_overlap("a", "ba", 0.5) == pytest.approx(0.25)


def test_an_early_swap_weighs_more_than_a_late_one():
    assert rank_biased_overlap("abcdef", "bacdef") < rank_biased_overlap("abcdef", "abcdfe")


def test_an_empty_ranking_has_no_agreement():
    assert rank_biased_overlap([], "abc") is None


@pytest.mark.parametrize("p", [0, 1, -0.1])
def test_persistence_lies_between_zero_and_one(p):
    with pytest.raises(ValueError, match=f"p is {p}"):
        rank_biased_overlap("ab", "ba", p)


def test_an_item_twice_in_a_ranking_is_refused():
    with pytest.raises(ValueError, match="twice"):
        rank_biased_overlap("aa", "ab")


def test_only_here_and_everywhere():
    tops = {"x": ["a", "b", "c"], "y": ["c", "b", "d"], "z": ["b"]}
    assert only_here(tops) == {"x": ("a",), "y": ("d",), "z": ()}
    assert everywhere(tops) == ("b",)
    assert everywhere({}) == ()
