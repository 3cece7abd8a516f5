from __future__ import annotations

import math
import time
from dataclasses import replace
from datetime import datetime, timedelta

import duckdb
import pytest

from workbench.records import Case, Extraction, Finding, Gold, Interaction, Note, Question, QuestionResult, Run, Session, Turn
from workbench.store import GIVEN, CaseFinding, ExtractionKey, LoadReport, Store, open_store

RULES = ExtractionKey("rules", {"limit": 5})
DAY = datetime(2024, 5, 1)


# --- notes and extractions --------------------------------------------------------------------------------------------------


def test_notes_come_in_order_and_undated_ones_first(store, make_case, make_notes):
    case = make_case()
    store.cases.add(case, reversed(make_notes(case)), RULES)
    assert [note.id for note in store.notes.get(case.key)] == ["s2#1", "s2#2", "s0#1", "s0#2", "s1#1", "s1#2"]


def test_one_note_is_the_one_of_all(store, make_case, make_notes):
    case = make_case()
    store.cases.add(case, make_notes(case), RULES)
    for note in store.notes.get(case.key):
        assert store.notes.one(case.key, note.id) == note
    with pytest.raises(KeyError, match="demo/c1 has no note 's9#1'"):
        store.notes.one(case.key, "s9#1")


def test_notes_of_sessions_with_one_id_keep_their_own_turns(store):
    first, second = ((Turn("user", "same"), Turn("assistant", text)) for text in ("one", "two"))
    case = Case("demo", "twice", (Session("s", first, 0, DAY), Session("s", second, 1, DAY - timedelta(days=1))))
    notes = [Note(Interaction(f"s#{i}", "s", turns, i, 1, DAY)) for i, turns in enumerate((first, second))]
    store.cases.add(case, notes, RULES)
    assert list(store.notes.get(case.key)) == notes


def test_a_note_whose_text_is_in_no_session_keeps_it(store):
    note = Note(Interaction("n", "elsewhere", (Turn("user", "own text"),), 0, 1), Extraction(what=("a",)))
    case = Case("demo", "own", (Session("s", (Turn("user", "other"),), 0),), notes=(note,))
    store.cases.add(case, case.notes, GIVEN)
    assert store.notes.get(case.key) == (note,)
    assert store.notes.one(case.key, "n") == note
    assert store.cases.get(case.key) == case


def test_the_extraction_is_the_one_named_else_given_else_the_newest(store, make_case, make_notes):
    case = make_case()
    keys = [ExtractionKey("rules", {"limit": 1}), ExtractionKey("rules", {"limit": 2}), ExtractionKey("llm")]
    for i, key in enumerate(keys):
        store.cases.add(case, make_notes(case, f"tag/{i}"), key, counters={"n": i}, now=DAY + timedelta(hours=i))

    def tag(choice: object = None) -> str:
        return store.notes.get(case.key, choice)[0].extraction.what[0]

    assert tag() == "tag/2"
    assert tag("rules") == "tag/1"
    assert tag(keys[0]) == "tag/0"
    rows = store.extractions.list(case.key)
    assert [(row.extractor, row.config, row.counters, row.notes) for row in rows] == [
        ("llm", {}, {"n": 2}, 6),
        ("rules", {"limit": 2}, {"n": 1}, 6),
        ("rules", {"limit": 1}, {"n": 0}, 6),
    ]
    assert {tag(row.id) for row in rows} == {tag(str(row.id)) for row in rows} == {"tag/0", "tag/1", "tag/2"}
    store.cases.add(case, make_notes(case, "tag/given"), GIVEN, now=DAY - timedelta(days=1))
    assert tag() == "tag/given"
    with pytest.raises(KeyError, match=r"demo/c1 has no extraction 'replay'; it has: given \(id 4, .*rules"):
        store.notes.get(case.key, "replay")
    with pytest.raises(KeyError, match="demo/none has no extraction None; it has: none"):
        store.notes.get("demo/none")


def test_a_key_is_the_same_before_and_after_json():
    assert ExtractionKey("a", {"x": (1, 2), "y": {"b": 1, "a": 2}}) == ExtractionKey("a", {"y": {"a": 2, "b": 1}, "x": [1, 2]})
    assert ExtractionKey("a", {"x": 1}) != ExtractionKey("a", {"x": 2})
    assert ExtractionKey("a") != ExtractionKey("b")


