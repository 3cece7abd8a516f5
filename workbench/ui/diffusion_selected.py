"""The selected node of the page Diffusion: what brought its score, and the equation of the step."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from workbench.colours import GOLD_MARK
from workbench.ui.comparison import matched_words
from workbench.ui.diffusion_html import bars_html, edge_bars, equation_html, seed_bars, walks_html
from workbench.ui.diffusion_state import Shown
from workbench.ui.diffusion_view import (
    equation,
    kind_of,
    name_of,
)
from workbench.ui.graph_view import WORD, GraphView
from workbench.ui.note_view import show_note


def show_selected(shown: Shown, view: GraphView) -> None:
    """Draw the panel of the chosen node; nothing where there is none."""
    node, memory = shown.selected, shown.opened.memory
    if not node:
        return
    note = shown.selected_note
    with st.container(border=True, key="selected"):
        title, read = st.columns([7, 1], vertical_alignment="center")
        with title.container(horizontal=True, vertical_alignment="center"):
            mark = f" · {GOLD_MARK} gold" if note in shown.gold else ""
            st.markdown(f"**Selected {WORD[kind_of(node)]}**{mark}", width="content")
            st.text(name_of(node, memory), width="content")
        if note:
            with read.popover("Read", key="read-note", width="stretch"):
                show_note(memory[note], matched_words(shown.query, memory), shown.question, note in shown.gold)
        if note:
            *parts, sum_at = st.columns(3, gap="medium")
            _attribution(shown, parts)
        else:
            sum_at = st.container()
        with sum_at:
            st.markdown(f"**Equation of step {shown.step}**")
            st.html(equation_html(equation(shown.traced, node, shown.step), memory))
        if note:
            _walks(shown, view)


def _attribution(shown: Shown, places: Sequence[DeltaGenerator]) -> None:
    """What brought the note's score in the end: the same sum split twice."""
    ranks, memory = shown.traced.ranks[-1], shown.opened.memory
    rank = ranks.rank_of(shown.selected_note)
    if rank is None:
        places[0].caption("No mass reaches this note in the end, so it is not ranked.")
        return
    found = shown.run.attribution(shown.selected_note)
    with places[0]:
        st.markdown("**Its score by seed**: whose mass it is")
        st.html(bars_html(seed_bars(found, memory)))
    with places[1]:
        st.markdown("**By last edge**: how it came in")
        st.html(bars_html(edge_bars(found, memory)))
        st.caption(f"Both sum to the score in the end: rank {rank} of {len(ranks.notes)}.")


def _walks(shown: Shown, view: GraphView) -> None:
    if shown.selected_note not in shown.traced.ranks[-1].notes:
        return
    found = shown.run.attribution(shown.selected_note)
    if found.walks:
        hidden = {node for nodes, _ in found.walks for node in nodes} - set(view.graph)
        where = "drawn in the graph" + (" but for the nodes in brackets" if hidden else "")
        st.markdown(f"**Strongest walks** and their share of the score, {where}")
        st.html(walks_html(found, shown.opened.memory, frozenset(view.graph)))
