"""Personalized PageRank on a tag graph (TAGGRAPH 3.3.4): the fixed point to a stated error, the paper's iteration, and the
exact split of a score over the seeds it came from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from workbench.errors import NotConverged

Floats = NDArray[np.float64]
FACTORISE_AFTER = 8
NODES_A_QUERY = 200
"""A factorisation is taken to pay after 8 right-hand sides, and after one more for every 200 nodes, since its cost grows faster
than the graph (ours; measured in bench/ppr.py)."""
REDUCE_FROM = 5_000
"""Nodes from which some are eliminated before conjugate gradients; below, preparing that costs more than it saves (ours)."""
FACTORISE_BELOW = 20_000
"""Largest graph that is factorised: fill-in grows faster than the graph (ours)."""


@dataclass(frozen=True)
class Step:
    """One iterate of the power iteration.

    ``iteration`` counts from 0 (the seeds themselves). ``x`` has shape (n,) and sums to 1; ``residual`` is the L1 length of the
    step that led here; ``dangling`` is the mass that stood on nodes without edges before the step and went back to the seeds.
    """

    iteration: int
    x: Floats
    residual: float
    dangling: float


@dataclass(frozen=True)
class Trace:
    """The iterates from the seeds on. ``converged`` is False where the cap was hit first."""

    steps: tuple[Step, ...]
    converged: bool
    tol: float

    @property
    def x(self) -> Floats:
        """The last iterate."""
        return self.steps[-1].x


def _tolerance(tol: float) -> float:
    """An error bound that is in range; ValueError otherwise."""
    if not 0 < tol < 1:
        raise ValueError(f"tol is {tol}; it lies in (0, 1)")
    return float(tol)


def _dot(a: Floats, b: Floats) -> float:
    """The inner product without BLAS, whose threads cost more than they gain on vectors of this size."""
    return float(np.einsum("i,i->", a, b))


def conjugate_gradients(apply: Callable[[Floats], Floats], rhs: Floats, root: Floats, enough: float, cap: int) -> Floats:
    """Solve a symmetric positive definite system, stopping where the residual times ``root`` has an L1 norm of ``enough``.

    With ``root`` the square roots of the degrees that is the L1 residual of the system before it was made symmetric.
    """
    y = np.zeros(len(rhs))
    r = rhs.copy()
    p = r.copy()
    rr = _dot(r, r)
    for _ in range(cap):
        if _dot(np.abs(r), root) <= enough:
            break
        ap = apply(p)
        step = rr / _dot(p, ap)
        y += step * p
        r -= step * ap
        rr, before = _dot(r, r), rr
        p *= rr / before
        p += r
    return y


def independent_nodes(weights: sparse.csr_array, rounds: int = 3) -> NDArray[np.bool_]:
    """Nodes without edges among each other, (n,): those of less degree than their neighbours, and again in what is left.

    ``weights`` is symmetric. A node with an edge to itself is never taken.
    """
    n = weights.shape[0]
    degree = np.diff(weights.indptr)
    order = np.lexsort((np.arange(n), degree))
    priority = np.empty(n, np.int64)
    priority[order] = np.arange(n)
    sources = np.repeat(np.arange(n), degree)
    targets = weights.indices
    taken, is_open = np.zeros(n, bool), np.ones(n, bool)
    is_open[sources[sources == targets]] = False
    for _ in range(rounds):
        both = is_open[sources] & is_open[targets]
        beaten = np.zeros(n, bool)
        beaten[sources[both & (priority[targets] < priority[sources])]] = True
        chosen = is_open & ~beaten
        taken |= chosen
        is_open &= ~chosen
        is_open[targets[chosen[sources]]] = False
    return taken


class Diffusion:
    """Personalized PageRank, prepared once per graph and asked many times.

    The iteration is x(k+1) = alpha * M' x(k) + (1 - alpha) * s, where M is the row-stochastic form of ``weights`` and s the
    normalised seeds; mass on nodes without edges goes to s (NetworkX's rule, ours: the paper does not state one).

    Parameters
    ----------
    weights : sparse array, (n, n)
        Non-negative and finite; ``weights[u, v]`` is the edge from u to v. Symmetric for the symmetric reading.
    alpha : float in [0, 1)
        Probability to go on along an edge; 1 - alpha restarts at the seeds. 0.85 is NetworkX's default (ours).
    tol : float
        Bound on the L1 error of ``solve`` (ours).

    Raises
    ------
    ValueError
        If the weights are not square, negative or not finite, or alpha is out of range.

    Examples
    --------
    >>> import scipy.sparse
    >>> path = scipy.sparse.csr_array([[0, 1.0], [1.0, 0]])
    >>> Diffusion(path, alpha=0.5).solve([1, 0]).round(3).tolist()
    [0.667, 0.333]
    """

    def __init__(self, weights: sparse.sparray, alpha: float = 0.85, tol: float = 1e-10) -> None:
        matrix = sparse.csr_array(weights, dtype=np.float64)
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"weights have shape {matrix.shape}; a square matrix is needed")
        if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
            raise ValueError("weights hold negative or non-finite values; edge weights are finite and 0 or more")
        if not 0 <= alpha < 1:
            raise ValueError(f"alpha is {alpha}; it lies in [0, 1)")
        self.weights, self.alpha, self.tol = matrix, float(alpha), _tolerance(tol)
        self.n: int = matrix.shape[0]
        self.degree: Floats = np.asarray(matrix.sum(axis=1)).ravel()
        self.is_dangling = self.degree == 0
        self._asked = 0

    @cached_property
    def _inverse_degree(self) -> Floats:
        return np.asarray(np.divide(1.0, self.degree, out=np.zeros(self.n), where=~self.is_dangling))

    @cached_property
    def transition(self) -> sparse.csr_array:
        """M' as (n, n) CSR: column u holds the shares in which u passes its mass on."""
        return sparse.csr_array((self.weights * self._inverse_degree[:, None]).T)

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether every edge has the same weight in both directions, up to rounding of that weight (not of the largest one)."""
        there = self.weights.sorted_indices()
        back = sparse.csr_array(self.weights.T)
        if not (np.array_equal(there.indptr, back.indptr) and np.array_equal(there.indices, back.indices)):
            return False
        return bool((np.abs(there.data - back.data) <= 1e-12 * there.data).all())

    def _seeds(self, seeds: ArrayLike) -> Floats:
        """Seeds as floats, each column normalised to sum 1 (all-zero columns stay zero)."""
        s = np.asarray(seeds, dtype=np.float64)
        if s.ndim not in (1, 2) or s.shape[0] != self.n:
            raise ValueError(f"seeds have shape {s.shape}; ({self.n},) or ({self.n}, q) is needed")
        if not np.isfinite(s).all() or (s < 0).any():
            raise ValueError("seeds hold negative or non-finite values; seed weights are finite and 0 or more")
        # Dividing by the largest first keeps the sum of very large or very small weights representable.
        top = s.max(axis=0, initial=0.0)
        s = np.divide(s, top, out=np.zeros_like(s), where=top > 0)
        total = s.sum(axis=0)
        return np.asarray(np.divide(s, total, out=np.zeros_like(s), where=total > 0))

    # The fixed point ------------------------------------------------------------------------------------------------------

    def solve(self, seeds: ArrayLike) -> Floats:
        """The limit of the iteration, to an L1 error of at most ``tol``.

        Parameters
        ----------
        seeds : array_like, (n,) or (n, q)
            Non-negative; columns are scaled to sum 1. An all-zero column gives a zero column.

        Returns
        -------
        x : (n,) or (n, q), non-negative, each column summing to 1.

        Raises
        ------
        NotConverged
            If the error bound was not reached; the message states the bound that was.
        """
        s = self._seeds(seeds)
        block = s if s.ndim == 2 else s[:, None]
        x = np.zeros_like(block)
        for column in range(block.shape[1]):
            if block[:, column].any():
                y = self._inverse(block[:, column])
                x[:, column] = y / y.sum()
        return np.asarray(x.reshape(s.shape))

    def _inverse(self, b: Floats, transposed: bool = False) -> Floats:
        """(I - alpha M')^-1 b, or with the transposed system; b is non-negative and so is the result."""
        if self.alpha == 0 or self.n == 0:
            return b.copy()
        self._asked += 1
        if self.is_symmetric:
            # M' = W D^-1 = D^1/2 N D^-1/2 with N symmetric: both systems are the one in N, seen through the degrees.
            _, root = self._normalised
            rhs = b * root if transposed else b / root
            # The bound of `_check` turned round, with room for rounding: mass that can walk is 1 / (1 - alpha) times more in y.
            enough = 0.25 * self.tol * (b.sum() - self.alpha * b[self.is_dangling].sum())
            if self._pays_to_factorise():
                y = self._factors.solve(rhs)
            elif self._pays_to_eliminate():
                y = self._reduced_conjugate_gradients(rhs, enough)
            else:
                y = conjugate_gradients(lambda p: p - self._normalised[0] @ p, rhs, root, enough, self._cap)
            y = y / root if transposed else y * root
        else:
            y = self._factors.solve(b, trans="T" if transposed else "N")
        if not transposed:
            self._check(b, y)
        return np.asarray(np.maximum(y, 0.0))

    def _pays_to_factorise(self) -> bool:
        return self.n <= FACTORISE_BELOW and self._asked > max(FACTORISE_AFTER, self.n // NODES_A_QUERY)

    def _pays_to_eliminate(self) -> bool:
        return self.n >= REDUCE_FROM

    def _check(self, b: Floats, y: Floats) -> None:
        """The L1 error of y is at most |b - (I - alpha M') y| / (1 - alpha), since the inverse has L1 norm 1 / (1 - alpha).

        Normalising y at most doubles a relative error. The mass of y is at least that of b.
        """
        residual = np.abs(b - y + self.alpha * (self.transition @ y)).sum()
        error = 2 * residual / (1 - self.alpha) / max(y.sum(), np.finfo(float).tiny)
        if not error <= self.tol:
            raise NotConverged(f"personalized PageRank reached an L1 error of {error:.1e}; {self.tol:.1e} was asked for")

    @cached_property
    def _factors(self) -> SuperLU:
        """Sparse LU of the system that `_inverse` solves. For the symmetric one a minimum-degree order on its own pattern leaves
        a tenth of the fill-in that the default order does: tag graphs are mostly trees."""
        if not self.is_symmetric:
            return splu(sparse.csc_array(sparse.eye_array(self.n) - self.alpha * self.transition))
        matrix = sparse.csc_array(sparse.eye_array(self.n) - self._normalised[0])
        return splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})

    @cached_property
    def _normalised(self) -> tuple[sparse.csr_array, Floats]:
        """alpha D^-1/2 W D^-1/2, whose eigenvalues lie in [-alpha, alpha], and D^1/2 (1 at nodes without edges)."""
        root = np.sqrt(np.where(self.is_dangling, 1.0, self.degree))
        rows = np.repeat(np.arange(self.n), np.diff(self.weights.indptr))
        data = self.alpha * self.weights.data / (root[rows] * root[self.weights.indices])
        return sparse.csr_array((data, self.weights.indices, self.weights.indptr), shape=(self.n, self.n)), root

    @property
    def _cap(self) -> int:
        """Steps that are always enough: the error falls at least by (sqrt(kappa) - 1) / (sqrt(kappa) + 1) in each."""
        kappa = (1 + self.alpha) / (1 - self.alpha)
        return 50 + math.ceil(2 * math.sqrt(kappa) * math.log(self.n / (self.tol * (1 - self.alpha))))

    @cached_property
    def _split(self) -> tuple[NDArray[np.intp], NDArray[np.intp], sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """Nodes without edges among each other, and the rest; the blocks (rest, those), its transpose, and (rest, rest)."""
        matrix, _ = self._normalised
        free = independent_nodes(self.weights)
        out, rest = np.flatnonzero(free), np.flatnonzero(~free)
        rows = matrix[rest]
        across = sparse.csr_array(rows[:, out])
        return out, rest, across, sparse.csr_array(across.T), sparse.csr_array(rows[:, rest])

    def _reduced_conjugate_gradients(self, rhs: Floats, enough: float) -> Floats:
        """Conjugate gradients after nodes without edges among each other are eliminated, which needs no fill-in.

        About half the steps: the reduced system's condition is that of 1 - alpha^2 where the graph has two sides, and tag graphs
        nearly have. What is eliminated is solved exactly, so the residual of the rest is that of the whole.
        """
        out, rest, across, back, within = self._split
        _, root = self._normalised
        y = np.empty(self.n)
        y[rest] = conjugate_gradients(
            lambda p: p - within @ p - across @ (back @ p), rhs[rest] + across @ rhs[out], root[rest], enough, self._cap
        )
        y[out] = rhs[out] + back @ y[rest]
        return y

    # The iteration --------------------------------------------------------------------------------------------------------

    def trace(self, seeds: ArrayLike, tol: float | None = None, max_steps: int | None = None) -> Trace:
        """The paper's power iteration, every step kept.

        Parameters
        ----------
        seeds : array_like, (n,)
        tol : float, optional
            Stops when the L1 length of a step is at most this; the error is then at most alpha / (1 - alpha) times it.
        max_steps : int, optional
            Default: ceil(ln tol / ln alpha) + 20 (decision 7). The step after k iterations is at most 2 alpha^k, so this is
            always enough up to alpha = 0.965; above, ``converged`` may be False.

        Returns
        -------
        Trace
            Step 0 holds the normalised seeds; all-zero seeds give that step alone.

        Raises
        ------
        ValueError
            For a block of seeds or a ``tol`` out of range.
        """
        tol = self.tol if tol is None else _tolerance(tol)
        if max_steps is None:
            max_steps = 20 + (math.ceil(math.log(tol) / math.log(self.alpha)) if self.alpha > 0 else 0)
        s = self._seeds(seeds)
        if s.ndim != 1:
            raise ValueError(f"a trace takes one seed vector, not a block of shape {s.shape}")
        steps = [Step(0, s, float("inf") if s.any() else 0.0, 0.0)]
        while steps[-1].residual > tol and len(steps) <= max_steps:
            x = steps[-1].x
            lost = float(x[self.is_dangling].sum())
            following = self.alpha * (self.transition @ x + lost * s) + (1 - self.alpha) * s
            steps.append(Step(len(steps), following, float(np.abs(following - x).sum()), lost))
        return Trace(tuple(steps), steps[-1].residual <= tol, tol)

    # Attribution ----------------------------------------------------------------------------------------------------------

    def attribute(self, seeds: ArrayLike, node: int, x: Floats | None = None) -> Floats:
        """How much of one node's score each seed brought.

        x is linear in the seeds up to its normalisation, so the parts are exact and none is left over; they come from one solve
        of the transposed system, whatever the number of seeds.

        Parameters
        ----------
        seeds : array_like, (n,)
        node : int
            Whose score is split.
        x : (n,), optional
            The solution for these seeds, if it is at hand.

        Returns
        -------
        parts : (n,), non-negative, summing to ``x[node]``; zero where there is no seed.
        """
        s = self._seeds(seeds)
        if x is None:
            x = self.solve(s)
        target = np.zeros(self.n)
        target[node] = 1.0
        parts = s * self._inverse(target, transposed=True)
        total = parts.sum()
        return parts * (x[node] / total) if total > 0 else parts
