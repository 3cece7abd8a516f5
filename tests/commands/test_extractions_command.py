"""The commands that compare extractions and rewrite them as variants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from compared import CATS, OUTING, SECOND, build

from workbench.cli import main
from workbench.compare_extractions.comparison import compare, comparison_json, known_sources
from workbench.compare_extractions.matrix import matrix_of, run_matrix
from workbench.evaluate.runs import MethodSpec
from workbench.store import open_store

KEYS = [OUTING.key, CATS.key]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    return build(tmp_path / "shelf.duckdb")


@pytest.fixture
def told(shelf: Path, capsys: Capture):
    def tell(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*map(str, arguments), "--store", str(shelf)])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return tell


@pytest.fixture
def result(told):
    def of(*arguments: object) -> Any:
        code, out, err = told(*arguments, "--json", "-")
        assert code == 0, err
        return json.loads(out)

    return of


def plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def test_the_comparison_is_the_core_s_with_the_matrix_of_its_runs(result, shelf: Path) -> None:
    found = result("extractions", "--methods", "tag_stopwords,bm25")
    chosen = known_sources(shelf, KEYS)
    matrix = found.pop("matrix")
    assert found == plain(comparison_json(compare(shelf, KEYS, chosen)))
    runs = run_matrix(shelf, KEYS, chosen, [MethodSpec("tag_stopwords"), MethodSpec("bm25")])
    expected = matrix_of(runs)
    assert matrix["runs"] == dict(expected.runs)
    assert [cell["estimate"]["mean"] for cell in matrix["cells"]] == [cell.estimate.mean for cell in expected.cells]
    by_case = result("extractions", "--methods", "tag_stopwords", "--by-case")["matrix"]
    assert [step["test"]["n"] for step in by_case["steps"]] == [2]


def test_lines_say_what_differs(told) -> None:
    code, out, _ = told("extractions", "--methods", "tag_basic")
    assert code == 0
    assert "2 cases; means over cases with 95% intervals" in out
    for line in ("careful  loose   1 of 5", "headline", "careful -> loose"):
        assert line in out
    assert [line.split()[1:6] for line in out.splitlines() if line.startswith("loose ")][-2] == ["6", "4", "1", "0", "1"]


def test_extractions_are_chosen_by_name(result, told) -> None:
    assert result("extractions", "--extractions", "loose")["labels"] == ["loose"]
    assert result("extractions", "--cases", "b")["cases"] == [CATS.key]
    assert result("extractions")["matrix"] is None
    code, _, err = told("extractions", "--extractions", "careful,lose")
    assert code == 1
    assert "'lose' stands for 0 extractions; name one of: careful, loose" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("extractions", "--near", "nothing"), "no embedding backend"),
        (("extractions", "--methods", "nothing"), "nothing"),
        (("extractions", "--measure", "mmr"), "no run has a measure 'mmr'"),
        (("merge-tags", "--name", "x", "--extraction", "careful"), "nothing to merge"),
        (("merge-tags", "--pair", "pets/cat", "--extraction", "careful"), "does not read TAG=TAG"),
        (("merge-tags", "--least", "120", "--extraction", "careful"), "less than or equal to 100"),
    ],
)
def test_wrong_usage(told, arguments, said: str) -> None:
    code, _, err = told(*arguments)
    assert code == 2
    assert said in err


def test_near_duplicates_are_listed_and_nothing_is_written(result, told, shelf: Path) -> None:
    found = result("merge-tags", "--extraction", "careful")
    assert [(row["kept"], row["dropped"], row["reason"]) for row in found["near"]] == [("pets/cat", "pets/cats", "same words")]
    assert found["plan"] is None
    planned = result("merge-tags", "--extraction", "careful", "--least", "100")
    assert planned["plan"] == {
        "merges": [{"dropped": "pets/cats", "kept": "pets/cat", "notes": 1}],
        "distinct_before": 8,
        "distinct_after": 7,
    }
    code, out, _ = told("merge-tags", "--extraction", "careful", "--least", "100")
    assert code == 0
    assert "nothing is written: --name NAME keeps this as a variant" in out
    with open_store(shelf, read_only=True) as store:
        assert len(store.extractions.list()) == 4


def test_merged_tags_are_kept_and_their_change_is_measured(result, shelf: Path) -> None:
    found = result("merge-tags", "--extraction", "careful", "--pair", "pets/cats=pets/cat", "--name", "merged")
    assert (found["variant"]["name"], found["variant"]["changed_notes"], found["variant"]["cases"]) == ("merged", 1, 2)
    assert [(step["method"], step["first"], step["second"]) for step in found["matrix"]["steps"]] == [
        (method, "careful", "merged") for method in ("tag_stopwords", "tag_tfidf", "adaptive")
    ]
    runs = found["matrix"]["runs"]
    with open_store(shelf, read_only=True) as store:
        assert store.runs.get(runs["merged"]).extraction["config"]["name"] == "merged"
    compared = result("extractions", "--extractions", "careful,merged")
    assert [row["distinct_overall"] for row in compared["vocabulary"]] == [8, 7]


def test_unsupported_tags_are_listed_and_filtered(result, told, shelf: Path) -> None:
    listed = result("filter-tags", "--extraction", "loose")
    assert [row["path"] for row in listed["unsupported"]] == ["food/pizza"]
    assert listed["variant"] is None
    found = result("filter-tags", "--extraction", "loose", "--name", "filtered", "--methods", "")
    assert (found["variant"]["tags_before"], found["variant"]["tags_after"], found["matrix"]) == (6, 5, None)
    strict = result("filter-tags", "--extraction", "loose", "--strict", "--name", "strict", "--methods", "tag_basic")
    assert strict["variant"]["tags_after"] == 4
    assert [step["method"] for step in strict["matrix"]["steps"]] == ["tag_basic"]
    with open_store(shelf, read_only=True) as store:
        assert store.extractions.choose(OUTING.key, "strict").config["base"] == {
            "extractor": "loose",
            "config": dict(SECOND.config),
        }
    code, _, err = told("filter-tags", "--extraction", "careful", "--name", "other")
    assert code == 1
    assert "the rule changes none of 5 notes" in err
