"""The page REAL of the real app in a real browser: drawn clean, a bar opens its source, the moment moves and is found again."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from graph_drawing import click_node, drawn
from playwright.sync_api import Page, expect
from real_cases import fill

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
LONG = 60_000


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app over a store with the three dialogues."""
    return serve(ROOT / "app.py", WORKBENCH_STORE=str(fill(tmp_path_factory.mktemp("store") / "test.duckdb")))


def real_page(address: str, view: str, case: str = "paris", **query: str) -> str:
    return f"{address}/real?{urlencode({'benchmark': 'changing', 'case': f'changing/{case}', 'view': view} | query)}"


def opened(page: Page, tab: str) -> None:
    """Waits until a tab is drawn; the first visit reads the facts."""
    expect(page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true", timeout=LONG)


def chart(page: Page) -> None:
    expect(page.locator(".js-plotly-plot .barlayer .point").first).to_be_visible(timeout=LONG)


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), pytest.param("dark", 1920, marks=pytest.mark.slow)])
def test_the_page_is_drawn_without_an_error_or_a_request(address, open_page, picture, theme, width):
    watched = open_page(real_page(address, "Fact timeline"), theme, width)
    opened(watched.page, "Fact timeline")
    chart(watched.page)
    expect(watched.page.get_by_text("what an overwriting graph has left")).to_be_visible()
    picture(watched, f"real-{theme}-{width}")
    watched.assert_clean()


def test_a_bar_opens_the_turn_that_says_it(address, open_page):
    page = open_page(real_page(address, "Fact timeline")).page
    chart(page)
    page.locator(".js-plotly-plot .barlayer .point").nth(1).click(position={"x": 60, "y": 12}, force=True)
    expect(page).to_have_url(re.compile("note=s2"), timeout=LONG)
    expect(page.get_by_text("on 26 February.").first).to_be_visible(timeout=LONG)


@pytest.mark.slow
def test_the_moment_moves_by_the_keyboard_and_is_found_again_by_the_url(address, open_page):
    page = open_page(real_page(address, "Fact timeline", at="2024-02-26")).page
    chart(page)
    expect(page.locator(".js-plotly-plot .annotation-text").first).to_have_text("τ_q 2024-02-26")
    page.get_by_role("slider").first.press("ArrowLeft")
    expect(page).to_have_url(re.compile("at=2024-02-25"), timeout=LONG)
    expect(page.locator(".js-plotly-plot .annotation-text").first).to_have_text("τ_q 2024-02-25", timeout=LONG)
    again = open_page(page.url).page
    chart(again)
    expect(again.locator(".js-plotly-plot .annotation-text").first).to_have_text("τ_q 2024-02-25")


def test_a_switch_stands_in_the_url_and_takes_the_inference_away(address, open_page):
    page = open_page(real_page(address, "Derivation", "cousins")).page
    opened(page, "Derivation")
    expect(page.get_by_text("0.95 x 0.90 = 0.855")).to_be_visible(timeout=LONG)
    page.get_by_role("button", name="Counterfactual rules").click()
    expect(page.get_by_text("nothing is inferred")).to_be_visible(timeout=LONG)
    assert "Counterfactual rules" not in parse_qs(urlsplit(page.url).query)["uses"]


def test_a_node_of_the_fact_graph_opens_a_source(address, open_page, picture):
    watched = open_page(real_page(address, "Fact graph", "beagle"), height=1400)
    page = watched.page
    opened(page, "Fact graph")
    drawn(page)
    edges = page.evaluate("() => window.__graph().edges.map(e => [e.from, e.to, Boolean(e.dashes), e.label])")
    assert ["ada", "dog", True, "by hyponymy"] in edges
    click_node(page, "beagle")
    expect(page).to_have_url(re.compile("note=s1"), timeout=LONG)
    picture(watched, "real-graph")
    watched.assert_clean()
