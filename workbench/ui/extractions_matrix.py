"""The tab MRR matrix: extraction by method, with paired tests between extractions; and what a new variant changed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.compare_extractions.matrix import Matrix, Step
from workbench.evaluate.judging import MEASURES
from workbench.evaluate.significance import Unit
from workbench.methods.base import methods
from workbench.ui import evaluate_cells as cells
from workbench.ui import extractions_work as work
from workbench.ui.context import Context
from workbench.ui.evaluate_jobs import require_free
from workbench.ui.evaluate_tests import UNITS
from workbench.ui.extractions_work import Kept, Made, Measured
from workbench.ui.node_panel import plain
from workbench.words import counted, visible


def show(chosen: Context, kept: Kept) -> None:
    """Draw the tab."""
    found = work.measured(kept.request)
    _form(chosen, kept, found)
    if found is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = st.selectbox("Measure", list(MEASURES), key="matrix-measure", bind="query-params", width=190)
        unit: Unit = st.segmented_control(
            "What counts once",
            list(UNITS),
            default="question",
            format_func=UNITS.__getitem__,
            key="matrix-unit",
            bind="query-params",
            required=True,
            help="Questions of one conversation share its notes: by case, each conversation counts once, by its mean.",
        )
    matrix = _matrix(kept, found, measure, unit)
    if matrix is not None:
        _cells(matrix)
        _steps(matrix.steps, matrix, "matrix")


def _matrix(kept: Kept, found: Measured, measure: str, unit: Unit) -> Matrix | None:
    try:
        return work.matrix(kept.path, found, measure, unit)
    except KeyError:
        st.info("A run of this matrix was deleted. Run it again above.", icon=":material/info:")
        return None


def _form(chosen: Context, kept: Kept, found: Measured | None) -> None:
    """Which methods are run: the sidebar's at first."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = found.methods if found else chosen.registered_methods
        names = st.multiselect("Methods", list(methods), default=list(first), key="matrix-methods", width=640)
        busy = require_free(kept.path)
        total = len(kept.found.labels) * len(kept.found.cases)
        st.button(
            f"Run under {counted(len(kept.found.labels), 'extraction')}",
            key="start-matrix",
            type="secondary" if found else "primary",
            icon=":material/play_arrow:",
            disabled=bool(busy or not names),
            help=busy or "Each extraction gives a run of its own, kept in the store. Runs that are there already are taken.",
            on_click=work.start_runs,
            args=(kept.request, names, total),
        )
    if found is None:
        st.caption("No runs yet: extraction changes retrieval more than most choices of method do (TAGGRAPH 5.3).")


def _cells(matrix: Matrix) -> None:
    names = list(dict.fromkeys(cell.method for cell in matrix.cells))
    rows, css = [], []
    for label in matrix.runs:
        estimates = {name: matrix.cell(label, name).estimate for name in names}
        rows.append({"Extraction": label} | {name: cells.estimate(each, matrix.questions) for name, each in estimates.items()})
        css.append({name: cells.heat(each.mean) for name, each in estimates.items()})
    st.caption(f"Mean {plain(matrix.measure)} over {counted(matrix.questions, 'headline question')}, with 95% intervals.")
    cells.styled(rows, css, cells.stable_key("matrix", [matrix.measure, matrix.unit, *matrix.runs.values()]))


def _steps(steps: Sequence[Step], matrix: Matrix, key: str) -> None:
    """Paired tests from extraction to extraction."""
    if not steps:
        return
    rows = [
        {
            "Method": step.method,
            "From": step.first,
            "To": step.second,
            "n": step.test.n,
            "Before": step.test.second,
            "After": step.test.first,
            "Change [95%]": cells.difference(step.test),
            "Better / worse / same": f"{step.test.wins} / {step.test.losses} / {step.test.ties}",
            "p": cells.p_value(step.test.p),
            "p (Holm)": cells.p_value(step.p_holm),
        }
        for step in steps
    ]
    unit = "cases" if matrix.unit == "case" else "questions"
    st.caption(
        f"Change of {plain(matrix.measure)} over {unit} that both have; a sign-flip test, p corrected by Holm over the "
        f"{counted(len(steps), 'row')} of this table."
    )
    shape = {name: st.column_config.NumberColumn(format="%.3f") for name in ("Before", "After")}
    cells.table(rows, cells.stable_key(key, [matrix.measure, matrix.unit, *matrix.runs.values()]), shape)


def show_made(made: Made) -> None:
    """A variant that was stored: what it changed in tags, and in MRR by method."""
    found = made.rewritten
    st.text(
        visible(
            f"{found.name}: {found.changed_notes:,} of {counted(found.notes, 'note')} changed over "
            f"{counted(found.cases, 'case')}, {found.tags_before:,} tags before, {found.tags_after:,} after. "
            "Its base stays as it is."
        )
    )
    if made.measured is None:
        return
    try:
        matrix = work.matrix(made.request.path, made.measured, "mrr", "question")
    except KeyError:
        st.caption("Its runs were deleted since.")
        return
    _steps(matrix.steps, matrix, "made")
