"""Answers: what a language model answers from each method's first notes, and how right that is."""

from __future__ import annotations

from typing import Any

import streamlit as st

from workbench.answer.records import AnswerSet
from workbench.ui import answers_form, answers_question, answers_table, context, navigation
from workbench.ui import answers_work as work
from workbench.ui.answers_work import Answered
from workbench.ui.context import Context
from workbench.ui.jobs import show_job
from workbench.words import counted, visible

_CHOICE = "answers-set"


@navigation.page("answers", "Answers", icon=":material/forum:", order=62)
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("Answers")
    st.caption("What a language model answers from each method's first notes, and how right it is, beside retrieval itself.")
    _body(chosen)


def _body(chosen: Context) -> None:
    known = work.sets(chosen.store_path, chosen.benchmark)
    if not known:
        st.info("No answers are stored for this benchmark yet.", icon=":material/forum:")
        show_job(str(chosen.store_path), _describe, work.PLACE)
        with st.container(border=True, key="ask-first"):
            answers_form.show(chosen)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = _choose(known)
        with st.popover("New answers", icon=":material/play_arrow:", key="new-answers"):
            answers_form.show(chosen)
    show_job(str(chosen.store_path), _describe, work.PLACE)
    stored = work.stored(chosen.store_path, picked)
    answers_table.show(stored.report)
    st.markdown("**Questions**")
    answers_question.show_list(chosen, stored)
    answers_question.show(chosen, stored)


def _choose(known: list[AnswerSet]) -> AnswerSet:
    """Which set of answers is shown: the newest, or the one chosen; the URL names it."""
    by_name = {f"{each.run}:{each.model}:{each.version}": each for each in known}
    if st.session_state.get(_CHOICE) not in (None, *by_name):
        del st.session_state[_CHOICE]  # of another benchmark, or removed
    words = {name: _words(each) for name, each in by_name.items()}
    picked = st.selectbox("Answers", list(by_name), format_func=words.__getitem__, key=_CHOICE, bind="query-params", width=520)
    return by_name[str(picked)] if picked in by_name else known[0]


def _words(each: AnswerSet) -> str:
    parts = (f"{each.created:%Y-%m-%d %H:%M}", each.model, counted(each.questions, "question"), ", ".join(each.methods))
    return visible(" · ".join((*parts, f"as {each.version}")))


def _describe(result: Any) -> None:
    """What a finished job came to."""
    if isinstance(result, Answered):
        failed = f", {result.failed:,} failed" if result.failed else ""
        st.markdown(
            f"{counted(result.answers, 'answer')} to {counted(result.questions, 'question')}{failed}; "
            f"{counted(result.tokens, 'token')} spent now."
        )
