"""Ablations and sweeps: what each part of a method is worth, and what moves when one setting does."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.charts import ablation_figure, sweep_figure
from workbench.evaluate.ablations import AblationTable
from workbench.evaluate.sweep_table import SweepTable
from workbench.store import RunRow
from workbench.ui import evaluate_cells as cells
from workbench.ui import evaluate_results as results
from workbench.ui.evaluate_view import View, run_selected
from workbench.words import counted

_KINDS = ("ablation", "sweep")


def show(view: View, rows: Sequence[RunRow]) -> None:
    """Draw the chosen run's figure and table where it is an ablation or a sweep, else the runs that are."""
    if view.run.kind == "ablation":
        _ablation(view)
    elif view.run.kind == "sweep":
        _sweep(view)
    else:
        _others([row for row in rows if row.kind in _KINDS])


def _others(rows: Sequence[RunRow]) -> None:
    if not rows:
        st.info("No ablation and no sweep yet. Start one under New run.", icon=":material/science:")
        return
    st.caption("The chosen run is neither; these are. A click shows one.")
    runs_table(rows, "variations")


def runs_table(rows: Sequence[RunRow], key: str) -> None:
    """Runs as a table; a click shows one."""
    ids = [row.id for row in rows]
    name = cells.stable_key(key, ids)
    shown = [
        {
            "Made": row.created,
            "Name": row.name,
            "Kind": row.kind,
            "Arms": len(row.methods),
            "Cases": row.cases,
            "Questions": row.questions,
            "Id": row.id,
        }
        for row in rows
    ]
    st.dataframe(
        cells.frame(shown),
        key=name,
        hide_index=True,
        height=min(cells.HEAD + cells.ROW * len(rows), 318),
        on_select=lambda: run_selected(name, ids),
        selection_mode=["single-row", "single-cell"],
        placeholder=cells.DASH,
        column_config={
            "Made": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss"),
            "Name": st.column_config.TextColumn(width=280),
        },
    )


def _ablation(view: View) -> None:
    try:
        found: AblationTable = results.ablation(view.path, view.run.id, view.measure)
    except ValueError as error:
        st.text(str(error))
        return
    figure = ablation_figure(found, cells.theme())
    st.plotly_chart(figure, key="ablation-figure", theme=None, config={"displayModeBar": False})
    rows = [
        {
            "Arm": row.arm,
            f"{found.measure} [95%]": cells.estimate(row.estimate),
            "n": row.estimate.n,
            "Against the full method [95%]": cells.difference(row.test),
            "p (Holm)": cells.p_value(row.p_holm),
            "Another ranking for": f"{row.acted:,} of {row.compared:,}" if row.test else None,
        }
        for row in found.rows
    ]
    cells.table(rows, cells.stable_key("ablation", [view.run.id, view.measure]))


def _sweep(view: View) -> None:
    try:
        found: SweepTable = results.sweep(view.path, view.run.id, view.measure)
    except KeyError as error:  # made by a sweep that is not installed here
        st.text(str(error.args[0]))
        return
    figure = sweep_figure(found, cells.theme())
    st.plotly_chart(figure, key="sweep-figure", theme=None, config={"displayModeBar": False})
    rows = [
        {
            found.axis: str(row.value),
            "Arm": row.arm,
            f"{found.measure} [95%]": cells.estimate(row.estimate),
            "n": row.estimate.n,
            "Over seeds": f"{row.spread[0]:.3f} – {row.spread[1]:.3f} ({counted(row.seeds, 'seed')})" if row.spread else None,
            "Notes in the store": row.store_notes,
        }
        for row in found.rows
    ]
    shape = {"Notes in the store": st.column_config.NumberColumn(format="%.1f", help="Mean over the questions.")}
    cells.table(rows, cells.stable_key("sweep", [view.run.id, view.measure]), shape, tallest=10)
    if not found.contributions:
        return
    st.markdown("**What each switch contributes**")
    added = [
        {
            found.axis: str(each.value),
            "Contribution of": each.label,
            "With - without [95%]": cells.difference(each.test),
            "n": each.test.n,
            "p": cells.p_value(each.test.p),
            "Better / worse / same": f"{each.test.wins} / {each.test.losses} / {each.test.ties}",
        }
        for each in found.contributions
    ]
    cells.table(added, cells.stable_key("contributions", [view.run.id, view.measure]), tallest=10)
