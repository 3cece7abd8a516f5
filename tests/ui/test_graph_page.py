"""The page Graph without a browser: what it draws, what it says where there is nothing to draw, and hostile text."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path

import pytest
from shown import HOSTILE, html, markdown, texts
from streamlit.testing.v1 import AppTest

from workbench.records import Case, Extraction, Note, Session, Turn
from workbench.store import ExtractionKey, open_store


@pytest.fixture
def kiln(store: Path) -> dict[str, str]:
    """Query parameters of the case whose answer, the note s2#1, has a tag that the question matches."""
    with open_store(store, read_only=True) as opened:
        row = next(row for row in opened.extractions.list("small/kiln") if row.extractor == "first")
    return {"benchmark": "small", "case": "small/kiln", "question": "kiln_q1", "extraction": f"first:{row.digest[:8]}"}


def _script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import graph

    context.sidebar()
    graph.show()


def graph_page(**query: str | list[str]) -> AppTest:
    page = AppTest.from_function(_script, default_timeout=60)
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


def drawn(page: AppTest) -> dict:
    """What is sent to the browser."""
    (component,) = page.get("bidi_component")
    return json.loads(component.proto.json)


def labels(page: AppTest) -> dict[str, str]:
    return {node["id"]: node["label"] for node in drawn(page)["nodes"] if not node["id"].startswith("caption:")}


def table(page: AppTest) -> list[dict]:
    return page.dataframe[0].value.to_dict("records")


def test_a_line_says_whether_topics_group_anything(store):
    captions = [caption.value for caption in graph_page(case="small/kiln", question="kiln_q1").caption]
    (line,) = [text for text in captions if "of them with a single note" in text]
    assert "topics" in line
    assert "the largest" in line


def test_seeds_gold_and_hits_are_drawn_with_their_marks(kiln):
    page = graph_page(**kiln)
    shown = labels(page)
    assert shown["file:s2#1"].startswith("★ gold #1")
    assert shown["tag:pottery/kiln"].startswith("▶")
    assert {"topic:pottery/kiln", "ont:pottery/kiln"} <= set(shown)
    assert "hidden" in drawn(page)["count"] or "nodes shown" in drawn(page)["count"]


def test_the_table_lists_the_same_nodes_gold_first(kiln):
    page = graph_page(**kiln)
    rows = table(page)
    assert len(rows) == len(labels(page))
    assert rows[0]["Mark"].startswith("★ gold")
    assert {row["Kind"] for row in rows} == {"tag", "topic", "note", "ontology"}


def test_a_node_in_the_url_is_selected_in_picture_table_and_panel(kiln):
    page = graph_page(**kiln, node="tag:pottery/kiln")
    assert drawn(page)["selected"] == ["tag:pottery/kiln"]
    assert "matched by the query" in markdown(page)
    assert "in 2 of 5 notes" in markdown(page).replace("\\", "")


def test_a_node_that_the_case_has_not_is_forgotten(kiln):
    page = graph_page(**kiln, node="tag:no/such", expand=["file:nobody"])
    assert drawn(page)["selected"] == []
    assert "node" not in page.query_params
    assert "expand" not in page.query_params


def test_a_link_in_the_panel_leads_to_another_node(kiln):
    page = graph_page(**kiln, node="tag:pottery/kiln")
    next(button for button in page.button if "sold my old kiln" in button.label).click().run()
    assert page.query_params["node"] == "file:s3#2"
    assert "I sold my old kiln." in re.sub("<[^>]+>", "", html(page))


def test_expanding_and_folding(kiln):
    page = graph_page(**kiln, node="ont:pottery/kiln", steps="0")
    before = set(labels(page))
    page.slider(key="steps").set_value(1)
    next(button for button in page.button if button.label == "Expand").click().run()
    assert before <= set(labels(page))
    assert page.query_params["expand"] == "ont:pottery/kiln"
    next(button for button in page.button if button.label == "Fold").click().run()
    assert "expand" not in page.query_params


def test_search_is_drawn_around_what_was_found(kiln):
    page = graph_page(**kiln)
    page.text_input(key="find").set_value("tuesdays").run()
    assert "file:s3#1" in labels(page)
    assert "file:s2#1" not in labels(page)


def test_a_search_without_a_result_offers_a_way_back(kiln):
    page = graph_page(**kiln, find="xyzzy")
    assert "Nothing in this case is called “xyzzy”" in markdown(page)
    next(button for button in page.button if button.label == "Clear the search").click().run()
    assert page.text_input(key="find").value == ""
    assert "file:s2#1" in labels(page)


