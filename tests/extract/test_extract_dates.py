"""Dates: resolved against the day of speaking with the tense, never finer than what was said."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.extract.dates import MONTHS, Tense, calendar_date, relative_dates
from workbench.extract.schema import normalise_path

WEDNESDAY = date(2024, 5, 15)
bases = st.dates(date(1990, 1, 1), date(2090, 1, 1))
tenses = st.sampled_from(["past", "future"])


def read(text: str, tense: Tense = "past", base: date | None = WEDNESDAY) -> list[str]:
    found = sorted(relative_dates(text, base, lambda at: tense), key=lambda hit: hit.start)
    return [hit.path for hit in found if hit.path]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("yesterday", "date/2024/may_14"),
        ("the day before yesterday", "date/2024/may_13"),
        ("last night", "date/2024/may_14"),
        ("this morning", "date/2024/may_15"),
        ("tomorrow", "date/2024/may_16"),
        ("three days ago", "date/2024/may_12"),
        ("two weeks ago", "date/2024/april_29_may_5"),
        ("a month ago", "date/2024/april"),
        ("5 years ago", "date/2019"),
        ("last weekend", "date/2024/may_11_12"),
        ("next weekend", "date/2024/may_18_19"),
        ("last week", "date/2024/may_6_12"),
        ("last month", "date/2024/april"),
        ("next year", "date/2025"),
        ("last summer", "date/2023/summer"),
        ("last Friday", "date/2024/may_10"),
        ("next Friday", "date/2024/may_17"),
        ("last Wednesday", "date/2024/may_8"),
        ("every second Wednesday", "time/every_wednesday"),
        ("each morning", "time/every_morning"),
        ("at 7:30 pm", "time/7_30_pm"),
        ("at 7:00 a.m. sharp", "time/7_am"),
        ("on 2/5", "date/2024/february_5"),
    ],
)
def test_what_was_said_is_dated(text: str, path: str) -> None:
    assert read(text) == [path]


@pytest.mark.parametrize(
    ("text", "past", "future"),
    [
        ("on Thursday", "date/2024/may_9", "date/2024/may_16"),
        ("this weekend", "date/2024/may_11_12", "date/2024/may_18_19"),
        ("on the 20th", "date/2024/april_20", "date/2024/may_20"),
    ],
)
def test_the_tense_decides_between_past_and_future(text: str, past: str, future: str) -> None:
    assert read(text, "past") == [past]
    assert read(text, "future") == [future]


def test_on_a_weekend_the_last_one_is_the_one_before() -> None:
    for day in (18, 19):
        assert read("last weekend", base=date(2024, 5, day)) == ["date/2024/may_11_12"]
        assert read("this weekend", base=date(2024, 5, day)) == ["date/2024/may_18_19"]


def test_a_span_in_the_past_is_a_duration_and_ahead_a_date() -> None:
    assert read("finished it in two days", "past") == []
    assert read("it starts in two days", "future") == ["date/2024/may_17"]


@pytest.mark.parametrize(
    "text",
    [
        "for two days",
        "two days",
        "a couple of months ago",
        "Black Friday",
        "last winter",
        "Sundayish",
        "I am 9",
        "it may rain",
        "on the 31st",
    ],
)
def test_what_is_no_date_gives_none(text: str) -> None:
    assert read(text) == []


def test_at_the_ends_of_the_calendar_there_is_no_date() -> None:
    assert read("yesterday", base=date.min) == []
    assert read("tomorrow and next week", base=date.max) == []


def test_letters_that_grow_when_folded_shift_nothing() -> None:
    assert read("İİİ and yesterday") == ["date/2024/may_14"]


def test_without_a_calendar_only_names_are_kept() -> None:
    assert read("yesterday, last week, on Monday at 9 am", base=None) == ["date/monday", "time/9_am"]


@pytest.mark.parametrize(
    ("span", "tense", "path"),
    [
        ("April 1st", "future", "date/2025/april_1"),
        ("April 1st", "past", "date/2024/april_1"),
        ("the 3rd of December", "past", "date/2023/december_3"),
        ("June 2", "future", "date/2024/june_2"),
        ("March 15, 2022", "future", "date/2022/march_15"),
        ("2021-07-04", "past", "date/2021/july_4"),
        ("12/25", "past", "date/2023/december_25"),
        ("in July", "past", "date/2023/july"),
        ("July", "future", "date/2024/july"),
        ("last July", "future", "date/2023/july"),
        ("mid-June 2019", "past", "date/2019/june"),
        ("2018", "past", "date/2018"),
        ("May", "past", "date/2024/may"),
    ],
)
def test_calendar_dates_keep_their_granularity(span: str, tense: Tense, path: str) -> None:
    assert calendar_date(span, WEDNESDAY, tense) == path


@pytest.mark.parametrize("span", ["two days", "the 1990s", "March to May", "a long time", "24/7", "2019 and 2020", "weekly"])
def test_durations_and_ranges_are_no_calendar_date(span: str) -> None:
    assert calendar_date(span, WEDNESDAY, "past") is None


def test_a_range_inside_a_month_is_the_month() -> None:
    assert calendar_date("May 5-7", WEDNESDAY, "past") == "date/2024/may"


def test_without_a_calendar_the_year_is_left_open() -> None:
    assert calendar_date("April 1st", None, "past") == "date/april_1"
    assert calendar_date("in July", None, "future") == "date/july"
    assert calendar_date("March 15, 2022", None, "past") == "date/2022/march_15"


@given(bases, st.integers(1, 300), tenses)
def test_days_ago_counts_days(base: date, days: int, tense: Tense) -> None:
    there = base - timedelta(days=days)
    assert read(f"{days} days ago", tense, base) == [f"date/{there.year}/{MONTHS[there.month - 1]}_{there.day}"]


@given(
    bases,
    tenses,
    st.sampled_from(["last weekend", "this week", "next month", "on Sunday", "last summer", "on the 31st", "two months ago"]),
)
def test_every_date_is_a_valid_path_on_every_day(base: date, tense: Tense, text: str) -> None:
    for path in read(text, tense, base):
        assert normalise_path(path) == path


@given(bases, tenses)
def test_a_weekday_lies_within_a_week_on_the_side_of_its_tense(base: date, tense: Tense) -> None:
    (path,) = read("on Sunday", tense, base)
    days = [base + timedelta(days=n) for n in (range(-7, 0) if tense == "past" else range(1, 8))]
    (sunday,) = [day for day in days if day.weekday() == 6]
    assert path == f"date/{sunday.year}/{MONTHS[sunday.month - 1]}_{sunday.day}"
