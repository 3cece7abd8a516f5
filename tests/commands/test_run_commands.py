"""Commands about runs: comparing, naming and removing them, and interrupted ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.evaluate.inputs import common_extraction
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.stored import run_stored
from workbench.store import open_store

METHODS = "bm25,tag_basic,adaptive"


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main([str(each) for each in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def evaluated(capsys, store: Path, *more: str) -> str:
    code, out, _ = told(
        capsys, "evaluate", "--store", store, "--benchmark", "atant_demo", "--methods", METHODS, "--json", "-", *more
    )
    assert code == 0
    return json.loads(out)["run"]


def test_two_runs_are_compared_with_what_was_changed(own_demo_store: Path, capsys) -> None:
    first = evaluated(capsys, own_demo_store)
    second = evaluated(capsys, own_demo_store, "--set", "adaptive.alpha=0.5")
    code, out, _ = told(capsys, "compare", first, second, "--store", own_demo_store)
    assert code == 0
    assert "adaptive.alpha: 0.85 -> 0.5" in out
    code, out, _ = told(capsys, "compare", first, second, "--store", own_demo_store, "--json", "-")
    found = {arm["first"]: arm for arm in json.loads(out)["arms"]}
    assert set(found) == set(METHODS.split(","))
    headline = found["bm25"]["tests"]["headline"]
    assert (headline["difference"], headline["p"], found["bm25"]["worse"]) == (0.0, 1.0, [])


def test_methods_of_one_run_are_compared_in_pairs(own_demo_store: Path, capsys) -> None:
    run = evaluated(capsys, own_demo_store)
    code, out, _ = told(capsys, "compare", run, "--store", own_demo_store, "--json", "-")
    assert code == 0
    pairs = json.loads(out)["pairs"]["headline"]
    assert {(pair["first"], pair["second"]) for pair in pairs} == {
        ("bm25", "tag_basic"),
        ("bm25", "adaptive"),
        ("tag_basic", "adaptive"),
    }
    assert all(0 < pair["test"]["p"] <= pair["p_holm"] <= 1 for pair in pairs)
    code, out, _ = told(capsys, "compare", run, "--store", own_demo_store)
    assert "p Holm" in out


def test_runs_of_two_benchmarks_are_not_compared(own_demo_store: Path, capsys) -> None:
    first = evaluated(capsys, own_demo_store)
    arguments = ["evaluate", "--store", own_demo_store, "--benchmark", "longmemeval_demo", "--methods", METHODS, "--json", "-"]
    second = json.loads(told(capsys, *arguments)[1])["run"]
    code, _, err = told(capsys, "compare", first, second, "--store", own_demo_store)
    assert code == 1
    assert "atant_demo" in err
    assert "longmemeval_demo" in err


def test_an_unknown_run_or_measure_is_named(own_demo_store: Path, capsys) -> None:
    run = evaluated(capsys, own_demo_store)
    assert told(capsys, "compare", "nosuch", "--store", own_demo_store)[0] == 1
    code, _, err = told(capsys, "compare", run, "--measure", "mpr", "--store", own_demo_store)
    assert code == 1
    assert "mpr" in err


def test_a_run_is_renamed_and_removed(own_demo_store: Path, capsys) -> None:
    run = evaluated(capsys, own_demo_store)
    assert told(capsys, "rename-run", run, "the first", "--store", own_demo_store)[0] == 0
    _, out, _ = told(capsys, "runs", "--store", own_demo_store, "--json", "-")
    assert [(row["run"], row["name"], row["kind"]) for row in json.loads(out)] == [(run, "the first", "evaluation")]
    assert told(capsys, "remove-run", run, "--store", own_demo_store)[0] == 0
    assert told(capsys, "remove-run", run, "--store", own_demo_store)[0] == 1


def test_an_interrupted_run_is_listed_and_can_be_dropped(own_demo_store: Path, capsys) -> None:
    with open_store(own_demo_store, read_only=True) as store:
        keys = [row.key for row in store.cases.list("atant_demo")]
        extraction = common_extraction(store, keys)

    def stop(done: int, name: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_stored(own_demo_store, keys, [MethodSpec("bm25")], extraction, progress=stop)
    _, out, _ = told(capsys, "runs", "--store", own_demo_store)
    (line,) = (line for line in out.splitlines() if "is unfinished: 2 of 14 cases of atant_demo" in line)
    assert told(capsys, "remove-run", line.split()[0], "--store", own_demo_store)[0] == 0
    assert "unfinished" not in told(capsys, "runs", "--store", own_demo_store)[1]


def test_table1_prints_the_paper_beside_ours(own_demo_store: Path, capsys) -> None:
    code, out, _ = told(capsys, "table1", "--store", own_demo_store, "--benchmark", "atant_demo")
    assert code == 0
    assert "atant_demo: MRR" in out
    assert "adaptive - diffusion" in out
    code, out, _ = told(capsys, "table1", "--store", own_demo_store, "--benchmark", "atant_demo", "--json", "-")
    found = json.loads(out)
    assert [row["row"] for row in found["ours"]] == ["atant_demo"]
    assert found["ours"][0]["methods"]["bm25"]["n"] > 0
    assert {line["source"] for line in found["paper"]} == {"Table 1", "Table 4"}
