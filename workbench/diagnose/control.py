"""Control and intervention: do misses lack helpful tags more often than hits do, and does that make them misses?

TAGGRAPH 6.2 has no hits to compare with, and says that it therefore cannot estimate what a lacking tag does. Here the same is
counted over hits (the difference and the odds ratio), and tags are added to misses and taken from hits (an effect, for each by
running the method again).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from scipy.stats.contingency import odds_ratio

from workbench.diagnose.audit import Audit, NoteRow, QuestionRow
from workbench.evaluate.intervals import Interval

LEVEL = 0.95
Row = NoteRow | QuestionRow


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``of``, with Wilson's 95% interval; share and interval are None of nothing."""

    count: int
    of: int

    @property
    def share(self) -> float | None:
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> Interval | None:
        return wilson(self.count, self.of) if self.of else None


@dataclass(frozen=True)
class ControlRow:
    """Misses against hits at k of one method under one extraction, over all or one group of questions.

    Attributes
    ----------
    unit : "gold notes" or "questions"
        A question is missed if all of its gold notes are, and lacks a helpful tag if all of them do. Notes of one question are
        not independent: intervals over notes are too narrow where questions have many; those over questions are not.
    by, group : str
        "all", or one benchmark, or one type of one benchmark.
    misses, hits : Share
        Those without a helpful tag.
    difference : float or None
        Share of the misses without a helpful tag less that of the hits, in [-1, 1]; None without a miss or without a hit.
    difference_interval : (low, high) or None
        Newcombe's hybrid score interval, 95%.
    odds_ratio : float or None
        Odds of lacking a helpful tag among misses over those among hits, conditional maximum likelihood; infinite if every hit
        or no miss has one. None where a row or a column of the table is empty.
    odds_interval : (low, high) or None
        Exact conditional 95% interval.
    repaired, repaired_as_said : Share or None
        Misses that one added tag brings among the first k, and those that a tag of the note's own words does; None where
        interventions were not run.
    broken : Share or None
        Hits that fall out when their helpful tags are taken away, of all hits.
    broken_of_helped : Share or None
        The same, of the hits that have a helpful tag.
    """

    unit: str
    extraction: str
    method: str
    by: str
    group: str
    misses: Share
    hits: Share
    difference: float | None
    difference_interval: Interval | None
    odds_ratio: float | None
    odds_interval: Interval | None
    repaired: Share | None
    repaired_as_said: Share | None
    broken: Share | None
    broken_of_helped: Share | None


def control(found: Audit) -> list[ControlRow]:
    """The comparison for each unit, extraction and method: over all questions, by benchmark and by type."""
    units: tuple[tuple[str, Sequence[Row]], ...] = (("gold notes", found.notes), ("questions", found.questions))
    return [
        _row((name, extraction, method, by, group), _of(own, extraction, method), found.is_tried)
        for name, rows in units
        for by, group, own in _groups(rows)
        for extraction in found.extractions
        for method in found.methods
    ]


def _of(rows: Iterable[Row], extraction: str, method: str) -> list[Row]:
    return [row for row in rows if row.extraction == extraction and row.method == method]


def _groups(rows: Sequence[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """All rows, those of each benchmark where there are several, and those of each type."""
    yield "all", "", list(rows)
    benchmarks = _split(rows, lambda row: row.case.partition("/")[0])
    if len(benchmarks) > 1:
        yield from (("benchmark", name, own) for name, own in benchmarks.items())
    types = _split(rows, lambda row: f"{row.case.partition('/')[0]}: {row.type or 'untyped'}")
    if len(types) > 1:
        yield from (("type", name, own) for name, own in types.items())


def _split(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return dict(sorted(found.items()))


def _is_helped(row: Row) -> bool:
    return row.is_helped if isinstance(row, QuestionRow) else bool(row.helpful)


def _is_repaired(row: Row) -> bool:
    return row.is_repaired is True if isinstance(row, QuestionRow) else row.repaired_by is not None


def _row(what: tuple[str, str, str, str, str], rows: Sequence[Row], is_tried: bool) -> ControlRow:
    missed, hit = [row for row in rows if not row.is_found], [row for row in rows if row.is_found]
    misses = Share(sum(not _is_helped(row) for row in missed), len(missed))
    hits = Share(sum(not _is_helped(row) for row in hit), len(hit))
    difference = newcombe(misses.count, misses.of, hits.count, hits.of) if missed and hit else None
    odds = conditional_odds_ratio(misses.count, misses.of - misses.count, hits.count, hits.of - hits.count)
    broken = sum(row.is_broken is True for row in hit)
    return ControlRow(
        *what,
        misses,
        hits,
        difference[0] if difference else None,
        difference[1] if difference else None,
        odds[0] if odds else None,
        odds[1] if odds else None,
        Share(sum(map(_is_repaired, missed)), len(missed)) if is_tried else None,
        Share(sum(row.is_repair_said is True for row in missed), len(missed)) if is_tried else None,
        Share(broken, len(hit)) if is_tried else None,
        Share(broken, hits.of - hits.count) if is_tried else None,
    )


def wilson(count: int, of: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a share.

    References
    ----------
    E. B. Wilson: Probable inference, the law of succession, and statistical inference. JASA 22, 1927.

    Examples
    --------
    >>> low, high = wilson(0, 10)
    >>> low, round(high, 4)
    (0.0, 0.2775)
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, weight = count / of, z * z / of
    centre, half = share + weight / 2, z * math.sqrt(share * (1 - share) / of + weight / (4 * of))
    low, high = (centre - half) / (1 + weight), (centre + half) / (1 + weight)
    return (0.0 if count == 0 else low, 1.0 if count == of else high)


def newcombe(first: int, of_first: int, second: int, of_second: int, level: float = LEVEL) -> tuple[float, Interval]:
    """The difference of two independent shares and Newcombe's hybrid score interval of it, without continuity correction.

    References
    ----------
    R. G. Newcombe: Interval estimation for the difference between independent proportions. Statistics in Medicine 17, 1998,
    method 10.

    Examples
    --------
    >>> difference, (low, high) = newcombe(56, 70, 48, 80)
    >>> round(difference, 4), round(low, 4), round(high, 4)
    (0.2, 0.0524, 0.3339)
    """
    one, other = first / of_first, second / of_second
    (low_one, high_one), (low_other, high_other) = wilson(first, of_first, level), wilson(second, of_second, level)
    difference = one - other
    return difference, (
        difference - math.hypot(one - low_one, high_other - other),
        difference + math.hypot(high_one - one, other - low_other),
    )


def conditional_odds_ratio(a: int, b: int, c: int, d: int, level: float = LEVEL) -> tuple[float, Interval] | None:
    """The odds ratio (a/b) / (c/d) by conditional maximum likelihood with its exact interval; None of an empty row or column.

    References
    ----------
    R. A. Fisher: The logic of inductive inference. JRSS 98, 1935. Computed by scipy.

    Examples
    --------
    >>> ratio, (low, high) = conditional_odds_ratio(3, 1, 1, 3)
    >>> round(ratio, 3), round(low, 4), round(high, 2)
    (6.408, 0.2117, 626.24)
    """
    if not (a + b and c + d and a + c and b + d):
        return None
    found = odds_ratio([[a, b], [c, d]], kind="conditional")
    interval = found.confidence_interval(level)
    return float(found.statistic), (float(interval.low), float(interval.high))
