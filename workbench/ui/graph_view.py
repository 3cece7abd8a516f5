"""A drawn graph: from nodes, positions and marks to a ``pyvis.Network``, and from there to a page that works without a network.

Nothing here needs Streamlit: notebooks use ``notebook_html``, pages use ``graph_component.show``. Every text of a node is passed
as text: labels are painted on a canvas and tooltips are set as text, so that markup in a note is shown and never interpreted.
"""

from __future__ import annotations

import hashlib
import json
import math
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
from pyvis.network import Network

from workbench import colours
from workbench.colours import Theme
from workbench.ui.graph_layout import BOX_WIDTH, LAYERS, Layout
from workbench.words import counted, visible

HUE = {"entry1": "tag", "entry2": "topic", "entry3": "ontology", "bridge": "file", "thing": "topic"}
"""Kinds of the nodes of an evidence graph (an entry by its component, a bridge) and of a graph of facts (a thing), and the kind
whose colours each has."""
WORD = (
    {"tag": "tag", "topic": "topic", "file": "note", "ontology": "ontology"}
    | dict.fromkeys(HUE, "entry")
    | {"bridge": "bridge"}
    | {"thing": "thing"}
)
"""What a kind is called on the screen."""
SHAPE = {"tag": "dot", "topic": "hexagon", "file": "square", "ontology": "triangle"}
CORNERS = {"tag": 11, "topic": 5, "file": 1, "ontology": 1} | dict.fromkeys(HUE, 6) | {"bridge": 1}
LABEL_LENGTH = {"ontology": 14, "tag": 20, "topic": 20, "file": 29} | dict.fromkeys(HUE, 34) | {"thing": 24}
"""Most characters of a label, by kind: what a box of graph_layout.BOX_WIDTH holds."""
SEED_MARK = "▶"
DASHES = {"similarity": [6, 4], "chronological": [2, 4], "near": [2, 4], "bridge": [6, 4], "derived": [6, 4]}
DIRECTED = ("fact", "derived")
"""Kinds of edges that point somewhere and say something: both directions between two nodes are drawn."""
CAPTION = "caption:"
"""Ids of the layout's captions begin so; they can't be selected."""
DISC = "disc:"
"""Ids of the discs that show the mass of boxes begin so; selecting one selects the node whose id follows."""
GHOST = "ghost:"
"""Ids of the outlines that show another mass begin so; selecting one selects the node whose id follows."""
FONT = "Source Sans, Source Sans Pro, system-ui, sans-serif"


@dataclass(frozen=True)
class GraphView:
    """What is drawn.

    Attributes
    ----------
    graph : nx.DiGraph
        The shown nodes and edges only.
    layout : Layout
        A position for each of them.
    seeds : frozenset of node ids
        What the query matched.
    gold : frozenset of node ids
        The answer's evidence.
    ranks : mapping of node id to int
        The rank, from 1, of notes that a method returned.
    path : frozenset of node ids
        Nodes of a path: edges between two of them are drawn strong.
    hidden : mapping of str to int
        How many nodes are not drawn, by reason.
    mass : mapping of node id to float, optional
        If given, the area of a node's shape, or of a disc beside its box, is in proportion to it.
    ghost : mapping of node id to float, optional
        Another mass, such as the one that a diffusion ends in, drawn as an outline around the first.
    unit_radius : float
        Radius that stands for a mass of 1.
    words : mapping of kind to str
        What the legend says of a kind of HUE, in place of its word.
    """

    graph: nx.DiGraph
    layout: Layout
    seeds: frozenset[str] = frozenset()
    gold: frozenset[str] = frozenset()
    ranks: Mapping[str, int] = field(default_factory=dict)
    path: frozenset[str] = frozenset()
    hidden: Mapping[str, int] = field(default_factory=dict)
    mass: Mapping[str, float] | None = None
    ghost: Mapping[str, float] | None = None
    unit_radius: float = 45.0
    words: Mapping[str, str] = field(default_factory=dict)

    def count_line(self) -> str:
        """How many nodes are shown and how many are not, with reasons.

        Examples
        --------
        >>> from workbench.ui.graph_layout import layered
        >>> g = nx.DiGraph(); g.add_node("tag:a", kind="tag", label="a")
        >>> GraphView(g, layered(g), hidden={"kind switched off": 3}).count_line()
        '1 of 4 nodes shown · 3 hidden (kind switched off)'
        """
        shown, hidden = len(self.graph), sum(self.hidden.values())
        line = f"{shown:,} of {shown + hidden:,} nodes shown"
        reasons = {reason: count for reason, count in self.hidden.items() if count}
        said = ", ".join(reason if len(reasons) == 1 else f"{count:,} {reason}" for reason, count in reasons.items())
        return f"{line} · {hidden:,} hidden ({said})" if hidden else line

    def version(self) -> str:
        """A digest of ids, edges, positions and shapes: while it stays the same, a drawing can be patched in place."""
        with_mass = (self.mass is None, self.ghost is None)
        state = (sorted(self.layout.positions.items()), sorted(self.graph.edges), sorted(self.layout.boxed), with_mass)
        return hashlib.sha256(repr(state).encode()).hexdigest()[:16]

    def radius(self, mass: float) -> float:
        """Of a disc that stands for a mass; one without any keeps a dot that can be seen."""
        return round(2 + self.unit_radius * math.sqrt(max(mass, 0.0)), 2)

    def sized(self, node: str) -> str:
        """The id of what shows a node's mass: the disc beside its box, or the node itself."""
        return DISC + node if self.graph.nodes[node]["kind"] in self.layout.boxed else node


