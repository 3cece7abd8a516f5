"""The standard measures, through ir-measures (trec_eval's definitions)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ir_measures

from workbench.evaluate.measures.base import Gold, Rankings, measures


def _calculate(measure: Any, rankings: Rankings, gold: Gold) -> dict[str, float]:
    """Feeds strictly decreasing scores made from our ranks, so that ties stay as we ordered them (decision 9)."""
    qrels = {
        question: dict(relevant) if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1)
        for question, relevant in gold.items()
    }
    run = {
        question: {item: float(len(ranking) - at) for at, item in enumerate(ranking)}
        for question, ranking in rankings.items()
        if question in gold
    }
    return {value.query_id: float(value.value) for value in ir_measures.iter_calc([measure], qrels, run)}


class Standard:
    """A measure of ir-measures."""

    def __init__(self, help_text: str, make: Callable[[int | None], Any], takes_cutoff: bool) -> None:
        self.__doc__ = help_text
        self._make, self.takes_cutoff = make, takes_cutoff

    def values(self, rankings: Rankings, gold: Gold, k: int | None) -> dict[str, float]:
        return _calculate(self._make(k), rankings, gold)


measures.register("mrr")(
    Standard("Reciprocal rank of the first relevant item, 0 if none was ranked.", lambda k: ir_measures.RR, False)
)
measures.register("recall")(Standard("Share of the relevant items that are in the first k.", lambda k: ir_measures.R @ k, True))
measures.register("hit")(Standard("1 if any relevant item is in the first k, else 0.", lambda k: ir_measures.Success @ k, True))
measures.register("ndcg")(
    Standard(
        "nDCG at k with discount log2(rank + 1) and the grade as gain, 1 where there is none.",
        lambda k: ir_measures.nDCG @ k,
        True,
    )
)
