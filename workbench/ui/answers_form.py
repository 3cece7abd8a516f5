"""What is asked of a model: the form of the page Answers, and what to set where none is configured."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.answer.prompt import AnswerConfig
from workbench.chat.base import Endpoint
from workbench.evaluate.runs import MethodSpec
from workbench.store import RunRow
from workbench.ui import answers_work as work
from workbench.ui import cached
from workbench.ui.context import Context
from workbench.ui.evaluate_jobs import cases_of, extraction_of, require_free
from workbench.ui.evaluate_view import run_words
from workbench.words import counted, visible

_SIDEBAR = ""
"""Choice of the sidebar's methods instead of a stored run."""
FIRST = 20
"""Questions that the form proposes, so that a first try is soon done (ours)."""


def show(chosen: Context) -> None:
    """Draw the form, or what has to be set first."""
    if lacking := work.lacking():
        _configure(lacking, chosen)
        return
    endpoint = Endpoint()
    st.text(visible(f"{endpoint.model} at {endpoint.url}"))
    runs = {row.id: row for row in cached.runs(chosen.store_path, chosen.benchmark)}
    words = {_SIDEBAR: f"the sidebar's: {', '.join(chosen.registered_methods)}"} | {id_: run_words(r) for id_, r in runs.items()}
    run = str(st.selectbox("Methods", list(words), format_func=words.__getitem__, key="answers-source"))
    arms = _arms(runs[run]) if run else list(chosen.registered_methods)
    keys = cases_of(chosen)
    with st.container(horizontal=True):
        k = int(st.number_input("Notes shown", 1, 100, AnswerConfig().k, key="answers-k", help="The first of each ranking."))
        every = sum(row.questions for row in cached.cases(chosen.store_path, chosen.benchmark) if row.key in set(keys))
        most = int(
            st.number_input(
                "Questions",
                1,
                max(every, 1),
                min(FIRST, max(every, 1)),
                key="answers-limit",
                help=f"Drawn evenly from {every:,}; a larger number goes on from a smaller one.",
            )
        )
    is_judged = st.checkbox("Have the model judge its answers too", key="answers-judge", help="An opinion beside the scores.")
    limit = None if most >= every else most
    request = work.Request(chosen.store_path, AnswerConfig(k), limit, is_judged, run, tuple(arms) if run else ())
    if not run:
        specs = tuple(MethodSpec(name) for name in arms)
        request = work.Request(
            chosen.store_path, AnswerConfig(k), limit, is_judged, "", (), specs, tuple(keys), extraction_of(chosen)
        )
    busy = require_free(chosen.store_path)
    st.button(
        f"Answer {counted(most, 'question')} with {counted(len(arms), 'method')}",
        key="answers-start",
        type="primary",
        icon=":material/play_arrow:",
        disabled=bool(busy or not arms),
        help=busy,
        on_click=work.start,
        args=(request,),
    )


def _arms(row: RunRow) -> list[str]:
    """The arms of a run whose notes are shown; those that rank sessions have none."""
    able = [arm for arm in row.methods if row.config.get(arm, {}).get("unit") != "session"]
    if not able:
        st.text("This run ranks sessions: there are no notes to answer from.")
        return []
    return [str(arm) for arm in st.multiselect("Arms", able, default=able, key=f"answers-arms-{row.id}")]


def _configure(lacking: Sequence[str], chosen: Context) -> None:
    """How to name a model; answers that are stored can be read without one."""
    st.markdown("No language model is configured. Start the app with these variables set, for any OpenAI-compatible service:")
    examples = {"WORKBENCH_LLM_URL": "http://127.0.0.1:11434/v1", "WORKBENCH_LLM_MODEL": "the model's name"}
    st.code("\n".join(f'export {name}="{examples[name]}"' for name in lacking), language=None)
    st.markdown("Or ask on the command line:")
    st.code(
        f"workbench answer --benchmark {chosen.benchmark} --methods {','.join(chosen.registered_methods)} --limit {FIRST} "
        f"--store {chosen.store_path}",
        language=None,
        wrap_lines=True,
    )
