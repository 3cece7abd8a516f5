"""Small histories for tests of reductions, ablations and sweeps."""

from __future__ import annotations

from datetime import datetime, timedelta

from workbench.evaluate.runs import CaseInput
from workbench.records import Case, Extraction, Gold, Interaction, Note, Question, Session, Turn

SUBJECTS = ("cello", "ferry", "orchid", "kiln", "falcon", "quilt", "canoe", "lantern", "saffron", "trowel")


def history(sessions: int = 10, rounds: int = 2) -> tuple[tuple[Session, ...], tuple[Note, ...]]:
    """Sessions ``s0`` (oldest) to ``s9`` on a subject each; a note and a tag for every round."""
    made, notes = [], []
    for at in range(sessions):
        subject, time = SUBJECTS[at % len(SUBJECTS)], datetime(2024, 5, 1, 9) + timedelta(days=at)
        turns = []
        for number in range(1, rounds + 1):
            turns.append(Turn("user", f"About the {subject}, part {number}: it is new.", ref=f"s{at}:{number}"))
            found = Interaction(f"s{at}#{number}", f"s{at}", (turns[-1],), at, number, time)
            notes.append(Note(found, Extraction(what=(f"thing/{subject}",))))
        made.append(Session(f"s{at}", tuple(turns), at, time))
    return tuple(made), tuple(notes)


def case_of(*questions: Question, benchmark: str = "longmemeval_s", id: str = "c", sessions: int = 10) -> CaseInput:
    made, notes = history(sessions)
    return CaseInput(Case(benchmark, id, made, questions), notes, "digest")


def ask(id: str, text: str, **gold: tuple[str, ...]) -> Question:
    return Question(id, text, type="t", gold=Gold(**gold))
