"""The whole way on real benchmark files, on the command line: load, evaluate, query. Long ones are marked slow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.store import open_store

FAMILY = {"tag_basic", "tag_stopwords", "tag_tfidf", "adaptive", "bm25"}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    def call(*arguments: object) -> dict:
        capsys.readouterr()
        code = main([*map(str, arguments), "--json", "-"])
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return json.loads(printed.out)

    return call


def cut(file: Path, folder: Path, n: int) -> Path:
    """A copy of a JSON list with its first n records."""
    path = folder / file.name
    path.write_text(json.dumps(json.loads(file.read_text("utf-8"))[:n]), encoding="utf-8")
    return path


def evaluated(run, store: Path, benchmark: str, questions: int) -> dict:
    found = run("evaluate", "--store", store, "--benchmark", benchmark)
    assert (found["benchmark"], found["questions"]) == (benchmark, questions)
    assert found["methods"].keys() >= FAMILY
    for row in found["methods"].values():
        assert 0 <= row["mrr_worst_tie"] <= row["mrr"] <= row["mrr_best_tie"] <= 1
        assert row["seconds"] > 0
    return found


def test_one_s_case_from_file_to_explained_notes(run, real_data: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    loaded = run("load", real_data / "longmemeval" / "longmemeval_s_e47becba.json", "--store", store, "--workers", 1)
    assert (loaded["cases"], loaded["questions"], loaded["quarantined"]) == (1, 1, [])
    found = evaluated(run, store, "longmemeval_s", 1)
    assert found["methods"]["bm25"]["sets"]["all"]["n"] == 1
    with open_store(store, read_only=True) as opened:
        text = opened.cases.get("e47becba").questions[0].text
    for method in sorted(FAMILY):
        hits = run("query", "e47becba", text, "--method", method, "--store", store)["hits"]
        assert hits
        for hit in hits:
            assert sum(part["value"] for part in hit["why"]["parts"]) == pytest.approx(hit["score"], abs=1e-9)
    assert run("load", real_data / "longmemeval" / "longmemeval_s_e47becba.json", "--store", store, "--workers", 1) == loaded


def test_the_example_story(run, real_data: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    loaded = run("load", real_data / "atant" / "01_job_interview.yaml", "--store", store, "--workers", 1)
    assert (loaded["cases"], loaded["questions"], loaded["notes"], loaded["kept"]) == (1, 8, 10, 1)
    found = evaluated(run, store, "atant", 8)
    assert all("mrr_permissive" in row for row in found["methods"].values())


def test_one_conversation(run, real_data: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    loaded = run("load", cut(real_data / "locomo" / "locomo8.json", tmp_path, 1), "--store", store, "--workers", 1)
    assert loaded["cases"] == 1
    found = run("evaluate", "--store", store, "--methods", "bm25,adaptive")
    assert found["questions"] + sum(found["by_type_only"].values()) + sum(found["excluded"].values()) == loaded["questions"]
    assert all("mrr_session" in row for row in found["methods"].values())


@pytest.mark.slow
def test_forty_s_cases_and_the_oracle_file(run, real_data: Path, tmp_path: Path) -> None:
    store, folder = tmp_path / "s.duckdb", real_data / "longmemeval"
    loaded = run("load", folder / "longmemeval_s_subset.json.gz", folder / "longmemeval_oracle_subset.json.gz", "--store", store)
    assert (loaded["cases"], loaded["questions"]) == (40 + 91, 40 + 91)
    found = evaluated(run, store, "longmemeval_s", 40)
    sets = found["methods"]["bm25"]["sets"]
    assert {name: each["n"] for name, each in sets.items()} == {
        "all": 40,
        "without_abstention": 36,
        "without_duplicated_sessions": 39,
        "official": 34,
    }
    oracle = evaluated(run, store, "longmemeval_oracle", 91)
    # Every session of an oracle case is gold: a method that returns anything at all has it first.
    for name, row in oracle["methods"].items():
        assert row["mrr"] == pytest.approx(1 - row["empty"] / 91), name
    assert sum(oracle["df_base"].values()) == 91


@pytest.mark.slow
def test_eight_conversations(run, real_data: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    loaded = run("load", real_data / "locomo" / "locomo8.json", "--store", store)
    assert (loaded["cases"], loaded["questions"], loaded["notes"]) == (8, 1_586, 2_459)
    found = evaluated(run, store, "locomo", 1_224)
    assert found["by_type_only"] == {"5 adversarial": 360}
    assert sum(found["excluded"].values()) == 2
