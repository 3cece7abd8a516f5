"""A question's evidence as a drawn graph: time runs down, an entry has the colour and number of its component."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx

from workbench.ui.ariadne_state import Shown
from workbench.ui.graph_layout import ROW, Caption, Layout
from workbench.ui.graph_view import HUE, GraphView
from workbench.words import visible

LANE = 150.0
"""Distance of two columns; less than a box is wide, since no two boxes share a row (ours)."""
STEP = ROW + 2
COMPONENT_KINDS = tuple(kind for kind in HUE if kind.startswith("entry"))
"""Looks that components have in turn; their numbers tell apart those that share one."""
SHIFT = 40.0
"""How far the entries of one component are set off from each other, so that edges between them don't hide behind boxes."""
STRONGEST = ("bridge", "updated", "continues", "entity", "near")
"""Of several kinds of an edge, which gives its look."""


def node_id(node: int) -> str:
    return f"entry:{node}"


def node_of(drawn: str) -> int | None:
    """The entry of a drawn node; None for anything else."""
    number = drawn.removeprefix("entry:")
    return int(number) if drawn.startswith("entry:") and number.isdigit() else None


def component_mark(number: int) -> str:
    """A component's number in one character where there is one.

    Examples
    --------
    >>> component_mark(1), component_mark(20), component_mark(21)
    ('①', '⑳', '(21)')
    """
    return chr(0x2460 + number - 1) if number <= 20 else f"({number})"


def evidence_view(shown: Shown) -> GraphView:
    """The base graph with its bridges; the path through the open note's entry is drawn strong."""
    trace = shown.trace
    graph = nx.DiGraph()
    for node in sorted(trace.members):
        graph.add_node(node_id(node), **_looks(shown, node))
    for edge in trace.edges:
        kind = next(kind for kind in STRONGEST if kind in edge.kinds)
        graph.add_edge(node_id(edge.earlier), node_id(edge.later), kind=kind, weight=1.0)
    ranks = {hit.note_id: hit.rank for hit in shown.run.ranking.hits} if shown.run else {}
    kept = set(trace.budget.kept)
    path = next((found for node in _open_entries(shown) if (found := trace.path_of(node))), None)
    return GraphView(
        graph,
        evidence_layout(sorted(trace.members), trace.components, {n: m.ends for n, m in trace.members.items() if m.ends}, shown),
        gold=frozenset(node_id(node) for node in trace.members if shown.is_gold_node(node)),
        ranks={node_id(node): ranks[shown.note_of(node)] for node in kept if shown.note_of(node) in ranks},
        path=frozenset(map(node_id, path.nodes)) if path else frozenset(),
        hidden={"not retrieved": len(shown.construction.nodes) - len(trace.members)},
        words=_legend(len(trace.components)),
    )


def _open_entries(shown: Shown) -> list[int]:
    """Entries of the note that is open beside the page."""
    return [node for node in shown.trace.members if shown.note_id in {shown.memory.notes[r].id for r in shown.node(node).notes}]


def _legend(components: int) -> Mapping[str, str]:
    words = {}
    for at, kind in enumerate(COMPONENT_KINDS, 1):
        numbers = [component_mark(number) for number in range(at, components + 1, len(COMPONENT_KINDS))]
        words[kind] = f"component {' '.join(numbers[:4])}{' …' if len(numbers) > 4 else ''}"
    return words | {"bridge": "◆ bridge"}


def _looks(shown: Shown, node: int) -> dict[str, object]:
    member, entry = shown.trace.members[node], shown.node(node).entry
    facts = [shown.date(node), f"relevance {member.relevance:.3f}"]
    mark, kind = "◆ bridge", "bridge"
    if member.ends is None:
        number = shown.component[node]
        mark, kind = component_mark(number), COMPONENT_KINDS[(number - 1) % len(COMPONENT_KINDS)]
        facts.append(f"component {number}" + (", newest state of another entry" if member.role == "update" else ""))
    if node in shown.trace.budget.cut:
        mark, facts = f"{mark} cut:", [*facts, "cut by the budget"]
    said = f"{entry.speaker}: {entry.text}" if entry.speaker else entry.text
    return {"kind": kind, "label": visible(f"{mark} {said}"), "facts": facts}


def evidence_layout(
    nodes: Sequence[int], components: Sequence[Sequence[int]], ends: Mapping[int, tuple[int, int]], shown: Shown
) -> Layout:
    """A row a node, oldest first; a column a component, shared by those apart in time; bridges between their ends."""
    row = {node: at for at, node in enumerate(nodes)}
    free = list[int]()  # by column, the last row that is taken
    x: dict[int, float] = {}
    for group in sorted(components, key=lambda group: (-len(group), row[group[0]])):
        rows = [row[node] for node in group]
        column = next((at for at, last in enumerate(free) if last < min(rows)), len(free))
        free[column:] = [max(rows)] if column == len(free) else [max(rows), *free[column + 1 :]]
        for at, node in enumerate(group):
            x[node] = column * LANE + (at % 3 - 1) * SHIFT * (len(group) > 2)
    for node, (one, other) in ends.items():
        x[node] = (x[one] + x[other]) / 2 + SHIFT / 2
    positions = {node_id(node): (x[node], row[node] * STEP) for node in nodes}
    left = min(x.values(), default=0.0) - 175
    captions, day = [], ""
    for node in nodes:
        date = shown.date(node)[:10]
        if date != day:
            captions.append(Caption(visible(date), left, row[node] * STEP))
            day = date
    return Layout("evidence", positions, tuple(captions), frozenset((*COMPONENT_KINDS, "bridge")))
