"""What the Graph page says of questions and nodes, against a memory small enough to count by hand; and the GraphML download."""

from __future__ import annotations

import io
import math

import networkx as nx
import pytest
from builders import memory_of, note

from workbench.memory import Memory
from workbench.methods.base import create
from workbench.records import Gold, Question
from workbench.ui.graph_details import concept_details, drawable, question_marks, tag_details, topic_details
from workbench.ui.graph_files import graphml


@pytest.fixture
def memory() -> Memory:
    return memory_of(
        note("1", ["food/cake", "city/graz", "tool/oven"], where="place/home", user="We baked a cake at home.", day=1),
        note("2", "food/cakes", user="More cakes.", day=2),
        note("3", ["food/cake", "tool/mixer"], where="place/home", user="The mixer broke over the cake.", day=3),
        note("4", ["tool/oven", "food/cake", "city/graz"], where="place/home", user="An oven.", day=4),
    )


def test_tag_details(memory):
    tag = tag_details(memory, "food/cake")
    assert [found.id for found in tag.notes] == ["4", "3", "1"]
    assert (tag.of, tag.categories) == (4, ("what",))
    assert tag.idf == pytest.approx(math.log(5 / 4) + 1)
    assert [(pair.first, pair.second, pair.reason) for pair in tag.near] == [("food/cake", "food/cakes", "same words")]


def test_topic_details(memory):
    topic = topic_details(memory, "food/cake")
    assert [found.id for found in topic.notes] == ["3", "1"]
    assert ("where", "place/home") in topic.attributes
    # food/cake has cake, graz, oven, home, mixer; tool/oven has oven, cake, graz, home: four of five are shared.
    assert topic.similar == (("tool/oven", 4 / 5),)


def test_concept_details(memory):
    concept = concept_details(memory, "food")
    assert (concept.broader, concept.narrower, concept.tags, concept.notes) == (None, ("food/cake", "food/cakes"), 2, 4)
    assert concept_details(memory, "food/cake").broader == "food"


def test_marks_of_a_question(memory):
    question = Question("q", "Which oven, which cake?", gold=Gold(notes=("1",)))
    ranking = create("bm25", memory=memory).query(question.text, k=None)
    marks = question_marks(memory, question.text, question, ranking, "tag_basic", k=1)
    assert marks.seeds == {"tag:tool/oven", "tag:food/cake", "tag:food/cakes"}
    assert marks.gold == {"file:1"}
    assert marks.gold_tags == {"tag:food/cake", "tag:city/graz", "tag:tool/oven", "tag:place/home"}
    order = [hit.note_id for hit in ranking.hits]
    assert marks.ranks == {f"file:{order[0]}": 1}
    assert (marks.gold_rank, marks.candidates) == (order.index("1") + 1, 4)
    assert set(marks.centres(1)) == {*marks.seeds, "file:1", f"file:{order[0]}"}


def test_marks_of_a_query_without_words(memory):
    marks = question_marks(memory, "?!", None, None, "bm25", k=10)
    assert (marks.seeds, marks.gold, marks.ranks, marks.gold_rank) == (frozenset(), frozenset(), {}, None)
    assert marks.remarks == ("the query holds no word",)


def test_the_drawable_graph_is_built_once_a_state(memory):
    first = drawable(memory)
    assert drawable(memory) is first
    memory.add(note("5", "tool/pan", day=5))
    assert "tag:tool/pan" in drawable(memory)


def test_graphml_reads_back(memory):
    graph = drawable(memory).copy()
    graph.nodes["file:1"]["label"] = "a \x00 null, </node> & a \ud800 half pair"
    read = nx.read_graphml(io.BytesIO(graphml(graph)))
    assert set(read) == set(graph)
    assert set(read.edges) == set(graph.edges)
    assert read.nodes["tag:food/cake"]["categories"] == "what"
    assert read.nodes["file:1"]["label"] == "a \ufffd null, </node> & a \ufffd half pair"
