"""Session mapping and the range that ties leave open."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.evaluate.ranks import reciprocal_rank_range, sessions_of
from workbench.records import Hit


def hits(*sessions: str) -> list[Hit]:
    return [Hit(f"{session}#{rank}", session, rank, -float(rank), rank) for rank, session in enumerate(sessions, 1)]


def test_sessions_count_once_at_their_best_note() -> None:
    assert sessions_of(hits("b", "a", "b", "c", "a")) == ("b", "a", "c")


def test_depth_counts_sessions_and_not_notes() -> None:
    """Forty sessions are read although they take more than forty notes; the forty-first is not."""
    names = [f"s{i}" for i in range(41)]
    doubled = [name for name in names for _ in range(2)]
    assert sessions_of(hits(*doubled)) == tuple(names[:40])


def slow_range(ranked: list[tuple[str, int]], relevant: set[str]) -> tuple[float, float]:
    """Reciprocal ranks over every order within blocks."""
    found = set()
    for order in permutations(range(len(ranked))):
        blocks = [ranked[at][1] for at in order]
        if blocks == sorted(blocks):
            unique = list(dict.fromkeys(ranked[at][0] for at in order))
            found.add(next((1 / rank for rank, item in enumerate(unique, 1) if item in relevant), 0.0))
    return (min(found), max(found))


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 3)), max_size=6), st.sets(st.sampled_from("abcd"), min_size=1))
def test_range_covers_exactly_the_orders_within_ties(ranked: list[tuple[str, int]], relevant: set[str]) -> None:
    ranked = sorted(ranked, key=lambda item: item[1])
    assert reciprocal_rank_range(ranked, relevant) == pytest.approx(slow_range(ranked, relevant))


def test_beyond_the_depth_counts_as_not_found() -> None:
    assert reciprocal_rank_range([("a", 1), ("b", 2), ("gold", 3)], {"gold"}, depth=2) == (0.0, 0.0)
