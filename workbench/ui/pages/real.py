"""Page REAL: the facts of a case with their history, and how a question's evidence is searched among them, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import streamlit as st

from workbench.colours import GOLD_MARK
from workbench.methods.real import RealConfig
from workbench.real.case_facts import unread
from workbench.records import Question
from workbench.ui import (
    cached,
    context,
    navigation,
    real_beam,
    real_context,
    real_derivation,
    real_facts,
    real_graph,
    real_question,
    real_ranks,
    real_settings,
    real_timeline,
)
from workbench.ui import real_work as work
from workbench.ui.cached import OpenCase
from workbench.ui.context import Context
from workbench.ui.jobs import is_running, show_job
from workbench.ui.node_panel import plain
from workbench.ui.real_state import DEFAULT, Run, Shown, adopt_url, change, write_url
from workbench.words import counted

BESIDE = ("Question", "Beam steps", "Derivation", "Fact graph", "Ranks")
"""Tabs beside which the open note is drawn; the others have a place of their own for it."""


@navigation.page("real", "REAL", icon=":material/timeline:", order=130, group="Inside a method")
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("REAL")
    st.caption("How REAL keeps facts with their history, and searches them for a question in steps that can be followed.")
    _body(chosen)


def _body(chosen: Context) -> None:
    assert chosen.extraction is not None  # a case always has one
    opened = cached.open_case(chosen.store_path, chosen.case_key, chosen.extraction)
    question = next((each for each in opened.case.questions if each.id == chosen.question_id), None)
    adopt_url(chosen)
    top = st.container()
    with top:
        config = _controls(chosen, question)
    if not _is_read(chosen, opened):
        return
    with opened.lock:
        shown = Shown.of(chosen, opened, question, config)
        with top:
            _moment(shown)
        _tabs(chosen, shown)
    write_url()


def _controls(chosen: Context, question: Question | None) -> RealConfig:
    st.session_state["real-query"] = chosen.query
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Question", key="real-query", on_change=_asked, args=(question.text if question else "",))
        if chosen.typed:
            st.button("Back to the question", key="untype", icon=":material/undo:", on_click=context.select, kwargs={"q": ""})
        with st.popover("More", icon=":material/tune:", key="more-real"):
            numbers = real_settings.more()
    config = replace(numbers, **real_settings.switches())  # type: ignore[arg-type]
    if chosen.typed and question is not None:
        st.caption("A typed query; gold is that of the chosen question.")
    if changed := real_settings.changes(config):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f":material/science: **What if:** {plain(', '.join(changed))}", width="content")
            st.button("Undo all", key="undo-all", icon=":material/undo:", type="tertiary", on_click=real_settings.undo)
    return config


def _asked(question: str) -> None:
    text = st.session_state["real-query"].strip()
    context.select(q="" if text == question else text)


def _moment(shown: Shown) -> None:
    """The moment asked about, and where gold stands."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if shown.moment is not None:
            day = shown.moment.date()
            first = min((note.interaction.time.date() for note in shown.memory.notes if note.interaction.time), default=day)
            st.session_state["moment"] = day
            least, most = min(first, day) - timedelta(days=366), max(first, day) + timedelta(days=3660)
            st.date_input(
                "τ_q, the moment asked about",
                min_value=least,
                max_value=most,
                key="moment",
                on_change=_moved,
                format="YYYY-MM-DD",
                width=200,
                help="Facts count that hold at the end of this day. By default the day of asking, else of the last session.",
            )
            if shown.at_time is not None and (shown.question is None or shown.at_time != shown.question.time):
                st.button("As asked", key="as-asked", icon=":material/undo:", type="tertiary", on_click=change, kwargs={"at": ""})
        if shown.run is not None and shown.gold:
            st.caption(_gold(shown, shown.run), width="content")


def _moved() -> None:
    day: date | None = st.session_state["moment"]
    change(at=day.isoformat() if day else "")