def test_kinds_can_be_switched_off(kiln):
    page = graph_page(**kiln)
    page.pills(key="kinds").set_value(["tag", "file"]).run()
    assert {node.partition(":")[0] for node in labels(page)} == {"tag", "file"}
    assert "kind switched off" in drawn(page)["count"]


def test_paths_to_gold_hold_only_the_paths(kiln):
    page = graph_page(**kiln)
    page.segmented_control(key="view").set_value("paths").run()
    assert set(labels(page)) == {"tag:pottery/kiln", "topic:pottery/kiln", "file:s2#1"}


def test_the_whole_case_is_all_of_it_connected_or_not(kiln):
    page = graph_page(**kiln, kinds=["Note", "Topic"])
    page.segmented_control(key="view").set_value("whole").run()
    assert len([node for node in labels(page) if node.startswith("file:")]) == 5
    assert "not connected" not in drawn(page)["count"]


def test_the_whole_case_has_a_number_of_nodes_of_its_own(kiln):
    page = graph_page(**kiln, most="60")
    page.segmented_control(key="view").set_value("whole").run()
    assert page.select_slider(key="most_whole").value == 5000
    page.segmented_control(key="view").set_value("around").run()
    assert page.select_slider(key="most").value in (60, 150)


def test_thick_lines_are_explained_where_there_are_any(kiln):
    assert "thick lines: shortest paths" in markdown(graph_page(**kiln)).replace("\\", "")
    assert "thick lines" not in markdown(graph_page(**kiln | {"question": "kiln_q3"}))


def test_the_panel_tells_a_rank_with_method_and_candidates(kiln):
    page = graph_page(**kiln, node="file:s2#1", ranks_of="bm25")
    assert re.search(r"rank 1 of \d+ candidates by bm25", markdown(page).replace("\\", ""))


def test_the_url_leads_where_the_browser_goes_back(kiln):
    page = graph_page(**kiln)
    page.query_params["node"] = "tag:pottery/kiln"
    page.run()
    next(button for button in page.button if "sold my old kiln" in button.label).click().run()
    assert drawn(page)["selected"] == ["file:s3#2"]
    page.query_params["node"] = "tag:pottery/kiln"  # back
    page.run()
    assert drawn(page)["selected"] == ["tag:pottery/kiln"]
    del page.query_params["node"]  # and back to the beginning
    page.run()
    assert drawn(page)["selected"] == []
    assert "Nothing selected" in markdown(page)


def test_paths_without_gold_say_so(kiln):
    page = graph_page(**kiln | {"question": "kiln_q3"})
    page.segmented_control(key="view").set_value("paths").run()
    assert "Show what is around the question instead" in markdown(page)
    next(button for button in page.button if button.label == "Around the question").click().run()
    assert not page.exception


def test_a_query_that_meets_nothing_offers_the_whole_case(kiln):
    page = graph_page(**kiln, q="zzz qqq")
    assert "Nothing of the question is in this graph" in markdown(page)
    next(button for button in page.button if button.label == "Show the whole case").click().run()
    assert len([node for node in labels(page) if node.startswith("file:")]) == 5


@pytest.mark.parametrize("layout", ["layered", "force", "timeline"])
def test_every_layout_is_drawn(kiln, layout):
    page = graph_page(**kiln)
    page.segmented_control(key="layout").set_value(layout).run()
    assert labels(page)


def test_without_a_case_the_page_says_what_to_do(no_store):
    assert "Load the demo" in markdown(graph_page())


def test_a_case_without_tags_says_so(store):
    session = Session("n", (Turn("user", "Hm."), Turn("assistant", "Yes?")), 0, datetime(2024, 5, 1))
    from workbench.notes import interactions

    case = Case("bare", "b1", (session,))
    notes = tuple(Note(one, Extraction()) for one in interactions(case))
    with open_store(store) as opened:
        opened.cases.add(case, notes, ExtractionKey("none"), now=datetime(2024, 5, 1))
    page = graph_page(benchmark="bare", case="bare/b1")
    assert "has a tag" in markdown(page)
    assert "Choose another extraction" in markdown(page)


def test_hostile_text_is_neither_markdown_nor_html(store):
    page = graph_page(benchmark="small", case="small/hostile", question="hostile_q1", node="file:h1#1")
    assert HOSTILE in texts(page)
    assert "<img" not in html(page)
    assert "onerror" in html(page)
    assert "[link](https://evil.example)" not in markdown(page)
    assert "<img" not in markdown(page).replace("\\<", "")


def test_the_other_method_gives_the_ranks(kiln):
    page = graph_page(**kiln)
    page.selectbox(key="ranks_of").set_value("bm25").run()
    assert any("#1" in label for label in labels(page).values())
