"""The page Evaluate in a real browser: from no run over the leaderboard to a question on the page Compare, and a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect
from story_store import STORY, serve_story

pytestmark = pytest.mark.browser
expect.set_options(timeout=20_000)
HOSTILE = "<img src=x onerror=alert(1)> [link](https://evil.example) $x^2$"
PATIENCE = 60_000  # ms: every method runs over the case meanwhile


@pytest.fixture
def address(serve: Callable[..., str], tmp_path: Path) -> str:
    """A store without a run, also where the test is asked again."""
    return serve_story(serve, tmp_path, HOSTILE)


def test_from_no_run_to_a_question_on_which_methods_disagree(address, open_page, picture):
    query = {"benchmark": STORY["benchmark"], "methods": ["bm25", "tag_basic", "adaptive"]}
    watched = open_page(f"{address}/evaluate?{urlencode(query, doseq=True)}")
    page = watched.page
    page.on("dialog", lambda dialog: watched.errors.append(f"a dialog said {dialog.message!r}"))
    page.get_by_role("button", name="Evaluate this case").click(timeout=PATIENCE)
    expect(page.locator(".js-plotly-plot .scatterlayer .point").first).to_be_visible(timeout=PATIENCE)
    assert page.locator(".js-plotly-plot .scatterlayer .point").count() == 3
    picture(watched, "evaluate-leaderboard")

    page.get_by_role("button", name="More").first.click()
    name = page.get_by_label("Name of the run")
    name.fill(HOSTILE)
    name.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-evaluate-choice input")).to_have_value(re.compile(re.escape(HOSTILE)))
    assert page.locator("[data-testid=stMain] img, [data-testid=stMain] a[href*=evil], .katex").count() == 0

    page.get_by_role("tab", name="Runs").click()
    page.wait_for_url(re.compile("tab=Runs"))
    with page.expect_download() as download:
        page.get_by_role("button", name="TREC run").click()
    assert download.value.path().read_text().splitlines()[0].split()[1] == "Q0"

    page.get_by_role("tab", name="Disagreement").click()
    page.wait_for_url(re.compile("tab=Disagreement"))
    table = page.locator("[data-testid=stDataFrame]").first
    expect(table).to_be_visible()
    page.wait_for_timeout(1000)
    picture(watched, "evaluate-disagreement")
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 200, box["y"] + 38 + 17)
    page.wait_for_url(re.compile("/compare.*question=demo_01"))
    expect(page.locator(".hit").first).to_be_visible()
    assert all(f"methods={method}" in page.url for method in ("bm25", "tag_basic", "adaptive"))

    page.go_back()
    expect(page.get_by_role("heading", name="Evaluate")).to_be_visible()
    watched.assert_clean()
