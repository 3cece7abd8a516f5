"""The evidence as text for a model, fact by fact, and the one call that answers from it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from workbench.colours import GOLD_MARK
from workbench.ui import ariadne_work as work
from workbench.ui.answers_work import lacking
from workbench.ui.ariadne_state import Shown
from workbench.ui.ariadne_work import WasAnswered
from workbench.ui.context import Context
from workbench.ui.jobs import is_running, show_job
from workbench.ui.note_table import note_table
from workbench.words import counted, visible


def show(chosen: Context, shown: Shown) -> None:
    """Draw the tab."""
    found = shown.trace.context
    if not found.facts:
        st.info("Nothing was retrieved, so there is nothing to say to a model.", icon=":material/notes:")
        return
    st.markdown(
        f"**{counted(len(found.facts), 'fact')}** in the order of time, {counted(len(shown.trace.updates), 'update')} · "
        f"about {found.tokens:,} tokens at four characters each"
    )
    newer = {link.older: link for link in shown.trace.updates}
    label = {node: name for name, node in found.facts.items()}
    rows = [
        {
            "Fact": name,
            "Mark": f"{GOLD_MARK} gold" if shown.is_gold_node(node) else "",
            "Text": visible(shown.node(node).entry.restatement),
            "Updated by": f"{label[newer[node].newer]}: {visible(', '.join(newer[node].new))}" if node in newer else "",
            "Turn": visible(", ".join(shown.node(node).refs)),
        }
        for name, node in found.facts.items()
    ]
    columns = {"Fact": st.column_config.TextColumn(width=46), "Mark": st.column_config.TextColumn(width=66)}
    notes = [shown.note_of(node) for node in found.facts.values()]
    note_table(rows, notes, "ariadne-facts", "The facts of the context", columns=columns)
    st.markdown("**As a model reads it**")
    st.code(visible(found.text), language=None, wrap_lines=True, height=300 if len(found.text) > 700 else "content")
    _answer(chosen, shown)


def _answer(chosen: Context, shown: Shown) -> None:
    missing = lacking()
    if missing:
        st.caption(f"To let a model answer from this, set {' and '.join(missing)} in the environment and start the app again.")
        return
    store = str(chosen.store_path)
    st.button(
        "Let the model answer from this",
        key="ask-model",
        icon=":material/smart_toy:",
        disabled=is_running(store),
        on_click=work.start_asking,
        args=(chosen.store_path, chosen.case_key, "" if chosen.typed else chosen.question_id, shown.trace),
    )
    show_job(store, lambda result: _describe(result, shown), work.ASKING)


def _describe(result: Any, shown: Shown) -> None:
    if not isinstance(result, WasAnswered):
        return
    if (result.case_key, result.query) != (shown.opened.case.key, shown.query):
        st.caption("The last answer was to another question:")
        st.text(visible(result.query))
    if result.synthesis is None:
        st.text("The model gave no answer; the failure is recorded.")
        return
    if result.synthesis.is_raw:
        st.caption("The model kept to no form; this is all it said:")
    st.text(visible(result.synthesis.answer))
    if result.synthesis.reasoning:
        st.caption("because")
        st.text(visible(result.synthesis.reasoning))
    if shown.question and shown.question.answer:
        st.caption("The benchmark's answer")
        st.text(visible(shown.question.answer))
