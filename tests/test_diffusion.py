"""Personalized PageRank against three independent routes: a dense solve, NetworkX and igraph."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import SuperLU

from workbench import diffusion, elimination
from workbench.diffusion import FACTORISE_AFTER, Diffusion
from workbench.elimination import Reduced
from workbench.errors import NotConverged

Floats = NDArray[np.float64]
Way = Callable[[Floats, bool], Floats]
AGREE = 1e-8
many = settings(max_examples=50, deadline=None)

weights = st.floats(1e-3, 1e3)
alphas = st.sampled_from([0.0, 0.3, 0.5, 0.85, 0.95, 0.99])


@st.composite
def graphs(draw: st.DrawFn, directed: bool = False, max_nodes: int = 9) -> Floats:
    """Dense weights: sparse enough for isolated (directed: dangling) nodes and several components; self-loops only directed."""
    n = draw(st.integers(1, max_nodes))
    w = np.zeros((n, n))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    for (u, v), weight in draw(st.dictionaries(pairs, weights, max_size=2 * n)).items():
        if directed:
            w[u, v] = weight
        elif u != v:
            w[u, v] = w[v, u] = weight
    return w


@st.composite
def seeds_for(draw: st.DrawFn, n: int) -> Floats:
    """Non-negative seeds, not all zero; some on isolated nodes."""
    values = draw(st.lists(st.one_of(st.just(0.0), st.floats(1e-3, 1e3)), min_size=n, max_size=n))
    if not any(values):
        values[draw(st.integers(0, n - 1))] = 1.0
    return np.array(values)


def dense(w: Floats, seeds: Floats, alpha: float) -> Floats:
    """The fixed point by a dense solve of x = alpha (M' + s d') x + (1 - alpha) s, with d marking dangling nodes."""
    s = seeds / seeds.sum()
    degree = w.sum(axis=1)
    transition = np.divide(w, degree[:, None], out=np.zeros_like(w), where=degree[:, None] > 0).T
    google = transition + np.outer(s, degree == 0)
    return np.linalg.solve(np.eye(len(w)) - alpha * google, (1 - alpha) * s)


def by_networkx(w: Floats, seeds: Floats, alpha: float) -> Floats:
    """NetworkX stops when a step is below n * tol, and the error is up to alpha / (1 - alpha) steps: hence the small tol."""
    graph = nx.from_numpy_array(w, create_using=nx.DiGraph)
    found = nx.pagerank(graph, alpha, personalization=dict(enumerate(seeds)), max_iter=100_000, tol=1e-11 * (1 - alpha) / len(w))
    return np.array([found[node] for node in range(len(w))])


def by_igraph(w: Floats, seeds: Floats, alpha: float) -> Floats:
    """igraph's PRPACK: since 0.9 a walk stuck on a node without edges restarts at the reset distribution, as NetworkX has it."""
    graph = igraph.Graph.Weighted_Adjacency(w.tolist(), mode="directed")
    return np.array(graph.personalized_pagerank(damping=alpha, reset=seeds.tolist(), weights="weight", implementation="prpack"))


class ByInverse(Diffusion):
    """Small graphs that have been asked often."""

    def _choose(self) -> Way:
        return self._by_inverse


class ByFactors(Diffusion):
    """Small graphs at first, directed graphs, middling ones that have been asked often."""

    def _choose(self) -> Way:
        return self._by_factors


class ByConjugateGradients(Diffusion):
    """Middling symmetric graphs at first."""

    def _choose(self) -> Way:
        return self._by_conjugate_gradients


class Eliminating(ByConjugateGradients):
    """Large symmetric graphs."""

    @cached_property
    def _symmetric(self) -> tuple[Reduced, Floats]:
        whole, root = super()._symmetric
        return Reduced.of(whole.matrix), root


def all_routes(w: Floats, alpha: float) -> list[Diffusion]:
    """One diffusion for each way of solving that suits the graph."""
    ways = [ByInverse, ByFactors] + [ByConjugateGradients, Eliminating] * bool((w == w.T).all())
    return [way(sparse.csr_array(w), alpha) for way in ways]


# Worked by hand ------------------------------------------------------------------------------------------------------------


