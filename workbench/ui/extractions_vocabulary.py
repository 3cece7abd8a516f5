"""The tab Vocabulary: how many tags, how often reused, how they grow, and how many nearly say the same."""

from __future__ import annotations

import streamlit as st

from workbench.compare_extractions.figures import growth_figure
from workbench.evaluate.estimates import Estimate
from workbench.records import CATEGORIES
from workbench.ui import evaluate_cells as cells
from workbench.ui.extractions_work import Kept
from workbench.ui.node_panel import plain


def show(kept: Kept) -> None:
    """Draw the tab."""
    rows = kept.found.vocabulary
    key = repr(kept.request)
    st.caption("Means over cases with their 95% intervals. A smaller vocabulary that is reused more is one that converges.")
    text = st.column_config.TextColumn
    table = [
        {
            "Extraction": row.extraction,
            "Cases": row.cases,
            "Distinct a case": decimal(row.distinct, 1),
            "Tags a note": decimal(row.tags_per_note, 2),
            "Notes a tag": decimal(row.reuse, 2),
            "On one note": share(row.single_note_share),
            "Near-duplicates": decimal(row.near_by_spelling, 1),
            **({"By meaning": decimal(row.near_by_meaning, 1)} if row.near_by_meaning is not None else {}),
            "Untagged": f"{row.untagged:,} of {row.notes:,}",
            "Failed": row.failures,
        }
        for row in rows
    ]
    shape = {
        "Distinct a case": text(help="Distinct tags of a case."),
        "Notes a tag": text(help="Reuse: how many notes of its case a distinct tag is on."),
        "On one note": text(help="Share of distinct tags that no second note of the case carries."),
        "Near-duplicates": text(help="Pairs a case of tags whose last segments have the same stems or nearly the same spelling."),
        "Untagged": text(help="Notes that were given no tag at all."),
        "Failed": st.column_config.NumberColumn(
            help="Notes on which the extractor failed; not counted by those that can't fail."
        ),
    }
    cells.table(table, cells.stable_key("vocabulary", [key]), shape)
    st.markdown("**Tags a note by category**")
    by_category = [
        {"Extraction": row.extraction} | {name: decimal(row.by_category[name], 2) for name in CATEGORIES} for row in rows
    ]
    cells.table(by_category, cells.stable_key("categories", [key]))
    st.markdown("**How the vocabulary grows**")
    st.plotly_chart(growth_figure(rows, cells.theme()), key="growth", theme=None, config={"displayModeBar": False})
    for row in rows:
        st.caption(f"{plain(row.extraction)}: {row.distinct_overall:,} distinct tags over all cases, {row.tags:,} in all.")


def decimal(found: Estimate | None, digits: int) -> str:
    """A mean with its interval."""
    if found is None or found.mean is None:
        return cells.DASH
    bounds = "[no interval]" if found.interval is None else f"[{found.interval[0]:.{digits}f}, {found.interval[1]:.{digits}f}]"
    return f"{found.mean:.{digits}f} {bounds}"


def share(found: Estimate | None) -> str:
    """A share with its interval, in percent."""
    if found is None or found.mean is None:
        return cells.DASH
    bounds = "[no interval]" if found.interval is None else f"[{100 * found.interval[0]:.1f}, {100 * found.interval[1]:.1f}]"
    return f"{100 * found.mean:.1f}% {bounds}"