# --- questions --------------------------------------------------------------------------------------------------------------


def test_questions_are_filtered_counted_and_paged(store, make_case, make_notes):
    for benchmark, name, word in (("demo", "c1", "museum"), ("demo", "c2", "Castle"), ("more", "c3", "50%_off")):
        case = make_case(name, benchmark, word=word)
        store.cases.add(case, make_notes(case), RULES)

    def found(*benchmark: str, **filters: object) -> list[str]:
        rows = [row.id for row in store.questions.table(*benchmark, **filters)]
        assert store.questions.count(*benchmark, **filters) == len(rows)
        return rows

    every = ["c1_q1", "c1_q2", "c2_q1", "c2_q2", "c3_q1", "c3_q2"]
    assert found() == every
    assert found("more") == ["c3_q1", "c3_q2"]
    assert found(type="single") == ["c1_q2", "c2_q2", "c3_q2"]
    assert found(text="CASTLE") == ["c2_q1"]
    assert found(text="%_") == ["c3_q1"]
    assert found("demo", text="day 0") == ["c1_q1", "c2_q1"]
    assert found(case_key="demo/c2", type="temporal") == ["c2_q1"]
    assert found(text="nowhere") == []
    assert [row.id for row in store.questions.table(limit=2, offset=3)] == every[3:5]
    assert store.questions.types() == {"single": 3, "temporal": 3}
    assert store.questions.types("more") == {"single": 1, "temporal": 1}


def test_a_question_row_tells_gold_and_the_size_of_its_case(store, make_case, make_notes):
    case = make_case()
    store.cases.add(case, make_notes(case), RULES)
    first, second = store.questions.table()
    assert (first.case, first.benchmark, first.type, first.answer, first.time) == (
        "demo/c1",
        "demo",
        "temporal",
        "day 0",
        case.questions[0].time,
    )
    assert (first.gold, second.gold, first.sessions, first.notes) == (1, 2, 3, 6)


def test_single_questions_and_those_of_a_case(store, make_case, make_notes):
    case = make_case()
    store.cases.add(case, make_notes(case), RULES)
    assert store.questions.of(case.key) == case.questions
    assert store.questions.get(case.key, "c1_q2") == case.questions[1]
    with pytest.raises(KeyError, match="demo/c1 has no question 'q9'"):
        store.questions.get(case.key, "q9")


def test_a_page_of_tens_of_thousands_of_questions_takes_no_full_read(store: Store):
    questions = tuple(
        Question(f"q{i}", f"What about topic {i}?", "x" * 50, f"type {i % 5}", Gold(sessions=("s",))) for i in range(30_000)
    )
    case = Case("big", "c", (Session("s", (Turn("user", "hello"),), 0),), questions)
    store.cases.add(case, [Note(Interaction("s#1", "s", case.sessions[0].turns, 0, 1))], RULES)
    start = time.perf_counter()
    page = store.questions.table(text="topic 2", limit=50, offset=1000)
    assert store.questions.count(text="topic 2") == 11_111
    # Building 30,000 rows takes 0.2 s; a page has to be far from that also on a busy machine.
    assert time.perf_counter() - start < 1
    assert len(page) == 50


# --- load reports -----------------------------------------------------------------------------------------------------------


def test_load_reports_are_kept_newest_first(store: Store):
    repaired = CaseFinding(Finding("f.json", "[3].answer", "repaired", "an int"), "demo/c1")
    lost = CaseFinding(Finding("f.json", "line 12", "quarantined", "not JSON", is_record=True))
    reports = [
        LoadReport(("f.json", "g"), "rules", 2, 3, 4, 5, 6, (repaired, lost), {"too long": 2}, 1.5, DAY + timedelta(days=i))
        for i in range(2)
    ]
    kept = [store.loads.add(report) for report in reports]
    assert store.loads.list() == kept[::-1]
    assert [report.id for report in kept] == [1, 2]
    assert replace(kept[0], id=0) == reports[0]
    assert reports[0].mended == (repaired.finding,)
    assert reports[0].to_json() == {
        "cases": 2,
        "questions": 3,
        "notes": 4,
        "kept": 5,
        "repaired": 6,
        "quarantined": [{"file": "f.json", "position": "line 12", "reason": "not JSON"}],
    }