def test_two_nodes_by_hand() -> None:
    # x0 = 1/2 x1 + 1/2, x1 = 1/2 x0: x0 = 2/3, x1 = 1/3.
    assert Diffusion(sparse.csr_array([[0, 1.0], [1, 0]]), 0.5).solve([1, 0]) == pytest.approx([2 / 3, 1 / 3], abs=1e-10)


def test_weighted_path_by_hand() -> None:
    # Weights 1 - 3 along a - b - c, alpha 1/2, seed on a. a = b/8 + 1/2, b = (a + c)/2, c = 3b/8.
    # b = (b/8 + 1/2 + 3b/8)/2 = b/4 + 1/4: b = 1/3, a = 13/24, c = 1/8.
    w = sparse.csr_array([[0, 1.0, 0], [1, 0, 3], [0, 3, 0]])
    assert Diffusion(w, 0.5).solve([1, 0, 0]) == pytest.approx([13 / 24, 1 / 3, 1 / 8], abs=1e-10)


def test_dangling_mass_returns_to_the_seeds_by_hand() -> None:
    # a -> b, b dangling, c isolated and seeded: s = (1/2, 0, 1/2), alpha 1/2. With lost mass m = b + c: a = m/4 + 1/4 = c and
    # b = a/2. m = 3a/2, so a = 3a/8 + 1/4 = 2/5, b = 1/5, c = 2/5.
    w = sparse.csr_array(([1.0], ([0], [1])), shape=(3, 3))
    assert Diffusion(w, 0.5).solve([1, 0, 1]) == pytest.approx([2 / 5, 1 / 5, 2 / 5], abs=1e-10)
    assert by_igraph(w.toarray(), np.array([1.0, 0, 1]), 0.5) == pytest.approx([2 / 5, 1 / 5, 2 / 5], abs=1e-10)


def test_first_steps_of_the_iteration_by_hand() -> None:
    # The weighted path above from (1, 0, 0): x1 = (1/2, 1/2, 0); x2 = (1/16 + 1/2, 1/4, 3/16).
    trace = Diffusion(sparse.csr_array([[0, 1.0, 0], [1, 0, 3], [0, 3, 0]]), 0.5).trace([2, 0, 0])
    assert [step.iteration for step in trace.steps[:3]] == [0, 1, 2]
    assert trace.steps[0].x.tolist() == [1, 0, 0]
    assert trace.steps[1].x == pytest.approx([1 / 2, 1 / 2, 0], abs=1e-15)
    assert trace.steps[1].residual == pytest.approx(1.0, abs=1e-15)
    assert trace.steps[2].x == pytest.approx([9 / 16, 1 / 4, 3 / 16], abs=1e-15)
    assert trace.steps[2].residual == pytest.approx(1 / 16 + 1 / 4 + 3 / 16, abs=1e-15)


def test_the_trace_shows_the_mass_that_dangled() -> None:
    w = sparse.csr_array(([1.0], ([0], [1])), shape=(2, 2))
    steps = Diffusion(w, 0.5).trace([1, 0]).steps
    # (1, 0) -> (1/2, 1/2) -> lost 1/2 returns: (1/2 * 1/2 + 1/2, 1/4).
    assert [step.dangling for step in steps[:3]] == [0, 0, 0.5]
    assert steps[2].x == pytest.approx([3 / 4, 1 / 4], abs=1e-15)


# Against the three oracles -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [False, True])
@many
@given(data=st.data(), alpha=alphas)
def test_solve_agrees_with_a_dense_solve_networkx_and_igraph(directed: bool, data: st.DataObject, alpha: float) -> None:
    w = data.draw(graphs(directed=directed))
    seeds = data.draw(seeds_for(len(w)))
    expected = dense(w, seeds, alpha)
    for walk in all_routes(w, alpha):
        x = walk.solve(seeds)
        assert np.abs(x - expected).sum() < 1e-9
        assert (x >= 0).all()
        assert x.sum() == pytest.approx(1, abs=1e-12)
    assert np.abs(x - by_networkx(w, seeds, alpha)).sum() < AGREE
    if alpha:  # PRPACK does not take a damping of 0
        assert np.abs(x - by_igraph(w, seeds, alpha)).sum() < AGREE


