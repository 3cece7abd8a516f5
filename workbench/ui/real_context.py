"""The evidence as text for a model, and the one call that answers from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from workbench.real.answering import answer_prompt
from workbench.real.beam import Search
from workbench.real.serialise import context as lines_of
from workbench.ui import real_work as work
from workbench.ui.answers_work import lacking
from workbench.ui.context import Context
from workbench.ui.jobs import is_running, show_job
from workbench.ui.real_state import Shown, run_of
from workbench.ui.real_work import WasAnswered
from workbench.words import counted, visible

ANSWER_WIDTH = 5
"""Beam width for the context of an answer (the check's R6)."""


def show(chosen: Context, shown: Shown) -> None:
    """Draw the tab; the caller holds the case's lock."""
    narrow = st.toggle(
        f"As for an answer: beam width {ANSWER_WIDTH}",
        True,
        key="narrow",
        bind="query-params",
        help="A ranking takes more paths than a model needs.",
    )
    config = replace(shown.config, beam_width=ANSWER_WIDTH, evidence=ANSWER_WIDTH) if narrow else shown.config
    run = run_of(shown.opened, shown.query, config, shown.at_time)
    assert run is not None  # the page has a question
    found = run.searched.found
    text = "\n".join(lines_of(found))
    if not text:
        st.info("No evidence was found, so there is nothing to say to a model.", icon=":material/notes:")
        return
    stored = {edge for each in found.evidence for edge in each.path.edges if not edge.rule}
    st.markdown(f"**As a model reads it**: {counted(len(found.evidence), 'path')}, then {counted(len(stored), 'fact')} by time")
    st.code(visible(text), language=None, wrap_lines=True, height=380 if len(text) > 1200 else "content")
    _answer(chosen, shown, found)


def _answer(chosen: Context, shown: Shown, found: Search) -> None:
    if missing := lacking():
        st.caption(f"To let a model answer from this, set {' and '.join(missing)} in the environment and start the app again.")
        return
    store = str(chosen.store_path)
    question_id = "typed" if chosen.typed else chosen.question_id
    st.button(
        "Let the model answer from this",
        key="ask-real",
        icon=":material/smart_toy:",
        disabled=is_running(store),
        on_click=work.start_asking,
        args=(chosen.store_path, chosen.case_key, question_id, found),
    )
    digest = answer_prompt(chosen.case_key, question_id, found).digest
    show_job(store, lambda result: _describe(result, shown, digest), work.ASKING)


def _describe(result: Any, shown: Shown, digest: str) -> None:
    if not isinstance(result, WasAnswered):
        return
    if result.digest != digest:
        st.caption("This answered another question, or other evidence.")
    if result.asked.value is None:
        st.text(visible(f"No answer: {result.asked.reply.failure}"))
        return
    st.text(visible(result.asked.value))
    if shown.question and shown.question.answer:
        st.caption("The benchmark's answer")
        st.text(visible(shown.question.answer))
