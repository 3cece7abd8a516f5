"""The commands about labels: giving, listing, files, agreement, contested gold, and the taxonomy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.labels.agreement import agreement
from workbench.labels.contested import with_and_without
from workbench.labels.taxonomy import default_taxonomy
from workbench.store import labels_path, open_labels, open_store

CASE, GOLD = "longmemeval_demo/demo_missing_tag", "answer_demo_a_1#1"
OTHER = "longmemeval_demo/demo_common_word"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def told(own_demo_store: Path, capsys: Capture):
    def tell(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*map(str, arguments), "--store", str(own_demo_store)])
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


def give(told, case: str, analyst: str, *more: str) -> None:
    code, _, err = told("label", case, case.partition("/")[2], "--analyst", analyst, *more)
    assert code == 0, err


def test_a_label_keeps_what_is_not_named_and_its_history(told, result, own_demo_store):
    give(told, CASE, "Ann", "--note", GOLD, "--label", "tagged", "--comment", "as the reply says it")
    said = result("label", "demo_missing_tag", "demo_missing_tag", "--analyst", "Ann", "--note", GOLD, "--status", "done")
    assert (said["label"], said["comment"], said["status"], said["is_new"]) == ("tagged", "as the reply says it", "done", True)
    again = result("label", "demo_missing_tag", "demo_missing_tag", "--analyst", "Ann", "--note", GOLD, "--status", "done")
    assert again["is_new"] is False
    assert [each["status"] for each in result("labels")] == ["done"]
    with open_labels(own_demo_store, read_only=True) as labels:
        assert len(labels.history()) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((CASE, "nosuch", "--analyst", "A", "--label", "cut"), 1, "no question 'nosuch'"),
        ((CASE, "demo_missing_tag", "--analyst", "A", "--note", "x#1", "--label", "cut"), 1, "no note 'x#1'"),
        ((CASE, "demo_missing_tag", "--analyst", "A", "--label", "nope"), 1, "'nope' is not in the taxonomy"),
        ((CASE, "demo_missing_tag", "--analyst", " ", "--label", "cut"), 1, "analyst is ' '"),
        ((CASE, "demo_missing_tag", "--analyst", "A", "--status", "maybe"), 2, "open, done, set aside"),
        ((CASE, "demo_missing_tag", "--analyst", "A"), 2, "nothing to say"),
    ],
)
def test_what_is_no_label_is_refused_and_nothing_kept(told, own_demo_store, arguments, code, words):
    found, _, err = told("label", *arguments)
    assert (found, words in err) == (code, True), err
    with open_labels(own_demo_store, read_only=True) as labels:
        assert labels.history() == []


def test_lists_are_narrowed_by_case_benchmark_and_analyst(told, result):
    give(told, CASE, "Ann", "--label", "tagged")
    give(told, OTHER, "Bob", "--label", "cut")
    assert [each["analyst"] for each in result("labels")] == ["Bob", "Ann"]
    assert [each["case"] for each in result("labels", "--case", "demo_missing_tag")] == [CASE]
    assert [each["case"] for each in result("labels", "--analyst", "Bob")] == [OTHER]
    assert result("labels", "--benchmark", "atant_demo") == []
    code, out, _ = told("labels", "list", "--analyst", "Bob")
    assert code == 0
    assert "demo_common_word" in out
    assert "demo_missing_tag" not in out


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_labels_go_out_to_a_file_and_come_in_again(told, result, own_demo_store, tmp_path, ending):
    give(told, CASE, "Ann", "--label", "tagged")
    give(told, CASE, "Ann", "--label", "cut")
    file = tmp_path / f"labels.{ending}"
    assert result("labels", "export", file) == {"action": "export", "labels": 2}
    assert result("labels", "import", file)["labels"] == 0
    labels_path(own_demo_store).unlink()
    assert result("labels", "import", file)["labels"] == 2
    assert [each["label"] for each in result("labels")] == ["cut"]


def test_wrong_usage_of_labels_is_told(told, tmp_path, capsys):
    assert told("labels", "export")[0] == 2
    assert told("labels", "list", tmp_path / "x.csv")[0] == 2
    assert told("labels", "steal", tmp_path / "x.csv")[0] == 2
    assert told("labels", "export", tmp_path / "x.csv", "--analyst", "Ann")[0] == 2
    assert told("labels", "export", tmp_path / "x.xlsx")[0] == 1
    assert main(["labels", "--store", str(tmp_path / "none.duckdb")]) == 1
    assert "no store" in capsys.readouterr().err
    assert not list(tmp_path.glob("none*"))


def test_agreement_is_that_of_the_package(told, result, own_demo_store):
    for case, first, second in ((CASE, "tagged", "tagged"), (OTHER, "cut", "tagged")):
        give(told, case, "Ann", "--label", first)
        give(told, case, "Bob", "--label", second)
    give(told, "longmemeval_demo/demo_updated_fact", "Ann", "--label", "cut")
    found = result("agreement", "Ann", "Bob")
    with open_labels(own_demo_store, read_only=True) as labels:
        expected = agreement(labels.current(), "Ann", "Bob")
    assert (found["places"], found["only_first"], found["agreed"]) == (2, 1, 1)
    assert (found["kappa"], tuple(found["interval"])) == (expected.kappa, expected.interval)
    ((pair),) = found["disagreements"]
    assert (pair["first"]["label"], pair["second"]["label"], pair["first"]["case"]) == ("cut", "tagged", OTHER)
    code, out, _ = told("agreement", "Ann", "Bob")
    assert code == 0
    assert "agree on 1 of 2 places" in out
    code, _, err = told("agreement", "Ann", "Eve")
    assert (code, "there are labels of: Ann, Bob" in err) == (1, True)
    assert told("agreement", "Ann", "Ann")[0] == 1


def test_contested_gold_is_listed_measured_without_and_written_to_a_patch_file(told, result, own_demo_store, tmp_path):
    with open_store(own_demo_store) as store:
        keys = [row.key for row in store.cases.list("longmemeval_demo")]
        run = evaluate(case_inputs(store, keys), [MethodSpec("tag_basic")], {"extractor": "rules"})
        store.runs.add(run)
    assert result("contested")["questions"] == 0
    give(told, CASE, "Ann", "--contested", "another note says it too", "--comment", "add it")
    give(told, OTHER, "Ann", "--label", "cut")
    patch = tmp_path / "patch.jsonl"
    found = result("contested", "--run", run.id, "--patch", patch)
    assert (found["questions"], [each["case"] for each in found["labels"]]) == (1, [CASE])
    (line,) = map(json.loads, patch.read_text("utf-8").splitlines())
    assert (line["reason"], line["change"]) == ("another note says it too", "add it")
    with open_labels(own_demo_store, read_only=True) as labels:
        rows = with_and_without(run, labels.current())
    means = {each["measure"]: (each["all"]["mean"], each["uncontested"]["mean"]) for each in found["measures"]}
    assert means == {row.measure: (row.all.mean, row.uncontested.mean) for row in rows}
    mrr = next(each for each in found["measures"] if each["measure"] == "mrr")
    assert (mrr["all"]["n"], mrr["uncontested"]["n"]) == (7, 6)
    give(told, CASE, "Ann", "--contested", "")
    assert result("contested")["questions"] == 0


def test_the_taxonomy_is_shown_changed_and_kept_in_versions(told, result, tmp_path):
    assert [cause["name"] for cause in result("taxonomy")["causes"]] == list(default_taxonomy().names)
    give(told, CASE, "Ann", "--label", "tagged")
    table = tmp_path / "causes.csv"
    table.write_text("name,meaning\nmine,of my own\n", encoding="utf-8")
    assert told("taxonomy", "--change", table)[0] == 2
    changed = result("taxonomy", "--change", table, "--analyst", "Ann")
    assert (changed["version"], changed["causes"]) == (1, [{"name": "mine", "meaning": "of my own"}])
    assert result("taxonomy", "--version", 0)["causes"] != changed["causes"]
    give(told, CASE, "Ann", "--comment", "an old cause can be commented on")
    assert told("label", OTHER, "demo_common_word", "--analyst", "Ann", "--label", "tagged")[0] == 1
    table.write_text("cause\nmine\n", encoding="utf-8")
    code, _, err = told("taxonomy", "--change", table, "--analyst", "Ann")
    assert (code, "name and meaning" in err) == (1, True)
