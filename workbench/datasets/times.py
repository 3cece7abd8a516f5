"""Dates as benchmarks and chat programs write them. Never guessed: what has no calendar date gives None."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SLASHED = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})(?:\s*\([^)]*\))?(?:\s+(\d{1,2}):(\d{2}))?")
_SPOKEN = re.compile(r"(\d{1,2}):(\d{2})\s*([ap]m)\s+on\s+(\d{1,2})\s+([a-z]{3})[a-z]*\.?,?\s+(\d{4})", re.IGNORECASE)


def parse_time(value: object) -> datetime | None:
    """A point in time without a zone; None where the value gives none.

    Read are ISO 8601, ``2023/05/20 (Sat) 02:21`` (LongMemEval), ``1:56 pm on 8 May, 2023`` (LoCoMo) and seconds (or, over
    10^11, milliseconds) since 1970. A time with a zone is turned into UTC, since times in a case must be comparable.

    Examples
    --------
    >>> parse_time("1:56 pm on 8 May, 2023")
    datetime.datetime(2023, 5, 8, 13, 56)
    >>> parse_time("Monday 9:00 AM") is None
    True
    """
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC).replace(tzinfo=None)
        return _from_text(value.strip()) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None


def _from_text(text: str) -> datetime | None:
    if match := _SLASHED.fullmatch(text):
        return datetime(*(int(part or 0) for part in match.groups()))  # type: ignore[arg-type]
    if match := _SPOKEN.fullmatch(text):
        hour, minute, half, day, month, year = match.groups()
        if not 1 <= int(hour) <= 12 or month.lower() not in _MONTHS:
            return None
        hours = int(hour) % 12 + 12 * (half.lower() == "pm")
        return datetime(int(year), _MONTHS.index(month.lower()) + 1, int(day), hours, int(minute))
    if not text[:4].isdigit() or "-" not in text:  # fromisoformat also takes "20230520" and week dates, which may be numbers
        return None
    time = datetime.fromisoformat(text)
    return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
