"""The paths through a question's evidence, and what the node budget kept and cut."""

from __future__ import annotations

import streamlit as st

from workbench.ariadne.paths import Path, coherence
from workbench.colours import GOLD_MARK
from workbench.ui.ariadne_state import Shown
from workbench.ui.note_table import note_table
from workbench.words import counted, visible

LISTED = 200
"""Paths that are listed, best first (ours)."""


def show(shown: Shown) -> None:
    """Draw the tab."""
    trace, config = shown.trace, shown.config
    if not config.topology:
        st.info(
            "Topology is switched off: no path is mined, and entries are chosen by relevance alone.", icon=":material/timeline:"
        )
    elif not trace.paths.count:
        st.info("There is no path of two edges or more among the retrieved entries.", icon=":material/timeline:")
    else:
        _paths(shown)
    _budget(shown)


def _paths(shown: Shown) -> None:
    paths, config = shown.trace.paths, shown.config
    st.markdown(f"**{counted(paths.count, 'path')}** of 2 to {config.path_length} edges, never back in time")
    if not paths.is_exact:
        st.warning(
            f"Cap hit: more than {config.path_limit:,} paths, so only the {len(paths.found):,} of largest mean relevance "
            "were looked at.",
            icon=":material/filter_alt:",
        )
    listed = paths.found[:LISTED]
    cut = f"the first {LISTED} of {len(paths.found):,}, " if len(paths.found) > LISTED else ""
    st.caption(f"Listed: {cut}by mean relevance × coherence, which is 1 / (1 + span / 168 h).")
    kept = frozenset(shown.trace.budget.kept)
    rows = [
        {
            "Place": at,
            "Path": " → ".join(_short(shown, node) for node in path.nodes),
            "Mark": f"{GOLD_MARK} gold" if any(map(shown.is_gold_node, path.nodes)) else "",
            "Mean relevance": path.relevance,
            "Span, hours": path.span_hours,
            "Coherence": coherence(path.span_hours),
            "Value": path.value,
            "Budget": _fate(path, kept),
        }
        for at, path in enumerate(listed, 1)
    ]
    decimal = st.column_config.NumberColumn(format="%.3f", width=76)
    note_table(
        rows,
        [shown.note_of(path.nodes[0]) for path in listed],
        "ariadne-paths",
        "Paths through the evidence",
        columns={
            "Place": st.column_config.NumberColumn(width=52),
            "Path": st.column_config.TextColumn(width=520),
            "Mark": st.column_config.TextColumn(width=66),
            "Mean relevance": st.column_config.NumberColumn(format="%.3f", width=112),
            "Span, hours": st.column_config.NumberColumn(format="%.1f", width=88),
            "Coherence": decimal,
            "Value": decimal,
        },
    )


def _short(shown: Shown, node: int) -> str:
    entry = shown.node(node).entry
    text = visible(" ".join(entry.text.split()))
    bridge = "◆ " if shown.trace.members[node].role == "bridge" else ""
    return f"{bridge}{text if len(text) <= 48 else text[:47].rstrip() + '…'}"


def _fate(path: Path, kept: frozenset[int]) -> str:
    inside = sum(node in kept for node in path.nodes)
    return "kept" if inside == len(path.nodes) else f"{inside} of {len(path.nodes)} kept"


def _budget(shown: Shown) -> None:
    budget, config = shown.trace.budget, shown.config
    terminals = config.k_sem + config.k_lex
    st.markdown(f"**Budget** · {len(budget.kept)} of {len(shown.trace.members)} entries kept")
    acts = (
        f"Two legs bring {terminals} at most, so the budget of {config.budget_most} cuts only what bridges and newer states add."
        if terminals <= config.budget_most
        else f"Two legs bring up to {terminals}, more than the budget of {config.budget_most}."
    )
    st.caption(acts)
    if not budget.cut:
        st.caption("Nothing was cut.")
        return
    rows = [
        {
            "Mark": f"{GOLD_MARK} gold" if shown.is_gold_node(node) else "",
            "Role": shown.trace.members[node].role,
            "Relevance": shown.trace.members[node].relevance,
            "Text": visible(shown.node(node).entry.restatement),
        }
        for node in budget.cut
    ]
    columns = {"Relevance": st.column_config.NumberColumn(format="%.3f", width=76), "Mark": st.column_config.TextColumn(width=66)}
    st.markdown("**Cut**, best first")
    note_table(rows, [shown.note_of(node) for node in budget.cut], "ariadne-cut", "Cut by the budget", columns=columns)
