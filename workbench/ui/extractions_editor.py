"""The tab Ontology editor: near-duplicate tags of an extraction, chosen pairs merged into a named variant."""

from __future__ import annotations

import streamlit as st

from workbench.diagnose.merging import NearPair, plan, preview
from workbench.ui import evaluate_cells as cells
from workbench.ui.context import Context
from workbench.ui.extractions_variant import ask_base, ask_name
from workbench.ui.extractions_work import Kept
from workbench.words import counted, visible

SHOWN = 500
"""Pairs that the editor lists; the command merge-tags takes any (ours)."""


def show(chosen: Context, kept: Kept) -> None:
    """Draw the tab."""
    base = ask_base(kept, "editor-base")
    found = kept.found.near[base]
    if not found:
        st.info("No two tags of a case nearly say the same.", icon=":material/check:")
        return
    st.caption(
        f"{counted(len(found), 'pair')} of tags that nearly say the same within a case, those of most cases first"
        + (f"; the first {SHOWN:,} are listed" if len(found) > SHOWN else "")
        + ". Of merged tags the one is kept that most notes carry. A merge holds in every case."
    )
    picked = _pick(kept, base, found[:SHOWN])
    if not picked:
        st.caption("Tick the pairs to merge.")
        return
    merging = plan([(pair.kept, pair.dropped) for pair in picked], kept.found.uses[base])
    shown = preview(merging, kept.found.uses[base])
    rows = [{"Dropped": each.dropped, "Kept": each.kept, "Notes that change": each.notes} for each in shown.merges]
    st.markdown("**What it would do**")
    cells.table(rows, cells.stable_key("plan", [base, *merging.merges]), tallest=8)
    st.caption(f"Distinct tags over all cases: {shown.distinct_before:,} before, {shown.distinct_after:,} after.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ask_name(chosen, kept, base, merging, f"Merge {counted(len(shown.merges), 'tag')}", True)


def _pick(kept: Kept, base: str, found: tuple[NearPair, ...]) -> list[NearPair]:
    is_all = st.checkbox("Tick all", key=f"editor-all-{base}")
    rows = [
        {
            "Merge": is_all,
            "Kept": visible(pair.kept),
            "Notes": pair.uses_kept,
            "Dropped": visible(pair.dropped),
            "Its notes": pair.uses_dropped,
            "Likeness": pair.score,
            "Why": pair.reason,
            "Cases": pair.cases,
        }
        for pair in found
    ]
    frame = cells.frame(rows)
    edited = st.data_editor(
        frame,
        key=cells.stable_key("editor", [repr(kept.request), base, is_all]),
        hide_index=True,
        height=cells.HEAD + cells.ROW * min(len(rows), 10),
        disabled=[name for name in rows[0] if name != "Merge"],
        column_config={
            "Likeness": st.column_config.NumberColumn(format="%.1f", help="0 to 100; 100 where they have the same words."),
            "Cases": st.column_config.NumberColumn(help="Cases that hold both tags."),
        },
    )
    return [pair for pair, is_ticked in zip(found, edited["Merge"], strict=True) if is_ticked]
