"""LongMemEval's own nDCG, whose first two ranks are both undiscounted."""

from __future__ import annotations

import math

from workbench.evaluate.measures.base import Gold, Rankings, measures


def _gain(flags: list[bool]) -> float:
    """rel_1 + sum over i >= 2 of rel_i / log2(i)."""
    return sum(1.0 if rank == 1 else 1 / math.log2(rank) for rank, is_relevant in enumerate(flags, 1) if is_relevant)


class LongMemEvalNDCG:
    """nDCG at k with LongMemEval's discount: ranks 1 and 2 undiscounted, then 1 / log2(rank).

    Examples
    --------
    >>> LongMemEvalNDCG().values({"q": ["x", "gold"]}, {"q": {"gold"}}, 5)
    {'q': 1.0}
    """

    takes_cutoff = True

    def values(self, rankings: Rankings, gold: Gold, k: int | None) -> dict[str, float]:
        found = {}
        for question, relevant in gold.items():
            ranked = list(rankings.get(question, ()))[:k]
            ideal = [True] * len(relevant)
            found[question] = _gain([item in relevant for item in ranked]) / _gain(ideal[:k])
        return found


measures.register("ndcg_longmemeval")(LongMemEvalNDCG())
