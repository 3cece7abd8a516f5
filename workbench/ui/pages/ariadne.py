"""Page AriadneMem: what its offline phase kept of a case, and how a question's evidence is found, step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.index import unread
from workbench.colours import GOLD_MARK
from workbench.records import Question
from workbench.ui import (
    ariadne_bridges,
    ariadne_context,
    ariadne_ingestion,
    ariadne_paths,
    ariadne_query,
    ariadne_ranks,
    ariadne_settings,
    ariadne_timeline,
    cached,
    context,
    navigation,
)
from workbench.ui import ariadne_work as work
from workbench.ui.ariadne_state import DEFAULT, Shown, built, run_of
from workbench.ui.cached import OpenCase
from workbench.ui.comparison import matched_words
from workbench.ui.context import Context
from workbench.ui.jobs import is_running, show_job
from workbench.ui.node_panel import plain
from workbench.ui.note_view import show_note
from workbench.words import counted

STAGE, GRAPH_STAGE = "stage", "Evidence graph"
AT_ONCE = 40
"""Notes that are read on the spot, in about a second; more are read beside the page (ours)."""


@navigation.page("ariadne", "AriadneMem", icon=":material/route:", order=120, group="Inside a method")
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("AriadneMem")
    st.caption(
        "How AriadneMem decides what to keep of a conversation, and joins what it finds for a question into one evidence graph."
    )
    _body(chosen)


def _body(chosen: Context) -> None:
    assert chosen.extraction is not None  # a case always has one
    opened = cached.open_case(chosen.store_path, chosen.case_key, chosen.extraction)
    question = next((each for each in opened.case.questions if each.id == chosen.question_id), None)
    config = _controls(chosen, question)
    if not _is_read(chosen, opened):
        return
    with opened.lock:
        construction = built(opened, config).construction
        run = run_of(opened, chosen.query, config)
        before = run_of(opened, chosen.query, DEFAULT)
        shown = Shown(opened, question, chosen.query, config, construction, run, before, chosen.note_id)
        _status(shown)
        has_note = chosen.note_id in opened.memory
        # The graph keeps its width: a drawing that moves to another place is drawn anew, and its zoom is lost.
        has_side = has_note or st.session_state.get(STAGE, st.query_params.get(STAGE)) == GRAPH_STAGE
        main, side = st.columns([2, 1], gap="medium") if has_side else (st.container(), None)
        with main:
            _tabs(chosen, shown)
        if side is not None:
            with side:
                if has_note:
                    _note(shown)
                else:
                    st.caption("Click an entry to read its note here.")


def _controls(chosen: Context, question: Question | None) -> AriadneConfig:
    text = question.text if question else ""
    st.session_state["ariadne-query"] = chosen.query
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Question", key="ariadne-query", on_change=_asked, args=(text,))
        on = ariadne_settings.switches()
        with st.popover("More", icon=":material/tune:", key="more-ariadne"):
            config = ariadne_settings.more(on)
    changed = ariadne_settings.changes(config)
    if chosen.typed or changed:
        with st.container(horizontal=True, vertical_alignment="center"):
            if chosen.typed:
                st.button("Back to the question", key="untype", icon=":material/undo:", on_click=context.select, kwargs={"q": ""})
                if question is not None:
                    st.caption("A typed query; gold is that of the chosen question.", width="content")
            if changed:
                st.caption(f":material/science: **What if:** {plain(', '.join(changed))}", width="content")
                st.button("Undo all", key="undo-all", icon=":material/undo:", type="tertiary", on_click=ariadne_settings.undo)
    return config


def _asked(question: str) -> None:
    text = st.session_state["ariadne-query"].strip()
    context.select(q="" if text == question else text)


def _is_read(chosen: Context, opened: OpenCase) -> bool:
    """Whether the case's turns are read; a small case is read now, for another one the page offers to."""
    store = str(chosen.store_path)
    show_job(store, work.describe_reading, work.READING)
    is_reading = work.is_reading(store)
    if is_reading and not opened.lock.acquire(timeout=0.05):
        return False  # it is this case that is read
    if not is_reading:
        opened.lock.acquire()
    try:
        waiting = unread(opened.memory, DEFAULT)
        if 0 < len(waiting) <= AT_ONCE and not is_reading:
            problem = work.read_now(chosen.store_path, opened, DEFAULT)
            if problem:
                st.caption(f"What was read is not stored, and will be read again next time: {plain(problem)}")
            return True
    finally:
        opened.lock.release()
    if waiting and not is_running(store):
        _offer_reading(chosen, opened, len(waiting))
    elif waiting and not is_reading:
        st.info("Another job is under way for this store; the turns can be read after it.", icon=":material/hourglass_empty:")
    return not waiting


def _offer_reading(chosen: Context, opened: OpenCase, count: int) -> None:
    st.info(
        f"AriadneMem has not read {counted(count, 'note')} of this case yet. That is done once and stored.",
        icon=":material/hourglass_empty:",
    )
    st.button(
        f"Read {counted(count, 'note')}",
        key="read-turns",
        type="primary",
        icon=":material/play_arrow:",
        on_click=work.start_reading,
        args=(chosen.store_path, opened, DEFAULT),
    )


def _status(shown: Shown) -> None:
    """Where gold stands, in one line."""
    if shown.run is None or not shown.gold:
        return
    hits = shown.run.ranking.hits
    first = next((hit for hit in hits if hit.note_id in shown.gold), None)
    kept = {row for node in shown.trace.budget.kept for row in shown.node(node).notes}
    inside = sum(shown.memory.notes[row].id in shown.gold for row in kept)
    where = f"first at rank {first.rank} of {len(hits)}" if first else f"not among the {len(hits)} ranked"
    st.caption(f"{GOLD_MARK} gold: {where}; {inside} of {counted(len(shown.gold), 'note')} in the evidence")


def _tabs(chosen: Context, shown: Shown) -> None:
    """Only the open tab is drawn."""
    with_default = built(shown.opened, DEFAULT).construction
    parts: dict[str, Callable[[], Any]] = {
        "Ingestion": lambda: ariadne_ingestion.show(shown, with_default),
        "State timeline": lambda: ariadne_timeline.show(shown),
        GRAPH_STAGE: _asking(shown, lambda: ariadne_query.show(shown)),
        "Bridges": _asking(shown, lambda: ariadne_bridges.show(shown)),
        "Paths and budget": _asking(shown, lambda: ariadne_paths.show(shown)),
        "Context": _asking(shown, lambda: ariadne_context.show(chosen, shown)),
        "Ranks": _asking(shown, lambda: ariadne_ranks.show(shown)),
    }
    tabs = st.tabs(list(parts), key=STAGE, on_change="rerun", bind="query-params")
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def _asking(shown: Shown, draw: Callable[[], None]) -> Callable[[], None]:
    """The tab of a question: where none can be worked out, why, and what to do."""

    def drawn() -> None:
        if shown.run is not None:
            draw()
        elif not shown.construction.nodes:
            st.info("No turn of this case gives an entry, so there is nothing to ask of.", icon=":material/inbox:")
        else:
            st.info("Type a question above, or choose one in the sidebar.", icon=":material/edit:")

    return drawn


def _note(shown: Shown) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Note**", width="content")
        st.space("stretch")
        st.button(
            "Close", key="close-note", icon=":material/close:", type="tertiary", on_click=context.select, kwargs={"note": ""}
        )
    words = matched_words(shown.query, shown.memory)
    show_note(shown.memory[shown.note_id], words, shown.question, shown.note_id in shown.gold, 620)
