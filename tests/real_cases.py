"""Three short dialogues whose facts change, hold both ways, or follow from one another, as cases of a store."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from workbench.notes import interactions
from workbench.records import Case, Extraction, Gold, Note, Question, Session, Turn
from workbench.store import ExtractionKey, open_store

BENCHMARK = "changing"


def _case(id: str, said: list[tuple[datetime, str, str]], questions: list[tuple[str, str, datetime, str]]) -> Case:
    sessions = tuple(
        Session(
            f"s{at}", (Turn("user", text, speaker, ref=f"s{at}:0"), Turn("assistant", "I see.", "Max", ref=f"s{at}:1")), at, time
        )
        for at, (time, speaker, text) in enumerate(said, 1)
    )
    asked = tuple(
        Question(f"{id}_q{at}", text, answer, "", Gold((session,), (f"{session}:0",)), time)
        for at, (text, answer, time, session) in enumerate(questions, 1)
    )
    return Case(BENCHMARK, id, sessions, asked, participants=(said[0][1], "Max"))


def paris() -> Case:
    """A move there and back, and one that is only thought of."""
    said = [
        (datetime(2024, 1, 10, 9), "Vera", "I live in Paris."),
        (datetime(2024, 3, 4, 9), "Vera", "I moved to London on 26 February."),
        (datetime(2024, 6, 2, 9), "Vera", "I moved back to Paris yesterday."),
        (datetime(2024, 6, 3, 9), "Vera", "I might move to Rome."),
        (datetime(2024, 6, 4, 9), "Vera", "Lovely weather, isn't it?"),
    ]
    july = datetime(2024, 7, 1)
    return _case(
        "paris",
        said,
        [
            ("Where does Vera live?", "Paris", july, "s3"),
            ("How has where Vera lives changed?", "Paris, London, Paris", july, "s2"),
        ],
    )


def cousins() -> Case:
    """A marriage that is told of one side."""
    said = [
        (datetime(2024, 5, 6, 9), "Nora", "My cousin Felix married Inga last year."),
        (datetime(2024, 5, 7, 9), "Nora", "I met Paul in Oslo."),
    ]
    return _case("cousins", said, [("Who is Inga married to?", "Felix", datetime(2024, 6, 1), "s1")])


def beagle() -> Case:
    """A job that was left, and a dog that is called a beagle."""
    said = [
        (datetime(2024, 1, 1, 9), "Ada", "I adopted a beagle."),
        (datetime(2024, 1, 2, 9), "Ada", "A beagle is a kind of dog."),
        (datetime(2024, 2, 1, 9), "Ada", "I work at Orbit Labs."),
        (datetime(2024, 4, 1, 9), "Ada", "I no longer work at Orbit Labs."),
    ]
    may = datetime(2024, 5, 1)
    return _case("beagle", said, [("Where does Ada work?", "nowhere", may, "s4"), ("Does Ada have a dog?", "yes", may, "s1")])


def fill(path: Path) -> Path:
    """A store with the three cases, whose notes have no tags: REAL reads their text."""
    with open_store(path) as store:
        for case in (paris(), cousins(), beagle()):
            notes = tuple(Note(one, Extraction()) for one in interactions(case))
            store.cases.add(case, notes, ExtractionKey("none"), now=datetime(2024, 7, 1))
    return path
