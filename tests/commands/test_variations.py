"""``workbench ablate`` and ``workbench sweep``: results, stored runs, figures, messages and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.evaluate.ablations import ablation_table
from workbench.evaluate.sweep_table import sweep_table
from workbench.store import open_store


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]):
    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([str(each) for each in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


@pytest.fixture
def two(own_demo_store: Path) -> str:
    """Two of the demonstration's cases in the shape of LongMemEval."""
    with open_store(own_demo_store, read_only=True) as store:
        return ",".join(row.key for row in store.cases.list("longmemeval_demo")[:2])


def test_an_ablation_is_stored_and_printed(told, own_demo_store: Path, two: str, tmp_path: Path) -> None:
    figure = tmp_path / "ablation.html"
    given = ("--cases", two, "--store", own_demo_store, "--switches", "diffusion,file_seeding", "--out", figure)
    code, out, err = told("ablate", *given, "--json", "-")
    assert code == 0, err
    found = json.loads(out)
    assert [row["off"] for row in found["rows"]] == [[], ["diffusion"], ["file_seeding"], ["diffusion", "file_seeding"]]
    with open_store(own_demo_store, read_only=True) as store:
        run = store.runs.get(found["run"])
        assert store.unfinished.list() == []
    assert (run.kind, run.name, found["questions"]) == ("ablation", "ablation of adaptive", 2)
    table = ablation_table(run)
    assert [row["estimate"]["mean"] for row in found["rows"]] == [row.estimate.mean for row in table.rows]
    assert "Ablation of adaptive" in figure.read_text("utf-8")


def test_an_ablation_for_people(told, own_demo_store: Path, two: str) -> None:
    code, out, _ = told("ablate", "--cases", two, "--store", own_demo_store, "--switches", "diffusion", "--measure", "recall@5")
    assert code == 0
    assert "recall@5 over 2 questions" in out
    assert "adaptive - diffusion" in out
    assert "of 2" in out


def test_a_sweep_is_stored_and_printed(told, own_demo_store: Path, two: str, tmp_path: Path) -> None:
    figure = tmp_path / "sweep.html"
    given = ("--cases", two, "--store", own_demo_store, "--points", "0,3", "--seeds", 2, "--out", figure)
    code, out, err = told("sweep", "distractors", *given, "--json", "-")
    assert code == 0, err
    found = json.loads(out)
    with open_store(own_demo_store, read_only=True) as store:
        run = store.runs.get(found["run"])
    assert (run.kind, run.name) == ("sweep", "sweep of distractors")
    assert len(found["rows"]) == len(sweep_table(run).rows) == 8
    assert [
        each["test"]["difference"]
        for each in found["contributions"]
        if (each["value"], each["switch"], each["beside"]) == (0, "diffusion", [])
    ] == [0.0]
    assert "Sweep of distractors" in figure.read_text("utf-8")


def test_a_sweep_for_people_with_chosen_arms(told, own_demo_store: Path) -> None:
    given = ("--benchmark", "atant_demo", "--store", own_demo_store, "--points", "4,all", "--seeds", 1)
    code, out, err = told("sweep", "store_size", *given, "--methods", "bm25,adaptive - diffusion", "--set", "bm25.k1=2")
    assert code == 0, err
    lines = out.splitlines()
    assert "mrr over 84 questions" in lines[0]
    assert [line.split()[:2] for line in lines[3:7]] == [["4", "bm25"], ["4", "adaptive"], ["all", "bm25"], ["all", "adaptive"]]
    with open_store(own_demo_store, read_only=True) as store:
        assert store.runs.list()[0].config["bm25 @ store_size=all"]["k1"] == 2.0


def test_sweeps_are_listed(told) -> None:
    code, out, _ = told("sweep", "--json", "-")
    assert code == 0
    listed = {row["name"]: row for row in json.loads(out)}
    assert listed["distractors"]["points"] == [0, 3, 8, 18, 36]
    assert told("sweep")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ablate", "--method", "adaptiv"), "did you mean 'adaptive'"),
        (("ablate", "--method", "bm25"), "no part that can be switched off"),
        (("ablate", "--switches", "alpha"), "it has: diffusion, chronological, file_seeding"),
        (("ablate", "--set", "bm25.k1=2"), "'bm25' is not in use here"),
        (("ablate", "--measure", "mean"), "no run has a measure 'mean'"),
        (("ablate", "--engine", "cloud"), "no engine 'cloud'"),
        (("sweep", "gamma"), "no sweep 'gamma'; known: alpha"),
        (("sweep", "alpha", "--points", "2"), "alpha is 2.0"),
        (("sweep", "alpha", "--methods", "bm25"), "no field 'alpha'"),
        (("sweep", "alpha", "--methods", "nothing"), "no method 'nothing'"),
    ],
)
def test_wrong_usage_is_named(told, own_demo_store: Path, arguments: tuple, said: str) -> None:
    code, _, err = told(*arguments, "--store", own_demo_store, "--benchmark", "atant_demo")
    assert code == 2
    assert said in err


def test_distractors_for_gold_without_sessions_are_refused_before_anything_is_begun(told, own_demo_store: Path) -> None:
    code, _, err = told("sweep", "distractors", "--store", own_demo_store, "--benchmark", "atant_demo")
    assert code == 1
    assert "names texts that a note contains: sweep store_size instead" in err
    with open_store(own_demo_store, read_only=True) as store:
        assert store.unfinished.list() == []
