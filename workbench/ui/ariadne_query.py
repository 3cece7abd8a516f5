"""A question's terminals by their two legs, and the evidence graph that they and their bridges make."""

from __future__ import annotations

import streamlit as st

from workbench.colours import GOLD_MARK
from workbench.ui import context, graph_component
from workbench.ui.ariadne_graph import component_mark, evidence_view, node_id, node_of
from workbench.ui.ariadne_state import Shown
from workbench.ui.node_panel import plain
from workbench.ui.note_table import note_table
from workbench.words import counted, visible

GRAPH = "ariadne-graph"
HEIGHT = 680
HUBS = 12
"""Hubs that are named; the rest is counted (ours)."""


def show(shown: Shown) -> None:
    """Draw the tab."""
    trace = shown.trace
    _lines(shown)
    if not trace.members:
        st.info("Neither leg finds an entry for this question.", icon=":material/search_off:")
        st.caption("Ask with other words above, or raise the number of entries of a leg under More.")
        return
    view = evidence_view(shown)
    notes = {node_id(node): shown.note_of(node) for node in trace.members}
    drawn = [node for node, note in notes.items() if note == shown.note_id]

    def clicked() -> None:
        picked = graph_component.selection(GRAPH).nodes
        node = node_of(picked[-1]) if picked else None
        context.select(note="" if node is None else notes.get(node_id(node), ""))

    st.caption(
        "Time runs down. Edges: grey a shared entity, dotted less than "
        f"{shown.config.near_hours:g} h apart, green an update, dashed a bridge. A click opens the note and the path through it."
    )
    graph_component.show(view, GRAPH, HEIGHT, drawn, clicked)
    _table(shown)


def _lines(shown: Shown) -> None:
    trace, index = shown.trace, shown.trace.index
    terminals = [each for each in trace.members.values() if each.role != "bridge"]
    parts = [
        f"{counted(len(trace.terminals), 'terminal')} in {counted(len(trace.components), 'component')}",
        f"{counted(len(trace.members) - len(terminals), 'bridge')}",
    ]
    updates = [each for each in terminals if each.role == "update"]
    if updates:
        parts.append(f"{counted(len(updates), 'newer state')} added")
    if trace.legs.persons:
        parts.append(f"named: {', '.join(trace.legs.persons)}")
    st.markdown(plain(" · ".join(parts)))
    hubs = sorted(index.hubs)
    if hubs:
        said = ", ".join(each.replace("_", " ") for each in hubs[:HUBS])
        rest = f" and {len(hubs) - HUBS} more" if len(hubs) > HUBS else ""
        st.caption(plain(f"Too common to join entries ({counted(len(hubs), 'hub')}): {said}{rest}"))
    for remark in trace.remarks:
        st.caption(plain(remark))


def _table(shown: Shown) -> None:
    trace = shown.trace
    members = sorted(trace.members.values(), key=lambda each: (-each.relevance, -each.node))
    rows = []
    for each in members:
        rows.append(
            {
                "Mark": f"{GOLD_MARK} gold" if shown.is_gold_node(each.node) else "",
                "Role": _role(shown, each.node),
                "Component": "" if each.ends else component_mark(shown.component[each.node]),
                "Relevance": each.relevance,
                "Dense": None if each.ends else each.dense,
                "by": each.place_dense,
                "Keyword": None if each.ends else each.keyword,
                "by ": each.place_keyword,
                "Alignment": None if each.ends else float(trace.legs.factor[each.node]),
                "Text": visible(shown.node(each.node).entry.restatement),
                "Budget": "cut" if each.node in trace.budget.cut else "kept",
            }
        )
    number = st.column_config.NumberColumn
    note_table(
        rows,
        [shown.note_of(each.node) for each in members],
        "ariadne-members",
        "Terminals and bridges with their scores",
        columns={
            "Mark": st.column_config.TextColumn(width=66),
            "Role": st.column_config.TextColumn(width=86),
            "Component": st.column_config.TextColumn(width=84),
            "Relevance": number(format="%.3f", width=76, help="The sum of both halves; a bridge: half the lesser of its ends"),
            "Dense": number(format="%.3f", width=62, help="Half the cosine, after alignment"),
            "by": number("Place", width=52, help="Rank in the dense leg"),
            "Keyword": number(format="%.3f", width=68, help="Half the share of the best BM25, after alignment"),
            "by ": number("Place", width=52, help="Rank in the keyword leg"),
            "Alignment": number(format="%.2f", width=76, help="Factor on both scores"),
        },
    )


def _role(shown: Shown, node: int) -> str:
    return {"update": "newest state"}.get(shown.trace.members[node].role, shown.trace.members[node].role)
