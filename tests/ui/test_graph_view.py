"""The drawn graph without a browser: which part is shown, where nodes stand, how they look, and that texts stay texts."""

from __future__ import annotations

import html
import itertools
import json
import random
import tomllib
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sample_graph import sample_graph

from workbench import colours
from workbench.ui.graph_files import notebook_html, offline_html, outside_references
from workbench.ui.graph_layout import LAYERS, LAYOUTS, ROW, count_crossings, force, layered, spread, timeline
from workbench.ui.graph_scope import CATEGORIES, KINDS, ego_view, find, paths_between
from workbench.ui.graph_view import CAPTION, GraphView, edge_ends, network, short_label

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = '</script><img src="https://evil.example/x.png" onerror="alert(1)"> <a href="https://evil.example">\u202e link'


@pytest.fixture(scope="module")
def graph() -> nx.DiGraph:
    return sample_graph(12)


def chain() -> nx.DiGraph:
    """ont:a -> ont:a/b -> tag:a/b -> topic:t -> file:1, file:2 (in time order), and tag:x -> topic:t."""
    made = nx.DiGraph()
    made.add_node("ont:a", kind="ontology", label="a")
    made.add_node("ont:a/b", kind="ontology", label="a/b")
    made.add_node("tag:a/b", kind="tag", label="a/b", categories=["what"], df=2)
    made.add_node("tag:x", kind="tag", label="x", categories=["who"], df=1)
    made.add_node("topic:t", kind="topic", label="t")
    made.add_node("file:1", kind="file", label="first", session="s", time="2024-01-01", order=0)
    made.add_node("file:2", kind="file", label="second", session="s", time="2024-01-02", order=1)
    for a, b, kind in (
        ("ont:a", "ont:a/b", "ontology"),
        ("ont:a/b", "tag:a/b", "instance"),
        ("tag:a/b", "topic:t", "tag_topic"),
        ("tag:x", "topic:t", "tag_topic"),
        ("topic:t", "file:1", "topic_file"),
        ("topic:t", "file:2", "topic_file"),
        ("file:1", "file:2", "chronological"),
    ):
        made.add_edge(a, b, kind=kind, weight=1.0)
    return made


def shuffled(graph: nx.DiGraph, seed: int = 3) -> nx.DiGraph:
    chance = random.Random(seed)
    nodes, edges = list(graph.nodes(data=True)), list(graph.edges(data=True))
    chance.shuffle(nodes)
    chance.shuffle(edges)
    made = nx.DiGraph()
    made.add_nodes_from(nodes)
    made.add_edges_from(edges)
    return made


# Scope ------------------------------------------------------------------------------------------------------------------


def test_one_hop_around_a_tag_counts_what_it_hides():
    scope = ego_view(chain(), ["tag:a/b"], hops=1)
    assert set(scope.graph) == {"ont:a/b", "tag:a/b", "topic:t"}
    assert scope.hidden == {"more than 1 step away": 4}


def test_time_order_is_no_step():
    graph = chain()
    graph.remove_edge("topic:t", "file:2")
    assert "file:2" not in ego_view(graph, ["file:1"], hops=None).graph
    assert ego_view(graph, ["file:1"], hops=None).hidden == {"not connected": 1}


def test_a_kind_that_is_switched_off_is_still_walked_through():
    scope = ego_view(chain(), ["tag:a/b"], hops=2, kinds=["tag", "file"])
    assert set(scope.graph) == {"tag:a/b", "tag:x", "file:1", "file:2"}
    assert scope.hidden == {"kind switched off": 3}


def test_a_category_takes_its_concepts_along():
    scope = ego_view(chain(), [], hops=None, categories=["who"])
    assert set(scope.graph) == {"tag:x", "topic:t", "file:1", "file:2"}
    assert scope.hidden == {"category switched off": 3}


def test_search_replaces_the_centres():
    scope = ego_view(chain(), ["ont:a"], hops=0, search="SECO")
    assert set(scope.graph) == {"file:2"}
    assert scope.centres == ("file:2",)


def test_search_without_a_result_shows_nothing_and_says_why():
    scope = ego_view(chain(), ["ont:a"], hops=1, search="no such word")
    assert len(scope.graph) == 0
    assert sum(scope.hidden.values()) == 7


def test_kept_nodes_are_drawn_at_any_distance():
    assert set(ego_view(chain(), ["ont:a"], hops=0, keep=["file:2", "file:unknown"]).graph) == {"ont:a", "file:2"}


def test_limit_keeps_the_nearest():
    scope = ego_view(chain(), ["ont:a"], hops=None, limit=3)
    assert set(scope.graph) == {"ont:a", "ont:a/b", "tag:a/b"}
    assert scope.hidden == {"over the limit of 3": 4}


