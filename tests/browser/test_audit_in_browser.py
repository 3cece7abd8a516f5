"""The page Audit in a real browser: from no audit to a miss, a label by key and in a cell, the counts, and the report offline."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from workbench.store import Label, open_labels

pytestmark = pytest.mark.browser
expect.set_options(timeout=20_000)
ROOT = Path(__file__).resolve().parents[2]
QUERY = urlencode({"benchmark": "longmemeval_demo", "methods": ["tag_basic", "bm25"]}, doseq=True)
PATIENCE = 60_000  # ms: the audit runs meanwhile
HEAD, ROW = 38, 35


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "demo.duckdb"
    demo = str(ROOT / "data" / "demo" / "longmemeval_demo.json")
    command = [sys.executable, "-m", "workbench", "load", demo, "--store", str(path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=240)
    return path


@pytest.fixture
def address(serve: Callable[..., str], store: Path) -> str:
    return serve(ROOT / "app.py", WORKBENCH_STORE=str(store))


def labels(store: Path) -> list[Label]:
    with open_labels(store, read_only=True) as opened:
        return opened.history()


def cell(page: Page, row: int, x: int) -> tuple[float, float]:
    """A point of a cell of the queue: the grid is one canvas."""
    box = page.locator("[data-testid=stMain] [data-testid=stDataFrame]").first.bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + HEAD + ROW * row + ROW / 2


def saved(page: Page, store: Path, count: int) -> Label:
    """The newest label, once there are as many as that."""
    for _ in range(100):
        if len(found := labels(store)) >= count:
            assert len(found) == count
            return found[-1]
        page.wait_for_timeout(100)
    raise AssertionError(f"{count} labels were not saved; there are {labels(store)}")


def test_a_miss_is_opened_labelled_by_key_counted_and_reported_offline(address, store, open_page, browser: Browser, picture):
    watched = open_page(f"{address}/audit?{QUERY}")
    page = watched.page
    page.get_by_role("button", name="Audit 7 cases").click()
    expect(page.get_by_role("tab", name="Queue")).to_be_visible(timeout=PATIENCE)
    name = page.locator(".st-key-audit-analyst input")
    name.fill("Ada")
    name.press("Enter")
    expect(page.get_by_text("miss 1 of", exact=False)).to_be_visible()
    name.blur()

    page.keyboard.press("j")
    page.wait_for_url(re.compile("gold=answer_demo_b_1%231"))
    card = page.locator(".st-key-audit-miss")
    expect(card.get_by_text("✕ outscored").first).to_be_visible()
    expect(card.get_by_text("tag_basic ranked the note", exact=False)).to_be_visible()
    page.keyboard.press("6")
    label = saved(page, store, 1)
    assert (label.note, label.label, label.analyst) == ("answer_demo_b_1#1", "outscored", "Ada")
    expect(page.locator(".st-key-facet-label").get_by_text("outscored")).to_be_visible()
    picture(watched, "audit-queue")

    # What is typed into a cell is text: its letters are no shortcuts.
    expect(page.locator("[data-testid=stMain] [data-testid=stDataFrame]").first).to_be_visible()
    page.mouse.dblclick(*cell(page, 1, 34 + 190 + 100 + 100 + 95 + 50))
    expect(page.locator("textarea.gdg-input")).to_be_focused()
    page.keyboard.type("1 jk 2", delay=40)  # as a person types: the cell takes a key at a time
    page.keyboard.press("Enter")
    label = saved(page, store, 2)
    assert (label.note, label.label, label.comment) == ("answer_demo_b_1#1", "outscored", "1 jk 2")

    # A tick looks at another miss.
    page.mouse.click(*cell(page, 0, 17))
    page.wait_for_url(re.compile("gold=answer_demo_a_1%231"))
    page.locator(".st-key-facet-label").get_by_text("outscored").click()
    page.wait_for_url(re.compile("only-label=outscored"))
    expect(page.get_by_text("not among the 1 of the filter")).to_be_visible()

    page.get_by_role("tab", name="Export").click()
    page.wait_for_url(re.compile("part=Export"))
    with page.expect_download() as download:
        page.get_by_role("button", name="Report (HTML)").click()
    offline(browser, download.value.path(), store.with_name("report.html"))

    page.get_by_role("tab", name="Control and intervention").click()
    expect(page.locator(".js-plotly-plot .scatterlayer .point").first).to_be_visible()
    assert page.locator(".js-plotly-plot .scatterlayer .point").count() == 2
    picture(watched, "audit-control")
    watched.assert_clean()


def offline(browser: Browser, downloaded: Path, report: Path) -> None:
    """Open the report with the network off: it asks for nothing and has the label."""
    report.write_bytes(downloaded.read_bytes())
    context = browser.new_context(offline=True)
    asked: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    expect(page.get_by_role("heading", name="Failure audit")).to_be_visible()
    expect(page.get_by_text("Ada: outscored (open)").first).to_be_visible()
    assert asked == [report.as_uri()]
    context.close()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), pytest.param("dark", 1920, marks=pytest.mark.slow)])
def test_nothing_is_wider_than_the_page_and_links_lead_to_the_miss(address, open_page, picture, theme, width):
    watched = open_page(f"{address}/audit?{QUERY}", theme, width)
    page = watched.page
    page.get_by_role("button", name="Audit 7 cases").click()
    expect(page.get_by_role("tab", name="Queue")).to_be_visible(timeout=PATIENCE)
    page.locator(".st-key-miss-next button").click()
    page.wait_for_url(re.compile("gold=answer_demo_b_1%231"))
    expect(page.locator(".st-key-audit-miss").get_by_text("Helpful", exact=False)).to_be_visible()
    picture(watched, f"audit-{theme}-{width}")
    wide, room = page.locator("[data-testid=stMain]").evaluate("main => [main.scrollWidth, main.clientWidth]")
    assert wide <= room
    page.locator(".st-key-audit-miss").get_by_role("link", name="Diagnose").click()
    expect(page.get_by_role("heading", name="Diagnose")).to_be_visible()
    expect(page.locator(".stages tbody").first).to_be_visible()
    assert "case=longmemeval_demo%2Fdemo_common_word" in page.url
    watched.assert_clean()
