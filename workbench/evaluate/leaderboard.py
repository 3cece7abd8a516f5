"""The arms of a run in the order of a measure, and which of them a test sets apart from all others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.evaluate.estimates import Estimate, arms_of, estimates
from workbench.evaluate.judging import MEASURES, STORE_NOTES
from workbench.evaluate.significance import HEADLINE, Pair, check_measure, columns
from workbench.evaluate.summary import groups, mean
from workbench.records import QuestionResult, Run

LEVEL = 0.05
"""Below this corrected p a difference counts as more than chance (ours, the usual one)."""
_TIES = ("mrr_worst_tie", "mrr_best_tie")


@dataclass(frozen=True, slots=True)
class Line:
    """One arm of a run over its headline questions.

    Attributes
    ----------
    ties : (worst, best) or None
        Mean reciprocal rank at the worst and best order within equal scores; None where it is not available.
    empty, questions : int
        For how many headline questions the arm ranked nothing, and how many it has.
    ms, building_ms : float or None
        Milliseconds a question without building, and milliseconds a case of building index and graph; None where the run took
        no time or does not tell the two apart.
    """

    arm: str
    method: str
    estimate: Estimate
    ties: tuple[float, float] | None
    empty: int
    questions: int
    ms: float | None
    building_ms: float | None


def measures_of(run: Run) -> tuple[str, ...]:
    """The measures that a run can be ordered by: those of the contract first, then the others by name."""
    found = {name for result in run.results for name in result.measures} - {STORE_NOTES, *_TIES}
    return (*(name for name in MEASURES if name in found), *sorted(found - {*MEASURES}))


def leaderboard(run: Run, measure: str = "mrr") -> tuple[Line, ...]:
    """The arms by their mean, best first; arms of one mean in the run's order, arms without a mean last.

    Raises
    ------
    ValueError
        If no question of the run has such a measure.
    """
    check_measure(measure, run)
    arms = arms_of(run)
    headline: dict[str, list[QuestionResult]] = {arm: [] for arm in arms}
    asked = dict.fromkeys(arms, 0)
    for result in run.results:
        asked[result.method] += 1
        if result.headline:
            headline[result.method].append(result)
    _, values = columns((result for results in headline.values() for result in results), arms, measure)
    lines = [
        Line(
            arm,
            str(run.points.get(arm, {}).get("method", arm)),
            estimate,
            _tie_range(headline[arm]),
            sum(not (result.session_ids or result.note_ids) for result in headline[arm]),
            len(headline[arm]),
            *_cost(run, arm, asked[arm]),
        )
        for arm, estimate in zip(arms, estimates([values[arm] for arm in arms]), strict=True)
    ]
    return tuple(sorted(lines, key=lambda line: (line.estimate.mean is None, -(line.estimate.mean or 0.0))))


def _cost(run: Run, arm: str, questions: int) -> tuple[float | None, float | None]:
    """Milliseconds a question, and a case."""
    if not questions or arm not in run.seconds or arm not in run.building:
        return None, None
    cases = len({result.case for result in run.results})
    return 1000 * (run.seconds[arm] - run.building[arm]) / questions, 1000 * run.building[arm] / cases


def _tie_range(results: Sequence[QuestionResult]) -> tuple[float, float] | None:
    worst, best = (mean(results, name) for name in _TIES)
    return None if worst is None or best is None else (worst, best)


def p_against(arm: str, pairs: Iterable[Pair]) -> dict[str, float | None]:
    """Each other arm's corrected p against one arm; None where there is no test."""
    found = {}
    for pair in pairs:
        if arm in (pair.first, pair.second):
            found[pair.second if pair.first == arm else pair.first] = pair.p_holm
    return found


def is_best(lines: Sequence[Line], pairs: Iterable[Pair]) -> bool:
    """Whether the first line is set apart: its corrected p against every other arm is below `LEVEL`. False for a single arm."""
    others = p_against(lines[0].arm, pairs) if lines else {}
    return len(others) == len(lines) - 1 > 0 and all(p is not None and p < LEVEL for p in others.values())


def by_type(run: Run, measure: str) -> dict[str, Mapping[str, Estimate]]:
    """Estimates by arm: over all headline questions under `HEADLINE`, then over each question type.

    Raises
    ------
    ValueError
        If no question of the run has such a measure.
    """
    check_measure(measure, run)
    arms = arms_of(run)
    members = {HEADLINE: [result for result in run.results if result.headline]} | groups(run.results)
    found: dict[str, Mapping[str, Estimate]] = {}
    for group, results in members.items():
        _, values = columns(results, arms, measure)
        found[group] = dict(zip(arms, estimates([values[arm] for arm in arms]), strict=True))
    return found