@given(
    seed=st.integers(0, 50),
    hops=st.none() | st.integers(0, 4),
    limit=st.integers(1, 60),
    kinds=st.sets(st.sampled_from(KINDS)),
    categories=st.sets(st.sampled_from(CATEGORIES)),
)
@settings(max_examples=40, deadline=None)
def test_shown_and_hidden_are_the_whole_graph(seed, hops, limit, kinds, categories):
    graph = sample_graph(9, seed)
    scope = ego_view(graph, sorted(graph)[:2], hops, limit, kinds, categories)
    assert len(scope.graph) + sum(scope.hidden.values()) == len(graph)
    assert len(scope.graph) <= limit
    assert {scope.graph.nodes[node]["kind"] for node in scope.graph} <= kinds


@pytest.mark.parametrize(
    ("given_", "named"), [({"hops": -1}, "-1"), ({"hops": 1, "limit": 0}, "0"), ({"hops": 1, "kinds": ["tags"]}, "'tags'")]
)
def test_misuse_names_the_value(given_, named):
    with pytest.raises(ValueError, match=named):
        ego_view(chain(), ["ont:a"], **given_)


def test_find_wants_every_word_and_nothing_for_blanks(graph):
    assert find(chain(), "FIRST") == ["file:1"]
    assert find(chain(), "  ") == []
    assert find(graph, "home garden") == [
        n for n in sorted(graph) if all(w in graph.nodes[n]["label"] for w in ("home", "garden"))
    ]


def test_paths_are_all_shortest_paths(graph):
    source, target = "tag:home/garden", "file:s01#2"
    walked = nx.Graph((a, b) for a, b, kind in graph.edges(data="kind") if kind != "chronological")
    expected = set(itertools.chain(*nx.all_shortest_paths(walked, source, target)))
    assert paths_between(graph, [source], [target]) == expected


def test_no_path_is_an_empty_set():
    graph = chain()
    graph.remove_node("topic:t")
    assert paths_between(graph, ["tag:x"], ["file:1"]) == set()


# Layouts ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_does_not_depend_on_the_order_of_building(name, graph):
    assert LAYOUTS[name](graph) == LAYOUTS[name](shuffled(graph))


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_node_has_a_place_of_its_own(name):
    graph = sample_graph(60)
    positions = LAYOUTS[name](graph).positions
    assert set(positions) == set(graph)
    assert len({(round(x), round(y)) for x, y in positions.values()}) == len(graph)
    assert np.isfinite(list(positions.values())).all()


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("nodes", [[], ["tag:a/b"], ["file:1", "file:2"], ["ont:a", "file:2"]])
def test_small_and_unconnected_graphs_are_laid_out(name, nodes):
    graph = chain().subgraph(nodes)
    assert set(LAYOUTS[name](graph).positions) == set(nodes)


def test_layered_reads_from_left_to_right(graph):
    positions = layered(graph).positions
    reach = {kind: [positions[n][0] for n, k in graph.nodes(data="kind") if k == kind] for kind in LAYERS}
    for left, right in itertools.pairwise(LAYERS):
        assert max(reach[left]) < min(reach[right])


def test_layered_keeps_files_in_time_order_and_rows_apart(graph):
    positions = layered(graph).positions
    files = sorted((n for n, k in graph.nodes(data="kind") if k == "file"), key=lambda n: graph.nodes[n]["order"])
    assert [positions[n][1] for n in files] == sorted(positions[n][1] for n in files)
    for kind in LAYERS:
        heights = sorted(positions[n][1] for n, k in graph.nodes(data="kind") if k == kind)
        assert min(np.diff(heights)) >= ROW - 1e-6


def test_layered_puts_a_concept_over_its_narrower_ones(graph):
    positions = layered(graph).positions
    for broad, narrow, kind in graph.edges(data="kind"):
        if kind == "ontology":
            assert positions[broad][1] < positions[narrow][1]
            assert positions[broad][0] < positions[narrow][0]


def test_layered_crosses_less_than_the_alphabet():
    graph = sample_graph(30)
    positions = layered(graph).positions
    near = {node: set(nx.all_neighbors(graph, node)) for node in graph}
    alphabet = {kind: sorted(n for n, k in graph.nodes(data="kind") if k == kind) for kind in LAYERS}
    drawn = {kind: sorted(nodes, key=lambda n: positions[n][1]) for kind, nodes in alphabet.items()}
    assert count_crossings(drawn, near) < 0.8 * count_crossings(alphabet, near)


@given(st.integers(0, 30))
@settings(max_examples=10, deadline=None)
def test_crossings_are_counted_as_by_comparing_all_pairs(seed):
    graph = sample_graph(6, seed)
    near = {node: set(nx.all_neighbors(graph, node)) for node in graph}
    order = {kind: sorted(n for n, k in graph.nodes(data="kind") if k == kind) for kind in LAYERS}
    expected = 0
    for left, right in itertools.pairwise(LAYERS):
        ends = [(i, j) for i, a in enumerate(order[left]) for j, b in enumerate(order[right]) if b in near[a]]
        expected += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in itertools.combinations(ends, 2))
    assert count_crossings(order, near) == expected


