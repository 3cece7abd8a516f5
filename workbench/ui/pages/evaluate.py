"""Evaluate: runs of methods over a benchmark, compared with intervals and tests; begun, gone on with and exchanged here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from workbench.store import RunRow
from workbench.ui import (
    cached,
    context,
    evaluate_board,
    evaluate_form,
    evaluate_jobs,
    evaluate_runs,
    evaluate_table1,
    evaluate_tests,
    evaluate_variations,
    navigation,
)
from workbench.ui import evaluate_results as results
from workbench.ui.context import Context
from workbench.ui.evaluate_view import (
    CHOICE,
    PLACE,
    View,
    change_store,
    chosen_run,
    forget_run,
    run_words,
    show_problem,
    show_run,
)
from workbench.ui.jobs import show_job
from workbench.ui.node_panel import plain
from workbench.words import counted


@navigation.page("evaluate", "Evaluate", icon=":material/leaderboard:", order=60)
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("Evaluate")
    st.caption("How well each method finds the evidence over a whole benchmark, and whether a difference is more than chance.")
    _body(chosen)


def _body(chosen: Context) -> None:
    rows = cached.runs(chosen.store_path, chosen.benchmark)
    show_problem()
    if not rows:
        _empty(chosen)
        return
    view = _controls(chosen, rows)
    show_job(str(chosen.store_path), evaluate_jobs.describe, PLACE)
    evaluate_jobs.show_unfinished(chosen)
    _line(view)
    _tabs(view, rows)


def _empty(chosen: Context) -> None:
    """A benchmark without runs: one button makes the first."""
    cases = len(evaluate_jobs.cases_of(chosen))
    these = "this case" if cases == 1 else f"these {cases} cases"
    st.info(f"No run yet. Evaluate {these} with {', '.join(chosen.registered_methods)}.", icon=":material/leaderboard:")
    busy = evaluate_jobs.require_free(chosen.store_path)
    with st.container(horizontal=True):
        st.button(
            f"Evaluate {these}",
            key="first-run",
            type="primary",
            icon=":material/play_arrow:",
            disabled=bool(busy or not chosen.registered_methods),
            help=busy,
            on_click=evaluate_jobs.start_chosen,
            args=(chosen,),
        )
        with st.popover("Another run", key="new-run"):
            evaluate_form.show(chosen)
        with st.popover("Import rankings", key="import-first"):
            evaluate_runs.show_import(chosen)
    show_job(str(chosen.store_path), evaluate_jobs.describe, PLACE)
    evaluate_jobs.show_unfinished(chosen)


# --- what is shown ----------------------------------------------------------------------------------------------------------


def _controls(chosen: Context, rows: Sequence[RunRow]) -> View:
    row = chosen_run(rows)
    words = {each.id: run_words(each) for each in rows}
    st.session_state[CHOICE] = row.id
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Run", list(words), format_func=words.__getitem__, key=CHOICE, on_change=_chosen, width=400)
        known = results.measures(chosen.store_path, row.id)
        if st.session_state.get("measure", known[0]) not in known:
            del st.session_state["measure"]
        help_ = (
            "recall@k: share of the gold found; hit@k: whether any was. A suffix says what is ranked where it is not the usual."
        )
        measure = st.selectbox("Measure", known, key="measure", bind="query-params", help=help_, width=190)
        with st.popover("New run", icon=":material/play_arrow:", key="new-run"):
            evaluate_form.show(chosen)
        with st.popover("More", icon=":material/tune:", key="more-evaluate"):
            _more(chosen.store_path, row)
    return View(chosen, row, results.run(chosen.store_path, row.id), measure or known[0])


def _chosen() -> None:
    show_run(st.session_state[CHOICE])


def _more(path: Path, row: RunRow) -> None:
    """The run's name, which may change, and its removal."""
    key = f"run-name-{row.id}"
    if key not in st.session_state:
        st.session_state[key] = row.name
    st.text_input("Name of the run", key=key, placeholder="none", on_change=_rename, args=(path, row.id, key))
    sure = st.checkbox("Delete this run with all its rankings", key=f"delete-sure-{row.id}")
    st.button("Delete", key="delete-run", icon=":material/delete:", disabled=not sure, on_click=_delete, args=(path, row.id))


def _rename(path: Path, run_id: str, key: str) -> None:
    name = st.session_state[key].strip()
    change_store(path, lambda store: store.runs.rename(run_id, name))


def _delete(path: Path, run_id: str) -> None:
    if change_store(path, lambda store: store.runs.remove(run_id)):
        forget_run()


def _line(view: View) -> None:
    """What the run is over, in one line."""
    run = view.run
    left = sum(run.excluded.values())
    parts = [
        run.kind,
        counted(view.row.cases, "case"),
        counted(view.row.questions, "question"),
        counted(len(view.arms), "arm"),
        f"extraction {run.extraction.get('extractor', 'unknown')}",
        *([f"{counted(left, 'question')} left out"] if left else []),
    ]
    st.caption(plain(" · ".join(parts)))


def _tabs(view: View, rows: Sequence[RunRow]) -> None:
    """Only the open tab is drawn."""
    parts: dict[str, Callable[[], None]] = {
        "Leaderboard": lambda: evaluate_board.show_board(view),
        "By type": lambda: evaluate_board.show_types(view),
        "Paired tests": lambda: evaluate_tests.show_tests(view),
        "Wins and losses": lambda: evaluate_tests.show_changes(view, rows),
        "Disagreement": lambda: evaluate_tests.show_disagreement(view),
        "Ablations & sweeps": lambda: evaluate_variations.show(view, rows),
        "Table 1": lambda: evaluate_table1.show(view.chosen),
        "Runs": lambda: evaluate_runs.show(view, rows),
    }
    tabs = st.tabs(list(parts), key="tab", on_change="rerun", bind="query-params")
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()
