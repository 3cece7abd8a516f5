"""What the page Evaluate works out of a run, kept by the run's id: runs never change, their names apart."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import streamlit as st

from workbench.evaluate import export
from workbench.evaluate.ablations import ablation_table
from workbench.evaluate.comparing import ArmComparison, RunComparison, compare_arms, compare_runs, disagreement
from workbench.evaluate.guards import warnings_of
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.leaderboard import by_type, leaderboard, measures_of
from workbench.evaluate.significance import pairwise_by_type
from workbench.evaluate.summary import question_sets
from workbench.evaluate.sweep_table import sweep_table
from workbench.records import Run
from workbench.store import open_store
from workbench.ui.cached import WAIT_SECONDS

P = ParamSpec("P")
R = TypeVar("R")


def run(path: Path, run_id: str) -> Run:
    """A whole run under the name that it had when it was first read; KeyError where there is none of that id."""
    return _run(str(path), run_id)


@st.cache_resource(max_entries=6, show_spinner=False)
def _run(path: str, run_id: str) -> Run:
    with open_store(path, read_only=True, wait_seconds=WAIT_SECONDS) as store:
        return store.runs.get(run_id)


def _of_run(work: Callable[Concatenate[Run, P], R]) -> Callable[Concatenate[Path, str, P], R]:
    """A function of a run as a cached function of the store's path and the run's id."""

    def ask(path: str, run_id: str, arguments: tuple[Any, ...]) -> R:
        return work(_run(path, run_id), *arguments)  # type: ignore[call-arg]

    ask.__qualname__ = f"{work.__module__}.{work.__qualname__}"  # the cache tells functions apart by name and source
    cached = st.cache_resource(max_entries=64, show_spinner=False)(ask)

    def asked(path: Path, run_id: str, /, *arguments: P.args, **named: P.kwargs) -> R:
        assert not named, "arguments are given by place, so that equal calls have one entry"
        return cached(str(path), run_id, arguments)

    asked.__doc__ = work.__doc__
    return asked


def _sets(run: Run) -> dict[str, dict[str, dict[str, Any]]]:
    """The question sets in use for LongMemEval, by arm; none where the run has no official reading of the gold."""
    if not any("mrr_official" in result.measures for result in run.results):
        return {}
    return {
        arm: question_sets([result for result in run.results if result.method == arm and result.headline]) for arm in run.config
    }


measures = _of_run(measures_of)
lines = _of_run(leaderboard)
types = _of_run(by_type)
pairs = _of_run(pairwise_by_type)
guards = _of_run(warnings_of)
overlaps = _of_run(disagreement)
sets = _of_run(_sets)
ablation = _of_run(ablation_table)
sweep = _of_run(sweep_table)


@st.cache_resource(max_entries=32, show_spinner=False)
def _compared(path: str, first_run: str, first: str, second_run: str, second: str, measure: str) -> ArmComparison:
    return compare_arms(_run(path, first_run), first, second, measure, _run(path, second_run))


def compared(path: Path, first: tuple[str, str], second: tuple[str, str], measure: str) -> ArmComparison:
    """An arm against another, each named as (run id, arm). Raises as `compare_arms`."""
    return _compared(str(path), *first, *second, measure)


@st.cache_resource(max_entries=16, show_spinner=False)
def _difference(path: str, first: str, second: str, measure: str) -> RunComparison:
    return compare_runs(_run(path, first), _run(path, second), measure)


def difference(path: Path, first: str, second: str, measure: str) -> RunComparison:
    """Two runs compared, by their ids. Raises as `compare_runs`."""
    return _difference(str(path), first, second, measure)


def exported(path: Path, run_id: str, form: str, rows: str = "ranks") -> bytes:
    """A run as the file that ``workbench export`` writes; ``form`` may be ``qrels``."""
    found = run(path, run_id)
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        file = Path(folder) / "export"
        if form == export.QRELS:
            keys = list(dict.fromkeys(result.case for result in found.results))
            ranks_sessions = all(config.get("unit") == "session" for config in found.config.values())
            export.write_qrels(found, case_inputs(path, keys), file, unit="session" if ranks_sessions else "note")
        else:
            export.write(found, file, form, rows=rows)
        return file.read_bytes()