def test_solve_agrees_on_a_larger_graph() -> None:
    graph = nx.barabasi_albert_graph(400, 2, seed=3)
    graph.add_nodes_from(range(400, 420))
    rng = np.random.default_rng(5)
    w = nx.to_numpy_array(graph) * 1.0
    w = np.triu(w * rng.uniform(0.1, 5, w.shape))
    w += w.T
    seeds = np.where(rng.random(420) < 0.05, rng.random(420), 0.0)
    expected = dense(w, seeds, 0.85)
    for walk in all_routes(w, 0.85):
        assert np.abs(walk.solve(seeds) - expected).sum() < 1e-10
    assert np.abs(expected - by_networkx(w, seeds, 0.85)).sum() < AGREE
    assert np.abs(expected - by_igraph(w, seeds, 0.85)).sum() < AGREE


@pytest.mark.parametrize("directed", [False, True])
@many
@given(data=st.data(), alpha=alphas)
def test_the_trace_converges_to_the_solution(directed: bool, data: st.DataObject, alpha: float) -> None:
    w = data.draw(graphs(directed=directed))
    seeds = data.draw(seeds_for(len(w)))
    walk = Diffusion(sparse.csr_array(w), alpha)
    trace = walk.trace(seeds)
    # A step is at most 2 alpha^k, so the cap suffices where ln 2 / -ln alpha < 20; above, the trace says how it stands.
    assert trace.converged or alpha == 0.99
    assert trace.converged == (trace.steps[-1].residual <= trace.tol)
    if not trace.converged:
        return
    # The step is no error: alpha / (1 - alpha) of it is.
    assert np.abs(trace.x - walk.solve(seeds)).sum() <= trace.tol * alpha / (1 - alpha) + 2e-10
    assert all(step.x.sum() == pytest.approx(1, abs=1e-9) for step in trace.steps)
    assert len(trace.steps) - 1 <= 20 + (math.ceil(math.log(1e-10) / math.log(alpha)) if alpha else 0)


@many
@given(data=st.data())
def test_residuals_shrink_by_alpha_a_step(data: st.DataObject) -> None:
    w = data.draw(graphs(directed=True))
    residuals = [step.residual for step in Diffusion(sparse.csr_array(w), 0.7).trace(data.draw(seeds_for(len(w)))).steps]
    assert all(after <= 0.7 * before + 1e-15 for before, after in pairwise(residuals[1:]))


# Laws ----------------------------------------------------------------------------------------------------------------------


@many
@given(data=st.data(), factor=st.sampled_from([1e-250, 1e-9, 7.0, 1e250]))
def test_scaling_the_seeds_changes_nothing(data: st.DataObject, factor: float) -> None:
    w = data.draw(graphs())
    seeds = data.draw(seeds_for(len(w)))
    walk = Diffusion(sparse.csr_array(w))
    assert walk.solve(seeds * factor) == pytest.approx(walk.solve(seeds), abs=1e-12)


@many
@given(data=st.data(), factor=st.sampled_from([1e-9, 7.0, 1e9]))
def test_scaling_the_weights_changes_nothing(data: st.DataObject, factor: float) -> None:
    w = data.draw(graphs())
    seeds = data.draw(seeds_for(len(w)))
    expected = Diffusion(sparse.csr_array(w)).solve(seeds)
    assert Diffusion(sparse.csr_array(w * factor)).solve(seeds) == pytest.approx(expected, abs=1e-9)


@many
@given(data=st.data())
def test_without_damping_the_solution_is_the_seeds(data: st.DataObject) -> None:
    w = data.draw(graphs(directed=True))
    seeds = data.draw(seeds_for(len(w)))
    assert Diffusion(sparse.csr_array(w), 0).solve(seeds) == pytest.approx(seeds / seeds.sum(), abs=1e-15)


@many
@given(data=st.data())
def test_a_relabelled_graph_gives_relabelled_scores(data: st.DataObject) -> None:
    w = data.draw(graphs())
    seeds = data.draw(seeds_for(len(w)))
    order = data.draw(st.permutations(range(len(w))))
    relabelled = Diffusion(sparse.csr_array(w[np.ix_(order, order)])).solve(seeds[order])
    assert relabelled == pytest.approx(Diffusion(sparse.csr_array(w)).solve(seeds)[order], abs=1e-9)


