"""Runs as things: the list, how one was made, two of them compared, files out and files in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.errors import BadInput
from workbench.evaluate.comparing import RunComparison
from workbench.evaluate.importing import ImportReport, import_run
from workbench.evaluate.run_files.collect import UNITS
from workbench.store import RunRow
from workbench.ui import evaluate_cells as cells
from workbench.ui import evaluate_results as results
from workbench.ui import hit_cells, uploads
from workbench.ui.context import Context
from workbench.ui.evaluate_jobs import cases_of, require_free
from workbench.ui.evaluate_variations import runs_table
from workbench.ui.evaluate_view import PLACE, View, beside, question_table, question_texts, run_words
from workbench.ui.jobs import Job, jobs
from workbench.ui.node_panel import plain
from workbench.words import counted

if TYPE_CHECKING:
    pass

EXPORTS = {
    "TREC run": ("trec", "ranks", "run", "One line a kept rank, the method as its tag."),
    "TREC qrels": ("qrels", "ranks", "qrels", "The judgements that the rankings were held against."),
    "CSV, by question": ("csv", "questions", "csv", "A row for each question and arm, with every measure."),
    "CSV, by rank": ("csv", "ranks", "csv", "A row for each kept rank."),
    "Parquet": ("parquet", "questions", "parquet", "A row for each question and arm, with every measure."),
    "JSON": ("json", "ranks", "json", "{arm: {query: {id: score}}}"),
}
"""Label to (format, rows, file ending, help)."""


def show(view: View, rows: Sequence[RunRow]) -> None:
    """Draw the list of runs, the chosen one's making and files, the comparison of two, and the import."""
    st.caption(f"{counted(len(rows), 'run')} of this benchmark, newest first. A click shows one.")
    runs_table(rows, "runs")
    st.markdown("**The shown run**")
    with st.container(horizontal=True):
        for label, (form, kind, ending, help_) in EXPORTS.items():
            st.download_button(
                label,
                _later(view.path, view.run.id, form, kind),
                file_name=f"{view.run.id}.{ending}",
                mime="application/octet-stream",
                key=f"export-{form}-{kind}",
                icon=":material/download:",
                help=help_,
                on_click="ignore",
            )
    with st.expander("How it was made", key="made"):
        _made(view)
    with st.expander("Compare with another run", key="diff", on_change="rerun") as diff:
        if diff.open:  # or another run would be read each time
            _diff(view, [row for row in rows if row.id != view.run.id])
    with st.expander("Import another system's rankings", key="import"):
        show_import(view.chosen)


def _later(path: Path, run_id: str, form: str, rows: str) -> Any:
    """The file's bytes, made when the button is clicked."""
    return lambda: results.exported(path, run_id, form, rows)


def _made(view: View) -> None:
    run = view.run
    rows = [
        ("run", run.id),
        ("made", f"{run.created:%Y-%m-%d %H:%M:%S}"),
        ("extraction", str(run.extraction.get("extractor", "unknown"))),
        ("data", run.data_digest[:12]),
        ("workbench", run.code_version),
        *((f"left out: {reason}", counted(count, "question")) for reason, count in run.excluded.items()),
        *((f"settings of {arm}", _settings(view, arm)) for arm in run.config),
        *run.environment.items(),
    ]
    cells.table([{"What": name, "Value": value} for name, value in rows], f"made-{run.id}", tallest=10)


def _settings(view: View, arm: str) -> str:
    if view.run.kind == "import":
        return ", ".join(f"{name}={value}" for name, value in view.run.config[arm].items())
    return hit_cells.changed_settings(view.method_of(arm), view.run.config[arm]) or "the defaults"


# --- two runs ---------------------------------------------------------------------------------------------------------------


