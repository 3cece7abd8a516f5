"""Where the nodes of a drawn graph stand: layered, force and time-line layouts, computed here and not in the browser.

All three are deterministic: they depend on the node ids, edges and attributes, never on the order in which a graph was built.
Coordinates are canvas units (one is a pixel at zoom 1), x to the right, y down. Callers cache.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

Positions = dict[str, tuple[float, float]]

LAYERS = ("ontology", "tag", "topic", "file")
"""Columns of the layered layout from left to right: the order in which a query reaches a note."""
HEADINGS = {"ontology": "Ontology", "tag": "Tags", "topic": "Topics", "file": "Notes, oldest first"}

ROW = 30.0
"""Distance of two boxes of one column, in canvas units."""
BOX_WIDTH = {"ontology": 105.0, "tag": 152.0, "topic": 152.0, "file": 205.0}
BOX_WIDTH |= dict.fromkeys(("entry1", "entry2", "entry3", "bridge"), 240.0) | {"thing": 110.0}
"""Least width of a node that is drawn as a box, by kind."""
GAP = 46.0
"""Free space between two columns."""
INDENT = 14.0
"""How far an ontology node stands to the right of its parent."""


@dataclass(frozen=True, slots=True)
class Caption:
    """A word on the canvas that belongs to the layout, not to the graph: a column's heading, a date."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions by node id, the captions that explain them, and the kinds that have room for their label inside a box."""

    name: str
    positions: Positions
    captions: tuple[Caption, ...] = ()
    boxed: frozenset[str] = field(default_factory=frozenset)


def file_order(graph: nx.DiGraph, node: str) -> tuple[int, str]:
    """Sort key of a file node: its order in the case, then its id."""
    return (int(graph.nodes[node].get("order", 0)), node)


def layered(graph: nx.DiGraph) -> Layout:
    """Ontology, tags, topics and files in columns, files in time order, so that a path reads from left to right.

    The file column keeps its order; the others are ordered by the barycentre heuristic (Sugiyama, Tagawa and Toda 1981), swept
    until crossings stop falling. Then every node is moved as near to the mean height of its neighbours as the order and the row
    distance allow, which is an isotonic regression.
    """
    columns = {kind: sorted(n for n, k in graph.nodes(data="kind") if k == kind) for kind in LAYERS}
    columns["file"].sort(key=lambda node: file_order(graph, node))
    neighbours = _neighbours_in_other_columns(graph)
    order = _least_crossings(graph, columns, neighbours)
    y = _heights(order, {node: [*near, *_broader_and_narrower(graph, node)] for node, near in neighbours.items()})
    shown = [kind for kind in LAYERS if order[kind]]
    x = _column_centres(shown)
    positions = {
        node: (x[kind] + (INDENT * _depth(node) if kind == "ontology" else 0.0), y[node])
        for kind in shown
        for node in order[kind]
    }
    top = min(y.values(), default=0.0) - 1.5 * ROW
    return Layout("layered", positions, tuple(Caption(HEADINGS[kind], x[kind], top) for kind in shown), frozenset(LAYERS))


def _column_centres(kinds: Iterable[str]) -> dict[str, float]:
    centres, edge = {}, 0.0
    for kind in kinds:
        centres[kind] = edge + BOX_WIDTH[kind] / 2
        edge += BOX_WIDTH[kind] + GAP
    return centres


def _broader_and_narrower(graph: nx.DiGraph, node: str) -> list[str]:
    if graph.nodes[node]["kind"] != "ontology":
        return []
    return sorted({n for n in nx.all_neighbors(graph, node) if graph.nodes[n]["kind"] == "ontology"})


def _indent(kind: str, node: str) -> float:
    return INDENT * _depth(node) if kind == "ontology" else 0.0


def _depth(node: str) -> int:
    return node.count("/")


def _neighbours_in_other_columns(graph: nx.DiGraph) -> dict[str, list[str]]:
    kind = dict(graph.nodes(data="kind"))
    found: dict[str, set[str]] = {node: set() for node in graph}
    for a, b in graph.edges:
        if kind[a] != kind[b]:
            found[a].add(b)
            found[b].add(a)
    return {node: sorted(near) for node, near in found.items()}


