"""A page with nothing but the graph component: what it returns is printed as text."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "ui"))
from sample_graph import sample_graph

from workbench.ui import graph_component
from workbench.ui.graph_layout import LAYOUTS
from workbench.ui.graph_scope import ego_view, paths_between
from workbench.ui.graph_view import GraphView

st.set_page_config(layout="wide", page_icon=str(Path(graph_component.__file__).with_name("assets") / "icon.svg"))
st.session_state.runs = st.session_state.get("runs", 0) + 1
notes = int(st.query_params.get("notes", "12"))
layout = st.selectbox("Layout", list(LAYOUTS), key="layout", bind="query-params")
with_mass = st.toggle("Mass", key="mass", bind="query-params")

graph = sample_graph(notes)
files = sorted(node for node, kind in graph.nodes(data="kind") if kind == "file")
seeds = frozenset(node for node in graph if node in ("tag:home/garden", "tag:herb/basil"))
gold = frozenset(files[5:6])
hits = {files[3]: 1, files[5]: 2, files[7]: 3}
scope = ego_view(graph, [*seeds, *gold, *hits], 2, limit=60)
view = GraphView(
    scope.graph,
    LAYOUTS[layout](scope.graph),
    seeds=seeds,
    gold=gold,
    ranks=hits,
    path=frozenset(paths_between(scope.graph, seeds, gold)),
    hidden=scope.hidden,
    mass={node: 1 / len(scope.graph) for node in scope.graph} if with_mass else None,
)
chosen = graph_component.show(view, key="graph", height=640, selected=st.session_state.get("selected", ()))
st.text("nodes " + json.dumps(chosen.nodes))
st.text("edges " + json.dumps(chosen.edges))
st.text(f"runs {st.session_state.runs}")


def select_first_file() -> None:
    st.session_state.selected = [sorted(node for node in scope.graph if node.startswith("file:"))[0]]


st.button("Select the first note", on_click=select_first_file)
