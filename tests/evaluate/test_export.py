"""Exports: every row, ids always in, the order kept; judgements that other tools measure the same with."""

from __future__ import annotations

import json
from pathlib import Path

import ir_measures
import pandas as pd
import pytest
from run_history import METHODS, by_note, by_session, stored

from workbench.evaluate import export
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.summary import mean
from workbench.records import Run
from workbench.store import open_store


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run]:
    path = tmp_path_factory.mktemp("export") / "sessions.duckdb"
    return path, stored(path, by_session())


@pytest.fixture(scope="module")
def run(sessions: tuple[Path, Run]) -> Run:
    return sessions[1]


def ranks(run: Run) -> list[tuple[str, str, str, int, str]]:
    return [
        (result.case, result.question, result.method, rank, note)
        for result in run.results
        for rank, note in enumerate(result.note_ids, 1)
    ]


def test_trec_has_every_rank_with_scores_that_fall(run: Run, tmp_path: Path) -> None:
    assert export.write(run, tmp_path / "run", "trec") == len(ranks(run))
    lines = [line.split(" ") for line in (tmp_path / "run").read_text().splitlines()]
    expected = [
        (export.query_id(r), "_".join(note.split()), str(at)) for r in run.results for at, note in enumerate(r.note_ids, 1)
    ]
    assert [(query, note, rank) for query, _, note, rank, _, _ in lines] == expected
    assert {line[5] for line in lines} == set(METHODS)
    assert lines[0][0] == "longmemeval_s/a_b/q1"
    read = {
        (line[0], line[5]): [float(other[4]) for other in lines if (other[0], other[5]) == (line[0], line[5])] for line in lines
    }
    assert all(scores == sorted(set(scores), reverse=True) for scores in read.values())


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tables_have_every_rank_with_ids_and_scores(run: Run, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"run.{form}"
    assert export.write(run, path, form) == len(ranks(run))
    frame = pd.read_csv(path) if form == "csv" else pd.read_parquet(path)
    assert list(frame[["case", "question", "method", "rank", "note"]].itertuples(index=False, name=None)) == ranks(run)
    assert frame["score"].tolist() == pytest.approx([score for result in run.results for score in result.scores])
    assert set(frame["run"]) == {run.id}


def test_rows_of_questions_have_every_measure_and_the_sessions(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    assert export.write(run, path, "csv", rows="questions") == len(run.results)
    for row, result in zip(pd.read_csv(path).to_dict("records"), run.results, strict=True):
        assert json.loads(row["sessions"]) == list(result.session_ids)
        for name, value in result.measures.items():
            assert pd.isna(row[name]) if value is None else row[name] == pytest.approx(value)


def test_rows_of_questions_have_lists_in_parquet(run: Run, tmp_path: Path) -> None:
    export.write(run, tmp_path / "q.parquet", "parquet", rows="questions")
    frame = pd.read_parquet(tmp_path / "q.parquet")
    assert list(frame["notes"][0]) == list(run.results[0].note_ids)


def test_json_is_by_method_and_query_and_in_rank_order(run: Run, tmp_path: Path) -> None:
    assert export.write(run, tmp_path / "run.json", "json") == len(ranks(run))
    read = json.loads((tmp_path / "run.json").read_text())
    for result in run.results:
        scores = read[result.method][f"{result.case}/{result.question}"]
        assert list(scores) == list(result.note_ids)
        assert list(scores.values()) == sorted(scores.values(), reverse=True)


def test_scores_that_differ_within_a_tie_by_rounding_are_levelled() -> None:
    assert export._levelled([2.0, 1.0, 1.0 + 1e-12, 0.5]) == [2.0, 1.0, 1.0, 0.5]


def test_sessions_can_stand_for_notes(run: Run, tmp_path: Path) -> None:
    rows = export.write(run, tmp_path / "run.csv", "csv", unit="session")
    frame = pd.read_csv(tmp_path / "run.csv")
    assert rows == sum(len(result.session_ids) for result in run.results)
    assert frame["session"].tolist() == [session for result in run.results for session in result.session_ids]
    assert "score" not in frame


@pytest.mark.parametrize("options", [{"form": "xlsx"}, {"form": "trec", "rows": "questions"}, {"form": "csv", "rows": "cells"}])
def test_what_can_not_be_written_is_refused(run: Run, tmp_path: Path, options: dict) -> None:
    with pytest.raises(ValueError, match=r"no export format 'xlsx'|no rows '(questions|cells)'"):
        export.write(run, tmp_path / "run", options.pop("form"), **options)


@pytest.mark.parametrize(("unit", "suffix"), [("session", ""), ("note", "_note")])
def test_another_tool_measures_the_same_with_run_and_qrels(sessions, tmp_path: Path, unit: str, suffix: str) -> None:
    path, run = sessions
    export.write(run, tmp_path / "run", "trec", unit=unit)
    with open_store(path, read_only=True) as store:
        keys = list(dict.fromkeys(result.case for result in run.results))
        written = export.write_qrels(run, case_inputs(store, keys), tmp_path / "qrels", unit=unit)
    assert (written.questions, written.without) == (4, ())
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels")))
    assert len(qrels) == written.rows
    lines = [line.split() for line in (tmp_path / "run").read_text().splitlines()]
    for method in METHODS:
        scored = [ir_measures.ScoredDoc(line[0], line[2], float(line[4])) for line in lines if line[5] == method]
        found = ir_measures.calc_aggregate([ir_measures.RR, ir_measures.R @ 5], qrels, scored)
        own = [result for result in run.results if result.method == method]
        assert found[ir_measures.RR] == pytest.approx(mean(own, f"mrr{suffix}"))
        assert found[ir_measures.R @ 5] == pytest.approx(mean(own, f"recall@5{suffix}"))


def test_questions_whose_gold_is_nowhere_are_named_beside_the_judgements(tmp_path: Path) -> None:
    path = tmp_path / "notes.duckdb"
    run = stored(path, by_note())
    with open_store(path, read_only=True) as store:
        keys = list(dict.fromkeys(result.case for result in run.results))
        written = export.write_qrels(run, case_inputs(store, keys), tmp_path / "qrels")
    assert written.without == ("locomo/c/q6",)
    assert written.questions == 5