def network(view: GraphView, theme: Theme = "light", height: int = 620) -> Network:
    """The view as a pyvis network: physics off, positions given, texts plain.

    ``nodes`` and ``edges`` are filled directly: pyvis' ``add_edge`` compares each edge with all earlier ones (5 s for 10,000).
    Every node has a ``group`` whose look is in ``options["groups"]``, so that a theme is changed in one place.
    """
    net = Network(height=f"{height}px", directed=False, bgcolor=colours.BACKGROUND[theme], cdn_resources="in_line")
    net.nodes = [*_captions(view), *_discs(view), *_ghosts(view), *(_node(view, node) for node in sorted(view.graph))]
    net.node_ids = [node["id"] for node in net.nodes]
    net.edges = list(_edges(view, theme))
    net.options = options(view, theme)
    return net


def options(view: GraphView, theme: Theme) -> dict[str, Any]:
    """The vis-network options of a view in a theme, with one group for each look that occurs in it."""
    groups = {_group(view, node) for node in view.graph}
    return {
        "physics": {"enabled": False},
        "layout": {"improvedLayout": False, "randomSeed": 1},
        "interaction": {
            "hover": len(view.graph) <= 500,
            "tooltipDelay": 150,
            "multiselect": True,
            "hideEdgesOnDrag": view.graph.number_of_edges() > 2000,
            # vis-network's keyboard takes the focus, and so scrolls the page, whenever the pointer passes over it.
            "keyboard": False,
        },
        "nodes": {"labelHighlightBold": False, "scaling": {"label": {"drawThreshold": 7}}},
        "edges": {"smooth": _curve(view), "selectionWidth": 1.5, "hoverWidth": 0, "font": _edge_font(theme)},
        "groups": {
            "useDefaultGroups": False,
            "caption": {
                "shape": "text",
                "font": {"size": 13, "color": colours.MUTED[theme], "face": FONT},
                "scaling": {"label": {"drawThreshold": 5}},
            },
            **{f"disc {kind}": _disc_look(kind, theme) for kind in sorted(view.layout.boxed) if view.mass is not None},
            **({"ghost": _ghost_look(theme)} if view.ghost is not None else {}),
            **{group: _look(group, theme) for group in sorted(groups)},
        },
    }


def _edge_font(theme: Theme) -> dict[str, Any]:
    return {"size": 11, "color": colours.TEXT[theme], "strokeWidth": 3, "strokeColor": colours.BACKGROUND[theme], "face": FONT}


def _curve(view: GraphView) -> dict[str, Any] | bool:
    if view.layout.name in ("force", "evidence") or view.graph.number_of_edges() > 1500:
        return False
    return {"enabled": True, "type": "cubicBezier", "forceDirection": "horizontal", "roundness": 0.5}


def _group(view: GraphView, node: str) -> str:
    """The name of a node's look: its kind, ``box`` or ``shape``, and its marks."""
    kind = view.graph.nodes[node]["kind"]
    marks = [name for name, ids in (("seed", view.seeds), ("gold", view.gold), ("hit", view.ranks)) if node in ids]
    return " ".join([kind, "box" if kind in view.layout.boxed else "shape", *marks])


