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

from workbench.elimination import Reduced
from workbench.errors import NotConverged

Floats = NDArray[np.float64]
INVERT_BELOW = 400
"""Largest graph that is factorised at once, and inverted when it has been asked half as often as it has nodes: an inverse costs
about as much as it has then saved (ours; measured in bench/ppr.py, as all of these)."""
FACTORISE_AFTER = 8
NODES_A_QUERY = 200
"""In larger symmetric graphs a factorisation is taken to pay after 8 right-hand sides, and after one more for every 200 nodes,
since its cost grows faster than the graph (ours)."""
FACTORISE_BELOW = 20_000
"""Largest symmetric graph that is factorised: fill-in grows faster than the graph (ours)."""
REDUCE_FROM = 5_000
"""Nodes from which some are eliminated before conjugate gradients; below, preparing that costs more than it saves (ours)."""
ORDINARY = (1e-100, 1e100)
"""Sums of seeds that are divided by as they are; outside, parts of the sum may have been lost or have overflowed (ours)."""


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
        if not (matrix.data.min(initial=0.0) >= 0 and matrix.data.max(initial=0.0) < np.inf):
            raise ValueError("weights hold negative or non-finite values; edge weights are finite and 0 or more")
        if not 0 <= alpha < 1:
            raise ValueError(f"alpha is {alpha}; it lies in [0, 1)")
        self.weights, self.alpha, self.tol = matrix, float(alpha), _tolerance(tol)
        self.n: int = matrix.shape[0]
        self.degree: Floats = matrix @ np.ones(self.n)
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
        there = self.weights if self.weights.has_sorted_indices else self.weights.sorted_indices()
        back = sparse.csr_array(self.weights.T)
        if not (np.array_equal(there.indptr, back.indptr) and np.array_equal(there.indices, back.indices)):
            return False
        return bool((np.abs(there.data - back.data) <= 1e-12 * there.data).all())

    def _seeds(self, seeds: ArrayLike) -> Floats:
        """Seeds as floats, each column normalised to sum 1 (all-zero columns stay zero)."""
        s = np.asarray(seeds, dtype=np.float64)
        if s.ndim not in (1, 2) or s.shape[0] != self.n:
            raise ValueError(f"seeds have shape {s.shape}; ({self.n},) or ({self.n}, q) is needed")
        if s.ndim == 1:
            total = s.sum()
            if ORDINARY[0] < total < ORDINARY[1] and s.min() >= 0:
                return np.asarray(s / total)
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
        if s.ndim == 2:
            columns = [self._limit(column) for column in s.T]
            return np.stack(columns, axis=1) if columns else s
        return self._limit(s)

    def _limit(self, s: Floats) -> Floats:
        """The solution for one normalised seed vector; zeros for zeros."""
        y = self._inverse(s)
        total = y.sum()
        return np.asarray(y / total if total > 0 else y)

    def _inverse(self, b: Floats, transposed: bool = False) -> Floats:
        """(I - alpha M')^-1 b, or with the transposed system; b is non-negative and so is the result."""
        if self.alpha == 0 or self.n == 0:
            return b.copy()
        self._asked += 1
        return self._choose()(b, transposed)

    def _choose(self) -> Callable[[Floats, bool], Floats]:
        """The way that is fastest for a graph of this size that has been asked this often."""
        if self.n <= INVERT_BELOW:
            return self._by_inverse if self._asked > self.n // 2 else self._by_factors
        pays = self.n <= FACTORISE_BELOW and self._asked > max(FACTORISE_AFTER, self.n // NODES_A_QUERY)
        return self._by_factors if pays or not self.is_symmetric else self._by_conjugate_gradients

    def _by_inverse(self, b: Floats, transposed: bool) -> Floats:
        if transposed:
            return self._checked(b, self._walks_from @ b, transposed)
        seeded = b.nonzero()[0]
        return np.asarray(b[seeded] @ self._walks_from[seeded])

    def _by_factors(self, b: Floats, transposed: bool) -> Floats:
        return self._checked(b, self._factors.solve(b, trans="T" if transposed else "N"), transposed)

    def _by_conjugate_gradients(self, b: Floats, transposed: bool) -> Floats:
        # M' = W D^-1 = D^1/2 N D^-1/2 with N symmetric: both systems are the one in N, seen through the degrees.
        reduced, root = self._symmetric
        seen = 1 / root if transposed else root
        # The bound of `_checked` turned round, with room for rounding: mass that can walk is 1 / (1 - alpha) times more in y.
        enough = 0.25 * self.tol * (b.sum() - self.alpha * b[self.is_dangling].sum())
        return self._checked(b, reduced.solve(b / seen, seen, enough, self._cap) * seen, transposed)

    def _checked(self, b: Floats, y: Floats, transposed: bool) -> Floats:
        """y without the rounding that fell below 0, if it is as near as was asked for.

        The inverse has an L1 norm of 1 / (1 - alpha), and so has the transposed one in the largest entry: an error is at most so
        many times the residual. Normalising at most doubles a relative error in L1; the mass of y is at least that of b. In
        the transposed system the largest error bounds the L1 error of the parts of `attribute`: seeds sum to 1.
        """
        if transposed:
            residual = np.abs(b - y + self.alpha * (self._inverse_degree * (self.weights @ y))).max()
            self._require(residual / (1 - self.alpha))
        else:
            residual = np.abs(b - y + self.alpha * (self._columns @ (self._inverse_degree * y))).sum()
            self._require(2 * residual / (1 - self.alpha) / max(y.sum(), np.finfo(float).tiny))
        return np.asarray(np.maximum(y, 0.0))

    def _require(self, error: float) -> None:
        if not error <= self.tol:
            raise NotConverged(f"personalized PageRank reached an L1 error of {error:.1e}; {self.tol:.1e} was asked for")

    @cached_property
    def _columns(self) -> sparse.csc_array:
        """W', a view: M' y is W' D^-1 y."""
        return self.weights.T

    @cached_property
    def _factors(self) -> SuperLU:
        """Sparse LU of I - alpha M'.

        Its columns are dominated by the diagonal, so no pivots are exchanged, and a minimum-degree order on its own pattern
        leaves a tenth of the fill-in that the default order does: tag graphs are mostly trees. Panels of one column, since the
        columns of a tree's factors have little in common.
        """
        # Column u of M' is row u of the weights divided by the degree of u; each column gets its 1 at the end.
        shares = self.weights.data * np.repeat(-self.alpha * self._inverse_degree, np.diff(self.weights.indptr))
        ends, nodes = self.weights.indptr[1:], np.arange(self.n + 1, dtype=self.weights.indptr.dtype)
        columns = np.insert(shares, ends, 1.0), np.insert(self.weights.indices, ends, nodes[:-1]), self.weights.indptr + nodes
        system = sparse.csc_array(columns, shape=(self.n, self.n))
        return splu(
            system, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, relax=1, panel_size=1, options={"SymmetricMode": True}
        )

    @cached_property
    def _walks_from(self) -> Floats:
        """The transposed inverse, (n, n): row u is the answer for seed u alone.

        Its error is bounded once, for every b: the residual of a combination of rows is at most the largest of the rows' own, for
        b has an L1 norm of 1, and adding up at most n terms rounds by less than n units in the last place.
        """
        inverse = np.maximum(self._factors.solve(np.eye(self.n)), 0.0)
        residual = np.abs(np.eye(self.n) - inverse + self.alpha * (self._columns @ (self._inverse_degree[:, None] * inverse)))
        rounding = 2 * self.n * np.finfo(float).eps * inverse.sum(axis=0).max()
        self._require(2 * (residual.sum(axis=0).max() + rounding) / (1 - self.alpha))
        return np.ascontiguousarray(inverse.T)

    @cached_property
    def _symmetric(self) -> tuple[Reduced, Floats]:
        """alpha D^-1/2 W D^-1/2, whose eigenvalues lie in [-alpha, alpha], and D^1/2 (1 at nodes without edges)."""
        root = np.sqrt(np.where(self.is_dangling, 1.0, self.degree))
        inverse = 1 / root
        data = self.alpha * self.weights.data * np.repeat(inverse, np.diff(self.weights.indptr)) * inverse[self.weights.indices]
        matrix = sparse.csr_array((data, self.weights.indices, self.weights.indptr), shape=(self.n, self.n))
        return Reduced.of(matrix) if self.n >= REDUCE_FROM else Reduced((), matrix), root

    @property
    def _cap(self) -> int:
        """Steps that are always enough: the error falls at least by (sqrt(kappa) - 1) / (sqrt(kappa) + 1) in each."""
        kappa = (1 + self.alpha) / (1 - self.alpha)
        return 50 + math.ceil(2 * math.sqrt(kappa) * math.log(self.n / (self.tol * (1 - self.alpha))))

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
