"""What several stops of the tour draw: a question, a note's text, rankings side by side, a part of the graph."""

from __future__ import annotations

from collections.abc import Mapping

import networkx as nx
import streamlit as st

from workbench.records import Ranking
from workbench.ui import graph_component, hit_columns
from workbench.ui.graph_layout import layered
from workbench.ui.graph_view import GraphView
from workbench.ui.learn_stop import Scene
from workbench.ui.note_view import when
from workbench.words import visible

SHOWN = 6
"""Hits of each column: enough to see who took the places, few enough for one screen (ours)."""


def question(scene: Scene) -> None:
    """The question as text."""
    with st.container(border=True, gap="xsmall"):
        st.caption("The question")
        st.text(visible(scene.question.text))


def said(scene: Scene, note_id: str) -> None:
    """What was said in a note, without its tags."""
    note = scene.opened.memory[note_id]
    with st.container(border=True, gap="xsmall"):
        st.caption(when(note))
        for turn in note.interaction.turns:
            st.text(f"{turn.speaker or turn.role}: {visible(turn.full_text)}")


def rankings(scene: Scene, key: str, found: Mapping[str, Ranking], shown: int = SHOWN) -> None:
    """Rankings side by side, as on the page Compare. Nothing is to be chosen here."""
    hit_columns.show(scene.columns(found, shown), f"learn-hits-{key}", "", _nothing)


def graph(view_of: nx.DiGraph, key: str, gold: frozenset[str], seeds: frozenset[str], hidden: int, height: int) -> None:
    """A part of the case's graph, layered from tags to notes."""
    view = GraphView(view_of, layered(view_of), seeds, gold, hidden={"elsewhere in the case": hidden})
    graph_component.show(view, f"learn-graph-{key}", height)


def _nothing() -> None:
    """For components that need to be told whom to call."""
