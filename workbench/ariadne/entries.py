"""Entries: the self-contained facts that AriadneMem stores, one an utterance by rules (4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

NEGATED = "not"
"""The one value of negation, and the keyword that stands for any of its words."""
AFFIRMED = frozenset(("affirmed",))
VALUE_KINDS = ("number", "time", "date", "negation", "name")
"""What an entry may state that another, similar one contradicts."""


@dataclass(frozen=True)
class Entry:
    """What one utterance says, or what a model made of a window.

    Attributes
    ----------
    number : int
        Place in the order of time, from 0.
    note : int
        Row of its (first) note in ``Memory.notes``.
    refs : tuple of str
        Ids of the turns it comes from.
    text : str
        The bare utterance: what gate and coarsening compare.
    restatement : str
        ``Name on date: text`` with relative dates resolved: what is retrieved and read.
    words : mapping
        How often the restatement holds each index word.
    keywords : frozenset of str
        Index words without the common ones; numbers, times, dates, negations and names are always among them.
    persons, entities : frozenset of str
        Names of people (the speaker's too), and other names and heads of noun phrases.
    values : mapping
        By kind of VALUE_KINDS what it states.
    subject : str or None
        What its first main clause is about; None where that is a pronoun.
    """

    number: int
    note: int
    note_id: str
    refs: tuple[str, ...]
    speaker: str
    text: str
    restatement: str
    words: Mapping[str, int]
    keywords: frozenset[str]
    persons: frozenset[str]
    entities: frozenset[str]
    values: Mapping[str, frozenset[str]]
    location: str | None
    subject: str | None
    is_question: bool
    time: datetime | None
    window: int = 0
    sources: tuple[int, ...] = ()
    """Numbers of the utterances it was made from."""

    @cached_property
    def ent(self) -> frozenset[str]:
        """Ent(m) of Eq. 8: persons and entities."""
        return self.persons | self.entities

    def adds(self, other: Entry) -> dict[str, frozenset[str]]:
        """Values that this entry states and another does not, by kind."""
        return {kind: more for kind in VALUE_KINDS if (more := self.values[kind] - other.values[kind])}

    def differs(self, other: Entry) -> bool:
        """Whether the two state different values."""
        return any(self.values[kind] != other.values[kind] for kind in VALUE_KINDS)

    def replaces(self, other: Entry) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The values of an older entry and those that this one states in their place, as people read them.

        A value is replaced where both entries have one of its kind that the other lacks, or where only one of them negates.
        """
        old, new = list[str](), list[str]()
        for kind in VALUE_KINDS:
            gone, come = other.values[kind] - self.values[kind], self.values[kind] - other.values[kind]
            if kind == "negation" and (gone or come):
                gone, come = gone or AFFIRMED, come or AFFIRMED
            if gone and come:
                old += sorted(spoken_value(value) for value in gone)
                new += sorted(spoken_value(value) for value in come)
        return tuple(old), tuple(new)


def spoken_value(value: str) -> str:
    """A value as people read it.

    Examples
    --------
    >>> spoken_value("time/2_pm"), spoken_value("date/2023/may_7"), spoken_value("mill_street"), spoken_value("date")
    ('2 pm', '7 May 2023', 'mill street', 'date')
    """
    root, _, rest = value.partition("/")  # nothing follows in a name such as "date" or "time"
    if value == NEGATED:
        return "negated"
    if root == "date" and rest:
        return spoken_date(value)
    return (rest if root == "time" and rest else value).replace("_", " ")


def spoken_date(path: str) -> str:
    """A date tag as people write it.

    Examples
    --------
    >>> spoken_date("date/2023/may_15_21"), spoken_date("date/2023/may_29_june_4"), spoken_date("date/2023/may")
    ('15 to 21 May 2023', '29 May to 4 June 2023', 'May 2023')
    """
    _, *parts = path.split("/")
    year = parts[0] if parts[0].isdigit() else ""
    words = (parts[-1] if parts[-1] != year else "").split("_")
    match words:
        case [month, day, end] if day.isdigit() and end.isdigit():
            said = f"{day} to {end} {month.capitalize()}"
        case [month, day, other, end]:
            said = f"{day} {month.capitalize()} to {end} {other.capitalize()}"
        case [month, day]:
            said = f"{day} {month.capitalize()}"
        case _:
            said = words[0].capitalize()
    return f"{said} {year}".strip()


def entry_of(row: Mapping[str, Any], number: int, note: int, note_id: str, time: datetime | None) -> Entry:
    """An entry from its stored row."""
    return Entry(
        number,
        note,
        note_id,
        tuple(row["refs"]),
        row["speaker"],
        row["text"],
        row["restatement"],
        row["words"],
        frozenset(row["keywords"]),
        frozenset(row["persons"]),
        frozenset(row["entities"]),
        {kind: frozenset(row["values"].get(kind, ())) for kind in VALUE_KINDS},
        row["location"],
        row["subject"],
        row["is_question"],
        time,
        window=number,
        sources=(number,),
    )
