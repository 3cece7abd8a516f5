"""Eliminating nodes: against a dense solve, and the laws that the solver rests on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from workbench import elimination
from workbench.elimination import FEW_EDGES, Reduced, conjugate_gradients, independent_nodes

Floats = NDArray[np.float64]
ALPHA = 0.85
many = settings(max_examples=50, deadline=None)


@st.composite
def systems(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """alpha D^-1/2 W D^-1/2 of a sparse graph with self-loops and isolated nodes, dense, and the roots of its degrees.

    Some have a core of five nodes that all have edges to each other: nothing else would outlast the elimination.
    """
    n = draw(st.integers(1, 14))
    w = np.zeros((n, n))
    if draw(st.booleans()):
        w[:5, :5] = 1 - np.eye(5)[:n, :n]
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    for (u, v), weight in draw(st.dictionaries(pairs, st.floats(1e-2, 1e2), max_size=2 * n)).items():
        w[u, v] = w[v, u] = weight
    degree = w.sum(axis=1)
    root = np.sqrt(np.where(degree > 0, degree, 1))
    return ALPHA * w / np.outer(root, root), root


@given(system=systems())
def test_independent_nodes_have_few_edges_and_none_among_each_other(system: tuple[Floats, Floats]) -> None:
    matrix, _ = system
    taken = independent_nodes(sparse.csr_array(matrix))
    assert not matrix[np.ix_(taken, taken)].any()
    assert ((matrix[taken] > 0).sum(axis=1) <= FEW_EDGES).all()


def test_a_path_in_the_order_of_its_labels_gives_many_nodes() -> None:
    n = 1_000
    path = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()
    assert independent_nodes(path).sum() > n / 4


@many
@given(system=systems(), data=st.data())
def test_the_reduced_system_has_the_solution_of_the_whole(system: tuple[Floats, Floats], data: st.DataObject) -> None:
    matrix, root = system
    n = len(root)
    b = np.array(data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))
    y = Reduced.of(sparse.csr_array(matrix)).solve(b, root, 1e-13, 1_000)
    assert y == pytest.approx(np.linalg.solve(np.eye(n) - matrix, b), abs=1e-10)


@many
@given(system=systems())
def test_rounds_keep_the_form_of_the_system_and_shorten_its_walks(system: tuple[Floats, Floats]) -> None:
    matrix, _ = system
    reduced = Reduced.of(sparse.csr_array(matrix))
    left = reduced.matrix.toarray()
    assert (left >= 0).all()
    assert left == pytest.approx(left.T, abs=1e-14)
    assert max(np.abs(np.linalg.eigvalsh(left)), default=0) <= ALPHA + 1e-12
    if reduced.rounds:
        assert not left.diagonal().any()
    # With few edges a node, eliminating never adds one.
    assert (left > 0).sum() <= (matrix > 0).sum()


@many
@given(system=systems(), data=st.data())
def test_a_loose_stop_bounds_the_weighted_residual_of_the_whole_system(
    system: tuple[Floats, Floats], data: st.DataObject
) -> None:
    matrix, root = system
    n = len(root)
    b = np.array(data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))
    y = Reduced.of(sparse.csr_array(matrix)).solve(b, root, 0.01, 1_000)
    assert (np.abs(b - y + matrix @ y) * root).sum() <= 0.01 + 1e-12


@many
@given(system=systems(), data=st.data())
def test_the_smaller_residual_weighs_what_that_of_the_whole_weighs(system: tuple[Floats, Floats], data: st.DataObject) -> None:
    matrix, root = system
    n = len(root)
    b = np.array(data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))
    with pytest.MonkeyPatch.context() as patch:
        # Nothing is solved in the smaller system: its right-hand side is its residual.
        seen: list[float] = []
        patch.setattr(elimination, "conjugate_gradients", lambda m, b, weight, *_: seen.append(b @ weight) or np.zeros(len(b)))
        y = Reduced.of(sparse.csr_array(matrix)).solve(b, root, 0.0, 0)
    assert seen == [pytest.approx((np.abs(b - y + matrix @ y) * root).sum(), rel=1e-9, abs=1e-12)]


def test_conjugate_gradients_stop_at_their_cap() -> None:
    matrix = sparse.csr_array(ALPHA * np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]) / np.sqrt(2))
    b = np.array([1.0, 0, 0])
    assert conjugate_gradients(matrix, b, np.ones(3), 0.0, 0).tolist() == [0, 0, 0]
    one, three = (conjugate_gradients(matrix, b, np.ones(3), 0.0, cap) for cap in (1, 3))
    exact = np.linalg.solve(np.eye(3) - matrix.toarray(), b)
    assert np.abs(one - exact).max() > 0.01
    assert three == pytest.approx(exact, abs=1e-12)