def _least_crossings(
    graph: nx.DiGraph, columns: Mapping[str, list[str]], neighbours: Mapping[str, Sequence[str]], sweeps: int = 6
) -> dict[str, list[str]]:
    """The best of a few barycentre sweeps from right to left, by number of crossings between neighbouring columns."""
    order = dict(columns)
    place = {node: float(i) for kind in LAYERS for i, node in enumerate(order[kind])}
    seen: set[str] = set(order["file"])
    best, fewest = dict(order), float("inf")
    for _ in range(sweeps):
        for kind in ("topic", "tag", "ontology"):
            wanted = {node: _mean([place[n] for n in neighbours[node] if n in seen], place[node]) for node in order[kind]}
            sort = _tree_order if kind == "ontology" else _by_value
            order[kind] = sort(graph, order[kind], wanted)
            span = max(len(order["file"]), len(order[kind]), 1) / max(len(order[kind]), 1)
            place |= {node: i * span for i, node in enumerate(order[kind])}
            seen |= set(order[kind])
        crossings = count_crossings(order, neighbours)
        if crossings >= fewest:
            break
        best, fewest = dict(order), crossings
    return best


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _by_value(_: nx.DiGraph, nodes: Sequence[str], wanted: Mapping[str, float]) -> list[str]:
    return sorted(nodes, key=lambda node: (wanted[node], node))


def _tree_order(graph: nx.DiGraph, nodes: Sequence[str], wanted: Mapping[str, float]) -> list[str]:
    """Depth first, so that a concept stands above its narrower concepts; siblings by the least value below them."""
    present = set(nodes)
    children: dict[str, list[str]] = {node: [] for node in nodes}
    roots: list[str] = []
    for node in sorted(nodes, key=lambda n: (-_depth(n), n)):
        parent = next((p for p in graph.predecessors(node) if p in present and _depth(p) < _depth(node)), None)
        (roots if parent is None else children[parent]).append(node)
    least: dict[str, float] = {}
    for node in sorted(nodes, key=lambda n: (-_depth(n), n)):
        least[node] = (
            min([wanted[node], *(least[child] for child in children[node])])
            if not children[node]
            else min(least[child] for child in children[node])
        )
    result: list[str] = []
    stack = sorted(roots, key=lambda n: (least[n], n), reverse=True)
    while stack:
        node = stack.pop()
        result.append(node)
        stack.extend(sorted(children[node], key=lambda n: (least[n], n), reverse=True))
    return result


