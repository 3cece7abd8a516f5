"""Symmetric systems of tag graphs: nodes with few edges are eliminated exactly, conjugate gradients solve for the rest.

Everywhere the system is (I - M) y = b with M symmetric, non-negative and of spectral radius below 1, as alpha D^-1/2 W D^-1/2 is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
FEW_EDGES = 3
"""Most edges of a node that is eliminated (ours): its neighbours get no more edges among each other than are lost with it."""
WORTH_A_ROUND = 0.1
"""Least share of the nodes that a round of elimination has to take (ours)."""


def _dot(a: Floats, b: Floats) -> float:
    """The inner product without BLAS, whose threads cost more than they gain on vectors of this size."""
    return float(np.einsum("i,i->", a, b))


def conjugate_gradients(matrix: sparse.csr_array, b: Floats, weight: Floats, enough: float, cap: int) -> Floats:
    """Solve (I - ``matrix``) y = ``b``, stopping where the absolute residual has a sum weighted by ``weight`` of ``enough``.

    It also stops after ``cap`` steps, and the caller checks what was reached.
    """
    y = np.zeros(len(b))
    r = b.copy()
    p = r.copy()
    rr = _dot(r, r)
    for _ in range(cap):
        if _dot(np.abs(r), weight) <= enough:
            break
        ap = p - matrix @ p
        step = rr / _dot(p, ap)
        y += step * p
        r -= step * ap
        rr, before = _dot(r, r), rr
        p *= rr / before
        p += r
    return y


def independent_nodes(matrix: sparse.csr_array) -> NDArray[np.bool_]:
    """Nodes of at most ``FEW_EDGES`` edges and without edges among each other, (n,): those that come before all their neighbours.

    Nodes come in the order of their degrees, then in a drawn one: a path in the order of its labels would give one node. A node
    with an edge to itself is never taken.
    """
    n = matrix.shape[0]
    degree = np.diff(matrix.indptr)
    rank = np.random.default_rng(0).permutation(n) + n * degree.astype(np.int64)
    first_neighbour = np.full(n, np.iinfo(np.int64).max)
    joined = degree > 0
    first_neighbour[joined] = np.minimum.reduceat(rank[matrix.indices], matrix.indptr[:-1][joined])
    return np.asarray((degree <= FEW_EDGES) & (rank < first_neighbour))


@dataclass(frozen=True)
class Round:
    """One round of elimination: what is ``gone`` had no edges among each other, so its equations solve themselves.

    ``kept`` (k,) and ``gone`` (g,) are node numbers of the system before, ``across`` (k, g) and ``back`` (g, k) its blocks.
    ``scale`` (k,) gives the smaller system a diagonal of ones again, so that it has the form of the one before.
    """

    kept: NDArray[np.intp]
    gone: NDArray[np.intp]
    across: sparse.csr_array
    back: sparse.csr_array
    scale: Floats

    def reduce(self, b: Floats) -> Floats:
        """The right-hand side of the smaller system, (k,)."""
        return np.asarray(self.scale * (b[self.kept] + self.across @ b[self.gone]))

    def extend(self, y: Floats, b: Floats) -> Floats:
        """The solution of the system before, from that of the smaller one and its own right-hand side."""
        whole = np.empty(len(b))
        inner = self.scale * y
        whole[self.kept] = inner
        whole[self.gone] = b[self.gone] + self.back @ inner
        return whole


def _eliminate(matrix: sparse.csr_array, is_gone: NDArray[np.bool_]) -> tuple[Round, sparse.csr_array]:
    """One round, and the matrix of the smaller system: the Schur complement, scaled."""
    kept, gone = np.flatnonzero(~is_gone), np.flatnonzero(is_gone)
    rows = matrix[kept]
    across = sparse.csr_array(rows[:, gone])
    back = sparse.csr_array(across.T)
    smaller = sparse.csr_array(rows[:, kept] + across @ back)
    scale = 1 / np.sqrt(1 - smaller.diagonal())
    of_row = np.repeat(np.arange(len(kept)), np.diff(smaller.indptr))
    smaller.data *= scale[of_row] * scale[smaller.indices]
    smaller.data[of_row == smaller.indices] = 0.0
    smaller.eliminate_zeros()
    return Round(kept, gone, across, back, scale), smaller


@dataclass(frozen=True)
class Reduced:
    """A system, the rounds that make it smaller and the matrix that is left; without rounds, the matrix itself.

    Reducing leaves the spectral radius at most where it was (the root of the degrees stays a vector that the matrix shrinks by
    alpha), and usually well below: short ways through the eliminated nodes are walked exactly.
    """

    rounds: tuple[Round, ...]
    matrix: sparse.csr_array

    @classmethod
    def of(cls, matrix: sparse.csr_array) -> Reduced:
        """Eliminate while a round is worth it."""
        rounds: list[Round] = []
        while (is_gone := independent_nodes(matrix)).sum() > WORTH_A_ROUND * matrix.shape[0]:
            done, matrix = _eliminate(matrix, is_gone)
            rounds.append(done)
        return cls(tuple(rounds), matrix)

    def solve(self, b: Floats, weight: Floats, enough: float, cap: int) -> Floats:
        """As ``conjugate_gradients`` on the whole system: eliminated equations hold exactly, so what is left of the residual is
        that of the smaller system, seen through the scales."""
        sides = [b]
        for done in self.rounds:
            sides.append(done.reduce(sides[-1]))
            weight = weight[done.kept] / done.scale
        y = conjugate_gradients(self.matrix, sides.pop(), weight, enough, cap)
        for done, side in zip(reversed(self.rounds), reversed(sides), strict=True):
            y = done.extend(y, side)
        return y