# --- runs -------------------------------------------------------------------------------------------------------------------


def result(case: str, question: str, method: str, mrr: float | None) -> QuestionResult:
    return QuestionResult(
        case, question, "t", method, ("n1", "n2"), (1.5, -math.inf), ("s1",), 7, {"mrr": mrr, "hit@5": 1.0}, True, ("r",)
    )


def run(id: str, *results: QuestionResult, day: int = 0, benchmark: str = "demo") -> Run:
    config = {"bm25": {"k1": 1.5, "fields": ["tags"], "x": None}}
    return Run(
        id,
        DAY + timedelta(days=day),
        benchmark,
        {"extractor": "rules", "config": {"limit": 5}},
        config,
        "digest",
        "1.0",
        {"python": "3.11"},
        {"no evidence": 4},
        {"bm25": 0.25},
        results,
        "a name",
    )


def test_a_run_reads_back_equal_and_is_never_changed(store: Store):
    made = run("r1", result("demo/c1", "q1", "bm25", 0.5), result("demo/c1", "q1", "adaptive", None))
    store.runs.add(made)
    assert store.runs.get("r1") == made
    with pytest.raises(ValueError, match="run 'r1' is stored already"):
        store.runs.add(replace(made, name="other"))
    assert store.runs.get("r1") == made


def test_runs_are_listed_newest_first_and_removed(store: Store):
    store.runs.add(run("old", result("demo/c1", "q1", "bm25", 1.0), result("demo/c2", "q1", "adaptive", 1.0)))
    store.runs.add(run("new", day=1, benchmark="more"))
    newest, oldest = store.runs.list()
    assert (newest.id, newest.methods, newest.cases, newest.questions) == ("new", [], 0, 0)
    assert (oldest.id, oldest.methods, oldest.cases, oldest.questions) == ("old", ["adaptive", "bm25"], 2, 2)
    assert [row.id for row in store.runs.list("demo")] == ["old"]
    store.runs.remove("old")
    assert [row.id for row in store.runs.list()] == ["new"]
    for lost in (store.runs.get, store.runs.remove):
        with pytest.raises(KeyError, match="no run 'old'"):
            lost("old")
    store.runs.add(run("old"))
    assert store.runs.get("old").results == ()


def test_cells_come_from_the_newest_run_of_each_case(store: Store):
    store.runs.add(run("old", *(result(c, "q", m, 0.1) for c in ("demo/c1", "demo/c2") for m in ("bm25", "adaptive"))))
    store.runs.add(run("new", result("demo/c1", "q", "bm25", 0.5), result("demo/c1", "q", "dense", None), day=1))
    old = {"bm25": 0.1, "adaptive": 0.1}
    assert store.runs.cells("mrr") == {("demo/c1", "q"): {"bm25": 0.5, "dense": None}, ("demo/c2", "q"): old}
    assert store.runs.cells("mrr", case_key="demo/c2") == {("demo/c2", "q"): old}
    assert store.runs.cells("mrr", benchmark="more") == {}
    assert store.runs.cells("hit@5", case_key="demo/c1") == {("demo/c1", "q"): {"bm25": 1.0, "dense": 1.0}}


# --- whole store ------------------------------------------------------------------------------------------------------------


def test_info_counts_and_parquet_holds_every_table(path, make_case, make_notes, tmp_path):
    case = make_case()
    with open_store(path) as store:
        store.cases.add(case, make_notes(case), RULES)
        store.cases.add(case, make_notes(case), ExtractionKey("llm"))
        store.runs.add(run("r1", result(case.key, "q", "bm25", 1.0)))
        info = store.info()
        files = store.export_parquet(tmp_path / "out" / "parquet")
        again = store.export_parquet(tmp_path / "out" / "parquet")
    assert (info.cases, info.questions, info.notes, info.extractions, info.runs) == (1, 2, 6, 2, 1)
    assert info.benchmarks == {"demo": 1}
    assert info.bytes > 0
    assert files == again
    texts = duckdb.sql(f"SELECT text FROM '{files['turns']}' ORDER BY session, place").fetchall()
    assert [text for (text,) in texts] == [turn.text for session in case.sessions for turn in session.turns]
    assert duckdb.sql(f"SELECT count(*) FROM '{files['tags']}' WHERE list_contains(what, 'place/museum')").fetchall() == [(12,)]