def count_crossings(order: Mapping[str, Sequence[str]], neighbours: Mapping[str, Iterable[str]]) -> int:
    """How many pairs of edges between two neighbouring columns cross, for columns in the order of LAYERS."""
    total = 0
    for left, right in pairwise(LAYERS):
        place = {node: i for i, node in enumerate(order[right])}
        passed: list[int] = []
        for node in order[left]:
            ends = sorted(place[n] for n in neighbours[node] if n in place)
            total += sum(len(passed) - bisect_right(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return total


def _heights(order: Mapping[str, Sequence[str]], neighbours: Mapping[str, Sequence[str]], rounds: int = 8) -> dict[str, float]:
    """Heights that keep each column's order and row distance and draw every node towards its neighbours."""
    tallest = max((len(nodes) for nodes in order.values()), default=0)
    y = {node: ROW * (i + (tallest - len(nodes)) / 2) for nodes in order.values() for i, node in enumerate(nodes)}
    for step in range(rounds):
        for kind in LAYERS if step % 2 else reversed(LAYERS):
            nodes = order[kind]
            if nodes:
                wanted = np.array([_mean([y[n] for n in neighbours[node]], y[node]) for node in nodes])
                y |= dict(zip(nodes, spread(wanted, ROW).tolist(), strict=True))
    return y


def spread(wanted: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Places nearest to those wanted, in least squares, that keep the given order and stand at least ``gap`` apart.

    Examples
    --------
    >>> spread(np.array([0.0, 0.0, 10.0]), 2.0).tolist()
    [-1.0, 1.0, 10.0]
    """
    offsets = gap * np.arange(len(wanted))
    return np.asarray(isotonic_regression(wanted - offsets).x + offsets, dtype=np.float64)


FILE_STEP = 34.0
TOPIC_ROW = 1.6 * ROW
"""Rows of the time line: the marks of a note stand under it."""
WORDS = 20
"""Most characters of a time that is given in words."""


def timeline(graph: nx.DiGraph) -> Layout:
    """Files from left to right in time order, each in the row of its topic; tags and ontology in columns at the left.

    The axis counts notes, not days: sessions of a few minutes and gaps of weeks both stay readable. Each session's date stands
    over its first note. Topics come in the order of their first note.
    """
    by_kind = {kind: sorted(n for n, k in graph.nodes(data="kind") if k == kind) for kind in LAYERS}
    files = sorted(by_kind["file"], key=lambda node: file_order(graph, node))
    when = {node: i for i, node in enumerate(files)}
    first = {t: min((when[n] for n in nx.all_neighbors(graph, t) if n in when), default=len(files)) for t in by_kind["topic"]}
    rows = {topic: i * TOPIC_ROW for i, topic in enumerate(sorted(by_kind["topic"], key=lambda t: (first[t], t)))}
    y = dict(rows)
    for kind, sort in (("tag", _by_value), ("ontology", _tree_order)):
        wanted = {
            node: _mean([y[n] for n in nx.all_neighbors(graph, node) if n in y], len(rows) * TOPIC_ROW) for node in by_kind[kind]
        }
        nodes = sort(graph, by_kind[kind], wanted)
        y |= dict(zip(nodes, spread(np.array([wanted[node] for node in nodes]), ROW).tolist(), strict=True))
    columns = _column_centres([kind for kind in ("ontology", "tag", "topic") if by_kind[kind]])
    positions = {n: (columns[kind] + _indent(kind, n), y[n]) for kind in columns for n in by_kind[kind]}
    start = max((x for x, _ in positions.values()), default=0.0) + BOX_WIDTH["topic"] / 2 + 1.5 * FILE_STEP
    for node in files:
        own = [rows[n] for n in nx.all_neighbors(graph, node) if n in rows]
        positions[node] = (start + FILE_STEP * when[node], min(own, default=len(rows) * TOPIC_ROW))
    lowest = min((y for _, y in positions.values()), default=0.0)
    return Layout(
        "timeline",
        positions,
        tuple(_session_dates(graph, files, start, lowest - 1.5 * ROW)),
        frozenset({"ontology", "tag", "topic"}),
    )


def _session_dates(graph: nx.DiGraph, files: Sequence[str], start: float, y: float) -> Iterable[Caption]:
    """A date over the first note of each session, left out where the one before would be overwritten."""
    last_session, free = None, float("-inf")
    for i, node in enumerate(files):
        session = graph.nodes[node].get("session", "")
        x = start + FILE_STEP * i
        if session != last_session and x >= free:
            text = str(graph.nodes[node].get("time") or session)
            date = re.match(r"\d{4}-\d\d-\d\d", text)  # the hour is left out; a time in words is told as it is
            text = date[0] if date else text if len(text) <= WORDS else text[: WORDS - 1] + "…"
            yield Caption(text, x, y)
            free = x + max(80, 8 * len(text))
        last_session = session


def force(graph: nx.DiGraph, rounds: int | None = None, pivots: int = 50) -> Layout:
    """Near nodes near, far nodes far, none on top of another; for up to a few thousand nodes.

    Pivot MDS (Brandes and Pich 2006) finds the large shape from breadth-first distances to ``pivots`` nodes; then springs along
    edges and repulsion between nodes closer than REACH spread it out. NetworkX's own spring layout takes 80 s for
    5,000 nodes. Rounds (fewer for larger graphs) and pivots are our choice.
    """
    nodes = sorted(graph)
    if not nodes:
        return Layout("force", {})
    index = {node: i for i, node in enumerate(nodes)}
    pairs = sorted({(min(index[a], index[b]), max(index[a], index[b])) for a, b in graph.edges if a != b})
    edges = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    place = _pivot_mds(len(nodes), edges, min(pivots, len(nodes)))
    place += np.array([_jitter(node) for node in nodes])
    place = _relax(place, edges, rounds or min(150, max(40, 200_000 // len(nodes))))
    return Layout("force", {node: (STRETCH * float(x), float(y)) for node, (x, y) in zip(nodes, place, strict=True)})


EDGE_LENGTH = 70.0
REACH = 1.6 * EDGE_LENGTH
STRETCH = 1.6
"""Width over height of the force layout: labels are wide, and so are screens."""


def _jitter(node: str) -> tuple[float, float]:
    """A small shift that depends on the id alone: it parts nodes with equal distances without a random generator."""
    bits = zlib.crc32(node.encode())
    return ((bits & 0xFFFF) / 0xFFFF - 0.5) * EDGE_LENGTH, ((bits >> 16) / 0xFFFF - 0.5) * EDGE_LENGTH


def _pivot_mds(n: int, edges: NDArray[np.intp], pivots: int) -> NDArray[np.float64]:
    """(n, 2) positions, one edge about EDGE_LENGTH long; unconnected parts count as a little farther than the farthest."""
    ones = np.ones(len(edges))
    adjacency = coo_array((ones, (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()
    distance = np.full((pivots, n), np.inf)
    nearest = np.full(n, np.inf)
    pivot = 0
    for row in range(pivots):
        distance[row] = dijkstra(adjacency, directed=False, indices=pivot, unweighted=True)
        nearest = np.minimum(nearest, distance[row])
        pivot = int(np.argmax(nearest))  # the node farthest from all pivots; the first of equals
    finite = distance[np.isfinite(distance)]
    distance[~np.isfinite(distance)] = finite.max(initial=0.0) + 2.0
    squared = distance.T**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1, keepdims=True) + squared.mean()
    _, axes = np.linalg.eigh(centred.T @ centred)
    place = -0.5 * centred @ axes[:, -2:][:, ::-1]
    if place.shape[1] < 2:
        place = np.pad(place, ((0, 0), (0, 2 - place.shape[1])))
    place *= np.where(place[np.argmax(np.abs(place), axis=0), [0, 1]] < 0, -1.0, 1.0)  # an eigenvector's sign is arbitrary
    extent = np.abs(place).max(initial=0.0)
    return np.asarray(place / extent * EDGE_LENGTH * np.sqrt(n) if extent > 0 else place, dtype=np.float64)


def _relax(place: NDArray[np.float64], edges: NDArray[np.intp], rounds: int) -> NDArray[np.float64]:
    """Springs and short-range repulsion under a step length that shrinks to nothing."""
    n = len(place)
    degree = np.maximum(np.bincount(edges.ravel(), minlength=n), 1.0)
    for step in range(rounds):
        move = np.zeros_like(place)
        _push(move, place, cKDTree(place).query_pairs(REACH, output_type="ndarray"), _repulsion)
        # A hub's pull on each of its many neighbours is divided by its degree, or it would swallow them.
        weight = 1.0 / np.sqrt(degree[edges[:, 0]] * degree[edges[:, 1]])
        _push(move, place, edges, partial(_spring, weight))
        length = np.linalg.norm(move, axis=1, keepdims=True)
        limit = 0.5 * EDGE_LENGTH * (1 - step / rounds)
        place = place + move * np.minimum(1.0, limit / np.maximum(length, 1e-12))
    return np.asarray(place - place.mean(axis=0), dtype=np.float64)


def _spring(weight: NDArray[np.float64], length: NDArray[np.float64]) -> NDArray[np.float64]:
    return -weight * (length - EDGE_LENGTH)


def _repulsion(length: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0.25 * EDGE_LENGTH * (EDGE_LENGTH / np.maximum(length, 1.0) - EDGE_LENGTH / REACH)


def _push(
    move: NDArray[np.float64],
    place: NDArray[np.float64],
    pairs: NDArray[np.intp],
    strength: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> None:
    """Add to ``move`` a force along each pair: away from each other where ``strength`` of their distance is positive."""
    if not len(pairs):
        return
    gap = place[pairs[:, 0]] - place[pairs[:, 1]]
    length = np.linalg.norm(gap, axis=1)
    pull = gap * (strength(length) / np.maximum(length, 1e-9))[:, None]
    for axis in (0, 1):
        move[:, axis] += np.bincount(pairs[:, 0], pull[:, axis], len(move)) - np.bincount(pairs[:, 1], pull[:, axis], len(move))


LAYOUTS: Mapping[str, Callable[[nx.DiGraph], Layout]] = {"layered": layered, "force": force, "timeline": timeline}
