"""Own questions: saved on a copy of the case, evaluated like any benchmark, and out to a file and back as the same."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.datasets.read import read
from workbench.errors import BadInput
from workbench.evaluate.inputs import case_input, case_inputs
from workbench.evaluate.measures.base import compute
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.extract.base import extractors
from workbench.ingest import ingest
from workbench.methods.base import create
from workbench.own_questions import QuestionKey, add_question, export_questions
from workbench.records import Gold, Run
from workbench.store import ExtractionKey, Store, case_digest, open_store

CASE = "longmemeval_demo/demo_missing_tag"
GOLD = "answer_demo_a_1#1"
SPECS = [MethodSpec("bm25"), MethodSpec("tag_stopwords"), MethodSpec("adaptive")]


def other_case(store: Store) -> str:
    return next(row.key for row in store.cases.list("longmemeval_demo") if row.key != CASE)


def evaluated(path: Path, set_name: str) -> Run:
    with open_store(path, read_only=True) as store:
        keys = [row.key for row in store.cases.list(set_name)]
    return evaluate(case_inputs(path, keys), SPECS, {})


def numbers(run: Run) -> list[tuple[object, ...]]:
    return [(r.case, r.question, r.method, r.note_ids, dict(r.measures)) for r in run.results]


def test_the_copy_holds_the_same_case_and_the_loaded_one_stays(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        row, case = store.cases.find(CASE), store.cases.get(CASE)
        assert add_question(store, CASE, "mine", "Which stretch?", [GOLD], answer="doorway") == ("mine/demo_missing_tag", "q1")
        assert (store.cases.find(CASE), store.cases.get(CASE)) == (row, case)
        copy = case_input(store, "mine/demo_missing_tag")
        assert copy.notes == case_input(store, CASE).notes
        (asked,) = copy.case.questions
        assert (asked.text, asked.answer, asked.gold) == ("Which stretch?", "doorway", Gold(notes=(GOLD,)))
        assert copy.case == replace(case, benchmark="mine", questions=(asked,))
        assert store.cases.find(copy.case.key).digest == case_digest(copy.case)


def test_a_second_question_joins_the_copy_and_brings_new_extractions(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        first = add_question(store, CASE, "mine", "Which stretch?", [GOLD])
        digest = store.cases.find(first.case).digest
        store.cases.add(store.cases.get(CASE), store.notes.get(CASE), ExtractionKey("twin", {"a": 1}))
        second = add_question(store, "demo_missing_tag", "mine", "And when?", [GOLD])
        assert second == QuestionKey(first.case, "q2")
        assert store.own_questions.sets() == {"mine": 2}
        assert [row.extractor for row in store.extractions.list(first.case)] == ["twin", "rules"]
        assert store.notes.get(first.case, "twin") == store.notes.get(CASE, "twin")
        row = store.cases.find(first.case)
        assert row.questions == 2
        assert row.digest == case_digest(store.cases.get(first.case)) != digest
        assert store.own_questions.source(first.case) == CASE


def test_a_loaded_benchmark_is_never_changed(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        before = store.info()
        with pytest.raises(BadInput, match="atant_demo is a loaded benchmark"):
            add_question(store, CASE, "atant_demo", "Which stretch?", [GOLD])
        with pytest.raises(BadInput, match="longmemeval_demo is a loaded benchmark"):
            add_question(store, CASE, "longmemeval_demo", "Which stretch?", [GOLD])
        assert store.info() == before


@pytest.mark.parametrize(
    ("text", "gold", "set_name", "reason"),
    [
        (" ", [GOLD], "mine", "needs words"),
        ("x", [], "mine", "at least one note"),
        ("x", ["nowhere#1"], "mine", "no note 'nowhere#1'"),
        ("x", {GOLD: 4}, "mine", "a grade is 1, 2, 3"),
        ("x", {GOLD: True}, "mine", "a grade is 1, 2, 3"),
        ("x", [GOLD], "a/b", "without a slash"),
    ],
)
def test_what_is_no_question_is_refused(own_demo_store: Path, text: str, gold: object, set_name: str, reason: str) -> None:
    with open_store(own_demo_store) as store:
        with pytest.raises(BadInput, match=reason):
            add_question(store, CASE, set_name, text, gold)  # type: ignore[arg-type]
        assert store.own_questions.sets() == {}


def test_a_set_takes_one_case_of_an_id(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        twin = replace(store.cases.get(CASE), benchmark="twin", title="another")
        store.cases.add(twin, store.notes.get(CASE), ExtractionKey("rules"))
        add_question(store, CASE, "mine", "Which stretch?", [GOLD])
        with pytest.raises(BadInput, match=f"is a copy of {CASE}, not of twin/"):
            add_question(store, twin.key, "mine", "Which stretch?", [GOLD])


def test_copies_go_with_their_case(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        key = add_question(store, CASE, "mine", "Which stretch?", [GOLD]).case
        case, notes = store.cases.get(CASE), store.notes.get(CASE)
        assert store.cases.remove(CASE) == (CASE, key)
        assert store.own_questions.sets() == {}
        store.cases.add(replace(case, participants=("Ann",)), notes, ExtractionKey("rules"))
        assert add_question(store, CASE, "mine", "And now?", [GOLD]) == (key, "q1")


def test_removing_a_set_frees_its_name_and_leaves_the_source(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        add_question(store, CASE, "mine", "Which stretch?", [GOLD])
        store.cases.remove_benchmark("mine")
        assert store.own_questions.sets() == {}
        assert store.cases.find(CASE) is not None
        assert add_question(store, CASE, "mine", "Which stretch?", [GOLD]).question == "q1"


def test_a_set_is_exported_and_loads_again_as_the_same_benchmark(own_demo_store: Path, tmp_path: Path) -> None:
    with open_store(own_demo_store) as store:
        other = other_case(store)
        notes = store.notes.get(other)
        add_question(store, CASE, "mine", "Which doorway stretch?", [GOLD], type="fact")
        add_question(store, CASE, "mine", "What about the shoulder?", {GOLD: 3})
        add_question(store, other, "mine", notes[0].interaction.user[:60], {notes[0].id: 2, notes[1].id: 1})
        assert export_questions(store, "mine", tmp_path / "mine.jsonl") == (2, 3)
        before = [store.cases.get(row.key) for row in store.cases.list("mine")]
    again = tmp_path / "again.duckdb"
    report = ingest([("mine.jsonl", read(tmp_path / "mine.jsonl"))], again, extractors["rules"]())
    assert (report.cases, report.questions, report.findings) == (2, 3, ())
    with open_store(again, read_only=True) as store:
        assert [store.cases.get(row.key) for row in store.cases.list("mine")] == before
    assert numbers(evaluated(again, "mine")) == numbers(evaluated(own_demo_store, "mine"))
    # In the store it came from, the file brings nothing new.
    report = ingest([("mine.jsonl", read(tmp_path / "mine.jsonl"))], own_demo_store, extractors["rules"]())
    assert (report.cases, report.quarantined) == (2, ())


def test_only_sets_are_exported(demo_store: Path, tmp_path: Path) -> None:
    with open_store(demo_store, read_only=True) as store, pytest.raises(KeyError, match="no set of own questions"):
        export_questions(store, "atant_demo", tmp_path / "x.jsonl")


def test_ndcg_takes_grades_as_gains_and_other_measures_take_all_alike() -> None:
    ranked, specs = {"q": ["b", "x", "a"]}, ("ndcg@5", "recall@2", "hit@5", "mrr")
    graded = {name: value["q"] for name, value in compute(specs, ranked, {"q": {"a": 3, "b": 1}}).items()}
    plain = {name: value["q"] for name, value in compute(specs, ranked, {"q": {"a", "b"}}).items()}
    assert graded["ndcg@5"] == pytest.approx((1 + 3 / 2) / (3 + 1 / math.log2(3)))
    assert plain["ndcg@5"] == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))
    assert {**graded, "ndcg@5": 0} == {**plain, "ndcg@5": 0}
    assert compute(["ndcg@5"], ranked, {"q": {"a": 1, "b": 1}})["ndcg@5"]["q"] == plain["ndcg@5"]


def test_grades_reach_the_run(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        notes = [note.id for note in store.notes.get(CASE)]
        text = "Which doorway stretch did the assistant suggest?"
        memory = case_input(store, CASE).memory()
        ranked = [hit.note_id for hit in create("bm25", memory=memory).query(text, k=None).hits]
        low, high = ranked[0], next(note for note in notes if note not in ranked[:5])
        add_question(store, CASE, "graded", text, {low: 1, high: 3})
        add_question(store, CASE, "flat", text, [low, high])
    graded, flat = evaluated(own_demo_store, "graded").results[0], evaluated(own_demo_store, "flat").results[0]
    assert graded.measures["ndcg@5"] == pytest.approx(1 / (3 + 1 / math.log2(3)))
    assert flat.measures["ndcg@5"] == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert graded.measures["mrr"] == flat.measures["mrr"] == 1


def test_the_command_asks_and_exports(own_demo_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--store", str(own_demo_store)]
    assert main(["ask", "mine", "demo_missing_tag", "Which stretch?", "--gold", GOLD, *where, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == {"case": "mine/demo_missing_tag", "question": "q1", "questions": 1}
    assert main(["ask", "mine", "demo_missing_tag", "And when?", "--grade", f"{GOLD}=2", *where]) == 0
    assert "mine has 2 questions now" in capsys.readouterr().out
    with open_store(own_demo_store, read_only=True) as store:
        assert store.questions.get("mine/demo_missing_tag", "q2").gold == Gold(notes=(GOLD,), grades=((GOLD, 2),))
    assert main(["export-questions", "mine", "--out", str(tmp_path / "mine.jsonl"), *where]) == 0
    assert "1 case with 2 questions written" in capsys.readouterr().out
    assert main(["ask", "mine", "demo_missing_tag", "x", "--grade", "oops", *where]) == 2
    assert "NOTE=1, 2 or 3" in capsys.readouterr().err
    assert main(["ask", "mine", "demo_missing_tag", "x", *where]) == 1
    assert "at least one note" in capsys.readouterr().err
