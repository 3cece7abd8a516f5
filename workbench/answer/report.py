"""Answer accuracy beside retrieval, by method: TAGGRAPH's table F.2, with intervals, tests, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from workbench.answer.records import Answer, Judgement, QuestionKey
from workbench.answer.scored import ABSTAINS, ABSTAINS_WRONGLY, CONTAINS, F1, F1_LOCOMO, HAS_ALL, JUDGED, MEASURES, scored_run
from workbench.evaluate.estimates import Estimate, estimates
from workbench.evaluate.significance import HEADLINE, Pair, pairwise_by_type
from workbench.evaluate.summary import groups, macro
from workbench.records import Question, QuestionResult, Run

COLUMNS = ("mrr", F1, CONTAINS, F1_LOCOMO, HAS_ALL, ABSTAINS, ABSTAINS_WRONGLY, JUDGED)
"""In the order of F.2's table, then what other benchmarks have."""
WORDS = {
    "mrr": "MRR",
    F1: "token F1",
    CONTAINS: "containment",
    F1_LOCOMO: "LoCoMo F1",
    HAS_ALL: "all expected texts",
    ABSTAINS: "abstained rightly",
    ABSTAINS_WRONGLY: "abstained wrongly",
    JUDGED: "judged right (model)",
}
_ALL_QUESTIONS = (ABSTAINS, ABSTAINS_WRONGLY)
"""Measured over all questions: those without an answer are outside LoCoMo's headline set."""


@dataclass(frozen=True, slots=True)
class Line:
    """One method's answers.

    Attributes
    ----------
    asked : int
        Questions that were asked with its notes.
    failures : mapping of str to int
        Why there was no answer, and how often. These count in no score.
    estimates : mapping of str to Estimate
        By the names of `COLUMNS`: over the headline questions that have a value (abstention: over all).
    by_type : mapping
        Question type to the same.
    macro : mapping
        Means over the types of the headline questions, each type once.
    tokens_in, tokens_out : int or None
        Over its answers, also those that it shares with another method; None where the service told none.
    seconds : float
        That the model took for them.
    """

    method: str
    asked: int
    failures: Mapping[str, int]
    estimates: Mapping[str, Estimate]
    by_type: Mapping[str, Mapping[str, Estimate]]
    macro: Mapping[str, float | None]
    tokens_in: int | None
    tokens_out: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class AnswerReport:
    """A set of answers: a line a method, and paired tests between methods by measure, Holm-corrected over the pairs."""

    run: str
    benchmark: str
    model: str
    version: str
    judges: tuple[str, ...]
    lines: tuple[Line, ...]
    pairs: Mapping[str, Sequence[Pair]]

    @property
    def columns(self) -> tuple[str, ...]:
        """The measures that any method has a value of."""
        return tuple(name for name in COLUMNS if any(line.estimates[name].n for line in self.lines))


def report(
    run: Run,
    answers: Sequence[Answer],
    questions: Mapping[QuestionKey, Question],
    judgements: Sequence[Judgement] = (),
) -> AnswerReport:
    """What answers from a run come to.

    Parameters
    ----------
    answers : sequence of Answer
        Of one set; not empty.
    questions : mapping
        All that were answered.

    Raises
    ------
    ValueError
        If there is no answer, or they are of several sets.
    """
    sets = {(answer.run, answer.model, answer.version) for answer in answers}
    if len(sets) != 1 or next(iter(sets))[0] != run.id:
        raise ValueError(f"a report is over the answers of one set of run {run.id}; these are of {sorted(sets) or 'none'}")
    scored = scored_run(run, answers, questions, judgements)
    lines = tuple(
        _line(arm, [each for each in scored.results if each.method == arm], [each for each in answers if each.method == arm])
        for arm in scored.config
    )
    _, model, version = sets.pop()
    judges = tuple(sorted({each.model for each in judgements}))
    found = AnswerReport(run.id, run.benchmark, model, version, judges, lines, {})
    if len(lines) < 2:
        return found
    tested = [name for name in found.columns if name not in _ALL_QUESTIONS]
    pairs = {name: pairwise_by_type(scored, name)[HEADLINE] for name in tested}
    return AnswerReport(run.id, run.benchmark, model, version, judges, lines, pairs)


def _line(method: str, results: Sequence[QuestionResult], answers: Sequence[Answer]) -> Line:
    headline = [result for result in results if result.headline]
    return Line(
        method,
        len(answers),
        dict(Counter(answer.failure for answer in answers if answer.failure is not None)),
        _estimates(headline, results),
        {group: _estimates(members, members) for group, members in groups(results).items()},
        {name: macro(results, name) for name in COLUMNS},
        _total(answer.tokens_in for answer in answers),
        _total(answer.tokens_out for answer in answers),
        sum(answer.seconds for answer in answers),
    )


def _estimates(headline: Sequence[QuestionResult], results: Sequence[QuestionResult]) -> dict[str, Estimate]:
    chosen = [results if name in _ALL_QUESTIONS else headline for name in COLUMNS]
    columns = [[each.measures.get(name) for each in members] for name, members in zip(COLUMNS, chosen, strict=True)]
    return dict(zip(COLUMNS, estimates(columns), strict=True))


def _total(counts: Iterable[int | None]) -> int | None:
    told = [count for count in counts if count is not None]
    return sum(told) if told else None


def report_json(found: AnswerReport) -> dict[str, Any]:
    """The report as plain JSON values."""
    return {
        "run": found.run,
        "benchmark": found.benchmark,
        "model": found.model,
        "version": found.version,
        "judges": list(found.judges),
        "measures": {name: MEASURES.get(name, "mean reciprocal rank of the retrieval") for name in found.columns},
        "methods": {line.method: _line_json(line, found.columns) for line in found.lines},
        "pairs": {name: [asdict(pair) for pair in pairs] for name, pairs in found.pairs.items()},
    }


def _line_json(line: Line, columns: Sequence[str]) -> dict[str, Any]:
    return {
        "asked": line.asked,
        "failed": sum(line.failures.values()),
        "failures": dict(line.failures),
        **_values(line.estimates, columns),
        "macro": {name: line.macro[name] for name in columns},
        "by_type": {group: _values(found, columns) for group, found in line.by_type.items()},
        "tokens_in": line.tokens_in,
        "tokens_out": line.tokens_out,
        "seconds": round(line.seconds, 3),
    }


def _values(found: Mapping[str, Estimate], columns: Sequence[str]) -> dict[str, Any]:
    return {name: {"mean": found[name].mean, "ci": found[name].interval, "n": found[name].n} for name in columns}
