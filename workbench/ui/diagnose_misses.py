"""The next miss: among the benchmark's questions, the next one for which the newest run has a miss of a chosen method."""

from __future__ import annotations

import streamlit as st

from workbench.ui import cached, context, hit_cells, navigation
from workbench.ui.context import Context
from workbench.ui.question_steps import QuestionKey
from workbench.words import counted


def misses(chosen: Context, k: int) -> tuple[list[QuestionKey], list[QuestionKey]] | None:
    """All questions of the benchmark in their order, and those missed; None where no evaluation holds a chosen method.

    A question is missed where a method has no gold item among the first k, in the unit that the benchmark is judged by.
    """
    runs = [run for run in cached.runs(chosen.store_path, chosen.benchmark) if run.kind == "evaluation"]
    names = set(chosen.methods)
    run = next((run for run in runs if names & set(run.methods)), None)
    if run is None:
        return None
    ranks = hit_cells.ranks(cached.cells(chosen.store_path, "mrr", run.id))
    every = [(row.case, row.id) for row in cached.question_table(chosen.store_path, chosen.benchmark, None, None)]
    missed = [
        key for key in every if any(not hit_cells.is_hit(rank, k) for name, rank in ranks.get(key, {}).items() if name in names)
    ]
    return every, missed


def show(chosen: Context, k: int) -> None:
    """Draw the button that leads to the next miss, from the last on to the first, with how many there are."""
    found = misses(chosen, k)
    if found is None:
        st.caption("Which question is the next miss, an evaluation tells:", width="content")
        navigation.link("cases", "Evaluate on Cases")
        return
    every, missed = found
    here = (chosen.case_key, chosen.question_id)
    at = every.index(here) if here in every else -1
    order = {key: place for place, key in enumerate(every)}
    after = [key for key in missed if order[key] > at] + [key for key in missed if order[key] < at]
    case_key, question_id = after[0] if after else ("", "")
    st.caption(f"{counted(len(missed), 'missed question')} of {len(every):,} in the newest run", width="content")
    st.button(
        "Next miss",
        key="next-miss",
        icon=":material/skip_next:",
        shortcut="n",
        disabled=not after,
        on_click=context.select,
        kwargs={"case": case_key, "question": question_id, "q": ""},
    )
