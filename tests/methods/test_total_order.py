"""When two scores count as equal, and what comes first then (design 3, decision 7)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.methods.base import Scored, comparable, total_order
from workbench.records import Why

sizes = st.sampled_from([1e-200, 1e-9, 1e-3, 1.0, 7.3, 1e5, 1e200])


def order(
    scores: list[float], tie: str, rows: list[int], ids: list[str], decimals: int | None = None
) -> tuple[list[int], list[int]]:
    scored = Scored(np.array(rows, np.int64), np.array(scores), lambda row: Why(), decimals=decimals)
    return total_order(scored, ids, tie)  # type: ignore[arg-type]


@given(size=sizes, sign=st.sampled_from([1, -1]))
def test_lexical_scores_compare_by_twelve_significant_digits(size: float, sign: int) -> None:
    base = 1.23456789012 * size * sign
    one, same, other = comparable(np.array([base, base * (1 + 1e-14), base * (1 + 1e-11)]), None).tolist()
    assert one == same
    assert one != other
    assert one == pytest.approx(base, rel=1e-11)


def test_zero_and_what_is_next_to_nothing_compare_as_zero() -> None:
    assert comparable(np.array([0.0, -0.0, 1e-300, 5e-324, 1.0]), None).tolist() == [0, 0, 0, 0, 1]


def test_walk_scores_compare_after_rounding_to_nine_decimals() -> None:
    assert comparable(np.array([0.1, 0.1 + 4e-10, 0.1 + 6e-10]), 9).tolist() == [0.1, 0.1, 0.100000001]


def test_summation_order_cannot_flip_a_tie() -> None:
    # 0.1 + 0.2 + 0.3 differs from 0.3 + 0.2 + 0.1 in the last bit.
    scores = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]
    assert scores[0] != scores[1]
    assert order(scores, "newest", [0, 1], ["a", "b"]) == ([1, 0], [1, 1])


@pytest.mark.parametrize(("tie", "expected"), [("newest", [1, 3, 0, 2]), ("oldest", [1, 2, 0, 3]), ("id", [1, 0, 2, 3])])
def test_the_tie_rule_orders_within_a_block(tie: str, expected: list[int]) -> None:
    # Candidates at rows 4, 0, 1, 9 (larger row: newer); the second scores best, the others tie.
    ids = ["x", "m", "", "", "a", "", "", "", "", "z"]
    assert order([1.0, 2.0, 1.0, 1.0], tie, [4, 0, 1, 9], ids) == (expected, [1, 2, 2, 2])


@given(
    scores=st.lists(st.sampled_from([0.0, 0.5, 0.5 + 1e-15, 1.0, -1.0]), max_size=8),
    tie=st.sampled_from(["newest", "oldest", "id"]),
)
def test_every_candidate_has_one_place_whatever_their_order(scores: list[float], tie: str) -> None:
    rows, ids = list(range(len(scores))), [f"n{i}" for i in range(len(scores))]
    placed, blocks = order(scores, tie, rows, ids)
    assert sorted(placed) == rows
    assert blocks == sorted(blocks)
    backwards, _ = order(scores[::-1], tie, rows[::-1], ids)
    assert [len(scores) - 1 - at for at in backwards] == placed
