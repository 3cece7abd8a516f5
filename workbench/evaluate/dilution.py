"""Whether diffusion dilutes: its measures over many questions, and how they go with the rank change that diffusion causes.

TAGGRAPH calls AdaptiveGraph's penalty on compact stores "topic dilution" as a hypothesis and leaves it unmeasured (6.1). The
measures and the test are ours.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.evaluate.intervals import RESAMPLES, SEED
from workbench.evaluate.judging import is_headline
from workbench.evaluate.relevance import relevance
from workbench.evaluate.runs import CaseInput
from workbench.methods.adaptive import AdaptiveConfig, Spread
from workbench.spread import measures

MEASURES = ("topic_entropy", "topic_gini", "topics_effective", "files_effective", "total_variation")


@dataclass(frozen=True, slots=True)
class DilutionRow:
    """One question's measures. ``rr_change`` is the reciprocal gold rank with diffusion minus the one by the seeds alone;
    a gold note that is not ranked counts as reciprocal rank 0. A measure is None where it is not available."""

    case: str
    question: str
    type: str
    topic_entropy: float | None
    topic_gini: float | None
    topics_effective: float | None
    files_effective: float | None
    total_variation: float | None
    rank_before: int | None
    rank_after: int | None
    rr_change: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rank correlation of a measure with ``rr_change`` over ``n`` questions, with a bootstrap interval.

    ``rho`` and ``interval`` are None where either side does not vary or fewer than four questions are left.
    """

    measure: str
    n: int
    rho: float | None
    interval: tuple[float, float] | None


def dilution(inputs: Iterable[CaseInput], config: AdaptiveConfig) -> list[DilutionRow]:
    """A row for every headline question that has gold in its memory and meets any seed."""
    rows = []
    for given in inputs:
        memory = given.memory()
        for question in given.case.questions:
            gold = relevance(question, memory.notes).notes
            if not gold or not is_headline(given.case.benchmark, question):
                continue
            spread = Spread.of(memory, question.text, config)
            if not spread.seeds.mass.any():
                continue
            found = measures(spread, gold)
            before, after = found.rank_before, found.rank_after
            rows.append(
                DilutionRow(
                    given.case.key,
                    question.id,
                    question.type,
                    found.topics.entropy if found.topics else None,
                    found.topics.gini if found.topics else None,
                    found.topics.effective if found.topics else None,
                    found.files.effective if found.files else None,
                    found.moved,
                    before,
                    after,
                    (1 / after if after else 0.0) - (1 / before if before else 0.0),
                )
            )
    return rows


def correlations(rows: Sequence[DilutionRow]) -> list[Correlation]:
    """Each measure's correlation with the change of the reciprocal rank."""
    return [_correlation(measure, rows) for measure in MEASURES]


def _correlation(measure: str, rows: Sequence[DilutionRow]) -> Correlation:
    from scipy.stats import bootstrap, spearmanr  # A second to import, which no other command should wait for.

    pairs = [(value, row.rr_change) for row in rows if (value := getattr(row, measure)) is not None]
    x, y = np.array(pairs).reshape(-1, 2).T
    if len(x) < 4 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(measure, len(x), None, None)

    def rho(a: Any, b: Any) -> float:
        return float(spearmanr(a, b).statistic)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # A resample whose values are all equal has no correlation and is left out below.
        found = bootstrap(
            (x, y),
            rho,
            paired=True,
            vectorized=False,
            n_resamples=RESAMPLES // 10,
            method="percentile",
            rng=np.random.default_rng(SEED),
        )
    drawn = found.bootstrap_distribution[np.isfinite(found.bootstrap_distribution)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Correlation(measure, len(x), rho(x, y), (float(low), float(high)))
