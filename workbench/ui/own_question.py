"""Save what is asked as a question of one's own: a popover on the pages where a query is typed and its hits are looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.own_questions import GRADES, QuestionKey, add_question
from workbench.records import Question
from workbench.store import open_store
from workbench.ui import cached, context, diagnose_gold
from workbench.ui.cached import OpenCase, Stamp, stamp
from workbench.ui.context import Context
from workbench.ui.node_panel import plain
from workbench.ui.note_view import short_title
from workbench.words import visible

_SAVED, _PROBLEM = "own-question-saved", "own-question-problem"
DEFAULT_SET = "own"
GRADE_WORDS = {1: "partly", 2: "well", 3: "perfectly"}


def popover(chosen: Context, opened: OpenCase, question: Question | None) -> None:
    """Draw the popover where a text was typed; nothing else can be saved. ``question`` is the one it was typed over."""
    if not chosen.typed:
        _saved()
        return
    with st.popover("Save as question", icon=":material/bookmark_add:", key="own-question"), opened.lock:
        st.text(visible(chosen.typed))
        diagnose_gold.choose_marks(chosen, opened, question, "own-question")
        marked = diagnose_gold.marks(chosen, opened.memory)
        is_graded = st.toggle("Graded: some answer better than others", key="own-graded")
        if is_graded:
            for note_id in marked:
                st.segmented_control(
                    plain(short_title(opened.memory[note_id])),
                    GRADES,
                    default=GRADES[-1],
                    format_func=GRADE_WORDS.__getitem__,
                    key=f"grade-{note_id}",
                    required=True,
                )
        sets = _sets(str(chosen.store_path), stamp(chosen.store_path))
        st.selectbox(
            "Set",
            sets or [DEFAULT_SET],
            key="own-set",
            accept_new_options=True,
            help="A benchmark of your own: choose one or type a new name. The case is copied into it; nothing loaded changes.",
        )
        st.text_input("Expected answer", key="own-answer", placeholder="optional")
        st.button(
            "Save",
            key="save-own-question",
            type="primary",
            disabled=not marked,
            help=None if marked else "Mark at least one note that answers.",
            on_click=_save,
            args=(chosen, marked, is_graded),
        )
        if problem := st.session_state.pop(_PROBLEM, ""):
            st.text(f"Not saved: {problem}")


@st.cache_data(max_entries=8, show_spinner=False)
def _sets(path: str, state: Stamp) -> list[str]:
    with open_store(path, read_only=True, wait_seconds=cached.WAIT_SECONDS) as store:
        return list(store.own_questions.sets())


def _save(chosen: Context, marked: Sequence[str], is_graded: bool) -> None:
    state = st.session_state
    gold: Sequence[str] | Mapping[str, int] = marked
    if is_graded:
        gold = {note_id: state[f"grade-{note_id}"] for note_id in marked}
    try:
        with open_store(chosen.store_path, wait_seconds=cached.WAIT_SECONDS) as store:
            answer = state["own-answer"].strip() or None
            key = add_question(store, chosen.case_key, state["own-set"] or DEFAULT_SET, chosen.typed, gold, answer=answer)
    except (WorkbenchError, KeyError) as error:
        state[_PROBLEM] = str(error.args[0])
        return
    state[_SAVED] = key
    context.select(case=key.case, question=key.question)


def _saved() -> None:
    """Right after saving: the question is now the chosen one."""
    key: QuestionKey | None = st.session_state.pop(_SAVED, None)
    if key is not None:
        st.toast(f"Saved as question {plain(key.question)} of {plain(key.case)}", icon=":material/bookmark_added:")
