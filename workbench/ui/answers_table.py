"""Answer accuracy beside retrieval by method, as TAGGRAPH's table F.2 has it, with tests and what failed."""

from __future__ import annotations

from typing import Any

import streamlit as st

from workbench.answer.printing import TESTED
from workbench.answer.report import WORDS, AnswerReport
from workbench.answer.scored import ABSTAINS_WRONGLY, MEASURES
from workbench.ui import evaluate_cells as cells
from workbench.ui.node_panel import plain
from workbench.words import counted, visible


def show(found: AnswerReport) -> None:
    """Draw the table, failures, and the folded tests."""
    rows, css = [], []
    for line in found.lines:
        estimates = {WORDS[name]: line.estimates[name] for name in found.columns}
        row: dict[str, Any] = {"Method": line.method, "asked": line.asked, "failed": sum(line.failures.values())}
        row |= {name: cells.estimate(each, line.asked) for name, each in estimates.items()}
        row |= {"tokens": None if line.tokens_in is None else line.tokens_in + (line.tokens_out or 0)}
        rows.append(row | {"s an answer": f"{line.seconds / line.asked:.1f}"})
        css.append({name: cells.heat(each.mean) for name, each in estimates.items() if name != WORDS[ABSTAINS_WRONGLY]})
    cells.styled(rows, css, cells.stable_key("answers-f2", [found.run, found.model, found.version]))
    st.caption("Means with 95% intervals; a count in brackets is a score's own n. A failure counts in no score.")
    for line in found.lines:
        for reason, count in line.failures.items():
            st.text(visible(f"{line.method}: {counted(count, 'question')} without an answer: {reason}"))
    if found.judges:
        own = ", the model that answered" if found.model in found.judges else ""
        st.caption(f"Judged by a language model ({plain(', '.join(found.judges))}{own}): an opinion beside the scores.")
    with st.container(horizontal=True):
        with st.popover("What the scores say", icon=":material/help:"):
            for name in found.columns:
                if name in MEASURES:
                    st.markdown(f"**{plain(WORDS[name])}**: {plain(MEASURES[name])}")
        if found.pairs:
            with st.popover("Paired tests", icon=":material/compare_arrows:"):
                _tests(found)


def _tests(found: AnswerReport) -> None:
    rows = [
        {
            "Score": WORDS[name],
            "First": pair.first,
            "Second": pair.second,
            "n": pair.test.n,
            "Difference [95%]": cells.difference(pair.test),
            "p": cells.p_value(pair.test.p),
            "p (Holm)": cells.p_value(pair.p_holm),
        }
        for name in TESTED
        for pair in found.pairs.get(name, ())
    ]
    st.caption("First less second over questions that both answered; a sign-flip test, corrected by Holm within a score.")
    cells.table(rows, cells.stable_key("answers-tests", [found.run, found.model, found.version]))
