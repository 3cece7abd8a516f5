"""The page Graph of the real app in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from graph_drawing import click_node, drawn, node_ids
from playwright.sync_api import expect
from story_store import STORY, serve_story

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=alert(1)> [link](https://evil.example) **bold** </script>"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    return serve_story(serve, tmp_path_factory.mktemp("store"), HOSTILE)


def graph_page(address: str, **query: str) -> str:
    return f"{address}/graph?{urlencode(STORY | query)}"


@pytest.mark.parametrize(
    ("theme", "width"),
    [
        ("light", 1280),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (("dark", 1280), ("light", 1920), ("dark", 1920))),
    ],
)
def test_click_on_a_note_shows_its_text(address, open_page, picture, theme, width):
    watched = open_page(graph_page(address), theme, width)
    page = watched.page
    drawn(page)
    gold = page.evaluate("() => window.__graph().nodes.get().find(n => n.label.startsWith('★ gold')).id")
    click_node(page, gold)
    panel = page.locator(".st-key-node-panel")
    expect(panel.get_by_text("★ gold")).to_be_visible()
    expect(panel.get_by_text("Quick one before the ovens are hot", exact=False).first).to_be_visible()
    assert f"node={urlencode({'': gold})[1:]}" in page.url
    picture(watched, f"graph-{theme}-{width}")
    watched.assert_clean()


def test_the_way_back_leads_through_the_selected_nodes(address, open_page):
    page = open_page(graph_page(address)).page
    drawn(page)
    click_node(page, "tag:canal")
    page.wait_for_url(re.compile("node=tag%3Acanal"))
    page.locator(".st-key-node-panel").get_by_role("button", name="A woman called Perpetua").first.click()
    page.wait_for_url(re.compile("node=file"))
    page.go_back()
    page.wait_for_function("() => window.__graph().network.getSelectedNodes()[0] === 'tag:canal'")
    expect(page.locator(".st-key-node-panel").get_by_text("matched by the query")).to_be_visible()
    page.go_back()
    expect(page.locator(".st-key-node-panel").get_by_text("Nothing selected")).to_be_visible()
    page.wait_for_function("() => !window.__graph().network.getSelectedNodes().length")
    assert "node=" not in page.url


def test_a_node_stays_selected_on_the_way_over_another_page(address, open_page):
    page = open_page(graph_page(address)).page
    drawn(page)
    click_node(page, "tag:canal")
    page.wait_for_url(re.compile("node=tag%3Acanal"))
    page.get_by_role("link", name="Compare").first.click()
    expect(page.locator(".hit").first).to_be_visible()
    page.get_by_role("link", name="Graph").first.click()
    expect(page.locator(".st-key-node-panel").get_by_text("matched by the query")).to_be_visible()
    page.wait_for_url(re.compile("node=tag%3Acanal"))


def test_no_node_lies_under_the_count_or_the_tools(address, open_page):
    page = open_page(graph_page(address, view="Whole case")).page
    drawn(page)
    top = page.locator(".graph .canvas").bounding_box()["y"]
    for part in (".count", ".tools"):
        box = page.locator(f".graph {part}").bounding_box()
        assert box["y"] + box["height"] <= top


def test_a_link_restores_layout_view_and_node(address, open_page):
    watched = open_page(graph_page(address, view="Whole case", layout="Force", node="tag:canal"))
    page = watched.page
    drawn(page)
    assert page.evaluate("() => window.__graph().network.getSelectedNodes()") == ["tag:canal"]
    assert page.evaluate("() => window.__graph().data.boxed") is False
    expect(page.locator(".st-key-node-panel").get_by_text("matched by the query")).to_be_visible()
    watched.assert_clean()


def test_a_row_of_the_table_selects_the_node_in_the_picture(address, open_page):
    page = open_page(graph_page(address)).page
    drawn(page)
    table = page.get_by_test_id("stDataFrame")
    table.scroll_into_view_if_needed()
    table.click(position={"x": 18, "y": 52})  # the tick of the first row: gold comes first
    page.wait_for_function("() => window.__graph().network.getSelectedNodes().length === 1")
    gold = page.evaluate("() => window.__graph().nodes.get().find(n => n.label.startsWith('★ gold')).id")
    assert page.evaluate("() => window.__graph().network.getSelectedNodes()") == [gold]
    expect(page.locator(".st-key-node-panel").get_by_text("★ gold")).to_be_visible()


def test_paths_to_gold_are_a_part_of_the_graph(address, open_page):
    page = open_page(graph_page(address, view="Paths to gold")).page
    drawn(page)
    kinds = {node.partition(":")[0] for node in node_ids(page)}
    assert {"tag", "topic", "file"} <= kinds
    expect(page.locator(".graph .count")).to_contain_text("not on a path")


def test_expanding_a_node_draws_more_and_folding_less(address, open_page):
    page = open_page(graph_page(address, node="topic:misc")).page
    drawn(page)
    before = set(node_ids(page))
    page.get_by_role("button", name="Expand").click()
    drawn_ids = "window.__graph().nodes.getIds().filter((id) => !id.startsWith('caption:'))"
    page.wait_for_function(f"n => {drawn_ids}.length > n", arg=len(before))
    assert before < set(node_ids(page))
    assert "expand=topic" in page.url
    page.get_by_role("button", name="Fold", exact=True).click()
    page.wait_for_function(f"n => {drawn_ids}.length === n", arg=len(before))
    assert set(node_ids(page)) == before


def test_text_of_a_note_is_shown_and_never_interpreted(address, open_page):
    watched = open_page(graph_page(address, benchmark="chats", case="chats/hostile", question=""))
    page = watched.page
    page.on("dialog", lambda dialog: watched.errors.append(f"a dialog said {dialog.message!r}"))
    drawn(page)
    note = next(node for node in node_ids(page) if node.startswith("file:"))
    click_node(page, note)
    panel = page.locator(".st-key-node-panel")
    expect(panel.get_by_text(HOSTILE, exact=False).first).to_be_visible()
    assert panel.locator("img, a").count() == 0
    watched.assert_clean()


def test_downloaded_page_draws_from_disk_and_asks_nobody(address, open_page, tmp_path):
    page = open_page(graph_page(address)).page
    drawn(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="HTML, works offline").click()
    target = tmp_path / "graph.html"
    saved.value.save_as(target)
    offline = open_page(target.as_uri())
    offline.page.wait_for_selector("#mynetwork canvas")
    expect(offline.page.get_by_text("nodes shown")).to_be_visible()
    offline.assert_clean()