def _diff(view: View, others: Sequence[RunRow]) -> None:
    if not others:
        st.caption("There is no other run of this benchmark yet.")
        return
    by_id = {row.id: row for row in others}
    first = st.selectbox("From the run", list(by_id), format_func=lambda id_: run_words(by_id[id_]), key=f"diff-{view.run.id}")
    try:
        found = results.difference(view.path, first, view.run.id, view.measure)
    except (BadInput, ValueError) as error:
        st.text(str(error))
        return
    _differences(found)
    if not found.arms:
        st.info("The two runs have no arm in common: set single arms against each other under Wins and losses.")
        return
    rows = [
        {
            "Arm": arm.first,
            "n": arm.test.n,
            "From": arm.test.second,
            "To": arm.test.first,  # the test is of the second run against the first
            "To - from [95%]": cells.difference(arm.test),
            "p (Holm)": cells.p_value(arm.p_holm),
            "Better": len(arm.better),
            "Worse": len(arm.worse),
            "Only in one": arm.only_first + arm.only_second,
        }
        for arm in found.arms
    ]
    shape = {name: st.column_config.NumberColumn(format="%.3f") for name in ("From", "To")}
    cells.table(rows, cells.stable_key("diff", [found.first, found.second, found.measure]), shape)
    _changed(view, found)


def _differences(found: RunComparison) -> None:
    if found.differences:
        st.markdown("Made differently in:")
        rows = [{"Field": each.field, "From": each.first, "To": each.second} for each in found.differences]
        cells.table(rows, cells.stable_key("differences", [found.first, found.second]), tallest=6)
    else:
        st.caption("Both were made alike: same data, code, extraction, environment and settings of their common arms.")
    for words, arms in (("Only in the other run", found.only_first), ("Only in the shown run", found.only_second)):
        if arms:
            st.caption(f"{words}: {', '.join(map(plain, arms))}")


def _changed(view: View, found: RunComparison) -> None:
    changes = [(arm, change) for arm in found.arms for change in (*arm.worse, *arm.better)]
    if not changes:
        st.caption("No question has another value under any common arm.")
        return
    changes.sort(key=lambda each: (each[1].second - each[1].first, each[0].first, each[1].case, each[1].question))
    texts = question_texts(view)
    rows = [
        {
            "Question": texts.get((change.case, change.question), change.question),
            "Arm": arm.first,
            "Change": change.second - change.first,
            "Rank, from": change.first_rank,
            "Rank, to": change.second_rank,
        }
        for arm, change in changes
    ]
    shape = {
        "Question": st.column_config.TextColumn(width=380),
        "Change": st.column_config.NumberColumn(format="%+.3f"),
    }
    ids = [(change.case, change.question) for _, change in changes]
    methods = beside(view.path, view.chosen.benchmark, view.run, [arm.first for arm in found.arms])
    question_table(rows, ids, f"changed-{found.first}-{found.second}-{found.measure}", methods, shape)


# --- files in ---------------------------------------------------------------------------------------------------------------


def show_import(chosen: Context) -> None:
    """Draw the form that judges another system's rankings like a run of ours."""
    st.caption("A TREC run, CSV with a header, or JSON: {query: [ids]}. It then stands beside the methods everywhere.")
    uploaded = st.file_uploader("File", key="import-upload", label_visibility="collapsed")
    typed = st.text_input("Or a file on this machine", key="import-path").strip()
    with st.popover("More", icon=":material/tune:", key="more-import"):
        name = st.text_input("Name of the run", key="import-name", placeholder="the file's").strip()
        unit = st.selectbox("What is ranked", UNITS, key="import-unit", help="auto tells notes from sessions by their ids.")
        judged = st.file_uploader("TREC qrels to judge by instead of the stored gold", key="import-qrels")
    file = uploads.kept(uploaded) if uploaded else Path(typed).expanduser() if typed else None
    missing = file is not None and not file.is_file()
    if missing:
        st.text("There is no such file.")
    busy = require_free(chosen.store_path)
    st.button(
        "Import",
        key="import-start",
        icon=":material/upload:",
        disabled=file is None or missing or bool(busy),
        help=busy,
        on_click=_start_import,
        args=(chosen, file, name, unit, uploads.kept(judged) if judged else None),
    )


def _start_import(chosen: Context, file: Path, name: str, unit: str, qrels: Path | None) -> None:
    keys = cases_of(chosen)

    def work(job: Job) -> ImportReport:
        path = chosen.store_path
        return import_run(path, file, benchmark=chosen.benchmark, name=name, unit=unit, qrels=qrels, progress=job.advance)

    jobs().start("Import", str(chosen.store_path), work, total=len(keys), place=PLACE)