def _gold(shown: Shown, run: Run) -> str:
    hits = run.ranking.hits
    first = next((hit for hit in hits if hit.note_id in shown.gold), None)
    where = f"first at rank {first.rank} of {len(hits):,}" if first else f"not among the {len(hits):,} ranked"
    inside = sum(fate == "evidence" for fate in shown.fates.values())
    return f"{GOLD_MARK} gold: {where}; {inside} of {counted(len(shown.gold), 'note')} in the evidence"


def _is_read(chosen: Context, opened: OpenCase) -> bool:
    """Whether the case's facts are read; a small case is read now, for another one the page offers to."""
    store = str(chosen.store_path)
    show_job(store, work.describe_reading, work.READING)
    is_reading = work.is_reading(store)
    if is_reading and not opened.lock.acquire(timeout=0.05):
        return False  # it is this case that is read
    if not is_reading:
        opened.lock.acquire()
    try:
        waiting = unread(opened.memory, DEFAULT)
        if 0 < len(waiting) <= work.SMALL and not is_reading:
            if problem := work.read_now(chosen.store_path, opened, DEFAULT):
                st.caption(f"What was read is not stored, and will be read again next time: {plain(problem)}")
            return True
    finally:
        opened.lock.release()
    if waiting and not is_reading:
        _offer_reading(chosen, opened, len(waiting))
    return not waiting


def _offer_reading(chosen: Context, opened: OpenCase, count: int) -> None:
    if is_running(str(chosen.store_path)):
        st.info("Another job is under way for this store; the facts can be read after it.", icon=":material/hourglass_empty:")
        return
    st.info(
        f"The facts of {counted(count, 'note')} of this case have not been read yet. That is done once and stored.",
        icon=":material/hourglass_empty:",
    )
    st.button(
        f"Read {counted(count, 'note')}",
        key="read-facts",
        type="primary",
        icon=":material/play_arrow:",
        on_click=work.start_reading,
        args=(chosen.store_path, opened, DEFAULT),
    )


def _tabs(chosen: Context, shown: Shown) -> None:
    """Only the open tab is drawn."""
    parts: dict[str, Callable[[], Any]] = {
        "Facts": lambda: real_facts.show(shown),
        "Fact timeline": lambda: real_timeline.show(shown),
        "Question": _asking(shown, real_question.show),
        "Beam steps": _asking(shown, real_beam.show),
        "Derivation": _asking(shown, real_derivation.show),
        "Fact graph": _asking(shown, real_graph.show),
        "Ranks": _asking(shown, real_ranks.show),
        "Context": _asking(shown, lambda shown, _: real_context.show(chosen, shown)),
    }
    tabs = st.tabs(list(parts), key="view", on_change="rerun", bind="query-params")
    for tab, (name, draw) in zip(tabs, parts.items(), strict=True):
        if tab.open:
            with tab:
                _beside_note(shown, draw) if name in BESIDE and shown.note_id in shown.memory else draw()


def _asking(shown: Shown, draw: Callable[[Shown, Run], None]) -> Callable[[], None]:
    """The tab of a question: where there is none, or no facts, why, and what to do."""

    def drawn() -> None:
        if shown.run is not None and shown.facts:
            draw(shown, shown.run)
        elif not shown.facts:
            st.info("No note of this case states a fact that was found, so there is nothing to search.", icon=":material/inbox:")
        else:
            st.info("Type a question above, or choose one in the sidebar.", icon=":material/edit:")

    return drawn


def _beside_note(shown: Shown, draw: Callable[[], None]) -> None:
    main, side = st.columns([2, 1], gap="medium")
    with main:
        draw()
    with side:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**Note**", width="content")
            st.space("stretch")
            close = {"icon": ":material/close:", "type": "tertiary"}
            st.button("Close", key="close-note", on_click=context.select, kwargs={"note": ""}, **close)  # type: ignore[arg-type]
        real_facts.show_note_facts(shown, shown.memory[shown.note_id])
