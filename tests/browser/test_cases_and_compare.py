"""The pages Cases and Compare of the real app in a real browser: clicks, the URL, the way back, and hostile text."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect
from story_store import STORY, serve_story

pytestmark = pytest.mark.browser
expect.set_options(timeout=20_000)  # the first visit of a fresh server imports everything
HOSTILE = "<img src=x onerror=alert(1)> [link](https://evil.example) $x^2$ </script>"
HEADER, ROW = 36, 35  # pixels of the table's rows, which are drawn on a canvas


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    return serve_story(serve, tmp_path_factory.mktemp("store"), HOSTILE)


def compare(address: str, **query: str) -> str:
    return f"{address}/compare?{urlencode(STORY | query)}"


def click_row(page: Page, number: int, x: int = 200) -> None:
    """Click into the table's row with this number, from 1; 0 is the header."""
    box = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + x, box["y"] + (HEADER + ROW * (number - 1) if number else 0) + 15)


def test_a_click_into_the_sorted_table_opens_that_question(address, open_page, picture):
    watched = open_page(address)
    page = watched.page
    expect(page.locator(".st-key-card")).to_be_visible()
    click_row(page, 0)  # sort by question: the shown order is no longer that of the data
    page.wait_for_timeout(500)
    click_row(page, 1)
    card = page.locator(".st-key-card")
    expect(card.get_by_text("How much did Gustav raise me to?")).to_be_visible()
    assert "question=demo_01_q3" in page.url
    expect(card.get_by_text("★ evidence")).to_be_visible()
    picture(watched, "cases")
    watched.assert_clean()


@pytest.mark.slow
def test_the_way_back_leads_through_the_choices_and_out_again(address, open_page):
    page = open_page(address).page
    expect(page.locator(".st-key-card")).to_be_visible()
    click_row(page, 3)
    page.wait_for_url(re.compile("question=demo_01_q3"))
    page.get_by_role("link", name="Compare").first.click()
    page.wait_for_url(re.compile("/compare.*question=demo_01_q3"))
    expect(page.locator(".hit").first).to_be_visible()
    page.go_back()
    page.wait_for_url(re.compile(r"/\?.*question=demo_01_q3"))
    page.go_back()
    expect(page.locator(".st-key-card").get_by_text("demo_01_q1")).to_be_visible()
    assert "?" not in page.url
    page.go_back()
    page.wait_for_url("about:blank")


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), pytest.param("dark", 1920, marks=pytest.mark.slow)])
def test_a_click_on_a_hit_opens_its_note_and_the_why(address, open_page, picture, theme, width):
    page = (watched := open_page(compare(address), theme, width)).page
    page.locator(".hit.gold").first.click()
    expect(page.get_by_text("Selected note")).to_be_visible()
    expect(page.get_by_text("★ evidence")).to_be_visible()
    expect(page.get_by_text("sum").first).to_be_visible()
    assert "note=" in page.url
    picture(watched, f"compare-{theme}-{width}")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("Selected note")).to_have_count(0)
    assert "note=" not in page.url
    page.locator(".hit.gold").first.click()  # the same hit again
    expect(page.get_by_text("Selected note")).to_be_visible()
    watched.assert_clean()


def test_a_note_opened_far_down_is_in_sight_and_hidden_columns_are_told(address, open_page, picture):
    methods = ["bm25", "tag_basic", "tag_stopwords", "tag_tfidf", "adaptive"]
    watched = open_page(f"{address}/compare?{urlencode(STORY | {'methods': methods}, doseq=True)}", height=600)
    page = watched.page
    low = page.locator(".column").last.locator(".hit").last
    low.scroll_into_view_if_needed()
    expect(page.locator(".more.after")).to_be_hidden()
    low.click()
    expect(page.get_by_text("Selected note")).to_be_in_viewport()
    expect(page.locator(".more.after")).to_have_text("2 more ›")
    page.locator(".more.after").click()
    expect(page.locator(".column").last).to_be_in_viewport(ratio=0.1)
    expect(page.locator(".more.before")).to_contain_text("more")
    picture(watched, "compare-far-down")
    watched.assert_clean()


def test_pointing_at_a_hit_shows_the_same_note_elsewhere(address, open_page):
    page = open_page(compare(address)).page
    page.locator(".hit.gold").first.hover()
    same = page.locator(".hit.same")
    assert same.count() > 1
    assert len({same.nth(at).get_attribute("data-note") for at in range(same.count())}) == 1


def test_a_point_of_the_rank_lines_opens_its_note(address, open_page, picture):
    page = (watched := open_page(compare(address, shape="Rank lines"))).page
    points = page.locator(".js-plotly-plot .scatterlayer .point")
    expect(points.first).to_be_visible()
    picture(watched, "compare-lines")
    points.first.click(force=True)  # Plotly's own layer lies over the points and takes the click
    expect(page.get_by_text("Selected note")).to_be_visible()
    assert "note=" in page.url
    watched.assert_clean()


def test_a_typed_query_is_asked_and_kept_in_the_link(address, open_page):
    page = open_page(compare(address)).page
    box = page.locator(".st-key-compare-query input")
    box.fill("deck oven")
    box.press("Enter")
    page.wait_for_url(re.compile("q=deck\\+oven"))
    expect(page.get_by_role("button", name="Back to the question")).to_be_visible()


def test_hostile_text_is_shown_literally(address, open_page):
    watched = open_page(compare(address, benchmark="chats", case="chats/hostile", question="", q="sister bread", note="1#1"))
    page = watched.page
    page.on("dialog", lambda dialog: watched.errors.append(f"a dialog said {dialog.message!r}"))
    hit = page.locator(".hit").first
    expect(hit).to_be_visible()
    hit.click()
    expect(page.get_by_text("Selected note")).to_be_visible()
    expect(page.get_by_text(HOSTILE, exact=False).first).to_be_visible()
    assert page.locator("[data-testid=stMain] img, [data-testid=stMain] a[href*=evil], .katex").count() == 0
    watched.assert_clean()
