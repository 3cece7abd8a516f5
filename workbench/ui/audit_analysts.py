"""The tabs about what analysts said: how far two of them agree, and what a run measures without gold that is contested."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench.diagnose.report import with_interval
from workbench.labels.agreement import Agreement, agreement
from workbench.labels.contested import ContestedRow, contested_questions, patch_lines, with_and_without
from workbench.store import Label, RunRow, open_store
from workbench.ui import access
from workbench.ui import evaluate_cells as cells
from workbench.ui import evaluate_results as results
from workbench.ui.audit_queue import select
from workbench.ui.audit_work import Kept
from workbench.ui.cached import WAIT_SECONDS
from workbench.ui.context import Context
from workbench.ui.evaluate_view import run_words, selected
from workbench.ui.node_panel import plain
from workbench.words import counted, visible

Texts = Mapping[tuple[str, str], str]
"""Question texts by (case, question)."""


# --- agreement --------------------------------------------------------------------------------------------------------------


def show_agreement(chosen: Context, kept: Kept, labels: Sequence[Label], texts: Texts) -> None:
    """Draw Cohen's kappa of two analysts and the places on which they disagree."""
    analysts = sorted({label.analyst for label in labels})
    if len(analysts) < 2:
        way = "let another analyst sign in and label" if access.rules() else "name yourself above and label, or import labels"
        st.info(
            f"{counted(len(analysts), 'analyst')} labelled these cases; agreement takes two: {way}.",
            icon=":material/group:",
        )
        return
    with st.container(horizontal=True):
        first = st.selectbox("Analyst", analysts, key="first-analyst", format_func=visible, width=220) or analysts[0]
        others = [name for name in analysts if name != first]
        second = st.selectbox("Compared with", others, key="second-analyst", format_func=visible, width=220) or others[0]
    found = agreement(labels, first, second)
    st.markdown(f"Cohen's kappa **{with_interval(found.kappa, found.interval)}**")
    st.caption(_counts(found))
    if found.kappa is None and found.places:
        st.caption("Kappa is not defined where both gave one and the same cause to everything.")
    if found.disagreements:
        _disagreements(chosen, kept, found, texts)


def _counts(found: Agreement) -> str:
    return plain(
        f"They agree on {found.agreed:,} of {counted(found.places, 'place')} that both labelled; {found.only_first:,} only "
        f"{found.first} did, {found.only_second:,} only {found.second}. 95% interval by bootstrap over places."
    )


def _disagreements(chosen: Context, kept: Kept, found: Agreement, texts: Texts) -> None:
    rows = [
        {
            "Question": texts.get((one.case, one.question), one.question),
            "Gold note": one.note or "the whole question",
            found.first: one.label,
            found.second: other.label,
            "Comments": " / ".join(filter(None, (one.comment, other.comment))),
        }
        for one, other in found.disagreements
    ]
    st.markdown(f"**{counted(len(rows), 'disagreement')}**")
    st.caption("A click looks at the miss under Queue.")
    keys = [(one.case, one.question, one.note) for one, _ in found.disagreements]
    key = cells.stable_key("disagreements", [found.first, found.second, *keys])
    st.dataframe(
        cells.frame(rows),
        key=key,
        hide_index=True,
        height=cells.HEAD + cells.ROW * min(len(rows), 12),
        on_select=lambda: _look(chosen, kept, keys[at] if (at := selected(key)) is not None else None),
        selection_mode=["single-row", "single-cell"],
        column_config={"Question": st.column_config.TextColumn(width=360)},
    )


def _look(chosen: Context, kept: Kept, key: tuple[str, str, str] | None) -> None:
    if key in kept.by_key:
        select(chosen, kept, kept.misses[kept.by_key[key]])


# --- contested gold ---------------------------------------------------------------------------------------------------------


def show_contested(chosen: Context, kept: Kept, labels: Sequence[Label], runs: Sequence[RunRow], texts: Texts) -> None:
    """Draw the questions whose gold is contested, the patch file, and a run's measures with and without them."""
    contested = contested_questions(labels)
    if not contested:
        st.info(
            "No gold is contested. Where the named evidence does not answer a question, say why in the field *Gold contested "
            "because* of the miss, and every measure is shown with and without that question.",
            icon=":material/rule:",
        )
        return
    _questions(contested, texts)
    st.download_button(
        f"Patch file ({counted(sum(map(len, contested.values())), 'record')})",
        lambda: _patch(chosen, labels),
        file_name=f"{'-'.join(kept.request.benchmarks)}-contested.jsonl",
        mime="application/jsonl",
        key="patch",
        icon=":material/download:",
        help="JSON lines for those who keep the benchmark: question, gold as stored, reason, proposed change, analyst, time.",
        on_click="ignore",
    )
    if not runs:
        st.info("No run yet: evaluate this benchmark on the page Evaluate, and its measures stand here.", icon=":material/info:")
        return
    words = {row.id: run_words(row) for row in runs}
    run_id = st.selectbox("Measures of the run", list(words), key="contested-run", format_func=words.__getitem__, width=420)
    rows = with_and_without(results.run(chosen.store_path, run_id or runs[0].id), labels)
    names = list(dict.fromkeys(row.measure for row in rows))
    wanted = st.multiselect("Measures", names, key="contested-measures", placeholder=f"all {len(names)}", format_func=visible)
    _measures([row for row in rows if not wanted or row.measure in wanted])


def _questions(contested: Mapping[tuple[str, str], Sequence[Label]], texts: Texts) -> None:
    rows = [
        {
            "Question": texts.get(key, key[1]),
            "Case": key[0],
            "Analyst": label.analyst,
            "Contested because": label.contested,
            "Proposed change": label.comment,
        }
        for key, labels in contested.items()
        for label in labels
    ]
    st.markdown(f"The gold of **{counted(len(contested), 'question')}** is contested.")
    shape = {"Question": st.column_config.TextColumn(width=320)}
    cells.table(rows, cells.stable_key("contested", [*contested, len(rows)]), shape, tallest=8)


def _patch(chosen: Context, labels: Sequence[Label]) -> str:
    with open_store(chosen.store_path, read_only=True, wait_seconds=WAIT_SECONDS) as store:
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in patch_lines(store, labels))


def _measures(found: Sequence[ContestedRow]) -> None:
    rows: list[dict[str, Any]] = [
        {
            "Method": row.method,
            "Measure": row.measure,
            "All questions": cells.estimate(row.all),
            "n": row.all.n,
            "Uncontested": cells.estimate(row.uncontested),
            "n uncontested": row.uncontested.n,
            "Change": None if row.all.mean is None or row.uncontested.mean is None else row.uncontested.mean - row.all.mean,
        }
        for row in found
    ]
    shape = {"Change": st.column_config.NumberColumn(format="%+.3f")}
    cells.table(rows, cells.stable_key("with-and-without", [(row.method, row.measure) for row in found]), shape, tallest=14)
