"""Assertions: what was said, as the sextuple (h, r, t, [start, end), confidence, intent) and its source (REAL, Methodology A)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from workbench.errors import BadInput
from workbench.real.intents import INTENTS, Intent
from workbench.real.relations import Aspect

Precision = Literal["moment", "day", "month", "year", "unknown"]
Act = Literal["assertion", "retraction"]
Recorded = tuple[datetime, int, int, int, int]
"""When something was said: session time (the least of all where there is none), session position, round, turn, place in it."""
UNDATED = datetime.min


@dataclass(frozen=True, slots=True)
class Fact:
    """One assertion, never changed and never merged with another (5.2, rule 2).

    Attributes
    ----------
    head, relation, tail, preposition : str
        Head and tail as they are read; they compare case-folded. ``preposition`` goes with a relation that does not say its own.
    start, end : datetime or None
        As stated, else the time of speaking; None where unknown (start) or open (end). Validity is half-open.
    precision : str
        How exact the start is. ``is_stated`` tells a stated start from an assumed one.
    confidence : float
        In [0, 1]; ``cue`` holds the words behind it, ``intent_cue`` those behind the intent.
    act : str
        A retraction closes equal assertions at ``start`` and adds no edge (rule 5).
    note, turn, quote : str, int, str
        The source: note id, position of the turn in its interaction, and the sentence.
    recorded : tuple
        The order of speaking.
    """

    id: str
    head: str
    relation: str
    tail: str
    start: datetime | None
    end: datetime | None
    confidence: float
    intent: Intent
    note: str
    turn: int
    recorded: Recorded
    aspect: Aspect = "state"
    act: Act = "assertion"
    precision: Precision = "moment"
    is_stated: bool = False
    preposition: str = ""
    tail_type: str = ""
    cue: str = ""
    intent_cue: str = ""
    quote: str = ""

    @property
    def triple(self) -> tuple[str, str, str]:
        """Case-folded head, relation and tail: what makes two facts equal."""
        return self.head.casefold(), self.relation, self.tail.casefold()

    @property
    def key(self) -> tuple[datetime, Recorded, str]:
        """The order of assertions: by start, then by when they were said (rule 3)."""
        return self.start or UNDATED, self.recorded, self.id


def fact_id(note: str, turn: int, place: int, triple: tuple[str, str, str], act: Act = "assertion") -> str:
    """An id that depends on the source and the triple alone."""
    return hashlib.sha256("\x1f".join((note, str(turn), str(place), *triple, act)).encode()).hexdigest()[:16]


def to_row(fact: Fact) -> dict[str, Any]:
    """A fact as plain JSON values."""

    def moment(time: datetime | None) -> str | None:
        return time.isoformat() if time else None

    row = {name: getattr(fact, name) for name in Fact.__slots__}
    recorded = [fact.recorded[0].isoformat(), *fact.recorded[1:]]
    return row | {"start": moment(fact.start), "end": moment(fact.end), "recorded": recorded}


def from_row(row: Mapping[str, Any]) -> Fact:
    """The fact of a row.

    Raises
    ------
    BadInput
        If a field is missing or does not fit.
    """
    try:
        values = {name: row[name] for name in Fact.__slots__}
        first, *places = row["recorded"]
        position, round_, turn, place = map(int, places)
        fact = Fact(
            **values
            | {
                "start": datetime.fromisoformat(row["start"]) if row["start"] else None,
                "end": datetime.fromisoformat(row["end"]) if row["end"] else None,
                "recorded": (datetime.fromisoformat(first), position, round_, turn, place),
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"a stored fact does not read as one ({error!r}): {dict(row)!r}") from error
    return checked(fact)


def checked(fact: Fact) -> Fact:
    """The fact; BadInput where a value is none."""
    if fact.intent not in INTENTS or fact.act not in get_args(Act) or fact.aspect not in get_args(Aspect):
        raise BadInput(f"fact {fact.id} has intent {fact.intent!r}, act {fact.act!r} and aspect {fact.aspect!r}")
    if not 0 <= fact.confidence <= 1 or not fact.head or not fact.relation or not fact.tail:
        raise BadInput(f"fact {fact.id} needs head, relation, tail and a confidence from 0 to 1, not {fact!r}")
    return fact
