"""What a run amounts to: means with intervals by method, question type and question set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from workbench.datasets.longmemeval import SESSION_TWICE
from workbench.evaluate.intervals import mean_interval
from workbench.evaluate.judging import MEASURES
from workbench.evaluate.runs import DF_REMARKS
from workbench.records import QuestionResult, Run


def mean(results: Iterable[QuestionResult], measure: str) -> float | None:
    """Mean of a measure over the questions where it is available; None where it is nowhere."""
    values = [value for result in results if (value := result.measures.get(measure)) is not None]
    return sum(values) / len(values) if values else None


def mean_ci(results: Iterable[QuestionResult], measure: str) -> list[float] | None:
    """95% bootstrap interval of that mean as [low, high]; None for fewer than two questions with a value."""
    found = mean_interval([result.measures.get(measure) for result in results])
    return list(found) if found else None


def groups(results: Iterable[QuestionResult]) -> dict[str, list[QuestionResult]]:
    """Results by question type; abstention questions appear once more under "abstention"."""
    found: dict[str, list[QuestionResult]] = {}
    for result in results:
        found.setdefault(result.type or "untyped", []).append(result)
        if result.question.endswith("_abs"):
            found.setdefault("abstention", []).append(result)
    return dict(sorted(found.items()))


def macro(results: Iterable[QuestionResult], measure: str) -> float | None:
    """Mean of the types' means: each question type counts once, as AriadneMem averages LoCoMo's categories 1 to 4.

    None where the measure is nowhere available; questions outside the headline count in no type.
    """
    by_type = groups(result for result in results if result.headline)
    by_type.pop("abstention", None)  # these count under their own types already
    means = [value for members in by_type.values() if (value := mean(members, measure)) is not None]
    return sum(means) / len(means) if means else None


def question_sets(results: Sequence[QuestionResult]) -> dict[str, dict[str, Any]]:
    """MRR on the question sets in use for LongMemEval (spec 6.1): all, without abstention, without duplicates, official."""
    official = [result for result in results if result.measures.get("mrr_official") is not None]
    sets = {
        "all": (results, "mrr"),
        "without_abstention": ([result for result in results if not result.question.endswith("_abs")], "mrr"),
        "without_duplicated_sessions": (
            [result for result in results if not any(remark.startswith(SESSION_TWICE) for remark in result.remarks)],
            "mrr",
        ),
        "official": (official, "mrr_official"),
    }
    return {
        name: {"n": len(chosen), "mrr": mean(chosen, measure), "mrr_ci": mean_ci(chosen, measure)}
        for name, (chosen, measure) in sets.items()
    }


def _by_type_only(first: Sequence[QuestionResult]) -> dict[str, int]:
    """Questions outside the headline figure, by type."""
    return dict(Counter(result.type for result in first if not result.headline))


def summary(run: Run) -> dict[str, Any]:
    """The run in the shape of ``workbench evaluate --json`` (design 9)."""
    first = [result for result in run.results if result.method == next(iter(run.config))]
    by_method: dict[str, list[QuestionResult]] = {name: [] for name in run.config}
    for result in run.results:
        by_method[result.method].append(result)
    headline = {name: [result for result in results if result.headline] for name, results in by_method.items()}
    table = {}
    for name, results in headline.items():
        # Contract measures are there even where no question counts, as not available.
        names = sorted({*MEASURES, *(measure for result in results for measure in result.measures)})
        table[name] = {measure: mean(results, measure) for measure in names} | {
            "mrr_ci": mean_ci(results, "mrr"),
            "empty": sum(not result.session_ids for result in results),
            "by_type": {
                group: {"n": len(members), "mrr": mean(members, "mrr"), "recall@5": mean(members, "recall@5")}
                for group, members in groups(by_method[name]).items()
            },
            "macro": {measure: macro(results, measure) for measure in ("mrr", "recall@5", "recall@10")},
            "seconds": run.seconds.get(name),
        }
        if any("mrr_official" in result.measures for result in results):
            table[name]["sets"] = question_sets(results)
    return {
        "run": run.id,
        "benchmark": run.benchmark,
        "questions": max((len(results) for results in headline.values()), default=0),
        "excluded": dict(run.excluded),
        "by_type_only": _by_type_only(first),
        "df_base": dict(Counter(remark for result in first for remark in result.remarks if remark in DF_REMARKS)),
        "extraction": dict(run.extraction),
        "methods": table,
    }
