"""Walks, flows and concentration against brute force and worked values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from workbench.diffusion import Diffusion
from workbench.graph import Edges
from workbench.walks import carried_by_kind, concentration, strongest_walks, total_variation


def slow_walks(diffusion: Diffusion, seeds: np.ndarray, node: int, length: int) -> list[float]:
    """The shares of all walks of at most ``length`` steps that end in a node, largest first."""
    s, step = seeds / seeds.sum(), diffusion.transition.toarray()
    x = diffusion.solve(s)
    scale = 1 - diffusion.alpha + diffusion.alpha * x[diffusion.is_dangling].sum()
    found, frontier = [], [(1.0, node)]
    for _ in range(length + 1):
        found += [scale * weight * s[head] for weight, head in frontier if s[head] > 0]
        frontier = [(weight * diffusion.alpha * step[h, u], u) for weight, h in frontier for u in np.flatnonzero(step[h])]
    return sorted(found, reverse=True)


@st.composite
def small_graphs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(2, 5))
    upper = draw(st.lists(st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0]), min_size=n * n, max_size=n * n))
    weights = np.triu(np.array(upper).reshape(n, n), 1)
    seeds = np.array(draw(st.lists(st.sampled_from([0.0, 1.0, 3.0]), min_size=n, max_size=n)))
    return weights + weights.T, seeds


@settings(deadline=None, max_examples=60)
@given(small_graphs(), st.integers(0, 1))
def test_strongest_walks_are_the_largest_of_all_walks(case: tuple[np.ndarray, np.ndarray], node: int) -> None:
    weights, seeds = case
    if not seeds.any():
        assert strongest_walks(Diffusion(sparse.csr_array(weights)), seeds, node) == []
        return
    diffusion = Diffusion(sparse.csr_array(weights), alpha=0.5)
    walks = strongest_walks(diffusion, seeds, node, k=4)
    expected = slow_walks(diffusion, seeds, node, length=7)
    # Walks longer than seven steps bring at most 0.5 ** 8 each; only larger ones are compared.
    large = [share for share in expected if share > 0.5**8][:4]
    assert [walk.share for walk in walks][: len(large)] == pytest.approx(large)
    assert all(walk.nodes[-1] == node and seeds[walk.nodes[0]] > 0 for walk in walks)


def test_all_walks_together_are_the_score() -> None:
    """On a path of two nodes the walks of 0, 2, 4 ... steps from the seed form a geometric series."""
    diffusion = Diffusion(sparse.csr_array([[0, 1.0], [1.0, 0]]), alpha=0.5)
    walks = strongest_walks(diffusion, [1.0, 0.0], 0, k=30)
    assert [walk.share for walk in walks[:3]] == pytest.approx([0.5, 0.125, 0.03125])
    assert sum(walk.share for walk in walks) == pytest.approx(diffusion.solve([1.0, 0.0])[0])


def test_a_node_that_no_seed_reaches_has_no_walk() -> None:
    diffusion = Diffusion(sparse.csr_array((3, 3)))
    assert strongest_walks(diffusion, [1.0, 0, 0], 2) == []


def test_carried_mass_is_alpha_times_the_mass_that_can_leave() -> None:
    """Nodes 0-1 by kind a (weight 1), 1-2 by kind b (weight 3); node 3 has no edge."""
    edges = {"a": Edges.of([(0, 1, 1.0)]), "b": Edges.of([(1, 2, 3.0)])}
    weights = sparse.csr_array(([1, 1, 3, 3], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(4, 4), dtype=float)
    diffusion = Diffusion(weights, alpha=0.8)
    x = np.array([0.2, 0.4, 0.3, 0.1])
    carried = carried_by_kind(diffusion, edges, {"a": 1.0, "b": 1.0}, x)
    assert carried["a"] == pytest.approx(0.8 * (0.2 + 0.4 / 4))
    assert carried["b"] == pytest.approx(0.8 * (0.4 * 3 / 4 + 0.3))
    assert sum(carried.values()) == pytest.approx(0.8 * 0.9)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_concentration_lies_in_its_bounds(mass: list[float]) -> None:
    found = concentration(mass)
    if sum(mass) == 0:
        assert found is None
        return
    n = len(mass)
    assert -1e-12 <= found.entropy <= np.log(n) + 1e-9
    assert 1 - 1e-9 <= found.effective <= n + 1e-6
    assert -1e-9 <= found.gini <= (n - 1) / n + 1e-9


def test_gini_of_a_worked_case() -> None:
    """Shares 1/6, 2/6, 3/6: the mean absolute difference is 4/27 * 3, half of it over the mean 1/3 gives 2/9."""
    assert concentration([1, 2, 3]).gini == pytest.approx(2 / 9)


def test_total_variation_of_nothing_is_not_available() -> None:
    assert total_variation([0, 0], [1, 0]) is None
    assert total_variation([2, 2], [1, 1]) == 0
