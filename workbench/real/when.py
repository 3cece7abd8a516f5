"""Periods that a sentence or a question states, read through the date rules that the tags use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from workbench.extract.dates import MONTHS, Tense, calendar_date, relative_dates
from workbench.real.facts import Precision

_MONTH = "(?:" + "|".join(f"{month[:3].title()}(?:{month[3:]}|\\.)?" for month in MONTHS) + ")"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_CALENDAR = re.compile(
    rf"\b(?:(?:{_ORDINAL} (?:of )?)?{_MONTH}(?: {_ORDINAL}\b)?(?:,? {_YEAR})?|{_YEAR}-\d\d-\d\d|{_YEAR})(?![\w-])"
)
_BARE_MONTH = re.compile(r"(?:March|May|Mar|Dec|Jan|Sep|Jun)\.?$")
_MONTH_LEAD = re.compile(r"\b(?:in|on|of|since|until|by|last|next|this|during|early|late|mid)[ -]$", re.IGNORECASE)
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9}


@dataclass(frozen=True, slots=True)
class Period:
    """A stated stretch of time, half-open, with the characters that say it."""

    start: datetime
    end: datetime
    precision: Precision
    at: tuple[int, int] = (0, 0)

    def overlaps(self, start: datetime | None, end: datetime | None) -> bool:
        """Whether [start, end) meets the period; None is open."""
        return (start is None or start < self.end) and (end is None or end > self.start)


def period_of(path: str) -> Period | None:
    """The period of a date tag; None for tags that name no calendar period (clock times, recurrences, yearless days).

    Examples
    --------
    >>> period_of("date/2023/may_20").end.isoformat(), period_of("time/7_pm")
    ('2023-05-21T00:00:00', None)
    """
    parts = path.split("/")
    if parts[0] != "date" or len(parts) < 2 or not parts[1].isdigit():
        return None
    year = int(parts[1])
    if len(parts) == 2:
        return _period(date(year, 1, 1), date(year + 1, 1, 1), "year") if year < 9999 else None
    first, *rest = parts[2].split("_")
    if first in _SEASONS:
        month = _SEASONS[first]
        return _period(date(year, month, 1), _next_month(year, month + 2), "month")
    month = MONTHS.index(first) + 1
    if not rest:
        return _period(date(year, month, 1), _next_month(year, month), "month")
    start = date(year, month, int(rest[0]))
    last = start if len(rest) == 1 else _last(start, rest[1:])
    return _period(start, last + timedelta(days=1), "day")


def _last(start: date, rest: list[str]) -> date:
    if len(rest) == 1:
        return start.replace(day=int(rest[0]))
    month = MONTHS.index(rest[0]) + 1
    return date(start.year + (month < start.month), month, int(rest[1]))


def _next_month(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1)


def _period(start: date, end: date, precision: Precision) -> Period:
    return Period(datetime.combine(start, datetime.min.time()), datetime.combine(end, datetime.min.time()), precision)


def periods(text: str, base: datetime | None, tense_at: Callable[[int], Tense]) -> list[Period]:
    """The periods that a text states, in its order.

    Parameters
    ----------
    text : str
    base : datetime or None
        The time of speaking, which relative dates need.
    tense_at : callable
        The tense that governs the character at an offset.

    Examples
    --------
    >>> [one.start.isoformat() for one in periods("in March 2023 or yesterday", datetime(2024, 5, 2), lambda at: "past")]
    ['2023-03-01T00:00:00', '2024-05-01T00:00:00']
    """
    day = base.date() if base is not None and base != datetime.min else None
    found = list(_calendar(text, day, tense_at))
    taken = [one.at for one in found]
    for hit in relative_dates(text, day, tense_at):
        one = period_of(hit.path) if hit.path else None
        if one is not None and not any(hit.start < end and start < hit.end for start, end in taken):
            found.append(Period(one.start, one.end, one.precision, (hit.start, hit.end)))
    return sorted(found, key=lambda one: one.at)


def _calendar(text: str, base: date | None, tense_at: Callable[[int], Tense]) -> Iterator[Period]:
    for match in _CALENDAR.finditer(text):
        if _BARE_MONTH.match(match[0]) and not _MONTH_LEAD.search(text[: match.start()]):
            continue  # "May I ask", "March on"
        path = calendar_date(match[0], base, tense_at(match.start()))
        one = period_of(path) if path else None
        if one is not None:
            yield Period(one.start, one.end, one.precision, match.span())
