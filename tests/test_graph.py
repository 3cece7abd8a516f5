"""The tag-topic-file graph by hand: nodes, topics, attributes and the six kinds of edges (spec 2.4, decisions 5, 6, 11, 13)."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from builders import memory_of, note, note_lists
from hypothesis import given, settings

from workbench import graph as graph_module
from workbench.graph import EDGE_KINDS, GraphConfig, TagGraph
from workbench.memory import Memory
from workbench.records import Note

LITERAL = GraphConfig("simple", "primary_what", False, True, False)


def graph_of(*notes: Note, participants: tuple[str, ...] = (), config: GraphConfig | None = None) -> TagGraph:
    return TagGraph(memory_of(*notes, participants=participants), config or GraphConfig())


def edges(graph: TagGraph, kind: str) -> dict[tuple[str, str], float]:
    """Edges of one kind by node ids."""
    names, found = graph.node_ids, graph.edges[kind]
    return {
        (names[u], names[v]): w
        for u, v, w in zip(found.source.tolist(), found.target.tolist(), found.weight.tolist(), strict=True)
    }


# Nodes and edges -----------------------------------------------------------------------------------------------------------


def test_a_small_graph_by_hand() -> None:
    graph = graph_of(
        note("n1", "food/cake", who="person/ann", day=1),
        note("n2", ("food/cake", "food"), who="person/ann", day=2),
    )
    # Tags in order of first use: categories come in the order who, what, when, where, why, extra.
    assert graph.node_ids == [
        "tag:person/ann",
        "tag:food/cake",
        "tag:food",
        "topic:food/cake",
        "file:n1",
        "file:n2",
        "ont:person",
        "ont:person/ann",
        "ont:food",
        "ont:food/cake",
    ]
    assert graph.offset == {"tag": 0, "topic": 3, "file": 4, "ontology": 6}
    assert [graph.kind_of(i) for i in (0, 2, 3, 4, 5, 6, 9)] == ["tag", "tag", "topic", "file", "file", "ontology", "ontology"]
    assert edges(graph, "tag_topic") == {
        ("tag:person/ann", "topic:food/cake"): 1,
        ("tag:food/cake", "topic:food/cake"): 1,
        ("tag:food", "topic:food/cake"): 1,
    }
    assert edges(graph, "topic_file") == {("topic:food/cake", "file:n1"): 1, ("topic:food/cake", "file:n2"): 1}
    assert edges(graph, "ontology") == {("ont:person", "ont:person/ann"): 1, ("ont:food", "ont:food/cake"): 1}
    assert edges(graph, "instance") == {
        ("ont:person/ann", "tag:person/ann"): 1,
        ("ont:food/cake", "tag:food/cake"): 1,
        ("ont:food", "tag:food"): 1,
    }
    assert edges(graph, "chronological") == {("file:n1", "file:n2"): 1}
    assert edges(graph, "similarity") == {}


def test_a_path_in_two_categories_is_one_tag() -> None:
    graph = graph_of(note("n1", "sport/tennis", why="sport/tennis"))
    assert graph.paths == ["sport/tennis"]
    assert graph.categories == [{"what", "why"}]


def test_prefixes_without_a_tag_are_ontology_nodes() -> None:
    graph = graph_of(note("n1", "a/b/c"))
    assert graph.ontology == ["a", "a/b", "a/b/c"]
    assert edges(graph, "ontology") == {("ont:a", "ont:a/b"): 1, ("ont:a/b", "ont:a/b/c"): 1}


@pytest.mark.parametrize("notes", [(), (note("n1"),)], ids=["no notes", "no tags"])
def test_a_graph_of_nothing(notes: tuple[Note, ...]) -> None:
    graph = graph_of(*notes)
    assert graph.n_nodes == 2 * len(notes)  # a file and the topic "misc"
    assert graph.topics == ["misc"] * len(notes)
    assert graph.weights(dict.fromkeys(EDGE_KINDS, 1.0)).shape == (graph.n_nodes, graph.n_nodes)
    assert graph.to_networkx().number_of_nodes() == graph.n_nodes
    assert graph.health.topics == len(notes)


# The time line -------------------------------------------------------------------------------------------------------------


def test_chronological_edges_join_consecutive_notes() -> None:
    graph = graph_of(
        note("c", day=3),
        note("a", day=1),
        note("b2", session="s", day=2, round=1),
        note("b1", session="s", day=2, round=0),
    )
    assert list(edges(graph, "chronological")) == [("file:a", "file:b1"), ("file:b1", "file:b2"), ("file:b2", "file:c")]


def test_passages_have_no_time_line() -> None:
    # No time, so no chronological edges (decision 13).
    graph = graph_of(*(note(f"p{i}", f"place/town{i}", day=None, position=i) for i in range(4)))
    assert edges(graph, "chronological") == {}


def test_undated_notes_of_one_session_or_with_a_time_in_words_keep_their_order() -> None:
    # "Monday 9:00" is no calendar date, yet the source orders by it; rounds of one session follow each other anyway.
    graph = graph_of(
        note("m", day=None, time_text="Monday 9:00", position=0),
        note("t", day=None, time_text="Tuesday 9:00", position=1),
        note("u1", session="chat", day=None, position=2, round=0),
        note("u2", session="chat", day=None, position=2, round=1),
    )
    assert list(edges(graph, "chronological")) == [("file:m", "file:t"), ("file:u1", "file:u2")]


# Topics --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tags", "topic"),
    [
        ({"what": "food/cake/lemon"}, "food/cake"),
        ({"what": ("music/guitar", "food/cake")}, "music/guitar"),
        ({"what": "garden"}, "garden"),
        ({"who": "person/ann", "where": "place/rome"}, "misc"),
        ({"extra": "mood/happy"}, "mood/happy"),
        ({"what": "food/cake", "extra": "mood/happy"}, "food/cake"),
        ({"what": ("action/bake", "food/cake")}, "food/cake"),
        ({"what": "action/bake"}, "misc"),
        ({"what": ("chat/thanks", "food/cake")}, "food/cake"),
        ({"what": ("travel/tips", "food/cake")}, "food/cake"),
        ({"what": ("media/photos", "food/cake")}, "food/cake"),
        ({"what": ("person/caroline", "food/cake")}, "food/cake"),
        ({"what": ("friend/mel_stone", "food/cake")}, "food/cake"),
        ({"what": ("city/caroline_springs", "food/cake")}, "city/caroline_springs"),
    ],
)
def test_the_topic_is_the_most_salient_eligible_what_path(tags: dict[str, str], topic: str) -> None:
    assert graph_of(note("n1", **tags), participants=("Caroline", "Mel Stone")).topics == [topic]


def test_literally_the_topic_is_the_first_what_path() -> None:
    for path in ("action/bake", "chat/thanks", "person/caroline"):
        assert graph_of(note("n1", (path, "food/cake")), participants=("Caroline",), config=LITERAL).topics == [path]


def test_other_topic_policies() -> None:
    notes = (note("n1", ("food/cake", "music/guitar"), where="place/rome"), note("n2", day=2))
    assert graph_of(*notes, config=GraphConfig(topic_policy="per_note")).topics == ["note n1", "note n2"]
    graph = graph_of(*notes, config=GraphConfig(topic_policy="root"))
    assert graph.topics == ["food", "music", "place", "misc"]
    assert graph.topics_of_note == [[0, 1, 2], [3]]


def test_health_warns_of_singletons_and_of_a_giant() -> None:
    single = graph_of(*(note(f"n{i}", f"topic{i}/x", day=i) for i in range(20))).health
    assert (single.topics, single.singleton_share, single.largest) == (20, 1.0, 1)
    assert any("single note" in warning for warning in single.warnings)
    giant = graph_of(*(note(f"n{i}", "food/cake" if i < 6 else f"t{i // 2}/x", day=i) for i in range(20))).health
    assert (giant.largest, giant.largest_label) == (6, "food/cake")
    assert len(giant.warnings) == 1
    assert "'food/cake' holds 6 of 20" in giant.warnings[0]
    # At the limits (25% and 90%) there is no warning: 5 of 20 notes.
    even = graph_of(*(note(f"n{i}", f"t{i // 5}/x", day=i) for i in range(20))).health
    assert even.warnings == ()


# Similarity ----------------------------------------------------------------------------------------------------------------


def similar(first: dict[str, object], second: dict[str, object], **keywords: object) -> dict[tuple[str, str], float]:
    """Similarity edges between two notes in the topics a and b."""
    notes = (note("n1", "a", day=1, **first), note("n2", "b", day=2, **second))  # type: ignore[arg-type]
    return edges(graph_of(*notes, **keywords), "similarity")  # type: ignore[arg-type]


def test_topics_are_similar_from_three_shared_attributes_on() -> None:
    # Each topic also has its own What path: with three shared attributes the union is 5, Jaccard 3/5.
    three = {"where": ("rome", "oslo"), "why": "work"}
    assert similar(three, three) == {("topic:a", "topic:b"): pytest.approx(3 / 5)}
    two = {"where": ("rome", "oslo")}
    assert similar(two, two) == {}


def test_jaccard_counts_all_attributes() -> None:
    # Shared: rome, oslo, work. a also has "a" and when/may; b also "b". Union 3 + 2 + 1 = 6.
    first = {"where": ("rome", "oslo"), "why": "work", "when": "may"}
    assert similar(first, {"where": ("oslo", "rome"), "why": "work"}) == {("topic:a", "topic:b"): pytest.approx(3 / 6)}


def test_an_attribute_is_a_path_in_its_category() -> None:
    assert similar({"where": ("rome", "oslo"), "why": "work"}, {"where": ("rome", "oslo"), "when": "work"}) == {}


def test_extra_is_no_attribute() -> None:
    assert similar({"where": ("rome", "oslo"), "extra": "work"}, {"where": ("rome", "oslo"), "extra": "work"}) == {}


def test_participants_are_no_attributes_unless_literal() -> None:
    same = {"who": "person/ann", "where": ("rome", "oslo")}
    assert similar(same, same, participants=("Ann",)) == {}
    assert similar(same, same, participants=("Bob",)) == {("topic:a", "topic:b"): pytest.approx(3 / 5)}
    assert similar(same, same, participants=("Ann",), config=LITERAL) == {("topic:a", "topic:b"): pytest.approx(3 / 5)}


def test_attributes_are_those_of_all_notes_of_a_topic() -> None:
    graph = graph_of(
        note("n1", "a", where=("rome", "oslo"), day=1),
        note("n2", "a", why="work", day=2),
        note("n3", "b", where=("rome", "oslo"), why="work", day=3),
    )
    assert graph.attributes(0) == {("what", "a"), ("where", "rome"), ("where", "oslo"), ("why", "work")}
    assert edges(graph, "similarity") == {("topic:a", "topic:b"): pytest.approx(3 / 5)}


def test_common_attributes_are_skipped_in_large_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    # Ten topics share three attributes; another three are shared by the first two topics alone.
    monkeypatch.setattr(graph_module, "LARGE", 9)
    everywhere = ("rome", "oslo", "bern")
    notes = [note(f"n{i}", f"t{i}", where=everywhere, why=("x", "y", "z") if i < 1 else (), day=i) for i in range(10)]
    notes += [note("m0", "u0", when=("p", "q", "r"), day=20)]
    # 11 topics: an attribute may be held by round(1.65) = 2 of them.
    notes += [note("m1", "u0/v", when=("p", "q", "r"), day=21)]
    assert edges(graph_of(*notes), "similarity") == {("topic:u0", "topic:u0/v"): pytest.approx(3 / 5)}
    with pytest.raises(ValueError, match="set skip_common_attributes=true"):
        _ = graph_of(*notes, config=GraphConfig(skip_common_attributes=False)).edges
    monkeypatch.setattr(graph_module, "LARGE", 12)
    assert len(edges(graph_of(*notes), "similarity")) == 1 + 10 * 9 // 2


@settings(max_examples=50, deadline=None)
@given(notes=note_lists())
def test_similarity_is_that_of_every_pair_compared(notes: list[Note]) -> None:
    graph = graph_of(*notes)
    expected = {}
    for a, one in enumerate(graph.topics):
        for b in range(a + 1, len(graph.topics)):
            shared = graph.attributes(a) & graph.attributes(b)
            if len(shared) >= 3:
                expected[f"topic:{one}", f"topic:{graph.topics[b]}"] = len(shared) / len(
                    graph.attributes(a) | graph.attributes(b)
                )
    assert edges(graph, "similarity") == pytest.approx(expected)


# Matching ------------------------------------------------------------------------------------------------------------------


def test_matching_by_hand() -> None:
    graph = graph_of(note("n1", ("food/cakes", "place/cake_street", "food"), who="person/ann"))
    names = {graph.paths[tag]: words for tag, words in graph.match(("cake", "food", "place", "person", "ann")).items()}
    assert names == {"food/cakes": ("cake", "food"), "place/cake_street": ("cake",), "food": ("food",), "person/ann": ("ann",)}


def test_unicode_paths_are_matched() -> None:
    graph = graph_of(note("n1", ("food/crème_brûlée", "city/são_paulo", "city/東京")))
    assert [graph.paths[tag] for tag in graph.match(graph._analyser.words("São 東京"))] == ["city/são_paulo", "city/東京"]


# Weights -------------------------------------------------------------------------------------------------------------------

ONES = dict.fromkeys(EDGE_KINDS, 1.0)


def test_the_symmetric_reading_uses_every_edge_both_ways() -> None:
    graph = graph_of(note("n1", "food/cake", day=1), note("n2", "music", day=2))
    matrix = graph.weights(ONES).toarray()
    assert (matrix == matrix.T).all()
    assert np.count_nonzero(matrix) == 2 * sum(map(len, graph.edges.values()))


def test_the_directed_reading_goes_from_tags_to_files_only() -> None:
    graph = graph_of(note("n1", "food/cake", day=1), note("n2", "music", day=2))
    matrix = graph.weights(ONES, "directed").toarray()
    names = graph.node_ids
    both = [(names[u], names[v]) for u, v in zip(*np.nonzero(matrix), strict=True)]
    for kind in EDGE_KINDS:
        for u, v in edges(graph, kind):
            assert (u, v) in both
            assert ((v, u) in both) == (kind not in ("tag_topic", "topic_file"))


def test_each_kind_has_its_factor_and_zero_leaves_it_out() -> None:
    graph = graph_of(note("n1", "food/cake", day=1), note("n2", "food/cake", day=2))
    number = graph.node_ids.index
    matrix = graph.weights({**ONES, "chronological": 0.5, "instance": 3.0, "topic_file": 0.0}).toarray()
    assert matrix[number("file:n1"), number("file:n2")] == 0.5
    assert matrix[number("tag:food/cake"), number("ont:food/cake")] == 3
    assert matrix[number("topic:food/cake")][[number("file:n1"), number("file:n2")]].tolist() == [0, 0]


@pytest.mark.parametrize("weight", [-1.0, float("nan")])
def test_a_bad_weight_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="weight of similarity edges is"):
        graph_of(note("n1", "food")).weights({**ONES, "similarity": weight})


# The NetworkX view ---------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(notes=note_lists())
def test_the_networkx_view_holds_the_same_graph(notes: list[Note]) -> None:
    graph = TagGraph(Memory(notes), GraphConfig())
    view = graph.to_networkx()
    assert set(view) == set(graph.node_ids)
    dense = nx.to_numpy_array(view.to_undirected(), nodelist=graph.node_ids, weight="weight")
    assert dense == pytest.approx(graph.weights(ONES).toarray())
    kinds = nx.get_node_attributes(view, "kind")
    assert [kinds[name] for name in graph.node_ids] == [graph.kind_of(i) for i in range(graph.n_nodes)]
    assert not any(kind == "chronological" for *_, kind in graph.to_networkx(chronological=False).edges(data="kind"))