@given(arrays(float, st.integers(1, 12), elements=st.floats(-100, 100)))
def test_spread_keeps_order_and_distance_and_what_already_fits(wanted):
    placed = spread(wanted, 5.0)
    assert (np.diff(placed) >= 5.0 - 1e-9).all()
    assert placed.mean() == pytest.approx(wanted.mean(), abs=1e-9)
    assert spread(placed, 5.0) == pytest.approx(placed)


def test_force_draws_neighbours_nearer_than_others():
    graph = sample_graph(60)
    positions = force(graph).positions
    length = [np.hypot(*np.subtract(positions[a], positions[b])) for a, b in graph.edges]
    others = [np.hypot(*np.subtract(positions[a], positions[b])) for a, b in itertools.combinations(sorted(graph), 2)]
    assert np.mean(length) < 0.6 * np.mean(others)


def test_timeline_runs_with_time_in_the_row_of_the_topic():
    layout = timeline(chain())
    assert layout.positions["file:1"][0] < layout.positions["file:2"][0]
    assert layout.positions["file:1"][1] == layout.positions["topic:t"][1]
    assert [caption.text for caption in layout.captions] == ["2024-01-01"]


@pytest.mark.parametrize(
    ("time", "caption"),
    [
        ("2024-01-01 09:30", "2024-01-01"),
        ("Saturday 11:40 AM", "Saturday 11:40 AM"),
        ("the second Saturday after Easter", "the second Saturday…"),
        ("", "s"),
    ],
)
def test_timeline_tells_a_time_in_words_as_it_is(time, caption):
    graph = chain()
    graph.nodes["file:1"]["time"] = time
    assert [found.text for found in timeline(graph).captions] == [caption]


# Looks ------------------------------------------------------------------------------------------------------------------


def test_network_has_no_physics_and_python_positions(graph):
    view = GraphView(graph, layered(graph))
    net = network(view)
    assert net.options["physics"] == {"enabled": False}
    drawn = {node["id"]: (node["x"], node["y"]) for node in net.nodes if not node["id"].startswith(CAPTION)}
    assert drawn == {node: (round(x, 1), round(y, 1)) for node, (x, y) in view.layout.positions.items()}


def test_every_look_is_defined_in_both_themes(graph):
    view = GraphView(graph, layered(graph), seeds=frozenset(["tag:home/garden"]), gold=frozenset(["file:s01#2"]), mass={})
    for theme in ("light", "dark"):
        net = network(view, theme)
        assert {node["group"] for node in net.nodes} <= set(net.options["groups"])
        json.dumps(net.options)


def test_gold_differs_by_shape_and_word_where_there_are_no_boxes(graph):
    view = GraphView(graph, force(graph), gold=frozenset(["file:s01#2"]), ranks={"file:s01#2": 2, "file:s00#0": 1})
    net = network(view)
    gold = next(node for node in net.nodes if node["id"] == "file:s01#2")
    other = next(node for node in net.nodes if node["id"] == "file:s00#0")
    groups = net.options["groups"]
    assert groups[gold["group"]]["shape"] == "star" != groups[other["group"]]["shape"]
    assert gold["label"].startswith("★ gold #2")
    assert "gold" in gold["title"]
    assert "gold" not in other["label"]


def test_an_edge_stored_both_ways_is_drawn_once():
    graph = chain()
    graph.add_edge("ont:a/b", "ont:a", kind="ontology", weight=1.0)
    ids = [edge["id"] for edge in network(GraphView(graph, layered(graph))).edges]
    assert len(ids) == len(set(ids)) == 7
    assert ("ont:a", "ont:a/b") in [edge_ends(edge) for edge in ids]


def test_drawing_leaves_the_graph_as_it_was(graph):
    before = nx.to_dict_of_dicts(graph), dict(graph.nodes(data=True))
    network(GraphView(graph, layered(graph)))
    assert (nx.to_dict_of_dicts(graph), dict(graph.nodes(data=True))) == before


def test_area_is_in_proportion_to_mass():
    graph = chain()
    sizes = {
        node["id"]: node["size"] - 2 for node in network(GraphView(graph, force(graph), mass={"tag:x": 0.1, "file:1": 0.4})).nodes
    }
    assert sizes["file:1"] == pytest.approx(2 * sizes["tag:x"], abs=0.02)
    assert sizes["file:2"] == 0


def test_version_changes_with_nodes_and_layout_but_not_with_marks(graph):
    version = GraphView(graph, layered(graph)).version()
    assert GraphView(graph, layered(graph), gold=frozenset(["file:s01#2"]), ranks={"file:s00#0": 1}).version() == version
    assert GraphView(graph, force(graph)).version() != version


