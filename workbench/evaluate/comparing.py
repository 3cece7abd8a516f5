"""Comparing runs, or arms of one run, question by question."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

from workbench.errors import BadInput
from workbench.evaluate.agreement import rank_biased_overlap
from workbench.evaluate.significance import HEADLINE, PairedTest, check_measure, holm, paired_tests
from workbench.evaluate.summary import groups
from workbench.records import QuestionResult, Run

Key = tuple[str, str]
"""(case, question)."""
Granularity = Literal["session", "note"]


@dataclass(frozen=True, slots=True)
class Change:
    """A headline question whose value differs between two arms.

    Ranks are of the first gold session or note, from 1; None where none was ranked or reciprocal rank is not available.
    """

    case: str
    question: str
    type: str
    first: float
    second: float
    first_rank: int | None
    second_rank: int | None


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """An arm of one run against an arm of the same or another run, over the questions that both have.

    Attributes
    ----------
    first, second : str
        The arms.
    tests : mapping of str to PairedTest
        Under "headline" all headline questions, then every question type. They test second against first: a positive difference
        means that the second has the higher mean, and its wins are the questions that got better.
    p_holm : float or None
        The headline p after Holm's correction over the arms compared together.
    only_first, only_second : int
        Headline questions that only one of the two has.
    worse, better : tuple of Change
        Headline questions whose value is lower, or higher, in the second; largest change first.
    """

    first: str
    second: str
    tests: Mapping[str, PairedTest]
    p_holm: float | None
    only_first: int
    only_second: int
    worse: tuple[Change, ...]
    better: tuple[Change, ...]

    @property
    def test(self) -> PairedTest:
        """The test over all headline questions."""
        return self.tests[HEADLINE]


@dataclass(frozen=True, slots=True)
class Difference:
    """A field in which two runs were made differently, such as ``adaptive.alpha``; None where a run does not have it."""

    field: str
    first: str | None
    second: str | None


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs of one benchmark: their common arms compared, arms of only one, and how the runs were made differently."""

    first: str
    second: str
    benchmark: str
    measure: str
    arms: tuple[ArmComparison, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How alike arms rank for a question: mean rank-biased overlap over the pairs that have one, None where none has."""

    case: str
    question: str
    type: str
    overlap: float | None
    pairs: int


def compare_runs(first: Run, second: Run, measure: str = "mrr") -> RunComparison:
    """Compare the arms that two runs have in common.

    Raises
    ------
    BadInput
        If the runs are of different benchmarks, or judge a shared question one by session and the other by note.
    ValueError
        If one of them has no such measure.
    """
    check_comparable(first, second)
    for run in (first, second):
        check_measure(measure, run)
    common = [arm for arm in first.config if arm in second.config]
    compared = [_compare(results_of(first, arm), results_of(second, arm), arm, arm, measure) for arm in common]
    return RunComparison(
        first.id,
        second.id,
        first.benchmark,
        measure,
        _corrected(compared),
        tuple(arm for arm in first.config if arm not in second.config),
        tuple(arm for arm in second.config if arm not in first.config),
        tuple(differences(first, second)),
    )


def compare_arms(run: Run, first: str, second: str, measure: str = "mrr", other: Run | None = None) -> ArmComparison:
    """Compare two arms of a run, or an arm of it with one of another run that may have another name. Raises as `compare_runs`,
    and KeyError for an arm that its run does not have."""
    other = other or run
    check_comparable(run, other)
    check_measure(measure, run)
    check_measure(measure, other)
    return _corrected([_compare(results_of(run, first), results_of(other, second), first, second, measure)])[0]


def worse_than(run: Run, baseline: Run, arm: str, measure: str = "mrr", baseline_arm: str = "") -> frozenset[Key]:
    """Questions, headline or not, at which an arm has a lower value than the baseline's arm of the same (or the given) name.

    Questions that lack a value on either side are none of them. Raises as `compare_arms`.
    """
    check_comparable(run, baseline)
    check_measure(measure, run)
    before = results_of(baseline, baseline_arm or arm)
    values = ((key, result, before[key]) for key, result in results_of(run, arm).items() if key in before)
    return frozenset(key for key, now, then in values if _gain(then, now, measure) < 0)


def disagreement(run: Run, first: str = "", second: str = "") -> tuple[Disagreement, ...]:
    """Questions by how much rankings differ, the least overlap first; those without an overlap last.

    Two arms, or all pairs of arms where none is named. Rankings are of what the question is judged by, sessions or notes, as deep
    as the run kept them.

    Raises
    ------
    KeyError
        For an arm that the run does not have.
    ValueError
        If only one arm is named, or the run has one arm.
    """
    arms = [first, second] if first or second else [*run.config]
    if not all(arms) or len(arms) < 2:
        raise ValueError(f"two arms can disagree; {len([*filter(None, arms)])} given of {', '.join(run.config)}")
    ranked: dict[Key, list[QuestionResult]] = {}
    for arm in arms:
        for key, result in results_of(run, arm).items():
            ranked.setdefault(key, []).append(result)
    found = []
    for key, results in ranked.items():
        pairs = combinations([_judged_ranking(result) for result in results], 2)
        overlaps = [overlap for one, other in pairs if (overlap := rank_biased_overlap(one, other)) is not None]
        mean = sum(overlaps) / len(overlaps) if overlaps else None
        found.append(Disagreement(*key, results[0].type, mean, len(overlaps)))
    return tuple(sorted(found, key=lambda row: (row.overlap is None, row.overlap or 0.0, row.case, row.question)))


def granularity(result: QuestionResult) -> Granularity | None:
    """What a question was judged by, as its second set of measures tells; None where it has none."""
    if "mrr_note" in result.measures:
        return "session"
    return "note" if "mrr_session" in result.measures else None


def check_comparable(first: Run, second: Run) -> None:
    """BadInput where two runs measure different things."""
    if first.benchmark != second.benchmark:
        raise BadInput(
            f"run {first.id} is of {first.benchmark}, run {second.id} of {second.benchmark}: runs of one benchmark are compared"
        )
    judged = {(result.case, result.question): granularity(result) for result in first.results}
    pairs = {(key, judged[key], granularity(result)) for result in second.results if (key := _key(result)) in judged}
    clashes = Counter((one, other) for _, one, other in pairs if one and other and one != other)
    for (one, other), count in clashes.items():
        shared = len({key for key, _, _ in pairs})
        raise BadInput(
            f"run {first.id} judges by {one} and run {second.id} by {other}, at {count} of {shared} shared questions: "
            "values by session and by note are not comparable; take a run that is judged in the same unit"
        )


def results_of(run: Run, arm: str) -> dict[Key, QuestionResult]:
    """An arm's results; KeyError lists the arms there are."""
    if arm not in run.config:
        raise KeyError(f"run {run.id} has no arm {arm!r}; it has {', '.join(run.config)}")
    return {_key(result): result for result in run.results if result.method == arm}


def differences(first: Run, second: Run) -> Iterator[Difference]:
    """Fields in which two runs were made differently: data, code, extraction, environment, configuration of common arms."""
    one, other = _made(first, second.config), _made(second, first.config)
    for field in {**one, **other}:
        if one.get(field) != other.get(field):
            yield Difference(field, one.get(field), other.get(field))


def _made(run: Run, other_arms: Iterable[str]) -> dict[str, str]:
    """How a run was made, as flat fields with readable values."""
    fields: dict[str, str] = {"kind": run.kind, "data": run.data_digest[:12], "code version": run.code_version}
    parts: dict[str, Mapping[str, Any]] = {
        "extraction": run.extraction,
        **{arm: run.config[arm] for arm in run.config if arm in other_arms},
        "excluded": run.excluded,
        "environment": run.environment,
    }
    for name, part in parts.items():
        fields |= {f"{name}.{key}": _readable(value) for key, value in part.items()}
    return fields


def _readable(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _compare(
    first: Mapping[Key, QuestionResult], second: Mapping[Key, QuestionResult], arm: str, other: str, measure: str
) -> ArmComparison:
    tests = _tests(first, second, measure)
    changes = []
    for key, before in first.items():
        after = second.get(key)
        if after is not None and before.headline and (gain := _gain(before, after, measure)):
            changes.append((gain, _change(before, after, measure)))
    changes.sort(key=lambda each: (-abs(each[0]), each[1].case, each[1].question))
    return ArmComparison(
        arm,
        other,
        tests,
        None,
        sum(result.headline for key, result in first.items() if key not in second),
        sum(result.headline for key, result in second.items() if key not in first),
        tuple(change for gain, change in changes if gain < 0),
        tuple(change for gain, change in changes if gain > 0),
    )


def _tests(first: Mapping[Key, QuestionResult], second: Mapping[Key, QuestionResult], measure: str) -> dict[str, PairedTest]:
    """Second against first, over the headline questions and every type of the questions that both have."""
    common = [result for key, result in first.items() if key in second]
    members = {HEADLINE: [result for result in common if result.headline]} | groups(common)
    pairs = [
        (
            [second[_key(result)].measures.get(measure) for result in results],
            [result.measures.get(measure) for result in results],
        )
        for results in members.values()
    ]
    return dict(zip(members, paired_tests(pairs), strict=True))


def _corrected(compared: list[ArmComparison]) -> tuple[ArmComparison, ...]:
    corrected = holm([each.test.p for each in compared])
    return tuple(replace(each, p_holm=p) for each, p in zip(compared, corrected, strict=True))


def _gain(before: QuestionResult, after: QuestionResult, measure: str) -> float:
    """After minus before; 0 where either value is not available or only rounding tells them apart."""
    one, other = before.measures.get(measure), after.measures.get(measure)
    return 0.0 if one is None or other is None or abs(other - one) <= 1e-12 else other - one


def _change(before: QuestionResult, after: QuestionResult, measure: str) -> Change:
    values = (before.measures[measure] or 0.0, after.measures[measure] or 0.0)  # both available, or there were no change
    return Change(before.case, before.question, before.type, *values, first_gold_rank(before), first_gold_rank(after))


def first_gold_rank(result: QuestionResult) -> int | None:
    """Rank of the first gold session or note, from 1, read off the reciprocal rank; None if that is 0 or not available."""
    value = result.measures.get("mrr")
    return round(1 / value) if value else None


def _judged_ranking(result: QuestionResult) -> tuple[str, ...]:
    return result.session_ids if granularity(result) == "session" else result.note_ids


def _key(result: QuestionResult) -> Key:
    return (result.case, result.question)