def _look(group: str, theme: Theme) -> dict[str, Any]:
    """vis-network options of a group. Gold has its own shape and fill, a seed or hit a wider border."""
    kind, form, *marks = group.split()
    gold, seed, hue = "gold" in marks, "seed" in marks, HUE.get(kind, kind)
    line = colours.GOLD[theme] if gold else colours.SEED[theme] if seed else colours.KIND[hue][theme]
    fill = colours.GOLD_FILL[theme] if gold else colours.KIND_FILL[hue][theme]
    chosen = {"border": colours.TEXT[theme], "background": fill}
    look: dict[str, Any] = {
        "color": {"border": line, "background": fill, "highlight": chosen, "hover": {"border": line, "background": fill}},
        "borderWidth": 2.5 if gold or seed else 1.5 if marks else 1,
        "borderWidthSelected": 3.5,
        "font": {"size": 14, "color": colours.TEXT[theme], "face": FONT},
    }
    if form == "box":
        look |= {
            "shape": "box",
            "margin": {"top": 3, "bottom": 3, "left": 8, "right": 6},
            "widthConstraint": {"minimum": BOX_WIDTH[kind] - 14},
            "shapeProperties": {
                "borderRadius": CORNERS[kind],
                "borderDashes": [4, 3] if kind == "ontology" and not marks else False,
            },
        }
        look["font"]["align"] = "left"
        return look
    body = colours.GOLD[theme] if gold else colours.KIND[kind][theme]
    look["color"] = {"border": line, "background": body, "hover": {"border": line, "background": body}} | {
        "highlight": {"border": colours.TEXT[theme], "background": body}
    }
    look["font"] |= {"size": 12, "strokeWidth": 3, "strokeColor": colours.BACKGROUND[theme]}
    look |= {"shape": "star" if gold else SHAPE[kind], "size": 13 if gold else 10 if marks else 6}
    # Where there is no box to keep labels apart, plain notes are named from close by only, and marked nodes from afar.
    look["scaling"] = {"label": {"drawThreshold": 3 if marks else 14 if kind == "file" else 7}}
    return look


def _disc_look(kind: str, theme: Theme) -> dict[str, Any]:
    colour = {"border": colours.KIND[kind][theme], "background": colours.KIND[kind][theme]}
    return {"shape": "dot", "borderWidth": 0, "opacity": 0.75, "color": colour | {"highlight": colour, "hover": colour}}


def _ghost_look(theme: Theme) -> dict[str, Any]:
    line = {"border": colours.TEXT[theme], "background": "rgba(0,0,0,0)"}
    return {"shape": "dot", "borderWidth": 1, "borderWidthSelected": 1, "color": line | {"highlight": line, "hover": line}}


def _node(view: GraphView, node: str) -> dict[str, Any]:
    data = view.graph.nodes[node]
    x, y = view.layout.positions[node]
    made = {
        "id": node,
        "label": _label(view, node),
        "title": tooltip(view, node),
        "group": _group(view, node),
        "x": round(x, 1),
        "y": round(y, 1),
    }
    if view.mass is not None and data["kind"] not in view.layout.boxed:
        made["size"] = view.radius(view.mass.get(node, 0.0))
    return made


def _disc_place(view: GraphView, node: str) -> dict[str, float]:
    """Where a node's mass is drawn: left of its box, or where its shape is."""
    kind = view.graph.nodes[node]["kind"]
    x, y = view.layout.positions[node]
    return {"x": round(x - BOX_WIDTH[kind] / 2 - 12 if kind in view.layout.boxed else x, 1), "y": round(y, 1)}


def _discs(view: GraphView) -> Iterable[dict[str, Any]]:
    if view.mass is None:
        return
    for node in sorted(view.graph):
        kind = view.graph.nodes[node]["kind"]
        if kind in view.layout.boxed:
            yield {
                "id": DISC + node,
                "title": tooltip(view, node),
                "group": f"disc {kind}",
                **_disc_place(view, node),
                "size": view.radius(view.mass.get(node, 0.0)),
            }


def _ghosts(view: GraphView) -> Iterable[dict[str, Any]]:
    for node in sorted(view.graph) if view.ghost is not None else ():
        mass = view.ghost.get(node, 0.0) if view.ghost is not None else 0.0
        place = _disc_place(view, node)
        yield {"id": GHOST + node, "title": tooltip(view, node), "group": "ghost", **place, "size": view.radius(mass)}


def _captions(view: GraphView) -> Iterable[dict[str, Any]]:
    for i, caption in enumerate(view.layout.captions):
        x, y = round(caption.x, 1), round(caption.y, 1)
        yield {"id": f"{CAPTION}{i}", "label": caption.text, "group": "caption", "x": x, "y": y, "chosen": False}


def _label(view: GraphView, node: str) -> str:
    data = view.graph.nodes[node]
    # Notes of one topic stand close together on the time line: there only their marks have room.
    text = "" if view.layout.name == "timeline" and data["kind"] == "file" else str(data["label"])
    return short_label(data["kind"], text, node in view.seeds, node in view.gold, view.ranks.get(node))