@pytest.mark.parametrize(
    ("kind", "label", "expected"),
    [
        ("tag", "a/b", "a/b"),
        ("tag", "career/software_engineering/backend/queue", "…/backend/queue"),
        ("tag", "x" * 40, "x" * 19 + "…"),
        ("ontology", "career/software", "software"),
        ("file", "two\nlines\t and  spaces", "two lines and spaces"),
        ("file", "", ""),
    ],
)
def test_short_labels(kind, label, expected):
    assert short_label(kind, label) == expected


# Stand-alone page -------------------------------------------------------------------------------------------------------


def hostile_view() -> GraphView:
    graph = chain()
    for node in graph:
        graph.nodes[node]["label"] = HOSTILE
    return GraphView(graph, layered(graph), hidden={"not connected": 2})


def test_offline_page_refers_to_nothing_outside():
    view = GraphView(chain(), layered(chain()))
    assert outside_references(offline_html(view, "Graph")) == []
    assert outside_references(network(view).generate_html(notebook=False)), "pyvis alone is offline by now: drop the mending"


def test_offline_page_keeps_hostile_text_as_text():
    page = offline_html(hostile_view(), f"Case {HOSTILE}")
    assert "<img" not in page
    plain = offline_html(GraphView(chain(), layered(chain())), "Graph")
    assert page.count("</script>") == plain.count("</script>")
    assert html.escape(HOSTILE) in page
    assert "popup.innerHTML" not in page


def test_offline_page_says_what_it_hides():
    assert "7 of 9 nodes shown · 2 hidden (not connected)" in offline_html(hostile_view(), "Graph")


def test_notebook_frame_holds_the_page_as_an_attribute():
    frame = notebook_html(GraphView(chain(), layered(chain())), "Graph")
    assert frame.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert frame.count('"') == 8
    assert 'sandbox="allow-scripts"' in frame


# Colours ----------------------------------------------------------------------------------------------------------------

# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
DEFICIENCY = {
    "none": np.eye(3),
    "protan": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deutan": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritan": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}


def linear(colour: str) -> np.ndarray:
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """Ottosson's perceptual colour space, where a distance of about 0.02 is just seen."""
    lms = np.cbrt(
        np.array(
            [
                [0.4122214708, 0.5363325363, 0.0514459929],
                [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005],
            ]
        )
        @ np.clip(rgb, 0, 1)
    )
    return (
        np.array(
            [
                [0.2104542553, 0.7936177850, -0.0040720468],
                [1.9779984951, -2.4285922050, 0.4505937099],
                [0.0259040371, 0.7827717662, -0.8086757660],
            ]
        )
        @ lms
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_and_texts_stand_out(theme):
    back, text = colours.BACKGROUND[theme], colours.TEXT[theme]
    marks = [colours.GOLD, colours.SEED, colours.ACCENT, *colours.KIND.values()]
    assert min(contrast(mark[theme], back) for mark in marks) >= 4.5
    assert min(contrast(text, fill[theme]) for fill in [*colours.KIND_FILL.values(), colours.GOLD_FILL]) >= 7
    assert contrast(colours.MUTED[theme], back) >= 4.5
    assert min(contrast(colours.method_colour(name, theme), back) for name in [*colours._METHOD, "mine", "other"]) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("eyes", DEFICIENCY)
def test_kinds_and_marks_stay_apart_for_all_eyes(theme, eyes):
    marks = {"gold": colours.GOLD, "seed": colours.SEED, **colours.KIND}
    seen = {name: oklab(DEFICIENCY[eyes] @ linear(colour[theme])) for name, colour in marks.items()}
    near = {pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]) for pair in itertools.combinations(seen, 2)}
    assert min(near.values()) > 0.07, sorted(near.items(), key=lambda item: item[1])[:3]


def test_no_two_methods_are_drawn_alike():
    for theme in ("light", "dark"):
        styles = [colours.method_style(name, theme) for name in colours._METHOD]
        assert len({style.colour for style in styles}) == len(styles)
        assert len({(style.dash, style.symbol) for style in styles}) == len(styles)


def test_the_theme_file_has_the_same_colours():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    for theme in ("light", "dark"):
        section = config["theme"][theme]
        assert section["backgroundColor"] == colours.BACKGROUND[theme]
        assert section["secondaryBackgroundColor"] == colours.PANEL[theme]
        assert section["textColor"] == colours.TEXT[theme]
        assert section["primaryColor"] == colours.ACCENT[theme]
        assert section["chartCategoricalColors"] == [colours.method_colour(name, theme) for name in colours._METHOD]


def test_the_app_stays_at_home():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["address"] == "127.0.0.1"
    assert config["browser"]["gatherUsageStats"] is False
