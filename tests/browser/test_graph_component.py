"""The graph component in a real browser: a click reaches Python, a rerun patches, nothing leaves the machine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from graph_drawing import click_node, drawn, resting_place
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
SCRIPT = Path(__file__).with_name("graph_script.py")
GOLD = "file:s01#2"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve(SCRIPT)


def shown(page: Page, what: str) -> list[str]:
    text = page.get_by_text(re.compile(f"^{what} \\[")).inner_text()
    return json.loads(text.removeprefix(f"{what} "))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_click_on_a_node_reaches_python(address, open_page, picture, theme):
    watched = open_page(address, theme)
    page = watched.page
    drawn(page)
    picture(watched, f"component-{theme}")
    click_node(page, GOLD)
    expect(page.get_by_text(f'nodes ["{GOLD}"]')).to_be_visible()
    assert shown(page, "edges") == []
    watched.assert_clean()


def test_selection_may_be_made_from_python_and_is_not_reported_back(address, open_page):
    watched = open_page(address)
    page = watched.page
    drawn(page)
    page.get_by_role("button", name="Select the first note").click()
    page.wait_for_function("() => window.__graph().network.getSelectedNodes().length === 1")
    assert page.evaluate("() => window.__graph().network.getSelectedNodes()[0]").startswith("file:")
    assert shown(page, "nodes") == []
    expect(page.get_by_text("runs 2")).to_be_visible()
    watched.assert_clean()


def test_rerun_with_the_same_nodes_keeps_the_drawing(address, open_page):
    page = open_page(address).page
    drawn(page)
    page.evaluate("() => { window.__first = window.__graph().network; window.__first.moveTo({scale: 0.5}); }")
    page.get_by_role("button", name="Select the first note").click()
    expect(page.get_by_text("runs 2")).to_be_visible()
    assert page.evaluate("() => window.__graph().network === window.__first && window.__first.getScale() === 0.5")


def test_another_layout_builds_anew(address, open_page):
    watched = open_page(f"{address}/?layout=force")
    page = watched.page
    drawn(page)
    before = page.evaluate("() => window.__graph().network.getPositions()")
    page.get_by_role("combobox", name="Layout").click()
    page.get_by_role("option", name="layered").click()
    page.wait_for_function("() => Object.keys(window.__graph().network.getPositions()).some(id => id.startsWith('caption:'))")
    after = page.evaluate("() => window.__graph().network.getPositions()")
    assert before[GOLD] != after[GOLD]
    watched.assert_clean()


def test_mass_gives_the_size_of_a_shape(address, open_page):
    watched = open_page(f"{address}/?layout=force&mass=true")
    page = watched.page
    drawn(page)
    sizes = page.evaluate("() => window.__graph().nodes.map(n => n.size)")
    assert len(set(sizes)) == 1
    assert sizes[0] > 2
    watched.assert_clean()


def test_the_count_of_hidden_nodes_is_on_the_picture(address, open_page):
    page = open_page(address).page
    drawn(page)
    expect(page.locator(".graph .count")).to_have_text(re.compile(r"^\d+ of 71 nodes shown · \d+ hidden \("))


def test_theme_may_change_while_the_page_is_open(address, open_page):
    watched = open_page(address, "light")
    page = watched.page
    drawn(page)
    light = page.evaluate("() => window.__graph().network.groups.get('tag box').color.background")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => window.__graph().theme === 'dark'")
    assert page.evaluate("() => window.__graph().network.groups.get('tag box').color.background") != light
    watched.assert_clean()


def test_wheel_scrolls_the_page_and_zooms_only_with_control(address, open_page):
    page = open_page(address).page
    drawn(page)
    scale = page.evaluate("() => window.__graph().network.getScale()")
    place = resting_place(page, GOLD)
    page.mouse.move(place["x"], place["y"])
    page.mouse.wheel(0, 300)
    page.wait_for_timeout(200)
    assert page.evaluate("() => window.__graph().network.getScale()") == scale
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.wait_for_function("scale => window.__graph().network.getScale() > scale", arg=scale)
    page.keyboard.up("Control")


def test_picture_can_be_saved(address, open_page, tmp_path):
    page = open_page(address).page
    drawn(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG").click()
    target = tmp_path / "graph.png"
    saved.value.save_as(target)
    assert target.read_bytes().startswith(b"\x89PNG")
