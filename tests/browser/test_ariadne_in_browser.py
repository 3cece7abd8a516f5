"""The page AriadneMem of the real app in a real browser: read a case, click entries, step over bridges, switch parts off."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from graph_drawing import click_node, drawn
from playwright.sync_api import Page, expect
from talks_store import build_talks

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
TWO_LEGS = {"k_sem": "2", "k_lex": "1"}


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app over a store of made-up dialogues."""
    return serve(ROOT / "app.py", WORKBENCH_STORE=str(build_talks(tmp_path_factory.mktemp("store") / "talks.duckdb")))


def ariadne_page(address: str, case: str, stage: str, **query: str) -> str:
    return f"{address}/ariadne?{urlencode({'benchmark': 'talks', 'case': f'talks/{case}', 'stage': stage} | query)}"


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


@pytest.mark.parametrize(
    ("theme", "width"),
    [
        ("light", 1280),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (("dark", 1280), ("light", 1920), ("dark", 1920))),
    ],
)
def test_the_evidence_is_drawn_without_an_error_or_a_request(address, open_page, picture, theme, width):
    watched = open_page(ariadne_page(address, "bike", "Evidence graph", **TWO_LEGS), theme, width)
    drawn(watched.page)
    expect(watched.page.locator(".graph .legend")).to_contain_text("component ②")
    picture(watched, f"ariadne-{theme}-{width}")
    watched.assert_clean()


def test_a_longer_case_is_read_on_request_with_progress(address, open_page):
    watched = open_page(ariadne_page(address, "long", "Ingestion"))
    page = watched.page
    page.get_by_role("button", name="Read 60 notes").click()
    expect(page.get_by_text("Reading the turns is done")).to_be_visible(timeout=60_000)
    expect(page.get_by_text(re.compile("^60 turns read"))).to_be_visible()
    watched.assert_clean()


def test_a_click_on_an_entry_opens_its_note_and_its_path(address, open_page):
    watched = open_page(ariadne_page(address, "bike", "Evidence graph", **TWO_LEGS), height=1300)
    page = watched.page
    drawn(page)
    kinds = "() => window.__graph().edges.get().map(edge => edge.kind).sort().join()"
    assert page.evaluate(kinds) == "bridge,bridge"
    click_node(page, "entry:2")
    expect(page).to_have_url(re.compile("note=s3"))
    expect(page.get_by_text("★ evidence")).to_be_visible()
    page.wait_for_function(f"({kinds})() === 'path,path'")
    page.get_by_role("button", name="Close").click()
    page.wait_for_function(f"({kinds})() === 'bridge,bridge'")
    watched.assert_clean()


@pytest.mark.slow
def test_a_row_of_the_facts_opens_its_note(address, open_page):
    watched = open_page(ariadne_page(address, "meeting", "Context"))
    page = watched.page
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    page.wait_for_timeout(800)
    table.click(position={"x": 18, "y": 52})  # the tick of the first row
    expect(page).to_have_url(re.compile("note=s1"))
    expect(page.get_by_role("button", name="Close")).to_be_visible()
    expect(page.get_by_text("As a model reads it")).to_be_visible()
    tab(page, "Evidence graph")
    drawn(page)
    tab(page, "Ranks")
    expect(page.get_by_text("2 notes ranked")).to_be_visible()
    watched.assert_clean()


def test_switches_and_tab_come_back_with_the_url(address, open_page):
    watched = open_page(ariadne_page(address, "bike", "Bridges", **TWO_LEGS))
    page = watched.page
    expect(page.get_by_text("Bridge found", exact=True)).to_be_visible()
    page.get_by_test_id("stButtonGroup").get_by_role("button", name="Bridges").click()
    expect(page.get_by_text("Bridges are switched off")).to_be_visible()
    tab(page, "Ranks")
    expect(page.get_by_text(re.compile("2 entries in the evidence"))).to_be_visible()
    expect(page).to_have_url(re.compile("stage=Ranks"))
    again = open_page(page.url)
    expect(again.page.get_by_text(re.compile("2 entries in the evidence"))).to_be_visible()
    again.page.get_by_role("button", name="Undo all").click()
    expect(again.page.get_by_text(re.compile("^Nothing is changed"))).to_be_visible()
    again.assert_clean()


def test_steps_over_pairs_are_kept_in_the_url(address, open_page):
    watched = open_page(ariadne_page(address, "bike", "Bridges", k_sem="6", pair="1"))
    page = watched.page
    expect(page.get_by_text(re.compile(r"^pair 1 of \d+$"))).to_be_visible()
    page.get_by_role("button", name="Next pair").click()
    expect(page.get_by_text(re.compile(r"^pair 2 of \d+$"))).to_be_visible()
    expect(page).to_have_url(re.compile("pair=2"))
    watched.assert_clean()
