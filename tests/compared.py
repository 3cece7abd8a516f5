"""A small store with two extractions of the same two cases, small enough to count by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from workbench.notes import interactions
from workbench.records import Case, Extraction, Gold, Note, Question, Session, Turn
from workbench.store import ExtractionKey, open_store

START = datetime(2024, 3, 1, 9)
BENCHMARK = "shelf"
FIRST, SECOND = ExtractionKey("careful"), ExtractionKey("loose", {"model": "made up"})


def _case(id: str, said: Sequence[tuple[str, str]], asked: Sequence[tuple[str, str, str]]) -> Case:
    sessions = tuple(
        Session(f"{id}{at}", tuple(Turn(role, text) for role, text in zip(("user", "assistant"), pair, strict=True)), at, time)
        for at, pair in enumerate(said)
        for time in (START + timedelta(days=at),)
    )
    questions = tuple(
        Question(f"{id}_q{n}", text, type=type_, gold=Gold(notes=(note,))) for n, (text, type_, note) in enumerate(asked)
    )
    return Case(BENCHMARK, id, sessions, questions)


OUTING = _case(
    "a",
    [
        ("I bought a lemon cake in Rome.", "Enjoy it."),
        ("The museum was closed.", "Try the opera."),
        ("Yesterday I planted roses.", "Water them."),
    ],
    [
        ("Which cake did I buy?", "single", "a0#1"),
        ("Was the museum open?", "single", "a1#1"),
        ("Where are my roses?", "time", "a2#1"),
    ],
)
CATS = _case("b", [("My cat sleeps.", "Good."), ("All cats sleep.", "Indeed.")], [("What does my cat do?", "single", "b0#1")])

TAGS: Mapping[ExtractionKey, Mapping[str, Mapping[str, Extraction]]] = {
    FIRST: {
        "a": {
            "a0#1": Extraction(what=("food/cake", "action/buy"), where=("place/rome",)),
            "a1#1": Extraction(where=("place/museum",)),
            "a2#1": Extraction(what=("garden/roses",), when=("date/2024/march_2",)),
        },
        "b": {"b0#1": Extraction(what=("pets/cat",)), "b1#1": Extraction(what=("pets/cats",))},
    },
    SECOND: {
        "a": {
            "a0#1": Extraction(what=("dessert/cakes", "food/pizza"), extra=("place/rome",)),
            "a1#1": Extraction(what=("art/opera",)),
            "a2#1": Extraction(),
        },
        "b": {"b0#1": Extraction(what=("pets/cat",)), "b1#1": Extraction(what=("pets/cat",))},
    },
}


def notes_of(case: Case, key: ExtractionKey) -> tuple[Note, ...]:
    return tuple(Note(one, TAGS[key][case.id][one.id]) for one in interactions(case))


_made: dict[tuple[ExtractionKey, ...], bytes] = {}


def build(path: Path, keys: Sequence[ExtractionKey] = (FIRST, SECOND)) -> Path:
    """A store with these extractions of both cases; written once, then copied."""
    if tuple(keys) not in _made:
        with open_store(path) as store:
            for minute, key in enumerate(keys):
                for case in (OUTING, CATS):
                    counters = {"failed": {"a2#1": "no answer"} if case is OUTING else {}} if key == SECOND else {}
                    store.cases.add(case, notes_of(case, key), key, counters=counters, now=START + timedelta(minutes=minute))
        _made[tuple(keys)] = path.read_bytes()
    path.write_bytes(_made[tuple(keys)])
    return path
