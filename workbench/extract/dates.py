"""Dates and times in English text, as tags no finer than what was said.

A day is ``date/2023/may_20``, a stretch of days ``date/2023/may_15_21``, a month ``date/2023/may``, a year ``date/2023``;
without a known year ``date/may_20`` or ``date/friday``; a clock time ``time/7_pm``, a recurrence ``time/every_friday``.
Relative dates need the day of speaking; weekdays and months lean to the past or the future with the tense of their verb.
Durations are no dates. Ours: figures are read month first ("5/12" is May 12); "last" and "next" mean the nearest one wholly
before, or after, the day of speaking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Literal

Tense = Literal["past", "future"]

# fmt: off
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}
# fmt: on
_SEASONS = ("spring", "summer", "autumn", "fall")  # winter lies in two years: "last winter" names neither

_WEEKDAY = f"({'|'.join(WEEKDAYS)})"
_SPAN = rf"(\d{{1,3}}|{'|'.join(_NUMBERS)}) (day|week|month|year)s?"


@dataclass(frozen=True, slots=True)
class Found:
    """A tag path and the characters ``start`` to ``end`` of the text that say it; no path where they say no date."""

    start: int
    end: int
    path: str | None


@dataclass(frozen=True, slots=True)
class Day:
    """The day of speaking (None where the source has no calendar) and the tense at the place that is read."""

    base: date | None
    tense: Tense


# --- paths ----------------------------------------------------------------------------------------------------------------


def _day(day: date) -> str:
    return f"date/{day.year}/{MONTHS[day.month - 1]}_{day.day}"


def _days(first: date, last: date) -> str:
    start, end = MONTHS[first.month - 1], MONTHS[last.month - 1]
    return f"date/{first.year}/{start}_{first.day}_{last.day if start == end else f'{end}_{last.day}'}"


def _month(year: int, month: int) -> str:
    return f"date/{year}/{MONTHS[month - 1]}"


def _week(day: date) -> str:
    monday = day - timedelta(days=day.weekday())
    return _days(monday, monday + timedelta(days=6))


def _weekend(saturday: date) -> str:
    return _days(saturday, saturday + timedelta(days=1))


def _shift_months(day: date, months: int) -> tuple[int, int]:
    years, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return years, month + 1


# --- relative expressions -------------------------------------------------------------------------------------------------


def _offset(days: int) -> Callable[[re.Match[str], Day], str | None]:
    def path(match: re.Match[str], day: Day) -> str | None:
        return _day(day.base + timedelta(days=days)) if day.base else None

    return path


def _away(match: re.Match[str], day: Day, sign: int) -> str | None:
    if day.base is None:
        return None
    count = int(match[1]) if match[1].isdigit() else _NUMBERS[match[1]]
    if match[2] == "year":
        return f"date/{day.base.year + sign * count}"
    if match[2] == "month":
        return _month(*_shift_months(day.base, sign * count))
    there = day.base + timedelta(days=sign * count * (7 if match[2] == "week" else 1))
    return _week(there) if match[2] == "week" else _day(there)


def _ago(match: re.Match[str], day: Day) -> str | None:
    return _away(match, day, -1)


def _ahead(match: re.Match[str], day: Day) -> str | None:
    # "done in two days" tells how long it took; only with a verb that looks ahead is it a date.
    return _away(match, day, 1) if day.tense == "future" else None


def _period(match: re.Match[str], day: Day) -> str | None:
    which, unit, base = match[1], match[2], day.base
    if base is None:
        return None
    step = {"last": -1, "past": -1, "previous": -1, "this": 0}.get(which, 1)
    if unit == "year":
        return f"date/{base.year + step}"
    if unit == "month":
        return _month(*_shift_months(base, step))
    if unit == "week":
        return _week(base + timedelta(days=7 * step))
    if unit == "weekend":
        return _weekend(_saturday(base, step, day.tense))
    return _season(base, step, unit, day.tense)


def _saturday(base: date, step: int, tense: Tense) -> date:
    saturday = base - timedelta(days=(base.weekday() - 5) % 7)  # of the weekend that has begun last
    is_weekend = base.weekday() >= 5
    if step < 0:
        return saturday - timedelta(days=7 * is_weekend)
    if step > 0 or (tense == "future" and not is_weekend):
        return saturday + timedelta(days=7)
    return saturday


def _season(base: date, step: int, season: str, tense: Tense) -> str:
    first = {"spring": 3, "summer": 6}.get(season, 9)
    year = base.year
    if step < 0 and base.month < first + 3:
        year -= 1
    if step > 0 and base.month >= first:
        year += 1
    return f"date/{year}/{season}"


def _weekday(match: re.Match[str], day: Day) -> str | None:
    which, name = match[1], match[2]
    if day.base is None:
        return f"date/{name}"
    ahead = (WEEKDAYS.index(name) - day.base.weekday()) % 7 or 7
    is_past = which in ("last", "past") or (which not in ("next", "coming") and day.tense == "past")
    back = 7 if ahead == 7 else 7 - ahead
    return _day(day.base - timedelta(days=back) if is_past else day.base + timedelta(days=ahead))


def _nth(match: re.Match[str], day: Day) -> str | None:
    number = int(match[1])
    if day.base is None or not 1 <= number <= 31:
        return None
    step = 0
    if day.tense == "past" and number > day.base.day:
        step = -1
    if day.tense == "future" and number < day.base.day:
        step = 1
    year, month = _shift_months(day.base, step)
    try:
        return _day(date(year, month, number))
    except ValueError:  # a 31st in a month that has none
        return None


def _numeric(match: re.Match[str], day: Day) -> str | None:
    return calendar_date(match[1], day.base, day.tense)


def _clock(match: re.Match[str], day: Day) -> str | None:
    hour, minute, half = int(match[1]), match[2], match[3]
    if not 1 <= hour <= 12:
        return None
    return f"time/{hour}_{minute}_{half}m" if minute and minute != "00" else f"time/{hour}_{half}m"


def _every(match: re.Match[str], day: Day) -> str | None:
    return f"time/every_{match[1]}"


def _none(match: re.Match[str], day: Day) -> str | None:
    return None


# The first rule that reads a place keeps it. Written for case-folded text.
_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Day], str | None]], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), rule)
    for pattern, rule in (
        (r"black friday|good friday|cyber monday|ash wednesday|palm sunday|super bowl sunday", _none),
        (r"(?:the )?day before yesterday", _offset(-2)),
        (r"(?:the )?day after tomorrow", _offset(2)),
        (r"yesterday|last night", _offset(-1)),
        (r"tomorrow", _offset(1)),
        (r"today|tonight|this (?:morning|afternoon|evening)", _offset(0)),
        (rf"{_SPAN} ago", _ago),
        (rf"in {_SPAN}", _ahead),
        (rf"{_SPAN} from now", _ahead),
        (rf"(?:every|each) (?:other |second )?{_WEEKDAY}", _every),
        (r"(?:every|each) (morning|evening|night|day|week|weekend|month|year)", _every),
        (rf"(last|past|previous|this|next|coming) (week|month|year|weekend|{'|'.join(_SEASONS)})", _period),
        (rf"(?:(last|past|this|next|coming) )?{_WEEKDAY}", _weekday),
        (r"on the (\d{1,2})(?:st|nd|rd|th)", _nth),
        (r"on (\d{1,2}/\d{1,2}(?:/\d{2,4})?)", _numeric),
        (r"(\d{1,2})(?::(\d\d))? ?([ap])\.?m", _clock),
    )
)

_HINT = re.compile(
    r"day|yester|morrow|night|\bthis |"
    r"\bago\b|from now|\bevery |\beach |\b(?:last|past|previous|next|coming) |\bin |on (?:the )?\d|\d ?[ap]\.?m\b"
)


def relative_dates(text: str, base: date | None, tense_at: Callable[[int], Tense]) -> Iterator[Found]:
    """Relative dates, weekdays, recurrences and clock times in a text.

    Parameters
    ----------
    base : date or None
        The day of speaking.
    tense_at : callable
        The tense that governs the character at an offset; asked only where something is found.

    Examples
    --------
    >>> [f.path for f in relative_dates("We met last Friday at 7 pm.", date(2023, 5, 22), lambda at: "past")]
    ['date/2023/may_19', 'time/7_pm']
    """
    folded = text.lower()
    if len(folded) != len(text):  # a few letters become two, which would shift every offset
        folded = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    if not _HINT.search(folded):
        return
    taken: list[tuple[int, int]] = []
    for pattern, rule in _RULES:
        for match in pattern.finditer(folded):
            start, end = match.span()
            if any(start < there and here < end for here, there in taken):
                continue
            taken.append((start, end))
            try:
                path = rule(match, Day(base, tense_at(start)))
            except OverflowError:  # before the year 1 or after 9999, where no calendar reaches
                path = None
            yield Found(start, end, path)


# --- calendar dates -------------------------------------------------------------------------------------------------------

_MONTH_NAME = re.compile(
    r"\b(" + "|".join(f"{month[:3]}(?:{month[3:]}|t)?" if month != "may" else month for month in MONTHS) + r")\b"
)
_DAY_NUMBER = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)?\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NUMERIC = re.compile(r"\b(?:\d{4}-\d{1,2}-\d{1,2}|(?:1[0-2]|0?[1-9])/\d{1,2}(?:/\d{2,4})?)\b")


def calendar_date(span: str, base: date | None, tense: Tense) -> str | None:
    """The tag of a span that a tagger took for a date, if it names a calendar day, month or year; None for a duration or a range.

    Parameters
    ----------
    span : str
        Such as "April 1st", "the 3rd of May 2022", "in July", "5/12/2023", "2019".
    """
    text = span.casefold()
    months = _MONTH_NAME.findall(text)
    year = _YEAR.search(text)
    if (numeric := _NUMERIC.search(text)) and not months:
        return _parsed_day(numeric[0], base, tense, has_year=len(numeric[0]) > 5)
    if len(months) > 1 or len(_YEAR.findall(text)) > 1:
        return None
    if not months:
        return f"date/{year[0]}" if year and not re.search(r"\d\ds\b|\d{4}'s", text) else None
    month = next(n for n, name in enumerate(MONTHS, start=1) if months[0][:3] == name[:3])
    days = _DAY_NUMBER.findall(_YEAR.sub(" ", text))
    if len(days) == 1:
        return _parsed_day(f"{days[0]} {MONTHS[month - 1]} {year[0] if year else ''}".strip(), base, tense, bool(year))
    if year:
        return _month(int(year[0]), month)
    if base is None:
        return f"date/{MONTHS[month - 1]}"
    if "last" in text.split() or "next" in text.split():
        tense = "past" if "last" in text.split() else "future"
    return _month(base.year - (tense == "past" and month > base.month) + (tense == "future" and month < base.month), month)


@lru_cache(maxsize=4096)
def _parsed_day(text: str, base: date | None, tense: Tense, has_year: bool) -> str | None:
    import dateparser  # heavy: loads its language data

    found = dateparser.parse(
        text,
        languages=["en"],
        settings={
            "PREFER_DATES_FROM": tense,
            "RELATIVE_BASE": datetime.combine(base or date(2000, 1, 1), time()),
            "REQUIRE_PARTS": ["day", "month"],
            "RETURN_AS_TIMEZONE_AWARE": False,
        },
    )
    if found is None:
        return None
    return _day(found.date()) if base or has_year else f"date/{MONTHS[found.month - 1]}_{found.day}"
