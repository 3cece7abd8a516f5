"""Small cases with known content, and other processes that use the same store."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from workbench.records import Case, Extraction, Gold, Interaction, Note, Question, Session, Turn
from workbench.store import Store, open_store

ROOT = Path(__file__).resolve().parents[2]
DAY = datetime(2024, 5, 1, 9, 30)
MakeCase = Callable[..., Case]


def _case(id: str = "c1", benchmark: str = "demo", sessions: int = 3, word: str = "museum") -> Case:
    """Sessions of two rounds each; the last has no date."""
    made = []
    for s in range(sessions):
        turns = []
        for r in range(2):
            turns.append(Turn("user", f"{id}: I saw the {word} on day {s}, round {r}", "Ann", f"{s}:{2 * r}"))
            turns.append(Turn("assistant", f"{id}: how was the {word}?", "", f"{s}:{2 * r + 1}", "a picture" if r else ""))
        time = None if s == sessions - 1 else DAY + timedelta(days=s)
        made.append(Session(f"s{s}", tuple(turns), s, time, "" if time else "Monday"))
    question = Question(f"{id}_q1", f"When did Ann see the {word}?", "day 0", "temporal", Gold(sessions=("s0",)), DAY, "", ("r",))
    other = Question(f"{id}_q2", "Who asked?", None, "single", Gold(turns=("0:0", "1:0"), substrings=("how",)))
    return Case(benchmark, id, tuple(made), (question, other), "round", "A title", ("Ann",))


def _notes(case: Case, tag: str = "place/museum") -> tuple[Note, ...]:
    """One note per round of two turns, each with a shared and an own tag."""
    return tuple(
        Note(
            Interaction(f"{s.id}#{r + 1}", s.id, s.turns[2 * r : 2 * r + 2], s.position, r + 1, s.time, s.time_text),
            Extraction(who=("person/ann",), what=(tag, f"round/{r}"), summary=f"summary of {s.id}#{r + 1}"),
        )
        for s in case.sessions
        for r in range(len(s.turns) // 2)
    )


@pytest.fixture(scope="session")
def make_case() -> MakeCase:
    return _case


@pytest.fixture(scope="session")
def make_notes() -> Callable[..., tuple[Note, ...]]:
    return _notes


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(":memory:") as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.duckdb"


@pytest.fixture
def run_python() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start another Python on a script with arguments; whatever still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def run(script: str, *arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(Path(__file__).parent)])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
