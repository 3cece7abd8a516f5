"""What the parts of the page Evaluate share: the run that is looked at, and the way from a question to the page Compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.errors import StoreError
from workbench.methods.base import methods as registered
from workbench.records import Run
from workbench.store import RunRow, Store, open_store
from workbench.ui import cached, context, evaluate_cells, navigation
from workbench.ui.context import Context
from workbench.words import visible

PLACE = "evaluate"
"""Where the progress of work begun on this page is drawn."""
CHOICE = "evaluate-choice"
"""Key of the widget that chooses the run."""
_RUN, _COMPARE, _PROBLEM = "evaluate-run", "evaluate-compare", "evaluate-problem"
MOST_ARMS = 12
"""Arms that are compared in pairs on a page; a sweep has more, and tables of its own (ours)."""

QuestionKey = tuple[str, str]
"""(case key, question id)."""


@dataclass(frozen=True)
class View:
    """The run that the page shows, and by which measure. ``row`` has its name of today."""

    chosen: Context
    row: RunRow
    run: Run
    measure: str

    @property
    def path(self) -> Path:
        return self.chosen.store_path

    @property
    def arms(self) -> tuple[str, ...]:
        return tuple(self.run.config)

    def method_of(self, arm: str) -> str:
        """The method that an arm is of, which gives it its colour."""
        return str(self.run.points.get(arm, {}).get("method", arm))


def run_words(row: RunRow) -> str:
    """A run in a list: moment, name, kind, and the end of its id."""
    parts = (f"{row.created:%Y-%m-%d %H:%M}", row.name, row.kind, row.id.rpartition("-")[2])
    return visible(" · ".join(part for part in parts if part))


# --- which run --------------------------------------------------------------------------------------------------------------


def chosen_run(rows: Sequence[RunRow]) -> RunRow:
    """The run that the URL names, else the one that was looked at last, else the newest evaluation, else the newest of all."""
    known = {row.id: row for row in rows}
    for wanted in (st.query_params.get("run"), st.session_state.get(_RUN)):
        if wanted in known:
            return known[wanted]
    return next((row for row in rows if row.kind == "evaluation"), rows[0])


def show_run(run_id: str) -> None:
    """Choose a run from a callback; the URL names it by its id, which a new name does not change."""
    st.session_state[_RUN] = st.query_params["run"] = run_id


def run_selected(key: str, ids: Sequence[str]) -> None:
    """Callback of a table of runs: show the one that was clicked."""
    at = selected(key)
    if at is not None:
        show_run(ids[at])


def forget_run() -> None:
    """The shown run is gone: the newest is shown next."""
    st.session_state.pop(_RUN, None)
    st.query_params.pop("run", None)


# --- to the page Compare ----------------------------------------------------------------------------------------------------


def beside(path: Path, benchmark: str, run: Run, arms: Sequence[str]) -> tuple[str, ...]:
    """The names under which arms of a run stand on the page Compare; those that can't be asked there are left out."""
    if run.kind == "import":
        names = {(each.run, each.arm): name for name, each in cached.imported(path, benchmark).items()}
        return tuple(names[run.id, arm] for arm in arms if (run.id, arm) in names)
    methods = (str(run.points.get(arm, {}).get("method", arm)) for arm in arms)
    return tuple(name for name in dict.fromkeys(methods) if name in registered)


def selected(key: str) -> int | None:
    """The place of the row that was clicked, whether at its edge or in a cell."""
    selection = st.session_state[key]["selection"]
    at = [*selection["rows"], *(row for row, _ in selection["cells"])]
    return at[-1] if at else None


def question_table(
    rows: Sequence[Mapping[str, Any]],
    ids: Sequence[QuestionKey],
    key: str,
    methods: Sequence[str],
    columns: Mapping[str, Any] | None = None,
) -> None:
    """A table of questions; a click opens one on the page Compare under these methods, or those chosen where there is none."""
    name = evaluate_cells.stable_key(key, [*ids, *methods])
    st.dataframe(
        evaluate_cells.frame(rows),
        key=name,
        hide_index=True,
        height=min(evaluate_cells.HEAD + evaluate_cells.ROW * len(rows), 458),
        on_select=lambda: _open(name, ids, methods),
        selection_mode=["single-row", "single-cell"],
        placeholder=evaluate_cells.DASH,
        column_config=dict(columns or {}),
    )
    if st.session_state.pop(_COMPARE, False):
        navigation.go("compare")


def _open(key: str, ids: Sequence[QuestionKey], methods: Sequence[str]) -> None:
    at = selected(key)
    if at is None:
        return
    case_key, question_id = ids[at]
    context.select(case=case_key, question=question_id, q="", note="")
    if methods:
        context.select_methods(methods)
    st.session_state[_COMPARE] = True


def question_texts(view: View) -> dict[QuestionKey, str]:
    """The questions' texts; none of a case that was removed since."""
    return {(row.case, row.id): row.text for row in cached.question_table(view.path, view.chosen.benchmark, None, None)}


# --- writing ----------------------------------------------------------------------------------------------------------------


def change_store(path: Path, change: Callable[[Store], None]) -> bool:
    """Change a store from a callback; what prevents it is said on the next run of the page."""
    try:
        with open_store(path, wait_seconds=cached.WAIT_SECONDS) as store:
            change(store)
    except (StoreError, KeyError) as error:
        st.session_state[_PROBLEM] = str(error.args[0])
        return False
    return True


def show_problem() -> None:
    """What the last change of the store came to, where it failed."""
    if problem := st.session_state.pop(_PROBLEM, ""):
        with st.container(border=True):
            st.markdown(":material/error: **That was not done**")
            st.text(problem)