def short_label(kind: str, label: str, seed: bool = False, gold: bool = False, rank: int | None = None) -> str:
    """A label of at most LABEL_LENGTH characters on one line; marks come first, as signs and words.

    Examples
    --------
    >>> short_label("tag", "career/software_engineering/backend")
    '…/backend'
    >>> short_label("file", "Visited the museum of modern art on a rainy day", gold=True, rank=3)
    '★ gold #3 Visited the museum…'
    """
    marks = [
        *([SEED_MARK] if seed else []),
        *([f"{colours.GOLD_MARK} gold"] if gold else []),
        *([f"#{rank}"] if rank is not None else []),
    ]
    room = LABEL_LENGTH[kind] - sum(len(mark) + 1 for mark in marks)
    text = visible(" ".join(label.split()))
    if kind == "ontology":
        text = text.rpartition("/")[2]
    while kind in ("tag", "topic") and len(text) > room and "/" in text.removeprefix("…/"):
        text = "…/" + text.removeprefix("…/").partition("/")[2]
    return " ".join([*marks, text if len(text) <= room else text[: room - 1] + "…"]).strip()


def tooltip(view: GraphView, node: str) -> str:
    """What a node is, in a few lines of plain text."""
    data = view.graph.nodes[node]
    kind = data["kind"]
    lines = [
        f"{WORD[kind]} · {data['label']}" if kind != "file" else f"note · {data.get('session', '')} · {data.get('time', '')}"
    ]
    if kind == "tag":
        lines.append(f"{', '.join(data.get('categories', ()))} · in {counted(int(data.get('df', 0)), 'note')}")
    if kind == "topic" and "notes" in data:
        lines.append(counted(int(data["notes"]), "note"))
    if kind == "file":
        lines.append(str(data["label"]))
    lines += data.get("facts", ())
    if node in view.seeds:
        lines.append(f"{SEED_MARK} matched by the query")
    if node in view.gold:
        lines.append(f"{colours.GOLD_MARK} gold: evidence of the answer")
    if node in view.ranks:
        lines.append(f"rank {view.ranks[node]}")
    if view.mass is not None:
        lines.append(f"mass {view.mass.get(node, 0.0):.4g}")
    if view.ghost is not None:
        lines.append(f"in the end {view.ghost.get(node, 0.0):.4g}")
    return "\n".join(part for line in lines for part in textwrap.wrap(visible(line), 60))


def _edges(view: GraphView, theme: Theme) -> Iterable[dict[str, Any]]:
    """Each pair of nodes once, though an edge may be stored in both directions; of directed kinds each direction."""
    drawn: set[frozenset[str]] = set()
    for a, b, data in sorted(view.graph.edges(data=True), key=lambda edge: edge[:2]):
        kind, strong = data["kind"], a in view.path and b in view.path
        if kind not in DIRECTED and frozenset((a, b)) in drawn:
            continue
        drawn.add(frozenset((a, b)))
        edge = {
            "id": json.dumps([a, b], ensure_ascii=False),
            "from": a,
            "to": b,
            "kind": "path" if strong else kind,
            "color": edge_colour("path" if strong else kind, theme),
            "width": 2.5 if strong else 1 + 2 * float(data["weight"]) if kind == "similarity" else 1,
        }
        if kind in DASHES:
            edge["dashes"] = DASHES[kind]
        if kind in DIRECTED:
            curve = {"enabled": True, "type": "curvedCW", "roundness": 0.12}
            edge |= {"arrows": "to", "label": visible(data["label"]), "smooth": curve}
        yield edge


def edge_colour(kind: str, theme: Theme) -> dict[str, str]:
    """The colours of an edge kind, or of ``path``, as vis-network takes them."""
    line = colours.ACCENT[theme] if kind == "path" else colours.EDGE[kind][theme]
    return {"color": line, "highlight": colours.TEXT[theme], "hover": line}


def edge_ends(edge_id: str) -> tuple[str, str]:
    """The two node ids of an edge id."""
    a, b = json.loads(edge_id)
    return a, b


def legend(view: GraphView) -> list[tuple[str, str]]:
    """(group, words) of every look that a reader of this view has to know."""
    kinds = {kind for _, kind in view.graph.nodes(data="kind")}
    rows = [(kind, WORD[kind]) for kind in LAYERS if kind in kinds]
    rows += [(HUE[kind], view.words.get(kind, WORD[kind])) for kind in HUE if kind in kinds]
    marks = [
        ("seed", f"{SEED_MARK} matched by the query", view.seeds),
        ("gold", f"{colours.GOLD_MARK} gold, evidence of the answer", view.gold),
        ("hit", "#n rank of a note found", view.ranks),
    ]
    if view.ghost is not None:
        rows.append(("ghost", "area: mass now; outline: mass in the end"))
    if any(a in view.path and b in view.path for a, b in view.graph.edges):
        rows.append(("path", "strong line: a path"))
    return rows + [(name, words) for name, words, ids in marks if any(node in ids for node in view.graph)]
