"""To the next and the previous question: among those that the filter of the page Cases left, by button or by key."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.ui import cached, context
from workbench.ui.context import Context

_QUEUE = "question-queue"
QuestionKey = tuple[str, str]
"""(case key, question id)."""


def keep(chosen: Context, questions: Sequence[QuestionKey], is_filtered: bool) -> None:
    """Remember which questions a filter left, in their order; until then all of the benchmark are stepped through."""
    st.session_state[_QUEUE] = (chosen.store_path, chosen.benchmark, tuple(questions) if is_filtered else None)


def _queue(chosen: Context) -> tuple[Sequence[QuestionKey], bool]:
    path, benchmark, kept = st.session_state.get(_QUEUE, (None, None, None))
    if (path, benchmark) == (chosen.store_path, chosen.benchmark) and kept:
        return kept, True
    return [(row.case, row.id) for row in cached.question_table(chosen.store_path, chosen.benchmark, None, None)], False


def show(chosen: Context) -> None:
    """Draw the place of the chosen question and the two steps. From outside the filter, Next leads to its first question."""
    questions, is_filtered = _queue(chosen)
    here = (chosen.case_key, chosen.question_id)
    at = questions.index(here) if here in questions else -1
    if len(questions) < 2 and at == 0:
        return
    place = f"question {at + 1:,} of {len(questions):,}" if at >= 0 else f"not among the {len(questions):,} questions"
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="question-steps"):
        _step("Previous", "k", questions[at - 1] if at > 0 else None)
        st.caption(place + (" in the filter" if is_filtered else ""), width="content")
        _step("Next", "j", questions[at + 1] if at + 1 < len(questions) else None)


def _step(label: str, shortcut: str, to: QuestionKey | None) -> None:
    case_key, question_id = to or ("", "")
    choice = {"case": case_key, "question": question_id, "q": ""}
    st.button(
        label,
        key=f"step-{label.lower()}",
        shortcut=shortcut,
        type="tertiary",
        disabled=to is None,
        on_click=context.select,
        kwargs=choice,
    )
