"""A store of the made-up dialogues, for pages that show AriadneMem."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from ariadne_dialogues import BIKE, BIKE_QUESTION, CAT, MAY, MEETING, Line, at, chatter

from workbench.notes import interactions
from workbench.records import Case, Extraction, Gold, Note, Question, Session, Turn
from workbench.store import ExtractionKey, open_store

HOSTILE = "</script><img src=x onerror=alert(1)> [link](https://evil.example) $x^2$ :red[colour] **bold**"

THINGS = ("I bought a kettle.", "I sold the harp.", "I lost a scarf.", "I mended the oven.", "I painted a fence.")
APART: tuple[Line, ...] = tuple((at(MAY, day, 9), "Ana", text) for day, text in enumerate(THINGS, 1))
"""Five things that have nothing in common."""


def build_talks(path: Path) -> Path:
    """Make a store of cases that AriadneMem has not read: updates, a bridge, a repetition, hostile texts, long and empty ones."""
    hostile: list[Line] = [(time, HOSTILE, f"{text} {HOSTILE}") for time, _, text in MEETING]
    cases = (
        _case("meeting", MEETING, Question("q", "When is the budget meeting?", "3 pm", "when", Gold(("s3",), ("E3",)))),
        _case("bike", BIKE, Question("q", BIKE_QUESTION, "no", "why", Gold(("s3",), ("E3",)))),
        _case("late", _late(BIKE), Question("q", BIKE_QUESTION)),
        _case("cat", CAT, Question("q", "What is Ivo's cat called?", "Miso", "what", Gold(("s2",), ("E2",)))),
        _case(
            "hostile", hostile, Question("q", f"When is the budget meeting {HOSTILE}?", HOSTILE, HOSTILE, Gold(("s3",), ("E3",)))
        ),
        _case("long", chatter(6, 10), Question("q", "Who mended the violin?", None, "who", Gold(("s9",)))),
        _case("apart", APART, Question("q", "What of kettle, harp, scarf, oven and fence?")),
        _case("silent", ()),
    )
    with open_store(path) as store:
        for case in cases:
            notes = tuple(Note(one, Extraction()) for one in interactions(case))
            store.cases.add(case, notes, ExtractionKey("none"), now=datetime(2024, 7, 1))
    return path


def _case(name: str, lines: Sequence[Line], *questions: Question) -> Case:
    sessions = (
        Session(f"s{at}", (Turn("user", text, speaker, f"E{at}"),), at, time) for at, (time, speaker, text) in enumerate(lines, 1)
    )
    return Case("talks", name, tuple(sessions), questions)


def _late(lines: Sequence[Line]) -> list[Line]:
    """The dialogue with the sixth line 169 hours after the first, and what followed it later still."""
    first = lines[0][0]
    assert first is not None
    return [
        *lines[:5],
        (first + timedelta(hours=169), *lines[5][1:]),
        *((first + timedelta(days=9), *line[1:]) for line in lines[6:]),
    ]
