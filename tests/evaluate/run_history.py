"""A store with two small cases and an evaluated run, which the tests of exports and imports share."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.notes import interactions
from workbench.records import Case, Extraction, Gold, Note, Question, Run, Session, Turn
from workbench.store import ExtractionKey, open_store

METHODS = ("bm25", "tag_basic", "adaptive")
SAID = {
    "a b": ["the cello needs new strings", "our ferry leaves at noon", "cello lesson moved to Friday"],
    "c": ["the cello was sold", "a lesson on knots", "the ferry was late", "cello strings arrived"],
}


def case(benchmark: str, case_id: str, questions: list[Question]) -> Case:
    sessions = []
    for at, text in enumerate(SAID[case_id]):
        # Sessions of two rounds, one of them with a blank in its id, and one without any round.
        turns = [Turn("user", text, ref=f"s{at}:0"), Turn("assistant", "Noted.", ref=f"s{at}:1")]
        turns += [Turn("user", f"and again: {text}", ref=f"s{at}:2"), Turn("assistant", "Noted.", ref=f"s{at}:3")]
        sessions.append(Session(f"s {at}" if at == 0 else f"s{at}", tuple(turns), at, datetime(2024, 5, 1 + at, 9)))
    sessions.append(Session("silent", (), len(sessions), datetime(2024, 6, 1, 9)))
    return Case(benchmark, case_id, tuple(sessions), tuple(questions))


def ask(question: str, text: str, type: str = "multi-session", **gold: tuple[str, ...]) -> Question:
    return Question(question, text, type=type, gold=Gold(**gold))


def by_session() -> list[Case]:
    """Judged over sessions, with an abstention question and one without gold."""
    first = [
        ask("q1", "cello strings", sessions=("s 0",), turns=("s0:0",)),
        ask("q2", "when is the lesson", sessions=("s1", "s2"), turns=("s2:2",)),
        ask("q3", "which zebra"),
    ]
    second = [ask("q1", "ferry", sessions=("s2",)), ask("r_abs", "knots on a cello", sessions=("s1",), turns=("s1:0",))]
    return [case("longmemeval_s", "a b", first), case("longmemeval_s", "c", second)]


def by_note() -> list[Case]:
    """Judged over notes, by turns and by substrings."""
    first = [
        ask("q1", "cello strings", "2 temporal", turns=("s0:0",)),
        ask("q2", "noon ferry", "5 adversarial", turns=("s1:2",)),
    ]
    second = [
        ask("q4", "zzz", "1 multi-hop", turns=("s1:0",)),
        ask("q5", "cello", "1 multi-hop", substrings=("cello", "strings")),
        ask("q6", "knots", "1 multi-hop", substrings=("zeppelin",)),
    ]
    return [case("locomo", "a b", first), case("locomo", "c", second)]


def stored(path: Path, cases: list[Case]) -> Run:
    """Store the cases and a run of METHODS over them."""
    with open_store(path) as store:
        for each in cases:
            notes = [Note(one, Extraction(what=tuple(one.user.split()[-2:]))) for one in interactions(each)]
            store.cases.add(each, notes, ExtractionKey("words"))
        inputs = list(case_inputs(store, [each.key for each in cases]))
        run = evaluate(inputs, [MethodSpec(name) for name in METHODS], {"extractor": "words"})
        store.runs.add(run)
    return run
