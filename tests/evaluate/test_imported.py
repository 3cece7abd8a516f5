"""Imported runs: measured like the run they came from, misses and gaps told, and answering in the place of a method."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from run_history import METHODS, by_note, by_session, stored

from workbench.cli import main
from workbench.errors import BadInput, WorkbenchError
from workbench.evaluate import export
from workbench.evaluate.imported import NO_WHY, ImportedRun, imported_arms
from workbench.evaluate.importing import NOT_JUDGED, UNANSWERED, ImportReport, import_run
from workbench.evaluate.inputs import case_input, case_inputs
from workbench.evaluate.judging import NO_GOLD
from workbench.evaluate.summary import summary
from workbench.records import Run
from workbench.store import open_store

TIES = {"mrr_worst_tie", "mrr_best_tie"}
BENCHMARK = {"by_session": "longmemeval_s", "by_note": "locomo"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Run]]:
    folder = tmp_path_factory.mktemp("imported")
    stores = {"by_session": by_session(), "by_note": by_note()}
    return {name: (folder / name, stored(folder / name, cases)) for name, cases in stores.items()}


@pytest.fixture(params=["by_session", "by_note"])
def evaluated(request, made, tmp_path: Path) -> tuple[Path, Run]:
    """A store of its own and the run that is in it, for gold by sessions and by notes."""
    path, run = made[request.param]
    return Path(shutil.copy(path, tmp_path / "store.duckdb")), run


@pytest.fixture
def bring(made, tmp_path: Path) -> Callable[..., ImportReport]:
    """``bring(text)`` imports a file with that text into a store whose gold is by sessions (or ``of="by_note"``)."""

    def call(text: str, of: str = "by_session", qrels: str = "", **options) -> ImportReport:
        path = tmp_path / "store.duckdb"
        if not path.exists():
            shutil.copy(made[of][0], path)
        (tmp_path / "other.run").write_text(text)
        if qrels:
            (tmp_path / "their.qrels").write_text(qrels)
            options["qrels"] = tmp_path / "their.qrels"
        return import_run(path, tmp_path / "other.run", benchmark=BENCHMARK[of], **options)

    return call


def by_question(run: Run) -> dict[tuple[str, str, str], object]:
    return {(result.method, result.case, result.question): result for result in run.results}


# --- measures ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["trec", "csv", "json"])
def test_an_exported_run_comes_back_with_every_measure(evaluated, tmp_path: Path, form: str) -> None:
    path, run = evaluated
    export.write(run, tmp_path / "there", form)
    report = import_run(path, tmp_path / "there", benchmark=run.benchmark, name="back")
    before, after = by_question(run), by_question(report.run)
    assert before.keys() == after.keys()
    unknown = TIES if form == "trec" else set()  # scores made from ranks tell no ties
    for key, result in before.items():
        back = after[key]
        assert (back.note_ids, back.session_ids) == (result.note_ids, result.session_ids)
        assert back.measures == {**result.measures, **dict.fromkeys(unknown)}
        assert (back.type, back.headline, back.candidates) == (result.type, result.headline, result.candidates)
    assert report.run.excluded == run.excluded
    assert report.run.data_digest == run.data_digest


def test_sessions_come_back_with_the_measures_over_sessions_and_none_over_notes(evaluated, tmp_path: Path) -> None:
    path, run = evaluated
    export.write(run, tmp_path / "there", "trec", unit="session")
    report = import_run(path, tmp_path / "there", benchmark=run.benchmark)
    after = by_question(report.run)
    assert report.unit == "session"
    is_session = run.benchmark == "longmemeval_s"
    for key, result in by_question(run).items():
        back = after[key]
        assert (back.note_ids, back.session_ids) == ((), result.session_ids)
        for name, value in result.measures.items():
            over_notes = name.endswith("_note") if is_session else not name.endswith(("_session", "store_notes"))
            assert back.measures[name] == (None if over_notes or name in TIES else value), name
    row = summary(report.run)["methods"]["bm25"]
    assert row["mrr" if is_session else "mrr_session"] is not None
    assert row["mrr_note" if is_session else "mrr"] is None


def test_a_run_of_sessions_goes_out_and_comes_back(bring, tmp_path: Path) -> None:
    first = bring("q2 Q0 s1 1 3.5 x\nq2 Q0 s2 2 3.5 x\nq2 Q0 silent 3 0.5 x\n")
    (arm,) = first.run.config
    assert export.write(first.run, tmp_path / "again.csv", "csv") == 3
    second = import_run(tmp_path / "store.duckdb", tmp_path / "again.csv", benchmark="longmemeval_s")
    assert [r.measures for r in second.run.results] == [r.measures for r in first.run.results]
    result = by_question(first.run)[arm, "longmemeval_s/a b", "q2"]
    assert (result.session_ids, result.scores) == (("s1", "s2", "silent"), (3.5, 3.5, 0.5))
    assert (result.measures["mrr_worst_tie"], result.measures["mrr_best_tie"]) == (1.0, 1.0)
    with pytest.raises(ValueError, match="ranks sessions"):
        export.write(first.run, tmp_path / "no.csv", "csv", unit="note")


def test_questions_without_a_row_are_misses_and_the_coverage_says_so(bring) -> None:
    report = bring("q2 Q0 s1#1 1 3 x\n")
    assert report.coverage() == ["x: 1 of 4 questions answered; 3 unanswered, counted as misses"]
    row = summary(report.run)["methods"]["x"]
    assert (row["mrr"], row["empty"], row["seconds"]) == (0.25, 3, None)
    missed = by_question(report.run)["x", "longmemeval_s/a b", "q1"]
    assert (missed.measures["mrr"], missed.measures["recall@5_note"]) == (0.0, 0.0)
    assert UNANSWERED in missed.remarks
    assert report.run.excluded == {NO_GOLD: 1}


def test_ties_in_the_file_leave_a_range(bring) -> None:
    report = bring("q2 Q0 s_0#1 1 3.5 x\nq2 Q0 s1#1 2 3.5 x\n")
    measures = by_question(report.run)["x", "longmemeval_s/a b", "q2"].measures
    assert (measures["mrr_worst_tie"], measures["mrr"], measures["mrr_best_tie"]) == (0.5, 0.5, 1.0)


def test_ranks_alone_tell_no_ties(bring) -> None:
    report = bring('{"q2": ["s 0#1", "s1#1"]}', name="lists")
    result = by_question(report.run)["lists", "longmemeval_s/a b", "q2"]
    assert result.measures["mrr_worst_tie"] is result.measures["mrr_best_tie"] is None
    assert result.scores == (2.0, 1.0)
    assert report.run.config["lists"]["scores"] == "made from ranks"


def test_equal_ranks_are_ties(bring) -> None:
    report = bring("query,id,rank\nq2,s 0#1,1\nq2,s1#1,1\n", name="ranks")
    result = by_question(report.run)["ranks", "longmemeval_s/a b", "q2"]
    assert (result.scores, result.measures["mrr_best_tie"]) == ((2.0, 2.0), 1.0)


def test_judgements_of_a_file_take_the_place_of_the_gold(bring) -> None:
    qrels = "longmemeval_s/a_b/q1 0 s2#2 2\nq2 0 s1#1 1\nq2 0 s2#1 0\nnobody 0 s1#1 1\n"
    report = bring("longmemeval_s/a_b/q1 Q0 s2#1 1 9 x\nlongmemeval_s/a_b/q1 Q0 s2#2 2 8 x\n", qrels=qrels)
    found = by_question(report.run)
    assert {key[2] for key in found} == {"q1", "q2"}
    first = found["x", "longmemeval_s/a b", "q1"].measures
    assert (first["mrr"], first["mrr_session"]) == (0.5, 1.0)
    assert report.run.excluded == {NOT_JUDGED: 3}
    assert report.run.config["x"]["judged_by"].startswith("their.qrels ")
    assert report.judgements is not None
    assert report.judgements.kinds == {"unknown question": 1}


def test_exported_judgements_give_the_measures_of_the_gold(evaluated, tmp_path: Path) -> None:
    path, run = evaluated
    unit = "session" if run.benchmark == "longmemeval_s" else "note"
    keys = list(dict.fromkeys(result.case for result in run.results))
    with open_store(path, read_only=True) as store:
        export.write_qrels(run, case_inputs(store, keys), tmp_path / "qrels", unit=unit)
    export.write(run, tmp_path / "there", "trec")
    back = import_run(path, tmp_path / "there", benchmark=run.benchmark, qrels=tmp_path / "qrels").run
    before = by_question(run)
    assert back.results
    for key, result in by_question(back).items():
        for name in ("mrr", "recall@5", "hit@5", "ndcg@5"):
            assert result.measures[name] == before[key].measures[name]


# --- the run that is stored -------------------------------------------------------------------------------------------------


def test_the_run_is_stored_as_an_import_with_where_it_came_from(bring, tmp_path: Path) -> None:
    report = bring("q2 Q0 s1#1 1 3.5 x\nq2 Q0 s1#1 1 2.5 y\n", name="theirs")
    with open_store(tmp_path / "store.duckdb", read_only=True) as store:
        run = store.runs.get(report.run.id)
        (row,) = store.runs.list("longmemeval_s", ["import"])
        newest = store.runs.cells("mrr", benchmark="longmemeval_s")
    assert run == report.run
    assert (row.name, row.kind, row.methods) == ("theirs", "import", ["x", "y"])
    assert run.config["x"]["file"] == "other.run"
    assert (run.config["x"]["format"], run.config["x"]["unit"], run.config["x"]["judged_by"]) == ("trec", "note", "stored gold")
    assert run.seconds == {}
    assert set(next(iter(newest.values()))) == set(METHODS)  # an import is no evaluation of ours


def test_some_cases_only(bring) -> None:
    report = bring("q2 Q0 s1#1 1 3 x\nlongmemeval_s/c/q1 Q0 s1#1 1 3 x\n", cases=["longmemeval_s/a b"])
    assert {result.case for result in report.run.results} == {"longmemeval_s/a b"}
    assert report.rankings.kinds == {"unknown question": 1}


def test_nothing_is_stored_of_a_refused_file(bring, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="1 rows name notes"):
        bring("q2 Q0 s1#1 1 3 x\nq2 Q0 s1 1 3 x\n")
    with open_store(tmp_path / "store.duckdb", read_only=True) as store:
        assert not store.runs.list(kinds=["import"])


def test_an_unknown_benchmark_or_unit_is_refused(bring, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unit is 'turn'; known: auto, note, session"):
        bring("q2 Q0 s1#1 1 3 x\n", unit="turn")
    with pytest.raises(KeyError, match="no benchmark 'msmarco'; the store has: longmemeval_s"):
        import_run(tmp_path / "store.duckdb", tmp_path / "other.run", benchmark="msmarco")


# --- beside methods ---------------------------------------------------------------------------------------------------------


def names(path: Path) -> list[str]:
    with open_store(path, read_only=True) as store:
        return list(imported_arms(store.runs.list()))


def test_names_beside_methods_are_safe_unique_and_stay(bring, tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    bring("q2 Q0 s1#1 1 3.5 x\n", name="[a](http://b) :red[c]")
    assert names(path) == ["run:_a_http_b_red_c_"]
    bring("q2 Q0 s1#1 1 3.5 x\n", name="mine")
    bring("q2 Q0 s1#1 1 3.5 x\nq2 Q0 s1#1 1 3.5 <b>y\n", name="both")
    second = bring("q2 Q0 s1#1 1 3.5 x\n", name="mine")
    assert set(names(path)) == {
        "run:_a_http_b_red_c_",
        "run:mine",
        "run:both/x",
        "run:both/_b_y",
        f"run:mine-{second.run.id.rpartition('-')[2]}",
    }


@pytest.fixture
def answerer(bring, tmp_path: Path):
    """``answerer(text)`` imports a file and gives its one arm over the case ``a b``."""

    def call(text: str) -> ImportedRun:
        bring(text, name="mine")
        with open_store(tmp_path / "store.duckdb", read_only=True) as store:
            ((label, arm),) = imported_arms(store.runs.list()).items()
            given = case_input(store, "longmemeval_s/a b")
            results = store.runs.results(arm.run, case_key=given.case.key, method=arm.arm)
        return ImportedRun(label, arm, results, given.case.questions, given.memory())

    return call


def test_an_arm_answers_with_its_stored_ranking(answerer) -> None:
    ranking = answerer("q2 Q0 s_0#1 1 3.5 x\nq2 Q0 s1#1 2 3.5 x\nq2 Q0 s2#2 3 1.5 x\n").query("when is the lesson")
    assert [(hit.note_id, hit.session_id, hit.rank, hit.score, hit.block) for hit in ranking.hits] == [
        ("s 0#1", "s 0", 1, 3.5, 1),
        ("s1#1", "s1", 2, 3.5, 1),
        ("s2#2", "s2", 3, 1.5, 2),
    ]
    assert ranking.method == "run:mine"
    why = ranking.hits[0].why
    assert (why.parts, why.remarks) == ((), (NO_WHY,))


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("a text of my own", "an imported run answers only the questions of its file"),
        ("cello strings", UNANSWERED),
        ("which zebra", "the question has no gold, so the import left it out"),
    ],
)
def test_an_empty_answer_says_why(answerer, text: str, remark: str) -> None:
    ranking = answerer("q2 Q0 s1#1 1 3.5 x\n").query(text)
    assert (ranking.hits, ranking.remarks) == ((), (remark,))


def test_questions_of_one_text_are_told_apart_by_id(bring, tmp_path: Path) -> None:
    bring("q2 Q0 s1#1 1 3.5 x\nlongmemeval_s/a_b/q1 Q0 s2#1 1 3.5 x\n")
    with open_store(tmp_path / "store.duckdb", read_only=True) as store:
        ((label, arm),) = imported_arms(store.runs.list()).items()
        given = case_input(store, "longmemeval_s/a b")
        results = store.runs.results(arm.run, case_key=given.case.key)
    same = [replace(question, text="lesson?") for question in given.case.questions]
    run = ImportedRun(label, arm, results, same, given.memory())
    assert [run.query("lesson?", name).hits[0].note_id for name in ("q1", "q2")] == ["s2#1", "s1#1"]
    assert run.query("lesson?").remarks == ("3 questions have this text: choose one of them",)


def test_a_run_of_sessions_names_no_note(answerer) -> None:
    with pytest.raises(WorkbenchError, match=r"run:mine ranks sessions, not notes: its file other\.run"):
        answerer("q2 Q0 s1 1 3.5 x\n").query("when is the lesson")


# --- the command line -------------------------------------------------------------------------------------------------------


def test_the_command_prints_coverage_findings_and_the_table(made, tmp_path: Path, capsys) -> None:
    store = shutil.copy(made["by_session"][0], tmp_path / "s.duckdb")
    file = tmp_path / "other.run"
    file.write_text("q2 Q0 s1#1 1 3.5 x\nzz Q0 s1#1 1 3.5 x\nq2 Q0 s2#1 2 nan x\n")
    assert main(["import-run", str(file), "--store", str(store)]) == 0
    out = capsys.readouterr().out
    assert "trec, notes ranked" in out
    assert "x: 1 of 4 questions answered; 3 unanswered, counted as misses" in out
    assert "rows: 3 seen, 1 kept, 0 repaired, 2 quarantined" in out
    assert "other.run:line 2: no question 'zz'" in out
    assert "other.run:line 3: 'nan' is no finite number" in out
    assert "0.250" in out
    assert main(["import-run", str(file), "--store", str(store), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["methods"]["x"]["mrr"] == 0.25
    assert found["import"]["answered"] == {"x": 1}
    assert [each["position"] for each in found["import"]["rankings"]["findings"]] == ["line 2", "line 3"]


def test_the_command_tells_wrong_usage_from_failure(made, tmp_path: Path, capsys) -> None:
    store = shutil.copy(made["by_session"][0], tmp_path / "s.duckdb")
    file = tmp_path / "other.run"
    file.write_text("once upon a time\n")
    assert main(["import-run", str(file), "--store", str(store)]) == 1
    assert "no known format" in capsys.readouterr().err
    assert main(["import-run", str(file), "--store", str(store), "--unit", "turn"]) == 2
    assert main(["export", "nothing", "--out", str(tmp_path / "x"), "--format", "xlsx", "--store", str(store)]) == 2
    assert main(["export", "nothing", "--out", str(tmp_path / "x"), "--store", str(store)]) == 1


def test_the_command_exports_with_counts(made, tmp_path: Path, capsys) -> None:
    path, run = made["by_session"]
    for form in ("trec", "csv", "parquet", "json", "qrels"):
        assert main(["export", run.id, "--out", str(tmp_path / form), "--format", form, "--store", str(path)]) == 0
        assert f"written to {tmp_path / form}" in capsys.readouterr().out
        assert (tmp_path / form).stat().st_size
