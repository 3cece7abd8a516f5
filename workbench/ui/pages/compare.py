"""Compare: several methods' rankings of one question side by side, and why each note stands where it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pandas as pd
import streamlit as st

from workbench.colours import Theme
from workbench.errors import StoreError, WorkbenchError
from workbench.evaluate.agreement import everywhere, only_here, rank_biased_overlap
from workbench.records import Question, Ranking
from workbench.settings import Profile
from workbench.ui import cached, comparison, context, hit_columns, navigation, own_question, question_steps
from workbench.ui.cached import OpenCase
from workbench.ui.comparison import SHOWN, Column, Row
from workbench.ui.context import Context
from workbench.ui.note_view import show_note
from workbench.ui.rank_lines import rank_lines
from workbench.ui.why_view import show_whys

SHAPES = {"columns": "Columns", "lines": "Rank lines"}
PROFILES = {"default": "Product", "literal": "Paper-literal"}
_STYLE = Path(__file__).parents[1] / "assets" / "compare.css"
_HITS, _LINES = "compare-hits", "compare-lines"


@dataclass(frozen=True)
class Shown:
    """What this run of the page compares."""

    chosen: Context
    opened: OpenCase
    question: Question | None
    columns: tuple[Column, ...]
    note_id: str


@navigation.page("compare", "Compare", icon=":material/view_column:", order=20)
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("Compare")
    st.html(_STYLE)
    st.caption("The same question to several methods: where each one ranks the answer, and why.")
    _body(chosen)


def _body(chosen: Context) -> None:
    assert chosen.extraction is not None  # a case always has one
    opened = cached.open_case(chosen.store_path, chosen.case_key, chosen.extraction)
    question = next((q for q in opened.case.questions if q.id == chosen.question_id), None)
    shape, profile = _controls(chosen, opened, question)
    if len(chosen.methods) > 1 and shape == "columns":
        st.caption(f"▲▼ rank moves against {chosen.methods[0]}; – no move, also where tied ranks overlap.")
    if not chosen.query.strip():
        st.info("Type a question above, or choose one in the sidebar.", icon=":material/edit:")
        return
    if not chosen.methods:
        st.info("Choose one method or more in the sidebar.", icon=":material/tune:")
        return
    with opened.lock:
        columns = comparison.compare(_ranked(chosen, profile), opened.memory, question)
        shown = Shown(chosen, opened, question, columns, _note_of(opened))
        if shown.note_id:
            left, right = st.columns([5, 3], gap="medium")
            with left:
                _rankings(shown, shape)
                _agreement(columns)
            with right, st.container(key="drawer"):
                _drawer(shown)
        else:
            _rankings(shown, shape)
            _agreement(columns)


def _ranked(chosen: Context, profile: Profile) -> dict[str, tuple[Ranking, float | None]]:
    """Ranking and milliseconds of every chosen method that can answer; of the others is said why not."""
    assert chosen.extraction is not None
    found = {}
    for name in chosen.methods:
        try:
            asked = (chosen.store_path, chosen.case_key, chosen.extraction, name, chosen.query, profile, chosen.question_id)
            timed = cached.rank(*asked)
        except StoreError:
            raise
        except WorkbenchError as error:
            with st.container(border=True):
                st.markdown(f":material/error: **{name}** can't answer")
                st.text(str(error))
        else:
            found[name] = (timed.ranking, timed.ms)
    return found


def _note_of(opened: OpenCase) -> str:
    note_id = context.current().note_id
    return note_id if note_id in opened.memory else ""


def _controls(chosen: Context, opened: OpenCase, question: Question | None) -> tuple[str, Profile]:
    st.session_state["compare-query"] = chosen.query
    st.text_input("Question", key="compare-query", on_change=_asked, args=(question.text if question else "",))
    with st.container(horizontal=True, vertical_alignment="center"):
        shape = st.segmented_control(
            "Shown as",
            list(SHAPES),
            default="columns",
            format_func=SHAPES.__getitem__,
            key="shape",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
        )
        with st.popover("More", icon=":material/tune:", key="more-compare"):
            profile = st.selectbox(
                "Settings of the methods",
                list(PROFILES),
                format_func=PROFILES.__getitem__,
                key="profile",
                bind="query-params",
                help="Paper-literal sets every value that a paper states; the product's own differ where a paper's degenerate.",
            )
        if chosen.typed:
            st.button("Back to the question", key="untype", icon=":material/undo:", on_click=context.select, kwargs={"q": ""})
            if question is not None:
                st.caption("A typed query; gold is that of the chosen question.", width="content")
        own_question.popover(chosen, opened, question)
        st.space("stretch")
        question_steps.show(chosen)
    return str(shape), cast(Profile, profile)


def _asked(question: str) -> None:
    text = st.session_state["compare-query"].strip()
    context.select(q="" if text == question else text)


# --- the rankings -----------------------------------------------------------------------------------------------------------


def _rankings(shown: Shown, shape: str) -> None:
    if shape == "lines":
        theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
        figure = rank_lines(shown.columns, theme, shown.note_id, is_narrow=bool(shown.note_id))
        st.plotly_chart(
            figure, key=_LINES, on_select=_point_clicked, selection_mode="points", theme=None, config={"displayModeBar": False}
        )
    else:
        hit_columns.show(shown.columns, _HITS, shown.note_id, _hit_clicked)


def _hit_clicked() -> None:
    found = hit_columns.clicked(_HITS)
    if found:
        context.select(note=found[1])


def _point_clicked() -> None:
    points = st.session_state[_LINES]["selection"]["points"]
    if points:
        data = points[0]["customdata"]
        context.select(note=str(data[0] if isinstance(data, list) else data))


# --- the drawer -------------------------------------------------------------------------------------------------------------


def _drawer(shown: Shown) -> None:
    """The selected note, and why each method ranks it where it does."""
    memory, query = shown.opened.memory, shown.chosen.query
    gold = comparison.gold_of(shown.question, memory)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Selected note**")
        st.space("stretch")
        st.button(
            "Close", key="close-note", icon=":material/close:", type="tertiary", on_click=context.select, kwargs={"note": ""}
        )
    show_note(
        memory[shown.note_id],
        comparison.matched_words(query, memory),
        shown.question,
        is_gold=gold is not None and shown.note_id in gold.notes,
    )
    show_whys([(column.method, _row_of(column, shown), column.ranking.candidates) for column in shown.columns], query)


def _row_of(column: Column, shown: Shown) -> Row | None:
    """The method's row of the selected note, also where it is not among the first ten."""
    for hit in column.ranking.hits:
        if hit.note_id == shown.note_id:
            ties = comparison.tie_ranges(column.ranking.hits)
            return Row(hit, shown.opened.memory[hit.note_id], ties[hit.block], None, False)
    return None


# --- agreement --------------------------------------------------------------------------------------------------------------


def _agreement(columns: Sequence[Column]) -> None:
    if len(columns) < 2:
        return
    whole = {column.method: [hit.note_id for hit in column.ranking.hits] for column in columns}
    tops = {name: ids[:SHOWN] for name, ids in whole.items()}
    alone = only_here(tops)
    with st.container(border=True, key="agreement"):
        common = len(everywhere(tops))
        st.markdown(f"**Agreement** · {common} {'note is' if common == 1 else 'notes are'} in all {len(columns)} top tens")
        if first := comparison.first_to_find(columns):
            st.caption(first)
        rows = []
        for first in whole:
            overlaps = {second: None if first == second else rank_biased_overlap(whole[first], whole[second]) for second in whole}
            rows.append({"": first, "only here": len(alone[first]), **overlaps})
        help_ = "Rank-biased overlap (p = 0.9) of the whole rankings: 1 is the same order, 0 nothing in common."
        shape = {name: st.column_config.NumberColumn(format="%.2f", help=help_) for name in whole}
        shape["only here"] = st.column_config.NumberColumn(help="Notes in this top ten and in no other.")
        st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=shape, key="agreement-table", placeholder="")