@pytest.mark.parametrize("directed", [False, True])
@many
@given(data=st.data(), q=st.integers(1, 12))
def test_a_block_is_solved_column_by_column(directed: bool, data: st.DataObject, q: int) -> None:
    w = data.draw(graphs(directed=directed))
    block = np.stack([data.draw(seeds_for(len(w))) for _ in range(q)], axis=1)
    block[:, q // 2] = 0
    x = Diffusion(sparse.csr_array(w)).solve(block)
    assert x.shape == block.shape
    assert not x[:, q // 2].any()
    for column in set(range(q)) - {q // 2}:
        assert x[:, column] == pytest.approx(dense(w, block[:, column], 0.85), abs=1e-9)


@many
@given(data=st.data())
def test_a_node_without_edges_and_seed_changes_nobody(data: st.DataObject) -> None:
    w = data.draw(graphs())
    seeds = data.draw(seeds_for(len(w)))
    larger = np.pad(w, (0, 1))
    x = Diffusion(sparse.csr_array(larger)).solve(np.append(seeds, 0.0))
    assert x[-1] == 0
    assert x[:-1] == pytest.approx(Diffusion(sparse.csr_array(w)).solve(seeds), abs=1e-10)


def test_no_seeds_give_zeros() -> None:
    walk = Diffusion(sparse.csr_array([[0, 1.0], [1, 0]]))
    assert walk.solve([0, 0]).tolist() == [0, 0]
    trace = walk.trace([0, 0])
    assert (len(trace.steps), trace.converged, trace.x.tolist()) == (1, True, [0, 0])


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_graph_without_edges(n: int) -> None:
    walk = Diffusion(sparse.csr_array((n, n)))
    seeds = np.arange(n) + 1.0
    assert walk.solve(seeds) == pytest.approx(seeds / seeds.sum() if n else seeds, abs=1e-12)
    assert walk.solve(np.ones((n, 2))).shape == (n, 2)
    assert walk.solve(np.ones((n, 0))).shape == (n, 0)


# Attribution ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [False, True])
@many
@given(data=st.data(), alpha=alphas)
def test_attribution_splits_a_score_over_the_seeds(directed: bool, data: st.DataObject, alpha: float) -> None:
    w = data.draw(graphs(directed=directed))
    seeds = data.draw(seeds_for(len(w)))
    node = data.draw(st.integers(0, len(w) - 1))
    x = dense(w, seeds, alpha)
    # Independent of the transposed solve: for a seed u alone the visits to the node are the column u of (I - alpha M')^-1;
    # all scores are normalised by the same total, that of the whole solution.
    degree = w.sum(axis=1)
    transition = np.divide(w, degree[:, None], out=np.zeros_like(w), where=degree[:, None] > 0).T
    visits = np.linalg.solve(np.eye(len(w)) - alpha * transition, np.diag(seeds / seeds.sum()))
    expected = visits[node] / visits.sum()
    for walk in all_routes(w, alpha):
        parts = walk.attribute(seeds, node)
        assert parts.sum() == pytest.approx(x[node], abs=1e-9)
        assert parts == pytest.approx(expected, abs=1e-8)
        assert not parts[seeds == 0].any()
        assert (parts >= 0).all()
        assert walk.attribute(seeds, node, walk.solve(seeds)) == pytest.approx(parts, abs=1e-9)


@many
@given(data=st.data())
def test_without_dangling_nodes_a_part_is_the_solution_for_that_seed_alone(data: st.DataObject) -> None:
    # With dangling nodes it is not: their mass returns to all seeds, so a seed's own walk depends on the others.
    w = data.draw(graphs())
    if not (w.sum(axis=1) > 0).all():
        w += 1 - np.eye(len(w)) if len(w) > 1 else 1
    seeds = data.draw(seeds_for(len(w)))
    walk = Diffusion(sparse.csr_array(w))
    node = data.draw(st.integers(0, len(w) - 1))
    alone = [share * walk.solve(np.eye(len(w))[u])[node] for u, share in enumerate(seeds / seeds.sum())]
    assert walk.attribute(seeds, node) == pytest.approx(alone, abs=1e-8)


def test_a_node_that_no_seed_reaches_has_no_parts() -> None:
    walk = Diffusion(sparse.csr_array((3, 3)))
    assert walk.attribute([1, 0, 0], 2).tolist() == [0, 0, 0]


def test_attribution_holds_across_weights_of_very_different_size() -> None:
    # A heavy hub and light leaves: the transposed system sees the degrees, which span ten orders of magnitude.
    w = np.zeros((5, 5))
    for u, v, weight in ((0, 1, 1e6), (0, 2, 1e-4), (2, 3, 1e-4), (1, 4, 1e-2)):
        w[u, v] = w[v, u] = weight
    seeds = np.ones(5)
    visits = np.linalg.solve(np.eye(5) - 0.85 * (w / w.sum(axis=1)[:, None]).T, np.eye(5))
    for walk in all_routes(w, 0.85):
        for node in range(5):
            assert walk.attribute(seeds, node) == pytest.approx(visits[node] / visits.sum(), abs=1e-9)


# Routes and failures -------------------------------------------------------------------------------------------------------


def routes_of(walk: Diffusion, questions: int) -> list[str]:
    """The names of the ways that a diffusion takes for so many questions, one after the other."""
    taken: list[str] = []
    choose = walk._choose

    def noted() -> Way:
        way = choose()
        taken.append(way.__name__)
        return way

    walk._choose = noted  # type: ignore[method-assign]
    for _ in range(questions):
        walk.solve(np.ones(walk.n))
    return taken


def cycle(n: int) -> sparse.csr_array:
    return sparse.csr_array(nx.to_scipy_sparse_array(nx.cycle_graph(n), dtype=float))


def test_a_small_graph_is_factorised_and_then_inverted() -> None:
    assert routes_of(Diffusion(cycle(10)), 7) == ["_by_factors"] * 5 + ["_by_inverse"] * 2


def test_a_larger_graph_is_factorised_once_that_pays() -> None:
    expected = ["_by_conjugate_gradients"] * FACTORISE_AFTER + ["_by_factors"] * 2
    assert routes_of(Diffusion(cycle(diffusion.INVERT_BELOW + 1)), FACTORISE_AFTER + 2) == expected


def test_a_directed_graph_is_always_factorised() -> None:
    n = diffusion.INVERT_BELOW + 1
    w = sparse.csr_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
    assert routes_of(Diffusion(w), 3) == ["_by_factors"] * 3


def test_a_large_graph_agrees_with_the_iteration() -> None:
    n = diffusion.REDUCE_FROM
    graph = nx.to_scipy_sparse_array(nx.barabasi_albert_graph(n, 2, seed=2), dtype=float)
    walk, seeds = Diffusion(graph), np.where(np.arange(n) % 500 == 0, 1.0, 0.0)
    x = walk.solve(seeds)
    assert walk._symmetric[0].rounds
    assert np.abs(x - walk.trace(seeds, tol=1e-12).x).sum() < 2e-10
    assert walk.attribute(seeds, 7, x).sum() == pytest.approx(x[7], abs=1e-12)


def test_nodes_are_eliminated_only_from_large_graphs() -> None:
    assert not Diffusion(cycle(diffusion.REDUCE_FROM - 1))._symmetric[0].rounds
    assert Diffusion(cycle(diffusion.REDUCE_FROM))._symmetric[0].rounds


def test_a_graph_that_is_only_nearly_symmetric_is_solved_as_directed() -> None:
    # A one-way edge that is tiny beside another weight is still all that leads away from its node.
    w = np.zeros((4, 4))
    w[0, 1] = w[1, 0] = 1e13
    w[2, 3] = 1.0
    assert np.abs(Diffusion(sparse.csr_array(w)).solve([1, 0, 1, 0]) - dense(w, np.array([1.0, 0, 1, 0]), 0.85)).sum() < 1e-9


@pytest.mark.parametrize("way", [ByInverse, ByFactors, ByConjugateGradients, Eliminating])
def test_an_error_bound_that_cannot_be_met_is_reported(way: type[Diffusion]) -> None:
    graph = nx.to_scipy_sparse_array(nx.barabasi_albert_graph(60, 2, seed=1), dtype=float)
    with pytest.raises(NotConverged, match=r"L1 error of .*1\.0e-18 was asked for"):
        way(graph, 0.99, tol=1e-18).solve(np.arange(60.0))


class OffByOneInAMillion:
    """Factors of a slightly different system."""

    def __init__(self, factors: SuperLU) -> None:
        self.factors = factors

    def solve(self, b: Floats, trans: str = "N") -> Floats:
        return self.factors.solve(b, trans) * (1 + 1e-6 * (np.arange(len(b)) == 1)).reshape(-1, *[1] * (b.ndim - 1))


@pytest.mark.parametrize("way", [ByInverse, ByFactors])
def test_wrong_factors_are_noticed(way: type[Diffusion], monkeypatch: pytest.MonkeyPatch) -> None:
    factor = diffusion.splu
    monkeypatch.setattr(diffusion, "splu", lambda *given, **options: OffByOneInAMillion(factor(*given, **options)))
    with pytest.raises(NotConverged):
        way(cycle(5)).solve([1, 0, 0, 0, 0])
    with pytest.raises(NotConverged):
        way(cycle(5)).attribute([1, 0, 0, 0, 0], 2, x=np.full(5, 0.2))


@pytest.mark.parametrize("way", [ByConjugateGradients, Eliminating])
def test_a_wrong_iterate_is_noticed(way: type[Diffusion], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elimination, "conjugate_gradients", lambda matrix, b, *given: b / 0.15)
    graph = sparse.csr_array(np.ones((6, 6)) - np.eye(6))
    with pytest.raises(NotConverged):
        way(graph).solve([1, 0, 0, 0, 0, 0])
    with pytest.raises(NotConverged):
        way(graph).attribute([1, 0, 0, 0, 0, 0], 2, x=np.full(6, 1 / 6))


def test_a_cap_that_is_hit_is_flagged() -> None:
    walk = Diffusion(sparse.csr_array([[0, 1.0], [1, 0]]))
    trace = walk.trace([1, 0], max_steps=5)
    assert (len(trace.steps), trace.converged) == (6, False)
    assert trace.steps[-1].residual == pytest.approx(2 * 0.85**5, rel=0.5)


def test_a_high_alpha_gets_the_steps_it_needs() -> None:
    # 0.95 needs 449 steps at 1e-10: a fixed cap of 200 would never do.
    trace = Diffusion(sparse.csr_array([[0, 1.0], [1, 0]]), 0.95).trace([1, 0])
    assert trace.converged
    assert 400 < len(trace.steps) <= 449 + 21


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[0.0, 1, 2], [1, 0, 0]], r"shape \(2, 3\); a square matrix"),
        ([[0, -1.0], [1, 0]], "negative or non-finite"),
        ([[0, np.nan], [1, 0]], "negative or non-finite"),
        ([[0, np.inf], [1, 0]], "negative or non-finite"),
    ],
)
def test_bad_weights_are_refused(weights: list[list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Diffusion(sparse.csr_array(np.array(weights)))


@pytest.mark.parametrize("alpha", [1.0, -0.1, 2, math.nan])
def test_bad_alpha_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match=r"alpha is .*\[0, 1\)"):
        Diffusion(sparse.csr_array((2, 2)), alpha)


@pytest.mark.parametrize("tol", [0.0, -1e-9, 1.0, math.nan])
def test_bad_tolerances_are_refused(tol: float) -> None:
    with pytest.raises(ValueError, match=r"tol is .*\(0, 1\)"):
        Diffusion(sparse.csr_array((2, 2)), tol=tol)
    with pytest.raises(ValueError, match=r"tol is .*\(0, 1\)"):
        Diffusion(sparse.csr_array((2, 2))).trace([1, 0], tol=tol)


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ([1.0], r"shape \(1,\)"),
        ([[1.0, 0, 0]], r"shape \(1, 3\)"),
        (1.0, r"shape \(\)"),
        ([1.0, -1], "negative or non-finite"),
        ([1.0, np.nan], "negative or non-finite"),
        ([1.0, np.inf], "negative or non-finite"),
    ],
)
def test_bad_seeds_are_refused(seeds: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Diffusion(sparse.csr_array([[0, 1.0], [1, 0]])).solve(seeds)


def test_a_trace_takes_one_vector() -> None:
    with pytest.raises(ValueError, match=r"one seed vector, not a block of shape \(2, 3\)"):
        Diffusion(sparse.csr_array([[0, 1.0], [1, 0]])).trace(np.ones((2, 3)))
