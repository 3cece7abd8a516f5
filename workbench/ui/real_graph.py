"""The fact graph around a question, by date, confidence and intent, inferred edges dashed; and the same as a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import networkx as nx
import streamlit as st

from workbench.colours import GOLD_MARK
from workbench.real.intents import INTENTS
from workbench.real.intervals import Edge
from workbench.real.relations import readable
from workbench.real.serialise import interval_text
from workbench.ui import context, graph_component
from workbench.ui.graph_layout import Layout, force
from workbench.ui.graph_view import GraphView, edge_ends
from workbench.ui.note_table import note_table
from workbench.ui.real_lanes import lanes_of
from workbench.ui.real_state import Run, Shown, holds
from workbench.words import counted, visible

GRAPH = "fact-graph"
HEIGHT = 560
LIMITS = (20, 40, 80, 150)
WIDER, HIGHER = 2.6, 1.6
"""How much wider and higher than the springs' the picture is: boxes need room for their words (ours)."""


def show(shown: Shown, run: Run) -> None:
    """Draw the tab."""
    edges, limit = _filtered(shown, run)
    chosen = around(edges, run, limit)
    graph = graph_of(chosen, shown.gold)
    if not graph:
        st.info("No fact passes these filters. Lower the confidence, or choose more intents.", icon=":material/filter_alt_off:")
        return
    every = {node for edge in edges for node in (edge.head, edge.tail)}
    view = view_of(graph, run, shown.gold, len(every) - len(graph))
    by_ends: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in chosen:
        by_ends[edge.head, edge.tail].append(edge)

    def clicked() -> None:
        picked = graph_component.selection(GRAPH)
        ends = edge_ends(picked.edges[0]) if picked.edges else None
        node = picked.nodes[-1] if picked.nodes else None
        of = by_ends.get(ends, []) if ends else [edge for edge in chosen if node in (edge.head, edge.tail)]
        context.select(note=of[0].facts[-1].note if of else "")

    graph_component.show(view, GRAPH, HEIGHT, (), clicked)
    st.caption("Solid arrow: facts; dashed arrow: inferred by a rule, alone or beside a fact. Click an arrow to read its source.")
    _table(shown, chosen)


def _filtered(shown: Shown, run: Run) -> tuple[list[Edge], int]:
    """Draw the filters; the edges that pass them, stored and derived, and the most nodes that are drawn."""
    derived = [edge for each in run.searched.found.inferences for edge in each.derived]
    edges = [*run.searched.graph.edges, *derived]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        at = f"Held at {shown.moment:%Y-%m-%d}" if shown.moment else "Still open"
        now = st.toggle(
            at, key="only-valid", bind="query-params", help="Also shown otherwise: what is over, and what is tentative."
        )
        least = st.slider("Least confidence", 0.0, 1.0, 0.0, 0.05, key="least", bind="query-params", width=220)
        intents = st.pills("Intents", INTENTS, selection_mode="multi", default=INTENTS, key="intents", bind="query-params")
        with st.popover("More", icon=":material/tune:", key="more-graph"):
            limit = st.select_slider("Most nodes", LIMITS, LIMITS[1], key="fact-nodes", bind="query-params")
    passing = [
        edge
        for edge in edges
        if edge.confidence >= least and edge.intent in intents and (not now or edge.rule or holds(edge, shown.moment))
    ]
    return passing, int(limit)


def around(edges: Iterable[Edge], run: Run, limit: int) -> list[Edge]:
    """Edges of at most ``limit`` nodes: the evidence's and the roots' first, best first, then what else hangs on these."""
    found = run.searched.found
    order: dict[Edge, int] = {}
    for one in (*(each.path for each in found.evidence), *found.pruned):
        for edge in one.edges:
            order.setdefault(edge, len(order))
    roots = {root.node for root in found.asked.roots}
    allowed = list(edges)

    def worth(edge: Edge) -> tuple[bool, int, bool, str]:
        return not edge.rule, order.get(edge, len(order)), roots.isdisjoint((edge.head, edge.tail)), edge.id

    nodes: set[str] = set()
    kept = []
    for edge in sorted(allowed, key=worth):
        grown = nodes | {edge.head, edge.tail}
        if len(grown) <= limit and (not nodes or edge in order or not roots or not nodes.isdisjoint((edge.head, edge.tail))):
            nodes = grown
            kept.append(edge)
    return kept


def graph_of(edges: Sequence[Edge], gold: Collection[str]) -> nx.DiGraph:
    """A drawable graph: nodes by their names, one arrow a direction that says what it stands for; inferred ones apart."""
    graph = nx.DiGraph()
    between: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in edges:
        between[edge.head, edge.tail].append(edge)
        for node, name in zip((edge.head, edge.tail), edge.names, strict=True):
            if node not in graph:
                graph.add_node(node, kind="thing", label=name, facts=[])
            line = f"{readable(edge.relation, edge.preposition)} {edge.names[1]}, {interval_text(edge)}, c={edge.confidence:.2f}"
            if len(graph.nodes[node]["facts"]) < 8:
                graph.nodes[node]["facts"].append(f"{edge.names[0]} {line}{', inferred' if edge.rule else ''}")
    for (head, tail), both in between.items():
        said = dict.fromkeys(readable(edge.relation, edge.preposition) for edge in both if not edge.rule)
        rules = dict.fromkeys(f"by {edge.rule}" for edge in both if edge.rule)
        star = f"{GOLD_MARK} " if any(note in gold for edge in both for note, _ in edge.refs) else ""
        words = [*said, *rules]
        label = star + ", ".join(words[:2]) + (f" +{len(words) - 2}" if len(words) > 2 else "")
        graph.add_edge(head, tail, kind="derived" if rules else "fact", weight=1.0, label=label)
    return graph


def view_of(graph: nx.DiGraph, run: Run, gold: frozenset[str], hidden: int) -> GraphView:
    """The graph with positions, its roots marked, and nodes that only gold facts name marked as gold."""
    placed = force(graph)
    layout = Layout(
        "force", {node: (x * WIDER, y * HIGHER) for node, (x, y) in placed.positions.items()}, (), frozenset({"thing"})
    )
    roots = {root.node for root in run.searched.found.asked.roots}
    golden = {
        edge.tail
        for edge in run.searched.graph.edges
        if edge.tail in graph and any(note in gold for note, _ in edge.refs) and edge.tail not in roots
    }
    words = {"thing": "person, place or thing"}
    return GraphView(
        graph, layout, frozenset(roots & set(graph)), frozenset(golden), hidden={"farther away": hidden}, words=words
    )


def _table(shown: Shown, edges: Sequence[Edge]) -> None:
    ordered = [edge for lane in lanes_of(edges, shown.registry) for edge in lane.edges]
    rows = [
        {
            "Mark": f"{GOLD_MARK} gold" if shown.is_gold(edge) else "",
            "Head": visible(edge.names[0] if not edge.rule else edge.head),
            "Relation": readable(edge.relation, edge.preposition),
            "Tail": visible(edge.names[1] if not edge.rule else edge.tail),
            "Interval": interval_text(edge),
            "c": edge.confidence,
            "Intent": edge.intent,
            "Status": edge.status,
            "Inferred by": edge.rule,
        }
        for edge in ordered
    ]
    st.markdown(f"**The same as a table**: {counted(len(rows), 'fact')}")
    columns = {"c": st.column_config.NumberColumn(format="%.2f"), "Mark": st.column_config.TextColumn(width=66)}
    note_table(rows, [edge.facts[-1].note for edge in ordered], "fact-graph-table", "Facts in the picture", columns=columns)
