"""Long work of the page Evaluate: runs begun, gone on with or dropped, and what became of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.evaluate.importing import ImportReport
from workbench.evaluate.inputs import case_input
from workbench.evaluate.requests import Request
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.stored import resume, run_stored
from workbench.records import Run, RunKind
from workbench.store import ExtractionRow, UnfinishedRow, open_store
from workbench.ui import cached
from workbench.ui.context import Context
from workbench.ui.evaluate_cells import table
from workbench.ui.evaluate_view import CHOICE, PLACE, change_store, show_run
from workbench.ui.jobs import Job, is_running, jobs
from workbench.words import counted, visible

ENGINES = {"inline": "in the app, case by case", "local": "a process for each core"}
_FINDINGS = 50


def workers(engine: str) -> int:
    """How many processes an engine takes."""
    return (os.cpu_count() or 1) if engine == "local" else 1


def start(
    path: Path,
    case_keys: Sequence[str],
    specs: Sequence[MethodSpec],
    extraction: ExtractionRow,
    kind: RunKind = "evaluation",
    name: str = "",
    engine: str = "inline",
) -> None:
    """Begin a run beside the pages; it is stored as it goes."""

    def work(job: Job) -> Run:
        reductions = {spec.reduction for spec in specs if spec.reduction is not None}
        if reductions:  # cases of one benchmark have gold of one kind: what can't work is said before anything is begun
            with open_store(path, read_only=True) as store:
                first = case_input(store, case_keys[0], extraction.key)
            for reduction in reductions:
                reduction(first)
        many = workers(engine)
        return run_stored(path, case_keys, specs, extraction, kind=kind, name=name, workers=many, progress=job.advance)

    title = {"ablation": "Ablation", "sweep": "Sweep"}.get(kind, "Evaluation")
    jobs().start(f"{title} of {counted(len(specs), 'arm')}", str(path), work, total=len(case_keys), place=PLACE)


def start_chosen(chosen: Context) -> None:
    """Evaluate the sidebar's methods over all cases of the benchmark that have its extraction."""
    specs = [MethodSpec(name) for name in chosen.registered_methods]
    start(chosen.store_path, cases_of(chosen), specs, extraction_of(chosen))


def cases_of(chosen: Context, extraction: int | None = None) -> list[str]:
    """Keys of the benchmark's cases that have an extraction like the chosen (or the given) one."""
    wanted = extraction if extraction is not None else chosen.extraction
    assert wanted is not None  # a case always has one
    return cached.cases_with(chosen.store_path, chosen.benchmark, wanted)


def extraction_of(chosen: Context) -> ExtractionRow:
    """The extraction of the sidebar."""
    return next(row for row in cached.extractions(chosen.store_path, chosen.case_key) if row.id == chosen.extraction)


# --- unfinished runs --------------------------------------------------------------------------------------------------------


def show_unfinished(chosen: Context) -> None:
    """Interrupted runs of the benchmark, each to go on with or to drop; nothing while a job of the store is under way."""
    path = chosen.store_path
    rows = [] if is_running(str(path)) else cached.unfinished(path, chosen.benchmark)
    for row in rows:
        with st.container(horizontal=True, vertical_alignment="center", border=True, key=f"unfinished-{row.run}"):
            st.text(visible(f"{row.name or _kind(row)}: {row.done} of {counted(row.cases, 'case')} done"), width="content")
            st.caption(f"begun {row.started:%Y-%m-%d %H:%M}", width="content")
            st.space("stretch")
            st.button(
                "Continue",
                key=f"continue-{row.run}",
                icon=":material/play_arrow:",
                disabled=not row.request,
                help=None if row.request else "What was asked for is not known. Start the same run again, and it goes on.",
                on_click=_go_on,
                args=(path, row),
            )
            st.button("Drop", key=f"drop-{row.run}", icon=":material/delete:", on_click=_drop, args=(path, row.run))


def _kind(row: UnfinishedRow) -> str:
    return Request.of_text(row.request).kind if row.request else "a run"


def _go_on(path: Path, row: UnfinishedRow) -> None:
    def work(job: Job) -> Run:
        return resume(path, row.run, progress=job.advance)

    jobs().start("Going on with a run", str(path), work, total=row.cases, place=PLACE).done = row.done


def _drop(path: Path, run_id: str) -> None:
    change_store(path, lambda store: store.unfinished.abandon(run_id))


# --- what became of a job ---------------------------------------------------------------------------------------------------


def describe(result: Any) -> None:
    """A finished job's result in a few lines."""
    if isinstance(result, Run):
        _describe_run(result)
    elif isinstance(result, ImportReport):
        _describe_import(result)
    elif isinstance(result, list):
        st.markdown("The table is under the tab Table 1.")


def _describe_run(run: Run) -> None:
    questions = {(one.case, one.question) for one in run.results}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{counted(len(questions), 'question')}, {counted(len(run.config), 'arm')}.", width="content")
        _offer(run.id)
    for reason, count in run.excluded.items():
        st.text(f"left out: {counted(count, 'question')} ({reason})")


def _describe_import(report: ImportReport) -> None:
    for line in report.coverage():
        st.text(visible(line))
    for name, found in (("rows", report.rankings), ("judgements", report.judgements)):
        if found is None:
            continue
        kept = f"{found.kept:,} kept, {found.repaired:,} repaired, {found.quarantined:,} quarantined"
        st.text(f"{name}: {found.rows:,} seen, {kept}")
        rows = [{"level": one.level, "position": one.position, "reason": one.reason} for one in list(found.findings)[:_FINDINGS]]
        if rows:
            table(rows, f"import-{name}", tallest=6)
    _offer(report.run.id)


def _offer(run_id: str) -> None:
    """A button that shows a new run, where another one is shown."""
    if st.session_state.get(CHOICE) != run_id:
        st.button("Show the run", key="show-new-run", on_click=show_run, args=(run_id,))


def require_free(path: Path) -> str | None:
    """Why no job can begin now; None where one can."""
    return "Another job is under way for this store." if is_running(str(path)) else None
