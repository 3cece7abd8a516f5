"""Every notebook runs from top to bottom, offline, is kept without output, and says the same numbers as the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from workbench.cli import main

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
NUMBERS = {
    "01_first_look": "{'mrr': table['bm25']['mrr'], 'questions': summary(run)['questions']}",
    "02_diffusion_by_hand": "{'steps': len(traced.steps), 'score': found.score, 'note': answer, 'by hand': max(apart.values())}",
    "03_failure_audit": "result",
    "04_comparing_extractions": "{'tags': found.vocabulary[0].tags, 'distinct': found.vocabulary[0].distinct.mean, "
    "'mrr': matrix.cell('full', 'adaptive').estimate.mean}",
    "05_your_own_method_and_data": "{'lines': lines, 'mrr': scores['adaptive']['mrr'], 'by hand': table['adaptive']['mrr']}",
    "06_a_changing_fact": "{'facts': len(facts_of(choir, config)), 'counts': decided['counts'], 'gold': sorted(gold), "
    "'text': question.text, 'ranks': {name: rank for name, rank, _ in rows}}",
}
"""Expressions whose values a notebook's last line gives to its test."""


@cache
def executed(path: Path) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
    """The notebook with its outputs, and its numbers."""
    notebook = nbformat.read(path, as_version=4)
    asked = nbformat.v4.new_code_cell(f"import json\nprint(json.dumps({NUMBERS[path.stem]}))")
    notebook.cells.append(asked)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    return notebook, json.loads(notebook.cells.pop().outputs[0].text)


def numbers(name: str) -> dict[str, Any]:
    return executed(FOLDER / f"{name}.ipynb")[1]


@pytest.fixture
def told(own_demo_store: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs a command on the demo store and gives its JSON."""

    def run(*arguments: str) -> Any:
        capsys.readouterr()
        assert main([*arguments, "--store", str(own_demo_store), "--json", "-"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_every_notebook_has_numbers_to_check() -> None:
    assert [path.stem for path in NOTEBOOKS] == [*NUMBERS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path) -> None:
    notebook, _ = executed(path)
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert {"text/html", "application/vnd.plotly.v1+json"} <= kinds
    assert not any(output.output_type == "error" for output in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_output(path: Path) -> None:
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)


def test_first_look_has_the_mrr_of_evaluate(told: Callable[..., Any]) -> None:
    found = told("evaluate", "--benchmark", "atant_demo", "--methods", "bm25")
    assert numbers("01_first_look") == {"mrr": found["methods"]["bm25"]["mrr"], "questions": found["questions"]}


def test_diffusion_by_hand_has_the_steps_and_scores_of_diffuse(told: Callable[..., Any]) -> None:
    found, here = told("diffuse", "demo_diffusion_helps", "demo_diffusion_helps"), numbers("02_diffusion_by_hand")
    (score,) = [each["score"] for each in found["attribution"] if each["note"] == here["note"]]
    assert here["steps"] == len(found["steps"])
    assert here["score"] == pytest.approx(score, abs=1e-12)
    assert here["by hand"] < 1e-9


def test_failure_audit_has_the_tables_of_audit(told: Callable[..., Any]) -> None:
    arms = "tag_basic,tag_stopwords,tag_tfidf,adaptive,bm25"
    found = told("audit", "--benchmark", "atant_demo", "--methods", arms, "--k", "3")
    del found["labels"]
    assert numbers("03_failure_audit") == found


def test_compared_extractions_have_the_figures_of_extractions(told: Callable[..., Any]) -> None:
    found = told("extractions", "--benchmark", "atant_demo", "--methods", "adaptive")
    (row,), (cell,) = found["vocabulary"], found["matrix"]["cells"]
    here = {"tags": row["tags"], "distinct": row["distinct"]["mean"], "mrr": cell["estimate"]["mean"]}
    assert numbers("04_comparing_extractions") == here


def test_own_data_are_evaluated_as_by_the_command_line(tmp_path: Path, told: Callable[..., Any]) -> None:
    here = numbers("05_your_own_method_and_data")
    (tmp_path / "stars.jsonl").write_text("\n".join(map(json.dumps, here["lines"])), encoding="utf-8")
    told("load", str(tmp_path / "stars.jsonl"))
    found = told("evaluate", "--benchmark", "history", "--methods", "adaptive")
    assert here["mrr"] == found["methods"]["adaptive"]["mrr"]
    assert sum(here["by hand"].values()) / len(here["by hand"]) == pytest.approx(here["mrr"])


def test_changing_fact_has_the_facts_decisions_and_ranks_of_the_commands(told: Callable[..., Any]) -> None:
    here, case = numbers("06_a_changing_fact"), "demo_updated_fact"
    assert here["facts"] == len(told("facts", case)["facts"]) > 0
    assert here["counts"] == told("ariadne", case)["counts"]
    for name in ("ariadne", "real"):
        hits = told("query", case, here["text"], "--method", name, "--k", "50")["hits"]
        assert here["ranks"][name] == next(hit["rank"] for hit in hits if hit["note"] in here["gold"])
